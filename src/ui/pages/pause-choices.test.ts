import { describe, expect, test } from 'vitest';
import { pauseChoices, readUntil, untilAtFirst } from './pause-choices.ts';

const ZONE = 'Europe/Paris';
const at = (local: string): number => Date.parse(`${local}:00+01:00`);
const offered = (local: string, zone = ZONE): readonly string[] =>
  pauseChoices(at(local), zone).map(({ label, when }) => `${label}: ${when}`);

describe('until when a person can pause', () => {
  test.each([
    // Wednesday
    [
      '2026-12-02T10:30',
      ['For 1 hour: today 11:30', 'Until this evening: today 18:00', 'Until tomorrow: tomorrow 09:00'],
    ],
    // The evening is an hour away, which is the first choice.
    ['2026-12-02T17:00', ['For 1 hour: today 18:00', 'Until tomorrow: tomorrow 09:00']],
    [
      '2026-12-02T01:15',
      ['For 1 hour: today 02:15', 'Until this morning: today 09:00', 'Until tomorrow: tomorrow 09:00'],
    ],
    // Friday: the next working day is Monday.
    [
      '2026-12-04T20:00',
      ['For 1 hour: today 21:00', 'Until tomorrow: tomorrow 09:00', 'Until Monday: Mon 7 Dec 09:00'],
    ],
    // Sunday: tomorrow is Monday already.
    [
      '2026-12-06T08:00',
      ['For 1 hour: today 09:00', 'Until this evening: today 18:00', 'Until tomorrow: tomorrow 09:00'],
    ],
    ['2026-12-31T23:30', ['For 1 hour: tomorrow 00:30', 'Until tomorrow: tomorrow 09:00']],
  ])('at %s', (local, choices) => {
    expect(offered(local)).toEqual(choices);
  });

  test('is the clock of the person, also where it changes in between', () => {
    // In the night to Sunday the clocks go forward: 17 hours on the clock are 16.
    const [, , tomorrow] = pauseChoices(at('2026-03-28T16:00'), ZONE);
    expect(tomorrow?.until).toBe(Date.parse('2026-03-29T09:00:00+02:00'));
    expect(offered('2026-12-02T10:30', 'Asia/Tokyo')).toEqual([
      'For 1 hour: today 19:30',
      'Until tomorrow: tomorrow 09:00',
    ]);
  });

  test('can be any time to come, and what cannot be is refused with what would be accepted', () => {
    const now = at('2026-12-02T10:30');
    expect(untilAtFirst(now, ZONE)).toBe('2026-12-02T12:00');
    expect(readUntil('2026-12-05T08:15', now, ZONE)).toEqual({
      kind: 'ok',
      until: at('2026-12-05T08:15'),
      said: 'Until Sat 5 Dec 08:15, in 3 days.',
    });
    expect(readUntil('2027-03-28T02:30', now, ZONE)).toMatchObject({
      said: 'Until Sun 28 Mar 2027 03:00, in 116 days; moved from 02:30, clocks go forward.',
    });
    expect(readUntil('', now, ZONE)).toEqual({ kind: 'refused', message: 'Enter a date and a time.' });
    expect(readUntil('2026-12-02T10:30', now, ZONE)).toMatchObject({ message: /^This time has passed/ });
    expect(readUntil('2200-01-02T00:00', now, ZONE)).toMatchObject({ message: /before the year 2200/ });
    expect(readUntil('2011-12-30T09:00', 0, 'Pacific/Apia')).toMatchObject({ message: /does not exist/ });
  });
});
