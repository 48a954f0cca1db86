/** What the rules would have done, told with instants of the schedule itself. */
import {
  DAY_MS,
  type DurationMs,
  type EpochMs,
  HOUR_MS,
  MINUTE_MS,
  type MissedRule,
  type OverlapRule,
  SECOND_MS,
  SKIP_LATER_THAN_MS,
} from '../../domain/index.ts';

/** How instants and lengths of time are written. */
export interface ExampleWords {
  readonly when: (at: EpochMs) => string;
  readonly long: (ms: DurationMs) => string;
}

/** A stretch without this browser, made up around the next instants of a schedule. */
interface Absence {
  readonly from: EpochMs;
  readonly back: EpochMs;
  readonly due: readonly EpochMs[];
  readonly next: EpochMs | undefined;
}

/** How many instants the example leaves out, and how many of a rule that is due more rarely than every ten days. */
const LEFT_OUT = 3;
const LEFT_OUT_RARE = 1;
const RARE_MS = 10 * DAY_MS;
/** The absence begins and ends at most so long before and after them. */
const MARGIN_MOST_MS = 9 * HOUR_MS;

/**
 * One sentence: this browser is closed over some of the next `instants` (ascending), and `rule` decides. `null` when
 * there is nothing to miss.
 */
export function missedExample(
  rule: MissedRule,
  instants: readonly EpochMs[],
  { when, long }: ExampleWords,
): string | null {
  const absence = absenceOver(instants);
  if (absence === null) return null;
  const { from, back, due, next } = absence;
  const fresh = due.filter((at) => rule.maxAgeMs === undefined || back - at <= rule.maxAgeMs);
  const run = runnable(rule, fresh, back);
  const missed = due.length - run.length;
  const closed = `Closed from ${when(from)} to ${when(back)}: `;
  const [first] = run;
  if (first === undefined) {
    const latest = due.at(-1) ?? back;
    const why =
      rule.kind === 'skip' || due.length > 1
        ? ''
        : ` It is ${long(back - latest)} late by then, more than the rule allows.`;
    const then = next === undefined ? '' : ` The next is ${when(next)}.`;
    return `${closed}nothing runs; ${listed(missed, due.length)} as missed.${why}${then}`;
  }
  const rest = missed === 0 ? '' : `; ${listed(missed, due.length)} as missed`;
  if (run.length > 1) return `${closed}${run.length} runs one after another, oldest first${rest}.`;
  const which = due.length === 1 ? '' : `, for ${when(first)}`;
  return `${closed}one run when you are back${which}, ${long(back - first)} late${rest}.`;
}

function runnable(rule: MissedRule, fresh: readonly EpochMs[], back: EpochMs): readonly EpochMs[] {
  switch (rule.kind) {
    case 'once':
      return fresh.slice(-1);
    case 'skip':
      return fresh.slice(-1).filter((at) => back - at <= SKIP_LATER_THAN_MS);
    case 'all':
      return fresh.slice(-rule.limit);
  }
}

function listed(missed: number, of: number): string {
  if (missed === of) return of === 1 ? 'it is listed' : `all ${of} are listed`;
  return missed === 1 ? 'the other one is listed' : `the other ${missed} are listed`;
}

function absenceOver(instants: readonly EpochMs[]): Absence | null {
  const [soonest, second] = instants;
  if (soonest === undefined) return null;
  const gap = second === undefined ? 2 * HOUR_MS : second - soonest;
  const count = gap >= RARE_MS ? LEFT_OUT_RARE : LEFT_OUT;
  // The first one may be so near that the absence would have to begin in the past; the next ones serve as well.
  const start = instants.length > count + 1 ? 1 : 0;
  const due = instants.slice(start, start + count);
  const first = due[0] ?? soonest;
  const last = due.at(-1) ?? soonest;
  const round =
    gap >= 6 * HOUR_MS
      ? HOUR_MS
      : gap >= HOUR_MS
        ? 5 * MINUTE_MS
        : gap >= 5 * MINUTE_MS
          ? MINUTE_MS
          : SECOND_MS;
  // A third of the gap on each side: plainly before the first, plainly after the last, plainly before the next.
  const margin = Math.min(gap / 3, MARGIN_MOST_MS);
  const from = Math.floor((first - margin) / round) * round;
  const back = Math.ceil((last + margin) / round) * round;
  return { from, back, due, next: instants[start + count] };
}

/**
 * One sentence: a run is not over when the next of `instants` (ascending) are due, and `rule` decides. A run is ended after
 * `timeoutMs`, so that it may never come to that. `null` when nothing follows.
 */
