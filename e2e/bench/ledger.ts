/**
 * The ledger as hosts use it, on a database of any size: how it is filled, and what a claim, a settlement and a page of
 * history cost against the floor, one put in one transaction of the same durability, in turn.
 */
import * as v from 'valibot';
import {
  DAY_MS,
  type AgendaRow,
  type AutomationId,
  type CommandId,
  type EpochMs,
  type HostId,
  type RunId,
  type RunRow,
  UUID_V7_RANDOM_BYTES,
  definitionSchema,
  leaseName,
  prepareTime,
  scheduledOccurrence,
  uuidV7,
} from '../../src/domain/index.ts';
import { type Ledger, indexedDbLedger, openDatabase } from '../../src/store/index.ts';
import { offer } from './offer.ts';

/** Milliseconds of each measured step, unsorted. */
export interface ClaimSamples {
  readonly put: readonly number[];
  readonly claim: readonly number[];
  readonly settle: readonly number[];
}

/** How many automations come in with one transaction, and how many rows of history. */
const AUTOMATIONS_AT_ONCE = 500;
const RUNS_AT_ONCE = 5_000;

/** An id as hosts make them, as if made at `at`. */
export const newId = (at: EpochMs = Date.now()): string =>
  uuidV7(at, crypto.getRandomValues(new Uint8Array(UUID_V7_RANDOM_BYTES)));
/** The same, of a run made now. */
export const newRunId = (): RunId => newId() as RunId;
const hostId = crypto.randomUUID() as HostId;

/** What is open here, from the first call on. */
interface Open {
  readonly db: Awaited<ReturnType<typeof openDatabase>>;
  readonly ledger: Ledger;
  readonly floor: IDBDatabase;
  /** The automations that are claimed in turn. */
  readonly ids: readonly AutomationId[];
  /** How many claims there were. */
  claims: number;
}
let open: Open | null = null;

/** The ledger of this origin, opened by the first who asks. */
export async function openLedger(): Promise<Open> {
  if (open !== null) return open;
  await prepareTime();
  const db = await openDatabase(
    { onVersionChange: () => undefined, onLost: () => undefined },
    new Promise(() => undefined),
  );
  const ledger = indexedDbLedger(db, () => Date.now(), crypto);
  const ids = (await db.getAllKeys('automations')).sort();
  open = { db, ledger, floor: await openFloor(), ids, claims: 0 };
  return open;
}

/**
 * Fills the database of this origin up to `automations` and `runs`, counting what is there. The automations come in as any
 * others do, and each is due once a day. The history is a year of runs that succeeded: the row that a claim and a settlement
 * have really written, over and over with another id and another instant, put in bulk.
 */
async function seed({
  automations,
  runs,
}: {
  readonly automations: number;
  readonly runs: number;
}): Promise<void> {
  const { ledger, db, ids: known } = await openLedger();
  const ids = [...known];
  for (let n = ids.length; n < automations; n = ids.length) {
    const batch = Array.from({ length: Math.min(AUTOMATIONS_AT_ONCE, automations - n) }, (_, i) => ({
      id: newId() as AutomationId,
      definition: v.parse(definitionSchema, {
        name: `Automation ${n + i}`,
        schedule: { kind: 'every', everyMs: DAY_MS, anchor: 0 },
        action: { kind: 'http', method: 'GET', url: 'https://example.test/health' },
      }),
    }));
    await ledger.importAll({
      now: Date.now(),
      newId: newRunId,
      commandId: newId() as CommandId,
      automations: batch,
      freshId: () => newId() as AutomationId,
    });
    ids.push(...batch.map(({ id }) => id));
  }
  open = { ...(await openLedger()), ids };
  const there = await db.count('runs');
  if (there >= runs) return;
  const claimed = await claim(await nextDue());
  await settle(claimed);
  const pattern = (await ledger.findRun(claimed.runId))?.run;
  if (pattern?.status !== 'succeeded') throw new Error('The pattern of the history is not there.');
  const missing = runs - there;
  const year = 365 * DAY_MS;
  const first = Date.now() - year;
  for (let n = 0; n < missing; n += RUNS_AT_ONCE) {
    const tx = db.transaction('runs', 'readwrite', { durability: 'relaxed' });
    const many = Math.min(RUNS_AT_ONCE, missing - n);
    for (let i = n; i < n + many; i++) {
      const at = Math.floor(first + ((year - DAY_MS) * i) / missing);
      const automationId = ids[i % ids.length] as AutomationId;
      const row: RunRow = {
        ...pattern,
        id: newId(at) as RunId,
        automationId,
        occurrence: scheduledOccurrence(automationId, at),
        scheduledFor: at,
        claimedAt: at,
        startedAt: at,
        settledAt: at + 100,
      };
      tx.store.put(row).catch(() => undefined);
    }
    await tx.done;
  }
}

