/** Calendar intervals, one-off times, active hours, bounds and the choices for daylight saving. */
import { beforeAll, describe, expect, test } from 'vitest';
import { nextAfter } from './instants.ts';
import { parseWith } from './problem.ts';
import { problemsOf } from './schedule-problems.ts';
import { type Schedule, scheduleSchema } from './schedule.ts';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const instant = (text: string): number => Date.parse(text);

/** The next `count` instants after `from`, as the vectors write them. */
function next(schedule: Schedule, from: string, count: number): string[] {
  const texts: string[] = [];
  let at = nextAfter(schedule, instant(from));
  while (at !== null && texts.length < count) {
    texts.push(new Date(at).toISOString().replace(':00.000Z', 'Z'));
    at = nextAfter(schedule, at);
  }
  return texts;
}

const berlin = 'Europe/Berlin';
const cron = (expression: string, more: object = {}): Schedule => ({
  kind: 'cron',
  expression,
  timeZone: berlin,
  ...more,
});
const every = (everyMs: number, more: object = {}): Schedule => ({
  kind: 'every',
  everyMs,
  anchor: instant('2026-01-01T00:00:00Z'),
  ...more,
});
const calendar = (more: object = {}): Schedule => ({
  kind: 'calendar',
  every: 1,
  unit: 'months',
  first: '2026-01-31T09:00',
  timeZone: 'UTC',
  ...more,
});

/** What is refused of `value`, whether for its shape or for its meaning: `path: message`. */
function refusals(value: unknown): string[] {
  const parsed = parseWith(scheduleSchema, value, ['schedule']);
  const problems = parsed.kind === 'ok' ? problemsOf(parsed.value) : parsed.problems;
  return problems.map(({ path, message }) => `${path}: ${message}`);
}

describe('a calendar interval', () => {
  test.each(vectors.calendarInterval)('$id: $note', ({ anchorLocal, months, tz, n, expect: expected }) => {
    const schedule = calendar({ every: months, first: anchorLocal, timeZone: tz, overflow: 'clamp' });
    expect(problemsOf(schedule)).toEqual([]);
    expect(next(schedule, '1970-01-01T00:00:00Z', n)).toEqual(
      expected.map((text) => text.replace(':00Z', 'Z')),
    );
  });

  test('skips the months that lack its day, unless it is told to take their last', () => {
    expect(next(calendar(), '2026-01-31T09:00:00Z', 3)).toEqual([
      '2026-03-31T09:00Z',
      '2026-05-31T09:00Z',
      '2026-07-31T09:00Z',
    ]);
    const leapDay = calendar({ unit: 'years', first: '2096-02-29T12:00' });
    expect(next(leapDay, '2090-01-01T00:00:00Z', 3)).toEqual([
      '2096-02-29T12:00Z',
      '2104-02-29T12:00Z',
      '2108-02-29T12:00Z',
    ]);
  });

  test('of days and weeks keeps its time of day over a change of the clocks', () => {
    const days = calendar({ every: 2, unit: 'days', first: '2026-03-26T09:00', timeZone: berlin });
    expect(next(days, '2026-03-25T00:00:00Z', 3)).toEqual([
      '2026-03-26T08:00Z',
      '2026-03-28T08:00Z',
      '2026-03-30T07:00Z',
    ]);
    const weeks = calendar({ every: 2, unit: 'weeks', first: '2026-10-19T09:00', timeZone: berlin });
    expect(next(weeks, '2026-10-20T00:00:00Z', 2)).toEqual(['2026-11-02T08:00Z', '2026-11-16T08:00Z']);
  });

  test('is found from any instant, however far from its first', () => {
    const far = calendar({ every: 7, unit: 'months', first: '1970-08-31T00:00' });
    expect(next(far, '2190-01-01T00:00:00Z', 1)).toEqual(['2190-07-31T00:00Z']);
    expect(next(calendar({ unit: 'years' }), '2199-01-31T09:00:00Z', 1)).toEqual([]);
  });
});

