/** What is done for the ledger now and then. Loaded when it is first asked for: no claim needs it. */
import { type EpochMs, SCHEMA } from '../domain/index.ts';
import { check } from './check.ts';
import type { RotaDb } from './open.ts';
import type { UpkeepRow } from './schema.ts';
import { sweepOf } from './sweep.ts';
import { transact, view } from './transact.ts';
import type { LedgerUpkeep } from './upkeep-ledger.ts';
import { usageOf } from './usage.ts';

const KEY = 'upkeep';

/** The upkeep of the ledger over `db`. */
export function upkeepOf(db: RotaDb): LedgerUpkeep {
  return {
    sweep: (now, keep) => sweepOf(db, now, keep),
    usage: () => usageOf(db),
    check: (now, wholly, rest) => check(db, now, wholly, rest),
    noteSeen: (seen) => note(db, { seen }),
    noteSwept: (swept) => note(db, { swept }),
    noteChecked: (checked) => note(db, { checked }),
    about: (now, newId) => about(db, now, newId),
  };
}

async function about(
  db: RotaDb,
  now: EpochMs,
  newId: () => string,
): Promise<Awaited<ReturnType<LedgerUpkeep['about']>>> {
  const known = await view(db, ['settings'] as const, async (tx) => asUpkeep(await tx.store.get(KEY)));
  const { ledger, bornAt, seen = null, swept = null, checked = null } = known ?? (await born(db, now, newId));
  return { ledger, bornAt, seen, swept, checked };
}

/** Gives the database its name, unless it has got one meanwhile. */
async function born(db: RotaDb, now: EpochMs, newId: () => string): Promise<UpkeepRow> {
  return await transact(db, ['settings'] as const, async (tx) => {
    const stored = asUpkeep(await tx.store.get(KEY));
    const row: UpkeepRow = stored ?? { name: KEY, schema: SCHEMA, ledger: newId(), bornAt: now };
    if (stored === null) await tx.store.put(row);
    return row;
  });
}

/** Nothing stands on these notes, so they may be lost with the machine. */
async function note(db: RotaDb, change: Pick<UpkeepRow, 'seen' | 'swept' | 'checked'>): Promise<void> {
  await transact(
    db,
    ['settings'] as const,
    async (tx) => {
      const stored = asUpkeep(await tx.store.get(KEY));
      if (stored !== null) await tx.store.put({ ...stored, ...change });
    },
    'relaxed',
  );
}

function asUpkeep(value: unknown): UpkeepRow | null {
  if (typeof value !== 'object' || value === null) return null;
  return typeof Reflect.get(value, 'ledger') === 'string' ? (value as UpkeepRow) : null;
}
