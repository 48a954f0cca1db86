/**
 * When an automation is due, as it is written down. What is stored is the rule and its zone, never a list of instants:
 * zone databases change. Shape only; `problemsOf` looks at the meaning, and `nextAfter` computes.
 */
import * as v from 'valibot';
import { type AutomationId, isUuid } from './ids.ts';
import { readDate, readDateTime, readTime } from './local-time.ts';
import { boundedText, wholeNumber } from './problem.ts';
import { DAY_MS, LAST_INSTANT_MS, SECOND_MS } from './time.ts';

/** Most dates that one schedule excludes. */
const EXCLUDED_MOST = 400;
/** The longest jitter. */
const JITTER_MOST_MS = DAY_MS;
/** Units of a calendar interval. */
const CALENDAR_UNITS = ['days', 'weeks', 'months', 'years'] as const;

/** What becomes of a fixed time that the clocks jump over: `next-valid` is the first instant after the gap. */
export const GAP_CHOICES = ['next-valid', 'shift', 'skip'] as const;
/** Which pass of a time that comes twice is due. */
export const OVERLAP_CHOICES = ['first', 'second', 'both'] as const;

const instant = (what: string) => wholeNumber(0, LAST_INSTANT_MS, what);

const timeZone = v.pipe(boundedText('The time zone', 100), v.nonEmpty('Choose a time zone.'));

const dateTime = (what: string) =>
  v.pipe(
    v.string(`${what} must be text, such as "2026-12-24T09:00".`),
    v.check(
      (text) => readDateTime(text) !== null,
      `${what} must be a date and time from 1970 to 2199, such as 2026-12-24T09:00.`,
    ),
  );

const dateOrDateTime = (what: string) =>
  v.pipe(
    v.string(`${what} must be text, such as "2026-12-24".`),
    v.check(
      (text) => readDate(text) !== null || readDateTime(text) !== null,
      `${what} must be a date from 1970 to 2199, such as 2026-12-24, or a date and time, such as 2026-12-24T09:00.`,
    ),
  );

const time = (what: string) =>
  v.pipe(
    v.string(`${what} must be text, such as "09:00".`),
    v.check((text) => readTime(text) !== null, `${what} must be a time from 00:00 to 23:59, such as 09:00.`),
  );

const choice = <const Values extends readonly string[]>(values: Values, what: string) =>
  v.picklist(values, `${what} is one of ${values.map((value) => `"${value}"`).join(', ')}.`);

const jitterMs = v.exactOptional(wholeNumber(0, JITTER_MOST_MS, 'The jitter'));

/** What daylight saving does to fixed times; absent: `next-valid` and `first`. Other rules follow the wall clock. */
const dst = v.exactOptional(
  v.strictObject({
    gap: v.exactOptional(choice(GAP_CHOICES, 'The choice for a gap')),
    overlap: v.exactOptional(choice(OVERLAP_CHOICES, 'The choice for an overlap')),
  }),
);

/** What bounds a schedule that repeats. Dates are of its own zone, and all of them are included. */
const bounds = {
  start: v.exactOptional(dateOrDateTime('The start')),
  end: v.exactOptional(dateOrDateTime('The end')),
  maxRuns: v.exactOptional(wholeNumber(1, 1_000_000, 'The number of runs')),
  excluded: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(
          v.string('An excluded date must be text, such as "2026-12-24".'),
          v.check((text) => readDate(text) !== null, 'An excluded date is written as 2026-12-24.'),
        ),
        'Excluded dates are a list, such as ["2026-12-24"].',
      ),
      v.maxLength(EXCLUDED_MOST, `At most ${EXCLUDED_MOST} excluded dates.`),
    ),
  ),
  jitterMs,
};

const everySchema = v.strictObject({
  kind: v.literal('every'),
  everyMs: wholeNumber(SECOND_MS, 366 * DAY_MS, 'The interval'),
  anchor: instant('The anchor'),
  timeZone: v.exactOptional(timeZone),
  hours: v.exactOptional(
    v.strictObject({
      from: time('The start of the active hours'),
      until: time('The end of the active hours'),
    }),
  ),
  days: v.exactOptional(
    v.pipe(
      v.array(wholeNumber(0, 6, 'A day'), 'Active days are a list of numbers, with 0 for Sunday.'),
      v.minLength(1, 'Choose at least one active day, or leave the days out for all of them.'),
      v.maxLength(7, 'A week has seven days; name each once.'),
      v.check((days) => new Set(days).size === days.length, 'Name each active day once.'),
    ),
  ),
  ...bounds,
});

