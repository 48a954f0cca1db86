/** What screens and scripts read, and no claim does: loaded with the first such call. */
import {
  type Automation,
  type AutomationId,
  type EpochMs,
  type OutputRow,
  RUN_STATUSES,
  type RunId,
  type RunRow,
  type RunStatus,
  idFloor,
} from '../domain/index.ts';
import type { Ledger, RunQuery, StoredAutomation } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { setAside } from './quarantine.ts';
import { isReadable } from './read.ts';
import { NewerData, checkRow } from './rows.ts';
import { view } from './transact.ts';

/** All automations by name; broken ones are set aside, those of a newer build are there to look at. */
export async function listAutomations(db: RotaDb, at: EpochMs): Promise<readonly StoredAutomation[]> {
  const values = await view(db, ['automations'] as const, (tx) => tx.store.getAll());
  return [...(await asStoredAll(db, values, at))].sort(
    (a, b) =>
      compareText(a.automation.name, b.automation.name) || compareText(a.automation.id, b.automation.id),
  );
}

/** Those of `ids` that are there, in one moment, in that order; broken ones are set aside. */
export async function findAutomations(
  db: RotaDb,
  ids: readonly AutomationId[],
  at: EpochMs,
): Promise<readonly StoredAutomation[]> {
  if (ids.length === 0) return [];
  const values = await view(db, ['automations'] as const, (tx) =>
    Promise.all(ids.map((id) => tx.store.get(id))),
  );
  return await asStoredAll(db, values, at);
}

/**
 * The next `limit` by id after `after`, and where to go on. Most of a row is its recent runs, and to check those of ten
 * thousand takes as long as to read them; so they are only looked at, and a row in which they are broken is met, and set
 * aside, by who shows it.
 */
export async function scanAutomations(
  db: RotaDb,
  after: AutomationId | null,
  limit: number,
  at: EpochMs,
): Promise<{ readonly items: readonly StoredAutomation[]; readonly next: AutomationId | null }> {
  const values = await view(db, ['automations'] as const, (tx) =>
    tx.store.getAll(after === null ? null : IDBKeyRange.lowerBound(after, true), limit),
  );
  const last = values.length < limit ? undefined : values.at(-1);
  const items: StoredAutomation[] = [];
  const others: unknown[] = [];
  for (const value of values) {
    const found = hasRecent(value) ? checkRow('automations', { ...value, recent: [] }) : null;
    if (found?.kind === 'row') items.push({ automation: { ...found.row, recent: value.recent } });
    else others.push(value);
  }
  return { items: [...items, ...(await asStoredAll(db, others, at))], next: last?.id ?? null };
}

function hasRecent(value: Automation): boolean {
  const { recent } = value as Partial<Automation>;
  return Array.isArray(recent) && recent.every((run: unknown) => typeof run === 'object' && run !== null);
}

/** Each value is checked once: to check ten thousand takes most of the time that it takes to read them. */
async function asStoredAll(
  db: RotaDb,
  values: readonly unknown[],
  at: EpochMs,
): Promise<readonly StoredAutomation[]> {
  const items: StoredAutomation[] = [];
  const broken: AutomationId[] = [];
  for (const value of values) {
    if (value === undefined) continue;
    const found = checkRow('automations', value);
    if (found.kind === 'row') items.push({ automation: found.row });
    else if (found.kind === 'broken') broken.push(Reflect.get(value as object, 'id') as AutomationId);
    else if (isReadable('automations', value))
      items.push({ automation: value as Automation, readOnly: 'newer-data' });
  }
  await setAside(db, 'automations', broken, at);
  return items;
}

function compareText(a: string, b: string): number {
  return a.localeCompare(b);
}

/**
 * Rows of the ledger, newest first, from an index, so that a page costs the same however long the history is. A page is
 * full while there are rows: those that cannot be shown do not count, and broken ones are set aside.
 */
export async function listRuns(db: RotaDb, query: RunQuery, at: EpochMs): Promise<readonly RunRow[]> {
  const { automationId, statuses, limit, before, after } = query;
  if (automationId === undefined && statuses !== undefined && statuses.length > 1)
    return await listRunsOfSome(db, { ...query, statuses }, at);
  const only = statuses?.length === 1 ? statuses[0] : undefined;
  const broken: RunId[] = [];
  const rows = await view(db, ['runs'] as const, async (tx) => {
    const found: RunRow[] = [];
    const [low, high] = [after ?? '', before ?? '\uffff'];
    const direction = after === undefined ? 'prev' : 'next';
    let cursor =
      automationId !== undefined
        ? await tx.store
            .index('by-automation')
            .openCursor(IDBKeyRange.bound([automationId, low], [automationId, high], true, true), direction)
        : only !== undefined
          ? await tx.store
              .index('by-status')
              .openCursor(IDBKeyRange.bound([only, low], [only, high], true, true), direction)
          : await tx.store.openCursor(IDBKeyRange.bound(low, high, true, true), direction);
    while (cursor !== null && found.length < limit) {
      const { value } = cursor;
      if (!isReadable('runs', value)) {
        if (checkRow('runs', value).kind === 'broken') broken.push(cursor.primaryKey);
      } else if (statuses === undefined || statuses.includes(value.status)) found.push(value);
      cursor = await cursor.continue();
    }
    return after === undefined ? found : found.reverse();
  });
  await setAside(db, 'runs', broken, at);
  return rows;
}