describe('a date and time in a zone', () => {
  const date = (local: string, more: object = {}): Schedule => ({
    kind: 'date',
    local,
    timeZone: 'America/New_York',
    ...more,
  });

  test.each(vectors.oneOff.filter(({ id }) => id !== 'oo-05'))('$id: $note', (vector) => {
    const schedule: Schedule = { kind: 'date', local: vector.local, timeZone: vector.tz };
    const [at] = next(schedule, '1970-01-01T00:00:00Z', 2);
    expect(at).toBe((vector.firstValid ?? vector.first).replace(':00Z', 'Z'));
  });

  test('comes once, and by choice at the second pass or in both', () => {
    const from = '2026-10-31T00:00:00Z';
    expect(next(date('2026-11-01T01:30'), from, 5)).toEqual(['2026-11-01T05:30Z']);
    expect(next(date('2026-11-01T01:30', { dst: { overlap: 'second' } }), from, 5)).toEqual([
      '2026-11-01T06:30Z',
    ]);
    expect(next(date('2026-11-01T01:30', { dst: { overlap: 'both' } }), from, 5)).toEqual([
      '2026-11-01T05:30Z',
      '2026-11-01T06:30Z',
    ]);
  });

  test('that does not exist is refused where nothing stands for it', () => {
    expect(refusals({ kind: 'date', local: '2011-12-30T12:00', timeZone: 'Pacific/Apia' })).toEqual([
      'schedule.local: This date does not exist in Pacific/Apia: its calendar skipped it. Use another date.',
    ]);
    expect(refusals(date('2026-03-08T02:30', { dst: { gap: 'skip' } }))).toEqual([
      'schedule.local: This time does not exist in America/New_York: the clocks go forward over it. ' +
        'Use another time, or another choice for gaps.',
    ]);
    expect(refusals(date('2026-03-08T02:30'))).toEqual([]);
  });
});

describe('the choice for a gap', () => {
  test.each([
    ['next-valid', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
    ['shift', ['2026-03-29T01:30Z', '2026-03-30T00:30Z']],
    ['skip', ['2026-03-30T00:30Z', '2026-03-31T00:30Z']],
  ])('%s', (gap, expected) => {
    expect(next(cron('30 2 * * *', { dst: { gap } }), '2026-03-28T12:00:00Z', 2)).toEqual(expected);
  });

  test('shift keeps the order of time, and two times on one instant are one', () => {
    expect(next(cron('0,30 2,3 * * *', { dst: { gap: 'shift' } }), '2026-03-28T12:00:00Z', 3)).toEqual([
      '2026-03-29T01:00Z',
      '2026-03-29T01:30Z',
      '2026-03-30T00:00Z',
    ]);
  });
});

describe('the choice for an overlap', () => {
  test.each([
    ['first', ['2026-10-25T00:10Z', '2026-10-25T00:50Z', '2026-10-25T02:10Z']],
    ['second', ['2026-10-25T01:10Z', '2026-10-25T01:50Z', '2026-10-25T02:10Z']],
    ['both', ['2026-10-25T00:10Z', '2026-10-25T00:50Z', '2026-10-25T01:10Z']],
  ])('%s', (overlap, expected) => {
    expect(next(cron('10,50 2,3 * * *', { dst: { overlap } }), '2026-10-24T12:00:00Z', 3)).toEqual(expected);
  });

  test('is found also when one looks from between the passes', () => {
    const both = cron('10,50 2 * * *', { dst: { overlap: 'both' } });
    expect(next(both, '2026-10-25T00:30:00Z', 2)).toEqual(['2026-10-25T00:50Z', '2026-10-25T01:10Z']);
    const second = cron('10,50 2 * * *', { dst: { overlap: 'second' } });
    expect(next(second, '2026-10-25T00:10:00Z', 1)).toEqual(['2026-10-25T01:10Z']);
  });

  test('is none for a rule that follows the clock, and meets both', () => {
    const rule = cron('*/30 2 * * *', { dst: { gap: 'shift', overlap: 'second' } });
    expect(next(rule, '2026-10-24T23:00:00Z', 4)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
    ]);
  });
});

