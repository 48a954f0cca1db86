import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { dueInstants, nextAfter } from './instants.ts';
import { type Schedule } from './schedule.ts';
import { problemsOf } from './schedule-problems.ts';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, LAST_INSTANT_MS, MINUTE_MS, SECOND_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const instant = (text: string): number => Date.parse(text);
const cron = (expression: string, timeZone = 'UTC'): Schedule => ({ kind: 'cron', expression, timeZone });

/** The next `count` instants after `from`, as the vectors write them. */
function nextTexts(schedule: Schedule, from: string, count: number): string[] {
  const texts: string[] = [];
  let at = nextAfter(schedule, instant(from));
  while (at !== null && texts.length < count) {
    texts.push(new Date(at).toISOString().replace('.000Z', 'Z'));
    at = nextAfter(schedule, at);
  }
  return texts;
}

describe('the next instants of a cron rule', () => {
  const due = vectors.cron.filter((vector) => vector.expect.length > 0);
  test.each(due)('$id: $note ($expr in $tz)', ({ expr, tz, from, n, expect: expected }) => {
    expect(problemsOf(cron(expr, tz))).toEqual([]);
    expect(nextTexts(cron(expr, tz), from, n)).toEqual(expected);
  });

  const never = vectors.cron.filter((vector) => vector.expect.length === 0);
  test.each(never)('$id: $note ($expr) are none, and saving it is refused', ({ expr, tz }) => {
    expect(problemsOf(cron(expr, tz))).toEqual([
      { path: 'schedule.expression', message: expect.stringMatching(/^This rule never runs: /) as string },
    ]);
  });

  // What users of schedulers reported: the clocks changed, and a job was lost, doubled or run without end.
  test.each([
    [
      'a daily job at the start of a gap is not skipped',
      '0 2 * * *',
      'America/Los_Angeles',
      '2026-03-07T12:00:00Z',
      ['2026-03-08T10:00:00Z', '2026-03-09T09:00:00Z'],
    ],
    [
      'a daily job in the overlap does not run twice',
      '0 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:00:00Z', '2026-10-26T01:00:00Z'],
    ],
    [
      'a job of every minute is not silent in the repeated hour',
      '* * * * *',
      'Europe/Berlin',
      '2026-10-25T00:59:00Z',
      ['2026-10-25T01:00:00Z', '2026-10-25T01:01:00Z'],
    ],
    [
      'a job of every four hours does not wait for the next day after a gap',
      '0 */4 * * *',
      'Europe/Berlin',
      '2026-03-28T23:00:00Z',
      ['2026-03-29T02:00:00Z', '2026-03-29T06:00:00Z'],
    ],
    [
      'a yearly date whose time falls into a gap keeps its year',
      '0 1 30 3 *',
      'Europe/Lisbon',
      '2025-01-01T00:00:00Z',
      ['2025-03-30T01:00:00Z', '2026-03-30T00:00:00Z'],
    ],
    [
      'a job in UTC knows no change of the clocks',
      '30 1 * * *',
      'UTC',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T01:30:00Z', '2026-10-26T01:30:00Z'],
    ],
    [
      'a gap that ends at midnight does not lose the day',
      '0 0 * * *',
      'America/Scoresbysund',
      '2025-03-28T12:00:00Z',
      ['2025-03-29T02:00:00Z', '2025-03-30T01:00:00Z'],
    ],
    [
      'two fixed times and the end of their gap are one instant',
      '0 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00:00Z', '2026-03-30T00:00:00Z'],
    ],
    [
      'a step over days begins again with each month',
      '0 0 */5 * *',
      'UTC',
      '2026-02-25T00:00:00Z',
      ['2026-02-26T00:00:00Z', '2026-03-01T00:00:00Z'],
    ],
    [
      'a minute of its own is no hour of its own',
      '20 * * * *',
      'UTC',
      '2026-01-01T23:30:00Z',
      ['2026-01-02T00:20:00Z', '2026-01-02T01:20:00Z'],
    ],
  ])('%s (%s in %s)', (_, expression, timeZone, from, expected) => {
    expect(nextTexts(cron(expression, timeZone), from, 2)).toEqual(expected);
  });

  test('follow the wall clock when a rule ends between the two passes', () => {
    const rule = cron('0 30 1 1 11 * 2026', 'America/New_York');
    expect(nextTexts(rule, '2026-01-01T00:00:00Z', 3)).toEqual(['2026-11-01T05:30:00Z']);
    const matching = cron('0 */30 1 1 11 * 2026', 'America/New_York');
    expect(nextTexts(matching, '2026-11-01T05:30:00Z', 3)).toEqual([
      '2026-11-01T06:00:00Z',
      '2026-11-01T06:30:00Z',
    ]);
  });

  test('of a fixed time are not found between the two passes, wherever there the search begins', () => {
    const rule = cron('0,30 1 * * *', 'America/New_York');
    for (let at = instant('2026-11-01T05:30:00Z'); at < instant('2026-11-02T06:00:00Z'); at += MINUTE_MS) {
      expect(nextAfter(rule, at)).toBe(instant('2026-11-02T06:00:00Z'));
    }
  });

  test('jump over a day that the calendar leaves out, also when the rule names each second of it', () => {
    const rule = cron('0-59 0-59 0-23 * * *', 'Pacific/Apia');
    expect(nextTexts(rule, '2011-12-30T09:59:58Z', 3)).toEqual([
      '2011-12-30T09:59:59Z',
      '2011-12-30T10:00:00Z',
      '2011-12-30T10:00:01Z',
    ]);
  });

  describe('on a machine of any zone', () => {
    afterEach(() => {
      vi.unstubAllEnvs();
    });

    test.each(['America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia'])(
      'such as %s are the same',
      (zone) => {
        vi.stubEnv('TZ', zone);
        expect(new Intl.DateTimeFormat().resolvedOptions().timeZone).toBe(zone);
        for (const { expr, tz, from, n, expect: expected } of due) {
          expect(nextTexts(cron(expr, tz), from, n)).toEqual(expected);
        }
      },
    );
  });

  test('are the same under the old and the new name of a zone', () => {
    const next = (zone: string): string[] => nextTexts(cron('0 9 * * *', zone), '2026-03-20T00:00:00Z', 20);
    expect(next('Europe/Kiev')).toEqual(next('Europe/Kyiv'));
    expect(next('America/Godthab')).toEqual(next('America/Nuuk'));
  });

  test('end with the year 2199', () => {
    expect(nextAfter(cron('59 59 23 31 12 *'), instant('2199-12-31T23:59:58Z'))).toBe(LAST_INSTANT_MS - 999);
    expect(nextAfter(cron('59 59 23 31 12 *'), LAST_INSTANT_MS - 999)).toBeNull();
    expect(nextAfter(cron('0 0 1 1 *', 'Asia/Tokyo'), instant('2199-06-01T00:00:00Z'))).toBe(
      instant('2199-12-31T15:00:00Z'),
    );
    expect(nextAfter(cron('0 0 1 1 *', 'America/New_York'), instant('2199-06-01T00:00:00Z'))).toBeNull();
    expect(nextAfter(cron('* * * * *', 'America/New_York'), LAST_INSTANT_MS)).toBeNull();
  });

  test('are asked for a rule that was never accepted only by mistake', () => {
    expect(() => nextAfter(cron('0 0 30 2 *'), 0)).toThrow('a stored cron rule must be readable');
    expect(() => nextAfter(cron('0 0 * * *', 'Europe/Atlantis'), 0)).toThrow(
      'a stored time zone must be known',
    );
  });
});

