import { describe, expect, test } from 'vitest';
import { localTextOf } from '../pages/editor-zone-time.ts';
import { isMonthFirst, readDate } from './read-date.ts';

/** Monday, 30 November 2026, 04:10 in UTC, and 17:10 in Auckland. */
const NOW = Date.UTC(2026, 10, 30, 4, 10);
const read = (text: string, zone = 'UTC', monthFirst = true, now = NOW) =>
  readDate(text, { now, localTextOf: (at) => localTextOf(at, zone), monthFirst });

describe('a date as a person writes it', () => {
  test.each([
    ['tomorrow at 5pm', '2026-12-01T17:00'],
    ['once, on June 3rd at 17:00', '2027-06-03T17:00'],
    ['3 January 2027 8:30', '2027-01-03T08:30'],
    ['at 9', '2026-11-30T09:00'],
    ['today at 23:00', '2026-11-30T23:00'],
    ['friday at noon', '2026-12-04T12:00'],
    ['2027-02-28 06:00', '2027-02-28T06:00'],
    ['in 2 days at 9', '2026-12-02T09:00'],
    ['in 20 minutes', '2026-11-30T04:30'],
    ['in an hour', '2026-11-30T05:10'],
  ])('%s', async (text, localText) => {
    expect(await read(text)).toEqual({ kind: 'ok', localText, timeAssumed: false });
  });

  test('tomorrow is that of the zone', async () => {
    const late = Date.UTC(2026, 10, 30, 23, 30);
    expect(await read('tomorrow at 8:00', 'Asia/Tokyo', true, late)).toMatchObject({
      localText: '2026-12-02T08:00',
    });
  });

  test('an hour ahead is an hour, also where the clocks go forward meanwhile', async () => {
    const before = Date.UTC(2027, 2, 28, 0, 30);
    expect(await read('in 1 hour', 'Europe/Berlin', true, before)).toMatchObject({
      localText: '2027-03-28T03:30',
    });
  });

  test('the order of day and month is that of the reader', async () => {
    expect(await read('1/2/2027 at 9:00')).toMatchObject({ localText: '2027-01-02T09:00' });
    expect(await read('1/2/2027 at 9:00', 'UTC', false)).toMatchObject({ localText: '2027-02-01T09:00' });
    expect([isMonthFirst('en-US'), isMonthFirst('en-GB'), isMonthFirst('de')]).toEqual([true, false, false]);
  });

  test('a day without a time is nine in the morning, and says so', async () => {
    expect(await read('tomorrow')).toEqual({ kind: 'ok', localText: '2026-12-01T09:00', timeAssumed: true });
  });

  test.each([
    ['when it rains', 'not understood'],
    ['tomorrow at 5pm if it rains', 'not understood'],
    ['31 february 2027', 'not understood'],
    ['tomorrow from 9 to 10', 'when it begins'],
    ['tomorrow at 9 PST', 'its own field'],
  ])('%s is refused with a reason', async (text, words) => {
    expect(await read(text)).toMatchObject({
      kind: 'unread',
      message: expect.stringContaining(words) as string,
    });
  });
});
