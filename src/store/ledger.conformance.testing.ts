/**
 * What any {@link Ledger} must pass, whatever it stands on: independent instances over one shared backend, as tabs,
 * builds and workers have them. What is said here of storage is what hosts rely on; nothing outside `store` may rely
 * on more.
 */
import * as v from 'valibot';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  KEEP_ALL,
  MAX_CONCURRENT_DEFAULT,
  type ActiveRun,
  type AgendaRow,
  type Automation,
  type AutomationId,
  type ClaimRequest,
  type ClaimResult,
  type CommandId,
  type Definition,
  type DefinitionInput,
  type Ending,
  type EpochMs,
  type HostId,
  type HostRef,
  type LeaseName,
  type RunId,
  type RunRow,
  type SecretInput,
  type SettleResult,
  type SettledRun,
  type Told,
  DAY_MS,
  MINUTE_MS,
  SCHEMA,
  agendaKey,
  definitionSchema,
  importedRow,
  leaseName,
  prepareTime,
  scheduledOccurrence,
  uuidV7,
} from '../domain/index.ts';
import type { Command, Ledger } from './ledger.ts';
import { NewerData } from './rows.ts';
import type { RowStore } from './schema.ts';

/** Storage that several ledgers share. It is empty at first. */
export interface Backend {
  /** Another instance, which knows nothing of the others. */
  open(): Promise<Ledger>;
  /** Puts `row` there as another build, or a fault, would have written it. */
  plant(store: RowStore | 'secrets', row: object): Promise<void>;
  /** All rows of `store` as they are, by key. */
  stored(store: RowStore | 'quarantine' | 'secrets'): Promise<readonly object[]>;
}

/** A schema that this build does not know. */
const NEWER = SCHEMA + 1;
/** Monday, 2026-01-05, 00:00 UTC. */
const MONDAY: EpochMs = 1_767_571_200_000;
const minute = (n: number): EpochMs => MONDAY + n * MINUTE_MS;

const STORES: readonly (RowStore | 'quarantine')[] = [
  ...(['automations', 'agenda', 'runs', 'outputs', 'outbox', 'commands', 'settings'] as const),
  'quarantine',
];

/** A few tabs at one desk: `count` ledgers, a host for each, and words for what is done with them. */
class Desk {
  #ids = 0;
  private constructor(
    readonly backend: Backend,
    readonly ledgers: readonly Ledger[],
  ) {}

  static async open(backend: Backend, count: number): Promise<Desk> {
    return new Desk(backend, await Promise.all(Array.from({ length: count }, () => backend.open())));
  }

  get first(): Ledger {
    return this.of(0);
  }

  of(host: number): Ledger {
    const ledger = this.ledgers[host];
    if (ledger === undefined) throw new Error(`there is no host ${host}`);
    return ledger;
  }

  readonly newId = (): RunId => this.id() as RunId;

  /** An id that grows. */
  id(): string {
    this.#ids += 1;
    return uuidV7(MONDAY + this.#ids, new Uint8Array(10));
  }

  host(n: number): HostRef {
    return {
      id: `b0000000-0000-4000-8000-${String(n).padStart(12, '0')}` as HostId,
      kind: 'tab-worker',
      build: 'x',
    };
  }

  command(now = MONDAY, commandId = this.id() as CommandId): Command {
    return { commandId, now, newId: this.newId };
  }

  /** Stores an automation that is due every minute from one after MONDAY on, but for what `input` says. */
  async save(
    input: Partial<DefinitionInput> = {},
    id = this.id() as AutomationId,
    now = MONDAY,
  ): Promise<Automation> {
    const result = await this.first.save({ ...this.command(now), id, definition: definition(input) });
    if (result.kind !== 'saved') throw new Error(`not saved but ${result.kind}`);
    return result.automation;
  }

  request(
    of: AutomationId,
    at: EpochMs,
    request: Partial<ClaimRequest> & { readonly by?: number } = {},
  ): ClaimRequest {
    const { by = 0, ...rest } = request;
    return {
      target: { kind: 'row', key: agendaKey(scheduledOccurrence(of, at), 1) },
      host: this.host(by),
      now: at,
      lease: leaseName(of, 0),
      liveHosts: new Set(this.ledgers.map((_, n) => this.host(n).id)),
      missing: null,
      absence: 'asleep',
      newId: this.newId,
      chance: 0,
      ...rest,
    };
  }

  /** Claims the occurrence of `of` at `at` by host `by`, which holds the lease. */
  async claim(of: Automation, at = minute(1), by = 0): Promise<ActiveRun> {
    const result = await this.of(by).tryClaim(this.request(of.id, at, { by }));
    if (result.kind !== 'claimed') throw new Error(`not claimed but ${result.kind}`);
    return result.run;
  }

  byHand(of: AutomationId, commandId = this.id() as CommandId): Pick<ClaimRequest, 'target'> {
    return { target: { kind: 'manual', automationId: of, commandId } };
  }

  settle(
    run: ActiveRun,
    ending: Ending = SUCCESS,
    by = 0,
    now = run.claimedAt + 1_000,
  ): Promise<SettleResult> {
    return this.of(by).settle({
      runId: run.id,
      hostId: run.host.id,
      fence: run.fence,
      ending,
      now,
      chance: 0,
    });
  }

  /** Claims and settles the next `count` occurrences of `of`; answers with their ids, oldest first. */
  async history(of: Automation, count: number, from = 1): Promise<readonly RunId[]> {
    const ids: RunId[] = [];
    for (let n = from; n < from + count; n++) {
      const run = await this.claim(of, minute(n));
      await this.settle(run);
      ids.push(run.id);
    }
    return ids;
  }

  /** All that is stored. */
  async everything(): Promise<Readonly<Record<string, readonly object[]>>> {
    const stores = await Promise.all(
      STORES.map(async (store) => [store, await this.backend.stored(store)] as const),
    );
    return Object.fromEntries(stores);
  }

  async storedOne<Row = Automation>(store: RowStore, key: string): Promise<Row> {
    const rows = await this.backend.stored(store);
    const row = rows.find((one) => KEYS.some((name) => Reflect.get(one, name) === key));
    if (row === undefined) throw new Error(`no ${key} in ${store}`);
    return row as Row;
  }
}

const KEYS = ['id', 'key', 'name'];
const SUCCESS = { kind: 'succeeded', summary: '200 OK' } satisfies Ending;
const FAILURE = {
  kind: 'failed',
  failure: { class: 'network', code: 'down', message: 'It was down.' },
} satisfies Ending;

function definition(input: Partial<DefinitionInput> = {}): Definition {
  return v.parse(definitionSchema, {
    name: 'Check the API',
    schedule: { kind: 'every', everyMs: MINUTE_MS, anchor: MONDAY },
    action: { kind: 'http', url: 'https://example.test/health' },
    ...input,
  });
}

const POST = { kind: 'http', method: 'POST', url: 'https://example.test/' } as const;
const kindsOf = (results: readonly { readonly kind: string }[]): string[] =>
  results.map(({ kind }) => kind).sort();
const times = <Item>(count: number, make: (n: number) => Item): Item[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** Describes the suite for the ledgers of `open`, which gives a fresh backend each time. */
export function describeLedger(name: string, open: () => Promise<Backend>): void {
  describe(`${name}, which is a ledger,`, () => {
    let desk: Desk;
    const showings = (now = minute(2), by = 0, seal = true): Promise<Told> =>
      desk.of(by).listShowings({ now, zone: 'UTC', online: true, seal });
    const gather = async (count: number): Promise<void> => {
      desk = await Desk.open(await open(), count);
    };
    beforeEach(async () => {
      await prepareTime({ polyfill: 'always' });
      await gather(2);
    });

    describe('when it is new', () => {
      test('has nothing in it, and the default settings', async () => {
        const { first } = desk;
        expect(await first.listAutomations()).toEqual([]);
        expect(await first.listRuns({ limit: 10 })).toEqual([]);
        expect(await first.listActive()).toEqual([]);
        expect(await first.listDue(minute(9), 10)).toEqual([]);
        expect(await first.nextAgendaRow()).toBeNull();
        expect(await first.nextDueAfter(0)).toBeNull();
        expect(await first.findAutomations([])).toEqual([]);
        expect(await first.scanAutomations(null, 10)).toEqual({ items: [], next: null });
        expect(await first.listNextDue([])).toEqual(new Map());
        expect(await first.listOutbox(10)).toEqual([]);
        expect(await first.listQuarantine(10)).toEqual([]);
        expect((await first.countRows()).every(({ rows }) => rows === 0)).toBe(true);
        expect(await first.getSettings()).toEqual({ maxConcurrent: MAX_CONCURRENT_DEFAULT });
        expect(await first.findAutomation(desk.id() as AutomationId)).toBeNull();
        expect(await first.findRun(desk.newId())).toBeNull();
      });
    });

    describe.each([2, 4, 16])('with %i at it at once', (count) => {
      beforeEach(() => gather(count));

      test('gives one occurrence to one, and tells the others that it is taken', async () => {
        const of = await desk.save({ rules: { overlap: { kind: 'parallel', limit: 20 } } });
        // Each holds a slot, so that nothing but the transaction is between them.
        const results = await Promise.all(
          desk.ledgers.map((ledger, n) =>
            ledger.tryClaim(desk.request(of.id, minute(1), { by: n, lease: leaseName(of.id, 0, n) })),
          ),
        );
        expect(kindsOf(results)).toEqual(['claimed', ...times(count - 1, () => 'taken')]);
        expect(await desk.first.listRuns({ limit: 100 })).toHaveLength(1);
      });

      test('claims with one lease, and turns away who does not have it, in whatever order they come', async () => {
        const of = await desk.save();
        const results = await Promise.all(
          desk.ledgers.map((ledger, n) =>
            ledger.tryClaim(
              desk.request(of.id, minute(1), { by: n, lease: n === 1 ? leaseName(of.id, 0) : null }),
            ),
          ),
        );
        const kinds = kindsOf(results);
        expect(kinds.filter((kind) => kind === 'claimed')).toHaveLength(1);
        expect(kinds.filter((kind) => !['claimed', 'lease-busy', 'taken'].includes(kind))).toEqual([]);
        expect(await desk.first.listRuns({ limit: 100 })).toHaveLength(1);
      });

      test('keeps to the limit of all together, counted while claiming', async () => {
        await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 2 } });
        const all = await Promise.all(times(count, () => desk.save()));
        const results = await Promise.all(
          all.map((of, n) => desk.of(n).tryClaim(desk.request(of.id, minute(1), { by: n }))),
        );
        expect(kindsOf(results)).toEqual([...times(count - 2, () => 'at-capacity'), 'claimed', 'claimed']);
        expect(await desk.first.listActive()).toHaveLength(2);
        // Nothing was lost: each that waits is claimed when there is room.
        for (const run of await desk.first.listActive()) await desk.settle(run);
        expect(await desk.first.listDue(minute(1), 100)).toHaveLength(count - 2);
      });

      test('does a command once that all of them send at once, and gives each the same answer', async () => {
        const of = await desk.save({ rules: { overlap: { kind: 'parallel', limit: 20 } } });
        const byHand = desk.byHand(of.id);
        const results = await Promise.all(
          desk.ledgers.map((ledger, n) =>
            ledger.tryClaim(
              desk.request(of.id, minute(0), { ...byHand, by: n, lease: leaseName(of.id, 0, n) }),
            ),
          ),
        );
        expect(kindsOf(results)).toEqual(times(count, () => 'claimed'));
        for (const result of results) expect(result).toEqual(results[0]);
        expect(await desk.first.listRuns({ limit: 100 })).toHaveLength(1);
      });

      test('saves an edit that all of them send at once, once', async () => {
        const of = await desk.save();
        const command = {
          ...desk.command(),
          id: of.id,
          definition: definition({ name: 'Edited' }),
          expectedRevision: 1,
        };
        const results = await Promise.all(desk.ledgers.map((ledger) => ledger.save(command)));
        for (const result of results) expect(result).toEqual(results[0]);
        expect(await desk.first.findAutomation(of.id)).toMatchObject({
          automation: { name: 'Edited', revision: 2 },
        });
      });

      test('lets one of them edit a revision, and shows the others what it became', async () => {
        const of = await desk.save();
        const results = await Promise.all(
          desk.ledgers.map((ledger, n) =>
            ledger.save({
              ...desk.command(),
              id: of.id,
              definition: definition({ name: `By ${n}` }),
              expectedRevision: 1,
            }),
          ),
        );
        expect(kindsOf(results)).toEqual([...times(count - 1, () => 'conflict'), 'saved']);
        const saved = results.find((result) => result.kind === 'saved');
        for (const result of results) {
          if (result.kind === 'conflict') expect(result.current.name).toBe(saved?.automation.name);
        }
      });

      test('ends a run once, whether its own host settles it or others recover it', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        const moment = { runId: run.id, fence: run.fence, now: minute(2), chance: 0 };
        const [settled, ...recovered] = await Promise.all([
          desk.settle(run),
          ...desk.ledgers.map((ledger) => ledger.recover({ ...moment, proof: 'lease-granted' })),
        ]);
        const ended = [settled.kind === 'settled', ...recovered.map(({ kind }) => kind === 'recovered')];
        expect(ended.filter(Boolean)).toHaveLength(1);
        const row = await desk.storedOne<RunRow>('runs', run.id);
        expect(row.status).toBe(settled.kind === 'settled' ? 'succeeded' : 'interrupted');
        const { automation } = (await desk.first.findAutomation(of.id)) ?? {};
        expect(automation?.recent).toHaveLength(1);
      });

      test('loses nothing of what all of them do at once', async () => {
        const all = await Promise.all(times(count, () => desk.save()));
        await Promise.all(
          all.flatMap((of, n) => [
            desk.of(n).tryClaim(desk.request(of.id, minute(1), { by: n })),
            desk
              .of(count - 1 - n)
              .save({ ...desk.command(), id: of.id, definition: definition({ name: `Edited ${n}` }) }),
            desk.of(n).save({
              ...desk.command(),
              id: desk.id() as AutomationId,
              definition: definition({ name: 'New' }),
            }),
          ]),
        );
        const stored = await desk.first.listAutomations();
        expect(stored.filter(({ automation }) => automation.name === 'New')).toHaveLength(count);
        for (const [n, of] of all.entries()) {
          const { automation } = stored.find((one) => one.automation.id === of.id) ?? {};
          expect(automation).toMatchObject({
            name: `Edited ${n}`,
            revision: 2,
            fence: n < MAX_CONCURRENT_DEFAULT ? 1 : (expect.any(Number) as number),
          });
        }
        const claimed = await desk.first.listActive();
        expect(claimed).toHaveLength(Math.min(count, MAX_CONCURRENT_DEFAULT));
      });
    });

