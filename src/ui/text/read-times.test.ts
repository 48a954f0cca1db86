import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EpochMs, type Schedule, nextAfter, prepareTime, problemsOf } from '../../domain/index.ts';
import { readTimes } from './read-times.ts';
import { scheduleText } from './schedule.ts';

const NOW: EpochMs = Date.UTC(2026, 2, 27, 8, 0);
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
    ['every second day at 9', '“day”'],
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
      if (read.kind === 'date' || read.kind === 'unread') return;
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
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (words) => {
      const read = readTimes(words.join(' '));
      if (read.kind !== 'cron') return;
      expect(
        problemsOf({ kind: 'cron', expression: read.expression, timeZone: 'UTC' }).map((one) => one.message),
      ).toEqual([]);
    }),
  );
});
