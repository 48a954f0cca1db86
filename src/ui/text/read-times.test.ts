import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EpochMs, type Schedule, nextAfter, prepareTime, problemsOf } from '../../domain/index.ts';
import { readTimes } from './read-times.ts';
import { firstTime } from './first-time.ts';
import { scheduleSentence, scheduleText } from './schedule.ts';

const NOW: EpochMs = Date.UTC(2026, 2, 27, 8, 0);
const NOW_TEXT = '2026-03-27T08:00';
beforeAll(() => prepareTime());

describe('times as a person writes them', () => {
  test.each([
    ['every weekday at 9', '0 9 * * mon-fri'],
    ['Every weekday at 9 a.m.', '0 9 * * mon-fri'],
    ['weekdays at 18:30', '30 18 * * mon-fri'],
    ['mon-fri 08:15', '15 8 * * mon,tue,wed,thu,fri'],
    ['Monday to Friday at noon', '0 12 * * mon,tue,wed,thu,fri'],
    ['fri to mon at 7', '0 7 * * fri,sat,sun,mon'],
    ['mondays and thursdays at 6pm', '0 18 * * mon,thu'],
    ['every Monday, Wednesday and Friday at 09:00 and 18:00', '0 9,18 * * mon,wed,fri'],
    ['weekends at 10.30', '30 10 * * sat,sun'],
    ['daily at midnight', '0 0 * * *'],
    ['every day at 12:30 pm', '30 12 * * *'],
    ['once a day at 5 pm', '0 17 * * *'],
    ['at 7 and 19 every day', '0 7,19 * * *'],
    ['weekly on Sunday at 20:00', '0 20 * * sun'],
    ['on the 1st of each month at 8', '0 8 1 * *'],
    ['on the 1st and 15th at noon', '0 12 1,15 * *'],
    ['every month on the 31st at 9', '0 9 31 * *'],
    ['the last day of every month at 23:00', '0 23 L * *'],
    ['last friday of the month at 4pm', '0 16 * * fri#L'],
    ['the second Monday of each month at 9', '0 9 * * mon#2'],
    ['every first monday at 9', '0 9 * * mon#1'],
    ['the last weekday of each month at 9', '0 9 LW * *'],
    ['the weekday nearest the 15th of each month at 8', '0 8 15W * *'],
    ['every weekday in June, July and August at 9', '0 9 * 6,7,8 mon-fri'],
    ['every January 1st at 0:00', '0 0 1 1 *'],
    ['every 5 minutes from 9 to 17 on weekdays', '*/5 9-16 * * mon-fri'],
    ['every hour between 9am and 5pm, Mon-Fri', '0 9-17 * * mon,tue,wed,thu,fri'],
    ['every 2 hours from 8 to 18', '0 8-18/2 * * *'],
    ['every half hour on weekends', '*/30 * * * sat,sun'],
    ['every hour at :15', '15 * * * *'],
    ['every hour at :00 and :30', '0,30 * * * *'],
    ['10 minutes past every hour', '10 * * * *'],
    ['every year on march 3 at noon', '0 12 3 3 *'],
    ['yearly on 3 March at 9', '0 9 3 3 *'],
    ['every year on December 24 and 31 at 18:00', '0 18 24,31 12 *'],
    ['every second monday of the month at 9', '0 9 * * mon#2'],
    ['every third fri in June at 9', '0 9 * 6 fri#3'],
  ])('%s', (text, expression) => {
    expect(readTimes(text)).toEqual({ kind: 'cron', expression, zone: null, timeAssumed: false });
  });

  test.each([
    ['every 15 minutes', 15 * 60_000],
    ['Every minute.', 60_000],
    ['every ten seconds', 10_000],
    ['hourly', 3_600_000],
    ['every 36 hours', 36 * 3_600_000],
    ['every quarter of an hour', 15 * 60_000],
    ['each 7 min', 7 * 60_000],
  ])('%s is an interval', (text, everyMs) => {
    expect(readTimes(text)).toEqual({ kind: 'every', everyMs });
  });

  // It is Friday, 27 March 2026, 08:00.
  test.each<[string, string, string]>([
    ['every other week on monday at 9', '2 weeks', '2026-03-30T09:00'],
    ['every other Friday at 8:30', '2 weeks', '2026-03-27T08:30'],
    ['every other Friday at 7:30', '2 weeks', '2026-04-03T07:30'],
    ['every 2 weeks at 10', '2 weeks', '2026-03-27T10:00'],
    ['fortnightly on Sunday at noon', '2 weeks', '2026-03-29T12:00'],
    ['every fortnight at 7', '2 weeks', '2026-03-28T07:00'],
    ['every three weeks on thu at 18:00', '3 weeks', '2026-04-02T18:00'],
    ['every 10 days at 6 pm', '10 days', '2026-03-27T18:00'],
    ['every other day at 9', '2 days', '2026-03-27T09:00'],
    ['every second day at 9', '2 days', '2026-03-27T09:00'],
    ['every third month on the 31st at 9', '3 months', '2026-03-31T09:00'],
    ['every 3 months on the 1st at 8', '3 months', '2026-04-01T08:00'],
    ['quarterly at 8', '3 months', '2026-04-01T08:00'],
    ['every quarter on the 15th at 8', '3 months', '2026-04-15T08:00'],
    ['every 2 years on February 29 at 9', '2 years', '2028-02-29T09:00'],
    ['every 4 years on the 3rd of March at noon', '4 years', '2027-03-03T12:00'],
    ['every 2 weeks from Mon 30 Nov at 09:00', '2 weeks', '2026-11-30T09:00'],
    ['every 10 days starting on June 3rd, 2027 at 9', '10 days', '2027-06-03T09:00'],
    ['every day from 2026-12-01 at 9', '1 days', '2026-12-01T09:00'],
    ['every 1,000 days from Nov 30 2026 at 9', '1000 days', '2026-11-30T09:00'],
  ])('%s is every %s from %s', (text, interval, first) => {
    const read = readTimes(text);
    if (read.kind !== 'calendar') throw new Error(JSON.stringify(read));
    expect([`${read.every} ${read.unit}`, firstTime(read.first, read.time, NOW_TEXT)]).toEqual([
      interval,
      first,
    ]);
    expect(read).toMatchObject({ overflow: 'skip', zone: null, timeAssumed: false });
  });

  test('an interval without a time of day begins at nine, and owns up to it', () => {
    expect(readTimes('every other week on monday')).toMatchObject({
      first: { kind: 'next', weekday: 1 },
      time: { hour: 9, minute: 0 },
      timeAssumed: true,
    });
  });

  test('months without the day are left out, or clamped where that is said', () => {
    const text = 'Every 2 months from Sat 31 Jan at 09:00, on the last day of shorter months, Europe/Paris';
    expect(readTimes(text)).toMatchObject({ kind: 'calendar', overflow: 'clamp', zone: 'Europe/Paris' });
  });

  test('a day that no year has is none', () => {
    const read = readTimes('every year from 30 February at 9');
    expect(read.kind === 'calendar' && firstTime(read.first, read.time, NOW_TEXT)).toBeNull();
  });

  test.each([
    ['daily', '0 9 * * *'],
    ['every weekday', '0 9 * * mon-fri'],
    ['weekly', '0 9 * * mon'],
    ['every month', '0 9 1 * *'],
    ['yearly', '0 9 1 1 *'],
  ])('%s says no time of day, and nine in the morning is put there and owned up to', (text, expression) => {
    expect(readTimes(text)).toEqual({ kind: 'cron', expression, zone: null, timeAssumed: true });
  });

  test('a zone is kept as it was written', () => {
    expect(readTimes('every day at 9 in America/New_York')).toMatchObject({ zone: 'America/New_York' });
    expect(readTimes('every day at 9 UTC')).toMatchObject({ expression: '0 9 * * *', zone: 'UTC' });
  });

  test.each([
    'tomorrow at 5pm',
    'June 3rd at 17:00',
    'in 20 minutes',
    'next friday at noon',
    'at 9',
    '2027-01-01',
  ])('%s repeats nothing, and is left to the reader of dates', (text) => {
    expect(readTimes(text)).toEqual({ kind: 'date' });
  });
});