describe('the next instants of an interval', () => {
  test.each(vectors.interval)('$id: $note', ({ every, anchor, from, n, expect: expected }) => {
    const schedule: Schedule = { kind: 'every', everyMs: every * SECOND_MS, anchor: instant(anchor) };
    expect(nextTexts(schedule, from, n)).toEqual(expected);
  });

  test('keep their beat however late one asks: two days are two days, also after one was missed', () => {
    const schedule: Schedule = {
      kind: 'every',
      everyMs: 2 * DAY_MS,
      anchor: instant('2026-01-01T06:00:00Z'),
    };
    expect(nextTexts(schedule, '2026-01-04T17:11:00Z', 2)).toEqual([
      '2026-01-05T06:00:00Z',
      '2026-01-07T06:00:00Z',
    ]);
  });

  test('end with the year 2199', () => {
    const schedule: Schedule = { kind: 'every', everyMs: DAY_MS, anchor: 0 };
    expect(nextAfter(schedule, LAST_INSTANT_MS)).toBeNull();
    expect(nextAfter(schedule, LAST_INSTANT_MS - DAY_MS)).toBe(LAST_INSTANT_MS + 1 - DAY_MS);
  });
});

describe('the next instant of the other schedules', () => {
  test('of one that runs once is its time, and none from then on', () => {
    const schedule: Schedule = { kind: 'once', at: 1_000 };
    expect(nextAfter(schedule, 999)).toBe(1_000);
    expect(nextAfter(schedule, 1_000)).toBeNull();
    expect(nextAfter(schedule, 1_001)).toBeNull();
  });

  test('of one that runs by hand is none', () => {
    expect(nextAfter({ kind: 'manual' }, 0)).toBeNull();
  });
});

