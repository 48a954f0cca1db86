/** What each store takes, reckoned from a sample: to read all of it would keep others waiting. */
import type { RotaDb } from './open.ts';
import { view } from './transact.ts';
import type { StoreUsage } from './upkeep-ledger.ts';

/** How many rows are measured at each end of a store, and at most in between. */
const AT_ENDS = 20;
const BETWEEN = 8;

/** Reckons the size of each store from its oldest rows, its newest and some in between. */
export async function usageOf(db: RotaDb): Promise<readonly StoreUsage[]> {
  const usages: StoreUsage[] = [];
  // One after the other, and each in transactions of its own, so that a claim waits for one of them at most.
  for (const store of db.objectStoreNames) {
    const { rows, values } = await view(db, [store] as const, async (tx) => {
      const all = tx.objectStore(store);
      const [rows, oldest] = await Promise.all([all.count(), all.getAll(null, AT_ENDS)]);
      const newest: unknown[] = [];
      if (rows > AT_ENDS) {
        let cursor = await all.openCursor(null, 'prev');
        const most = Math.min(AT_ENDS, rows - AT_ENDS);
        while (cursor !== null && newest.length < most) {
          newest.push(cursor.value);
          cursor = await cursor.continue();
        }
      }
      return { rows, values: [...oldest, ...newest] as unknown[] };
    });
    const left = rows - values.length;
    const middle = left <= 0 ? [] : await between(db, store, left);
    const measured = [...values, ...middle];
    const size = measured.reduce<number>((sum, value) => sum + sizeOf(value), 0);
    const bytes = measured.length === 0 ? 0 : Math.round((size / measured.length) * rows);
    usages.push({ store, rows, bytes, measured: measured.length });
  }
  return usages;
}

/** A few rows that lie apart from each other. */
async function between(
  db: RotaDb,
  store: RotaDb['objectStoreNames'][number],
  left: number,
): Promise<readonly unknown[]> {
  return await view(db, [store] as const, async (tx) => {
    const found: unknown[] = [];
    let cursor = await tx.objectStore(store).openKeyCursor();
    const step = Math.max(1, Math.floor(left / (BETWEEN + 1)));
    if (cursor !== null) cursor = await cursor.advance(AT_ENDS);
    while (cursor !== null && found.length < Math.min(BETWEEN, left)) {
      found.push(await tx.objectStore(store).get(cursor.primaryKey));
      cursor = await cursor.advance(step);
    }
    return found;
  });
}

/** About how many bytes `value` takes: as text, and what is binary as it is. */
function sizeOf(value: unknown): number {
  let binary = 0;
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof ArrayBuffer || ArrayBuffer.isView(part)) {
      binary += part.byteLength;
      return undefined;
    }
    return part;
  });
  return binary + new TextEncoder().encode(text).length;
}
