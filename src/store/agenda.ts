import { type AgendaRow, type AutomationId, type EpochMs, nextAfter, scheduledRow } from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { transact, view } from './transact.ts';

/** The pending row that is due first, or `null` with an empty agenda. */
export async function nextAgendaRow(db: RotaDb): Promise<AgendaRow | null> {
  return view(
    db,
    ['agenda'] as const,
    async (tx) => (await tx.store.index('by-due').openCursor())?.value ?? null,
  );
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
  return view(db, ['agenda'] as const, (tx) => tx.store.index('by-automation').getAll(id));
}

/** When the first pending row of each automation is due. */
export async function listNextDue(db: RotaDb): Promise<ReadonlyMap<AutomationId, EpochMs>> {
  return view(db, ['agenda'] as const, async (tx) => {
    const next = new Map<AutomationId, EpochMs>();
    for (const row of await tx.store.index('by-due').getAll()) {
      if (!next.has(row.automationId)) next.set(row.automationId, row.dueAt);
    }
    return next;
  });
}

/**
 * Gives each enabled automation without a scheduled row the row of its next instant after `now`, and answers how many
 * lacked it. Nothing else can bring an automation back that lost its row: it would look alive and never run.
 */
export async function repairAgenda(db: RotaDb, now: EpochMs): Promise<number> {
  return transact(db, ['automations', 'agenda'] as const, async (tx) => {
    const [values, agenda] = await Promise.all([
      tx.objectStore('automations').getAll(),
      tx.objectStore('agenda').getAll(),
    ]);
    const scheduled = new Set(
      agenda.filter((row) => row.cause === 'schedule').map((row) => row.automationId),
    );
    let repaired = 0;
    for (const automation of sortRows('automations', values, 'id').rows) {
      if (!automation.enabled || scheduled.has(automation.id)) continue;
      const next = nextAfter(automation.schedule, now);
      if (next === null) continue;
      await tx.objectStore('agenda').put(scheduledRow(automation.id, next));
      repaired += 1;
    }
    return repaired;
  });
}
