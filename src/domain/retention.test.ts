import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  ASKED_KEPT_MS,
  KEY_KEPT_MS,
  LEAP_MOST_MS,
  type Seen,
  isTrouble,
  isTrusted,
  keepRuleOf,
  mayForgetOutput,
  mayForgetRun,
  seenNow,
} from './retention.ts';
import { DEFAULT_KEEP, type KeepLimit } from './keep.ts';
import { isOpen } from './answer.ts';
import { KEPT_RUNS_LEAST } from './rules.ts';
import { followUpOccurrence, manualOccurrence, scheduledOccurrence } from './occurrence.ts';
import type { RunRow, RunStatus } from './run.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from './time.ts';

const NOW: EpochMs = 1_900_000_000_000;
const ID = 'a0000000-0000-4000-8000-000000000001' as RunRow['automationId'];
const RUN = 'b0000000-0000-7000-8000-000000000001' as RunRow['id'];
const BY_AGE: KeepLimit = { days: 100, most: null };
const BY_NUMBER: KeepLimit = { days: null, most: 100 };
const NOTHING: KeepLimit = { days: 1, most: 1 };

/** A row of `status` that was scheduled, decided and settled `days` ago. */
function row(days: number, status: RunStatus = 'succeeded', more: object = {}): RunRow {
  const at = NOW - days * DAY_MS;
  return {
    id: RUN,
    automationId: ID,
    occurrence: scheduledOccurrence(ID, at),
    scheduledFor: at,
    claimedAt: at,
    settledAt: at,
    status,
    ...more,
  } as unknown as RunRow;
}
const standing = (newer: number, isContinued = false, owedFrom: EpochMs | null = null) => ({
  now: NOW,
  newer,
  isContinued,
  owedFrom,
});
const byHand = { occurrence: manualOccurrence(ID, RUN as never) };

describe('a run', () => {
  test.each([
    ['goes when it is older than its rule says', row(101), BY_AGE, 30, true],
    ['stays while it is not', row(99), BY_AGE, 30, false],
    ['goes when there are enough newer ones', row(50), BY_NUMBER, 100, true],
    ['stays while there are not', row(500), BY_NUMBER, 99, false],
    ['stays without any limit', row(5_000), { days: null, most: null }, 1_000_000, false],
    ['stays among the newest of its automation however old it is', row(5_000), NOTHING, 29, false],
    ['stays for 40 days because its key may be needed', row(40), NOTHING, 1_000, false],
    ['goes after them', row(40.01), NOTHING, 1_000, true],
    ['that was asked for by hand goes sooner', row(9, 'succeeded', byHand), NOTHING, 1_000, true],
    [
      'that was asked for by hand stays while its command is known',
      row(8, 'succeeded', byHand),
      NOTHING,
      1_000,
      false,
    ],
    ['that failed stays twice as long', row(199, 'failed'), BY_AGE, 30, false],
    ['that failed goes then', row(201, 'failed'), BY_AGE, 30, true],
    ['that timed out stays among twice as many', row(50, 'timed-out'), BY_NUMBER, 199, false],
    ['that timed out goes then', row(50, 'timed-out'), BY_NUMBER, 200, true],
    ['that runs stays, however long it has', row(900, 'running', { active: 1 }), NOTHING, 1_000, false],
    [
      'that waits for an answer stays',
      row(900, 'interrupted', { mayHaveHappened: true }),
      NOTHING,
      1_000,
      false,
    ],
    [
      'that was answered goes',
      row(900, 'interrupted', { mayHaveHappened: true, answer: { said: 'happened', at: NOW } }),
      NOTHING,
      1_000,
      true,
    ],
    ['that a clock dated that was ahead stays', row(-300), NOTHING, 1_000, false],
  ] as const)('%s', (_title, run, limit, newer, goes) => {
    expect(mayForgetRun(run, limit, standing(newer))).toBe(goes);
  });

  test('that another one goes on from stays', () => {
    expect(mayForgetRun(row(900), NOTHING, standing(1_000, true))).toBe(false);
    expect(mayForgetOutput(row(900), NOTHING, standing(1_000, true))).toBe(false);
  });

  test('that stands for a stretch of missed times stays as long as the key of the last of them', () => {
    const covers = { from: NOW - 300 * DAY_MS, to: NOW - 39 * DAY_MS, count: 261 };
    const missed = row(39, 'missed', { covers, reason: 'closed' });
    expect(mayForgetRun(missed, NOTHING, standing(1_000))).toBe(false);
    expect(mayForgetRun(row(41, 'missed', { covers, reason: 'closed' }), NOTHING, standing(1_000))).toBe(
      true,
    );
  });
});

