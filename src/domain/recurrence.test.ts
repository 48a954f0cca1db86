import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { nextAfter } from './instants.ts';
import { type NthOfMonth, type Recurrence, type RecurrenceDays, cronOf, recurrenceOf } from './recurrence.ts';
import { problemsOf } from './schedule-problems.ts';
import type { Schedule } from './schedule.ts';
import { prepareTime } from './temporal.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const weekday = fc.integer({ min: 0, max: 6 });
const days: fc.Arbitrary<RecurrenceDays> = fc.oneof(
  fc.constant<RecurrenceDays>({ kind: 'daily' }),
  fc
    .uniqueArray(weekday, { minLength: 1 })
    .map((weekdays) => ({ kind: 'weekly' as const, weekdays: weekdays.sort((a, b) => a - b) })),
  fc.integer({ min: 1, max: 31 }).map((day) => ({ kind: 'day-of-month' as const, day })),
  fc.constant<RecurrenceDays>({ kind: 'last-day' }),
  fc.record({
    kind: fc.constant('weekday-of-month' as const),
    nth: fc.constantFrom<NthOfMonth[]>(1, 2, 3, 4, 5, 'last'),
    weekday,
  }),
);
const two = (value: number): string => String(value).padStart(2, '0');
const numbers = (max: number): fc.Arbitrary<number[]> =>
  fc
    .uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: 3 })
    .map((values) => values.sort((a, b) => a - b));
const times = fc
  .tuple(numbers(23), numbers(59))
  .map(([hours, minutes]) => hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)));

describe('choices of a form', () => {
  test('are the same choices again after they were a cron rule, which may be saved', () => {
    fc.assert(
      fc.property(days, times, (chosen, at) => {
        const recurrence: Recurrence = { days: chosen, times: at };
        const expression = cronOf(recurrence) ?? '';
        expect(recurrenceOf(expression)).toEqual(recurrence);
        expect(problemsOf({ kind: 'cron', expression, timeZone: 'UTC' })).toEqual([]);
      }),
    );
  });

  test.each<readonly [Recurrence, string]>([
    [{ days: { kind: 'daily' }, times: ['09:00'] }, '0 9 * * *'],
    [
      { days: { kind: 'weekly', weekdays: [1, 2, 3, 4, 5] }, times: ['09:30', '17:30'] },
      '30 9,17 * * mon-fri',
    ],
    [{ days: { kind: 'day-of-month', day: 31 }, times: ['00:00'] }, '0 0 31 * *'],
    [{ days: { kind: 'last-day' }, times: ['23:59'] }, '59 23 L * *'],
    [{ days: { kind: 'weekday-of-month', nth: 2, weekday: 1 }, times: ['08:00'] }, '0 8 * * mon#2'],
    [{ days: { kind: 'weekday-of-month', nth: 'last', weekday: 5 }, times: ['16:00'] }, '0 16 * * fri#L'],
  ])('%j are %s', (recurrence, expression) => {
    expect(cronOf(recurrence)).toBe(expression);
  });

  test.each<readonly [string, Recurrence]>([
    ['without a time', { days: { kind: 'daily' }, times: [] }],
    ['with a time that is none', { days: { kind: 'daily' }, times: ['24:00'] }],
    ['without a day', { days: { kind: 'weekly', weekdays: [] }, times: ['09:00'] }],
    ['with times that one rule cannot name', { days: { kind: 'daily' }, times: ['09:00', '10:30'] }],
  ])('%s are no rule', (_, recurrence) => {
    expect(cronOf(recurrence)).toBeNull();
  });
});

describe('a cron rule', () => {
  test.each([
    '0 9 * * *',
    '0,30 9,17 * * MON-FRI',
    '5 4 * * 0-6',
    '5 4 * * 6-7',
    '5 4 * * sat-sun',
    '0 0 29 * *',
    '0 0 L * *',
    '0 0 * * 5L',
    '0 0 * * FRI#L',
    '0 0 * * 7#1',
    '0 0 * * tue,thu-sat',
  ])('%s is due at the same instants as the choices that it is shown as', (expression) => {
    const shown = recurrenceOf(expression);
    expect(shown).not.toBeNull();
    const again = shown === null ? null : cronOf(shown);
    const schedule = (text: string | null): Schedule => ({
      kind: 'cron',
      expression: text ?? '',
      timeZone: 'Europe/Berlin',
    });
    let at = Date.parse('2026-01-01T00:00:00Z');
    for (let n = 0; n < 100; n++) {
      const next = nextAfter(schedule(expression), at);
      expect(nextAfter(schedule(again), at)).toBe(next);
      at = next ?? at;
    }
  });

  test.each([
    '*/5 * * * *',
    '0 9-17 * * *',
    '0 0 9 * * *',
    '0 9 1 * mon',
    '0 9 * 6 *',
    '0 9 1,15 * *',
    '0 9 LW * *',
    '0 9 L-2 * *',
    '0 9 * * +mon',
    '0 9 * * mon#2,tue#2',
    '0 9 * * fri-mon',
    '0 9 * * */2',
    '@daily',
    '',
  ])('"%s" that no form can show stays a rule', (expression) => {
    expect(recurrenceOf(expression)).toBeNull();
  });
});