const calendarSchema = v.strictObject({
  kind: v.literal('calendar'),
  every: wholeNumber(1, 1_000, 'The interval'),
  unit: choice(CALENDAR_UNITS, 'The unit'),
  first: dateTime('The first time'),
  timeZone,
  overflow: v.exactOptional(choice(['clamp', 'skip'], 'The choice for short months')),
  dst,
  ...bounds,
});

const cronSchema = v.strictObject({
  kind: v.literal('cron'),
  expression: v.pipe(
    boundedText('The cron rule', 200),
    v.trim(),
    v.nonEmpty('Enter a cron rule, such as 0 9 * * mon-fri.'),
  ),
  timeZone,
  dst,
  ...bounds,
});

/**
 * When an automation is due.
 *
 * - `manual`: only when somebody runs it.
 * - `once`: at an instant, epoch ms. `date`: once, at a date and time of the wall clock of a zone.
 * - `every`: elapsed time from `anchor` (24 hours is not "every day"). Of its instants, only those are due that fall into
 *   the active `hours`, both ends included, of the active `days` (0 is Sunday). Hours may go over midnight; they are of
 *   the day that they begin on. `timeZone` is needed by `hours`, `days` and every date.
 * - `calendar`: every n days, weeks, months or years at the time of day of `first`, counted from it. In a month that lacks
 *   its day, `overflow` skips the month (default) or takes its last day.
 * - `cron`: wall-clock time. Also daily, chosen weekdays and the days of a month.
 * - `after`: when a run of another automation has ended: with `success`, with `failure` (no attempt to come), or either
 *   (`any`). A run that was cancelled starts nothing.
 *
 * Zones are IANA names, kept as typed. `start`, `end` (a whole date, or a minute) and `excluded` dates are in the zone;
 * after `maxRuns` runs by its schedule it is over. `jitterMs`: each occurrence is due by up to so much later, always the
 * same for one occurrence; what it is called, and what follows it, goes by the time without.
 */
export const scheduleSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('manual') }),
    v.strictObject({ kind: v.literal('once'), at: instant('The time'), jitterMs }),
    v.strictObject({ kind: v.literal('date'), local: dateTime('The time'), timeZone, dst, jitterMs }),
    everySchema,
    calendarSchema,
    cronSchema,
    v.strictObject({
      kind: v.literal('after'),
      automation: v.custom<AutomationId>(
        (id) => typeof id === 'string' && isUuid(id),
        'Choose the automation to run after, by its id.',
      ),
      on: choice(['success', 'failure', 'any'], 'What it runs after'),
    }),
  ],
  'The schedule is one of "manual", "once", "date", "every", "calendar", "cron" and "after".',
);

export type Schedule = v.InferOutput<typeof scheduleSchema>;
/** A schedule that repeats, and so can have a start, an end, excluded dates and a number of runs. */
export type Repeating = Extract<Schedule, { kind: 'every' | 'calendar' | 'cron' }>;
/** A schedule of fixed times on the wall clock, or of a cron rule. */
export type OnWallClock = Extract<Schedule, { kind: 'date' | 'calendar' | 'cron' }>;
export type CalendarSchedule = Extract<Schedule, { kind: 'calendar' }>;
export type EverySchedule = Extract<Schedule, { kind: 'every' }>;
/** How a run must have ended for another automation to follow it. */
export type FollowOn = Extract<Schedule, { kind: 'after' }>['on'];

/** What daylight saving does to fixed times. */
export interface DstChoice {
  readonly gap: (typeof GAP_CHOICES)[number];
  readonly overlap: (typeof OVERLAP_CHOICES)[number];
}

/** The choice for daylight saving of `schedule`, its defaults filled in. */
export function dstOf(schedule: OnWallClock): DstChoice {
  return { gap: schedule.dst?.gap ?? 'next-valid', overlap: schedule.dst?.overlap ?? 'first' };
}

/** The zone that `schedule` is in; `null` where it has none of its own. */
export function zoneOf(schedule: Schedule): string | null {
  return 'timeZone' in schedule ? (schedule.timeZone ?? null) : null;
}

/** Whether `schedule` repeats. */
export function isRepeating(schedule: Schedule): schedule is Repeating {
  return schedule.kind === 'every' || schedule.kind === 'calendar' || schedule.kind === 'cron';
}

/** The longest that an occurrence of `schedule` is put off. */
export function jitterOf(schedule: Schedule): number {
  return 'jitterMs' in schedule ? (schedule.jitterMs ?? 0) : 0;
}
