/** What a tab can ask of this host: the calls of the contract over the engine. Refusals are values. */
import { RunSecrets, checkAction, listModels, listTools, whyNotContinued } from '../actions/index.ts';
import {
  DEFAULT_KEEP,
  type AutomationId,
  type ClaimResult,
  type CommandId,
  type Definition,
  type PreviewInstant,
  type Problem,
  SCHEMA,
  type SaveDecision,
  assertNever,
  definitionSchema,
  askedServerSchema,
  modelEndpointSchema,
  parseWith,
  pausedUntil,
  passphraseSchema,
  runsLeft,
  problemsOf,
  scheduleSchema,
  secretSchema,
} from '../domain/index.ts';
import {
  type AutomationView,
  type ExecutorOffer,
  type HostCalls,
  PROTOCOL,
  type RunListCalls,
  type RunNowResult,
  type Settings,
} from '../rpc/index.ts';
import { type Command, type LedgerSettings, NewerData, type StoredAutomation } from '../store/index.ts';
import type { Engine, Host } from './host.ts';
import { lazily } from './lazily.ts';
import { newAutomationId, newRunId } from './new-id.ts';
import { type Waiting, automationView, runDetail, runView } from './views.ts';
import type { World } from './world.ts';

const PAGE_DEFAULT = 50;
const PAGE_MOST = 1_000;
const PREVIEW_DEFAULT = 10;
const PREVIEW_MOST = 100;
/** How long a restart waits for what runs. Longer than most requests take, short enough for a person who waits. */
const RESTART_WAIT_MS = 3_000;

/** How long `hello` waits for the host's start before it says what is missing: less than a tab waits for it. */
const HELLO_ANSWER_MS = 2_000;

/** What the preview says of an instant at which no host is usually there. */
const USUALLY_ABSENT = 'this browser is usually closed or asleep then';

function withRemark(instant: PreviewInstant, remark: string): PreviewInstant {
  return { ...instant, remark: instant.remark === undefined ? remark : `${instant.remark}; ${remark}` };
}

