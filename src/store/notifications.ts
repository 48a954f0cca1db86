/** Notifications as stored: what is shown, what was, and what the person has read of it. */
import {
  type EpochMs,
  type OutboxRow,
  type Told,
  decideRead,
  decideShown,
  decideTelling,
  decidedAt,
  parseWith,
  quietHoursSchema,
} from '../domain/index.ts';
import type { ReadRequest, TellingRequest } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { getSettingsIn } from './settings.ts';
import { type RotaTransaction, transact, view } from './transact.ts';
import { write } from './write.ts';

/** Decides what is shown now, and with `seal` writes it down: the same then comes back until it is marked as shown. */
export async function listShowings(db: RotaDb, { now, zone, online, seal }: TellingRequest): Promise<Told> {
  return transact(db, ['outbox', 'automations', 'settings'] as const, async (tx) => {
    const rows = await rowsIn(tx);
    const [automations, settings] = await Promise.all([
      // Only what could not reach its server makes it of interest what others reach.
      rows.some((row) => row.unreached === true) ? tx.objectStore('automations').getAll() : [],
      getSettingsIn(tx),
    ]);
    const quiet = settings.quiet === undefined ? null : parseWith(quietHoursSchema, settings.quiet);
    const { result, writes } = decideTelling({
      rows,
      automations: sortRows('automations', automations, 'id').rows,
      quiet: quiet?.kind === 'ok' ? quiet.value : null,
      zone,
      online,
      now,
    });
    // What is too old goes in any case, or what nobody can show would heap up.
    write(tx, seal ? writes : writes.filter(({ op }) => op === 'delete'));
    return result;
  });
}

/** Records that what was named `id` was shown; `false` when it was known already. */
export async function markShown(db: RotaDb, id: string, now: EpochMs): Promise<boolean> {
  return transact(db, ['outbox'] as const, async (tx) => {
    const writes = decideShown(await rowsIn(tx), id, now);
    write(tx, writes);
    return writes.length > 0;
  });
}

/** Records that the person has read some, or all; says how many. */
export async function markRead(db: RotaDb, { now, ids, runId }: ReadRequest): Promise<number> {
  return transact(db, ['outbox'] as const, async (tx) => {
    const isMeant = (row: OutboxRow): boolean =>
      (ids === undefined || ids.includes(row.id)) && (runId === undefined || row.runId === runId);
    const writes = decideRead(await rowsIn(tx), isMeant, now);
    write(tx, writes);
    return writes.length;
  });
}

/** The newest `limit` notifications, waiting and told, and how many of all were not read. */
export async function listNotifications(
  db: RotaDb,
  limit: number,
  at: EpochMs,
): Promise<{ readonly rows: readonly OutboxRow[]; readonly unread: number }> {
  const values = await view(db, ['outbox'] as const, (tx) => tx.store.getAll());
  const { rows, broken } = sortRows('outbox', values, 'id');
  await setAside(db, 'outbox', broken, at);
  return {
    rows: rows.toSorted((a, b) => decidedAt(b) - decidedAt(a) || (a.id < b.id ? 1 : -1)).slice(0, limit),
    unread: rows.filter((row) => row.readAt === undefined).length,
  };
}

/** All rows that this code can read; the others are left to whoever can, or to the next look at the list. */
async function rowsIn(tx: {
  objectStore(name: 'outbox'): Pick<RotaTransaction<readonly ['outbox'], 'readwrite'>['store'], 'getAll'>;
}): Promise<readonly OutboxRow[]> {
  return sortRows('outbox', await tx.objectStore('outbox').getAll(), 'id').rows;
}
