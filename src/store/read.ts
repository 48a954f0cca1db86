import {
  type ActiveRun,
  type Automation,
  type AutomationId,
  type EpochMs,
  type OutboxRow,
  type OutputRow,
  type RunId,
  type RunRow,
  isActive,
} from '../domain/index.ts';
import type { RunQuery, StoredAutomation } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows, useRow } from './quarantine.ts';
import { checkRow } from './rows.ts';
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

/** All automations by name; broken ones are set aside, those of a newer build are there to look at. */
export async function listAutomations(db: RotaDb, at: EpochMs): Promise<readonly StoredAutomation[]> {
  const values = await view(db, ['automations'] as const, (tx) => tx.store.getAll());
  const { broken } = sortRows('automations', values, 'id');
  await setAside(db, 'automations', broken, at);
  return values
    .flatMap((value) => asStored(value) ?? [])
    .sort(
      (a, b) =>
        compareText(a.automation.name, b.automation.name) || compareText(a.automation.id, b.automation.id),
    );
}

function compareText(a: string, b: string): number {
  return a.localeCompare(b);
}

/** A newer row is shown only when it still looks like an automation to this code. */
function asStored(value: unknown): StoredAutomation | null {
  const found = checkRow('automations', value);
  if (found.kind === 'row') return { automation: found.row };
  if (found.kind === 'broken') return null;
  const readable = checkRow('automations', { ...(found.value as object), schema: 0 });
  return readable.kind === 'row' ? { automation: found.value as Automation, readOnly: 'newer-data' } : null;
}

/** Active runs that this code can read. */
export async function listActive(db: RotaDb): Promise<readonly ActiveRun[]> {
  const values = await view(db, ['runs'] as const, (tx) => tx.store.index('active').getAll(1));
  return sortRows('runs', values, 'id').rows.filter((run): run is ActiveRun => isActive(run));
}

/** Rows of the ledger, newest first, from an index, so that a page costs the same however long the history is. */
export async function listRuns(db: RotaDb, query: RunQuery, at: EpochMs): Promise<readonly RunRow[]> {
  const { automationId, statuses, limit, before } = query;
  const only = statuses?.length === 1 ? statuses[0] : undefined;
  const values = await view(db, ['runs'] as const, async (tx) => {
    const found: unknown[] = [];
    const top = before ?? '\uffff';
    let cursor =
      automationId !== undefined
        ? await tx.store
            .index('by-automation')
            .openCursor(IDBKeyRange.bound([automationId, ''], [automationId, top], false, true), 'prev')
        : only !== undefined
          ? await tx.store
              .index('by-status')
              .openCursor(IDBKeyRange.bound([only, ''], [only, top], false, true), 'prev')
          : await tx.store.openCursor(IDBKeyRange.upperBound(top, true), 'prev');
    while (cursor !== null && found.length < limit) {
      const status: unknown = Reflect.get(cursor.value, 'status');
      if (statuses === undefined || statuses.some((wanted) => wanted === status)) found.push(cursor.value);
      cursor = await cursor.continue();
    }
    return found;
  });
  const { rows, broken } = sortRows('runs', values, 'id');
  await setAside(db, 'runs', broken, at);
  return rows;
}

/** One row with what it brought back; `null` when it is not there. */
export async function findRun(
  db: RotaDb,
  id: RunId,
): Promise<{ readonly run: RunRow; readonly output: OutputRow | null } | null> {
  return view(db, ['runs', 'outputs'] as const, async (tx) => {
    const [value, output] = await Promise.all([
      tx.objectStore('runs').get(id),
      tx.objectStore('outputs').get(id),
    ]);
    const run = useRow('runs', id, value);
    return run === null ? null : { run, output: output ?? null };
  });
}

/** Effects to deliver, oldest first. */
export async function listOutbox(db: RotaDb, limit: number, at: EpochMs): Promise<readonly OutboxRow[]> {
  const values = await view(db, ['outbox'] as const, (tx) => tx.store.index('by-due').getAll(null, limit));
  const { rows, broken } = sortRows('outbox', values, 'id');
  await setAside(db, 'outbox', broken, at);
  return rows;
}

/** Forgets an effect that was delivered. */
export async function removeFromOutbox(db: RotaDb, id: string): Promise<void> {
  await transact(db, ['outbox'] as const, (tx) => tx.store.delete(id));
}

/** Forgets at most `limit` answers to commands older than `before`; says how many. */
export async function forgetCommands(db: RotaDb, before: EpochMs, limit: number): Promise<number> {
  return transact(db, ['commands'] as const, async (tx) => {
    const keys = await tx.store.index('by-age').getAllKeys(IDBKeyRange.upperBound(before, true), limit);
    await Promise.all(keys.map((key) => tx.store.delete(key)));
    return keys.length;
  });
}
