import { assert } from './assert.ts';
import { type Automation, type RecentRun, runsLeft } from './automation.ts';
import { SCHEMA } from './schema.ts';
import { dueAtOf } from './jitter.ts';
import { type Pause, isIn } from './pause.ts';
import { type AgendaRow, type Occurrence, agendaKey, scheduledOccurrence } from './occurrence.ts';
import type { AutomationId, RunId } from './ids.ts';
import { CATCH_UP_MOST, type MissedRule, SKIP_LATER_THAN_MS } from './rules.ts';
import type { Covers, MissedReason, SkippedReason, UnrunRow } from './run.ts';
import { type DueInstants, dueInstants, nextAfter } from './instants.ts';
import { type Schedule, zoneOf } from './schedule.ts';
import { type DurationMs, type EpochMs, SECOND_MS } from './time.ts';

/**
 * Most instants that one transaction accounts for. After a year asleep a rule of every second has 31 million; they are
 * taken in chunks, each exact, so that no claim waits long and nothing is left uncounted.
 */
export const DUE_CHUNK_MOST = 10_000;

/** Why an occurrence that was due gets no run: by the missed-run rule, in a pause, or over the runs of a day. */
export type Unrun = 'late' | 'too-old' | 'paused' | 'limit';

/** What becomes of the instants that are due: at most one runs now, the rest is accounted for or waits. */
export interface DuePlan {
  /** The occurrence to run now; `null` when nothing that is due may run, or all of it has its row already. */
  readonly run: { readonly occurrence: Occurrence; readonly scheduledFor: EpochMs } | null;
  /** What gets no run, and why. Oldest first, none overlapping. */
  readonly missed: readonly { readonly why: Unrun; readonly covers: Covers }[];
  /** The next scheduled instant for the agenda, which may be past; `null` when there is none. */
  readonly next: EpochMs | null;
}

const NONE: ReadonlySet<EpochMs> = new Set();

/**
 * Applies the missed-run rule to what is due (protocol, section 4, step 5). Due are the scheduled instants from the
 * agenda row's own to `now`, both included, as far as their jitter has passed, and without those in `decided`: they have
 * a row of the ledger by their own key, from before a clock went back. What was due in one of `pauses`, or on a day that
 * had all its runs, is not caught up. A retry, and what follows another automation, is as late as it is after its own
 * time; a retry that is too late is dropped, and its occurrence has the row of the attempt before. What a person asked
 * for by hand is never too late. Of a paused automation nothing is computed: it may be one that cannot be.
 */
export function planDue(
  row: AgendaRow,
  automation: Automation,
  now: EpochMs,
  decided: ReadonlySet<EpochMs> = NONE,
  chunk = DUE_CHUNK_MOST,
  pauses: readonly Pause[] = [],
): DuePlan {
  const { missed: rule } = automation.rules;
  const { occurrence, scheduledFor } = row;
  if (row.cause !== 'schedule') {
    const mayBeLate = row.cause === 'manual' || row.cause === 'resume';
    if (mayBeLate || now - row.dueAt <= latenessMost(rule)) {
      return { run: { occurrence, scheduledFor }, missed: [], next: null };
    }
    const covers = { from: scheduledFor, to: scheduledFor, count: 1 };
    const why = now - row.dueAt > (rule.maxAgeMs ?? Infinity) ? 'too-old' : 'late';
    return { run: null, missed: row.cause === 'follow-up' ? [{ why, covers }] : [], next: null };
  }
  if (!automation.enabled) return { run: { occurrence, scheduledFor }, missed: [], next: null };
  const left = runsLeft(automation);
  if (left === 0) return { run: null, missed: [], next: null };
  assert(
    chunk > CATCH_UP_MOST,
    'a chunk must be longer than what one catch-up may run, or it makes no progress',
  );
  const found = dueFrom(automation.schedule, scheduledFor, now, chunk);
  const undue = found.instants.findIndex((at) => at !== scheduledFor && dueAtOf(automation, at) > now);
  const due = undue < 0 ? found.instants : found.instants.slice(0, undue);
  const more = found.more && undue < 0;
  const after = (): EpochMs | null => found.instants[due.length] ?? nextAfter(automation.schedule, now);

  const oldest = rule.maxAgeMs === undefined ? -Infinity : now - rule.maxAgeMs;
  const fullUntil = dayFullUntil(automation);
  const whyNot = (at: EpochMs): Unrun | null => {
    if (isIn(pauses, at)) return 'paused';
    if (at < fullUntil) return 'limit';
    return dueAtOf(automation, at) < oldest ? 'too-old' : null;
  };
  const why = new Map(due.map((at) => [at, whyNot(at)]));
  const fresh = due.filter((at) => why.get(at) === null && !decided.has(at));

  const keep = Math.min(rule.kind === 'all' ? rule.limit : 1, left);
  // A full chunk says nothing about how many follow: leave the newest to the next one.
  const newest = fresh.slice(-keep);
  const candidates = more
    ? newest
    : newest.filter((at) => now - dueAtOf(automation, at) <= latenessMost(rule));
  const [first, ...others] = candidates;
  // So much of the chunk is decided that the rest may all be caught up: only a longer one makes progress.
  if (more && first === scheduledFor) return planDue(row, automation, now, decided, 2 * chunk, pauses);
  // What comes after the next row of the agenda is accounted for with that one, or it would be twice.
  const horizon = (more ? first : others[0]) ?? Infinity;
  const reasonAt = (at: EpochMs): Unrun | null => {
    if (decided.has(at) || at >= horizon) return null;
    return why.get(at) ?? (at < (first ?? Infinity) ? 'late' : null);
  };
  const missed = UNRUN.flatMap((reason) =>
    stretchesOf(due, (at) => reasonAt(at) === reason).map((covers) => ({ why: reason, covers })),
  ).sort((a, b) => a.covers.from - b.covers.from);
  if (more) return { run: null, missed, next: first ?? nextAfter(automation.schedule, lastOf(due)) };
  const next = others[0] ?? after();
  if (first === undefined) return { run: null, missed, next };
  return {
    run: { occurrence: scheduledOccurrence(automation.id, first), scheduledFor: first },
    missed,
    next,
  };
}

