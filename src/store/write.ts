import { type Write, assertNever } from '../domain/index.ts';
import type { RotaTransaction } from './transact.ts';

type Written = Write['store'];
/** A transaction over at least the stores that the writes name; another store's write throws, and so aborts. */
type Writable = Pick<RotaTransaction<readonly Written[], 'readwrite'>, 'objectStore'>;

/**
 * Makes the writes of a decision. An `add` that meets the same occurrence and attempt aborts the whole transaction
 * with a `ConstraintError`: the ledger's second line of defence against two runs of one occurrence.
 */
export async function write(tx: Writable, writes: readonly Write[]): Promise<void> {
  // Requests of a transaction are carried out in the order in which they are made, so none waits for another here.
  await Promise.all(writes.map((item) => request(tx, item)));
}

async function request(tx: Writable, item: Write): Promise<unknown> {
  switch (item.store) {
    case 'automations':
      return item.op === 'put'
        ? tx.objectStore('automations').put(item.row)
        : tx.objectStore('automations').delete(item.key);
    case 'agenda':
      return item.op === 'put'
        ? tx.objectStore('agenda').put(item.row)
        : tx.objectStore('agenda').delete(item.key);
    case 'runs': {
      const runs = tx.objectStore('runs');
      if (item.op === 'put') return runs.put(item.row);
      if (item.row.status === 'missed' || item.row.status === 'skipped') {
        // After a clock was set back by hours, an instant can come up again that has its row: it keeps that one.
        const had = await runs.index('by-occurrence').count([item.row.occurrence, item.row.attempt]);
        if (had > 0) return undefined;
      }
      return runs.add(item.row);
    }
    case 'outputs':
      return tx.objectStore('outputs').put(item.row);
    case 'outbox':
      return tx.objectStore('outbox').put(item.row);
    default:
      return assertNever(item);
  }
}
