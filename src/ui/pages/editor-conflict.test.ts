import { expect, test } from 'vitest';
import { DEFAULT_RULES, type Definition } from '../../domain/index.ts';
import { type ConflictPath, combine, differences, preferredSide } from './editor-conflict.ts';

const base: Definition = {
  name: 'Check the API',
  enabled: true,
  tags: [],
  schedule: { kind: 'manual' },
  action: {
    kind: 'http',
    method: 'GET',
    url: 'https://example.test/',
    headers: {},
    idempotencyKey: false,
    repeatable: false,
  },
  rules: DEFAULT_RULES,
};
const action = base.action as Extract<Definition['action'], { kind: 'http' }>;

test('what only one side changed is taken from that side, and what both changed is asked', () => {
  const mine = { ...base, name: 'Mine', action: { ...action, url: 'https://mine.test/' } };
  const theirs = { ...base, name: 'Theirs', rules: { ...DEFAULT_RULES, timeoutMs: 5_000 } };
  const found = differences(base, mine, theirs);
  expect(found.map(({ path, changedBy }) => [path, changedBy])).toEqual([
    ['name', 'both'],
    ['action.url', 'me'],
    ['rules.timeoutMs', 'them'],
  ]);
  expect(found.map(preferredSide)).toEqual(['mine', 'mine', 'theirs']);
  const taken = new Set(found.filter((one) => preferredSide(one) === 'theirs').map(({ path }) => path));
  expect(combine(mine, theirs, taken)).toEqual({ ...mine, rules: theirs.rules });
});

test('both sides doing the same is no difference, whatever the order of keys', () => {
  const one = { ...base, action: { ...action, headers: { a: '1', b: '2' } } };
  const other = { ...base, action: { ...action, headers: { b: '2', a: '1' } } };
  expect(differences(base, one, other)).toEqual([]);
});

test('a part that one side removed can be taken as removed', () => {
  const mine = { ...base, action: { ...action, body: 'text' } };
  const [difference] = differences(base, mine, base);
  expect(difference).toMatchObject({ path: 'action.body', theirs: undefined, changedBy: 'me' });
  const taken = combine(mine, base, new Set<ConflictPath>(['action.body']));
  expect(taken).toEqual(base);
  expect('body' in taken.action).toBe(false);
});

test('another kind of action is one choice and not a mixture', () => {
  const theirs: Definition = { ...base, action: { kind: 'remind', message: 'Look' } };
  const found = differences(base, base, theirs);
  expect(found.map(({ path, changedBy }) => [path, changedBy])).toEqual([['action', 'them']]);
  expect(combine(base, theirs, new Set<ConflictPath>(['action']))).toEqual(theirs);
});

test('without the common beginning every difference is a choice', () => {
  const theirs = { ...base, name: 'Theirs' };
  expect(differences(null, base, theirs)).toMatchObject([{ path: 'name', changedBy: 'both' }]);
});
