import { expect, test } from 'vitest';
import { durationText, shortened, sizeText } from './amounts.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1 kB'],
  [1_234, '1.2 kB'],
  [9_960, '10 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [34_400_000, '34 MB'],
])('%i bytes read as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [2_449, '2.4 s'],
  [59_499, '59 s'],
  [59_500, '1 min'],
  [65_000, '1 min 5 s'],
  [3_599_999, '60 min'],
])('%i ms read as %s', (duration, text) => {
  expect(durationText(duration)).toBe(text);
});

test.each([
  ['short', 10, 'short'],
  ['  two\n lines\t', 10, 'two lines'],
  ['exactly ten', 11, 'exactly ten'],
  ['one too many', 11, 'one too ma…'],
  ['cut after space', 11, 'cut after…'],
  ['👩👩👩👩', 3, '👩👩…'],
])('%j on %i characters reads as %j', (text, most, expected) => {
  expect(shortened(text, most)).toBe(expected);
});
