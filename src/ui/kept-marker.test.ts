import { beforeEach, expect, test } from 'vitest';
import {
  type KeptMarker,
  type MarkerStorage,
  isNews,
  lookAtKept,
  noteKept,
  readMarker,
} from './kept-marker.ts';

let items: Map<string, string>;
let storage: MarkerStorage;
beforeEach(() => {
  items = new Map();
  storage = { getItem: (key) => items.get(key) ?? null, setItem: (key, value) => void items.set(key, value) };
});

const marker = (ledger: string, automations: number): KeptMarker => ({ ledger, automations, at: 1 });

test('what is noted is read again, and what cannot be read is as if nothing was noted', () => {
  expect(readMarker(storage)).toBeNull();
  noteKept(storage, marker('a', 3));
  expect(readMarker(storage)).toEqual(marker('a', 3));
  for (const text of ['{', '3', 'null', '{"ledger":1,"automations":3,"at":1}']) {
    for (const key of items.keys()) items.set(key, text);
    expect(readMarker(storage)).toBeNull();
  }
});

test('a place that refuses notes keeps nobody from anything', () => {
  const refusing: MarkerStorage = {
    getItem: () => null,
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError');
    },
  };
  expect(() => {
    noteKept(refusing, marker('a', 1));
  }).not.toThrow();
});

test('an empty database that is another one than was noted is a loss', () => {
  expect(lookAtKept(marker('a', 3), marker('b', 0))).toEqual({ kind: 'lost', lost: marker('a', 3) });
  // Some that were made anew are not those that are gone.
  expect(lookAtKept(marker('a', 3), marker('b', 1)).kind).toBe('lost');
});

test('what a person deleted one by one, what came back, and a first visit are no loss', () => {
  expect(lookAtKept(marker('a', 3), marker('a', 0))).toEqual({ kind: 'note', marker: marker('a', 0) });
  expect(lookAtKept(marker('a', 3), marker('b', 3)).kind).toBe('note');
  expect(lookAtKept(marker('a', 0), marker('b', 0)).kind).toBe('note');
  expect(lookAtKept(null, marker('b', 0)).kind).toBe('note');
});

test('the host is asked only where the number is another one', () => {
  expect(isNews(null, 0)).toBe(false);
  expect(isNews(null, 1)).toBe(true);
  expect(isNews(marker('a', 3), 3)).toBe(false);
  expect(isNews(marker('a', 3), 0)).toBe(true);
});
