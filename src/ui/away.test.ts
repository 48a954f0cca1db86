import { beforeEach, describe, expect, test } from 'vitest';
import { AWAY_LEAST_MS, type AwayStorage, forgetAway, look } from './away.ts';

const NOW = 1_767_571_200_000;
const HOUR = 3_600_000;
let storage: AwayStorage;
beforeEach(() => {
  const items = new Map<string, string>();
  storage = {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
});

describe('being away', () => {
  test('a first look is no return', () => {
    expect(look(storage, NOW)).toBeNull();
  });

  test('who looks all the time was never away', () => {
    for (let at = NOW; at < NOW + HOUR; at += 1_000) expect(look(storage, at)).toBeNull();
  });

  test('whoever looks again after ten minutes was away since the last look', () => {
    look(storage, NOW);
    expect(look(storage, NOW + AWAY_LEAST_MS - 1)).toBeNull();
    expect(look(storage, NOW + AWAY_LEAST_MS + 9 * HOUR)).toEqual({
      since: NOW + AWAY_LEAST_MS - 1,
      back: NOW + AWAY_LEAST_MS + 9 * HOUR,
    });
  });

  test('it stays until it was read, and the next absence makes it longer', () => {
    look(storage, NOW);
    const first = { since: NOW, back: NOW + HOUR };
    expect(look(storage, NOW + HOUR)).toEqual(first);
    expect(look(storage, NOW + HOUR + 60_000)).toEqual(first);
    expect(look(storage, NOW + 5 * HOUR)).toEqual({ since: NOW, back: NOW + 5 * HOUR });
    forgetAway(storage);
    expect(look(storage, NOW + 5 * HOUR + 1_000)).toBeNull();
  });

  test('a clock that goes back is no absence, and what is stored by someone else does no harm', () => {
    look(storage, NOW + 9 * HOUR);
    expect(look(storage, NOW)).toBeNull();
    expect(look(storage, NOW + HOUR)).toEqual({ since: NOW, back: NOW + HOUR });
    for (const text of ['{', 'null', '[]', '{"since":2,"back":1}', '{"since":"x","back":1}']) {
      storage.setItem('rota:away', text);
      storage.setItem('rota:seen-at', 'yesterday');
      expect(look(storage, NOW)).toBeNull();
    }
  });
});
