import {
  type ActiveRun,
  type Automation,
  type AutomationId,
  type EpochMs,
  type WaitingNotification,
  isActive,
  isWaiting,
} from '../domain/index.ts';
import type { StoredAutomation } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { NewerData, checkRow } from './rows.ts';
import type { RowStore } from './schema.ts';
import { transact, view } from './transact.ts';

/** The automation, also when a newer build wrote it; `null` when it is not there or was set aside. */
export async function findAutomation(
  db: RotaDb,
  id: AutomationId,
  at: EpochMs,
): Promise<StoredAutomation | null> {
  const value: unknown = await view(db, ['automations'] as const, (tx) => tx.store.get(id));
  if (value === undefined) return null;
  const found = checkRow('automations', value);
  if (found.kind === 'broken') await setAside(db, 'automations', [id], at);
  return asStored(value);
}

function asStored(value: unknown): StoredAutomation | null {
  const found = checkRow('automations', value);
  if (found.kind === 'row') return { automation: found.row };
  return isReadable('automations', value)
    ? { automation: value as Automation, readOnly: 'newer-data' }
    : null;
}

/** Whether `value` can be shown: it is a row, or a newer one that still looks like a row to this code. */
export function isReadable(store: RowStore, value: unknown): boolean {
  const found = checkRow(store, value);
  return found.kind === 'newer'
    ? checkRow(store, { ...(value as object), schema: 0 }).kind === 'row'
    : found.kind === 'row';
}

/** Active runs that this code can read. */
export async function listActive(db: RotaDb): Promise<readonly ActiveRun[]> {
  const values = await view(db, ['runs'] as const, (tx) => tx.store.index('active').getAll(1));
  return sortRows('runs', values, 'id').rows.filter((run): run is ActiveRun => isActive(run));
}

/**
 * What the automation remembers under `key`; `undefined` when it remembers nothing, or what cannot be read. Rejects with
 * {@link NewerData} where a newer version wrote it.
 */
export async function recall(db: RotaDb, automationId: AutomationId, key: string): Promise<unknown> {
  const row = await view(db, ['values'] as const, (tx) => tx.store.get([automationId, key]));
  if (row === undefined) return undefined;
  const found = checkRow('values', row);
  if (found.kind === 'newer') {
    throw new NewerData('A newer version of Rota wrote what this automation remembers.');
  }
  return found.kind === 'row' ? found.row.value : undefined;
}

/** Notifications that are not shown yet, the first due first. */
export async function listOutbox(
  db: RotaDb,
  limit: number,
  at: EpochMs,
): Promise<readonly WaitingNotification[]> {
  const values = await view(db, ['outbox'] as const, (tx) => tx.store.index('by-due').getAll(null, limit));
  const { rows, broken } = sortRows('outbox', values, 'id');
  await setAside(db, 'outbox', broken, at);
  return rows.filter(isWaiting);
}

/** Forgets at most `limit` answers to commands older than `before`; says how many. */
export async function forgetCommands(db: RotaDb, before: EpochMs, limit: number): Promise<number> {
  return transact(db, ['commands'] as const, async (tx) => {
    const keys = await tx.store.index('by-age').getAllKeys(IDBKeyRange.upperBound(before, true), limit);
    await Promise.all(keys.map((key) => tx.store.delete(key)));
    return keys.length;
  });
}
