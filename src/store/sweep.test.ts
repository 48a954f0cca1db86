import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AutomationId,
  type CommandId,
  type EpochMs,
  type HostId,
  type KeepRule,
  type RunId,
  type RunRow,
  type RunStatus,
  DAY_MS,
  HOUR_MS,
  SCHEMA,
  agendaKey,
  definitionSchema,
  leaseName,
  manualOccurrence,
  mayForgetOutput,
  mayForgetRun,
  prepareTime,
  scheduledOccurrence,
  scheduledRow,
  uuidV7,
} from '../domain/index.ts';
import * as v from 'valibot';
import { automation as sampleAutomation } from '../domain/samples.testing.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import type { Ledger } from './ledger.ts';
import { type RotaDb, openDatabase } from './open.ts';

const NOW: EpochMs = 1_900_000_000_000;
const NEVER = new Promise<void>(() => undefined);
const events = { onVersionChange: () => undefined, onLost: () => undefined };
const LITTLE: KeepRule = { runs: { days: 60, most: 40 }, outputs: { days: 5, most: 35 } };

let db: RotaDb;
let ledger: Ledger;
let ids = 0;

beforeAll(() => prepareTime());
beforeEach(async () => {
  globalThis.indexedDB = new IDBFactory();
  db = await openDatabase(events, NEVER);
  ledger = indexedDbLedger(db, () => NOW, crypto);
  ids = 0;
});

function idAt(at: EpochMs): RunId {
  ids += 1;
  const random = new Uint8Array(10);
  new DataView(random.buffer).setUint32(0, ids);
  return uuidV7(at, random) as RunId;
}
const automationId = (n: number): AutomationId =>
  `a0000000-0000-4000-8000-${String(n).padStart(12, '0')}` as AutomationId;
const definition = v.parse(definitionSchema, {
  name: 'Kept',
  schedule: { kind: 'every', everyMs: HOUR_MS, anchor: 0 },
  action: { kind: 'remind', message: 'Stretch.' },
});

/** A row of automation `of`, `at` then, with whatever else. */
function rowAt(of: AutomationId, at: EpochMs, status: RunStatus = 'succeeded', more: object = {}): RunRow {
  const unrun = status === 'missed' || status === 'skipped';
  return {
    id: idAt(at),
    schema: SCHEMA,
    automationId: of,
    automationName: 'Kept',
    occurrence: scheduledOccurrence(of, at),
    scheduledFor: at,
    cause: 'schedule',
    attempt: 1,
    claimedAt: at,
    settledAt: at,
    ...(unrun
      ? { covers: { from: at, to: at, count: 1 }, reason: 'closed' }
      : {
          startedAt: at,
          latenessMs: 0,
          host: { id: 'x', kind: 'tab-worker', build: 'x' },
          fence: 1,
          revision: 1,
          definition,
          summary: 'Done.',
        }),
    status,
    ...more,
  } as unknown as RunRow;
}

async function plant(...rows: readonly RunRow[]): Promise<void> {
  const tx = db.transaction(['runs', 'outputs'], 'readwrite');
  for (const row of rows) {
    void tx.objectStore('runs').put(row);
    void tx.objectStore('outputs').put({ id: row.id, schema: SCHEMA, output: { kind: 'reminder' } as never });
  }
  await tx.done;
}

