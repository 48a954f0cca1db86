import { type AutomationId, type EpochMs, SCHEMA, decideRepair } from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { NewerData, type StoredRow, checkRow } from './rows.ts';
import type { QuarantineRow, RowStore } from './schema.ts';
import { type RotaTransaction, transact, view } from './transact.ts';
import { write } from './write.ts';
import { noteWritten } from './written.ts';

/** A row does not parse. Thrown inside a transaction, which aborts; {@link healing} sets the row aside and starts over. */
class BrokenRow extends Error {
  override readonly name = 'BrokenRow';
  constructor(
    readonly store: RowStore,
    readonly key: IDBValidKey,
  ) {
    super(`A row of ${store} does not parse.`);
  }
}

/** The row in `value`, or `null` for `undefined`; throws {@link NewerData} or {@link BrokenRow} for what cannot be used. */
export function useRow<Name extends RowStore>(
  store: Name,
  key: IDBValidKey,
  value: unknown,
): StoredRow<Name> | null {
  if (value === undefined) return null;
  const found = checkRow(store, value);
  switch (found.kind) {
    case 'row':
      return found.row;
    case 'newer':
      throw new NewerData(`A newer version of Rota wrote this row of ${store}.`);
    case 'broken':
      throw new BrokenRow(store, key);
  }
}

/** Most broken rows that one operation steps over; more at once means that something else is wrong. */
const HEALED_MOST = 100;

/**
 * Runs `operation`; when it meets a broken row, moves that row aside and runs it again. A row that is still there and
 * broken, as an active run is, rejects with {@link BrokenRow}: nothing may be decided over it.
 */
export async function healing<Result>(
  db: RotaDb,
  at: EpochMs,
  operation: () => Promise<Result>,
): Promise<Result> {
  const seen = new Set<string>();
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      if (!(error instanceof BrokenRow) || seen.size >= HEALED_MOST) throw error;
      const row = JSON.stringify([error.store, error.key]);
      if (seen.has(row)) throw error;
      seen.add(row);
      await setAside(db, error.store, [error.key], at);
    }
  }
}

/** Checks `values` of one store. `broken` holds the keys, found by `keyOf`, of those that do not parse. */
export function sortRows<Name extends RowStore>(
  store: Name,
  values: readonly unknown[],
  keyName: string,
): {
  readonly rows: readonly StoredRow<Name>[];
  readonly newer: readonly unknown[];
  readonly broken: readonly IDBValidKey[];
} {
  const rows: StoredRow<Name>[] = [];
  const newer: unknown[] = [];
  const broken: IDBValidKey[] = [];
  for (const value of values) {
    const found = checkRow(store, value);
    if (found.kind === 'row') rows.push(found.row);
    else if (found.kind === 'newer') newer.push(found.value);
    else broken.push(Reflect.get(value as object, keyName) as IDBValidKey);
  }
  return { rows, newer, broken };
}

/**
 * Moves the rows under `keys` that do not parse into `quarantine`, with their bytes. A row that was mended or removed
 * meanwhile is left alone, and so is an active run: who owns it cannot be told, and it is never swept. An automation
 * that loses its scheduled row so gets the row of its next instant, or it would look alive and never run.
 */
export async function setAside(
  db: RotaDb,
  store: RowStore,
  keys: readonly IDBValidKey[],
  at: EpochMs,
): Promise<void> {
  if (keys.length === 0) return;
  await transact(db, [store, 'quarantine', 'automations', 'agenda'] as const, async (tx) => {
    const rows = tx.objectStore(store);
    for (const key of keys) {
      const value: unknown = await rows.get(key as never);
      const found = value === undefined ? null : checkRow(store, value);
      if (found?.kind !== 'broken' || isActiveRow(store, value)) continue;
      const row: Omit<QuarantineRow, 'id'> = {
        schema: SCHEMA,
        at,
        store,
        key: typeof key === 'string' ? key : JSON.stringify(key),
        problems: found.problems,
        value,
      };
      await tx.objectStore('quarantine').add(row as QuarantineRow);
      await rows.delete(key as never);
      if (store === 'automations') noteWritten(tx, key as AutomationId);
      if (store === 'agenda') await reschedule(tx, Reflect.get(value as object, 'automationId'), at);
    }
  });
}

// Only requests of `tx` are awaited: the caller's transaction is open.
async function reschedule(
  tx: Pick<RotaTransaction<readonly ['automations', 'agenda'], 'readwrite'>, 'objectStore'>,
  id: unknown,
  now: EpochMs,
): Promise<void> {
  if (typeof id !== 'string') return;
  const [automation, agenda] = await Promise.all([
    tx.objectStore('automations').get(id as AutomationId),
    tx
      .objectStore('agenda')
      .index('by-automation')
      .getAll(id as AutomationId),
  ]);
  const found = checkRow('automations', automation);
  const { rows, newer } = sortRows('agenda', agenda, 'key');
  if (found.kind === 'row' && newer.length === 0) write(tx, decideRepair(found.row, rows, now));
}

/** Also one that says that it runs and lacks the field that the index of active runs goes by. */
function isActiveRow(store: RowStore, value: unknown): boolean {
  if (store !== 'runs') return false;
  return Reflect.get(value as object, 'active') === 1 || Reflect.get(value as object, 'status') === 'running';
}

/** Rows that were set aside, newest first, without their bytes. */
export async function listQuarantine(
  db: RotaDb,
  limit: number,
): Promise<readonly Omit<QuarantineRow, 'value'>[]> {
  return view(db, ['quarantine'] as const, async (tx) => {
    const found: Omit<QuarantineRow, 'value'>[] = [];
    let cursor = await tx.store.openCursor(null, 'prev');
    while (cursor !== null && found.length < limit) {
      const { value: _value, ...row } = cursor.value;
      found.push(row);
      cursor = await cursor.continue();
    }
    return found;
  });
}
