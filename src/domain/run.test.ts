import { expect, test } from 'vitest';
import { RUN_STATUSES, type RunStatus, isActive, mayBecome } from './run.ts';
import { MONDAY, activeRun, automation, runId } from './samples.testing.ts';
import { unrunRow } from './due.ts';

const EDGES = [
  'running > succeeded',
  'running > failed',
  'running > timed-out',
  'running > cancelled',
  'running > interrupted',
];

test('a run goes from running to how it ended, and nothing else exists', () => {
  const edges = RUN_STATUSES.flatMap((from) =>
    RUN_STATUSES.filter((to) => mayBecome(from, to)).map((to) => `${from} > ${to}`),
  );
  expect(edges).toEqual(EDGES);
});

test('missed and skipped are made, and never become', () => {
  for (const status of ['missed', 'skipped'] as const satisfies RunStatus[]) {
    expect(RUN_STATUSES.some((other) => mayBecome(other, status) || mayBecome(status, other))).toBe(false);
  }
});

test('only a running row is active', () => {
  const of = automation();
  const covers = { from: MONDAY, to: MONDAY, count: 1 };
  const missed = unrunRow(of, runId(1), { status: 'missed', reason: 'closed' }, covers, MONDAY);
  expect([isActive(activeRun(of, MONDAY)), isActive(missed)]).toEqual([true, false]);
});
