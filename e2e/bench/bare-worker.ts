/**
 * Transactions of the shape of a claim and of a settlement and nothing else: the same stores, the same reads, the same rows
 * written, with no rule asked and no row checked. One after the other, as a host makes them, with as many runs open at once as
 * a host has. What a host cannot be faster than.
 */
import { unwrap } from 'idb';
import {
  type ActiveRun,
  type AgendaRow,
  MAX_CONCURRENT_DEFAULT,
  type OutputRow,
  type SettledRun,
} from '../../src/domain/index.ts';
import { openDatabase } from '../../src/store/index.ts';

/** What is to be claimed, and the rows to be written for it. */
export interface BareOrder {
  readonly rows: readonly AgendaRow[];
  readonly active: readonly ActiveRun[];
  readonly settled: readonly SettledRun[];
  readonly output: OutputRow | null;
}

/** One strict transaction over `stores`, committed as soon as `body` is done. */
async function transact(
  db: IDBDatabase,
  stores: readonly string[],
  body: (tx: IDBTransaction) => Promise<void>,
): Promise<void> {
  const tx = db.transaction(stores, 'readwrite', { durability: 'strict' });
  const done = new Promise<void>((resolve, reject) => {
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error ?? new Error('it was aborted'));
  });
  await body(tx);
  tx.commit();
  await done;
}

function answerOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the request failed'));
  });
}

function claim(db: IDBDatabase, { key, automationId, occurrence }: AgendaRow, run: ActiveRun): Promise<void> {
  return transact(db, ['automations', 'agenda', 'runs', 'settings', 'commands', 'outbox'], async (tx) => {
    const [automations, agenda, runs] = [
      tx.objectStore('automations'),
      tx.objectStore('agenda'),
      tx.objectStore('runs'),
    ];
    const [automation] = await Promise.all([
      answerOf(automations.get(automationId) as IDBRequest<{ readonly fence: number }>),
      answerOf(agenda.get(key)),
      answerOf(runs.index('active').getAll(1)),
      answerOf(agenda.index('by-automation').getAll(automationId)),
      answerOf(tx.objectStore('settings').get('settings')),
      answerOf(runs.index('by-occurrence').openKeyCursor(IDBKeyRange.only([occurrence, 1]))),
    ]);
    runs.add(run);
    automations.put({ ...automation, fence: automation.fence + 1 });
    agenda.delete(key);
  });
}

function settle(db: IDBDatabase, run: SettledRun, output: OutputRow | null): Promise<void> {
  return transact(db, ['runs', 'automations', 'agenda', 'outputs', 'outbox', 'values'], async (tx) => {
    const [runs, automations] = [tx.objectStore('runs'), tx.objectStore('automations')];
    await answerOf(runs.get(run.id));
    const [automation] = await Promise.all([
      answerOf(automations.get(run.automationId)),
      answerOf(tx.objectStore('agenda').index('by-automation').getAll(run.automationId)),
    ]);
    runs.put(run);
    automations.put(automation);
    if (output !== null) tx.objectStore('outputs').put({ ...output, id: run.id });
  });
}

/** Milliseconds from the first to the last claim. */
async function carryOut({ rows, active, settled, output }: BareOrder): Promise<number> {
  const db = unwrap(
    await openDatabase(
      { onVersionChange: () => undefined, onLost: () => undefined },
      new Promise(() => undefined),
    ),
  );
  const startedAt = performance.now();
  const running = new Set<Promise<void>>();
  let claimedAt = startedAt;
  for (const [n, row] of rows.entries()) {
    const [before, after] = [active[n], settled[n]];
    if (before === undefined || after === undefined) throw new Error('A row is missing.');
    if (running.size >= MAX_CONCURRENT_DEFAULT) await Promise.race(running);
    await claim(db, row, before);
    claimedAt = performance.now();
    const settling = settle(db, after, output).finally(() => running.delete(settling));
    running.add(settling);
  }
  await Promise.all(running);
  return claimedAt - startedAt;
}

globalThis.addEventListener('message', ({ data }: MessageEvent<BareOrder>) => {
  carryOut(data).then(
    (value) => postMessage({ value }),
    (error: unknown) => postMessage({ error: String(error) }),
  );
});
