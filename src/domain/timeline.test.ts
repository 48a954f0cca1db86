import { expect, test } from 'vitest';
import { MONDAY, activeRun, automation, automationId, runId } from './samples.testing.ts';
import type { RunRow } from './run.ts';
import { lanesOf } from './timeline.ts';

const MINUTE = 60_000;
const DAY = { from: MONDAY, until: MONDAY + 24 * 60 * MINUTE, now: MONDAY + 12 * 60 * MINUTE };

/** A run of automation `of` that began at minute `at` and took two seconds. */
function ran(id: number, at: number, more: object = {}, of = 1): RunRow {
  const startedAt = MONDAY + at * MINUTE;
  return {
    ...activeRun(automation(), MONDAY),
    id: runId(id),
    automationId: automationId(of),
    automationName: `Number ${of}`,
    startedAt,
    settledAt: startedAt + 2_000,
    status: 'succeeded',
    ...more,
  } as unknown as RunRow;
}

function unrun(id: number, from: number, to: number, count: number, reason: string): RunRow {
  return {
    ...ran(id, to),
    status: 'missed',
    reason,
    covers: { from: MONDAY + from * MINUTE, to: MONDAY + to * MINUTE, count },
  } as unknown as RunRow;
}

test('runs of the same slot that went the same way are one mark that names the newest', () => {
  const [lane, ...others] = lanesOf([ran(1, 0), ran(2, 1), ran(3, 4), ran(4, 5)], DAY);
  expect(others).toEqual([]);
  expect(lane?.marks).toMatchObject([
    { from: MONDAY, until: MONDAY + 4 * MINUTE + 2_000, count: 3, runId: runId(3) },
    { from: MONDAY + 5 * MINUTE, count: 1, runId: runId(4) },
  ]);
});

test('a failure among a hundred successes of one slot is a mark of its own', () => {
  const failed = ran(200, 2, { status: 'failed', reason: 'network' });
  const many = Array.from({ length: 100 }, (_, n) => ran(n + 1, n / 100));
  const [lane] = lanesOf([...many, failed], DAY);
  expect(lane?.marks).toMatchObject([
    { status: 'succeeded', count: 100 },
    { status: 'failed', count: 1, runId: runId(200) },
  ]);
});

test('what a limit stopped and what may have happened are told from other ends of the same status', () => {
  const [lane] = lanesOf(
    [
      ran(1, 0, { status: 'failed', reason: 'action' }),
      ran(2, 0, { status: 'failed', reason: 'network' }),
      ran(3, 0, { status: 'failed', reason: 'limit' }),
      ran(4, 0, { status: 'interrupted' }),
      ran(5, 0, { status: 'interrupted', mayHaveHappened: true }),
    ],
    DAY,
  );
  expect(lane?.marks.map(({ count, reason, mayHaveHappened }) => [count, reason, mayHaveHappened])).toEqual([
    [2, undefined, undefined],
    [1, 'limit', undefined],
    [1, undefined, undefined],
    [1, undefined, true],
  ]);
});

test('missed times stretch from the first to the last of them and are never joined', () => {
  const [lane] = lanesOf([unrun(1, -30, 60, 91, 'closed'), unrun(2, 61, 62, 2, 'closed')], DAY);
  expect(lane?.marks).toMatchObject([
    { from: MONDAY - 30 * MINUTE, until: MONDAY + 60 * MINUTE, count: 91, reason: 'closed' },
    { count: 2 },
  ]);
});

test('a run that goes on lasts until now', () => {
  const [lane] = lanesOf([{ ...activeRun(automation(), MONDAY), startedAt: MONDAY + MINUTE }], DAY);
  expect(lane?.marks).toMatchObject([{ status: 'running', until: DAY.now }]);
});

test('what lies outside is left out, and each automation has a lane under its newest name', () => {
  const lanes = lanesOf(
    [
      ran(1, -10),
      ran(2, 3),
      ran(3, 4, { automationName: 'Renamed' }),
      ran(4, 5, {}, 2),
      ran(5, 24 * 60),
      unrun(6, -90, -60, 2, 'closed'),
    ],
    DAY,
  );
  expect(
    lanes.map(({ automationId: id, automationName, marks }) => [id, automationName, marks.length]),
  ).toEqual([
    [automationId(1), 'Renamed', 1],
    [automationId(2), 'Number 2', 1],
  ]);
});
