import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type MissedRule, MINUTE_MS } from '../../domain/index.ts';
import { missedExample } from './editor-examples.ts';

const words = {
  when: (at: number) => new Date(at).toISOString().slice(5, 16).replace('T', ' '),
  long: (ms: number) => `${ms / MINUTE_MS} min`,
};
const from = (first: string, gap: number, count = 10): number[] =>
  Array.from({ length: count }, (_, index) => Date.parse(first) + index * gap);
const daily = from('2026-03-01T02:30:00Z', DAY_MS);

describe('three runs of a daily rule fall into a closed weekend, and', () => {
  test.each<[string, MissedRule, string]>([
    [
      '"once" runs the last of them',
      { kind: 'once' },
      'Closed from 03-01 18:00 to 03-04 11:00: one run when you are back, for 03-04 02:30, 510 min late; the other 2 are listed as missed.',
    ],
    [
      '"once" runs none when even the last is too late',
      { kind: 'once', maxAgeMs: HOUR_MS },
      'Closed from 03-01 18:00 to 03-04 11:00: nothing runs; all 3 are listed as missed. The next is 03-05 02:30.',
    ],
    [
      '"skip" runs none',
      { kind: 'skip' },
      'Closed from 03-01 18:00 to 03-04 11:00: nothing runs; all 3 are listed as missed. The next is 03-05 02:30.',
    ],
    [
      '"all" runs all of them',
      { kind: 'all', limit: 100 },
      'Closed from 03-01 18:00 to 03-04 11:00: 3 runs one after another, oldest first.',
    ],
    [
      '"all" with a limit runs the newest',
      { kind: 'all', limit: 2 },
      'Closed from 03-01 18:00 to 03-04 11:00: 2 runs one after another, oldest first; the other one is listed as missed.',
    ],
    [
      '"all" leaves out what is too old',
      { kind: 'all', limit: 100, maxAgeMs: DAY_MS },
      'Closed from 03-01 18:00 to 03-04 11:00: one run when you are back, for 03-04 02:30, 510 min late; the other 2 are listed as missed.',
    ],
  ])('%s', (_what, rule, sentence) => {
    expect(missedExample(rule, daily, words)).toBe(sentence);
  });
});

test('a single time that is missed runs late or says that it was too late', () => {
  const once = from('2026-03-02T09:00:00Z', 0, 1);
  expect(missedExample({ kind: 'once' }, once, words)).toBe(
    'Closed from 03-02 08:20 to 03-02 09:40: one run when you are back, 40 min late.',
  );
  expect(missedExample({ kind: 'once', maxAgeMs: MINUTE_MS }, once, words)).toBe(
    'Closed from 03-02 08:20 to 03-02 09:40: nothing runs; it is listed as missed. It is 40 min late by then, more than the rule allows.',
  );
});

test('of a rare rule the example leaves out one, and not years', () => {
  const yearly = from('2026-03-02T09:00:00Z', 365 * DAY_MS);
  expect(missedExample({ kind: 'all', limit: 100 }, yearly, words)).toBe(
    'Closed from 03-02 00:00 to 03-02 18:00: one run when you are back, 540 min late.',
  );
});

test('"skip" still runs what is less than a minute late', () => {
  const often = from('2026-03-02T09:00:00Z', MINUTE_MS);
  expect(missedExample({ kind: 'skip' }, often, words)).toMatch(/one run when you are back, for 03-02 09:03/);
});

test('without an instant to come there is nothing to miss', () => {
  expect(missedExample({ kind: 'once' }, [], words)).toBeNull();
});
