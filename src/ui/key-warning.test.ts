import { expect, test } from 'vitest';
import { keyPlaces, keyWarning } from './key-warning.ts';

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

test('of many places the first are named and the others counted', () => {
  expect(keyWarning(['a of A', 'b of A'])).toBe('a of A; b of A.');
  expect(keyWarning(Array.from({ length: 7 }, (_, n) => `p${n}`))).toBe('p0; p1; p2; p3; p4; and 2 more.');
});