/** Sweeps in slices of `most`; `between` is called after each. */
async function sweepAll(
  keep: KeepRule = LITTLE,
  most = 7,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<{ readonly runs: number; readonly outputs: number; readonly slices: number }> {
  const sweep = (await ledger.upkeep()).sweep(NOW, keep);
  let [runs, outputs, slices] = [0, 0, 0];
  for (;;) {
    const slice = await sweep.slice(most);
    runs += slice.runs;
    outputs += slice.outputs;
    slices += 1;
    if (slice.done) return { runs, outputs, slices };
    await between();
  }
}

test('a sweep forgets exactly what the rules let go, whatever the history, and in whichever slices', async () => {
  const rows = fc.array(
    fc.record({
      of: fc.integer({ min: 1, max: 3 }),
      days: fc.double({ min: 0, max: 200, noNaN: true }),
      status: fc.constantFrom<RunStatus>(
        'succeeded',
        'failed',
        'cancelled',
        'interrupted',
        'missed',
        'skipped',
      ),
      asks: fc.boolean(),
      byHand: fc.boolean(),
    }),
    { maxLength: 250 },
  );
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 60 }), async (given, most) => {
      globalThis.indexedDB = new IDBFactory();
      db = await openDatabase(events, NEVER);
      ledger = indexedDbLedger(db, () => NOW, crypto);
      const planted = given.map(({ of, days, status, asks, byHand }) => {
        const at = NOW - Math.round(days * DAY_MS);
        const id = automationId(of);
        return rowAt(id, at, status, {
          ...(asks && status === 'interrupted' ? { asks: true } : {}),
          // No two of one instant.
          occurrence: byHand ? manualOccurrence(id, idAt(at) as string as CommandId) : `${id}@${at}${ids}`,
        });
      });
      await plant(...planted);
      const newer = (row: RunRow): number =>
        planted.filter((other) => other.automationId === row.automationId && other.id > row.id).length;
      const standing = (row: RunRow) => ({ now: NOW, newer: newer(row), isContinued: false, owedFrom: null });
      const kept = planted.filter((row) => !mayForgetRun(row, LITTLE.runs, standing(row)));
      const read = kept.filter((row) => !mayForgetOutput(row, LITTLE.outputs, standing(row)));

      const swept = await sweepAll(LITTLE, most);
      expect((await db.getAllKeys('runs')).sort()).toEqual(kept.map(({ id }) => id).sort());
      expect((await db.getAllKeys('outputs')).sort()).toEqual(read.map(({ id }) => id).sort());
      expect(swept.runs).toBe(planted.length - kept.length);
      // And a second one finds nothing more.
      expect(await sweepAll(LITTLE, most)).toMatchObject({ runs: 0, outputs: 0 });
      db.close();
    }),
    { numRuns: 25 },
  );
});

test('an automation keeps its history by its own rule, and what was deleted by the rule for all', async () => {
  const command = { commandId: 'c' as CommandId, now: NOW - 300 * DAY_MS, newId: () => idAt(NOW) };
  const keep = { runs: { days: null, most: null } };
  await ledger.save({
    ...command,
    id: automationId(1),
    definition: { ...definition, rules: { ...definition.rules, keep } },
  });
  const of = (n: number): readonly RunRow[] =>
    Array.from({ length: 60 }, (_, i) => rowAt(automationId(n), NOW - (200 - i) * DAY_MS));
  await plant(...of(1), ...of(2));
  await sweepAll();
  expect(
    await db.countFromIndex(
      'runs',
      'by-automation',
      IDBKeyRange.bound([automationId(1)], [automationId(1), []]),
    ),
  ).toBe(60);
  expect(
    await db.countFromIndex(
      'runs',
      'by-automation',
      IDBKeyRange.bound([automationId(2)], [automationId(2), []]),
    ),
  ).toBe(30);
});

test('what a newer build wrote is not dropped', async () => {
  const newer = { schema: SCHEMA + 1 };
  await plant(
    ...Array.from({ length: 50 }, (_, i) =>
      rowAt(automationId(1), NOW - (400 - i) * DAY_MS, 'succeeded', newer),
    ),
  );
  expect(await sweepAll()).toMatchObject({ runs: 0, outputs: 0 });
});

test('what a pending run goes on from is kept with its output', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => rowAt(automationId(1), NOW - (400 - i) * DAY_MS));
  await plant(...rows);
  const from = rows[3];
  const occurrence = scheduledOccurrence(automationId(1), NOW);
  await db.put('agenda', {
    key: agendaKey(occurrence, 1),
    schema: SCHEMA,
    occurrence,
    automationId: automationId(1),
    scheduledFor: NOW,
    attempt: 1,
    dueAt: NOW,
    cause: 'manual',
    from: { runId: from?.id as RunId, step: 2 },
  });
  await sweepAll();
  expect(await db.get('runs', from?.id as RunId)).toBeDefined();
  expect(await db.get('outputs', from?.id as RunId)).toBeDefined();
  expect(await db.count('runs')).toBe(31);
});

test('an output whose run is gone goes after a day', async () => {
  await db.put('outputs', { id: idAt(NOW - 2 * DAY_MS), schema: SCHEMA, output: { kind: 'x' } as never });
  await db.put('outputs', { id: idAt(NOW - HOUR_MS), schema: SCHEMA, output: { kind: 'x' } as never });
  expect(await sweepAll()).toMatchObject({ outputs: 1 });
  expect(await db.count('outputs')).toBe(1);
});