    describe('in a claim', () => {
      test('hands out the run and the automation as stored at that instant, for all to see', async () => {
        const of = await desk.save();
        const result = await desk.first.tryClaim(desk.request(of.id, minute(1)));
        if (result.kind !== 'claimed') throw new Error(result.kind);
        expect(result.automation).toMatchObject({
          fence: 1,
          lastClaim: { runId: result.run.id, at: minute(1) },
        });
        expect(await desk.of(1).findAutomation(of.id)).toEqual({ automation: result.automation });
        expect(await desk.of(1).listActive()).toEqual([result.run]);
        expect((await desk.of(1).findRun(result.run.id))?.run).toEqual(result.run);
      });

      test('moves the agenda on to the next instant after now, and never holds two scheduled rows', async () => {
        const of = await desk.save();
        await desk.claim(of, minute(1));
        expect(await desk.of(1).listAgenda(of.id)).toMatchObject([{ dueAt: minute(2), cause: 'schedule' }]);
        const run = await desk.first.tryClaim(
          desk.request(of.id, minute(1), {
            target: { kind: 'row', key: agendaKey(scheduledOccurrence(of.id, minute(2)), 1) },
            now: minute(9.5),
          }),
        );
        expect(run.kind).toBe('claimed');
        expect(await desk.of(1).listAgenda(of.id)).toMatchObject([{ dueAt: minute(10) }]);
      });

      test('leaves the schedule alone when it is by hand', async () => {
        const of = await desk.save();
        const result = await desk.first.tryClaim(desk.request(of.id, MONDAY, desk.byHand(of.id)));
        expect(result.kind).toBe('claimed');
        expect(await desk.first.listAgenda(of.id)).toMatchObject([{ dueAt: minute(1) }]);
      });

      test('writes one missed row for what was due before, for the history', async () => {
        const of = await desk.save();
        await desk.first.tryClaim(desk.request(of.id, minute(1), { now: minute(5.5) }));
        const [run, missed] = await desk.of(1).listRuns({ automationId: of.id, limit: 9 });
        expect(run).toMatchObject({ status: 'running', scheduledFor: minute(5) });
        expect(missed).toMatchObject({
          status: 'missed',
          reason: 'asleep',
          covers: { from: minute(1), to: minute(4), count: 4 },
        });
      });

      test('says why it was missed as the trace of hosts has it, with a row for each reason', async () => {
        const of = await desk.save();
        await desk.first.extendPresence(minute(0.5), [desk.host(0).id]);
        await desk.first.extendPresence(minute(4.5), [desk.host(0).id]);
        await desk.first.extendPresence(minute(8.5), [desk.host(99).id]);
        await desk.first.tryClaim(
          desk.request(of.id, minute(1), { now: minute(8.5), liveHosts: new Set([desk.host(99).id]) }),
        );
        const rows = await desk.of(1).listRuns({ automationId: of.id, limit: 9 });
        expect(rows.map((row) => ('covers' in row ? [row.reason, row.covers.count] : row.status))).toEqual([
          'running',
          ['closed', 3],
          ['asleep', 4],
        ]);
      });

      test('recovers the dead host’s run whose lease is in hand, in the same step', async () => {
        const of = await desk.save();
        const dead = await desk.claim(of, minute(1), 1);
        const run = await desk.claim(of, minute(2), 0);
        expect((await desk.first.findRun(dead.id))?.run).toMatchObject({ status: 'interrupted' });
        expect(await desk.first.listActive()).toEqual([run]);
      });

      test('says taken of an occurrence that the ledger has, though its row were there again', async () => {
        const of = await desk.save();
        const [row] = await desk.first.listAgenda(of.id);
        await desk.history(of, 1);
        await desk.backend.plant('agenda', row as object);
        expect(await desk.first.tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'taken' });
        expect(await desk.first.listRuns({ limit: 9 })).toHaveLength(1);
      });

      test('says taken of a repeat that the ledger has, and of a command whose answer was forgotten', async () => {
        const of = await desk.save({ schedule: { kind: 'once', at: minute(1) } });
        await desk.settle(await desk.claim(of), FAILURE);
        const [retry] = await desk.first.listAgenda(of.id);
        if (retry === undefined) throw new Error('no retry');
        const again = desk.request(of.id, minute(2), { target: { kind: 'row', key: retry.key } });
        const repeat = await desk.first.tryClaim(again);
        if (repeat.kind === 'claimed') await desk.settle(repeat.run);
        await desk.backend.plant('agenda', retry);
        expect(await desk.of(1).tryClaim(again)).toEqual({ kind: 'taken' });

        const byHand = desk.request(of.id, minute(3), desk.byHand(of.id));
        const run = await desk.first.tryClaim(byHand);
        if (run.kind === 'claimed') await desk.settle(run.run);
        await desk.first.forgetCommands(minute(9), 99);
        expect(await desk.of(1).tryClaim(byHand)).toEqual({ kind: 'taken' });
        expect(await desk.first.listRuns({ limit: 9 })).toHaveLength(3);
        expect(await desk.first.listAgenda(of.id)).toEqual([]);
      });

      test('counts nothing twice that has a row, when a clock went back and an edit starts from there', async () => {
        const of = await desk.save();
        await desk.history(of, 4);
        // Back by two minutes; paused and resumed; then asleep until minute 7.
        const ids = [of.id];
        await desk.first.setEnabled({ ...desk.command(minute(2.5)), ids, enabled: false });
        await desk.first.setEnabled({ ...desk.command(minute(2.6)), ids, enabled: true });
        expect(await desk.first.listAgenda(of.id)).toMatchObject([{ dueAt: minute(3) }]);
        const result = await desk.first.tryClaim(desk.request(of.id, minute(3), { now: minute(7.5) }));
        expect(result).toMatchObject({ kind: 'claimed', run: { scheduledFor: minute(7) } });
        const rows = await desk.first.listRuns({ limit: 99 });
        expect(rows.map(({ scheduledFor }) => (scheduledFor - MONDAY) / MINUTE_MS).sort()).toEqual([
          1, 2, 3, 4, 6, 7,
        ]);
        expect(rows.find(({ status }) => status === 'missed')).toMatchObject({
          covers: { from: minute(5), to: minute(6), count: 2 },
        });
      });

      test('is not stopped by a row from a clock that stood in 1970', async () => {
        const of = await desk.save({ schedule: { kind: 'once', at: 90_000 } }, undefined, 0);
        const result = await desk.first.tryClaim(desk.request(of.id, 90_000, { now: MONDAY }));
        expect(result).toMatchObject({ kind: 'claimed', run: { scheduledFor: 90_000 } });
      });

      test('removes the row of an automation that is gone', async () => {
        const of = await desk.save();
        const [row] = await desk.first.listAgenda(of.id);
        await desk.first.remove({ ...desk.command(), id: of.id });
        await desk.backend.plant('agenda', row as object);
        expect(await desk.first.tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'not-found' });
        expect(await desk.first.nextAgendaRow()).toBeNull();
      });

