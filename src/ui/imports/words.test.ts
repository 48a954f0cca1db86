import { expect, test } from 'vitest';
import { valueText } from './words.ts';

const now = new Date(2026, 10, 30, 19, 0).getTime();

test('an instant of a schedule is a date with seconds, so that two that differ look different', () => {
  const anchor = new Date(2026, 10, 2, 9, 30, 5).getTime();
  expect(valueText('schedule.anchor', anchor, now)).toMatch(/^Mon 2 Nov 09:30:05$/);
  expect(valueText('schedule.anchor', anchor + 7, now)).toMatch(/^Mon 2 Nov 09:30:05.007$/);
  expect(valueText('schedule.at', new Date(2028, 0, 3, 8, 0).getTime(), now)).toBe('Mon 3 Jan 2028 08:00:00');
  expect(valueText('schedule.anchor', undefined, now)).toBe('not set');
});

test('other values are as they stand in the file, with a word for what is empty', () => {
  expect(valueText('schedule.everyMs', 60_000, now)).toBe('60000');
  expect(valueText('action.headers["at"]', 60_000, now)).toBe('60000');
  expect(valueText('name', '', now)).toBe('empty');
  expect(valueText('tags', [], now)).toBe('none');
  expect(valueText('tags', ['a', 'b'], now)).toBe('a, b');
  expect(valueText('rules.missed', undefined, now)).toBe('not set');
  expect(valueText('enabled', true, now)).toBe('true');
});
