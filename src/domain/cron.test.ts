import { Cron, CronPattern } from 'croner';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CronRule, cronRule, parseCron } from './cron.ts';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { DAY_MS } from './time.ts';

function messagesFor(expression: string): readonly string[] {
  const parsed = parseCron(expression);
  return parsed.kind === 'invalid' ? parsed.messages : [];
}

/** The first `count` wall-clock times of `rule` from the start of 2026. */
function timesOf(rule: CronRule, count: number): string[] {
  const times: string[] = [];
  let local = rule.nextLocal(Date.UTC(2026, 0) - 1);
  while (local !== null && times.length < count) {
    times.push(new Date(local).toISOString().slice(0, 16));
    local = rule.nextLocal(local);
  }
  return times;
}

describe('a cron rule', () => {
  // The two that the vectors leave open: a backward range is refused, a question mark is a star.
  const verdicts = vectors.syntax.map(({ id, expr, note, verdict }) => ({
    id,
    expr,
    note,
    refused: verdict.startsWith('reject') || expr.includes('FRI-MON'),
  }));
  test.each(verdicts)('$id: $note ($expr), refused: $refused', ({ expr, refused }) => {
    expect(parseCron(expr).kind).toBe(refused ? 'invalid' : 'ok');
  });

  test.each(vectors.cron.filter((vector) => vector.expect.length > 0))(
    '$expr is of fixed time: $fixedTime',
    ({ expr, fixedTime }) => {
      expect(cronRule(expr).fixedTime).toBe(fixedTime);
    },
  );

  test.each([
    ['0 9 * * mon-fri', '0 9 * * 1-5'],
    ['0 0 1 JAN,jul *', '0 0 1 1,7 *'],
    ['0 0 * * SAT-SUN', '0 0 * * 6,0'],
    ['0 0 * * SUN-TUE', '0 0 * * 0-2'],
    ['0 0 * * SUN-SUN', '0 0 * * 0'],
    ['0 0 * * MON-FRI/2', '0 0 * * 1,3,5'],
    ['0 0 * * 5-7/2', '0 0 * * 5,0'],
    ['0 0 * * 0,7', '0 0 * * 7'],
    ['0 0 * * FRIL', '0 0 * * 5#L'],
    ['0 0 * * fri#l', '0 0 * * 5L'],
    ['0 0 * * SUN#2', '0 0 * * 7#2'],
    ['0 0 lw * *', '0 0 LW * *'],
    ['0 0 15w * *', '0 0 15W * *'],
    ['0 0 ? * ?', '0 0 * * *'],
    ['*,*/5 * * * *', '* * * * *'],
    ['*/60 * * * *', '0 * * * *'],
    ['007 009 * * *', '7 9 * * *'],
    ['0 0 9 * * *', '0 9 * * *'],
    ['  0\t9  *   * *  ', '0 9 * * *'],
    ['0 0 0 1 1 * *', '@yearly'],
    ['@Weekly', '0 0 * * SUN'],
    ['@daily', '@midnight'],
    ['0 0 1 1 +*', '0 0 1 1 *'],
    ['0 0 L-1,L-2 * *', '0 0 L-2,L-1 * *'],
  ])('%s means %s', (one, other) => {
    expect(timesOf(cronRule(one), 200)).toEqual(timesOf(cronRule(other), 200));
  });

  test.each([
    ['L-30 in a month of 30 days names nothing', '0 0 L-30 * *', ['2026-01-01', '2026-03-01', '2026-05-01']],
    ['L-1 follows February', '0 0 L-1 2 * 2027-2028', ['2027-02-27', '2028-02-28']],
    ['L-30 or a weekday', '0 0 L-30 4 FRI#1 2026', ['2026-04-03']],
    [
      'the 31st working day is skipped in short months',
      '0 0 31W * *',
      ['2026-01-30', '2026-03-31', '2026-05-29'],
    ],
    ['a fifth Monday', '0 0 * * MON#5', ['2026-03-30', '2026-06-29', '2026-08-31']],
    ['a leap day, over a century that has none', '0 0 29 2 * 2096-2104', ['2096-02-29', '2104-02-29']],
    ['a range of years with a step', '0 0 1 1 * 2026-2199/3', ['2026-01-01', '2029-01-01', '2032-01-01']],
  ])('%s (%s)', (_, expression, expected) => {
    const six = expression.split(' ').length === 6 ? `0 ${expression}` : expression;
    const dates = timesOf(cronRule(six), expected.length).map((time) => time.slice(0, 10));
    expect(dates).toEqual(expected);
  });

  test('is remembered and not read again', () => {
    expect(cronRule('1 2 3 * *')).toBe(cronRule('1 2 3 * *'));
  });

  test('that is used stays in memory while a thousand others pass', () => {
    const used = cronRule('4 4 4 * *');
    for (let n = 0; n < 1_000; n++) {
      cronRule(`${n % 60} ${n % 24} ${1 + (n % 28)} * *`);
      expect(cronRule('4 4 4 * *')).toBe(used);
    }
  });

  test('that could not have been saved is our own mistake when it is used', () => {
    expect(() => cronRule('60 * * * *')).toThrow('a stored cron rule must be readable');
  });
});