describe('the instants that are due in a stretch of time', () => {
  const from = instant('2026-01-01T22:30:00Z');

  test('include both ends', () => {
    expect(
      dueInstants(cron('0 * * * *'), instant('2026-01-01T01:00:00Z'), instant('2026-01-01T03:00:00Z'), 10),
    ).toEqual({
      instants: ['2026-01-01T01:00:00Z', '2026-01-01T02:00:00Z', '2026-01-01T03:00:00Z'].map(instant),
      more: false,
    });
  });

  test('begin with the first instant after a start that is none', () => {
    const { instants } = dueInstants(cron('0 * * * *'), from, from + HOUR_MS, 10);
    expect(instants).toEqual([instant('2026-01-01T23:00:00Z')]);
  });

  test('are the oldest when there are more than wanted, and the rest follows from the next', () => {
    const schedule: Schedule = { kind: 'every', everyMs: MINUTE_MS, anchor: 0 };
    const until = from + 10 * MINUTE_MS;
    const first = dueInstants(schedule, from, until, 4);
    expect(first).toEqual({ instants: [0, 1, 2, 3].map((n) => from + n * MINUTE_MS), more: true });
    const rest = dueInstants(schedule, nextAfter(schedule, from + 3 * MINUTE_MS) ?? 0, until, 7);
    expect(rest.instants).toHaveLength(7);
    expect(rest.more).toBe(false);
  });

  test('of a year asleep are counted without computing them all', () => {
    const everySecond: Schedule = { kind: 'every', everyMs: SECOND_MS, anchor: 0 };
    const found = dueInstants(everySecond, from, from + 365 * DAY_MS, 10_000);
    expect(found.instants).toHaveLength(10_000);
    expect(found.more).toBe(true);
  });

  test('are none when nothing is due, or the stretch is empty', () => {
    expect(dueInstants({ kind: 'manual' }, 0, from, 10)).toEqual({ instants: [], more: false });
    expect(dueInstants(cron('0 0 1 1 *'), from, from + DAY_MS, 10)).toEqual({ instants: [], more: false });
    expect(dueInstants(cron('* * * * *'), from, from - 1, 10)).toEqual({ instants: [], more: false });
    expect(dueInstants({ kind: 'once', at: from }, from, from, 10)).toEqual({
      instants: [from],
      more: false,
    });
  });
});

describe('the problems of a schedule', () => {
  test('name the field below the keys that lead to it', () => {
    expect(problemsOf(cron('60 * * * *', 'Nowhere'), ['automations', 0, 'schedule'])).toEqual([
      {
        path: 'automations[0].schedule.expression',
        message: 'In the minute field, 60 is out of range; use 0 to 59.',
      },
      {
        path: 'automations[0].schedule.timeZone',
        message:
          '"Nowhere" is not a time zone that this browser knows; use an IANA name, such as Europe/Berlin.',
      },
    ]);
  });

  test('are none for what has no rule and no zone', () => {
    expect(problemsOf({ kind: 'manual' })).toEqual([]);
    expect(problemsOf({ kind: 'once', at: 0 })).toEqual([]);
    expect(problemsOf({ kind: 'every', everyMs: SECOND_MS, anchor: 0 })).toEqual([]);
  });

  test('tell of a rule whose every time falls into a gap', () => {
    expect(problemsOf(cron('*/10 2 * 3 +SUN#L', 'Europe/Berlin'))).toEqual([
      {
        path: 'schedule.expression',
        message:
          'This rule never runs: in Europe/Berlin the clocks skip every time that it names. Use another hour.',
      },
    ]);
    expect(problemsOf(cron('10 2 * 3 +SUN#L', 'Europe/Berlin'))).toEqual([]);
  });

  test('tell of a rule that is due only after the last instant', () => {
    const [problem] = problemsOf(cron('0 59 23 31 12 * 2199', 'America/New_York'));
    expect(problem?.message).toBe('This rule runs only after the year 2199. Use an earlier time.');
    expect(problemsOf(cron('0 59 23 31 12 * 2199', 'Asia/Tokyo'))).toEqual([]);
  });

  test('tell of a rule that names the past only', () => {
    expect(problemsOf(cron('0 0 0 1 1 * 2020-2025'))).toEqual([
      {
        path: 'schedule.expression',
        message: 'This rule names only times before 2026. Use a year to come, or leave the year out.',
      },
    ]);
  });
});
