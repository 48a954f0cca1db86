/** The repair of the agenda: once in the life of a host, and after a clock was set back. Loaded for it. */
import {
  type AgendaRow,
  type Automation,
  type AutomationId,
  type EpochMs,
  type Finding,
  type Write,
  decideRepair,
  parentOf,
  withFollower,
} from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { setAside, sortRows } from './quarantine.ts';
import { checkRow } from './rows.ts';
import { transact, view } from './transact.ts';
import { write } from './write.ts';

/** How many automations a repair reads, or writes, in one transaction: a claim must not wait for all of them. */
export const REPAIRED_AT_ONCE = 250;

/**
 * Gives each enabled automation the scheduled row that it lacks, plans anew what a clock planned that has gone back by
 * hours since, and answers of how many automations. Nothing else can bring one back that lost its row. Broken rows are
 * set aside first, also those that no index leads to, and each automation is told again who follows it; an automation with
 * a pending row of a newer build is left alone.
 *
 * It looks at a few automations at a time, and writes nothing where nothing is to be mended, so that others go on meanwhile.
 * What it finds is decided anew in the transaction that mends it, and told to `tell`.
 */
export async function repairAgenda(
  db: RotaDb,
  now: EpochMs,
  tell: (finding: Finding) => void = () => undefined,
): Promise<number> {
  const lacking = new Set<AutomationId>();
  const followers: (readonly [parent: AutomationId, follower: AutomationId])[] = [];
  const told = new Map<AutomationId, ReadonlySet<AutomationId>>();
  for (let after: AutomationId | null = null, isLast = false; !isLast;) {
    const [automations, agenda]: [readonly Automation[], readonly AgendaRow[]] = await readSome(db, after);
    isLast = automations.length < REPAIRED_AT_ONCE;
    after = automations.at(-1)?.id ?? after;
    const { broken, newer, rows } = sortRows('agenda', agenda, 'key');
    await setAside(db, 'agenda', broken, now);
    const pending = new Map<AutomationId, AgendaRow[]>();
    for (const row of rows) pending.set(row.automationId, [...(pending.get(row.automationId) ?? []), row]);
    const kept = new Set(newer.map((row) => Reflect.get(row as object, 'automationId') as unknown));
    for (const automation of sortRows('automations', automations, 'id').rows) {
      const { id, followers: known, schedule } = automation;
      if (known !== undefined) told.set(id, new Set(known));
      const parent = parentOf(schedule);
      if (parent !== null) followers.push([parent, id]);
      if (!kept.has(id) && decideRepair(automation, pending.get(id) ?? [], now).length > 0) lacking.add(id);
    }
  }
  const untold = followers.filter(([parent, follower]) => told.get(parent)?.has(follower) !== true);
  const ids = [...new Set([...lacking, ...untold.map(([parent]) => parent)])];
  let repaired = 0;
  for (let n = 0; n < ids.length; n += REPAIRED_AT_ONCE)
    repaired += await repairSome(db, ids.slice(n, n + REPAIRED_AT_ONCE), untold, now, tell);
  return repaired;
}

/** The automations that come after `after`, and all agenda rows that belong to them by their key, readable or not. */
export async function readSome(
  db: RotaDb,
  after: AutomationId | null,
): Promise<[readonly Automation[], readonly AgendaRow[]]> {
  return view(db, ['automations', 'agenda'] as const, async (tx) => {
    const ids = after === null ? null : IDBKeyRange.lowerBound(after, true);
    const automations = await tx.objectStore('automations').getAll(ids, REPAIRED_AT_ONCE);
    const last = automations.length < REPAIRED_AT_ONCE ? undefined : automations.at(-1)?.id;
    // Keys begin with the automation's id; those of no automation are looked at with their neighbours.
    const [low, high] = [`${after ?? ''}\uffff`, `${last ?? ''}\uffff`];
    const keys =
      after === null
        ? last === undefined
          ? null
          : IDBKeyRange.upperBound(high)
        : last === undefined
          ? IDBKeyRange.lowerBound(low, true)
          : IDBKeyRange.bound(low, high, true);
    return [automations, await tx.objectStore('agenda').getAll(keys)];
  });
}

/** Mends those of `ids` that still need it, in one transaction, and says how many did. */
async function repairSome(
  db: RotaDb,
  ids: readonly AutomationId[],
  untold: readonly (readonly [parent: AutomationId, follower: AutomationId])[],
  now: EpochMs,
  tell: (finding: Finding) => void,
): Promise<number> {
  return transact(db, ['automations', 'agenda'] as const, async (tx) => {
    const repaired = await Promise.all(
      ids.map(async (id) => {
        const followers = untold.flatMap(([parent, follower]) => (parent === id ? [follower] : []));
        const [value, agenda, ...values] = await Promise.all([
          tx.objectStore('automations').get(id) as Promise<unknown>,
          tx.objectStore('agenda').index('by-automation').getAll(id),
          ...followers.map((follower) => tx.objectStore('automations').get(follower) as Promise<unknown>),
        ]);
        const found = checkRow('automations', value);
        if (found.kind !== 'row' || agenda.some((row) => checkRow('agenda', row).kind !== 'row'))
          return false;
        const { rows: following } = sortRows(
          'automations',
          values.filter((one) => one !== undefined),
          'id',
        );
        const automation = following
          .filter(({ schedule }) => parentOf(schedule) === id)
          .reduce((parent, follower) => withFollower(parent, follower.id), found.row);
        const told =
          automation === found.row ? [] : [{ op: 'put', store: 'automations', row: automation } as const];
        const repair = decideRepair(automation, agenda, now);
        const writes = [...told, ...repair];
        write(tx, writes);
        const about = { key: id, automationId: id, automationName: automation.name };
        if (told.length > 0) tell({ ...about, what: 'follower-not-told', did: 'corrected' });
        if (!agenda.some(isScheduled) && repair.some(plansNext))
          tell({ ...about, what: 'enabled-without-agenda', did: 'planned' });
        return writes.length > 0;
      }),
    );
    return repaired.filter(Boolean).length;
  });
}

function isScheduled({ cause }: AgendaRow): boolean {
  return cause === 'schedule';
}

function plansNext(one: Write): boolean {
  return one.op === 'put' && one.store === 'agenda' && isScheduled(one.row);
}
