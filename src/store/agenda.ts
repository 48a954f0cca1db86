import {
  type AgendaRow,
  type AutomationId,
  type EpochMs,
  decideRepair,
  withFollowers,
} from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { checkRow } from './rows.ts';
import { transact, view } from './transact.ts';
import { write } from './write.ts';

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

/** When the first pending row of each automation is due. */
export async function listNextDue(db: RotaDb): Promise<ReadonlyMap<AutomationId, EpochMs>> {
  const values = await view(db, ['agenda'] as const, (tx) => tx.store.index('by-due').getAll());
  const next = new Map<AutomationId, EpochMs>();
  for (const row of sortRows('agenda', values, 'key').rows) {
    if (!next.has(row.automationId)) next.set(row.automationId, row.dueAt);
  }
  return next;
}

/**
 * Gives each enabled automation the scheduled row that it lacks, plans anew what a clock planned that has gone back by
 * hours since, and answers of how many automations. Nothing else can bring one back that lost its row. Broken rows are
 * set aside first, also those that no index leads to, and each automation is told again who follows it; an automation with a pending row of a newer build is left alone.
 */
export async function repairAgenda(db: RotaDb, now: EpochMs): Promise<number> {
  const values = await view(db, ['agenda'] as const, (tx) => tx.store.getAll());
  await setAside(db, 'agenda', sortRows('agenda', values, 'key').broken, now);
  return transact(db, ['automations', 'agenda'] as const, async (tx) => {
    const [automations, agenda] = await Promise.all([
      tx.objectStore('automations').getAll(),
      tx.objectStore('agenda').getAll(),
    ]);
    const pending = new Map<AutomationId, AgendaRow[]>();
    for (const row of agenda) pending.set(row.automationId, [...(pending.get(row.automationId) ?? []), row]);
    let repaired = 0;
    const { rows: known } = sortRows('automations', automations, 'id');
    for (const automation of withFollowers(known)) {
      const rows = pending.get(automation.id) ?? [];
      if (rows.some((row) => checkRow('agenda', row).kind !== 'row')) continue;
      const told = known.includes(automation)
        ? []
        : [{ op: 'put', store: 'automations', row: automation } as const];
      const writes = [...told, ...decideRepair(automation, rows, now)];
      write(tx, writes);
      if (writes.length > 0) repaired += 1;
    }
    return repaired;
  });
}
