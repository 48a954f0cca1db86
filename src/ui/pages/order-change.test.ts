import { expect, test } from 'vitest';
import { changeCount } from './order-change.ts';

test.each([
  ['nothing', 'abc', 'abc', 0],
  ['one that came', 'abc', 'axbc', 1],
  ['one that went', 'abc', 'ac', 1],
  ['two that changed places', 'abc', 'acb', 2],
  ['one for another', 'abc', 'abd', 2],
  ['all of them', '', 'abc', 3],
])('a reader is told of %s', (_, before, now, count) => {
  expect(changeCount(Array.from(before), Array.from(now))).toBe(count);
});