const UNRUN: readonly Unrun[] = ['paused', 'limit', 'too-old', 'late'];

/** Until when the day lasts on which `automation` has had all the runs that its rule allows; in the past for no such day. */
export function dayFullUntil({ rules, today }: Pick<Automation, 'rules' | 'today'>): EpochMs {
  if (rules.runsPerDay === undefined || today === undefined) return -Infinity;
  return today.count >= rules.runsPerDay ? today.until : -Infinity;
}

/** How late something may run by `rule`. */
function latenessMost(rule: MissedRule): DurationMs {
  return Math.min(rule.maxAgeMs ?? Infinity, rule.kind === 'skip' ? SKIP_LATER_THAN_MS : Infinity);
}

/**
 * The instants of `schedule` from `promised` to `now`, both included, the oldest `most` of them. What was promised is
 * among them also when the rule does not name it any more, as with another time zone database.
 */
function dueFrom(schedule: Schedule, promised: EpochMs, now: EpochMs, most: number): DueInstants {
  const { instants, more } = dueInstants(schedule, promised, now, most);
  return promised > now || instants[0] === promised
    ? { instants, more }
    : { instants: [promised, ...instants], more };
}

/**
 * What an edit leaves behind: the stretches of instants from `promised` to `now` that get no run, without those in
 * `decided`. A stretch of more than {@link DUE_CHUNK_MOST} reaches to its true end, and its count then says at least
 * so many.
 */
export function unrunStretches(
  schedule: Schedule,
  promised: EpochMs,
  now: EpochMs,
  decided: ReadonlySet<EpochMs> = NONE,
): readonly Covers[] {
  const { instants, more } = dueFrom(schedule, promised, now, DUE_CHUNK_MOST);
  const stretches = stretchesOf(instants, (at) => !decided.has(at));
  const last = stretches.at(-1);
  if (!more || last === undefined) return stretches;
  const to = newestUpTo(schedule, lastOf(instants), now);
  const rest = schedule.kind === 'every' ? Math.round((to - last.to) / schedule.everyMs) : 0;
  return [...stretches.slice(0, -1), { from: last.from, to, count: last.count + rest }];
}

/**
 * The instants that `covers` stands for, split where `reasonAt` changes: each stretch with its reason, oldest first.
 *
 * @param covers a stretch that {@link planDue} found for `schedule`.
 */
export function splitUnrun<Reason>(
  schedule: Schedule,
  covers: Covers,
  reasonAt: (at: EpochMs) => Reason,
): readonly { readonly reason: Reason; readonly covers: Covers }[] {
  const { instants } = dueFrom(schedule, covers.from, covers.to, covers.count);
  const parts: { reason: Reason; covers: Covers }[] = [];
  for (const at of instants) {
    const reason = reasonAt(at);
    const last = parts.at(-1);
    if (last?.reason === reason)
      last.covers = { from: last.covers.from, to: at, count: last.covers.count + 1 };
    else parts.push({ reason, covers: { from: at, to: at, count: 1 } });
  }
  return parts;
}

