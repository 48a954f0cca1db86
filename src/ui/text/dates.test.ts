import { describe, expect, test, vi } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/index.ts';
import {
  clockTime,
  clockTimeMs,
  daysBetween,
  fullDateTime,
  namedDateTime,
  namedStretch,
  relativeTime,
  shortDate,
  shortDateTime,
} from './dates.ts';

// Dates are set in the reader's own English, which newer Node versions take from the machine.
vi.hoisted(() => {
  Object.defineProperty(globalThis, 'navigator', { value: { languages: ['de', 'en-GB', 'en'] } });
});

const PARIS = 'Europe/Paris';
/** Friday, 14:55:07.042 in Paris. */
const NOW = Date.UTC(2026, 2, 27, 13, 55, 7, 42);

describe('how far something is', () => {
  test.each([
    [0, 'now'],
    [400, 'now'],
    [SECOND_MS, 'in 1 s'],
    [42_900, 'in 42 s'],
    [MINUTE_MS, 'in 1 min'],
    [119_999, 'in 1 min'],
    [2 * MINUTE_MS, 'in 2 min'],
    [HOUR_MS, 'in 1 h'],
    [80 * MINUTE_MS, 'in 1 h 20 min'],
    [3 * HOUR_MS + 20 * MINUTE_MS, 'in 3 h'],
    [9 * HOUR_MS, 'in 9 h'],
    [10 * HOUR_MS, 'in 10 h'],
    [15 * HOUR_MS, 'tomorrow'],
    [33 * HOUR_MS, 'tomorrow'],
    [34 * HOUR_MS, 'in 2 days'],
    [26 * DAY_MS, 'in 26 days'],
    [92 * DAY_MS, 'in 3 months'],
    [800 * DAY_MS, 'in 2 years'],
    [-4_000, '4 s ago'],
    [-3 * MINUTE_MS, '3 min ago'],
    [-11 * HOUR_MS, '11 h ago'],
    [-16 * HOUR_MS, 'yesterday'],
    [-3 * DAY_MS, '3 days ago'],
  ])('%i ms: %s', (ms, words) => {
    expect(relativeTime(NOW + ms, NOW, PARIS)).toBe(words);
  });
});

test('tomorrow is the next date of the zone, whatever its hours: a night without an hour does not change it', () => {
  const eveningBefore = Date.UTC(2026, 2, 28, 22, 30);
  const afterTheGap = Date.UTC(2026, 2, 29, 21, 0);
  expect(daysBetween(eveningBefore, afterTheGap, PARIS)).toBe(1);
  expect(daysBetween(eveningBefore, Date.UTC(2026, 2, 29, 22, 0), PARIS)).toBe(2);
  expect(daysBetween(eveningBefore, afterTheGap, 'America/New_York')).toBe(1);
});

test('a clock has 24 hours and figures of one width', () => {
  expect(clockTime(NOW, PARIS)).toBe('14:55');
  expect(clockTime(Date.UTC(2026, 0, 1, 23, 5), PARIS)).toBe('00:05');
  expect(clockTimeMs(NOW, PARIS)).toBe('14:55:07.042');
  expect(clockTimeMs(-1, 'UTC')).toBe('23:59:59.999');
});

test('the short form says the day only where a relative time beside it does not', () => {
  expect(shortDateTime(NOW + 15 * HOUR_MS, NOW, PARIS)).toBe('05:55');
  expect(shortDateTime(NOW + 5 * DAY_MS, NOW, PARIS)).toBe('Wed 1 Apr 15:55');
  expect(shortDate(Date.UTC(2027, 11, 25), NOW, PARIS)).toBe('Sat 25 Dec 2027');
});

test('the named form says it always, and the full form says everything', () => {
  expect(namedDateTime(NOW, NOW, PARIS)).toBe('today 14:55');
  expect(namedDateTime(NOW - DAY_MS, NOW, PARIS)).toBe('yesterday 14:55');
  expect(namedDateTime(NOW + DAY_MS, NOW, PARIS)).toBe('tomorrow 14:55');
  expect(fullDateTime(NOW, PARIS)).toBe('Friday 27 March 2026, 14:55:07 Europe/Paris');
});

test('a stretch says its day once, and a minute is no stretch', () => {
  const now = Date.UTC(2026, 0, 6, 9, 0);
  const at = (hours: number): number => now + hours * 3_600_000;
  expect(namedStretch(at(-2), at(-2) + 5_000, now, 'UTC')).toBe('today 07:00');
  expect(namedStretch(at(-2), at(-1), now, 'UTC')).toBe('today 07:00 to 08:00');
  expect(namedStretch(at(-12), at(-1), now, 'UTC')).toBe('yesterday 21:00 to today 08:00');
});