describe('a refusal says which field, why, and what to write instead', () => {
  test.each([
    ['', 'Enter a cron rule, such as 0 9 * * mon-fri.'],
    [
      '0 9 * *',
      'A cron rule has five fields (minute, hour, day of month, month, weekday), six with seconds first, or seven with a year last; this one has 4.',
    ],
    ['0 0 0 1 1 * 2026 *', /seven with a year last; this one has 8\.$/],
    ['60 * * * *', 'In the minute field, 60 is out of range; use 0 to 59.'],
    ['99 * * * * *', 'In the second field, 99 is out of range; use 0 to 59.'],
    ['0 24 * * *', 'In the hour field, 24 is out of range; use 0 to 23 (midnight is 0).'],
    ['0 0 0 * *', 'In the day-of-month field, 0 is out of range; use 1 to 31.'],
    ['0 0 * 13 *', 'In the month field, 13 is out of range; use 1 to 12, or JAN to DEC.'],
    ['0 0 * * 8', 'In the weekday field, 8 is out of range; use 0 to 7, or SUN to SAT.'],
    ['0 0 0 1 1 * 2200', 'In the year field, 2200 is out of range; use 1970 to 2199.'],
    ['a * * * *', 'In the minute field, "a" is not a number; use 0 to 59.'],
    ['1.5 * * * *', 'In the minute field, "1.5" is not a number; use 0 to 59.'],
    ['-5 * * * *', 'In the minute field, the range "-5" lacks an end; write both, from 0 to 59.'],
    ['0 9- * * *', 'In the hour field, the range "9-" lacks an end; write both, from 0 to 23.'],
    ['0 0 * MON *', 'In the month field, "MON" is not a month; use 1 to 12, or JAN to DEC.'],
    ['0 0 * * monday', 'In the weekday field, "monday" is not a weekday; use 0 to 7, or SUN to SAT.'],
    [
      '*/0 * * * *',
      'In the minute field, the step of "*/0" is not a number from 1; write, for example, */2.',
    ],
    ['*/ * * * *', 'In the minute field, the step of "*/" is not a number from 1; write, for example, */2.'],
    ['/15 * * * *', 'In the minute field, "/15" has no start; write */15.'],
    [
      '5/15 * * * *',
      'In the minute field, "5/15" means different things to different programs; write 5-59/15 to start at 5, or */15 to start at 0.',
    ],
    [
      '0 0 0 1 1 * 2026/2',
      'In the year field, "2026/2" means different things to different programs; write 2026-2199/2 to start at 2026.',
    ],
    [
      '0 0 * * MON/2',
      'In the weekday field, "MON/2" means different things to different programs; write 1-6/2 to start at MON, or */2 to start at 0.',
    ],
    [
      '*/90 * * * *',
      'In the minute field, the step of "*/90" is longer than the field; use at most 60 (every 90 minutes is an interval, not a cron rule).',
    ],
    ['0 22-2 * * *', 'In the hour field, the range "22-2" runs backwards; write 22-23,0-2.'],
    ['0 0 * * FRI-MON', 'In the weekday field, the range "FRI-MON" runs backwards; write FRI-SUN,MON.'],
    ['0 0 * * 5-0', 'In the weekday field, the range "5-0" runs backwards; write 5-7.'],
    ['0 0 * * 7-2', 'In the weekday field, the range "7-2" runs backwards; write 0-2.'],
    ['0 0 * nov-feb *', 'In the month field, the range "nov-feb" runs backwards; write NOV-DEC,JAN-FEB.'],
    ['0 0 1,,2 * *', 'In the day-of-month field, the list "1,,2" has an empty place; write 1,2.'],
    ['0 , * * *', 'In the hour field, the list "," has an empty place; use 0 to 23.'],
    ['1-2-3 * * * *', 'In the minute field, "1-2-3" has more than one range; use 0 to 59.'],
    ['*/2/3 * * * *', 'In the minute field, "*/2/3" has more than one step; use 0 to 59.'],
    [
      '0 0 LW,15 * *',
      'In the day-of-month field, LW, the last working day, must stand alone; use a rule of its own.',
    ],
    ['0 0 L-0 * *', /^In the day-of-month field, "L-0" is out of range; use L for the last day/],
    ['0 0 15L * *', /^In the day-of-month field, "15L" is not understood; use L for the last day/],
    ['0 0 32W * *', 'In the day-of-month field, 32 in "32W" is out of range; use 1 to 31.'],
    ['0 0 * * L', /^In the weekday field, L needs a weekday before it/],
    ['0 0 * * MON#6', /^In the weekday field, the count of "MON#6" must be 1 to 5, or L for the last/],
    ['0 0 * * MON#', /^In the weekday field, the count of "MON#" must be 1 to 5/],
    ['0 0 * * MON-FRI#2', /^In the weekday field, "MON-FRI#2" counts more than one weekday/],
    ['0 0 * * 9#1', 'In the weekday field, 9 in "9#1" is out of range; use 0 to 7, or SUN to SAT.'],
    ['0 0 * * +', 'In the weekday field, there is nothing after the +; use 0 to 7, or SUN to SAT.'],
    ['0 0 +1 * *', 'In the day-of-month field, "+1" is not a number; use 1 to 31.'],
    ['@reboot', /^"@reboot" names no time; use one of @yearly, /],
    ['CRON_TZ=UTC 0 9 * * *', 'Choose the time zone beside the rule, not inside it.'],
    [
      '0 0 30 2 *',
      'This rule never runs: in the day-of-month field, 30 never comes in February. Use a day up to 29, or L for the last day of the month.',
    ],
    ['0 0 31 4,6,9,11 *', /31 never comes in April, June, September, and November\. Use a day up to 30/],
    [
      '0 0 1-7 * +MON#2',
      /^This rule never runs: no date fits its day-of-month, month, and weekday fields together/,
    ],
    ['0 0 30W 2 *', /^This rule never runs: no date fits its day-of-month and month fields together/],
    [
      '0 0 0 29 2 * 2026',
      /^This rule never runs: no date fits its day-of-month, month, and year fields together/,
    ],
    ['0 0 0 29 2 * 2100', /^This rule never runs: /],
    ['0 0 L-30 2 *', /^This rule never runs: /],
    [
      `${'9'.repeat(150)} * * * *`,
      'In the minute field, 99999999999999999999999… is out of range; use 0 to 59.',
    ],
  ])('%j', (expression, message) => {
    expect(messagesFor(expression)).toEqual([
      expect.stringMatching(typeof message === 'string' ? exactly(message) : message),
    ]);
  });

  function exactly(text: string): RegExp {
    return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`);
  }

  test('for every wrong field at once', () => {
    expect(messagesFor('60 24 0 13 8')).toHaveLength(5);
  });

  test('whatever is typed, without throwing', () => {
    const sign = (signs: string): fc.Arbitrary<string> =>
      fc.nat(signs.length - 1).map((at) => signs.charAt(at));
    const typed = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.array(sign('0123456789 ,-*/?LW#+@:MONfeb'), { maxLength: 60 }).map((signs) => signs.join('')),
      fc
        .array(fc.array(sign('0123456789,-*/?LW#+'), { minLength: 1, maxLength: 6 }), {
          minLength: 5,
          maxLength: 7,
        })
        .map((fields) => fields.map((field) => field.join('')).join(' ')),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const parsed = parseCron(text);
        if (parsed.kind === 'ok') expect(parsed.rule.nextLocal(0)).not.toBeUndefined();
        else expect(parsed.messages.join('')).toMatch(/\.$/);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the dates of a rule', () => {
  /** Days, weekdays and months with what they mean said a second time, the slow way. */
  interface Calendar {
    readonly text: string;
    readonly names: (year: number, month: number, day: number) => boolean;
  }

  const lengthOf = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
  const weekdayOf = (year: number, month: number, day: number): number =>
    new Date(Date.UTC(year, month - 1, day)).getUTCDay();

  const star: Calendar = { text: '*', names: () => true };
  const dayItem: fc.Arbitrary<Calendar> = fc.oneof(
    fc
      .integer({ min: 1, max: 31 })
      .map((n) => ({ text: String(n), names: (_y: number, _m: number, day: number) => day === n })),
    fc.integer({ min: 1, max: 31 }).chain((low) =>
      fc.integer({ min: low, max: 31 }).map((high) => ({
        text: `${low}-${high}`,
        names: (_y: number, _m: number, day: number) => day >= low && day <= high,
      })),
    ),
    fc.integer({ min: 0, max: 30 }).map((n) => ({
      text: n === 0 ? 'L' : `L-${n}`,
      names: (year: number, month: number, day: number) => day === lengthOf(year, month) - n,
    })),
    fc.integer({ min: 1, max: 31 }).map((n) => ({
      text: `${n}W`,
      names: (year: number, month: number, day: number) => {
        if (n > lengthOf(year, month)) return false;
        const working = Array.from({ length: lengthOf(year, month) }, (_, index) => index + 1).filter(
          (each) => ![0, 6].includes(weekdayOf(year, month, each)),
        );
        const [nearest] = working.sort((a, b) => Math.abs(a - n) - Math.abs(b - n));
        return day === nearest;
      },
    })),
  );
  const lastWorking: Calendar = {
    text: 'LW',
    names: (year, month, day) => {
      for (let each = lengthOf(year, month); ; each--) {
        if (![0, 6].includes(weekdayOf(year, month, each))) return day === each;
      }
    },
  };
  const weekdayItem: fc.Arbitrary<Calendar> = fc
    .tuple(fc.integer({ min: 0, max: 7 }), fc.constantFrom('', '#1', '#2', '#3', '#4', '#5', '#L', 'L'))
    .map(([weekday, which]) => ({
      text: `${weekday}${which}`,
      names: (year, month, day) => {
        if (weekdayOf(year, month, day) !== weekday % 7) return false;
        if (which === '') return true;
        if (which.endsWith('L')) return day + 7 > lengthOf(year, month);
        return Math.ceil(day / 7) === Number(which.slice(1));
      },
    }));
  const either = (items: readonly Calendar[]): Calendar => ({
    text: items.map((item) => item.text).join(','),
    names: (...date) => items.some((item) => item.names(...date)),
  });
  const some = (item: fc.Arbitrary<Calendar>): fc.Arbitrary<Calendar> =>
    fc.array(item, { minLength: 1, maxLength: 3 }).map(either);

  const calendars: fc.Arbitrary<Calendar> = fc
    .record({
      days: fc.oneof(fc.constant(star), some(dayItem), fc.constant(lastWorking)),
      weekdays: fc.oneof(fc.constant(star), some(weekdayItem)),
      months: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), { nil: null }),
      and: fc.boolean(),
    })
    .map(({ days, weekdays, months, and }) => ({
      text: `0 0 ${days.text} ${months?.join(',') ?? '*'} ${and ? '+' : ''}${weekdays.text}`,
      names: (year, month, day) => {
        if (months !== null && !months.includes(month)) return false;
        const both = and || days === star || weekdays === star;
        const onDay = days.names(year, month, day);
        const onWeekday = weekdays.names(year, month, day);
        return both ? onDay && onWeekday : onDay || onWeekday;
      },
    }));

  test('are those that its day, month and weekday fields name, in every year and month', () => {
    fc.assert(
      fc.property(calendars, fc.integer({ min: 1970, max: 2190 }), (calendar, year) => {
        const first = Date.UTC(year, 0);
        const expected: number[] = [];
        for (let date = first; date < Date.UTC(year + 2, 0); date += DAY_MS) {
          const day = new Date(date);
          if (calendar.names(day.getUTCFullYear(), day.getUTCMonth() + 1, day.getUTCDate()))
            expected.push(date);
        }
        const parsed = parseCron(calendar.text);
        if (parsed.kind === 'invalid') {
          expect(expected).toEqual([]);
          return;
        }
        const found: number[] = [];
        let local = parsed.rule.nextLocal(first - 1);
        while (local !== null && local < Date.UTC(year + 2, 0)) {
          found.push(local);
          local = parsed.rule.nextLocal(local);
        }
        expect(found).toEqual(expected);
      }),
      { numRuns: 400 },
    );
  });

  test('a rule is of fixed time exactly when croner says so', () => {
    const field = (most: number): fc.Arbitrary<string> =>
      fc.oneof(
        fc.constantFrom('*', '*/2', '?', '1-9/3', '*,5', '0', '1,2', '3-7'),
        fc.integer({ min: 0, max: most }).map(String),
      );
    fc.assert(
      fc.property(field(59), field(59), field(23), (second, minute, hour) => {
        const text = `${second} ${minute} ${hour} * * *`;
        const theirs = new CronPattern(text, undefined, { fixedTimeRule: 'no-wildcard' }).isFixedTime;
        expect(cronRule(text).fixedTime).toBe(theirs);
      }),
    );
  });

  test('its times are those that croner finds, from any second of any year', () => {
    const field = (least: number, most: number, steps: readonly number[]): fc.Arbitrary<string> => {
      const value = fc.integer({ min: least, max: most });
      const range = fc.tuple(value, value).map((ends) => ends.sort((a, b) => a - b).join('-'));
      return fc.oneof(
        fc.constant('*'),
        fc.constantFrom(...steps).map((step) => `*/${step}`),
        fc.uniqueArray(fc.oneof(value.map(String), range), { minLength: 1, maxLength: 3 }).map(String),
        range.map((ends) => `${ends}/2`),
      );
    };
    const expressions = fc
      .tuple(
        field(0, 59, [7, 20]),
        field(0, 59, [7, 20]),
        field(0, 23, [5, 6]),
        fc.oneof(field(1, 31, [3, 10]), fc.constantFrom('L', '15W,1', '31W', 'LW', 'L,3-5')),
        field(1, 12, [5]),
        fc.oneof(fc.constant('*'), field(0, 6, [3]), fc.constantFrom('+1-5', '2#2,3', '+5#5', '0#L')),
        fc.oneof(
          { weight: 3, arbitrary: fc.constant('*') },
          fc.constantFrom('2028-2199', '2030,2040-2060/2'),
        ),
      )
      .map((fields) => fields.join(' '));
    fc.assert(
      fc.property(
        expressions,
        fc.integer({ min: 0, max: Date.UTC(2190, 0) }),
        fc.boolean(),
        (text, from, isWhole) => {
          const parsed = parseCron(text);
          if (parsed.kind === 'invalid') return;
          const theirs = new Cron(text, { utcOffset: 0 });
          let after = isWhole ? Math.floor(from / 1_000) * 1_000 : from;
          for (let n = 0; n < 3; n++) {
            const next = parsed.rule.nextLocal(after);
            const expected = theirs.nextRun(new Date(after))?.getTime() ?? null;
            // Croner goes on for centuries more.
            expect(next).toBe(expected !== null && expected < Date.UTC(2201, 0) ? expected : null);
            if (next === null) return;
            after = next;
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
