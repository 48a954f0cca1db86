import * as v from 'valibot';
import { assert, assertNever } from './assert.ts';
import { nextOfCron } from './cron-next.ts';
import { type CronRule, cronRule, parseCron } from './cron.ts';
import { type Problem, boundedText, pathText, wholeNumber } from './problem.ts';
import { DAY_MS, type EpochMs, LAST_INSTANT_MS, SECOND_MS } from './time.ts';
import { isTimeZone } from './zone.ts';

const instant = (what: string) => wholeNumber(0, LAST_INSTANT_MS, what);

/**
 * When an automation is due. `every` is elapsed time from `anchor` (design, "Calendar": 24 hours is not "every day");
 * `cron` is wall-clock time in `timeZone`, an IANA name kept as typed. Shape only: see `problemsOf` for the meaning.
 */
export const scheduleSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('manual') }),
    v.strictObject({ kind: v.literal('once'), at: instant('The time') }),
    v.strictObject({
      kind: v.literal('every'),
      everyMs: wholeNumber(SECOND_MS, 366 * DAY_MS, 'The interval'),
      anchor: instant('The anchor'),
    }),
    v.strictObject({
      kind: v.literal('cron'),
      expression: v.pipe(
        boundedText('The cron rule', 200),
        v.trim(),
        v.nonEmpty('Enter a cron rule, such as 0 9 * * mon-fri.'),
      ),
      timeZone: v.pipe(boundedText('The time zone', 100), v.nonEmpty('Choose a time zone.')),
    }),
  ],
  'The schedule is one of "manual", "once", "every" and "cron".',
);

export type Schedule = v.InferOutput<typeof scheduleSchema>;

/**
 * The first instant of `schedule` strictly after `after`, or `null` when none is left before the end of the year 2199.
 * Wants {@link prepareTime}. Asserts that a cron schedule passes {@link problemsOf}, which whoever stores one has asked.
 */
export function nextAfter(schedule: Schedule, after: EpochMs): EpochMs | null {
  const next = candidateAfter(schedule, after);
  if (next === null || next > LAST_INSTANT_MS) return null;
  // A next that is not later is what makes schedulers loop for ever at a change of the clocks.
  assert(next > after, 'the next instant must be later than the last');
  return next;
}

function candidateAfter(schedule: Schedule, after: EpochMs): EpochMs | null {
  switch (schedule.kind) {
    case 'manual':
      return null;
    case 'once':
      return schedule.at > after ? schedule.at : null;
    case 'every': {
      const { anchor, everyMs } = schedule;
      return after < anchor ? anchor : anchor + (Math.floor((after - anchor) / everyMs) + 1) * everyMs;
    }
    case 'cron':
      return nextOfCron(cronRule(schedule.expression), schedule.timeZone, after);
    default:
      return assertNever(schedule);
  }
}

/** The instants of a schedule in a stretch of time, oldest first; `more` when there are others after the last of them. */
export interface DueInstants {
  readonly instants: EpochMs[];
  readonly more: boolean;
}

/**
 * The instants of `schedule` from `from` to `until`, both included, the oldest `most` of them. The same conditions as
 * {@link nextAfter}.
 */
export function dueInstants(schedule: Schedule, from: EpochMs, until: EpochMs, most: number): DueInstants {
  assert(most >= 1, 'a limit of instants must be at least one');
  const instants: EpochMs[] = [];
  let next = nextAfter(schedule, from - 1);
  while (next !== null && next <= until) {
    if (instants.length === most) return { instants, more: true };
    instants.push(next);
    next = nextAfter(schedule, next);
  }
  return { instants, more: false };
}

/**
 * Whether {@link nextAfter} can be asked of `schedule` here: its cron rule reads and its time zone is known. Less than
 * {@link problemsOf} asks of what is saved, because what is stored already may no longer be refused for its sense.
 */
export function isComputable(schedule: Schedule): boolean {
  if (schedule.kind !== 'cron') return true;
  return parseCron(schedule.expression).kind === 'ok' && isTimeZone(schedule.timeZone);
}

/** The start of 2026, before any schedule was saved. Not now: what could be saved once can be imported ever after. */
const FIRST_SAVED_MS: EpochMs = 1_767_225_600_000;

/**
 * What is wrong with the meaning of a schedule whose shape is right: a cron rule that cannot be read or never runs, or
 * a time zone that this browser does not know. Empty when it may be saved. Wants {@link prepareTime}.
 *
 * @param at the keys that lead to the schedule.
 */
export function problemsOf(
  schedule: Schedule,
  at: readonly (string | number)[] = ['schedule'],
): readonly Problem[] {
  if (schedule.kind !== 'cron') return [];
  const problems: Problem[] = [];
  const parsed = parseCron(schedule.expression);
  if (parsed.kind === 'invalid') {
    const path = pathText([...at, 'expression']);
    problems.push(...parsed.messages.map((message) => ({ path, message })));
  }
  if (!isTimeZone(schedule.timeZone)) {
    problems.push({
      path: pathText([...at, 'timeZone']),
      message: `"${schedule.timeZone}" is not a time zone that this browser knows; use an IANA name, such as Europe/Berlin.`,
    });
  } else if (parsed.kind === 'ok') {
    const message = whyNeverDue(parsed.rule, schedule.timeZone);
    if (message !== null) problems.push({ path: pathText([...at, 'expression']), message });
  }
  return problems;
}

/** Why a rule that names dates is due at no instant of `timeZone` all the same; `null` when it is due at some. */
function whyNeverDue(rule: CronRule, timeZone: string): string | null {
  const first = nextOfCron(rule, timeZone, FIRST_SAVED_MS);
  if (first !== null) {
    return first <= LAST_INSTANT_MS ? null : 'This rule runs only after the year 2199. Use an earlier time.';
  }
  if (rule.nextLocal(FIRST_SAVED_MS) === null) {
    return 'This rule names only times before 2026. Use a year to come, or leave the year out.';
  }
  return `This rule never runs: in ${timeZone} the clocks skip every time that it names. Use another hour.`;
}
