/**
 * What a claim and a settlement cost against the floor: one put in one transaction of the same durability, in the same
 * database, in turn. A page on its own; scripts/bench.mjs opens it and prints what it answers.
 */
import {
  DAY_MS,
  type AutomationId,
  type CommandId,
  type HostId,
  type RunId,
  UUID_V7_RANDOM_BYTES,
  agendaKey,
  definitionSchema,
  leaseName,
  prepareTime,
  scheduledOccurrence,
  uuidV7,
} from '../../src/domain/index.ts';
import * as v from 'valibot';
import { indexedDbLedger, openDatabase } from '../../src/store/index.ts';

/** Milliseconds of each measured step, unsorted. */
export interface Samples {
  readonly put: readonly number[];
  readonly claim: readonly number[];
  readonly settle: readonly number[];
}

const newId = (): RunId =>
  uuidV7(Date.now(), crypto.getRandomValues(new Uint8Array(UUID_V7_RANDOM_BYTES))) as RunId;

/** Measures `rounds` claims, settlements and puts in turn, over a ledger of `automations` with `runs` rows of history. */
async function measure(rounds: number, automations: number, runs: number): Promise<Samples> {
  indexedDB.deleteDatabase('rota');
  indexedDB.deleteDatabase('floor');
  await prepareTime();
  const db = await openDatabase(
    { onVersionChange: () => undefined, onLost: () => undefined },
    new Promise(() => undefined),
  );
  const ledger = indexedDbLedger(db, () => Date.now(), crypto);
  const hostId = crypto.randomUUID() as HostId;
  const host = { id: hostId, kind: 'shared-worker', build: 'bench' } as const;
  const ids: AutomationId[] = [];
  const action = { kind: 'http', method: 'GET', url: 'https://example.test/health' };
  const base = { now: Date.now(), newId };
  for (let n = 0; n < automations; n += 500) {
    const batch = Array.from({ length: Math.min(500, automations - n) }, (_, i) => ({
      id: newId() as string as AutomationId,
      definition: v.parse(definitionSchema, {
        name: `Automation ${n + i}`,
        schedule: { kind: 'every', everyMs: DAY_MS, anchor: 0 },
        action,
      }),
    }));
    await ledger.importAll({
      ...base,
      commandId: newId() as string as CommandId,
      automations: batch,
      freshId: () => newId() as string as AutomationId,
    });
    ids.push(...batch.map(({ id }) => id));
  }
  // Each automation is due once a day; day after day is claimed as it falls due, without waiting for it.
  const firstDue = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  const claim = async (n: number): Promise<{ readonly runId: RunId; readonly fence: number }> => {
    const id = ids[n % ids.length] as AutomationId;
    const dueAt = firstDue + Math.floor(n / ids.length) * DAY_MS;
    const result = await ledger.tryClaim({
      target: { kind: 'row', key: agendaKey(scheduledOccurrence(id, dueAt), 1) },
      host,
      now: dueAt,
      lease: leaseName(id, 0),
      liveHosts: new Set([hostId]),
      missing: null,
      absence: 'closed',
      newId,
      chance: 0.5,
    });
    if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
    return { runId: result.run.id, fence: result.run.fence };
  };
  const settle = ({ runId, fence }: { readonly runId: RunId; readonly fence: number }): Promise<unknown> =>
    ledger.settle({
      runId,
      hostId,
      fence,
      ending: { kind: 'succeeded', summary: '200 OK' },
      now: Date.now(),
      chance: 0.5,
    });
  for (let n = 0; n < runs; n++) await settle(await claim(n));

  const floor = await openFloor();
  const row = { id: '', text: 'x'.repeat(600) };
  const samples = { put: [] as number[], claim: [] as number[], settle: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    const t0 = performance.now();
    await putOne(floor, { ...row, id: String(n) });
    const t1 = performance.now();
    const run = await claim(runs + n);
    const t2 = performance.now();
    await settle(run);
    const t3 = performance.now();
    samples.put.push(t1 - t0);
    samples.claim.push(t2 - t1);
    samples.settle.push(t3 - t2);
  }
  ledger.close();
  floor.close();
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

function putOne(db: IDBDatabase, row: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const tx = db.transaction('rows', 'readwrite', { durability: 'strict' });
    tx.objectStore('rows').put(row);
    tx.oncomplete = () => resolve();
    tx.onerror = () => reject(tx.error ?? new Error('the put failed'));
  });
}

Object.assign(globalThis, { measure });