test('a row that decided what is still to be accounted for stays however old it is', () => {
  const owedFrom = NOW - 500 * DAY_MS;
  expect(mayForgetRun(row(500), NOTHING, standing(1_000, false, owedFrom))).toBe(false);
  expect(mayForgetRun(row(450), NOTHING, standing(1_000, false, owedFrom))).toBe(false);
  expect(mayForgetRun(row(501), NOTHING, standing(1_000, false, owedFrom))).toBe(true);
  expect(mayForgetRun(row(450, 'succeeded', byHand), NOTHING, standing(1_000, false, owedFrom))).toBe(true);
});

describe('a clock', () => {
  /** What is seen when it says each of `times`, in days. */
  const after = (...times: readonly number[]): Seen =>
    times.reduce<Seen | null>((seen, days) => seenNow(seen, NOW + days * DAY_MS), null) ?? seenNow(null, NOW);
  test.each([
    ['is not trusted when it is first seen', [0], false],
    ['is trusted after it went on for three days', [0, 1, 3], true],
    ['is trusted from day to day', [0, 3, 9, 15], true],
    ['that leapt by more than a week is not trusted', [0, 3, 400], false],
    ['that leapt is trusted once it has gone on from there', [0, 3, 400, 401, 403], true],
    ['that leapt and was set right is not trusted at once', [0, 3, 400, 4], false],
    ['that was set right is trusted once it has gone on', [0, 3, 400, 4, 5, 7], true],
  ] as const)('%s', (_title, times, trusted) => {
    expect(isTrusted(after(...times))).toBe(trusted);
  });

  test('that is put back by minutes is trusted as before, and one put back by hours is not', () => {
    const seen = after(0, 4);
    expect(isTrusted(seenNow(seen, seen.at - HOUR_MS))).toBe(true);
    expect(isTrusted(seenNow(seen, seen.at - 4 * HOUR_MS))).toBe(false);
  });

  test('cannot leap as far as a key is kept without being doubted', () => {
    expect(LEAP_MOST_MS).toBeLessThan(ASKED_KEPT_MS);
    expect(LEAP_MOST_MS).toBeLessThan(KEY_KEPT_MS / 2);
  });
});

test('what a run brought back can go long before its row', () => {
  expect(mayForgetOutput(row(2), { days: 1, most: null }, standing(30))).toBe(true);
  expect(mayForgetOutput(row(2), { days: 1, most: null }, standing(29))).toBe(false);
  expect(mayForgetOutput(row(0), { days: null, most: 1 }, standing(1))).toBe(true);
  expect(mayForgetRun(row(2), { days: 1, most: 1 }, standing(1_000))).toBe(false);
});

test('an automation says only what is another for it than for all', () => {
  expect(keepRuleOf(null, DEFAULT_KEEP)).toEqual(DEFAULT_KEEP);
  expect(keepRuleOf({ keep: { runs: { most: 50 }, outputs: { days: null } } }, DEFAULT_KEEP)).toEqual({
    runs: { ...DEFAULT_KEEP.runs, most: 50 },
    outputs: { ...DEFAULT_KEEP.outputs, days: null },
  });
});

test('whatever the rule is, nothing goes that runs, waits for a person, is newest or has a key that may be needed', () => {
  const limits = fc.record({
    days: fc.option(fc.integer({ min: 1, max: 500 })),
    most: fc.option(fc.integer({ min: 1, max: 500 })),
  });
  const statuses = fc.constantFrom<RunStatus>(
    'running',
    'succeeded',
    'failed',
    'timed-out',
    'cancelled',
    'interrupted',
    'missed',
    'skipped',
  );
  const occurrences = fc.constantFrom<'schedule' | 'hand' | 'follow'>('schedule', 'hand', 'follow');
  fc.assert(
    fc.property(
      limits,
      statuses,
      fc.double({ min: -100, max: 2_000, noNaN: true }),
      fc.nat(2_000),
      fc.boolean(),
      occurrences,
      (limit, status, days, newer, asks, of) => {
        const occurrence =
          of === 'schedule'
            ? scheduledOccurrence(ID, NOW - days * DAY_MS)
            : of === 'hand'
              ? byHand.occurrence
              : followUpOccurrence(ID, RUN);
        const run = row(days, status, { occurrence, ...(asks ? { asks: true } : {}) });
        if (!mayForgetRun(run, limit, standing(newer))) return;
        expect(status).not.toBe('running');
        expect(isOpen(run)).toBe(false);
        expect(newer).toBeGreaterThanOrEqual(KEPT_RUNS_LEAST);
        expect(days * DAY_MS).toBeGreaterThan(of === 'schedule' ? KEY_KEPT_MS : ASKED_KEPT_MS);
        // And never for nothing.
        const times = isTrouble(run) ? 2 : 1;
        expect(days > (limit.days ?? Infinity) * times || newer >= (limit.most ?? Infinity) * times).toBe(
          true,
        );
      },
    ),
  );
});