/** Builds the calls. Each waits until the host is ready, and rejects as the host's start did when it never will be. */
export function hostCalls(host: Host, world: World): HostCalls {
  const command = (commandId: CommandId | undefined): Command => ({
    commandId: commandId ?? (newRunId(world) as string as CommandId),
    now: world.now(),
    newId: () => newRunId(world),
  });

  const list = lazily(async () => {
    const [engine, { automationListCalls }] = await Promise.all([host.ready, import('./automation-list.ts')]);
    return automationListCalls(engine, world, (listener) => host.watchAutomations(listener));
  });
  const stored = lazily(async () => {
    const [{ ledger, upkeep }, { storageCalls }] = await Promise.all([
      host.ready,
      import('./storage-calls.ts'),
    ]);
    return storageCalls({ world, ledger, upkeep: await upkeep(), command, onEdit: afterEdit });
  });

  const runLists = async (): Promise<RunListCalls> => {
    const { ledger } = await host.ready;
    const { runListCalls } = await import('./run-lists.ts');
    return runListCalls(ledger, () => world.monotonic());
  };

  async function viewOf(engine: Engine, stored: StoredAutomation): Promise<AutomationView> {
    const [agenda, active, { pauses = [] }] = await Promise.all([
      engine.ledger.listAgenda(stored.automation.id),
      engine.ledger.listActive(),
      engine.ledger.getSettings(),
    ]);
    return automationView(stored, {
      nextDueAt: agenda.length === 0 ? null : Math.min(...agenda.map((row) => row.dueAt)),
      active,
      waiting: waitingOf(engine, stored.automation.id),
      pausedUntil: pausedUntil(pauses, world.now()),
    });
  }

  const runNow: HostCalls['runNow'] = async ({ commandId, id, from }) => {
    const { ledger, dispatcher, runner } = await host.ready;
    const found = from === undefined ? null : await ledger.findAutomation(id);
    if (from !== undefined && found !== null) {
      const earlier = await runner.findRun(id, from.runId);
      const why = await whyNotContinued(earlier, found.automation.action, from);
      if (why !== null) return { kind: 'not-continued', why };
    }
    const result = await dispatcher.runNow({
      kind: 'manual',
      automationId: id,
      commandId: command(commandId).commandId,
      ...(from === undefined ? {} : { from }),
    });
    if (result.kind === 'unverifiable-owner') {
      const found = await ledger.findAutomation(id);
      if (found?.readOnly !== undefined)
        throw new NewerData('A newer version of Rota wrote this automation, and this one does not run it.');
    }
    // What waits now is looked after like all that is due, and the status says what it waits for.
    if (result.kind !== 'claimed') void host.tick();
    return runNowResult(result);
  };

  return {
    async version() {
      return Promise.resolve({ build: world.host.build, protocol: PROTOCOL, schema: SCHEMA });
    },

    async hello({ tabId }) {
      await host.readyWithin(HELLO_ANSWER_MS);
      // A tab that would stay with a host that goes would ask it for ever; the next one is about to start.
      host.assertStaying();
      host.welcome(tabId);
      return { host: world.host, startedAt: host.startedAt, newerBuild: host.newerBuild };
    },

    async status() {
      const engine = await host.ready;
      const [row, active, hosts, quarantine, tabs, settings] = await Promise.all([
        engine.ledger.nextAgendaRow(),
        engine.ledger.listActive(),
        host.listHosts(),
        engine.ledger.listQuarantine(PAGE_MOST),
        host.countTabs(),
        engine.ledger.getSettings(),
      ]);
      const next = row === null ? null : await engine.ledger.findAutomation(row.automationId);
      const { id: hostId, kind, build } = world.host;
      return {
        hostId,
        kind,
        build,
        startedAt: host.startedAt,
        now: world.now(),
        nextDueAt: row?.dueAt ?? null,
        next:
          row === null || next === null
            ? null
            : { automationId: row.automationId, automationName: next.automation.name, dueAt: row.dueAt },
        active: active.map(runView),
        waiting: engine.dispatcher.waiting.map(
          ({ row: { occurrence, automationId }, for: what, secret }) => ({
            occurrence,
            automationId,
            for: what,
            ...(secret === undefined ? {} : { secret }),
          }),
        ),
        hosts,
        tabs,
        pausedUntil: pausedUntil(settings.pauses ?? [], world.now()),
        online: world.online(),
        newerBuild: host.newerBuild,
        quarantined: quarantine.length,
        trouble: host.trouble,
      };
    },

    listAutomations: async (query) => (await list()).listAutomations(query),
    orderAutomations: async (query) => (await list()).orderAutomations(query),
    getAutomations: async (query) => (await list()).getAutomations(query),

    async getAutomation(id) {
      const engine = await host.ready;
      const stored = await engine.ledger.findAutomation(id);
      return stored === null ? null : viewOf(engine, stored);
    },

    async saveAutomation({ commandId, id, expectedRevision, automation }) {
      const engine = await host.ready;
      const checked = await checkDefinition(automation);
      if (checked.kind === 'invalid') return checked;
      const decision = await engine.ledger.save({
        ...command(commandId),
        id: id ?? newAutomationId(world),
        definition: checked.value,
        ...(expectedRevision === undefined ? {} : { expectedRevision }),
      });
      if (decision.kind === 'saved') afterEdit();
      return saveResult(engine, decision);
    },

    async setEnabled({ commandId, ids, enabled, until }) {
      const { ledger } = await host.ready;
      const done = await ledger.setEnabled({
        ...command(commandId),
        ids,
        enabled,
        ...(until === undefined ? {} : { until }),
      });
      afterEdit();
      return done;
    },

    async pauseAll({ commandId, until }) {
      const { ledger } = await host.ready;
      const { pauses = [] } = await ledger.pauseAll({ ...command(commandId), until });
      host.changed('settings');
      void host.tick();
      return { kind: 'done', pausedUntil: pausedUntil(pauses, world.now()) };
    },

    async removeAutomation({ commandId, id }) {
      const { ledger } = await host.ready;
      const done = await ledger.remove({ ...command(commandId), id });
      afterEdit();
      return done;
    },

    runNow,

    async changeAutomations({ commandId, ...request }) {
      const { ledger } = await host.ready;
      const done = await (await bulk()).changeAutomations(ledger, command(commandId), request);
      afterEdit();
      return done;
    },

    async undoChange({ commandId, of }) {
      const { ledger } = await host.ready;
      const done = await ledger.undoChange({ ...command(commandId), of });
      afterEdit();
      return done;
    },

    async runAutomations({ commandId, ids }) {
      return (await bulk()).runAutomations(runNow, command(commandId).commandId, ids);
    },

    async cancelRun({ commandId, runId }) {
      const { ledger, runner } = await host.ready;
      const decision = await ledger.requestCancel({ ...command(commandId), runId, by: 'person' });
      if (decision.kind === 'cancelling') {
        host.changed('runs');
        await runner.check();
      }
      return decision.kind === 'too-late' ? { kind: 'too-late', run: runView(decision.run) } : decision;
    },

    async answerRun({ commandId, runId, answer }) {
      const { ledger } = await host.ready;
      const result = await ledger.answer({ ...command(commandId), runId, answer });
      if (result.kind === 'answered') {
        host.changed('runs');
        void host.tick();
      }
      return result.kind === 'not-found' ? result : { kind: result.kind, run: runView(result.run) };
    },

    listRuns: async (query) => (await runLists()).listRuns(query),
    listRunLines: async (query) => (await runLists()).listRunLines(query),
    searchRuns: async (query) => (await runLists()).searchRuns(query),

    async getRun(id) {
      const { ledger, runner } = await host.ready;
      const found = await ledger.findRun(id);
      if (found === null) return null;
      const progress = found.run.status === 'running' ? runner.progressOf(id) : null;
      const detail = runDetail(found.run, found.output?.output ?? null);
      return progress === null ? detail : { ...detail, progress };
    },

    async timeline({ from, until }) {
      const { ledger } = await host.ready;
      const { timelineOf } = await import('./timeline.ts');
      return await timelineOf(ledger, { from, until, now: world.now() });
    },

    async countRuns({ bounds }) {
      const { ledger } = await host.ready;
      return { items: await ledger.countRuns(bounds) };
    },

    async preview({ schedule, from, count = PREVIEW_DEFAULT }) {
      const { ledger } = await host.ready;
      const { isUsuallyAbsent, previewSchedule } = await import('./previews.ts');
      const shape = parseWith(scheduleSchema, schedule, ['schedule']);
      if (shape.kind === 'invalid') return shape;
      const problems = problemsOf(shape.value, ['schedule']);
      if (problems.length > 0) return { kind: 'invalid', problems };
      const zone = world.timeZone();
      // From now on there are no more than it may have; from another instant, nobody knows how many it has had by then.
      const runs = from === undefined ? runsLeft({ schedule: shape.value }) : Infinity;
      const most = Math.min(count, PREVIEW_MOST, runs);
      const at = previewSchedule(shape.value, from ?? world.now(), most, zone);
      const presence = await ledger.getPresence();
      const isAbsent = (instant: PreviewInstant): boolean =>
        isUsuallyAbsent(presence, instant.at, world.now());
      return { kind: 'ok', at: at.map((one) => (isAbsent(one) ? withRemark(one, USUALLY_ABSENT) : one)) };
    },

    async importFile({ commandId, text, enable = false }) {
      const { ledger } = await host.ready;
      const { importFile } = await files();
      const freshId = (): AutomationId => newAutomationId(world);
      const result = await importFile(ledger, command(commandId), { text, enable, freshId });
      if (result.kind === 'imported') afterEdit();
      return result;
    },

    async importEntries({ commandId, steps }) {
      const { ledger } = await host.ready;
      const { importEntries } = await files();
      const result = await importEntries(ledger, command(commandId), world.host, steps);
      if (result.kind === 'imported') {
        host.changed('runs');
        afterEdit();
      }
      return result;
    },

    async missingRuns({ ids }) {
      const { ledger } = await host.ready;
      return await (await files()).missingRuns(ledger, ids);
    },

    async exportFile({ ids } = {}) {
      const { ledger } = await host.ready;
      return await (await files()).exportFile(ledger, ids);
    },

    async getSettings() {
      const { ledger } = await host.ready;
      return settingsView(await ledger.getSettings());
    },

    async saveSettings({ commandId, settings }) {
      const { ledger } = await host.ready;
      const { checkSettings } = await import('./check-settings.ts');
      const checked = checkSettings(settings);
      if (checked.kind === 'invalid') return checked;
      const saved = await ledger.saveSettings({ ...command(commandId), settings: checked.value });
      host.changed('settings');
      void host.tick();
      return { kind: 'saved', settings: settingsView(saved) };
    },

    async listSecrets() {
      const { ledger } = await host.ready;
      return await ledger.listSecrets();
    },

    async saveSecret({ commandId, ...given }) {
      const { ledger } = await host.ready;
      const parsed = parseWith(secretSchema, given);
      if (parsed.kind === 'invalid') return parsed;
      const result = await ledger.saveSecret({ ...command(commandId), secret: parsed.value });
      if (result.kind === 'no-value') return refusal('value', 'Enter its value.');
      if (result.kind === 'no-key') return refusal('value', NO_KEY);
      if (result.kind === 'locked') return { kind: 'locked' };
      afterSecrets();
      return result;
    },

    async removeSecret({ commandId, name }) {
      const { ledger } = await host.ready;
      const result = await ledger.removeSecret({ ...command(commandId), name });
      if (result.kind === 'done') host.changed('settings');
      return result;
    },

    async removeSecrets({ commandId } = {}) {
      const { ledger } = await host.ready;
      const result = await ledger.removeSecrets(command(commandId));
      afterSecrets();
      return result;
    },

    async setPassphrase({ commandId, current, next }) {
      const { ledger } = await host.ready;
      if (next !== null) {
        const parsed = parseWith(passphraseSchema, next, ['next']);
        if (parsed.kind === 'invalid') return parsed;
      }
      const { kind } = await ledger.setPassphrase({
        ...command(commandId),
        next,
        ...(current === undefined ? {} : { current }),
      });
      if (kind === 'wrong-passphrase') return refusal('current', WRONG);
      if (kind === 'no-key') return refusal('next', NO_KEY);
      afterSecrets();
      return { kind };
    },

    async unlockSecrets({ passphrase }) {
      const { ledger } = await host.ready;
      const kind = await ledger.unlockSecrets(passphrase);
      return kind === 'wrong-passphrase' ? refusal('passphrase', WRONG) : { kind };
    },

    async lockSecrets({ commandId } = {}) {
      const { ledger } = await host.ready;
      const kind = await ledger.lockSecrets(command(commandId));
      afterSecrets();
      return { kind };
    },

    async engine() {
      const { ledger, journal } = await host.ready;
      const [active, hosts, tabs, automations] = await Promise.all([
        ledger.listActive(),
        host.listHosts(),
        host.countTabs(),
        ledger.findAutomations([...new Set(journal.claims.map(({ automationId }) => automationId))]),
      ]);
      const names = new Map(automations.map(({ automation }) => [automation.id, automation.name]));
      return {
        now: world.now(),
        hosts,
        tabs,
        leases: active.map((run) => ({
          automationId: run.automationId,
          automationName: run.automationName,
          runId: run.id,
          lease: run.lease,
          hostId: run.host.id,
          since: run.claimedAt,
          deadline: run.leaseDeadline,
        })),
        claims: journal.claims.map((note) => ({
          ...note,
          automationName: names.get(note.automationId) ?? null,
        })),
        recoveries: journal.recoveries,
      };
    },

    async listGaps({ from = -Infinity, until = Infinity } = {}) {
      const { ledger } = await host.ready;
      const { gapsBetween } = await import('./previews.ts');
      const presence = await ledger.getPresence();
      return { items: gapsBetween(presence, from, until), knownFrom: presence[0]?.from ?? null };
    },

    usage: async () => (await stored()).usage(),
    upkeep: async () => (await stored()).upkeep(),
    sweep: async () => (await stored()).sweep(),
    checkIntegrity: async () => (await stored()).checkIntegrity(),
    backup: async () => (await stored()).backup(),
    previewRestore: async (request) => (await stored()).previewRestore(request),
    restore: async (request) => (await stored()).restore(request),

    async storage() {
      const { ledger } = await host.ready;
      return { stores: await ledger.countRows() };
    },

    async listQuarantine() {
      const { ledger } = await host.ready;
      return { items: await ledger.listQuarantine(PAGE_MOST) };
    },

    async listModels(endpoint) {
      const { ledger } = await host.ready;
      const parsed = parseWith(modelEndpointSchema, endpoint);
      if (parsed.kind === 'invalid') return parsed;
      const secrets = new RunSecrets((name) => ledger.openSecret(name));
      return secrets.redact(await listModels(parsed.value, { ...world, secrets }));
    },

    async listTools(server) {
      const { ledger } = await host.ready;
      const parsed = parseWith(askedServerSchema, server);
      if (parsed.kind === 'invalid') return parsed;
      const secrets = new RunSecrets((name) => ledger.openSecret(name));
      return secrets.redact(await listTools(parsed.value, { ...world, secrets }));
    },

    async restartEngine() {
      // After this call has been answered; the tabs see the host's lock go free and start the next one.
      world.setTimer(0, () => void host.retire(RESTART_WAIT_MS));
      return Promise.resolve({ kind: 'restarting' });
    },

    async listNotifications({ limit = PAGE_DEFAULT } = {}) {
      const { ledger } = await host.ready;
      const { notificationViews } = await import('./notification-views.ts');
      const { rows, unread } = await ledger.listNotifications(PAGE_MOST);
      return { items: notificationViews(rows).slice(0, limit), unread };
    },

    async readNotifications(which = {}) {
      const { outbox } = await host.ready;
      return { kind: 'done', count: await outbox.read(which) };
    },

    async listShowings() {
      const { outbox } = await host.ready;
      return { items: await outbox.pending() };
    },

    async confirmNotification({ id }) {
      const { outbox } = await host.ready;
      await outbox.confirm(id);
      return { kind: 'done' };
    },

    async reportModel({ tabId, availability }) {
      await host.ready;
      host.noteModel(tabId, availability === 'available');
      return { kind: 'done' };
    },

    async lendExecutor(offer) {
      const { executors } = await host.ready;
      // The seam has looked that they are.
      return (await executors()).accept(offer as ExecutorOffer<MessagePort>);
    },
  };

  /** What has waited for them runs now. */
  function afterSecrets(): void {
    host.changed('settings');
    void host.tick();
  }

  function afterEdit(): void {
    host.changed('automations');
    void host.tick();
  }

  async function saveResult(engine: Engine, decision: SaveDecision): ReturnType<HostCalls['saveAutomation']> {
    switch (decision.kind) {
      case 'saved':
        return { kind: 'saved', automation: await viewOf(engine, { automation: decision.automation }) };
      case 'conflict':
        return { kind: 'conflict', current: await viewOf(engine, { automation: decision.current }) };
      case 'not-found':
      case 'invalid':
        return decision;
      default:
        return assertNever(decision);
    }
  }
}

