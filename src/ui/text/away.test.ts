import { describe, expect, test } from 'vitest';
import type { AutomationId, RunId } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { awayLines, gapsText } from './away.ts';

const NOW = Date.UTC(2026, 0, 6, 9, 0);
const HOUR = 3_600_000;
let ids = 0;

const run = (change: Partial<Run>): Run => ({
  id: `run-${(ids += 1)}` as RunId,
  automationId: 'a' as AutomationId,
  automationName: 'Check the API',
  occurrence: 'a@1' as Run['occurrence'],
  scheduledFor: NOW - HOUR,
  cause: 'schedule',
  attempt: 1,
  status: 'succeeded',
  claimedAt: NOW - HOUR,
  startedAt: NOW - HOUR,
  settledAt: NOW - HOUR + 1_000,
  latenessMs: 5,
  host: null,
  fence: 1,
  ...change,
});
const texts = (...runs: readonly Run[]): readonly string[] =>
  awayLines(runs, NOW).map(({ kind, name, text }) => `${kind}: ${name} ${text}`);

describe('what happened while nobody looked', () => {
  test('missed rows of one automation are one line that counts every instant', () => {
    const covers = { from: NOW - 9 * HOUR, to: NOW - 4 * HOUR, count: 6 };
    expect(
      texts(
        run({ status: 'missed', reason: 'closed', covers, scheduledFor: covers.to }),
        run({
          status: 'missed',
          reason: 'asleep',
          covers: { from: NOW - HOUR, to: NOW - HOUR, count: 1 },
        }),
      ),
    ).toEqual([
      'missed: Check the API missed 7 times, today 00:00 to 08:00: the browser was closed and the machine was asleep.',
    ]);
  });

  test('what needs a person comes first, and each run that may have happened is a question of its own', () => {
    const other = { automationId: 'b' as AutomationId, automationName: 'Post the digest' };
    expect(
      texts(
        run({ status: 'skipped', reason: 'overlap' }),
        run({ status: 'succeeded', latenessMs: 6 * HOUR, claimedAt: NOW - 60_000 }),
        run({ status: 'timed-out' }),
        run({ ...other, status: 'interrupted', mayHaveHappened: true }),
        run({ ...other, status: 'interrupted', mayHaveHappened: true, scheduledFor: NOW - 2 * HOUR }),
      ),
    ).toEqual([
      'may-have-happened: Post the digest may have happened: it was interrupted after its request had left, due today 08:00.',
      'may-have-happened: Post the digest may have happened: it was interrupted after its request had left, due today 07:00.',
      'failed: Check the API failed once today 08:00: it took too long and was ended.',
      'late: Check the API ran 6 h late, today 08:59.',
      'skipped: Check the API was skipped once by its rule: the run before was still active.',
    ]);
  });

  test('a failure is told in its own words, the newest of several', () => {
    const failure = {
      class: 'action',
      code: 'unexpected-status',
      message: 'The server answered 503.',
    } as const;
    expect(
      texts(
        run({ status: 'failed', reason: 'action', failure }),
        run({ status: 'failed', reason: 'action', failure, scheduledFor: NOW - 3 * HOUR }),
      ),
    ).toEqual(['failed: Check the API failed twice, last today 08:00: the server answered 503.']);
  });

  test('what went well, is tried again, was answered, or was a person’s own doing is no news', () => {
    expect(
      texts(
        run({}),
        run({ status: 'running', startedAt: NOW }),
        run({ status: 'failed', reason: 'network', retryAt: NOW }),
        run({ status: 'interrupted', mayHaveHappened: true, answer: { said: 'happened', at: NOW } }),
        run({ status: 'missed', reason: 'paused', covers: { from: 1, to: 2, count: 2 } }),
        run({ status: 'cancelled', reason: 'person' }),
        run({ cause: 'manual', latenessMs: HOUR }),
      ),
    ).toEqual([]);
  });
});

test('where the browser was meanwhile', () => {
  const closed = { from: NOW - 10 * HOUR, until: NOW - 2 * HOUR, why: 'closed' } as const;
  const asleep = { from: NOW - HOUR, until: NOW - HOUR / 2, why: 'asleep' } as const;
  expect(gapsText([], NOW)).toBe('');
  expect(gapsText([{ ...asleep, until: asleep.from + 60_000 }], NOW)).toBe('');
  expect(gapsText([closed], NOW)).toBe('This browser was closed yesterday 23:00 to today 07:00.');
  expect(gapsText([closed, asleep], NOW)).toBe(
    'This browser was closed for 8 h and this machine slept for 30 min.',
  );
});
