/**
 * Retention: the walk over history that forgets what its rules let go, a slice at a time (domain/retention.ts says what
 * that is). Each slice is one short transaction, so a claim waits for one of them at most.
 */
import {
  type AutomationId,
  type EpochMs,
  type KeepLimit,
  type KeepRule,
  type RunId,
  type RunRow,
  ASKED_KEPT_MS,
  DAY_MS,
  KEEP_ALL,
  KEPT_RUNS_LEAST,
  RUN_STATUSES,
  SCHEMA,
  idFloor,
  keepRuleOf,
  keptByNumber,
  mayForgetOutput,
  mayForgetRun,
  unaccountedFrom,
} from '../domain/index.ts';
import type { RotaDb } from './open.ts';
import { sortRows } from './quarantine.ts';
import { checkRow } from './rows.ts';
import { type RotaTransaction, transact, view } from './transact.ts';
import type { Slice, Sweep } from './upkeep-ledger.ts';

/** How many keys are passed over in one step to find the row that has so many newer ones. */
const PASSED_MOST = 1_000;
/** An output without a run is left alone for so long: nothing writes one, but nothing is sure of that. */
const ORPHAN_KEPT_MS = DAY_MS;

/** How far back the rows of an automation are kept by number: each count with the row that has so many newer ones. */
interface Reach {
  readonly rule: KeepRule;
  /** What its rows stand for from here on is still to be accounted for. Accounts only go on from where they were. */
  readonly owedFrom: EpochMs | null;
  readonly counts: readonly { readonly count: number; readonly id: RunId }[];
}

type At =
  | { readonly kind: 'between'; readonly after: AutomationId | null }
  | {
      readonly kind: 'counting';
      readonly id: AutomationId;
      readonly reach: Reach;
      readonly passed: number;
      readonly from: RunId | null;
    }
  | { readonly kind: 'runs'; readonly id: AutomationId; readonly reach: Reach; readonly after: RunId | '' }
  | { readonly kind: 'outputs'; readonly after: RunId | '' }
  | { readonly kind: 'done' };

const NOTHING = { looked: 1, runs: 0, outputs: 0, done: false } as const;

/** Begins a sweep of what `keep` and the rules of automations let go at `now`. */
export function sweepOf(db: RotaDb, now: EpochMs, keep: KeepRule): Sweep {
  const reaches = new Map<AutomationId, Reach>();
  let at: At = { kind: 'between', after: null };

  async function slice(most: number): Promise<Slice> {
    switch (at.kind) {
      case 'between':
        at = await next(db, at.after, keep);
        return NOTHING;
      case 'counting':
        return { ...NOTHING, looked: await count(at) };
      case 'runs': {
        const { id, reach, after } = at;
        const { last, ...done } = await forgetRuns(db, { id, reach, after, now, most });
        at = last === null ? { kind: 'between', after: id } : { ...at, after: last };
        return { ...done, done: false };
      }
      case 'outputs': {
        const { last, ...done } = await forgetOutputs(db, { reaches, after: at.after, now, most });
        at = last === null ? { kind: 'done' } : { kind: 'outputs', after: last };
        return { ...done, runs: 0, done: last === null };
      }
      case 'done':
        return { ...NOTHING, looked: 0, done: true };
    }
  }

  async function count(here: Extract<At, { kind: 'counting' }>): Promise<number> {
    const { id, reach, passed } = here;
    const wanted = countsOf(reach.rule).find((one) => one > passed || (one === 0 && here.from === null));
    const step = Math.min(PASSED_MOST, (wanted ?? 0) - passed);
    const found = wanted === undefined ? null : await rowBehind(db, id, here.from, step);
    if (found === null) {
      reaches.set(id, reach);
      at = { kind: 'runs', id, reach, after: '' };
      return 1;
    }
    const count = passed + step;
    const isWanted = count === wanted;
    at = {
      ...here,
      passed: count,
      from: found,
      reach: isWanted ? { ...reach, counts: [...reach.counts, { count, id: found }] } : reach,
    };
    return Math.max(1, Math.round(step / 20));
  }

  return { slice };
}