/** No claim needs them. */
const files = () => import('./files.ts');
const bulk = () => import('./bulk.ts');

const WRONG = 'That is not the passphrase.';
const NO_KEY =
  'This browser cannot keep a key that nobody can read. With a passphrase none is needed: set one first.';

function refusal(path: string, message: string): { readonly kind: 'invalid'; readonly problems: Problem[] } {
  return { kind: 'invalid', problems: [{ path, message }] };
}

function waitingOf(engine: Engine, id: AutomationId): Waiting | null {
  return engine.dispatcher.waiting.find(({ row }) => row.automationId === id) ?? null;
}

/** Shape, meaning of the schedule and syntax of the templates: all that can be refused before anything is written. */
async function checkDefinition(
  value: unknown,
): Promise<
  | { readonly kind: 'ok'; readonly value: Definition }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
> {
  const parsed = parseWith(definitionSchema, value);
  if (parsed.kind === 'invalid') return parsed;
  const problems = [...problemsOf(parsed.value.schedule, ['schedule']), ...(await checkAction(parsed.value))];
  return problems.length > 0 ? { kind: 'invalid', problems } : parsed;
}

function settingsView({ maxConcurrent, quiet, keep }: LedgerSettings): Settings {
  return { maxConcurrent, quiet: quiet ?? null, keep: keep ?? DEFAULT_KEEP };
}

function runNowResult(result: ClaimResult): RunNowResult {
  switch (result.kind) {
    case 'claimed':
      return { kind: 'claimed', run: runView(result.run) };
    case 'already-active':
      return result;
    case 'waiting':
      return result;
    case 'at-capacity':
      return { kind: 'at-capacity' };
    case 'not-found':
      return { kind: 'not-found' };
    case 'taken':
    case 'lease-busy':
    case 'stale-lease':
    case 'unverifiable-owner':
    case 'not-due':
    case 'paused':
    case 'day-full':
    case 'resumed':
    case 'missed':
      return { kind: 'busy' };
    default:
      return assertNever(result);
  }
}