describe('what is not understood is named, and nothing is made of the rest', () => {
  test.each([
    ['', 'Write when'],
    ['every blue moon', '“every blue”'],
    ['every weekday at 25', '“at 25”'],
    ['every weekday at 9 sharpish', '“sharpish”'],
    ['every 45 minutes on weekdays', 'divides it evenly'],
    ['every 5 hours from 9 to 17', 'divides it evenly'],
    ['every day at 9 and 18:30', 'same minute'],
    ['every 5 minutes at 9', 'not both'],
    ['every day between 9 and 17', 'how often'],
    ['every 0 minutes', '“every 0”'],
    ['every second wind at 9', '“wind”'],
    ['every 10 days on Monday', 'Leave the day out'],
    ['every 2 weeks on Monday and Thursday', 'one day of the week'],
    ['every other week on weekdays', 'one day of the week'],
    ['every 2 months on the first Monday', 'one date of the month'],
    ['every 3 months on the last day', 'one date of the month'],
    ['every 2 years in March', 'one day of the year'],
    ['every 2 weeks at 9 and 18', 'one time of day'],
    ['every 2 weeks every 5 minutes', 'not both'],
    ['every weekday at 9 from 1 June', 'its own field'],
    ['biweekly on Monday', 'two meanings'],
    ['every second monday at 9', '“every other monday”'],
  ])('%s', (text, word) => {
    const read = readTimes(text);
    expect(read).toMatchObject({ kind: 'unread' });
    expect(read.kind === 'unread' ? read.message : '').toContain(word);
  });
});