/** The next automation that history speaks of, whether it is still there or not. */
async function next(db: RotaDb, after: AutomationId | null, keep: KeepRule): Promise<At> {
  return await view(db, ['runs', 'automations', 'agenda'] as const, async (tx) => {
    // An array sorts after every text, and so after all rows of the one before.
    const range = after === null ? null : IDBKeyRange.lowerBound([after, []], true);
    const cursor = await tx.objectStore('runs').index('by-automation').openKeyCursor(range);
    if (cursor === null) return { kind: 'outputs', after: '' };
    const [id] = cursor.key;
    const [value, pending] = await Promise.all([
      tx.objectStore('automations').get(id) as Promise<unknown>,
      tx.objectStore('agenda').index('by-automation').getAll(id),
    ]);
    const found = checkRow('automations', value);
    const { rows, newer } = sortRows('agenda', pending, 'key');
    const automation = found.kind === 'row' ? found.row : null;
    // What a newer build says of it, or what cannot be read, this one cannot know: all of it stays.
    const isKnown = newer.length === 0 && (automation !== null || value === undefined);
    const reach = {
      rule: isKnown ? keepRuleOf(automation?.rules ?? null, keep) : KEEP_ALL,
      owedFrom: automation === null ? null : unaccountedFrom(automation, rows),
      counts: [],
    };
    return { kind: 'counting', id, reach, passed: 0, from: null };
  });
}

/** The counts of newer rows at which something changes, ascending. */
function countsOf({ runs, outputs }: KeepRule): readonly number[] {
  const counts = [runs, outputs].flatMap((limit) => Object.values(keptByNumber(limit)) as number[]);
  return [...new Set([KEPT_RUNS_LEAST, ...counts])].filter(Number.isFinite).sort((a, b) => a - b);
}

/** The row of `id` that is `steps` rows older than `from`, or than the newest has `steps` newer ones; `null`: there is none. */
async function rowBehind(
  db: RotaDb,
  id: AutomationId,
  from: RunId | null,
  steps: number,
): Promise<RunId | null> {
  return await view(db, ['runs'] as const, async (tx) => {
    const range = IDBKeyRange.bound([id], [id, from ?? []]);
    const cursor = await tx.store.index('by-automation').openKeyCursor(range, 'prev');
    const there = cursor === null || steps === 0 ? cursor : await cursor.advance(steps);
    return there?.primaryKey ?? null;
  });
}

/** How many newer rows the row `id` has, as far as the counts of `reach` tell. */
function newerThan({ counts }: Reach, id: RunId): number {
  return Math.max(0, ...counts.filter((one) => id <= one.id).map(({ count }) => count));
}

/** The newest row that may go: all that are to be looked at are as old or older. `null`: none may. */
function newestToLookAt({ rule: { runs }, counts }: Reach, now: EpochMs): string | null {
  const behind = (count: number): string => counts.find((one) => one.count === count)?.id ?? '';
  const byAge = runs.days === null ? '' : idFloor(now - runs.days * DAY_MS);
  const byNumber = runs.most === null ? '' : behind(runs.most);
  const beyond = byAge > byNumber ? byAge : byNumber;
  const least = [behind(KEPT_RUNS_LEAST), idFloor(now - ASKED_KEPT_MS), beyond].sort()[0] ?? '';
  return least === '' ? null : least;
}

type SweepTransaction = RotaTransaction<readonly ['runs', 'outputs', 'agenda'], 'readwrite'>;
interface Forgotten {
  readonly looked: number;
  readonly runs: number;
  readonly outputs: number;
  /** The last that was looked at; `null`: there are no more. */
  readonly last: RunId | null;
}