test('a clock that was set back finds every instant decided that it could plan again', async () => {
  // An hour each, for 45 days, and every row is beyond the rule.
  const id = automationId(1);
  const least: KeepRule = { runs: { days: 1, most: 30 }, outputs: { days: 1, most: 1 } };
  const hours = 45 * 24;
  await plant(...Array.from({ length: hours }, (_, i) => rowAt(id, NOW - i * HOUR_MS)));
  const { runs } = await sweepAll(least, 100);
  expect(runs).toBe(hours - 1 - 40 * 24);
  const back = NOW - 39 * DAY_MS;
  for (let at = back; at <= NOW; at += HOUR_MS) {
    expect(await db.countFromIndex('runs', 'by-occurrence', [scheduledOccurrence(id, at), 1])).toBe(1);
  }
});

test('claims and settlements between the slices are made as ever, and what they wrote stays', async () => {
  const id = automationId(7);
  const host = {
    id: 'b0000000-0000-4000-8000-000000000001' as HostId,
    kind: 'tab-worker',
    build: 'x',
  } as const;
  const start = Math.ceil(NOW / HOUR_MS) * HOUR_MS;
  await ledger.save({
    commandId: 'c' as CommandId,
    now: start - HOUR_MS,
    newId: () => idAt(start),
    id,
    definition,
  });
  await plant(...Array.from({ length: 300 }, (_, i) => rowAt(id, NOW - (500 - i) * DAY_MS)));
  let claimed = 0;
  await sweepAll(LITTLE, 8, async () => {
    const at = start + claimed * HOUR_MS;
    const result = await ledger.tryClaim({
      target: { kind: 'row', key: agendaKey(scheduledOccurrence(id, at), 1) },
      host,
      now: at,
      lease: leaseName(id, 0),
      liveHosts: new Set([host.id]),
      missing: null,
      absence: 'closed',
      newId: () => idAt(at),
      chance: 0,
    });
    expect(result.kind).toBe('claimed');
    if (result.kind !== 'claimed') return;
    claimed += 1;
    const { id: runId, fence } = result.run;
    const ending = { kind: 'succeeded', summary: 'Done.' } as const;
    const settled = await ledger.settle({ runId, hostId: host.id, fence, ending, now: at, chance: 0 });
    expect(settled.kind).toBe('settled');
  });
  expect(claimed).toBeGreaterThan(20);
  const left = await db.getAll('runs');
  expect(left.filter((run) => run.claimedAt >= start)).toHaveLength(claimed);
  expect(left.filter((run) => run.claimedAt < start).length).toBeLessThan(100);
});

test('no slice looks at more than it was asked to', async () => {
  await plant(...Array.from({ length: 200 }, (_, i) => rowAt(automationId(1), NOW - (500 - i) * DAY_MS)));
  const sweep = (await ledger.upkeep()).sweep(NOW, LITTLE);
  for (;;) {
    const { done, runs, outputs } = await sweep.slice(10);
    expect(runs).toBeLessThanOrEqual(10);
    expect(outputs).toBeLessThanOrEqual(10);
    if (done) return;
  }
});

test('what is still to be accounted for by a paused automation, or by one that waits, keeps its rows', async () => {
  const owed = NOW - 150 * DAY_MS;
  const [paused, waiting, other] = [automationId(1), automationId(2), automationId(3)];
  const automation = (id: AutomationId, more: object) => ({ ...sampleAutomation(), id, ...more });
  await db.put('automations', automation(paused, { enabled: false, pausedFrom: owed }));
  await db.put('automations', automation(waiting, {}));
  await db.put('agenda', scheduledRow(waiting, owed));
  await db.put('automations', automation(other, {}));
  await db.put('agenda', scheduledRow(other, NOW));
  for (const id of [paused, waiting, other])
    await plant(...Array.from({ length: 200 }, (_, day) => rowAt(id, NOW - day * DAY_MS)));
  await sweepAll({ runs: { days: 50, most: null }, outputs: { days: 50, most: null } });
  const left = async (id: AutomationId): Promise<number> =>
    await db.countFromIndex('runs', 'by-automation', IDBKeyRange.bound([id], [id, []]));
  expect([await left(paused), await left(waiting), await left(other)]).toEqual([151, 151, 51]);
});

test('of an automation that cannot be read, or has a pending row of a newer build, nothing is forgotten', async () => {
  const [broken, newer] = [automationId(1), automationId(2)];
  await db.put('automations', { id: broken, name: 4 } as never);
  await db.put('automations', { ...sampleAutomation(), id: newer });
  await db.put('agenda', { ...scheduledRow(newer, NOW), schema: SCHEMA + 1 });
  for (const id of [broken, newer])
    await plant(...Array.from({ length: 200 }, (_, day) => rowAt(id, NOW - 3 * day * DAY_MS)));
  expect(await sweepAll()).toMatchObject({ runs: 0, outputs: 0 });
});