describe('active hours', () => {
  const office = every(20 * MINUTE_MS, {
    timeZone: berlin,
    hours: { from: '09:00', until: '17:00' },
    days: [1, 2, 3, 4, 5],
  });

  test('include both their ends, on their days only', () => {
    expect(problemsOf(office)).toEqual([]);
    // A Friday.
    expect(next(office, '2026-06-05T14:39:00Z', 4)).toEqual([
      '2026-06-05T14:40Z',
      '2026-06-05T15:00Z',
      '2026-06-08T07:00Z',
      '2026-06-08T07:20Z',
    ]);
  });

  test('keep to the wall clock when it changes', () => {
    expect(next(office, '2026-03-27T16:00:00Z', 1)).toEqual(['2026-03-30T07:00Z']);
    expect(next(office, '2026-10-23T15:00:00Z', 1)).toEqual(['2026-10-26T08:00Z']);
  });

  test('may go over midnight, and are of the day that they begin on', () => {
    const night = every(HOUR_MS, { timeZone: 'UTC', hours: { from: '22:00', until: '02:00' }, days: [5] });
    expect(next(night, '2026-06-04T12:00:00Z', 6)).toEqual([
      '2026-06-05T22:00Z',
      '2026-06-05T23:00Z',
      '2026-06-06T00:00Z',
      '2026-06-06T01:00Z',
      '2026-06-06T02:00Z',
      '2026-06-12T22:00Z',
    ]);
  });

  test('open again when the clocks go back into them, and not at all when the clocks leave them out', () => {
    const early = every(30 * MINUTE_MS, { timeZone: berlin, hours: { from: '02:00', until: '02:30' } });
    expect(next(early, '2026-10-24T12:00:00Z', 5)).toEqual([
      '2026-10-25T00:00Z',
      '2026-10-25T00:30Z',
      '2026-10-25T01:00Z',
      '2026-10-25T01:30Z',
      '2026-10-26T01:00Z',
    ]);
    expect(next(early, '2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:00Z']);
  });
});

describe('the bounds of a schedule', () => {
  test('are dates of its zone, and included', () => {
    const bounded = cron('0 0,12 * * *', { start: '2026-06-05', end: '2026-06-06' });
    expect(next(bounded, '2020-01-01T00:00:00Z', 9)).toEqual([
      '2026-06-04T22:00Z',
      '2026-06-05T10:00Z',
      '2026-06-05T22:00Z',
      '2026-06-06T10:00Z',
    ]);
    const minutes = cron('0 * * * *', { start: '2026-06-05T03:00', end: '2026-06-05T05:00' });
    expect(next(minutes, '2020-01-01T00:00:00Z', 9)).toEqual([
      '2026-06-05T01:00Z',
      '2026-06-05T02:00Z',
      '2026-06-05T03:00Z',
    ]);
  });

  test('leave out the dates that are excluded, as the clock of the zone shows them', () => {
    const rule = cron('0 0 * * *', { excluded: ['2026-06-06', '2026-06-07'] });
    expect(next(rule, '2026-06-04T12:00:00Z', 2)).toEqual(['2026-06-04T22:00Z', '2026-06-07T22:00Z']);
    const hourly = every(HOUR_MS, { timeZone: 'Asia/Tokyo', excluded: ['2026-06-06'] });
    expect(next(hourly, '2026-06-05T14:00:00Z', 1)).toEqual(['2026-06-06T15:00Z']);
  });
});

