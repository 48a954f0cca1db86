import type { IDBPTransaction, StoreNames } from 'idb';
import { tellLost } from './connection.ts';
import type { RotaDb } from './open.ts';
import type { RotaSchema } from './schema.ts';
import { tellWritten } from './written.ts';

type StoreName = StoreNames<RotaSchema>;
export type RotaTransaction<
  Names extends readonly StoreName[],
  Mode extends IDBTransactionMode,
> = IDBPTransaction<RotaSchema, Names, Mode>;

/** WebKit can take a connection away without its `close` event; then the next transaction is the first to be told. */
function begin<Tx>(db: RotaDb, transaction: () => Tx): Tx {
  try {
    return transaction();
  } catch (error) {
    if (error instanceof DOMException && error.name === 'InvalidStateError') tellLost(db);
    throw error;
  }
}

/**
 * Runs `body` in one strict readwrite transaction and resolves after its `complete` event, which alone means stored.
 * A throw in `body` aborts: left to itself, IndexedDB would commit what was written before the throw.
 *
 * `body` awaits requests of this transaction and nothing else; anything foreign ends the transaction under it. `relaxed` is
 * for what may be lost with the machine and is then done again: it keeps others waiting for less.
 */
export async function transact<Result, Names extends readonly StoreName[]>(
  db: RotaDb,
  stores: Names,
  body: (tx: RotaTransaction<Names, 'readwrite'>) => Promise<Result>,
  durability: 'strict' | 'relaxed' = 'strict',
): Promise<Result> {
  const tx = begin(db, () => db.transaction(stores, 'readwrite', { durability }));
  // Watched from the start: a request that fails rejects both, and a rejection that nobody hears is reported as a bug.
  const done = tx.done;
  // A transaction that a failed request has ended says only that it was aborted; the request says why.
  const failed: (DOMException | null)[] = [];
  tx.addEventListener('error', ({ target }) => failed.push((target as IDBRequest).error));
  try {
    const [result] = await Promise.all([bodyThenCommit(tx, body), done]);
    tellWritten(db, tx);
    return result;
  } catch (error) {
    try {
      tx.abort();
    } catch {
      // It has ended already, by this very error.
    }
    await done.catch(() => undefined);
    throw isAbort(error) ? (failed[0] ?? error) : error;
  }
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

/** Commits as soon as `body` is done: the browser need not first tell us of each request and wait for another. */
async function bodyThenCommit<Result, Tx extends { commit(): void }>(
  tx: Tx,
  body: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const result = await body(tx);
  tx.commit();
  return result;
}

/** Runs `body` in one readonly transaction: what it reads is one moment of the database. */
export async function view<Result, Names extends readonly StoreName[]>(
  db: RotaDb,
  stores: Names,
  body: (tx: RotaTransaction<Names, 'readonly'>) => Promise<Result>,
): Promise<Result> {
  const tx = begin(db, () => db.transaction(stores, 'readonly'));
  const done = tx.done;
  const [result] = await Promise.all([body(tx), done]);
  return result;
}
