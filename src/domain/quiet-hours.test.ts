import { beforeAll, describe, expect, test } from 'vitest';
import { quietProblems, quietUntil, type QuietHours } from './quiet-hours.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, MINUTE_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const NIGHT: QuietHours = { from: '22:00', until: '07:00', timeZone: 'Europe/Paris', held: 'digest' };
const at = (iso: string): number => Date.parse(iso);
const end = (quiet: QuietHours, iso: string): string | null => {
  const until = quietUntil(quiet, at(iso), 'UTC');
  return until === null ? null : new Date(until).toISOString().slice(0, 16);
};

describe('quiet hours', () => {
  test.each<[string, QuietHours, string, string | null]>([
    ['begin at their first minute', NIGHT, '2026-01-05T22:00+01:00', '2026-01-06T06:00'],
    ['are not there a minute before', NIGHT, '2026-01-05T21:59+01:00', null],
    ['go over midnight', NIGHT, '2026-01-06T06:59+01:00', '2026-01-06T06:00'],
    ['end at their end', NIGHT, '2026-01-06T07:00+01:00', null],
    [
      'can lie within a day',
      { ...NIGHT, from: '12:00', until: '14:00' },
      '2026-01-06T13:00+01:00',
      '2026-01-06T13:00',
    ],
    ['end by the clock when it is put forward in them', NIGHT, '2026-03-29T00:30+01:00', '2026-03-29T05:00'],
    ['end by the clock when it is put back in them', NIGHT, '2026-10-25T00:30+02:00', '2026-10-25T06:00'],
    [
      'that end in a gap end with it',
      { ...NIGHT, until: '02:30' },
      '2026-03-29T01:59+01:00',
      '2026-03-29T01:00',
    ],
    [
      'that begin in a gap begin after it',
      { ...NIGHT, from: '02:30' },
      '2026-03-29T03:00+02:00',
      '2026-03-29T05:00',
    ],
    [
      'that end at a time which comes twice end at the second',
      { ...NIGHT, until: '02:30' },
      '2026-10-25T02:45+02:00',
      '2026-10-25T01:30',
    ],
  ])('%s', (_, quiet, now, expected) => {
    expect(end(quiet, now)).toBe(expected);
  });

  test('are by the machine’s clock where they name no zone, or one that this browser does not know', () => {
    const { timeZone: _, ...plain } = NIGHT;
    expect(end(plain, '2026-01-05T22:30Z')).toBe('2026-01-06T07:00');
    expect(end({ ...NIGHT, timeZone: 'Mars/Olympus' }, '2026-01-05T22:30Z')).toBe('2026-01-06T07:00');
  });

  test('end after now, and there are some minutes without, on days all over a year', () => {
    for (let day = 0; day < 366; day += 3) {
      const from = at('2026-01-01T00:00Z') + day * DAY_MS;
      let quiet = 0;
      for (let minute = 0; minute < 24 * 60; minute += 15) {
        const until = quietUntil(NIGHT, from + minute * MINUTE_MS, 'UTC');
        if (until === null) continue;
        quiet += 1;
        expect(until).toBeGreaterThan(from + minute * MINUTE_MS);
        expect(quietUntil(NIGHT, until, 'UTC')).toBeNull();
      }
      expect(quiet).toBeGreaterThanOrEqual(31);
      expect(quiet).toBeLessThanOrEqual(41);
    }
  });

  test('that end where they begin, or are in no zone, are refused by name', () => {
    expect(quietProblems({ ...NIGHT, until: '22:00' }).map(({ path }) => path)).toEqual(['quiet.until']);
    expect(quietProblems({ ...NIGHT, timeZone: 'Mars/Olympus' }).map(({ path }) => path)).toEqual([
      'quiet.timeZone',
    ]);
    expect(quietProblems(NIGHT)).toEqual([]);
  });
});