describe('a schedule is refused, with its field, the reason, and what would be accepted', () => {
  const interval = { kind: 'every', everyMs: HOUR_MS, anchor: 0 };
  test.each<readonly [value: unknown, ...refused: string[]]>([
    [
      'daily',
      'schedule: The schedule is one of "manual", "once", "date", "every", "calendar", "cron" and "after".',
    ],
    [
      { kind: 'date', local: '2026-02-30T09:00', timeZone: 'UTC' },
      'schedule.local: The time must be a date and time from 1970 to 2199, such as 2026-12-24T09:00.',
    ],
    [
      { kind: 'date', local: '2026-02-03T09:00', timeZone: 'Mars/Olympus' },
      'schedule.timeZone: "Mars/Olympus" is not a time zone that this browser knows; use an IANA name, such as Europe/Berlin.',
    ],
    [calendar({ unit: 'hours' }), 'schedule.unit: The unit is one of "days", "weeks", "months", "years".'],
    [calendar({ every: 0 }), 'schedule.every: The interval must be at least 1.'],
    [
      calendar({ overflow: 'next' }),
      'schedule.overflow: The choice for short months is one of "clamp", "skip".',
    ],
    [
      cron('0 9 * * *', { dst: { gap: 'later' } }),
      'schedule.dst.gap: The choice for a gap is one of "next-valid", "shift", "skip".',
    ],
    [
      cron('0 9 * * *', { dst: { overlap: 'none' } }),
      'schedule.dst.overlap: The choice for an overlap is one of "first", "second", "both".',
    ],
    [
      cron('0 9 * * *', { start: 'tomorrow' }),
      'schedule.start: The start must be a date from 1970 to 2199, such as 2026-12-24, or a date and time, such as 2026-12-24T09:00.',
    ],
    [cron('0 9 * * *', { maxRuns: 0 }), 'schedule.maxRuns: The number of runs must be at least 1.'],
    [
      cron('0 9 * * *', { excluded: ['24.12.2026'] }),
      'schedule.excluded[0]: An excluded date is written as 2026-12-24.',
    ],
    [cron('0 9 * * *', { jitterMs: 2 * DAY_MS }), 'schedule.jitterMs: The jitter must be at most 86400000.'],
    [
      { ...interval, hours: { from: '9', until: '17:00' }, timeZone: 'UTC' },
      'schedule.hours.from: The start of the active hours must be a time from 00:00 to 23:59, such as 09:00.',
    ],
    [
      { ...interval, days: [], timeZone: 'UTC' },
      'schedule.days: Choose at least one active day, or leave the days out for all of them.',
    ],
    [{ ...interval, days: [1, 1], timeZone: 'UTC' }, 'schedule.days: Name each active day once.'],
    [{ ...interval, days: [7], timeZone: 'UTC' }, 'schedule.days[0]: A day must be at most 6.'],
    [
      { ...interval, days: [1] },
      'schedule.timeZone: Choose the time zone that the active hours and the dates are meant in.',
    ],
    [
      { ...interval, hours: { from: '09:00', until: '09:00' }, timeZone: 'UTC' },
      'schedule.hours.until: The active hours begin and end at the same time. Use two times, or leave them out for the whole day.',
    ],
    [
      { ...interval, everyMs: 9 * HOUR_MS, hours: { from: '09:00', until: '17:00' }, timeZone: 'UTC' },
      'schedule.everyMs: The interval is longer than the active hours of a day, and would miss most of them. Use at most 8 hours, or "calendar" for every n days.',
    ],
    [
      cron('0 9 * * *', { start: '2026-06-06', end: '2026-06-05' }),
      'schedule.end: The end is before the start. Use 2026-06-06 or later.',
    ],
    [
      cron('0 9 24 12 *', { start: '2026-12-25', end: '2027-12-23' }),
      'schedule.end: This rule has no time between the start and the end. Use a later end.',
    ],
    [
      calendar({ end: '2025-12-31' }),
      'schedule.end: The end is before the first time of this rule. Use a later one.',
    ],
    [
      cron('0 0 9 24 12 * 2026', { start: '2027-01-01' }),
      'schedule.start: This rule has no time after the start. Use an earlier one.',
    ],
    [
      cron('0 0 9 24 12 * 2026', { excluded: ['2026-12-24'] }),
      'schedule.excluded: Every time of this rule is on an excluded date. Leave one of them in.',
    ],
    [
      cron('*/10 * * * *', { jitterMs: 10 * MINUTE_MS }),
      'schedule.jitterMs: The jitter must be shorter than the time between two runs. Use less than 10 minutes.',
    ],
    [
      { kind: 'after', automation: 'the other', on: 'success' },
      'schedule.automation: Choose the automation to run after, by its id.',
    ],
    [
      { kind: 'after', automation: 'a0000000-0000-4000-8000-000000000001', on: 'sometimes' },
      'schedule.on: What it runs after is one of "success", "failure", "any".',
    ],
    [{ kind: 'once', at: 5, until: 6 }, 'schedule.until: Rota does not know this field.'],
  ])('%j', (value, ...refused) => {
    expect(refusals(value)).toEqual(refused);
  });
});
