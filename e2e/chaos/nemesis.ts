/**
 * What goes wrong, at random but by a seed: the nemesis kills tabs, processes and the browser, closes, opens and freezes
 * tabs, deploys builds, sets the clock, fills the quota, takes database connections away, and meanwhile does what people do:
 * presses Run now, edits, pauses, answers. One deed at a time; the tabs that are missing are opened beside it.
 */
import {
  AUTOMATIONS,
  type ChaosDefinition,
  actionOf,
  automationsFor,
  pausesItself,
  rulesOf,
} from './automations.ts';
import type { Faults } from './faults.ts';
import type { Rack } from './rack.ts';
import type { Random } from './random.ts';
import type { Operation } from './record.ts';
import type { Recorder } from './recorder.ts';
import { sleep, within } from '../within.ts';

/** Of how many tabs one is of the build at `/next/`. */
const NEXT_EVERY = 4;
/** How many of them are looked at. */
const SEEN_TABS = 2;
/** How many are left open while the last of what is due is waited for. */
const TABS_AT_THE_END = 6;
/** Where builds are served: one that is swapped, as by a deploy, and one beside it that stays. */
const PATHS = { main: '/', next: '/next/' } as const;
/** An automation whose last edit was not answered is left alone for so long: it may still be on its way. */
const LEFT_ALONE_MS = 20_000;
/** The highest limit of active runs that is set. */
const LIMIT_MOST = 10;
/** The least time between two deaths. */
const KILL_PAUSE_MS = 4_000;
const HOUR_MS = 3_600_000;
const RELOAD_MOST_MS = 30_000;
/** How long calls may be under way when everything else has ended. */
const CALLS_MOST_MS = 60_000;

/** The deeds that take an engine's developer tools, by the names under which they are counted. */
const CRASHES = 'crashes of the tab with the host';
const FREEZES = 'frozen tabs';
const FULL_QUOTAS = 'filled quotas';
/** All tabs load themselves anew. */
const NEW_BUILDS = 'deployed builds';
const WITH_TOOLS: readonly string[] = [CRASHES, FREEZES, FULL_QUOTAS];

/** What the nemesis did, for the summary. */
export type Deeds = Record<string, number>;

export interface Deploy {
  /** Puts the build `which` at `/`. */
  (which: 'one' | 'next'): void;
}

interface Known {
  definition: ChaosDefinition;
  /** An edit of it may be under way until then. */
  editableFrom: number;
}

export class Nemesis {
  readonly deeds: Deeds = {};
  /** The deeds that are left out, because the engine has no means to do them. */
  leftOut: readonly string[] = [];
  readonly #random: Random;
  readonly #rack: Rack;
  readonly #recorder: Recorder;
  readonly #faults: Faults;
  /** How many tabs are kept open. */
  readonly #wanted: number;
  readonly #server: string;
  readonly #deploy: Deploy;
  readonly #log: (line: string) => void;
  readonly #automations = new Map<string, Known>();
  /** Calls under way; nothing waits for them but the end. */
  readonly #calls = new Set<Promise<unknown>>();
  readonly #tried = new Set<() => Promise<void>>();
  #served: 'one' | 'next' = 'one';
  #lastKillAt = 0;
  #opening: Promise<void> | null = null;

  constructor(world: {
    readonly random: Random;
    readonly rack: Rack;
    readonly recorder: Recorder;
    readonly faults: Faults;
    readonly tabs: number;
    readonly server: string;
    readonly deploy: Deploy;
    readonly log: (line: string) => void;
  }) {
    this.#random = world.random;
    this.#rack = world.rack;
    this.#recorder = world.recorder;
    this.#faults = world.faults;
    this.#wanted = world.tabs;
    this.#server = world.server;
    this.#deploy = world.deploy;
    this.#log = world.log;
  }