/** By the index of each status: those that are looked for may be few among many. */
async function listRunsOfSome(
  db: RotaDb,
  query: RunQuery & { readonly statuses: readonly RunStatus[] },
  at: EpochMs,
): Promise<readonly RunRow[]> {
  const { statuses, limit, after } = query;
  const lists = await Promise.all(statuses.map((one) => listRuns(db, { ...query, statuses: [one] }, at)));
  const rows = lists.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  // One that ends meanwhile may be in two.
  const each = rows.filter(({ id }, index) => id !== rows[index - 1]?.id);
  return after === undefined ? each.slice(0, limit) : each.slice(-limit);
}

/** Outputs that are in memory at once: each can be a megabyte. */
const OUTPUTS_AT_ONCE = 20;

/** See {@link Ledger.scanRuns}. An output that cannot be read counts as none, and is set aside by whoever shows its run. */
export async function scanRuns<Found>(
  db: RotaDb,
  query: RunQuery,
  look: (run: RunRow, output: OutputRow | null) => Found | null,
  at: EpochMs,
): Promise<{ readonly found: readonly Found[]; readonly looked: number; readonly last: RunRow | null }> {
  const rows = await listRuns(db, query, at);
  const found: Found[] = [];
  for (let from = 0; from < rows.length; from += OUTPUTS_AT_ONCE) {
    const some = rows.slice(from, from + OUTPUTS_AT_ONCE);
    const outputs = await view(db, ['outputs'] as const, (tx) =>
      Promise.all(some.map(({ id }) => tx.store.get(id))),
    );
    for (const [index, run] of some.entries()) {
      const output = outputs[index];
      const made = look(run, output !== undefined && isReadable('outputs', output) ? output : null);
      if (made !== null) found.push(made);
    }
  }
  return { found, looked: rows.length, last: rows.at(-1) ?? null };
}

/** Counts by an index, without reading a row. */
export async function countRunsOf(db: RotaDb, automationId: AutomationId): Promise<number> {
  return await view(db, ['runs'] as const, (tx) =>
    tx.store.index('by-automation').count(IDBKeyRange.bound([automationId, ''], [automationId, '\uffff'])),
  );
}

/** Rows by when they were written, oldest first. What cannot be read is left out, and set aside by whoever pages. */
export async function listRunsBetween(
  db: RotaDb,
  { from, until, status, limit }: Parameters<Ledger['listRunsBetween']>[0],
): Promise<readonly RunRow[]> {
  const [low, high] = [idFloor(from), idFloor(until)];
  if (low >= high) return [];
  const values = await view(db, ['runs'] as const, (tx) =>
    status === undefined
      ? tx.store.getAll(IDBKeyRange.bound(low, high, false, true), limit)
      : tx.store
          .index('by-status')
          .getAll(IDBKeyRange.bound([status, low], [status, high], false, true), limit),
  );
  return values.filter((value) => isReadable('runs', value));
}

/** Counts by an index, without reading a row. */
export async function countRuns(
  db: RotaDb,
  bounds: readonly EpochMs[],
): Promise<readonly Readonly<Partial<Record<RunStatus, number>>>[]> {
  return await view(db, ['runs'] as const, async (tx) => {
    // Most of a year has nothing in it while Rota is new.
    const first = (await tx.store.openKeyCursor())?.primaryKey ?? '\uffff';
    const index = tx.store.index('by-status');
    return await Promise.all(
      bounds.slice(1).map(async (bound, at) => {
        const [low, high] = [idFloor(bounds[at] ?? bound), idFloor(bound)];
        if (high <= first || low >= high) return {};
        const counted = await Promise.all(
          RUN_STATUSES.map(async (status) => {
            const range = IDBKeyRange.bound([status, low], [status, high], false, true);
            return [status, await index.count(range)] as const;
          }),
        );
        return Object.fromEntries(counted.filter(([, count]) => count > 0));
      }),
    );
  });
}

/**
 * One row with what it brought back; `null` when it is not there, or cannot be read. What is broken is set aside, and an
 * output that is does not take its run with it. Rejects with {@link NewerData} for a newer row that cannot be shown.
 */
export async function findRun(
  db: RotaDb,
  id: RunId,
  at: EpochMs,
): Promise<{ readonly run: RunRow; readonly output: OutputRow | null } | null> {
  const [value, output] = await view(db, ['runs', 'outputs'] as const, (tx) =>
    Promise.all([tx.objectStore('runs').get(id), tx.objectStore('outputs').get(id)]),
  );
  if (value === undefined) return null;
  if (!isReadable('runs', value)) {
    if (checkRow('runs', value).kind === 'newer') {
      throw new NewerData('A newer version of Rota wrote this row of runs.');
    }
    await setAside(db, 'runs', [id], at);
    return null;
  }
  if (output !== undefined && !isReadable('outputs', output)) {
    await setAside(db, 'outputs', [id], at);
    return { run: value, output: null };
  }
  return { run: value, output: output ?? null };
}

/** How many rows each store holds, in one moment of the database. */
export async function countRows(
  db: RotaDb,
): Promise<readonly { readonly store: string; readonly rows: number }[]> {
  const stores = [...db.objectStoreNames];
  return view(db, stores, (tx) =>
    Promise.all(stores.map(async (store) => ({ store, rows: await tx.objectStore(store).count() }))),
  );
}
