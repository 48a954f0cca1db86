import { describe, expect, test } from 'vitest';
import { FIRST_OF_MONTH, monthExpressionOf, monthOf } from './editor-month.ts';

describe('a day of each month', () => {
  test.each([
    ['0 9 1 * *', { on: 'date', date: '1' }],
    ['30 17 31 * *', { on: 'date', date: '31', time: '17:30' }],
    ['0 9 L * *', { on: 'last-day' }],
    ['0 9 LW * *', { on: 'last-weekday' }],
    ['0 9 * * tue#2', { on: 'nth', nth: '2', weekday: 2 }],
    ['0 9 * * fri#L', { on: 'nth', nth: 'L', weekday: 5 }],
  ] as const)('%s is shown as such and written the same', (expression, rule) => {
    expect(monthOf(expression)).toEqual({ ...FIRST_OF_MONTH, ...rule });
    expect(monthExpressionOf({ ...FIRST_OF_MONTH, ...rule })).toBe(expression);
  });

  test.each(['0 9 * * 5L', '00 09 * * FRI#l', '0 9 * * 5#L'])(
    '%s means the same in other words',
    (expression) => {
      expect(monthOf(expression)).toMatchObject({ on: 'nth', nth: 'L', weekday: 5 });
    },
  );

  test.each([
    '0 9 * * *',
    '0 9 1,15 * *',
    '0 9 1 1 *',
    '0 9 1 * mon',
    '0 9 L-2 * *',
    '0 9 * * mon#5',
    '0 9 * * mon#1,tue#1',
    '*/5 9 1 * *',
    '0 0 9 1 * *',
    '0 9 32 * *',
    '0 24 1 * *',
  ])('%s is more than that', (expression) => {
    expect(monthOf(expression)).toBeNull();
  });

  test('without a date or a time there is no rule', () => {
    for (const date of ['', '0', '32', 'x', '1.5'])
      expect(monthExpressionOf({ ...FIRST_OF_MONTH, date })).toBeNull();
    expect(monthExpressionOf({ ...FIRST_OF_MONTH, time: '' })).toBeNull();
  });
});
