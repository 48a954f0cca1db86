/**
 * The integrity check: what an interrupted upgrade, another build or a fault may have left contradicting itself, found and,
 * where there is one right way, put right (domain/integrity.ts). All of it is looked at in many small transactions, so that a
 * claim waits for one of them at most; what is found is decided anew in the one that mends it. What an automation lacks is
 * repair.ts's, which each host does at its start: only a check of everything does it again.
 */
import {
  type ActiveRun,
  type AgendaRow,
  type Automation,
  type AutomationId,
  type EpochMs,
  type Finding,
  type Repair,
  type RunId,
  DAY_MS,
  decideIntegrity,
  idFloor,
  isActive,
  withoutAutomation,
} from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { REPAIRED_AT_ONCE, readSome, repairAgenda } from './repair.ts';
import { checkRow } from './rows.ts';
import type { RowStore } from './schema.ts';
import { transact, view } from './transact.ts';
import { write } from './write.ts';

/** How many rows of history one transaction looks at. */
const SLICE = 100;
const PENDING = ['automations', 'agenda', 'runs'] as const;

/** Looks for what does not fit together, and puts it right; `wholly`: also what a start repairs, and all of history. */
export async function check(
  db: RotaDb,
  now: EpochMs,
  wholly: boolean,
  rest: () => Promise<void>,
): Promise<readonly Finding[]> {
  const findings = [...(await mendMarks(db)), ...(await orderPending(db, now, rest))];
  if (!wholly) return findings;
  await repairAgenda(db, now, (finding) => findings.push(finding));
  return [
    ...findings,
    ...(await walk(db, 'runs', rest, (keys) => brokenOf(db, 'runs', keys, now))),
    ...(await walk(db, 'outputs', rest, (keys) => orphansOf(db, keys, now))),
    ...(await forgetValues(db, rest)),
  ];
}

/** The mark of an active run is what recovery and claims go by: it must be there while a run is active, and only then. */
async function mendMarks(db: RotaDb): Promise<readonly Finding[]> {
  return await transact(db, ['runs'] as const, async (tx) => {
    const [running, marked] = await Promise.all([
      tx.store.index('by-status').getAll(IDBKeyRange.bound(['running'], ['running', []])),
      tx.store.index('active').getAll(1),
    ]);
    const findings: Finding[] = [];
    const mend = (what: Finding['what'], value: unknown, mended: unknown): void => {
      const found = checkRow('runs', mended);
      const { id, automationId, automationName } = value as ActiveRun;
      const about = { what, key: id, automationId, automationName };
      if (found.kind === 'row') {
        write(tx, [{ op: 'put', store: 'runs', row: found.row }]);
        findings.push({ ...about, did: 'corrected' });
      } else if (found.kind === 'broken') findings.push(about);
    };
    for (const value of running) {
      if (Reflect.get(value, 'active') !== 1) mend('run-not-marked-active', value, { ...value, active: 1 });
    }
    for (const value of marked) {
      if (value.status === 'running') continue;
      const { active: _, ...ended } = value as unknown as { readonly active: unknown };
      mend('ended-run-marked-active', value, ended);
    }
    return findings;
  });
}

function asUnreadable(store: RowStore, key: IDBValidKey): Finding {
  return { what: 'unreadable', key: `${store} / ${key as string}`, did: 'set-aside' };
}

/** Sets aside what cannot be read of automations and of what is pending, and puts in order what contradicts itself. */
async function orderPending(
  db: RotaDb,
  now: EpochMs,
  rest: () => Promise<void>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after: AutomationId | null = null, isLast = false; !isLast;) {
    const [automations, agenda]: [readonly Automation[], readonly AgendaRow[]] = await readSome(db, after);
    isLast = automations.length < REPAIRED_AT_ONCE;
    after = automations.at(-1)?.id ?? after;
    const known = sortRows('automations', automations, 'id');
    const pending = sortRows('agenda', agenda, 'key');
    await setAside(db, 'automations', known.broken, now);
    await setAside(db, 'agenda', pending.broken, now);
    findings.push(...known.broken.map((key) => asUnreadable('automations', key)));
    findings.push(...pending.broken.map((key) => asUnreadable('agenda', key)));
    const lost = new Set(known.broken);
    const there = new Set(automations.flatMap(({ id }) => (lost.has(id) ? [] : id)));
    const active = grouped(await listActive(db));
    const pendingOf = grouped(pending.rows);
    const ids = known.rows.flatMap((automation): readonly AutomationId[] => {
      const { id } = automation;
      const state = { automation, agenda: pendingOf.get(id) ?? [], active: active.get(id) ?? [] };
      return decideIntegrity(state).findings.length > 0 ? [id] : [];
    });
    const orphans = pending.rows.flatMap(({ automationId: id }) => (there.has(id) ? [] : id));
    const disordered = [...new Set([...ids, ...orphans])];
    if (disordered.length > 0) findings.push(...(await orderSome(db, disordered)));
    if (!isLast) await rest();
  }
  return findings;
}

