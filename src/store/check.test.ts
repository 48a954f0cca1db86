import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Automation,
  type Finding,
  DAY_MS,
  MINUTE_MS,
  SCHEMA,
  idFloor,
  prepareTime,
  resumeRow,
  scheduledRow,
} from '../domain/index.ts';
import { MONDAY, activeRun, automation, automationId, dueRow } from '../domain/samples.testing.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import type { Ledger } from './ledger.ts';
import { type RotaDb, openDatabase } from './open.ts';

const NEVER = new Promise<void>(() => undefined);
const NOW = MONDAY + MINUTE_MS / 2;
const NEXT = dueRow(MONDAY + MINUTE_MS);

let db: RotaDb;
let ledger: Ledger;

beforeAll(() => prepareTime());
beforeEach(async () => {
  globalThis.indexedDB = new IDBFactory();
  db = await openDatabase({ onVersionChange: () => undefined, onLost: () => undefined }, NEVER);
  ledger = indexedDbLedger(db, () => NOW, crypto);
});

/** Looks for what does not fit together, and then once more: what was put right must be right. */
async function checked(wholly = false): Promise<readonly Pick<Finding, 'what' | 'did'>[]> {
  const look = async (): Promise<readonly Finding[]> =>
    (await ledger.upkeep()).check(NOW, wholly, () => Promise.resolve());
  const found = await look();
  const left = (await look()).filter(({ did }) => did !== undefined);
  expect(left).toEqual([]);
  return found.map(({ what, did }) => ({ what, ...(did === undefined ? {} : { did }) }));
}

test('a ledger in order is left as it is', async () => {
  await db.put('automations', automation());
  await db.put('agenda', NEXT);
  expect(await checked(true)).toEqual([]);
  expect(await db.getAll('automations')).toEqual([automation()]);
  expect(await db.getAll('agenda')).toEqual([NEXT]);
});

test('an enabled automation without a pending row gets that of its next instant', async () => {
  await db.put('automations', automation());
  expect(await checked(true)).toEqual([{ what: 'enabled-without-agenda', did: 'planned' }]);
  expect(await db.getAll('agenda')).toEqual([NEXT]);
});

test('a pending row without an automation goes, and with it what an automation remembered', async () => {
  await db.put('agenda', NEXT);
  await db.put('values', { automationId: automationId(1), key: 'k', schema: SCHEMA, at: MONDAY, value: 1 });
  expect(await checked(true)).toEqual([
    { what: 'agenda-without-automation', did: 'removed' },
    { what: 'value-without-automation', did: 'removed' },
  ]);
  expect(await db.count('agenda')).toBe(0);
  expect(await db.count('values')).toBe(0);
});

test('of two scheduled rows of one automation the earlier is kept, so that nothing is passed over', async () => {
  await db.put('automations', automation());
  await db.put('agenda', dueRow(MONDAY + 3 * MINUTE_MS));
  await db.put('agenda', NEXT);
  expect(await checked()).toEqual([{ what: 'agenda-twice', did: 'removed' }]);
  expect(await db.getAll('agenda')).toEqual([NEXT]);
});

test('a paused automation loses its scheduled row, and owes from there on', async () => {
  await db.put('automations', automation({ enabled: false }));
  await db.put('agenda', NEXT);
  expect(await checked()).toEqual([{ what: 'agenda-of-paused', did: 'removed' }]);
  expect(await db.count('agenda')).toBe(0);
  expect(await db.get('automations', automationId(1))).toMatchObject({ pausedFrom: NEXT.scheduledFor });
});

test('the row that ends a pause stays', async () => {
  const until = MONDAY + DAY_MS;
  await db.put('automations', automation({ enabled: false }, { pausedFrom: NEXT.dueAt, pausedUntil: until }));
  await db.put('agenda', resumeRow(automationId(1), until));
  expect(await checked()).toEqual([]);
  expect(await db.count('agenda')).toBe(1);
});

test('a run that lost the mark of an active one gets it back, so that it is recovered', async () => {
  const of = automation({}, { fence: 3 });
  await db.put('automations', of);
  await db.put('agenda', NEXT);
  const { active: _, ...unmarked } = activeRun(of, MONDAY);
  await db.put('runs', unmarked as never);
  expect(await ledger.listActive()).toEqual([]);
  expect(await checked()).toEqual([{ what: 'run-not-marked-active', did: 'corrected' }]);
  expect(await ledger.listActive()).toHaveLength(1);
});