/** One run that was claimed here. */
interface Claimed {
  readonly runId: RunId;
  readonly fence: number;
}

/** What is to be claimed next: day after day falls due for each automation in turn, and nobody waits for it. */
export async function nextDue(): Promise<AgendaRow> {
  const here = await openLedger();
  const id = here.ids[here.claims % here.ids.length];
  here.claims += 1;
  const [row] = id === undefined ? [] : await here.ledger.listAgenda(id);
  if (row === undefined) throw new Error('Nothing is due: seed it first.');
  return row;
}

/** Claims it at its own instant, as a host does that holds its lease. */
export async function claim({ key, automationId, dueAt }: AgendaRow): Promise<Claimed> {
  const { ledger } = await openLedger();
  const result = await ledger.tryClaim({
    target: { kind: 'row', key },
    host: { id: hostId, kind: 'shared-worker', build: 'bench' },
    now: dueAt,
    lease: leaseName(automationId, 0),
    liveHosts: new Set([hostId]),
    missing: null,
    absence: 'closed',
    newId: newRunId,
    chance: 0.5,
  });
  if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
  return { runId: result.run.id, fence: result.run.fence };
}

/** Settles it as one that succeeded. */
export async function settle({ runId, fence }: Claimed): Promise<void> {
  const { ledger } = await openLedger();
  const ending = { kind: 'succeeded', summary: '200 OK' } as const;
  const { kind } = await ledger.settle({ runId, hostId, fence, ending, now: Date.now(), chance: 0.5 });
  if (kind !== 'settled') throw new Error(`not settled: ${kind}`);
}

/** Milliseconds that `work` takes, into `samples`. */
export async function timed<Result>(samples: number[], work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  samples.push(performance.now() - startedAt);
  return result;
}

/** Measures `rounds` puts, claims and settlements in turn. */
async function measureClaims(rounds: number): Promise<ClaimSamples> {
  const { floor } = await openLedger();
  const samples = { put: [] as number[], claim: [] as number[], settle: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    await timed(samples.put, () => putOne(floor));
    const row = await nextDue();
    const claimed = await timed(samples.claim, () => claim(row));
    await timed(samples.settle, () => settle(claimed));
  }
  return samples;
}

function openFloor(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('floor', 1);
    request.onupgradeneeded = () => void request.result.createObjectStore('rows', { keyPath: 'id' });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the floor did not open'));
  });
}

/** One put of a small row in one strict transaction: what nothing that is stored can be cheaper than. */
function putOne(db: IDBDatabase): Promise<void> {
  return new Promise((resolve, reject) => {
    const tx = db.transaction('rows', 'readwrite', { durability: 'strict' });
    tx.objectStore('rows').put({ id: newId(), text: 'x'.repeat(600) });
    tx.oncomplete = () => resolve();
    tx.onerror = () => reject(tx.error ?? new Error('the put failed'));
  });
}

/** Milliseconds of `rounds` pages of fifty rows of the history, the newest and one from its middle in turn. */
async function measureHistory(
  rounds: number,
): Promise<{ readonly newest: readonly number[]; readonly middle: readonly number[] }> {
  const { ledger, db } = await openLedger();
  const keys = await db.getAllKeys('runs');
  const before = keys[Math.floor(keys.length / 2)];
  if (before === undefined) throw new Error('There is no history: seed it first.');
  const samples = { newest: [] as number[], middle: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    const page = await timed(samples.newest, () => ledger.listRuns({ limit: 50 }));
    const older = await timed(samples.middle, () => ledger.listRuns({ limit: 50, before }));
    if (page.length < 50 || older.length < 50) throw new Error('The pages are not full.');
  }
  return samples;
}

offer({ seed, measureClaims, measureHistory });
