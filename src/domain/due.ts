import { assert } from './assert.ts';
import { type Automation, type RecentRun, SCHEMA } from './automation.ts';
import { type AgendaRow, type Occurrence, agendaKey, scheduledOccurrence } from './occurrence.ts';
import type { AutomationId, RunId } from './ids.ts';
import { CATCH_UP_MOST, SKIP_LATER_THAN_MS } from './rules.ts';
import type { Covers, MissedReason, SkippedReason, UnrunRow } from './run.ts';
import { dueInstants, nextAfter } from './schedule.ts';
import type { EpochMs } from './time.ts';

/**
 * Most instants that one transaction accounts for. After a year asleep a rule of every second has 31 million; they are
 * taken in chunks, each exact, so that no claim waits long and nothing is left uncounted.
 */
export const DUE_CHUNK_MOST = 10_000;

/** What becomes of the instants that are due: at most one runs now, the rest is accounted for or waits. */
export interface DuePlan {
  /** The occurrence to run now; `null` when all that is due is missed. */
  readonly run: { readonly occurrence: Occurrence; readonly scheduledFor: EpochMs } | null;
  /** What gets no run: `too-old` by the maximum age, `late` by the rule. Oldest first, none overlapping. */
  readonly missed: readonly { readonly why: 'late' | 'too-old'; readonly covers: Covers }[];
  /** The next scheduled instant for the agenda, which may be past; `null` when there is none. */
  readonly next: EpochMs | null;
}

/**
 * Applies the missed-run rule to what is due (protocol, section 4, step 5). Due are the scheduled instants from the
 * agenda row's own to `now`, both included.
 */
export function planDue(
  row: AgendaRow,
  automation: Automation,
  now: EpochMs,
  chunk = DUE_CHUNK_MOST,
): DuePlan {
  if (row.cause !== 'schedule') {
    return { run: { occurrence: row.occurrence, scheduledFor: row.scheduledFor }, missed: [], next: null };
  }
  const { missed: rule } = automation.rules;
  assert(
    chunk > CATCH_UP_MOST,
    'a chunk must be longer than what one catch-up may run, or it makes no progress',
  );
  const found = dueInstants(automation.schedule, row.scheduledFor, now, chunk);
  // A row whose instant its rule no longer names (another time zone database) is still due once: it was promised.
  const due = found.instants[0] === row.scheduledFor ? found.instants : [row.scheduledFor, ...found.instants];
  const oldest = rule.maxAgeMs === undefined ? -Infinity : now - rule.maxAgeMs;
  const tooOld = due.filter((at) => at < oldest);
  const fresh = due.filter((at) => at >= oldest);

  const keep = rule.kind === 'all' ? rule.limit : 1;
  // A full chunk says nothing about how many follow: leave the newest to the next one.
  const candidates = found.more ? fresh.slice(-keep) : fresh.slice(-keep).filter((at) => isRunnable(at));
  const late = fresh.slice(0, fresh.length - candidates.length);
  const missed = [
    ...coversOf(tooOld).map((covers) => ({ why: 'too-old' as const, covers })),
    ...coversOf(late).map((covers) => ({ why: 'late' as const, covers })),
  ];
  const [first, ...others] = candidates;
  if (found.more && (late.length > 0 || tooOld.length > 0)) {
    return { run: null, missed, next: first ?? nextAfter(automation.schedule, lastOf(due)) };
  }
  const next = others[0] ?? nextAfter(automation.schedule, Math.max(now, lastOf(due)));
  if (first === undefined) return { run: null, missed, next };
  return {
    run: { occurrence: scheduledOccurrence(automation.id, first), scheduledFor: first },
    missed,
    next,
  };

  function isRunnable(at: EpochMs): boolean {
    return rule.kind !== 'skip' || now - at <= SKIP_LATER_THAN_MS;
  }
}

function lastOf(instants: readonly EpochMs[]): EpochMs {
  return instants.at(-1) ?? 0;
}

function coversOf(instants: readonly EpochMs[]): readonly Covers[] {
  const [from] = instants;
  return from === undefined ? [] : [{ from, to: lastOf(instants), count: instants.length }];
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

/** The ledger row for what was due and got no run. */
export function unrunRow(
  automation: Automation,
  id: RunId,
  why:
    | { readonly status: 'missed'; readonly reason: MissedReason }
    | { readonly status: 'skipped'; readonly reason: SkippedReason },
  covers: Covers,
  now: EpochMs,
): UnrunRow {
  return {
    id,
    schema: SCHEMA,
    automationId: automation.id,
    automationName: automation.name,
    occurrence: scheduledOccurrence(automation.id, covers.to),
    scheduledFor: covers.to,
    cause: 'schedule',
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