export function overlapExample(
  rule: OverlapRule,
  instants: readonly EpochMs[],
  timeoutMs: DurationMs,
  { when, long }: ExampleWords,
): string | null {
  const [first, second] = instants;
  if (first === undefined || second === undefined) return null;
  if (timeoutMs <= second - first) {
    return `Runs on time do not meet: one is ended after ${long(timeoutMs)}, and the next is due ${long(second - first)} after it. It matters for runs that are late or that you start.`;
  }
  const goesOn = `If the run of ${when(first)} goes on until after ${when(second)}, `;
  switch (rule.kind) {
    case 'skip':
      return `${goesOn}that one is skipped.`;
    case 'queue':
      return `${goesOn}that one starts when it has ended.`;
    case 'replace':
      return `${goesOn}it is cancelled then, and that one starts.`;
    case 'parallel': {
      const over = instants[rule.limit];
      if (over === undefined || over - first >= timeoutMs) return `${goesOn}both run.`;
      return `${goesOn}both run. The one of ${when(over)} is skipped if all ${rule.limit} before it still go on.`;
    }
  }
}

/** One sentence: every run from now on fails, and the automation pauses itself. `null` when that is not in sight. */
export function autoPauseExample(
  failures: number,
  instants: readonly EpochMs[],
  { when }: Pick<ExampleWords, 'when'>,
): string | null {
  const last = instants[failures - 1];
  if (last === undefined) return null;
  const which = failures === 1 ? 'If the next run fails' : `If the next ${failures} runs all fail`;
  return `${which}, it is paused after the one of ${when(last)}.`;
}

/** One sentence on the first day after today, of which all runs are known to come: what is over `most` is skipped. */
export function runsPerDayExample(
  most: number,
  instants: readonly EpochMs[],
  now: EpochMs,
  dayOf: (at: EpochMs) => string,
  { when }: Pick<ExampleWords, 'when'>,
): string | null {
  const today = dayOf(now);
  const ahead = instants.filter((at) => dayOf(at) !== today);
  const [first] = ahead;
  if (first === undefined) return null;
  const ofDay = ahead.filter((at) => dayOf(at) === dayOf(first));
  const over = ofDay[most];
  if (over !== undefined) return `The one of ${when(over)} is the first that is skipped on that day.`;
  // What is shown last may not be the last of its day.
  if (ofDay.length === ahead.length) return null;
  return ofDay.length === 1
    ? `It is due once on the day of ${when(first)}, and the limit is not met.`
    : `It is due ${ofDay.length} times on the day of ${when(first)}, and the limit is not met.`;
}

/**
 * One sentence: when the run of the first of `instants` (ascending) is ended by the timeout, and what is due by then. `null`
 * when there is no instant to come.
 */
export function timeoutExample(
  timeoutMs: DurationMs,
  instants: readonly EpochMs[],
  { when, long }: ExampleWords,
): string | null {
  const [first, second] = instants;
  if (first === undefined) return null;
  const end = first + timeoutMs;
  // Clocks are told in minutes, and shorter than one is no other time.
  const over =
    when(end) === when(first)
      ? `is ended ${long(timeoutMs)} later`
      : `is ended at ${when(end)} at the latest`;
  const run = `The run of ${when(first)} ${over}`;
  if (second === undefined) return `${run}.`;
  const meanwhile = instants.filter((at) => at > first && at < end).length;
  if (meanwhile === 0) return `${run}, before the next is due.`;
  if (meanwhile === instants.length - 1) return `${run}, when at least ${meanwhile} others have become due.`;
  return `${run}, when ${meanwhile === 1 ? 'the next one has' : `${meanwhile} others have`} become due.`;
}

/**
 * One sentence: this browser dies during the run of the first of `instants` (ascending), and the rule decides: `default`
 * asks only where what was sent may have happened. `null` when there is no instant to come.
 *
 * @param of.isRepeatable whether doing it twice does no harm.
 * @param of.attempts how many there are in all; with one, nothing is tried again by itself.
 */
export function interruptedExample(
  rule: 'default' | 'ask' | 'retry',
  of: { readonly isRepeatable: boolean; readonly attempts: number },
  instants: readonly EpochMs[],
  { when }: Pick<ExampleWords, 'when'>,
): string | null {
  const [first] = instants;
  if (first === undefined) return null;
  const dies = `If this browser crashes during the run of ${when(first)}, `;
  const asks = 'it waits for your answer when you are back';
  const again =
    of.attempts > 1
      ? 'it is tried again when you are back'
      : 'it is listed and not tried again, having one attempt';
  switch (rule) {
    case 'ask':
      return `${dies}${asks}.`;
    case 'retry':
      return `${dies}${again}.`;
    case 'default':
      return of.isRepeatable
        ? `${dies}${again}.`
        : `${dies}${asks}, unless nothing had been sent: then ${again}.`;
  }
}