  /** Opens the tabs and imports what is to run. */
  async begin(): Promise<void> {
    await this.#rack.launch();
    const { devTools, followsReloads } = this.#rack;
    this.leftOut = [...(devTools === null ? WITH_TOOLS : []), ...(followsReloads ? [] : [NEW_BUILDS])];
    await this.#fill();
    const automations = automationsFor(this.#random, this.#server, () => crypto.randomUUID());
    for (const { id, definition } of automations) {
      this.#automations.set(id, { definition, editableFrom: 0 });
    }
    const [tab] = this.#rack.awake;
    if (tab === undefined) throw new Error('no tab opened');
    const text = JSON.stringify({ format: 'rota', version: 1, automations: automations.map(flat) });
    const answer = await this.#recorder.ask(
      tab,
      { kind: 'import', automations },
      'importFile',
      { text, enable: true },
      (given) => given as Operation['answer'],
    );
    if (answer === null || Reflect.get(answer, 'kind') !== 'imported') {
      throw new Error(`the automations were not imported: ${JSON.stringify(answer)}`);
    }
  }

  /** Does one thing after another until `until`. */
  async haunt(until: number): Promise<void> {
    while (Date.now() < until) {
      try {
        await this.revive();
        await this.#choose()();
      } catch (error) {
        // A page that dies in the middle of being frozen, say: such is life here. The record says what really happened.
        this.#count('deeds that failed');
        this.#log(`  ${firstLine(error)}`);
      }
      this.#rack.sweep();
      this.#keepFull();
      await sleep(this.#random.whole(100, 900));
    }
  }

  /**
   * Where the browser is gone, or its driver answers nothing any more (WebKit's stops now and then), it is killed, if it is
   * there, and started again: one more death.
   */
  async revive(): Promise<void> {
    if (!this.#rack.isLost) return;
    if (this.#rack.isThere) {
      const alive = this.#recorder.lastSeen;
      const at = Date.now();
      await this.#rack.kill();
      await this.#recorder.killed('browser', at, Date.now(), alive, alive.size);
      this.#count('browsers killed because their driver had stopped answering');
      this.#log(`the driver has stopped answering: browser killed with ${alive.size} hosts`);
    }
    await this.#opening;
    await this.#rack.launch();
    await this.#fill();
  }

  /** Wakes what sleeps, waits for all calls to end, and leaves a few tabs open. */
  async relent(): Promise<void> {
    await this.#opening;
    await this.revive();
    this.#faults.relent();
    for (const tab of this.#rack.tabs.filter(({ frozen }) => frozen)) {
      await this.#rack.setFrozen(tab, false).catch(() => this.#rack.closeTab(tab));
    }
    // Who has not been answered by now never will be: the driver can lose a call with the browser that it went to.
    await within(CALLS_MOST_MS, Promise.allSettled(this.#calls)).catch(() => undefined);
    if (this.#rack.awake.length === 0) await this.#fill();
    // What has piled up under a low limit would take long to work off.
    await this.#setLimit(LIMIT_MOST);
    for (const tab of this.#rack.tabs.slice(TABS_AT_THE_END)) await this.#rack.closeTab(tab);
  }

  #can(deed: string): boolean {
    return !this.leftOut.includes(deed);
  }

  /** Each deed once in the beginning, so that a short life has all of them; then any, by its weight. */
  #choose(): () => Promise<void> {
    const mayKill = Date.now() - this.#lastKillAt > KILL_PAUSE_MS;
    const mayStore = !this.#faults.isFilling;
    const deeds: readonly (readonly [weight: number, deed: () => Promise<void>])[] = [
      [mayKill && this.#can(CRASHES) ? 5 : 0, this.#crashTab],
      [mayKill ? 5 : 0, this.#killProcess],
      [mayKill ? 1 : 0, this.#killBrowser],
      [mayKill ? 1.5 : 0, this.#loseConnections],
      [mayStore && this.#can(FULL_QUOTAS) ? 1 : 0, this.#fillQuota],
      [mayStore ? 2 : 0, this.#setClock],
      [3, this.#closeTab],
      [this.#can(FREEZES) ? 3 : 0, this.#freezeOrThaw],
      [this.#can(NEW_BUILDS) ? 0.7 : 0, this.#newBuild],
      [0.7, this.#restartEngine],
      [8, this.#runNow],
      [4, this.#edit],
      [3, this.#pauseOrResume],
      [2, this.#resumeWhatPausedItself],
      [1, this.#changeLimit],
      [2, this.#answer],
      [2, this.#cancel],
      [2, this.#reload],
    ];
    const possible = deeds.filter(([weight]) => weight > 0);
    const untried = possible.filter(([, deed]) => !this.#tried.has(deed));
    const deed = this.#random.weighted(untried.length > 0 ? untried : possible);
    this.#tried.add(deed);
    return deed.bind(this);
  }

  #count(what: string, times = 1): void {
    this.deeds[what] = (this.deeds[what] ?? 0) + times;
  }

  readonly #crashTab = (): Promise<void> => this.#killHost('tab');
  readonly #killProcess = (): Promise<void> => this.#killHost('process');

  /** Kills a process that has a host in it: by a crash of a page in it, where it has one, or with SIGKILL. */
  async #killHost(how: 'tab' | 'process'): Promise<void> {
    const victim = this.#random.one(this.#rack.hostProcesses());
    if (victim === null) return;
    const tab = how === 'tab' ? this.#random.one(await this.#rack.tabsIn(victim.pid)) : null;
    const alive = await this.#recorder.lookAtHosts();
    this.#lastKillAt = Date.now();
    const at = Date.now();
    if (tab === null) await this.#rack.killProcess(victim.pid);
    else await this.#rack.crash(tab, victim.pid);
    const what = tab === null ? 'process' : 'tab';
    const doneBy = Date.now();
    await this.#rack.bury();
    const kill = await this.#recorder.killed(what, at, doneBy, alive, victim.hosts);
    this.#count(what === 'tab' ? CRASHES : "SIGKILL of the host's process");
    this.#log(`${what} killed with ${kill.hosts.length} of ${alive.size} hosts`);
  }

  async #killBrowser(): Promise<void> {
    const alive = await this.#recorder.lookAtHosts();
    this.#lastKillAt = Date.now();
    const at = Date.now();
    await this.#rack.kill();
    await this.#recorder.killed('browser', at, Date.now(), alive, alive.size);
    this.#count('SIGKILL of the browser');
    this.#log(`browser killed with ${alive.size} hosts`);
    await this.#opening;
    await sleep(this.#random.whole(0, 4_000));
    await this.#rack.launch();
    // The first ones come all at once, as a browser restores them.
    await this.#fill();
  }

  async #closeTab(): Promise<void> {
    const tab = this.#random.one(this.#rack.tabs);
    if (tab === null) return;
    await this.#rack.closeTab(tab);
    this.#count('closed tabs');
  }

  async #freezeOrThaw(): Promise<void> {
    const frozen = this.#random.one(this.#rack.tabs.filter((tab) => tab.frozen && !tab.gone));
    if (frozen !== null && this.#random.chance(0.6)) {
      await this.#rack.setFrozen(frozen, false);
      return;
    }
    const tab = this.#random.one(this.#rack.awake.filter(({ busy }) => busy === 0));
    if (tab === null || this.#rack.awake.length < this.#wanted / 2) return;
    await this.#rack.setFrozen(tab, true);
    this.#count(FREEZES);
  }

  async #reload(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake.filter(({ busy }) => busy === 0));
    if (tab === null) return;
    this.#later(within(RELOAD_MOST_MS, tab.page.reload()));
    this.#count('reloads');
    await Promise.resolve();
  }

  /** Serves the other build at `/` and has one tab take it, and so all that are there. */
  async #newBuild(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake.filter(({ path }) => path === PATHS.main));
    if (tab === null) return;
    this.#served = this.#served === 'one' ? 'next' : 'one';
    this.#deploy(this.#served);
    this.#count(NEW_BUILDS);
    this.#log(`build ${this.#served} deployed`);
    this.#later(
      tab.page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        if (registration === undefined) {
          location.reload();
          return;
        }
        await registration.update();
        const installing = registration.installing;
        if (installing !== null) {
          await new Promise((resolve) => installing.addEventListener('statechange', resolve, { once: true }));
        }
        registration.waiting?.postMessage({ type: 'take-over' });
      }, null),
    );
    await Promise.resolve();
  }

  async #restartEngine(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake);
    if (tab === null) return;
    const status = (await tab.call('status', undefined, 10_000)) as {
      readonly hostId: string;
      readonly build: string;
    };
    this.#recorder.hostSaid({ id: status.hostId, build: status.build });
    this.#recorder.hostRetires(status.hostId, Date.now());
    await tab.call('restartEngine', undefined, 10_000);
    this.#count('restarted engines');
    this.#log('engine restarted');
  }

  async #loseConnections(): Promise<void> {
    const how = this.#random.chance(0.5) ? 'told' : 'untold';
    this.#lastKillAt = Date.now();
    const lost = await this.#faults.loseConnections(how);
    this.#count('lost database connections', lost);
    this.#log(`${lost} hosts lost their connections, ${how}`);
  }

  /** Fills the quota, beside what else happens. */
  async #fillQuota(): Promise<void> {
    const holdMs = this.#random.whole(500, 6_000);
    this.#log('the quota is being filled');
    this.#later(
      this.#faults.fill(holdMs).then((noticed) => {
        if (noticed) this.#count(FULL_QUOTAS);
        this.#log(noticed ? 'the quota was full, and is not any more' : 'the quota was not filled');
      }),
    );
    await Promise.resolve();
  }

  /**
   * Sets the clock: on by seconds to hours, back by seconds, back by hours; or back by minutes, and right again after a
   * moment, because for as long as it is wrong by less than three hours nothing is due.
   */
  async #setClock(): Promise<void> {
    const random = this.#random;
    const before = this.#faults.aheadMs;
    const by = random.weighted<() => number>([
      [4, () => random.whole(2_000, 60_000)],
      [3, () => random.whole(60_000, 7_200_000)],
      [4, () => -random.whole(1_000, 15_000)],
      [2, () => -random.whole(15_000, 9_000_000)],
      [1, () => -random.whole(4 * HOUR_MS, 8 * HOUR_MS)],
    ])();
    await this.#jumpTo(before + by);
    if (by < -15_000 && by > -4 * HOUR_MS) {
      await sleep(random.whole(1_000, 6_000));
      await this.#jumpTo(before + random.whole(-2_000, 2_000));
    }
  }

  async #jumpTo(aheadMs: number): Promise<void> {
    const by = aheadMs - this.#faults.aheadMs;
    await this.#faults.setClock(aheadMs);
    this.#count(by < 0 ? 'clocks set back' : 'clocks set on');
    this.#log(`the clock was set ${by < 0 ? 'back' : 'on'} by ${(Math.abs(by) / 1_000).toFixed(1)} s`);
  }

  /** Presses Run now, often in several tabs at once. */
  async #runNow(): Promise<void> {
    const id = this.#random.one(
      [...this.#automations].flatMap(([one, { definition }]) => (pausesItself(definition) ? [] : [one])),
    );
    if (id === null) return;
    for (let presses = this.#random.whole(1, 4); presses > 0; presses--) {
      const tab = this.#random.one(this.#rack.awake);
      if (tab === null) return;
      this.#count('presses of Run now');
      this.#later(
        this.#recorder.ask(tab, { kind: 'run-now', automationId: id }, 'runNow', { id }, (answer) => {
          const { kind, run, queued } = answer as {
            readonly kind: string;
            readonly run?: { readonly id: string; readonly fence: number };
            readonly queued?: boolean;
          };
          return {
            kind,
            ...(run === undefined ? {} : { run: { id: run.id, fence: run.fence } }),
            ...(queued === undefined ? {} : { queued }),
          };
        }),
      );
    }
    await Promise.resolve();
  }

  /** Changes the schedule, the action or the rules of an automation. */
  async #edit(): Promise<void> {
    const [id, known] = this.#editable() ?? [];
    const tab = this.#random.one(this.#rack.awake);
    if (id === undefined || known === undefined || tab === null) return;
    const { definition } = known;
    const { schedule } = definition;
    const change = this.#random.weighted<Partial<ChaosDefinition>>([
      [1, { action: actionOf(this.#random, this.#server, 5_000) }],
      [1, { rules: rulesOf(this.#random) }],
      [
        schedule.kind === 'every' ? 2 : 0,
        { schedule: { kind: 'every', everyMs: this.#random.whole(1, 60) * 1_000, anchor: 0 } },
      ],
      [1, { name: `${definition.name.split(',')[0] ?? ''}, edited at ${Date.now()}` }],
    ]);
    await this.#change(id, known, { ...definition, ...change }, (next) =>
      this.#recorder.ask(
        tab,
        { kind: 'save', automationId: id, definition: next },
        'saveAutomation',
        { id, automation: next },
        (answer) => {
          const { kind, automation } = answer as {
            readonly kind: string;
            readonly automation?: { readonly revision: number };
          };
          return { kind, ...(automation === undefined ? {} : { revision: automation.revision }) };
        },
      ),
    );
    this.#count('edits');
  }

  async #pauseOrResume(): Promise<void> {
    const [id, known] = this.#editable() ?? [];
    const tab = this.#random.one(this.#rack.awake);
    if (id === undefined || known === undefined || tab === null) return;
    const paused = [...this.#automations.values()].filter(({ definition }) => definition.enabled === false);
    const enabled = known.definition.enabled === false;
    if (!enabled && paused.length > AUTOMATIONS / 5) return;
    await this.#change(id, known, { ...known.definition, enabled }, () =>
      this.#recorder.ask(
        tab,
        { kind: 'set-enabled', automationIds: [id], enabled },
        'setEnabled',
        { ids: [id], enabled },
        (answer) => ({ kind: Reflect.get(answer, 'kind') as string }),
      ),
    );
    this.#count(enabled ? 'resumed automations' : 'paused automations');
  }

  /** Resumes one that is seen to have paused itself, so that it had done so before. */
  async #resumeWhatPausedItself(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake);
    if (tab === null) return;
    const { items } = (await tab.call('listAutomations', { view: 'paused', limit: 100 }, 10_000)) as {
      readonly items: readonly { readonly id: string }[];
    };
    const id = this.#random.one(
      items.flatMap((item) => {
        const known = this.#automations.get(item.id);
        return known !== undefined && pausesItself(known.definition) ? [item.id] : [];
      }),
    );
    if (id === null) return;
    this.#later(
      this.#recorder.ask(
        tab,
        { kind: 'set-enabled', automationIds: [id], enabled: true },
        'setEnabled',
        { ids: [id], enabled: true },
        (answer) => ({ kind: Reflect.get(answer, 'kind') as string }),
      ),
    );
    this.#count('resumed automations that had paused themselves');
  }