test('what Rota says of a rule means the same when it is typed in', () => {
  const number = (least: number, most: number) => fc.integer({ min: least, max: most }).map(String);
  const part = (least: number, most: number, ...others: readonly string[]) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('*') },
      number(least, most),
      fc.uniqueArray(number(least, most), { minLength: 1, maxLength: 3 }).map((items) => items.join(',')),
      ...others.map((other) => fc.constant(other)),
    );
  const rule = fc
    .tuple(
      part(0, 59, '0', '0', '*/5', '*/15', '0,30'),
      part(0, 23, '9-17', '*/2', '*/6', '9,18'),
      part(1, 28, 'L', 'LW', '15W', '31'),
      part(1, 12, '6-8'),
      part(0, 6, 'mon-fri', 'sat,sun', 'fri#L', 'mon#2'),
    )
    .map((parts) => parts.join(' '));
  let understood = 0;
  fc.assert(
    fc.property(rule, (expression) => {
      const said: Schedule = { kind: 'cron', expression, timeZone: 'UTC' };
      if (problemsOf(said).length > 0) return;
      const { text, phrased } = scheduleText(said, NOW);
      if (!phrased) return;
      const read = readTimes(text);
      if (read.kind !== 'every' && read.kind !== 'cron') return;
      understood += 1;
      const back: Schedule =
        read.kind === 'every'
          ? { kind: 'every', everyMs: read.everyMs, anchor: 0 }
          : { kind: 'cron', expression: read.expression, timeZone: 'UTC' };
      expect([text, ...instants(back)]).toEqual([text, ...instants(said)]);
    }),
    { numRuns: 500 },
  );
  expect(understood).toBeGreaterThan(100);
});

test('what Rota says of a calendar interval means the same when it is typed in', () => {
  const two = (value: number): string => String(value).padStart(2, '0');
  const local = fc
    .tuple(
      fc.integer({ min: 2026, max: 2030 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 31 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    )
    .map(
      ([year, month, day, hour, minute]) => `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`,
    )
    .filter((text) => new Date(`${text}Z`).toISOString().startsWith(text));
  const schedules = fc.record({
    kind: fc.constant('calendar' as const),
    every: fc.integer({ min: 1, max: 1_000 }),
    unit: fc.constantFrom('days' as const, 'weeks' as const, 'months' as const, 'years' as const),
    first: local,
    timeZone: fc.constantFrom('Europe/Paris', 'UTC'),
    overflow: fc.constantFrom('skip' as const, 'clamp' as const),
  });
  fc.assert(
    fc.property(schedules, (said) => {
      const sentence = scheduleSentence(said, NOW);
      const read = readTimes(sentence);
      if (read.kind !== 'calendar') throw new Error(`${sentence}: ${JSON.stringify(read)}`);
      const back: Schedule = {
        kind: 'calendar',
        every: read.every,
        unit: read.unit,
        first: firstTime(read.first, read.time, NOW_TEXT) ?? 'none',
        timeZone: read.zone ?? 'none',
        overflow: read.overflow,
      };
      expect({ ...back, overflow: said.overflow }).toEqual(said);
      expect([sentence, ...instants(back)]).toEqual([sentence, ...instants(said)]);
    }),
    { numRuns: 300 },
  );
});

function instants(schedule: Schedule): readonly (EpochMs | null)[] {
  const at: (EpochMs | null)[] = [];
  let next: EpochMs | null = NOW;
  for (let n = 0; n < 30 && next !== null; n += 1) {
    next = nextAfter(schedule, next);
    at.push(next);
  }
  return at;
}

test('no text makes it throw', () => {
  const word = fc.oneof(
    fc.constantFrom(
      'every',
      'at',
      '9',
      'monday',
      'of',
      'the',
      '1st',
      'last',
      'day',
      'and',
      ',',
      'to',
      'from',
      'past',
      'other',
      '2',
      'weeks',
      'months',
      'march',
      'quarter',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const read = readTimes(words.join(' '));
      if (read.kind === 'calendar') firstTime(read.first, read.time, NOW_TEXT);
      if (read.kind !== 'cron') return;
      expect(
        problemsOf({ kind: 'cron', expression: read.expression, timeZone: 'UTC' }).map((one) => one.message),
      ).toEqual([]);
    }),
  );
});