async function forgetRuns(
  db: RotaDb,
  walk: {
    readonly id: AutomationId;
    readonly reach: Reach;
    readonly after: RunId | '';
    readonly now: EpochMs;
    readonly most: number;
  },
): Promise<Forgotten> {
  const { id, reach, after, now, most } = walk;
  const top = newestToLookAt(reach, now);
  if (top === null || top <= after) return { looked: 1, runs: 0, outputs: 0, last: null };
  return await sweeping(db, async (tx) => {
    const range = IDBKeyRange.bound([id, after], [id, top], true);
    const values = await tx.objectStore('runs').index('by-automation').getAll(range, most);
    const isContinued = await continuedBy(tx, [id]);
    const gone = values.filter(
      (run) =>
        isKnown(run) &&
        mayForgetRun(run, reach.rule.runs, {
          now,
          newer: newerThan(reach, run.id),
          isContinued: isContinued(run.id),
          owedFrom: reach.owedFrom,
        }),
    );
    for (const run of gone) {
      drop(tx.objectStore('runs').delete(run.id));
      drop(tx.objectStore('outputs').delete(run.id));
    }
    const last = values.length < most ? null : (values.at(-1)?.id ?? null);
    return { looked: values.length, runs: gone.length, outputs: 0, last };
  });
}

async function forgetOutputs(
  db: RotaDb,
  walk: {
    readonly reaches: ReadonlyMap<AutomationId, Reach>;
    readonly after: RunId | '';
    readonly now: EpochMs;
    readonly most: number;
  },
): Promise<Forgotten> {
  const { reaches, after, now, most } = walk;
  return await sweeping(db, async (tx) => {
    const keys = await tx.objectStore('outputs').getAllKeys(IDBKeyRange.lowerBound(after, true), most);
    const found = await Promise.all(
      keys.map(async (key) => ({ key, run: await tx.objectStore('runs').get(key) })),
    );
    const isOld = (key: RunId, limit: KeepLimit, run: RunRow, reach: Reach): boolean =>
      mayForgetOutput(run, limit, {
        now,
        newer: newerThan(reach, key),
        isContinued: false,
        owedFrom: reach.owedFrom,
      });
    const candidates = found.filter(({ key, run }) => {
      if (run === undefined) return key < idFloor(now - ORPHAN_KEPT_MS);
      const reach = reaches.get(run.automationId);
      return reach !== undefined && isKnown(run) && isOld(key, reach.rule.outputs, run, reach);
    });
    const automations = candidates.flatMap(({ run }) => run?.automationId ?? []);
    const isContinued = await continuedBy(tx, [...new Set(automations)]);
    const gone = candidates.filter(({ key }) => !isContinued(key));
    for (const { key } of gone) drop(tx.objectStore('outputs').delete(key));
    const last = keys.length < most ? null : (keys.at(-1) ?? null);
    return { looked: keys.length * 2, runs: 0, outputs: gone.length, last };
  });
}

/** Losing with the machine what was forgotten does no harm: the next sweep forgets it again. */
function sweeping<Result>(db: RotaDb, body: (tx: SweepTransaction) => Promise<Result>): Promise<Result> {
  return transact(db, ['runs', 'outputs', 'agenda'] as const, body, 'relaxed');
}

/** Not awaited: one that fails fails its transaction, and that is heard. */
function drop(request: Promise<unknown>): void {
  request.catch(() => undefined);
}

/** Whether something pending of `automations`, or a run of any, goes on from a run. */
async function continuedBy(
  tx: SweepTransaction,
  automations: readonly AutomationId[],
): Promise<(id: RunId) => boolean> {
  if (automations.length === 0) return () => false;
  const [active, ...pending] = await Promise.all([
    tx.objectStore('runs').index('active').getAll(1),
    ...automations.map((id) => tx.objectStore('agenda').index('by-automation').getAll(id)),
  ]);
  const rows = [...active, ...pending.flat()];
  const ids = new Set(rows.flatMap((row) => ('from' in row ? [row.from.runId] : [])));
  return (id) => ids.has(id);
}

/** Whether this build wrote `run`, or an older one: what a newer one wrote is never dropped. Cheap, for it is asked of all. */
function isKnown(run: RunRow): boolean {
  return run.schema <= SCHEMA && RUN_STATUSES.includes(run.status) && typeof run.occurrence === 'string';
}