/** The newest instant of `schedule` that is not after `until`, at least `known`, which is one. */
function newestUpTo(schedule: Schedule, known: EpochMs, until: EpochMs): EpochMs {
  // From ever further back, because a schedule can only be walked forwards.
  for (let back = SECOND_MS; ; back *= 4) {
    const from = Math.max(known, until - back);
    let newest = from === known ? known : null;
    let next = nextAfter(schedule, from);
    while (next !== null && next <= until) {
      newest = next;
      next = nextAfter(schedule, next);
    }
    if (newest !== null) return newest;
  }
}

function lastOf(instants: readonly EpochMs[]): EpochMs {
  return instants.at(-1) ?? 0;
}

/** The stretches of `instants` in which each one belongs; one that does not belong ends a stretch. */
function stretchesOf(instants: readonly EpochMs[], belongs: (at: EpochMs) => boolean): readonly Covers[] {
  const stretches: Covers[] = [];
  let start = 0;
  for (let index = 0; index <= instants.length; index++) {
    const at = instants[index];
    if (at !== undefined && belongs(at)) continue;
    const from = instants[start];
    const to = instants[index - 1];
    if (start < index && from !== undefined && to !== undefined)
      stretches.push({ from, to, count: index - start });
    start = index + 1;
  }
  return stretches;
}

/** The agenda row for the scheduled instant `at`. */
export function scheduledRow(automation: AutomationId, at: EpochMs): AgendaRow {
  const occurrence = scheduledOccurrence(automation, at);
  return {
    key: agendaKey(occurrence, 1),
    schema: SCHEMA,
    occurrence,
    automationId: automation,
    scheduledFor: at,
    attempt: 1,
    dueAt: at,
    cause: 'schedule',
  };
}

/**
 * The agenda row for the scheduled instant `at` of `automation`, due when its jitter has passed.
 *
 * @param plannedFrom an instant before `at` that it is the next one after, and up to which all are accounted for.
 */
export function nextRow(
  automation: Pick<Automation, 'id' | 'schedule'>,
  at: EpochMs,
  plannedFrom: EpochMs,
): AgendaRow {
  const row = { ...scheduledRow(automation.id, at), dueAt: dueAtOf(automation, at) };
  return zoneOf(automation.schedule) === null ? row : { ...row, plannedFrom };
}

/** The ledger row for what was due and got no run: by its schedule, or as the `row` of what follows another automation. */
export function unrunRow(
  automation: Automation,
  id: RunId,
  why:
    | { readonly status: 'missed'; readonly reason: MissedReason }
    | { readonly status: 'skipped'; readonly reason: SkippedReason },
  covers: Covers,
  now: EpochMs,
  row?: AgendaRow,
): UnrunRow {
  const follows = row?.cause === 'follow-up';
  return {
    id,
    schema: SCHEMA,
    automationId: automation.id,
    automationName: automation.name,
    occurrence: follows ? row.occurrence : scheduledOccurrence(automation.id, covers.to),
    scheduledFor: covers.to,
    cause: follows ? 'follow-up' : 'schedule',
    attempt: 1,
    claimedAt: now,
    settledAt: now,
    covers,
    ...why,
  };
}

/** A missed or skipped row as small as the list's bar needs it. */
export function recentUnrun(row: UnrunRow): RecentRun {
  return {
    id: row.id,
    status: row.status,
    at: row.scheduledFor,
    reason: row.reason,
    count: row.covers.count,
  };
}

/** The agenda row for the next attempt at the occurrence of `run`, due at `dueAt`: by its rule, or asked for by a person. */
export function nextAttemptRow(
  run: Pick<AgendaRow, 'occurrence' | 'automationId' | 'scheduledFor' | 'attempt' | 'from'>,
  dueAt: EpochMs,
  cause: 'retry' | 'manual',
): AgendaRow {
  const attempt = run.attempt + 1;
  return {
    key: agendaKey(run.occurrence, attempt),
    schema: SCHEMA,
    occurrence: run.occurrence,
    automationId: run.automationId,
    scheduledFor: run.scheduledFor,
    attempt,
    dueAt,
    cause,
    ...(run.from === undefined ? {} : { from: run.from }),
  };
}