  /** Makes an edit; when it is not answered, the automation is left alone until it has certainly been made or not. */
  async #change(
    id: string,
    known: Known,
    next: ChaosDefinition,
    make: (next: ChaosDefinition) => Promise<object | null>,
  ): Promise<void> {
    known.editableFrom = Infinity;
    this.#later(
      make(next).then((answer) => {
        known.definition = next;
        known.editableFrom = answer === null ? Date.now() + LEFT_ALONE_MS : 0;
        if (answer !== null && Reflect.get(answer, 'kind') === 'invalid') {
          throw new Error(`automation ${id} was not saved: ${JSON.stringify(answer)}`);
        }
      }),
    );
    await Promise.resolve();
  }

  #editable(): readonly [string, Known] | null {
    return this.#random.one(
      [...this.#automations].filter(
        ([, { definition, editableFrom }]) => editableFrom <= Date.now() && !pausesItself(definition),
      ),
    );
  }

  async #changeLimit(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake);
    if (tab === null) return;
    this.#count('changes of the limit');
    await this.#setLimit(this.#random.whole(3, LIMIT_MOST), tab);
  }

  async #setLimit(maxConcurrent: number, tab = this.#random.one(this.#rack.awake)): Promise<void> {
    if (tab === null) return;
    await this.#recorder.ask(
      tab,
      { kind: 'save-settings', maxConcurrent },
      'saveSettings',
      { settings: { maxConcurrent } },
      (answer) => ({ kind: Reflect.get(answer, 'kind') as string }),
    );
  }

  /** Answers for runs that may have happened. */
  async #answer(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake);
    if (tab === null) return;
    const { items } = (await tab.call('listRuns', { status: 'interrupted', limit: 50 }, 10_000)) as {
      readonly items: readonly {
        readonly id: string;
        readonly mayHaveHappened?: true;
        readonly answer?: object;
      }[];
    };
    const open = items.filter((run) => run.mayHaveHappened === true && run.answer === undefined);
    const run = this.#random.one(open);
    if (run === null) return;
    const said = this.#random.chance(0.5) ? 'happened' : 'run-again';
    await this.#recorder.ask(
      tab,
      { kind: 'answer', runId: run.id, said },
      'answerRun',
      { runId: run.id, answer: said },
      (answer) => ({ kind: Reflect.get(answer, 'kind') as string }),
    );
    this.#count('answers for runs that may have happened');
  }

  async #cancel(): Promise<void> {
    const tab = this.#random.one(this.#rack.awake);
    if (tab === null) return;
    const { items } = (await tab.call('listRuns', { status: 'running', limit: 50 }, 10_000)) as {
      readonly items: readonly { readonly id: string }[];
    };
    const run = this.#random.one(items);
    if (run === null) return;
    this.#later(tab.call('cancelRun', { runId: run.id }, 10_000));
    this.#count('cancelled runs');
  }

  #later(call: Promise<unknown>): void {
    const kept = call.catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (message.includes('was not saved')) this.#log(`  ${message}`);
    });
    this.#calls.add(kept);
    void kept.finally(() => this.#calls.delete(kept));
  }

  /** Opens the tabs that are missing, beside what else happens. */
  #keepFull(): void {
    this.#opening ??= this.#fill()
      .catch(() => undefined)
      .finally(() => {
        this.#opening = null;
      });
  }

  /** Opens the tabs that are missing, a few at a time. */
  async #fill(): Promise<void> {
    for (;;) {
      const missing = this.#wanted - this.#rack.tabs.length;
      if (missing <= 0) return;
      const atOnce = Math.min(4, missing);
      const isNext =
        this.#rack.tabs.filter(({ path }) => path === PATHS.next).length < this.#wanted / NEXT_EVERY;
      const opened = await Promise.allSettled(
        Array.from({ length: atOnce }, (_, index) => {
          const seen = this.#rack.tabs.filter((tab) => tab.seen).length < SEEN_TABS;
          return this.#rack.openTab(isNext && index === 0 ? PATHS.next : PATHS.main, seen && index < 2);
        }),
      );
      this.#rack.sweep();
      const [failed] = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      if (failed !== undefined) this.#log(`  a tab did not open: ${firstLine(failed)}`);
      if (opened.every(({ status }) => status === 'rejected')) throw new Error('no tab can be opened');
    }
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 400);
}

/** An automation as a file has it. */
function flat({ id, definition }: { readonly id: string; readonly definition: ChaosDefinition }): object {
  return { id, ...definition };
}

/** The paths at which builds must be served. */
export const NEXT_PATH = PATHS.next;
