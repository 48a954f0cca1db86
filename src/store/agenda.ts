import type { AgendaRow, AutomationId, EpochMs } from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { checkRow } from './rows.ts';
import { view } from './transact.ts';

/** The pending row that is due first, or `null` with an empty agenda. A broken row is none. */
export async function nextAgendaRow(db: RotaDb): Promise<AgendaRow | null> {
  return view(db, ['agenda'] as const, async (tx) => {
    let cursor = await tx.store.index('by-due').openCursor();
    while (cursor !== null) {
      const found = checkRow('agenda', cursor.value);
      if (found.kind === 'row') return found.row;
      cursor = await cursor.continue();
    }
    return null;
  });
}

/** When the first row falls due that is not due at `now`; `null` when there is none. */
export async function nextDueAfter(db: RotaDb, now: EpochMs): Promise<EpochMs | null> {
  return view(db, ['agenda'] as const, async (tx) => {
    const cursor = await tx.store.index('by-due').openKeyCursor(IDBKeyRange.lowerBound(now, true));
    return cursor?.key ?? null;
  });
}

/** Rows due at `now`, oldest first, at most `limit`; broken ones are set aside. */
export async function listDue(db: RotaDb, now: EpochMs, limit: number): Promise<readonly AgendaRow[]> {
  const values = await view(db, ['agenda'] as const, (tx) =>
    tx.store.index('by-due').getAll(IDBKeyRange.upperBound(now), limit),
  );
  const { rows, broken } = sortRows('agenda', values, 'key');
  await setAside(db, 'agenda', broken, now);
  return rows;
}

/** All pending rows of one automation. */
export async function listAgenda(db: RotaDb, id: AutomationId): Promise<readonly AgendaRow[]> {
  const values = await view(db, ['agenda'] as const, (tx) => tx.store.index('by-automation').getAll(id));
  return sortRows('agenda', values, 'key').rows;
}

/** When the first pending row of each of `ids` is due, by one look at the index for each. */
export async function listNextDue(
  db: RotaDb,
  ids: readonly AutomationId[],
): Promise<ReadonlyMap<AutomationId, EpochMs>> {
  if (ids.length === 0) return new Map();
  const values = await view(db, ['agenda'] as const, (tx) =>
    Promise.all(ids.map((id) => tx.store.index('by-automation').getAll(id))),
  );
  const next = new Map<AutomationId, EpochMs>();
  for (const { automationId, dueAt } of sortRows('agenda', values.flat(), 'key').rows) {
    next.set(automationId, Math.min(dueAt, next.get(automationId) ?? Infinity));
  }
  return next;
}
