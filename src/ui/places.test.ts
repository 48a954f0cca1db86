import { expect, test } from 'vitest';
import { Places } from './places.ts';

test('a change of filter is a step of its own: the way back to it leads to where it was left', () => {
  const places = new Places(new Map(), 'runs');
  expect(places.go('each', 300)).toBe(true);
  expect(places.here).toBeNull();
  places.go('run', 40_000);
  places.go('each', 0);
  expect(places.here).toBe(40_000);
  places.go('runs', 40_000);
  expect(places.here).toBe(300);
});

test('an address that is only written anew is the same step, which has not been left', () => {
  const places = new Places(new Map(), 'runs');
  expect(places.go('runs', 300)).toBe(false);
  expect(places.here).toBeNull();
});

test('a step that is left again is left where it is now, and is the last to be forgotten', () => {
  const places = new Places(
    new Map([
      ['a', 1],
      ['b', 2],
    ]),
    'a',
  );
  expect(places.here).toBe(1);
  places.note(5);
  expect([...places.all]).toEqual([
    ['b', 2],
    ['a', 5],
  ]);
});

test('where the browser does not say which step it is, each begins anew and none is mistaken for another', () => {
  const places = new Places(new Map(), null);
  expect(places.go(null, 300)).toBe(true);
  expect(places.here).toBeNull();
  expect(places.all.size).toBe(0);
});
