import { expect, test } from 'vitest';
import { keyPlaces, keyWarning, textWithoutKeys } from './key-warning.ts';

const file = (...actions: readonly object[]): string =>
  JSON.stringify({
    format: 'rota',
    version: 1,
    automations: actions.map((action) => ({ name: 'Check', action })),
  });

test('a file names the place of each text that looks like a key, and the automation that it belongs to', () => {
  const typed = { kind: 'http', url: 'https://api.test/', headers: { Authorization: 'Bearer abcdef123456' } };
  const kept = { ...typed, headers: { Authorization: 'Bearer {{ secrets.API_KEY }}' } };
  expect(keyPlaces(file(typed, kept))).toEqual(['headers.Authorization of Check']);
  expect(keyPlaces(file(kept))).toEqual([]);
  expect(keyPlaces(file())).toEqual([]);
});

test('a file without them has references to secrets in their place, one for each key, and all else as it was', () => {
  const typed = { kind: 'http', url: 'https://api.test/', headers: { Authorization: 'Bearer abcdef123456' } };
  const other = { ...typed, headers: { Authorization: 'Bearer 123456abcdef' } };
  const text = textWithoutKeys(file(typed, other, typed));
  expect(keyPlaces(text)).toEqual([]);
  expect(JSON.parse(text)).toEqual(
    JSON.parse(
      file(typed, other, typed)
        .replaceAll('abcdef123456', '{{ secrets.TAKEN_OUT_1 }}')
        .replace('123456abcdef', '{{ secrets.TAKEN_OUT_2 }}'),
    ),
  );
});

test('of many places the first are named and the others counted', () => {
  expect(keyWarning(['a of A', 'b of A'])).toBe('a of A; b of A.');
  expect(keyWarning(Array.from({ length: 7 }, (_, n) => `p${n}`))).toBe('p0; p1; p2; p3; p4; and 2 more.');
});
