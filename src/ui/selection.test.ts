import { expect, test } from 'vitest';
import { NONE, type Selection, allOf, extended, kept, toggled } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const EMPTY: Selection<string> = NONE;
const idsOf = ({ ids }: Selection<string>): string => ORDER.filter((id) => ids.has(id)).join('');

test('a row is selected and let go, and others stay', () => {
  const both = toggled(toggled(EMPTY, 'b'), 'd');
  expect(idsOf(both)).toBe('bd');
  expect(idsOf(toggled(both, 'b'))).toBe('d');
  expect(idsOf(EMPTY)).toBe('');
});

test('a range goes from the row that was taken last, up or down, and gives way to the next range from there', () => {
  const first = toggled(toggled(EMPTY, 'a'), 'c');
  const down = extended(first, ORDER, 'e');
  expect(idsOf(down)).toBe('acde');
  expect(idsOf(extended(down, ORDER, 'd'))).toBe('acd');
  expect(idsOf(extended(down, ORDER, 'b'))).toBe('abc');
  expect(idsOf(extended(down, ORDER, 'c'))).toBe('ac');
});

test('after another row was taken, a range begins at that one and keeps what was there', () => {
  const range = extended(toggled(EMPTY, 'a'), ORDER, 'b');
  expect(idsOf(extended(toggled(range, 'd'), ORDER, 'e'))).toBe('abde');
});

test('a range without a beginning, or from a row that has left the list, is its end alone', () => {
  expect(idsOf(extended(EMPTY, ORDER, 'c'))).toBe('c');
  expect(idsOf(extended(toggled(EMPTY, 'gone'), ORDER, 'c'))).toBe('c');
  expect(extended(EMPTY, ORDER, 'gone')).toBe(EMPTY);
});

test('all are selected, and what leaves the list leaves the selection', () => {
  const all = allOf(EMPTY, ORDER);
  expect(idsOf(all)).toBe('abcde');
  expect(kept(all, ORDER.toReversed())).toBe(all);
  const left = kept(all, ['a', 'c', 'x']);
  expect([...left.ids]).toEqual(['a', 'c']);
  expect(idsOf(kept(toggled(left, 'a'), []))).toBe('');
  expect(kept(extended(toggled(EMPTY, 'b'), ORDER, 'c'), ['c']).anchor).toBe(null);
});