test('a run that ended and is still marked as active keeps nothing from running any more', async () => {
  const of = automation({}, { fence: 3 });
  await db.put('automations', of);
  await db.put('agenda', NEXT);
  const { lease: _lease, leaseDeadline: _deadline, ...run } = activeRun(of, MONDAY);
  await db.put('runs', { ...run, status: 'succeeded', settledAt: MONDAY, summary: 'Done.' } as never);
  expect(await checked()).toEqual([{ what: 'ended-run-marked-active', did: 'corrected' }]);
  expect(await db.countFromIndex('runs', 'active')).toBe(0);
  expect(await db.count('runs')).toBe(1);
});

test('a fence that is behind an active run is raised to it', async () => {
  const of = automation({}, { fence: 3 });
  await db.put('automations', { ...of, fence: 1 });
  await db.put('agenda', NEXT);
  await db.put('runs', activeRun(of, MONDAY));
  expect(await checked()).toEqual([{ what: 'run-ahead-of-fence', did: 'corrected' }]);
  expect(await db.get('automations', of.id)).toMatchObject({ fence: 3 });
});

test('an automation that does not know who follows it is told', async () => {
  const follower: Automation = {
    ...automation({ schedule: { kind: 'after', automation: automationId(1), on: 'any' } }),
    id: automationId(2),
  };
  await db.put('automations', automation());
  await db.put('automations', follower);
  await db.put('agenda', NEXT);
  expect(await checked(true)).toEqual([{ what: 'follower-not-told', did: 'corrected' }]);
  expect(await db.get('automations', automationId(1))).toMatchObject({ followers: [automationId(2)] });
});

test('rows that cannot be read are set aside with their bytes, those of history too when all is looked at', async () => {
  await db.put('automations', { id: automationId(1), name: 4 } as never);
  await db.put('agenda', { ...NEXT, attempt: 'first' } as never);
  const old = `${idFloor(MONDAY)}-7000-8000-000000000000`;
  await db.put('runs', { id: old, status: 'lost' } as never);
  expect(await checked(true)).toEqual([
    { what: 'unreadable', did: 'set-aside' },
    { what: 'unreadable', did: 'set-aside' },
    { what: 'unreadable', did: 'set-aside' },
  ]);
  expect(await db.count('quarantine')).toBe(3);
});

test('an active run that cannot be read is told of and left: nobody knows whose it is', async () => {
  const of = automation({}, { fence: 3 });
  await db.put('automations', of);
  await db.put('agenda', NEXT);
  await db.put('runs', { ...activeRun(of, MONDAY), fence: 'none' } as never);
  expect(await checked(true)).toEqual([{ what: 'unreadable' }]);
  expect(await db.count('runs')).toBe(1);
});

test('an output whose run is gone goes, unless it is of today', async () => {
  const old = `${idFloor(MONDAY - 2 * DAY_MS)}-7000-8000-000000000000`;
  const fresh = `${idFloor(MONDAY)}-7000-8000-000000000000`;
  for (const id of [old, fresh])
    await db.put('outputs', { id, schema: SCHEMA, output: { kind: 'x' } } as never);
  expect(await checked(true)).toEqual([{ what: 'output-without-run', did: 'removed' }]);
  expect(await db.getAllKeys('outputs')).toEqual([fresh]);
});

test('what a newer build wrote is neither taken for lost nor touched', async () => {
  const newer = { ...automation(), schema: SCHEMA + 1 };
  await db.put('automations', newer);
  await db.put('agenda', { ...NEXT, schema: SCHEMA + 1 });
  await db.put('agenda', dueRow(MONDAY + 3 * MINUTE_MS));
  expect(await checked(true)).toEqual([]);
  expect(await db.count('agenda')).toBe(2);
  expect(await db.getAll('automations')).toEqual([newer]);
});

test('what a start has repaired already is left to it by the check at a start', async () => {
  await db.put('automations', automation());
  expect(await checked()).toEqual([]);
  expect(await db.count('agenda')).toBe(0);
});

test('many automations are looked at a few at a time, with a rest in between, and none is passed over', async () => {
  const many = Array.from({ length: 600 }, (_, n) => n + 1);
  const writing = db.transaction(['automations', 'agenda'], 'readwrite');
  for (const n of many) {
    const one: Automation = { ...automation({ enabled: false }), id: automationId(n) };
    void writing.objectStore('automations').put(one);
    if (n % 3 === 0) void writing.objectStore('agenda').put(scheduledRow(one.id, MONDAY + MINUTE_MS));
  }
  await writing.done;
  await db.delete('automations', automationId(300));
  let rests = 0;
  const upkeep = await ledger.upkeep();
  const found = await upkeep.check(NOW, false, () => {
    rests += 1;
    return Promise.resolve();
  });
  expect(found).toHaveLength(200);
  expect(found.filter(({ what }) => what === 'agenda-without-automation')).toHaveLength(1);
  expect(rests).toBe(2);
  expect(await db.count('agenda')).toBe(0);
});
