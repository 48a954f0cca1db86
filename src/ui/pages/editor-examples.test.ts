import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, type MissedRule, MINUTE_MS, type OverlapRule } from '../../domain/index.ts';
import {
  autoPauseExample,
  interruptedExample,
  missedExample,
  overlapExample,
  runsPerDayExample,
  timeoutExample,
} from './editor-examples.ts';

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

const often = from('2026-03-01T22:00:00Z', HOUR_MS);

describe('a run that takes long is told of with the next ones:', () => {
  test.each<[OverlapRule, string]>([
    [{ kind: 'skip' }, 'If the run of 03-01 22:00 goes on until after 03-01 23:00, that one is skipped.'],
    [
      { kind: 'queue' },
      'If the run of 03-01 22:00 goes on until after 03-01 23:00, that one starts when it has ended.',
    ],
    [
      { kind: 'replace' },
      'If the run of 03-01 22:00 goes on until after 03-01 23:00, it is cancelled then, and that one starts.',
    ],
    [
      { kind: 'parallel', limit: 2 },
      'If the run of 03-01 22:00 goes on until after 03-01 23:00, both run. The one of 03-02 00:00 is skipped if all 2 before it still go on.',
    ],
    // Three hours are over before a fourth could begin.
    [{ kind: 'parallel', limit: 3 }, 'If the run of 03-01 22:00 goes on until after 03-01 23:00, both run.'],
  ])('%j', (rule, text) => {
    expect(overlapExample(rule, often, 3 * HOUR_MS, words)).toBe(text);
  });

  test('which is said not to happen where the timeout ends it before', () => {
    expect(overlapExample({ kind: 'skip' }, often, HOUR_MS, words)).toMatch(
      /^Runs on time do not meet: one is ended after 60 min, and the next is due 60 min after it\./,
    );
    expect(overlapExample({ kind: 'skip' }, often.slice(0, 1), HOUR_MS, words)).toBeNull();
  });
});

test('failures in a row are told of with the run after which it is paused, as far as that is known', () => {
  expect(autoPauseExample(1, often, words)).toBe(
    'If the next run fails, it is paused after the one of 03-01 22:00.',
  );
  expect(autoPauseExample(10, often, words)).toBe(
    'If the next 10 runs all fail, it is paused after the one of 03-02 07:00.',
  );
  expect(autoPauseExample(11, often, words)).toBeNull();
});

test('a number of runs a day is told of with a whole day', () => {
  const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const now = Date.parse('2026-03-01T21:30:00Z');
  const told = (most: number, instants: readonly number[]) =>
    runsPerDayExample(most, instants, now, dayOf, words);
  expect(told(3, often)).toBe('The one of 03-02 03:00 is the first that is skipped on that day.');
  // The last of the day is not among those that are known.
  expect(told(9, often)).toBeNull();
  expect(told(2, from('2026-03-01T22:00:00Z', 8 * HOUR_MS))).toBe(
    'The one of 03-02 22:00 is the first that is skipped on that day.',
  );
  expect(told(3, from('2026-03-01T22:00:00Z', 8 * HOUR_MS))).toBe(
    'It is due 3 times on the day of 03-02 06:00, and the limit is not met.',
  );
  expect(told(1, daily.slice(1))).toBe('It is due once on the day of 03-02 02:30, and the limit is not met.');
  expect(told(1, [])).toBeNull();
});

describe('a timeout is told of with the run that it ends', () => {
  test.each([
    [30 * MINUTE_MS, 'The run of 03-01 22:00 is ended at 03-01 22:30 at the latest, before the next is due.'],
    // At the very instant the next is due there is nothing left to meet it.
    [HOUR_MS, 'The run of 03-01 22:00 is ended at 03-01 23:00 at the latest, before the next is due.'],
    [
      90 * MINUTE_MS,
      'The run of 03-01 22:00 is ended at 03-01 23:30 at the latest, when the next one has become due.',
    ],
    [
      2.5 * HOUR_MS,
      'The run of 03-01 22:00 is ended at 03-02 00:30 at the latest, when 2 others have become due.',
    ],
    [
      DAY_MS,
      'The run of 03-01 22:00 is ended at 03-02 22:00 at the latest, when at least 9 others have become due.',
    ],
    [MINUTE_MS / 2, 'The run of 03-01 22:00 is ended 0.5 min later, before the next is due.'],
  ])('after %d ms', (timeoutMs, sentence) => {
    expect(timeoutExample(timeoutMs, often, words)).toBe(sentence);
  });

  test('also of a single one, and of none there is nothing to tell', () => {
    expect(timeoutExample(HOUR_MS, often.slice(0, 1), words)).toBe(
      'The run of 03-01 22:00 is ended at 03-01 23:00 at the latest.',
    );
    expect(timeoutExample(HOUR_MS, [], words)).toBeNull();
  });
});

describe('a crash in the middle is told of with the next run', () => {
  const harmless = { isRepeatable: true, attempts: 3 };
  const harmful = { isRepeatable: false, attempts: 1 };
  const dies = 'If this browser crashes during the run of 03-01 22:00, ';
  test.each([
    ['default', harmless, 'it is tried again when you are back.'],
    [
      'default',
      harmful,
      'it waits for your answer when you are back, unless nothing had been sent: then it is listed and not tried again, having one attempt.',
    ],
    [
      'default',
      { ...harmful, attempts: 4 },
      'it waits for your answer when you are back, unless nothing had been sent: then it is tried again when you are back.',
    ],
    ['default', { ...harmless, attempts: 1 }, 'it is listed and not tried again, having one attempt.'],
    ['ask', harmless, 'it waits for your answer when you are back.'],
    ['ask', harmful, 'it waits for your answer when you are back.'],
    ['retry', { ...harmful, attempts: 2 }, 'it is tried again when you are back.'],
    ['retry', harmful, 'it is listed and not tried again, having one attempt.'],
  ] as const)('under "%s" for %j', (rule, of, rest) => {
    expect(interruptedExample(rule, of, often, words)).toBe(`${dies}${rest}`);
  });

  test('and of no run there is nothing to tell', () => {
    expect(interruptedExample('ask', harmless, [], words)).toBeNull();
  });
});