      test('that is declined for good is answered so again; one that met a busy lease asks anew', async () => {
        const of = await desk.save();
        const byHand = desk.byHand(of.id);
        const ask = (lease: LeaseName | null): Promise<ClaimResult> =>
          desk.first.tryClaim(desk.request(of.id, MONDAY, { ...byHand, lease }));
        expect(await ask(null)).toEqual({ kind: 'lease-busy' });
        expect(await ask(leaseName(of.id, 9))).toEqual({ kind: 'stale-lease' });
        const claimed = await ask(leaseName(of.id, 0));
        expect(claimed.kind).toBe('claimed');
        expect(await ask(null)).toEqual(claimed);
      });
    });

    describe('a secret', () => {
      const secret = (input: Partial<SecretInput> = {}): SecretInput => ({
        name: 'API_KEY',
        value: 'sesame-1234',
        origins: ['https://api.test'],
        ...input,
      });

      test('is opened with its value by any host, and listed without it', async () => {
        const command = { ...desk.command(), secret: secret() };
        const saved = await desk.first.saveSecret(command);
        expect(saved).toMatchObject({ kind: 'saved', secret: { name: 'API_KEY' } });
        expect(await desk.of(1).openSecret('API_KEY')).toEqual({
          value: 'sesame-1234',
          origins: ['https://api.test'],
        });
        expect(await desk.of(1).openSecret('OTHER')).toBeNull();
        const listed = await desk.of(1).listSecrets();
        expect(listed).toMatchObject({
          items: [{ name: 'API_KEY', origins: ['https://api.test'] }],
          lock: 'none',
        });
        expect(JSON.stringify([saved, listed])).not.toContain('sesame');
      });

      test('keeps its value when only its origins change, and a repeated command changes nothing', async () => {
        await desk.first.saveSecret({ ...desk.command(), secret: secret() });
        const { value: _value, ...rest } = secret({ origins: ['https://other.test'] });
        const command = { ...desk.command(minute(1)), secret: rest };
        const first = await desk.first.saveSecret(command);
        expect(await desk.of(1).openSecret('API_KEY')).toEqual({
          value: 'sesame-1234',
          origins: ['https://other.test'],
        });
        await desk.first.saveSecret({ ...desk.command(minute(2)), secret: secret({ value: 'another' }) });
        expect(await desk.of(1).saveSecret(command)).toEqual(first);
        expect(await desk.first.openSecret('API_KEY')).toMatchObject({ value: 'another' });
      });

      test('that is new needs a value, and one that is removed is gone', async () => {
        const { value: _value, ...rest } = secret();
        expect(await desk.first.saveSecret({ ...desk.command(), secret: rest })).toEqual({
          kind: 'no-value',
        });
        await desk.first.saveSecret({ ...desk.command(), secret: secret() });
        expect(await desk.first.removeSecret({ ...desk.command(), name: 'API_KEY' })).toEqual({
          kind: 'done',
        });
        expect(await desk.first.openSecret('API_KEY')).toBeNull();
        // The key of all of them is none.
        expect(await desk.first.removeSecret({ ...desk.command(), name: '#key' })).toEqual({
          kind: 'not-found',
        });
      });

      test('is made with one key, however many hosts store their first at once', async () => {
        await Promise.all(
          desk.ledgers.map((ledger, n) =>
            ledger.saveSecret({
              ...desk.command(),
              secret: secret({ name: `KEY_${n}`, value: `value-${n}` }),
            }),
          ),
        );
        for (const n of desk.ledgers.keys()) {
          expect(await desk.first.openSecret(`KEY_${n}`)).toMatchObject({ value: `value-${n}` });
        }
      });
    });

    describe('a passphrase over the secrets', () => {
      const PASSPHRASE = 'correct horse battery';
      const secret = { name: 'API_KEY', value: 'sesame-1234', origins: ['https://api.test'] };
      const opened = { value: secret.value, origins: secret.origins };
      const lockOf = async (n: number): Promise<string> => (await desk.of(n).listSecrets()).lock;
      const locked = { name: 'SecretsLocked' };

      beforeEach(async () => {
        await desk.first.saveSecret({ ...desk.command(), secret });
        const set = { ...desk.command(), next: PASSPHRASE };
        expect(await desk.first.setPassphrase(set)).toEqual({ kind: 'done' });
      });

      test('keeps the key from everybody once it is locked, on all hosts, until it is given to one', async () => {
        await expect.poll(() => lockOf(1)).toBe('unlocked');
        expect(await desk.of(1).openSecret('API_KEY')).toEqual(opened);
        expect(await desk.of(1).lockSecrets(desk.command())).toBe('locked');
        for (const n of desk.ledgers.keys()) {
          expect(await lockOf(n)).toBe('locked');
          await expect(desk.of(n).openSecret('API_KEY')).rejects.toMatchObject(locked);
          expect(await desk.of(n).lackingSecret(['API_KEY'])).toEqual({ for: 'unlock' });
        }
        expect(await desk.first.unlockSecrets('another passphrase')).toBe('wrong-passphrase');
        expect(await desk.first.unlockSecrets(PASSPHRASE)).toBe('unlocked');
        for (const n of desk.ledgers.keys()) {
          await expect.poll(() => lockOf(n)).toBe('unlocked');
          expect(await desk.of(n).openSecret('API_KEY')).toEqual(opened);
        }
      });

      test('is the same however a keyboard writes its characters', async () => {
        const change = { ...desk.command(), current: PASSPHRASE, next: 'caf\u00e9 caf\u00e9 cafe' };
        await desk.first.setPassphrase(change);
        await desk.first.lockSecrets(desk.command());
        expect(await desk.first.unlockSecrets('cafe\u0301 cafe\u0301 cafe')).toBe('unlocked');
      });

      test('is known by a host that comes later while another still remembers it, and by none after that', async () => {
        const late = await desk.backend.open();
        await expect.poll(async () => (await late.listSecrets()).lock).toBe('unlocked');
        expect(await late.openSecret('API_KEY')).toEqual(opened);
        await desk.first.lockSecrets(desk.command());
        const later = await desk.backend.open();
        expect((await later.listSecrets()).lock).toBe('locked');
        await expect(later.openSecret('API_KEY')).rejects.toMatchObject(locked);
      });

      test('is stored nowhere, nor is a key that opens anything', async () => {
        const rows = await desk.backend.stored('secrets');
        const seen = new Set<unknown>();
        const walk = (value: unknown): void => {
          if (typeof value !== 'object' || value === null || seen.has(value)) return;
          seen.add(value);
          expect(Object.prototype.toString.call(value)).not.toBe('[object CryptoKey]');
          for (const inner of Object.values(value)) walk(inner);
        };
        walk(rows);
        expect(rows.map((row) => Reflect.get(row, 'name') as unknown)).toEqual(['#key', 'API_KEY']);
        const text = JSON.stringify([rows, await desk.backend.stored('commands')]);
        expect(text).not.toContain(PASSPHRASE);
      });

      test('is changed and removed only by whoever knows it, and a repeat of that changes nothing', async () => {
        const next = 'another passphrase';
        const wrong = { ...desk.command(), current: 'not this one', next };
        expect(await desk.of(1).setPassphrase(wrong)).toEqual({ kind: 'wrong-passphrase' });
        expect(await desk.of(1).setPassphrase({ ...desk.command(), next: null })).toEqual({
          kind: 'wrong-passphrase',
        });
        const change = { ...desk.command(), current: PASSPHRASE, next };
        expect(await desk.of(1).setPassphrase(change)).toEqual({ kind: 'done' });
        expect(await desk.of(1).setPassphrase(change)).toEqual({ kind: 'done' });
        await desk.first.lockSecrets(desk.command());
        expect(await desk.first.unlockSecrets(PASSPHRASE)).toBe('wrong-passphrase');
        expect(await desk.first.unlockSecrets(next)).toBe('unlocked');
        expect(await desk.first.openSecret('API_KEY')).toEqual(opened);
        const remove = { ...desk.command(), current: next, next: null };
        expect(await desk.first.setPassphrase(remove)).toEqual({ kind: 'done' });
        expect(await lockOf(1)).toBe('none');
        expect(await desk.of(1).openSecret('API_KEY')).toEqual(opened);
        expect(await desk.of(1).unlockSecrets(next)).toBe('no-passphrase');
        expect(await desk.of(1).lockSecrets(desk.command())).toBe('no-passphrase');
      });

      test('lets nothing be stored or sent elsewhere while it is locked, and things be removed', async () => {
        await desk.first.lockSecrets(desk.command());
        const { value: _value, ...rest } = { ...secret, origins: ['https://other.test'] };
        for (const input of [rest, secret, { ...secret, name: 'NEW' }]) {
          expect(await desk.first.saveSecret({ ...desk.command(), secret: input })).toEqual({
            kind: 'locked',
          });
        }
        expect(await desk.first.removeSecret({ ...desk.command(), name: 'API_KEY' })).toEqual({
          kind: 'done',
        });
      });

      test('that is lost leaves one way on: all secrets are removed, and new ones need none', async () => {
        await desk.first.lockSecrets(desk.command());
        expect(await desk.of(1).removeSecrets(desk.command())).toEqual({ kind: 'done', count: 1 });
        expect(await desk.first.listSecrets()).toEqual({ items: [], lock: 'none' });
        expect(await desk.first.lackingSecret(['API_KEY'])).toEqual({ for: 'secret', secret: 'API_KEY' });
        await desk.first.saveSecret({ ...desk.command(), secret });
        expect(await desk.of(1).openSecret('API_KEY')).toEqual(opened);
      });

      test('is changed while others store secrets: each of them can be read afterwards', async () => {
        const stores = desk.ledgers.map((ledger, n) =>
          ledger.saveSecret({ ...desk.command(), secret: { ...secret, name: `KEY_${n}` } }),
        );
        const change = { ...desk.command(), current: PASSPHRASE, next: 'another passphrase' };
        const [changed, ...saved] = await Promise.all([desk.of(1).setPassphrase(change), ...stores]);
        expect(changed).toEqual({ kind: 'done' });
        await desk.of(1).unlockSecrets('another passphrase');
        // One that was asked to store in the moment between two keys may say that they are locked, and stored nothing.
        for (const [n, { kind }] of saved.entries()) {
          expect(['saved', 'locked']).toContain(kind);
          const found = await desk.of(1).openSecret(`KEY_${n}`);
          expect(found).toEqual(kind === 'saved' ? opened : null);
        }
      });

      test('or none: a secret whose origins were changed in the storage is not opened', async () => {
        await desk.first.setPassphrase({ ...desk.command(), current: PASSPHRASE, next: null });
        const row = (await desk.backend.stored('secrets')).find(
          (one) => Reflect.get(one, 'name') === 'API_KEY',
        );
        await desk.backend.plant('secrets', { ...row, origins: ['https://evil.test'] });
        await expect(desk.first.openSecret('API_KEY')).rejects.toThrow();
      });
    });

    describe('at the end of a run', () => {
      test('has it, its output and what it asks to be shown, all at once and for all to see', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        const output = { kind: 'remind', message: 'x' } as const;
        const result = await desk.settle(run, {
          ...SUCCESS,
          output,
          notifications: [{ title: 'T', body: 'B' }],
        });
        expect(result.kind).toBe('settled');
        const other = desk.of(1);
        expect(await other.findRun(run.id)).toMatchObject({
          run: { status: 'succeeded' },
          output: { output },
        });
        expect(await other.listOutbox(9)).toMatchObject([{ runId: run.id, title: 'T' }]);
        expect(await other.listActive()).toEqual([]);
        expect(await other.findAutomation(of.id)).toMatchObject({
          automation: { recent: [{ id: run.id, status: 'succeeded' }] },
        });
      });

      test('has what its automation is to remember, for the next run and not for another automation', async () => {
        const [of, neighbour] = [await desk.save(), await desk.save()];
        const run = await desk.claim(of);
        await desk.settle(run, { ...SUCCESS, remember: { seen: { count: 1 }, gone: 'x' } });
        expect(await desk.of(1).recall(of.id, 'seen')).toEqual({ count: 1 });
        expect(await desk.of(1).recall(of.id, 'other')).toBeUndefined();
        expect(await desk.of(1).recall(neighbour.id, 'seen')).toBeUndefined();
        const next = await desk.claim(of, minute(2));
        await desk.settle(next, { ...FAILURE, remember: { seen: 2, gone: null } });
        expect(await desk.first.recall(of.id, 'seen')).toBe(2);
        expect(await desk.first.recall(of.id, 'gone')).toBeUndefined();
        // One that is not its host's any more writes nothing.
        await desk.settle(run, { ...SUCCESS, remember: { seen: 3 } });
        expect(await desk.first.recall(of.id, 'seen')).toBe(2);
      });

      test('that is removed leaves nothing to remember, also not of a run that settles after', async () => {
        const of = await desk.save();
        await desk.settle(await desk.claim(of), { ...SUCCESS, remember: { seen: 1 } });
        const run = await desk.claim(of, minute(2));
        await desk.first.remove({ ...desk.command(), id: of.id });
        await desk.settle(run, { ...SUCCESS, remember: { seen: 2 } });
        expect(await desk.first.recall(of.id, 'seen')).toBeUndefined();
      });

      test('shows no more what was shown, and only that', async () => {
        const run = await desk.claim(await desk.save());
        await desk.settle(run, {
          ...SUCCESS,
          notifications: [
            { title: 'A', body: '' },
            { title: 'B', body: '' },
          ],
        });
        const [first] = (await showings()).showings;
        expect(await desk.of(1).markShown(first?.id ?? '', minute(2))).toBe(true);
        expect(await desk.first.markShown(first?.id ?? '', minute(2))).toBe(false);
        expect(await desk.first.listOutbox(9)).toMatchObject([{ title: 'B' }]);
      });

      test('tells of an outage and of its end once, in the transaction that writes the end', async () => {
        const rules = { retry: { attempts: 1 } };
        const of = await desk.save({ rules });
        for (const [n, ending] of [FAILURE, FAILURE, SUCCESS, SUCCESS].entries())
          await desk.settle(await desk.claim(of, minute(n + 1)), ending);
        expect(await desk.of(1).listOutbox(9)).toMatchObject([
          { about: 'failed', automationName: of.name, unreached: true },
          { about: 'recovered' },
        ]);
      });

      test('tells of the run of a dead host that a claim meets, and waits for a person', async () => {
        const of = await desk.save({ action: POST });
        const run = await desk.claim(of);
        await desk.first.markEffect({
          runId: run.id,
          hostId: run.host.id,
          fence: run.fence,
          effect: 'sending',
        });
        const request = desk.request(of.id, minute(2), { by: 1, liveHosts: new Set([desk.host(1).id]) });
        expect((await desk.of(1).tryClaim(request)).kind).toBe('claimed');
        expect(await desk.first.listOutbox(9)).toMatchObject([{ about: 'asks', runId: run.id }]);
      });

      test('shows what belongs together as one, the same to all who ask, until it was shown', async () => {
        const rules = { retry: { attempts: 1 } };
        for (const of of [await desk.save({ rules }), await desk.save({ rules })])
          await desk.settle(await desk.claim(of), {
            ...FAILURE,
            failure: { ...FAILURE.failure, class: 'action' },
          });
        // Whoever cannot show anything decides nothing.
        await showings(minute(2), 0, false);
        expect((await desk.first.listOutbox(9)).map(({ shownAs }) => shownAs)).toEqual([
          undefined,
          undefined,
        ]);
        const before = await Promise.all([showings(), showings(minute(2), 1)]);
        expect(before[0]).toEqual(before[1]);
        expect(before[0].showings).toMatchObject([{ title: '2 automations failed' }]);
        const later = await desk.save({ rules });
        await desk.settle(await desk.claim(later), { kind: 'timed-out' });
        const [first] = (await showings(minute(9), 1)).showings;
        expect(first).toEqual(before[0].showings[0]);
        await desk.first.markShown(first?.id ?? '', minute(9));
        expect((await showings(minute(9), 1)).showings).toMatchObject([{ title: `${later.name} failed` }]);
      });

      test('holds back what comes in quiet hours, which are a setting like the others', async () => {
        const quiet = { from: '00:00', until: '01:00', timeZone: 'UTC', held: 'digest' } as const;
        const settings = { ...desk.command(), settings: { quiet } };
        expect(await desk.of(1).saveSettings(settings)).toMatchObject({ quiet });
        await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 3 } });
        expect(await desk.of(1).getSettings()).toEqual({ maxConcurrent: 3, quiet });
        await desk.settle(await desk.claim(await desk.save()), {
          ...SUCCESS,
          notifications: [{ title: 'A', body: '' }],
        });
        expect(await showings()).toEqual({ showings: [], again: minute(60) });
        expect(await desk.first.listOutbox(9)).toMatchObject([{ held: 'quiet' }]);
        expect(await desk.first.saveSettings({ ...desk.command(), settings: { quiet: null } })).toEqual({
          maxConcurrent: 3,
        });
        expect((await showings(minute(3))).showings).toMatchObject([{ title: 'A' }]);
      });

      test('lists notifications newest first, shown or not, and knows which were read', async () => {
        const of = await desk.save();
        const runs: RunId[] = [];
        for (const n of [1, 2, 3]) {
          const run = await desk.claim(of, minute(n));
          await desk.settle(run, { ...SUCCESS, notifications: [{ title: String(n), body: '' }] });
          runs.push(run.id);
        }
        const [first] = (await showings(minute(4))).showings;
        await desk.first.markShown(first?.id ?? '', minute(4));
        expect(await desk.of(1).listNotifications(2)).toMatchObject({
          rows: [{ title: '3' }, { title: '2' }],
          unread: 3,
        });
        const [, second] = runs;
        if (second === undefined) throw new Error('three runs have a second');
        expect(await desk.first.markRead({ now: minute(5), runId: second })).toBe(1);
        expect(await desk.first.markRead({ now: minute(5), runId: second })).toBe(0);
        expect((await desk.of(1).listNotifications(9)).unread).toBe(2);
        expect(await desk.first.markRead({ now: minute(5) })).toBe(2);
        expect((await desk.of(1).listNotifications(9)).unread).toBe(0);
      });

      test('gives a failed run its next attempt, which is claimed as such', async () => {
        const of = await desk.save({ schedule: { kind: 'once', at: minute(1) } });
        await desk.settle(await desk.claim(of), FAILURE);
        const [row] = await desk.first.listAgenda(of.id);
        expect(row).toMatchObject({ attempt: 2, cause: 'retry', dueAt: minute(1) + 2_000 });
        const result = await desk.of(1).tryClaim(
          desk.request(of.id, minute(2), {
            target: { kind: 'row', key: row?.key ?? agendaKey('' as never, 0) },
          }),
        );
        expect(result).toMatchObject({
          kind: 'claimed',
          run: { attempt: 2, cause: 'retry', scheduledFor: minute(1) },
        });
      });

      const lost: readonly [string, (run: ActiveRun) => Promise<unknown>][] = [
        [
          'that was recovered',
          async (run) =>
            desk.of(1).recover({
              runId: run.id,
              fence: run.fence,
              proof: 'lease-granted',
              now: minute(2),
              chance: 0,
            }),
        ],
        ['that was settled', async (run) => desk.settle(run)],
      ];
      test.each(lost)('says lease-lost of a run %s, and writes nothing', async (_, end) => {
        const run = await desk.claim(await desk.save({ action: POST }));
        await end(run);
        const before = await desk.everything();
        const by = { runId: run.id, hostId: run.host.id, fence: run.fence };
        expect(await desk.settle(run, FAILURE)).toEqual({ kind: 'lease-lost' });
        expect(await desk.first.markEffect({ ...by, effect: 'sending' })).toEqual({ kind: 'lease-lost' });
        expect(await desk.settle({ ...run, fence: run.fence + 1 })).toEqual({ kind: 'lease-lost' });
        expect(await desk.settle({ ...run, host: desk.host(9) })).toEqual({ kind: 'lease-lost' });
        expect(await desk.settle({ ...run, id: desk.newId() })).toEqual({ kind: 'lease-lost' });
        expect(await desk.everything()).toEqual(before);
      });

      test('has what a prompt may use before it leaves, so that a death counts it and a settlement does not', async () => {
        const of = await desk.save({ action: POST });
        const mayUse = { until: minute(60), tokens: 40, cost: 0.5 };
        const begin = async (at: EpochMs): Promise<ActiveRun> => {
          const run = await desk.claim(of, at);
          const by = { runId: run.id, hostId: run.host.id, fence: run.fence };
          expect(await desk.first.markEffect({ ...by, mayUse })).toEqual({ kind: 'marked' });
          return run;
        };
        const spent = { until: minute(60), tokens: 7, cost: 0.1 };
        await desk.settle(await begin(minute(1)), { ...SUCCESS, spent });
        expect(await desk.first.findAutomation(of.id)).toMatchObject({ automation: { spent } });
        const { id: runId, fence } = await begin(minute(2));
        await desk.of(1).recover({ runId, fence, proof: 'lease-granted', now: minute(3), chance: 0 });
        expect(await desk.first.findAutomation(of.id)).toMatchObject({
          automation: { spent: { until: minute(60), tokens: 47, cost: 0.6 } },
        });
        expect((await desk.first.findRun(runId))?.run).not.toHaveProperty('mayUse');
      });

      test('has the mark of an effect before it leaves, so that its death says that it may have happened', async () => {
        const of = await desk.save({ action: POST, schedule: { kind: 'once', at: minute(1) } });
        const run = await desk.claim(of);
        const by = { runId: run.id, hostId: run.host.id, fence: run.fence };
        expect(await desk.first.markEffect({ ...by, effect: 'sending' })).toEqual({ kind: 'marked' });
        await desk
          .of(1)
          .recover({ runId: run.id, fence: run.fence, proof: 'lease-granted', now: minute(2), chance: 0 });
        expect((await desk.first.findRun(run.id))?.run).toMatchObject({
          status: 'interrupted',
          mayHaveHappened: true,
        });
        expect(await desk.first.listAgenda(of.id)).toEqual([]);

        const answer = { ...desk.command(minute(3)), runId: run.id, answer: 'run-again' } as const;
        const answered = await desk.of(1).answer(answer);
        expect(answered).toMatchObject({ kind: 'answered', run: { answer: { said: 'run-again' } } });
        expect(await desk.first.answer(answer)).toEqual(answered);
        expect((await desk.first.answer({ ...answer, ...desk.command(minute(4)) })).kind).toBe('not-open');
        expect(await desk.first.listAgenda(of.id)).toMatchObject([{ attempt: 2, dueAt: minute(3) }]);
      });

      test('leaves a live run alone for its age, up to its lease deadline, and then shuts its host out by the epoch', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        const recover = { runId: run.id, fence: run.fence, proof: 'past-deadline', chance: 0 } as const;
        expect(await desk.of(1).recover({ ...recover, now: run.leaseDeadline })).toEqual({
          kind: 'not-active',
        });
        expect(await desk.of(1).recover({ ...recover, now: run.leaseDeadline + 1 })).toMatchObject({
          kind: 'recovered',
        });
        expect(await desk.first.findAutomation(of.id)).toMatchObject({ automation: { epoch: 1 } });
        const now = run.leaseDeadline + 2;
        const [row] = (await desk.first.listAgenda(of.id)).filter(({ cause }) => cause === 'schedule');
        const target = { kind: 'row', key: row?.key ?? agendaKey('' as never, 0) } as const;
        const old = desk.request(of.id, now, { target });
        expect(await desk.first.tryClaim(old)).toEqual({ kind: 'stale-lease' });
        expect((await desk.first.tryClaim({ ...old, lease: leaseName(of.id, 1) })).kind).toBe('claimed');
      });

      test('marks a run that a person cancels, once, and says when it is too late', async () => {
        const run = await desk.claim(await desk.save());
        const cancel = { ...desk.command(minute(1)), runId: run.id, by: 'person' } as const;
        expect(await desk.of(1).requestCancel(cancel)).toEqual({ kind: 'cancelling' });
        expect(await desk.first.listActive()).toMatchObject([
          { cancelRequested: { at: minute(1), by: 'person' } },
        ]);
        await desk.settle(run, { kind: 'cancelled', by: 'person' });
        expect(await desk.of(1).requestCancel(cancel)).toEqual({ kind: 'cancelling' });
        const late = await desk.of(1).requestCancel({ ...cancel, ...desk.command() });
        expect(late).toMatchObject({ kind: 'too-late', run: { status: 'cancelled' } });
        expect(
          await desk.first.requestCancel({ ...desk.command(), runId: desk.newId(), by: 'person' }),
        ).toEqual({ kind: 'not-found' });
      });
    });

    describe('in an edit', () => {
      test('counts what a person edits: a run that starts and ends meanwhile is no conflict', async () => {
        const of = await desk.save();
        await desk.history(of, 2);
        const result = await desk.of(1).save({
          ...desk.command(minute(3)),
          id: of.id,
          definition: definition({ name: 'x' }),
          expectedRevision: 1,
        });
        expect(result).toMatchObject({
          kind: 'saved',
          automation: { revision: 2, fence: 2, recent: [{}, {}] },
        });
      });

      test('of what was removed is refused where a revision was expected', async () => {
        const of = await desk.save();
        await desk.first.remove({ ...desk.command(), id: of.id });
        const edit = { ...desk.command(), id: of.id, definition: of, expectedRevision: 1 };
        expect(await desk.of(1).save(edit)).toEqual({ kind: 'not-found' });
        expect(await desk.first.listAutomations()).toEqual([]);
      });

      test('refused for its schedule writes nothing, and may be sent again under the same command', async () => {
        const of = await desk.save();
        const before = await desk.everything();
        const command = desk.command();
        const bad = definition({ schedule: { kind: 'once', at: MONDAY } });
        expect((await desk.first.save({ ...command, id: of.id, definition: bad })).kind).toBe('invalid');
        expect(await desk.everything()).toEqual(before);
        expect(
          (await desk.first.save({ ...command, id: of.id, definition: definition({ name: 'y' }) })).kind,
        ).toBe('saved');
      });

      test('keeps what a newer build has added, at every depth, under whatever this one does', async () => {
        const of = await desk.save();
        const stored = await desk.storedOne('automations', of.id);
        const newer = {
          ...stored,
          top: { kept: 1 },
          schedule: { ...stored.schedule, soon: 5 },
          action: { ...stored.action, cookies: 'none', expect: { jsonPath: '$.ok' } },
          rules: {
            ...stored.rules,
            missed: { kind: 'once', quietly: true },
            overlap: { kind: 'skip', why: 'x' },
            aDay: 3,
          },
        };
        const kept = {
          top: { kept: 1 },
          schedule: { soon: 5 },
          action: { cookies: 'none', expect: { jsonPath: '$.ok' } },
          rules: { missed: { quietly: true }, overlap: { why: 'x' }, aDay: 3 },
        };
        await desk.backend.plant('automations', newer);
        const plain = definition({
          name: 'Edited',
          action: { kind: 'http', url: 'https://example.test/health', expect: {} },
        });
        await desk.first.save({ ...desk.command(), id: of.id, definition: plain });
        expect(await desk.storedOne('automations', of.id)).toMatchObject({ name: 'Edited', ...kept });
        const run = await desk.claim(of);
        expect(await desk.storedOne('automations', of.id)).toMatchObject({ fence: 1, ...kept });
        expect(run.definition).toMatchObject({
          schedule: kept.schedule,
          action: kept.action,
          rules: kept.rules,
        });
        await desk.settle(run);
        await desk.first.setEnabled({ ...desk.command(minute(1)), ids: [of.id], enabled: false });
        expect(await desk.storedOne('automations', of.id)).toMatchObject({ enabled: false, ...kept });
      });

      test('keeps what a newer build has added to a run, when that is marked and settled', async () => {
        const run = await desk.claim(await desk.save());
        await desk.backend.plant('runs', { ...run, trace: 'abc' });
        await desk.first.requestCancel({ ...desk.command(), runId: run.id, by: 'person' });
        await desk.settle(run);
        expect(await desk.storedOne('runs', run.id)).toMatchObject({ status: 'succeeded', trace: 'abc' });
      });

      test('pauses and resumes those that are there, all in one step, with one missed row each', async () => {
        const [a, b] = [await desk.save(), await desk.save()];
        const ids = [a.id, desk.id() as AutomationId, b.id, a.id];
        expect(await desk.first.setEnabled({ ...desk.command(), ids, enabled: false })).toEqual({
          kind: 'done',
          ids: [a.id, b.id],
        });
        expect(await desk.of(1).listDue(minute(9), 9)).toEqual([]);
        await desk.of(1).setEnabled({ ...desk.command(minute(4.5)), ids, enabled: true });
        const rows = await desk.first.listRuns({ limit: 9 });
        expect(rows).toMatchObject(
          times(2, () => ({ status: 'missed', reason: 'paused', covers: { count: 4 } })),
        );
        expect(await desk.first.listNextDue(ids)).toEqual(
          new Map([
            [a.id, minute(5)],
            [b.id, minute(5)],
          ]),
        );
      });

      test('removes an automation with what is pending of it, asks what runs to end, and leaves history', async () => {
        const of = await desk.save();
        await desk.history(of, 1);
        const run = await desk.claim(of, minute(2));
        const command = { ...desk.command(), id: of.id };
        expect(await desk.of(1).remove(command)).toEqual({ kind: 'done', id: of.id });
        expect(await desk.first.remove(command)).toEqual({ kind: 'done', id: of.id });
        expect(await desk.first.remove({ ...command, ...desk.command() })).toEqual({ kind: 'not-found' });
        expect(await desk.first.findAutomation(of.id)).toBeNull();
        expect(await desk.first.listAgenda(of.id)).toEqual([]);
        expect(await desk.first.listActive()).toMatchObject([
          { id: run.id, cancelRequested: { by: 'person' } },
        ]);
        // Its host ends it as it would; nothing is brought back.
        expect((await desk.settle(run, FAILURE)).kind).toBe('settled');
        expect(await desk.first.listAutomations()).toEqual([]);
        expect(await desk.first.nextAgendaRow()).toBeNull();
        expect(await desk.first.listRuns({ automationId: of.id, limit: 9 })).toHaveLength(2);
      });

      test('lists automations by name', async () => {
        for (const name of ['b', 'C', 'a', 'ä']) await desk.save({ name });
        expect((await desk.of(1).listAutomations()).map(({ automation }) => automation.name)).toEqual([
          'a',
          'ä',
          'b',
          'C',
        ]);
      });
    });

    describe('in an import', () => {
      const file = (...names: string[]): { readonly id: AutomationId; readonly definition: Definition }[] =>
        names.map((name) => ({ id: desk.id() as AutomationId, definition: definition({ name }) }));
      const importing = (automations: ReturnType<typeof file>): Parameters<Ledger['importAll']>[0] => ({
        ...desk.command(),
        automations,
        freshId: () => desk.id() as AutomationId,
      });

      test('brings in all, under their own ids, each with its row', async () => {
        const automations = file('a', 'b');
        const command = importing(automations);
        const result = await desk.first.importAll(command);
        expect(result).toEqual({ kind: 'imported', ids: automations.map(({ id }) => id) });
        expect(await desk.of(1).importAll(command)).toEqual(result);
        expect(await desk.of(1).listAutomations()).toHaveLength(2);
        expect((await desk.of(1).listNextDue(automations.map(({ id }) => id))).size).toBe(2);
      });

      test('are read by id, and page by page, and who asks hears which were written', async () => {
        const automations = file('a', 'b', 'c');
        const ids = automations.map(({ id }) => id);
        const [heard, elsewhere]: AutomationId[][] = [[], []];
        desk.first.onAutomationWritten((id) => heard?.push(id));
        desk.of(1).onAutomationWritten((id) => elsewhere?.push(id));
        await desk.first.importAll(importing(automations));
        expect(heard).toEqual(ids);
        const byId = await desk.of(1).findAutomations([...ids.toReversed(), desk.id() as AutomationId]);
        expect(byId.map(({ automation }) => automation.id)).toEqual(ids.toReversed());
        const first = await desk.of(1).scanAutomations(null, 2);
        expect(first.items.map(({ automation }) => automation.id)).toEqual([...ids].sort().slice(0, 2));
        const rest = await desk.of(1).scanAutomations(first.next, 2);
        expect(rest.items.map(({ automation }) => automation.id)).toEqual([...ids].sort().slice(2));
        expect(rest.next).toBeNull();
        await desk.of(1).setEnabled({ ...desk.command(), ids: ids.slice(1, 2), enabled: false });
        await desk.of(1).remove({ ...desk.command(), id: ids[0] ?? (desk.id() as AutomationId) });
        expect(elsewhere).toEqual([ids[1], ids[0]]);
        expect(heard).toEqual(ids);
      });

      test('brings in none when one is refused, and says which', async () => {
        const [good, bad] = file('good', 'bad');
        if (good === undefined || bad === undefined) throw new Error('no file');
        const rule = { kind: 'cron', expression: '0 0 30 2 *', timeZone: 'UTC' } as const;
        const before = await desk.everything();
        const result = await desk.first.importAll(
          importing([good, { ...bad, definition: definition({ schedule: rule }) }]),
        );
        expect(result).toMatchObject({
          kind: 'invalid',
          problems: [{ path: 'automations[1].schedule.expression' }],
        });
        expect(await desk.everything()).toEqual(before);
      });

      test('overwrites nothing: what has an id that is there, or twice in the file, comes in under another', async () => {
        const of = await desk.save({ name: 'Mine' });
        const [twin] = file('Twin');
        if (twin === undefined) throw new Error('no file');
        const result = await desk.first.importAll(
          importing([{ ...twin, id: of.id }, twin, { ...twin, definition: definition({ name: 'Other' }) }]),
        );
        expect(result.kind === 'imported' && new Set([of.id, ...result.ids]).size).toBe(4);
        expect((await desk.first.listAutomations()).map(({ automation }) => automation.name)).toEqual([
          'Mine',
          'Other',
          'Twin',
          'Twin',
        ]);
      });

      test('does not take the id of a row that this build cannot read', async () => {
        const [one] = file('a');
        if (one === undefined) throw new Error('no file');
        const newer = { id: one.id, schema: 99, strange: true };
        await desk.backend.plant('automations', newer);
        await desk.first.importAll(importing([one]));
        expect(await desk.storedOne('automations', one.id)).toEqual(newer);
        expect(await desk.first.listAutomations()).toHaveLength(1);
      });
    });

    describe('in an import by steps', () => {
      const from = {
        definition: definition({ enabled: false }),
        source: 'vscode-ledger',
        host: { id: uuidV7(MONDAY, new Uint8Array(10)) as HostId, kind: 'shared-worker', build: 'test' },
        now: MONDAY,
      } as const;
      const rowsOf = (automationId: AutomationId, ...starts: readonly number[]): readonly SettledRun[] =>
        starts.map((startedAt) =>
          importedRow(
            {
              key: `r${startedAt}`,
              status: 'succeeded',
              cause: 'schedule',
              startedAt,
              settledAt: startedAt + 1,
              message: null,
            },
            { ...from, automationId },
          ),
        );

      test('adds and replaces, paused, whatever it was told, and does so once', async () => {
        const mine = await desk.save({ name: 'Mine' });
        const id = desk.id() as AutomationId;
        const command = {
          ...desk.command(),
          steps: [
            { kind: 'add', id, definition: definition({ name: 'New' }), rows: [] },
            {
              kind: 'replace',
              id: mine.id,
              expectedRevision: mine.revision,
              definition: definition({ name: 'Theirs' }),
              rows: [],
            },
          ],
        } as const;
        const result = await desk.first.importSteps(command);
        expect(result).toEqual({ kind: 'imported', ids: [id, mine.id], added: 1, replaced: 1, runs: 0 });
        expect(await desk.of(1).importSteps(command)).toEqual(result);
        const stored = await desk.first.listAutomations();
        expect(stored.map(({ automation }) => [automation.name, automation.enabled])).toEqual([
          ['New', false],
          ['Theirs', false],
        ]);
        expect(await desk.first.listDue(MONDAY + 366 * 86_400_000, 9)).toEqual([]);
      });

      test('takes none where one was edited, removed or made since it was looked at', async () => {
        const mine = await desk.save({ name: 'Mine' });
        const [id, gone] = [desk.id() as AutomationId, desk.id() as AutomationId];
        const add = { kind: 'add', id, definition: definition(), rows: [] } as const;
        const before = await desk.everything();
        const replace = { kind: 'replace', definition: definition(), rows: [] } as const;
        for (const [step, changed] of [
          [{ ...replace, id: mine.id, expectedRevision: mine.revision + 1 }, mine.id],
          [{ ...replace, id: gone, expectedRevision: 1 }, gone],
          [{ ...add, id: mine.id }, mine.id],
          [{ kind: 'history', id: gone, rows: [] }, gone],
        ] as const) {
          const result = await desk.first.importSteps({ ...desk.command(), steps: [add, step] });
          expect(result).toEqual({ kind: 'changed', id: changed });
          expect(await desk.everything()).toEqual(before);
        }
      });

      test('brings history in once, at its place in time, and nothing of it is ever due', async () => {
        const id = desk.id() as AutomationId;
        const rows = rowsOf(id, MONDAY - 3_000, MONDAY - 1_000);
        const steps = [{ kind: 'add', id, definition: definition(), rows }] as const;
        expect(await desk.first.missingRuns(rows.map((row) => row.id))).toHaveLength(2);
        expect(await desk.first.importSteps({ ...desk.command(), steps })).toMatchObject({ runs: 2 });
        expect(await desk.first.missingRuns(rows.map((row) => row.id))).toEqual([]);
        const more = rowsOf(id, MONDAY - 3_000, MONDAY - 2_000);
        const history = [{ kind: 'history', id, rows: more }] as const;
        expect(await desk.of(1).importSteps({ ...desk.command(), steps: history })).toMatchObject({
          added: 0,
          runs: 1,
        });
        const listed = await desk.first.listRuns({ automationId: id, limit: 9 });
        expect(listed.map((run) => run.claimedAt - MONDAY)).toEqual([-1_000, -2_000, -3_000]);
        const stored = await desk.first.findAutomation(id);
        expect(stored?.automation.recent.map(({ at }) => at - MONDAY)).toEqual([-2_999, -1_999, -999]);
        expect(await desk.first.listAgenda(id)).toEqual([]);
        expect(await desk.first.listActive()).toEqual([]);
      });

      test('tells what is followed who follows it, also where several do', async () => {
        const [parent, a, b] = [desk.id(), desk.id(), desk.id()] as [
          AutomationId,
          AutomationId,
          AutomationId,
        ];
        const follows = definition({ schedule: { kind: 'after', automation: parent, on: 'any' } });
        const result = await desk.first.importSteps({
          ...desk.command(),
          steps: [
            { kind: 'add', id: parent, definition: definition(), rows: rowsOf(parent, MONDAY - 9) },
            { kind: 'add', id: a, definition: follows, rows: [] },
            { kind: 'add', id: b, definition: follows, rows: [] },
          ],
        });
        expect(result).toMatchObject({ kind: 'imported', added: 3, runs: 1 });
        const stored = await desk.first.findAutomation(parent);
        expect(stored?.automation).toMatchObject({ followers: [a, b], recent: [{ status: 'succeeded' }] });
      });
    });

    describe('in its history', () => {
      test('lists rows newest first, in pages that follow each other, of one automation or of all', async () => {
        const [a, b] = [await desk.save(), await desk.save()];
        const ids: RunId[] = [];
        for (let n = 1; n <= 5; n++)
          ids.push(...(await desk.history(a, 1, n)), ...(await desk.history(b, 1, n)));
        const newest = ids.toReversed();
        const page = async (query: object): Promise<RunId[]> =>
          (await desk.of(1).listRuns({ limit: 3, ...query })).map(({ id }) => id);
        expect(await page({})).toEqual(newest.slice(0, 3));
        expect(await page({ before: newest[2] })).toEqual(newest.slice(3, 6));
        const mine = newest.filter((_, n) => n % 2 === 1);
        expect(await page({ automationId: a.id })).toEqual(mine.slice(0, 3));
        expect(await page({ automationId: a.id, before: mine[2] })).toEqual(mine.slice(3));
        expect(await page({ automationId: a.id, before: mine[4] })).toEqual([]);
        expect(await page({ automationId: desk.id() })).toEqual([]);
      });

      test('lists the rows next newer than one, newest first, of one automation or status or of all', async () => {
        const [a, b] = [await desk.save(), await desk.save()];
        const ids: RunId[] = [];
        for (let n = 1; n <= 4; n++)
          ids.push(...(await desk.history(a, 1, n)), ...(await desk.history(b, 1, n)));
        const page = async (query: object): Promise<RunId[]> =>
          (await desk.of(1).listRuns({ limit: 3, ...query })).map(({ id }) => id);
        expect(await page({ after: ids[0] })).toEqual(ids.slice(1, 4).toReversed());
        expect(await page({ after: ids[6] })).toEqual(ids.slice(7));
        expect(await page({ after: ids[7] })).toEqual([]);
        const mine = ids.filter((_, n) => n % 2 === 0);
        expect(await page({ after: ids[1], automationId: a.id })).toEqual(mine.slice(1).toReversed());
        expect(await page({ after: ids[0], statuses: ['succeeded'] })).toEqual(ids.slice(1, 4).toReversed());
        expect(await page({ after: ids[0], statuses: ['failed'] })).toEqual([]);
        expect(await page({ after: ids[0], statuses: ['failed', 'succeeded'] })).toEqual(
          ids.slice(1, 4).toReversed(),
        );
      });

      test('shows rows with what they brought back, newest first, and counts those of an automation', async () => {
        const [a, b] = [await desk.save(), await desk.save()];
        const ids = [...(await desk.history(a, 23)), ...(await desk.history(b, 1))];
        const scan = (query: object) =>
          desk
            .of(1)
            .scanRuns({ limit: 99, ...query }, (run, output) =>
              run.automationId === a.id ? [run.id, output?.id ?? null] : null,
            );
        const all = await scan({});
        expect(all.looked).toBe(24);
        expect(all.last?.id).toBe(ids[0]);
        expect(all.found.map(([id]) => id)).toEqual(ids.slice(0, 23).toReversed());
        for (const [id, output] of all.found) {
          const stored = id === null || id === undefined ? null : await desk.first.findRun(id);
          expect(output).toBe(stored?.output?.id ?? null);
        }
        expect(await scan({ before: ids[0] })).toEqual({ found: [], looked: 0, last: null });
        expect(await desk.first.countRunsOf(a.id)).toBe(23);
        expect(await desk.first.countRunsOf(desk.id() as AutomationId)).toBe(0);
      });

      test('lists rows of one status, of several, and of an automation besides', async () => {
        const [a, b] = [await desk.save({ rules: { retry: { attempts: 1 } } }), await desk.save()];
        await desk.settle(await desk.claim(a, minute(1)), FAILURE);
        await desk.history(b, 2);
        await desk.settle(await desk.claim(a, minute(2)));
        await desk.claim(b, minute(3));
        const list = async (query: object): Promise<string[]> =>
          (await desk.of(1).listRuns({ limit: 9, ...query })).map(({ status }) => status);
        expect(await list({ statuses: ['failed'] })).toEqual(['failed']);
        expect(await list({ statuses: ['succeeded'] })).toEqual(['succeeded', 'succeeded', 'succeeded']);
        expect(await list({ statuses: ['failed', 'running'] })).toEqual(['running', 'failed']);
        expect(await list({ statuses: ['succeeded'], automationId: a.id })).toEqual(['succeeded']);
        expect(await list({ statuses: [] })).toEqual([]);
        const [, second] = await desk.first.listRuns({ statuses: ['succeeded'], limit: 2 });
        expect(await list({ statuses: ['succeeded'], before: second?.id })).toEqual(['succeeded']);
      });
    });

    describe('in its agenda', () => {
      test('lists what is due, oldest first, and says what comes next', async () => {
        const [a, b, c] = [
          await desk.save({ schedule: { kind: 'once', at: minute(3) } }),
          await desk.save({ schedule: { kind: 'once', at: minute(1) } }),
          await desk.save({ schedule: { kind: 'once', at: minute(5) } }),
        ];
        await desk.save({ schedule: { kind: 'manual' } });
        const due = async (now: EpochMs, limit = 9): Promise<AutomationId[]> =>
          (await desk.of(1).listDue(now, limit)).map(({ automationId }) => automationId);
        expect(await due(minute(1) - 1)).toEqual([]);
        expect(await due(minute(1))).toEqual([b.id]);
        expect(await due(minute(9))).toEqual([b.id, a.id, c.id]);
        expect(await due(minute(9), 2)).toEqual([b.id, a.id]);
        expect((await desk.first.nextAgendaRow())?.automationId).toBe(b.id);
        expect(await desk.first.nextDueAfter(minute(1))).toBe(minute(3));
        expect(await desk.first.nextDueAfter(minute(1) - 1)).toBe(minute(1));
        expect(await desk.first.nextDueAfter(minute(5))).toBeNull();
        expect([...(await desk.first.listNextDue([c.id, a.id]))]).toEqual([
          [c.id, minute(5)],
          [a.id, minute(3)],
        ]);
      });

      test('is repaired where a row is lost, and only there', async () => {
        const [whole, paused, lost] = [
          await desk.save(),
          await desk.save({ enabled: false }),
          desk.id() as AutomationId,
        ];
        await desk.save({ schedule: { kind: 'manual' } });
        await desk.backend.plant('automations', {
          ...(await desk.storedOne('automations', whole.id)),
          id: lost,
        });
        const results = await Promise.all(desk.ledgers.map((ledger) => ledger.repairAgenda(minute(4))));
        expect(results.sort()).toEqual([0, 1]);
        expect(await desk.first.listAgenda(lost)).toMatchObject([{ dueAt: minute(5), cause: 'schedule' }]);
        expect(await desk.first.listAgenda(whole.id)).toMatchObject([{ dueAt: minute(1) }]);
        expect(await desk.first.listAgenda(paused.id)).toEqual([]);
        expect(await desk.first.repairAgenda(minute(4))).toBe(0);
      });

      test('is repaired among more automations than are looked at together, and a follower is told of wherever it is', async () => {
        const many = Array.from({ length: 520 }, () => ({
          id: desk.id() as AutomationId,
          definition: definition({ schedule: { kind: 'manual' } }),
        }));
        await desk.first.importAll({
          ...desk.command(),
          automations: many,
          freshId: () => desk.id() as AutomationId,
        });
        const ids = many.map(({ id }) => id).sort();
        const [first, last] = [ids[0] as AutomationId, ids.at(-1) as AutomationId];
        const stored = async (id: AutomationId): Promise<object> => desk.storedOne<object>('automations', id);
        const schedule = (await desk.save()).schedule;
        await desk.backend.plant('automations', { ...(await stored(first)), schedule });
        await desk.backend.plant('automations', {
          ...(await stored(last)),
          schedule: { kind: 'after', automation: first, on: 'any' },
        });
        expect(await desk.first.repairAgenda(minute(4))).toBe(1);
        expect(await desk.first.listAgenda(first)).toMatchObject([{ dueAt: minute(5), cause: 'schedule' }]);
        expect((await desk.first.findAutomation(first))?.automation.followers).toEqual([last]);
        expect(await desk.first.repairAgenda(minute(4))).toBe(0);
      });

      test('is planned anew when a clock went back by more than three hours, and what ran then is not run again', async () => {
        const of = await desk.save();
        const wrong = minute(24 * 60);
        await desk.first.tryClaim(desk.request(of.id, minute(1), { now: wrong }));
        for (const run of await desk.first.listActive()) await desk.settle(run);
        expect(await desk.first.repairAgenda(wrong - 3 * 60 * MINUTE_MS)).toBe(0);
        expect(await desk.first.repairAgenda(minute(2))).toBe(1);
        expect(await desk.first.listAgenda(of.id)).toMatchObject([{ dueAt: minute(3) }]);
        expect((await desk.claim(of, minute(3))).scheduledFor).toBe(minute(3));
      });
    });

    describe('with the trace of hosts', () => {
      const host = (n: number): HostId => desk.host(n).id;

      test('keeps one trace for all, whoever extends it at the same time', async () => {
        expect(await desk.first.getPresence()).toEqual([]);
        await Promise.all(
          desk.ledgers.map((ledger, n) => ledger.extendPresence(MONDAY, [host(n), host(n + 1)])),
        );
        const hosts = [host(desk.ledgers.length - 1), host(desk.ledgers.length)];
        expect(await desk.first.getPresence()).toEqual([
          { from: MONDAY, until: MONDAY, before: 'unknown', hosts },
        ]);
        const later = await desk.of(1).extendPresence(minute(60), [host(99)]);
        expect(later.map(({ before }) => before)).toEqual(['unknown', 'closed']);
        expect(await desk.first.getPresence()).toEqual(later);
      });

      test('is no setting, and settings are none of it', async () => {
        await desk.first.extendPresence(MONDAY, [host(0)]);
        await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 3 } });
        expect(await desk.first.getSettings()).toMatchObject({ maxConcurrent: 3 });
        expect(await desk.first.getPresence()).toHaveLength(1);
      });

      test('begins another where the stored one is broken, and leaves a newer one alone', async () => {
        await desk.backend.plant('settings', { name: 'presence', schema: 1, spans: [{ from: 'x' }] });
        expect(await desk.first.getPresence()).toEqual([]);
        expect(await desk.first.extendPresence(MONDAY, [host(0)])).toHaveLength(1);
        const newer = { name: 'presence', schema: 99, spans: 'packed' };
        await desk.backend.plant('settings', newer);
        await desk.first.extendPresence(minute(5), [host(0)]);
        expect(await desk.storedOne('settings', 'presence')).toEqual(newer);
      });
    });

    describe('with commands and settings', () => {
      test('forgets old answers, some at a time, and keeps the others', async () => {
        for (let n = 0; n < 5; n++)
          await desk.first.saveSettings({ ...desk.command(minute(n)), settings: {} });
        expect(await desk.of(1).forgetCommands(minute(3), 2)).toBe(2);
        expect(await desk.of(1).forgetCommands(minute(3), 9)).toBe(1);
        expect(await desk.of(1).forgetCommands(minute(3), 9)).toBe(0);
        expect(await desk.backend.stored('commands')).toHaveLength(2);
      });

      test('changes the settings that are given, once a command, and keeps fields of a newer build', async () => {
        await desk.backend.plant('settings', {
          name: 'settings',
          schema: 1,
          maxConcurrent: 3,
          theme: 'dark',
        });
        expect(await desk.first.getSettings()).toEqual({ maxConcurrent: 3 });
        expect(await desk.first.saveSettings({ ...desk.command(), settings: {} })).toEqual({
          maxConcurrent: 3,
        });
        const command = { ...desk.command(), settings: { maxConcurrent: 5 } };
        expect(await desk.of(1).saveSettings(command)).toEqual({ maxConcurrent: 5 });
        await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 6 } });
        expect(await desk.of(1).saveSettings(command)).toEqual({ maxConcurrent: 5 });
        expect(await desk.first.getSettings()).toEqual({ maxConcurrent: 6 });
        expect(await desk.storedOne('settings', 'settings')).toMatchObject({ theme: 'dark' });
      });
    });

    describe('with what runs after another', () => {
      const after = (automation: AutomationId, on: 'success' | 'failure' | 'any' = 'success') => ({
        schedule: { kind: 'after', automation, on } as const,
      });
      const followUpsOf = async (of: Automation): Promise<readonly AgendaRow[]> =>
        (await desk.first.listAgenda(of.id)).filter(({ cause }) => cause === 'follow-up');

      test('makes it due in the transaction that ends the run, and it can be claimed once', async () => {
        const parent = await desk.save();
        const [child, other] = [
          await desk.save(after(parent.id)),
          await desk.save(after(parent.id, 'failure')),
        ];
        const run = await desk.claim(parent);
        await desk.settle(run);
        const [row, ...rest] = await followUpsOf(child);
        expect(rest).toEqual([]);
        expect(row?.occurrence).toBe(`${child.id}<${run.id}`);
        expect(await followUpsOf(other)).toEqual([]);
        if (row === undefined) throw new Error('nothing follows');
        const request = desk.request(child.id, row.dueAt, { target: { kind: 'row', key: row.key } });
        const results = [await desk.first.tryClaim(request), await desk.of(1).tryClaim(request)];
        expect(results).toMatchObject([
          { kind: 'claimed', run: { cause: 'follow-up', occurrence: row.occurrence } },
          { kind: 'taken' },
        ]);
      });

      test('makes it due when a dead host’s run fails for good, by recovery and inside a claim', async () => {
        const rules = { retry: { attempts: 1 } };
        for (const how of ['recover', 'claim'] as const) {
          const parent = await desk.save({ rules });
          const child = await desk.save(after(parent.id, 'failure'));
          const run = await desk.claim(parent);
          if (how === 'recover') {
            await desk
              .of(1)
              .recover({ runId: run.id, fence: 1, proof: 'lease-granted', now: minute(2), chance: 0 });
          } else {
            expect(await desk.claim(parent, minute(2), 1)).toMatchObject({ status: 'running' });
          }
          expect(await followUpsOf(child)).toHaveLength(1);
        }
      });

      test('refuses a circle when the one that would close it is saved, whoever saved the others', async () => {
        const a = await desk.save();
        const b = await desk.save(after(a.id));
        const c = await desk.save(after(b.id));
        const closing = { ...desk.command(), id: a.id, definition: definition(after(c.id)) };
        expect(await desk.of(1).save(closing)).toMatchObject({
          kind: 'invalid',
          problems: [{ path: 'schedule.automation', message: expect.stringContaining('circle') as string }],
        });
        expect((await desk.first.findAutomation(a.id))?.automation.schedule.kind).toBe('every');
      });

      test('comes in from a file in any order, under new names where the old ones are taken, or not at all', async () => {
        const of = await desk.save();
        const [id, child] = [desk.id() as AutomationId, desk.id() as AutomationId];
        const file = [
          { id: child, definition: definition(after(of.id)) },
          { id: of.id, definition: definition({ name: 'Twin' }) },
        ];
        const importing = (automations: typeof file) => ({
          ...desk.command(),
          automations,
          freshId: () => id,
        });
        expect(await desk.first.importAll(importing(file))).toEqual({ kind: 'imported', ids: [child, id] });
        expect((await desk.first.findAutomation(child))?.automation.schedule).toMatchObject({
          automation: id,
        });
        expect((await desk.first.findAutomation(id))?.automation.followers).toEqual([child]);

        const nobody = [
          { id: desk.id() as AutomationId, definition: definition(after(desk.id() as AutomationId)) },
        ];
        expect(await desk.first.importAll(importing(nobody))).toMatchObject({
          kind: 'invalid',
          problems: [{ path: 'automations[0].schedule.automation' }],
        });
        expect(await desk.first.listAutomations()).toHaveLength(3);
      });

      test('is known again after the one that it follows was removed and came back', async () => {
        const of = await desk.save();
        const child = await desk.save(after(of.id));
        await desk.first.remove({ ...desk.command(), id: of.id });
        const back = [{ id: of.id, definition: definition() }];
        await desk.first.importAll({ ...desk.command(), automations: back, freshId: () => of.id });
        expect((await desk.first.findAutomation(of.id))?.automation.followers).toEqual([child.id]);
        expect(await desk.first.repairAgenda(MONDAY)).toBe(0);
        // A build that knew nothing of it, or a fault, may have lost it.
        const { followers: _, ...lost } = await desk.storedOne('automations', of.id);
        await desk.backend.plant('automations', lost);
        expect(await desk.first.repairAgenda(MONDAY)).toBe(1);
        expect((await desk.first.findAutomation(of.id))?.automation.followers).toEqual([child.id]);
      });
    });

    describe('with pauses', () => {
      test('lets nothing run while all is paused, answers a repeated command, and then says what was missed', async () => {
        const of = await desk.save();
        const command = { ...desk.command(MONDAY), until: minute(5) };
        const settings = await desk.first.pauseAll(command);
        expect(settings.pauses).toEqual([{ from: MONDAY, until: minute(5) }]);
        expect(await desk.of(1).pauseAll(command)).toEqual(settings);
        const before = await desk.everything();
        expect(await desk.of(1).tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'paused' });
        expect(await desk.everything()).toEqual(before);

        await desk.of(1).saveSettings({ ...desk.command(), settings: { maxConcurrent: 3 } });
        const result = await desk.first.tryClaim({ ...desk.request(of.id, minute(1)), now: minute(6) });
        expect(result).toMatchObject({ kind: 'claimed', run: { scheduledFor: minute(6) } });
        const rows = await desk.first.listRuns({ limit: 9, statuses: ['missed'] });
        expect(rows.map((row) => ('covers' in row ? [row.reason, row.covers.count] : []))).toEqual([
          ['asleep', 1],
          ['paused', 4],
        ]);
      });

      test('ends a pause of everything at once', async () => {
        const of = await desk.save();
        await desk.first.pauseAll({ ...desk.command(MONDAY), until: minute(50) });
        await desk.of(1).pauseAll({ ...desk.command(MONDAY + 1), until: null });
        expect((await desk.claim(of)).scheduledFor).toBe(minute(1));
      });

      test('ends a pause of one automation when its time has come, once', async () => {
        const of = await desk.save();
        const pause = { ids: [of.id], enabled: false, until: minute(5) };
        await desk.first.setEnabled({ ...desk.command(MONDAY), ...pause });
        const [row, ...rest] = await desk.first.listDue(minute(5), 9);
        expect(rest).toEqual([]);
        if (row === undefined) throw new Error('nothing resumes it');
        const request = desk.request(of.id, minute(5), { target: { kind: 'row', key: row.key } });
        const results = await Promise.all([desk.first.tryClaim(request), desk.of(1).tryClaim(request)]);
        expect(kindsOf(results)).toEqual(['resumed', 'taken']);
        expect((await desk.first.findAutomation(of.id))?.automation.enabled).toBe(true);
        expect((await desk.claim(of, minute(5))).scheduledFor).toBe(minute(5));
        expect(await desk.first.listRuns({ limit: 9, statuses: ['missed'] })).toMatchObject([
          { reason: 'paused', covers: { from: minute(1), to: minute(4), count: 4 } },
        ]);
      });

      test('pauses an automation that fails time after time, in the settlement', async () => {
        const of = await desk.save({
          rules: { retry: { attempts: 1 }, autoPause: { kind: 'after', failures: 2 } },
        });
        for (const n of [1, 2]) await desk.settle(await desk.claim(of, minute(n)), FAILURE);
        expect((await desk.first.findAutomation(of.id))?.automation).toMatchObject({
          enabled: false,
          pausedBecause: { kind: 'failures', count: 2 },
          pausedFrom: minute(3),
        });
        expect(await desk.first.listAgenda(of.id)).toEqual([]);
        await desk.first.setEnabled({ ...desk.command(minute(4)), ids: [of.id], enabled: true });
        expect((await desk.claim(of, minute(5))).fence).toBe(3);
      });
    });

    describe('with a schedule that cannot be computed here', () => {
      test.each([
        ['a rule', { kind: 'cron', expression: '99 * * * *', timeZone: 'UTC' }],
        ['the zone of a rule', { kind: 'cron', expression: '* * * * *', timeZone: 'Mars/Olympus' }],
        [
          'the zone of an interval',
          { kind: 'calendar', every: 1, unit: 'days', first: '2026-01-01T09:00', timeZone: 'Mars/Olympus' },
        ],
      ])('pauses that automation with the reason, for %s, and the others go on', async (_, schedule) => {
        const [of, neighbour] = [await desk.save(), await desk.save()];
        await desk.backend.plant('automations', {
          ...(await desk.storedOne<object>('automations', of.id)),
          schedule,
        });
        const shown = await desk.first.findAutomation(of.id);
        expect(shown?.automation).toMatchObject({ enabled: false, pausedBecause: { kind: 'unreadable' } });
        expect(await desk.first.tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'paused' });
        expect((await desk.claim(neighbour)).automationId).toBe(neighbour.id);

        expect(await desk.first.repairAgenda(minute(2))).toBe(1);
        expect(await desk.first.listAgenda(of.id)).toEqual([]);
        expect(await desk.storedOne('automations', of.id)).toMatchObject({
          enabled: false,
          pausedFrom: minute(1),
          pausedBecause: { kind: 'unreadable' },
        });
        expect(await desk.backend.stored('quarantine')).toEqual([]);
        const resuming = { ...desk.command(minute(3)), ids: [of.id, neighbour.id], enabled: true };
        expect(await desk.first.setEnabled(resuming)).toEqual({ kind: 'done', ids: [neighbour.id] });
        // Once it has another schedule, it goes on from there.
        expect((await desk.save({}, of.id, minute(3))).enabled).toBe(true);
        expect((await desk.claim(of, minute(4))).scheduledFor).toBe(minute(4));
      });
    });

    describe('with rows of a newer build', () => {
      const isNewer = (promise: Promise<unknown>): Promise<void> =>
        expect(promise).rejects.toThrow(NewerData);

      test('shows an automation that it still understands, read-only, and hides one that it does not', async () => {
        const of = await desk.save();
        await desk.backend.plant('automations', {
          ...(await desk.storedOne('automations', of.id)),
          schema: NEWER,
          soon: true,
        });
        await desk.backend.plant('automations', { id: desk.id(), schema: NEWER, name: 'Strange' });
        const shown = await desk.first.listAutomations();
        expect(shown).toMatchObject([{ readOnly: 'newer-data', automation: { id: of.id, soon: true } }]);
        expect(await desk.first.findAutomation(of.id)).toEqual(shown[0]);
        expect(await desk.backend.stored('quarantine')).toEqual([]);
      });

      test('refuses to change one, in whatever way, and leaves each byte of it', async () => {
        const of = await desk.save();
        const neighbour = await desk.save();
        await desk.backend.plant('automations', {
          ...(await desk.storedOne('automations', of.id)),
          schema: NEWER,
        });
        const before = await desk.everything();
        const { first } = desk;
        await isNewer(first.save({ ...desk.command(), id: of.id, definition: definition() }));
        await isNewer(first.setEnabled({ ...desk.command(), ids: [neighbour.id, of.id], enabled: false }));
        await isNewer(first.remove({ ...desk.command(), id: of.id }));
        await isNewer(first.tryClaim(desk.request(of.id, minute(1))));
        expect(await first.repairAgenda(minute(1))).toBe(0);
        expect(await desk.everything()).toEqual(before);
        expect((await first.tryClaim(desk.request(neighbour.id, minute(1)))).kind).toBe('claimed');
      });

      test('does not drop or replace a pending row of one', async () => {
        const of = await desk.save();
        const [row] = await desk.first.listAgenda(of.id);
        await desk.backend.plant('agenda', { ...row, schema: NEWER });
        const before = await desk.everything();
        await isNewer(
          desk.first.save({
            ...desk.command(),
            id: of.id,
            definition: definition({ schedule: { kind: 'manual' } }),
          }),
        );
        await isNewer(desk.first.setEnabled({ ...desk.command(), ids: [of.id], enabled: false }));
        await isNewer(desk.first.remove({ ...desk.command(), id: of.id }));
        await isNewer(desk.first.tryClaim(desk.request(of.id, minute(1))));
        expect(await desk.first.repairAgenda(minute(9))).toBe(0);
        expect(await desk.first.listDue(minute(9), 9)).toEqual([]);
        expect(await desk.everything()).toEqual(before);
      });

      test('does not plan one anew by a clock that went back, also beside a broken row', async () => {
        const of = await desk.save();
        const [row] = await desk.first.listAgenda(of.id);
        const newer = { ...row, schema: NEWER };
        await desk.backend.plant('agenda', newer);
        await desk.backend.plant('agenda', { ...row, key: 'broken' });
        expect(await desk.first.repairAgenda(MONDAY - DAY_MS)).toBe(0);
        expect(await desk.backend.stored('agenda')).toEqual([newer]);
      });

      test('counts an active run of one, does not sweep it, and starts nothing beside it', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        await desk.backend.plant('runs', { ...run, schema: NEWER });
        expect(await desk.first.listActive()).toEqual([]);
        expect(await desk.first.tryClaim(desk.request(of.id, minute(2)))).toEqual({
          kind: 'unverifiable-owner',
        });
        await isNewer(desk.settle(run));
        await isNewer(
          desk.first.recover({ runId: run.id, fence: 1, proof: 'lease-granted', now: minute(2), chance: 0 }),
        );
        await isNewer(desk.first.requestCancel({ ...desk.command(), runId: run.id, by: 'person' }));
        await isNewer(
          desk.first.markEffect({ runId: run.id, hostId: run.host.id, fence: 1, effect: 'sending' }),
        );
        expect(await desk.storedOne('runs', run.id)).toEqual({ ...run, schema: NEWER });

        await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 1 } });
        const other = await desk.save();
        expect(await desk.first.tryClaim(desk.request(other.id, minute(1)))).toEqual({ kind: 'at-capacity' });
        // A removal leaves the row as it is, too.
        await desk.first.remove({ ...desk.command(), id: of.id });
        expect(await desk.storedOne('runs', run.id)).toEqual({ ...run, schema: NEWER });
      });

      test('keeps the result of a run whose automation was taken over by one meanwhile', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        const newer = { ...(await desk.storedOne('automations', of.id)), schema: NEWER };
        await desk.backend.plant('automations', newer);
        expect((await desk.settle(run)).kind).toBe('settled');
        expect((await desk.first.findRun(run.id))?.run.status).toBe('succeeded');
        expect(await desk.storedOne('automations', of.id)).toEqual(newer);
      });

      test('leaves the recovery of such a run to a host that can write its automation', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        await desk.backend.plant('automations', {
          ...(await desk.storedOne('automations', of.id)),
          schema: NEWER,
        });
        const before = await desk.everything();
        for (const proof of ['lease-granted', 'past-deadline'] as const) {
          await isNewer(
            desk.first.recover({ runId: run.id, fence: 1, proof, now: run.leaseDeadline + 1, chance: 0 }),
          );
        }
        expect(await desk.everything()).toEqual(before);
      });

      test('shows rows of history that it still understands, and ends no page early for others', async () => {
        const of = await desk.save();
        const ids = await desk.history(of, 6);
        const rows = await Promise.all(ids.map((id) => desk.storedOne<RunRow>('runs', id)));
        await desk.backend.plant('runs', { ...rows[5], schema: NEWER });
        for (const n of [3, 4])
          await desk.backend.plant('runs', { ...rows[n], schema: NEWER, attempt: 'third' });
        const page = await desk.first.listRuns({ limit: 3 });
        expect(page.map(({ id }) => id)).toEqual([ids[5], ids[2], ids[1]]);
        expect((await desk.first.findRun(rows[5]?.id ?? desk.newId()))?.run).toMatchObject({ schema: NEWER });
        await isNewer(desk.first.findRun(rows[4]?.id ?? desk.newId()));
        expect(await desk.backend.stored('quarantine')).toEqual([]);
      });

      test('uses settings of one, and does not write them', async () => {
        const newer = { name: 'settings', schema: NEWER, maxConcurrent: 4, perHour: 9 };
        await desk.backend.plant('settings', newer);
        expect(await desk.first.getSettings()).toEqual({ maxConcurrent: 4, keep: KEEP_ALL });
        await isNewer(desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 5 } }));
        expect(await desk.storedOne('settings', 'settings')).toEqual(newer);
      });
    });

    describe('with broken rows', () => {
      /** Plants a broken row and says with which bytes it must be found in quarantine. */
      const breakRow = async (store: RowStore, row: object): Promise<object> => {
        await desk.backend.plant(store, row);
        return row;
      };
      const quarantined = async (): Promise<object[]> =>
        (await desk.backend.stored('quarantine')).map((row) => Reflect.get(row, 'value') as object);

      test.each([
        ['a name that is a number', { name: 7 }],
        ['a schedule that is none', { schedule: { kind: 'sometimes' } }],
        ['a fence that is text', { fence: '1' }],
        ['no recent runs', { recent: null }],
        ['a pause from nowhere', { pausedFrom: 'x' }],
      ])('sets an automation aside, with its bytes, for %s; its neighbours go on', async (_, fault) => {
        const [of, neighbour] = [await desk.save(), await desk.save()];
        const broken = await breakRow('automations', {
          ...(await desk.storedOne('automations', of.id)),
          ...fault,
        });
        expect((await desk.first.listAutomations()).map(({ automation }) => automation.id)).toEqual([
          neighbour.id,
        ]);
        expect(await desk.first.findAutomation(of.id)).toBeNull();
        expect(await quarantined()).toEqual([broken]);
        expect(await desk.of(1).listQuarantine(9)).toMatchObject([{ store: 'automations', key: of.id }]);
        expect(await desk.first.tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'not-found' });
        expect((await desk.claim(neighbour)).automationId).toBe(neighbour.id);
        expect(await desk.first.repairAgenda(minute(2))).toBe(0);
      });

      test.each(['claim', 'edit', 'pause', 'remove', 'find', 'repair'] as const)(
        'meets a broken automation first in a %s, and is no worse for it',
        async (how) => {
          const [of, neighbour] = [await desk.save(), await desk.save()];
          const broken = await breakRow('automations', {
            ...(await desk.storedOne('automations', of.id)),
            name: 7,
          });
          const { first } = desk;
          const ids = [of.id, neighbour.id];
          const results: Readonly<Record<typeof how, () => Promise<unknown>>> = {
            claim: () => first.tryClaim(desk.request(of.id, minute(1))),
            edit: () =>
              first.save({ ...desk.command(), id: of.id, definition: definition(), expectedRevision: 1 }),
            pause: () => first.setEnabled({ ...desk.command(), ids, enabled: false }),
            remove: () => first.remove({ ...desk.command(), id: of.id }),
            find: () => first.findAutomation(of.id),
            repair: () => first.repairAgenda(minute(1)),
          };
          expect(await results[how]()).toEqual(
            {
              claim: { kind: 'not-found' },
              edit: { kind: 'not-found' },
              pause: { kind: 'done', ids: [neighbour.id] },
              remove: { kind: 'not-found' },
              find: null,
              repair: 0,
            }[how],
          );
          if (how !== 'repair') expect(await quarantined()).toEqual([broken]);
          expect(await first.findAutomation(neighbour.id)).not.toBeNull();
        },
      );

      test.each([
        ['a due time that is text', { dueAt: 'soon' }],
        ['no cause', { cause: undefined }],
        ['a key that is not its own', { attempt: 3 }],
      ])(
        'sets a pending row aside for %s, and gives its automation the row of its next instant',
        async (_, fault) => {
          const [of, neighbour] = [await desk.save(), await desk.save()];
          const [row] = await desk.first.listAgenda(of.id);
          const broken = await breakRow('agenda', { ...row, ...fault });
          await desk.first.listDue(minute(3), 9);
          await desk.first.repairAgenda(minute(3));
          expect(await quarantined()).toEqual([broken]);
          expect(await desk.first.listAgenda(of.id)).toMatchObject([{ dueAt: minute(4), cause: 'schedule' }]);
          expect(await desk.first.listAgenda(neighbour.id)).toMatchObject([{ dueAt: minute(1) }]);
          expect((await desk.first.nextAgendaRow())?.automationId).toBe(neighbour.id);
        },
      );

      test('does not take a broken pending row for the one that comes first', async () => {
        const of = await desk.save();
        const [row] = await desk.first.listAgenda(of.id);
        await breakRow('agenda', { ...row, key: 'broken', dueAt: MONDAY });
        expect(await desk.first.nextAgendaRow()).toEqual(row);
        expect(await desk.first.listAgenda(of.id)).toEqual([row]);
        expect(await desk.first.listNextDue([of.id])).toEqual(new Map([[of.id, minute(1)]]));
      });

      test('meets a broken pending row in a claim, or in an edit, and its automation goes on', async () => {
        for (const how of ['claim', 'edit'] as const) {
          const of = await desk.save();
          const [row] = await desk.first.listAgenda(of.id);
          const broken = await breakRow('agenda', { ...row, scheduledFor: 0.5 });
          if (how === 'claim') {
            expect(await desk.first.tryClaim(desk.request(of.id, minute(1)))).toEqual({ kind: 'taken' });
          } else {
            await desk.first.setEnabled({ ...desk.command(), ids: [of.id], enabled: false });
            await desk.first.setEnabled({ ...desk.command(minute(1)), ids: [of.id], enabled: true });
          }
          expect((await quarantined()).at(-1)).toEqual(broken);
          expect(await desk.first.listAgenda(of.id)).toMatchObject([{ dueAt: minute(2), cause: 'schedule' }]);
        }
      });

      test('sets a row of history aside, shows its neighbours, and ends no page early for it', async () => {
        const of = await desk.save();
        const ids = await desk.history(of, 4);
        const broken = await breakRow('runs', {
          ...(await desk.storedOne<RunRow>('runs', ids[2] ?? '')),
          definition: null,
        });
        const page = async (): Promise<unknown[]> =>
          (await desk.first.listRuns({ limit: 3 })).map(({ id }) => id);
        expect(await page()).toEqual([ids[3], ids[1], ids[0]]);
        expect(await quarantined()).toEqual([broken]);
        expect(await page()).toEqual([ids[3], ids[1], ids[0]]);
      });

      test('finds a broken run as one that is not there', async () => {
        const of = await desk.save();
        const [id = desk.newId()] = await desk.history(of, 1);
        const broken = await breakRow('runs', {
          ...(await desk.storedOne<RunRow>('runs', id)),
          settledAt: 'yesterday',
        });
        expect(await desk.first.findRun(id)).toBeNull();
        expect(await quarantined()).toEqual([broken]);
        expect(await desk.first.requestCancel({ ...desk.command(), runId: id, by: 'person' })).toEqual({
          kind: 'not-found',
        });
      });

      test('never sweeps an active run, because who owns it cannot be told: nothing starts beside it', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        const broken = await breakRow('runs', { ...run, lease: undefined });
        const { first } = desk;
        expect(await first.tryClaim(desk.request(of.id, minute(2)))).toEqual({ kind: 'unverifiable-owner' });
        expect(await first.listActive()).toEqual([]);
        expect(await first.listRuns({ limit: 9 })).toEqual([]);
        expect(await first.findRun(run.id)).toBeNull();
        await expect(desk.settle(run)).rejects.toThrow(/does not parse/);
        await expect(
          first.recover({ runId: run.id, fence: 1, proof: 'lease-granted', now: minute(2), chance: 0 }),
        ).rejects.toThrow(/does not parse/);
        await expect(first.requestCancel({ ...desk.command(), runId: run.id, by: 'person' })).rejects.toThrow(
          /does not parse/,
        );
        expect(await desk.backend.stored('runs')).toEqual([broken]);
        expect(await quarantined()).toEqual([]);

        await first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 1 } });
        const other = await desk.save();
        expect(await first.tryClaim(desk.request(other.id, minute(1)))).toEqual({ kind: 'at-capacity' });
      });

      test('never sweeps a row that says that it runs and lacks its mark of being active', async () => {
        const run = await desk.claim(await desk.save());
        const broken = await breakRow('runs', { ...run, active: undefined });
        expect(await desk.first.listRuns({ limit: 9 })).toEqual([]);
        expect(await desk.backend.stored('runs')).toEqual([broken]);
      });

      test('sets a broken output aside, and still shows its run', async () => {
        const of = await desk.save();
        const [id = desk.newId()] = await desk.history(of, 1);
        const broken = await breakRow('outputs', { id, schema: 1, output: 'text' });
        expect(await desk.first.findRun(id)).toMatchObject({ run: { id }, output: null });
        expect(await quarantined()).toEqual([broken]);
      });

      test('sets a broken effect aside, and delivers the others', async () => {
        const run = await desk.claim(await desk.save());
        await desk.settle(run, { ...SUCCESS, notifications: [{ title: 'A', body: '' }] });
        const [whole] = await desk.backend.stored('outbox');
        const broken = await breakRow('outbox', { ...whole, id: 'x', title: 1 });
        expect(await desk.first.listOutbox(9)).toMatchObject([{ title: 'A' }]);
        expect(await quarantined()).toEqual([broken]);
      });

      test('runs by the default settings where the stored ones are broken, and sets them aside when they are saved', async () => {
        const broken = await breakRow('settings', { name: 'settings', schema: 1, maxConcurrent: 'many' });
        expect(await desk.first.getSettings()).toEqual({
          maxConcurrent: MAX_CONCURRENT_DEFAULT,
          keep: KEEP_ALL,
        });
        expect((await desk.claim(await desk.save())).status).toBe('running');
        expect(await desk.first.saveSettings({ ...desk.command(), settings: { maxConcurrent: 2 } })).toEqual({
          maxConcurrent: 2,
        });
        expect(await quarantined()).toEqual([broken]);
      });

      test('lists what was set aside newest first, without its bytes', async () => {
        for (const n of [1, 2, 3]) await breakRow('automations', { id: desk.id(), schema: 1, n });
        await desk.first.listAutomations();
        const rows = await desk.of(1).listQuarantine(2);
        expect(rows.map(({ id }) => id)).toEqual([3, 2]);
        expect(rows[0]).not.toHaveProperty('value');
        expect(rows[0]?.problems.length).toBeGreaterThan(0);
      });
    });

    describe('when an instance goes', () => {
      test('has all that it was told, for whoever comes next', async () => {
        const of = await desk.save();
        const run = await desk.claim(of);
        for (const ledger of desk.ledgers) ledger.close();
        const next = await desk.backend.open();
        expect(await next.findAutomation(of.id)).toMatchObject({ automation: { fence: 1 } });
        expect(await next.listActive()).toEqual([run]);
      });

      test('takes nothing from the others', async () => {
        const of = await desk.save();
        desk.first.close();
        expect(await desk.of(1).findAutomation(of.id)).not.toBeNull();
        await expect(desk.first.listAutomations()).rejects.toThrow();
      });
    });
  });
}
