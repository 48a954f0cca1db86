import { type Write, assertNever } from '../domain/index.ts';
import type { RotaTransaction } from './transact.ts';
import { noteWritten } from './written.ts';

type Written = Write['store'];
/** A transaction over at least the stores that the writes name; another store's write throws, and so aborts. */
type Writable = Pick<RotaTransaction<readonly Written[], 'readwrite'>, 'objectStore'>;

/**
 * Makes the writes of a decision. An `add` that meets the same occurrence and attempt aborts the whole transaction
 * with a `ConstraintError`: the ledger's second line of defence against two rows of one occurrence.
 */
export function write(tx: Writable, writes: readonly Write[]): void {
  for (const item of writes) {
    // Not awaited: requests are carried out in order, and one that fails aborts the transaction, which tells everyone.
    request(tx, item).catch(() => undefined);
  }
}

function request(tx: Writable, item: Write): Promise<unknown> {
  switch (item.store) {
    case 'automations':
      noteWritten(tx, item.op === 'put' ? item.row.id : item.key);
      return item.op === 'put'
        ? tx.objectStore('automations').put(item.row)
        : tx.objectStore('automations').delete(item.key);
    case 'agenda':
      return item.op === 'put'
        ? tx.objectStore('agenda').put(item.row)
        : tx.objectStore('agenda').delete(item.key);
    case 'runs':
      return item.op === 'put' ? tx.objectStore('runs').put(item.row) : tx.objectStore('runs').add(item.row);
    case 'outputs':
      return tx.objectStore('outputs').put(item.row);
    case 'outbox':
      return item.op === 'put'
        ? tx.objectStore('outbox').put(item.row)
        : tx.objectStore('outbox').delete(item.key);
    case 'values':
      return item.op === 'put'
        ? tx.objectStore('values').put(item.row)
        : tx.objectStore('values').delete([...item.key]);
    default:
      return assertNever(item);
  }
}