/** Decides over `ids` anew, and mends them in the same transaction. */
async function orderSome(db: RotaDb, ids: readonly AutomationId[]): Promise<readonly Finding[]> {
  return await transact(db, PENDING, async (tx) => {
    const active = grouped(activeOf(await tx.objectStore('runs').index('active').getAll(1)));
    const repairs = await Promise.all(
      ids.map(async (id): Promise<readonly Repair[]> => {
        const [value, agenda] = await Promise.all([
          tx.objectStore('automations').get(id) as Promise<unknown>,
          tx.objectStore('agenda').index('by-automation').getAll(id),
        ]);
        // A pending row of a newer build says things of its automation that this one does not know.
        if (agenda.some((row) => checkRow('agenda', row).kind !== 'row')) return [];
        if (value === undefined) return [withoutAutomation(agenda)];
        const found = checkRow('automations', value);
        if (found.kind !== 'row') return [];
        return [decideIntegrity({ automation: found.row, agenda, active: active.get(id) ?? [] })];
      }),
    );
    write(
      tx,
      repairs.flat().flatMap(({ writes }) => writes),
    );
    return repairs.flat().flatMap(({ findings }) => findings);
  });
}

async function listActive(db: RotaDb): Promise<readonly ActiveRun[]> {
  return activeOf(await view(db, ['runs'] as const, (tx) => tx.store.index('active').getAll(1)));
}

function activeOf(values: readonly unknown[]): readonly ActiveRun[] {
  return sortRows('runs', values, 'id').rows.filter((run): run is ActiveRun => isActive(run));
}

function grouped<Row extends { readonly automationId: AutomationId }>(
  rows: readonly Row[],
): ReadonlyMap<AutomationId, readonly Row[]> {
  const groups = new Map<AutomationId, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.automationId);
    if (group === undefined) groups.set(row.automationId, [row]);
    else group.push(row);
  }
  return groups;
}

/** Goes over all keys of `store`, some at a time. */
async function walk(
  db: RotaDb,
  store: 'runs' | 'outputs',
  rest: () => Promise<void>,
  look: (keys: readonly RunId[]) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  let after = '';
  for (;;) {
    const range = IDBKeyRange.lowerBound(after, true);
    const keys = await view(db, [store] as const, (tx) => tx.objectStore(store).getAllKeys(range, SLICE));
    findings.push(...(await look(keys)));
    const last = keys.at(-1);
    if (last === undefined || keys.length < SLICE) return findings;
    after = last;
    await rest();
  }
}

async function brokenOf(
  db: RotaDb,
  store: 'runs',
  keys: readonly RunId[],
  now: EpochMs,
): Promise<readonly Finding[]> {
  const values = await view(db, [store] as const, (tx) =>
    Promise.all(keys.map((key) => tx.objectStore(store).get(key))),
  );
  const there = values.filter((value) => value !== undefined);
  const { broken } = sortRows(store, there, 'id');
  if (broken.length === 0) return [];
  await setAside(db, store, broken, now);
  // An active one that does not parse stays: who owns it cannot be told.
  const left = await view(db, [store] as const, (tx) =>
    Promise.all(broken.map((key) => tx.objectStore(store).getKey(key as RunId))),
  );
  return broken.map((key, index) => {
    const { did: _, ...finding } = asUnreadable(store, key);
    return left[index] === undefined ? asUnreadable(store, key) : finding;
  });
}

/** What a run brought back that is not there any more. A fresh one is left alone. */
async function orphansOf(db: RotaDb, keys: readonly RunId[], now: EpochMs): Promise<readonly Finding[]> {
  const old = keys.filter((key) => key < idFloor(now - DAY_MS));
  return await transact(db, ['runs', 'outputs'] as const, async (tx) => {
    const found = await Promise.all(old.map((key) => tx.objectStore('runs').getKey(key)));
    const gone = old.filter((_, index) => found[index] === undefined);
    for (const key of gone) {
      tx.objectStore('outputs')
        .delete(key)
        .catch(() => undefined);
    }
    return gone.map((key): Finding => ({ what: 'output-without-run', key, did: 'removed' }));
  });
}

/** What an automation remembered that is not there any more, one automation after the other. */
async function forgetValues(db: RotaDb, rest: () => Promise<void>): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let after: AutomationId | null = null, looked = 1; ; looked++) {
    const id: AutomationId | null = await nextWithValues(db, after);
    if (id === null) return findings;
    const names = await transact(db, ['automations', 'values'] as const, async (tx) => {
      if ((await tx.objectStore('automations').getKey(id)) !== undefined) return [];
      const keys = await tx.objectStore('values').getAllKeys(IDBKeyRange.bound([id], [id, []]));
      for (const key of keys) {
        tx.objectStore('values')
          .delete(key)
          .catch(() => undefined);
      }
      return keys.map(([, name]) => name);
    });
    findings.push(
      ...names.map((key): Finding => ({
        what: 'value-without-automation',
        key,
        automationId: id,
        did: 'removed',
      })),
    );
    after = id;
    if (looked % SLICE === 0) await rest();
  }
}

/** The next automation after `after` that remembers something; `null`: there is none. */
async function nextWithValues(db: RotaDb, after: AutomationId | null): Promise<AutomationId | null> {
  return await view(db, ['values'] as const, async (tx) => {
    // An array sorts after every text, and so after all that the one before remembers.
    const range = after === null ? null : IDBKeyRange.lowerBound([after, []], true);
    const cursor = await tx.store.openKeyCursor(range);
    return cursor === null ? null : cursor.primaryKey[0];
  });
}
