import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localTextOf, midnightBefore, offsetMs, readLocal } from './editor-zone-time.ts';

const at = (iso: string): number => Date.parse(iso);

describe('a typed local time', () => {
  test.each([
    [
      '2026-03-08T02:30:00',
      'America/New_York',
      '2026-03-08T07:00:00Z',
      'moved from 02:30, clocks go forward',
    ],
    [
      '2026-10-04T02:10:00',
      'Australia/Lord_Howe',
      '2026-10-03T15:30:00Z',
      'moved from 02:10, clocks go forward',
    ],
    ['2026-03-29T02:30', 'Europe/Paris', '2026-03-29T01:00:00Z', 'moved from 02:30, clocks go forward'],
    ['2026-10-25T02:30', 'Europe/Paris', '2026-10-25T00:30:00Z', 'clocks go back, first 02:30'],
    // The gap ends at local midnight: the date of the answer is not the date that was typed.
    ['2026-03-28T23:30', 'America/Nuuk', '2026-03-29T01:00:00Z', 'moved from 23:30, clocks go forward'],
    ['2026-07-01T09:00', 'Asia/Kolkata', '2026-07-01T03:30:00Z', undefined],
    ['2026-07-01T09:00:05.25', 'UTC', '2026-07-01T09:00:05.250Z', undefined],
  ])('%s in %s is %s', (text, zone, iso, remark) => {
    const expected = remark === undefined ? { kind: 'ok', at: at(iso) } : { kind: 'ok', at: at(iso), remark };
    expect(readLocal(text, zone)).toEqual(expected);
  });

  test('on a date that its zone left out does not exist', () => {
    expect(readLocal('2011-12-30T12:00', 'Pacific/Apia')).toEqual({ kind: 'no-such-date' });
  });

  test.each(['', '2026-02-30T10:00', '2026-13-01T10:00', '2026-01-01', '2026-01-01T25:00', 'tomorrow'])(
    '%j is not read',
    (text) => expect(readLocal(text, 'UTC')).toEqual({ kind: 'unreadable' }),
  );

  test('read back from an instant is that instant, except in the second pass of an overlap', () => {
    const zones = [
      'Europe/Paris',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
      'UTC',
    ];
    const instants = fc.integer({ min: at('1971-01-01T00:00:00Z'), max: at('2199-12-30T00:00:00Z') });
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (instant, zone) => {
        const read = readLocal(localTextOf(instant, zone), zone);
        expect(read.kind).toBe('ok');
        if (read.kind !== 'ok') return;
        if (read.at !== instant) {
          expect(read.remark).toMatch(/^clocks go back/);
          expect(read.at + offsetMs(read.at, zone)).toBe(instant + offsetMs(instant, zone));
        }
      }),
      { numRuns: 500 },
    );
  });
});

test('the midnight before an instant is local, also where the day starts late', () => {
  expect(midnightBefore(at('2026-07-01T10:00:00Z'), 'Asia/Kolkata')).toBe(at('2026-06-30T18:30:00Z'));
  // Clocks went forward at midnight: the day started at 01:00.
  expect(midnightBefore(at('2026-04-24T10:00:00Z'), 'Africa/Cairo')).toBe(at('2026-04-23T22:00:00Z'));
});
