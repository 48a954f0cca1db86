import { describe, expect, test } from 'vitest';
import { type Answer, decideAnswer, isOpen } from './answer.ts';
import { unrunRow } from './due.ts';
import { endRun } from './ending.ts';
import { decideRecovery, type RecoverRequest } from './recover.ts';
import type { ActiveRun, RunRow } from './run.ts';
import {
  MONDAY,
  activeRun,
  agendaRows,
  automation,
  automationAfter,
  hostId,
  runId,
  runRows,
  told,
} from './samples.testing.ts';
import { type SettleRequest, decideCancel, decideMark, decideSettle, holds } from './settle.ts';
import { SECOND_MS } from './time.ts';

const NOW = MONDAY + SECOND_MS;
const of = automation({}, { fence: 5 });
const run = activeRun(of, MONDAY);
const state = { run, automation: of, nextScheduledAt: null, agenda: [] };

const POST = { kind: 'http', method: 'POST', url: 'https://example.test/' } as const;

const ended = (by: Partial<ActiveRun> = {}): RunRow =>
  endRun(
    { ...run, ...by },
    { kind: 'interrupted' },
    { automation: null, nextScheduledAt: null, agenda: [] },
    NOW,
    0,
  ).run;
const missed = unrunRow(
  of,
  runId(1),
  { status: 'missed', reason: 'closed' },
  { from: MONDAY, to: MONDAY, count: 1 },
  NOW,
);

/** What is no longer, or never was, this host's to write. */
const LOST: readonly [string, RunRow | null, Partial<SettleRequest>][] = [
  ['a run that is gone', null, {}],
  ['a run that someone ended', ended(), {}],
  ['a missed row', missed, {}],
  ['another fence', run, { fence: 4 }],
  ['another host', run, { hostId: hostId(3) }],
];

describe('a settlement', () => {
  const request: SettleRequest = {
    runId: run.id,
    hostId: run.host.id,
    fence: 5,
    ending: { kind: 'succeeded', summary: '200 OK' },
    now: NOW,
    chance: 0,
  };

  test('by the host and fence of the claim ends the run', () => {
    const { result, writes } = decideSettle(state, request);
    expect(result).toMatchObject({ kind: 'settled', run: { status: 'succeeded', summary: '200 OK' } });
    expect(told(writes)).toEqual(['runs =succeeded', 'automations =']);
  });

  test.each(LOST)('of %s is lease-lost and writes nothing', (_, row, by) => {
    expect(decideSettle({ ...state, run: row }, { ...request, ...by })).toEqual({
      result: { kind: 'lease-lost' },
      writes: [],
    });
    expect(holds(row, { hostId: run.host.id, fence: 5, ...by })).toBe(false);
  });

  test('of a run whose automation was removed is recorded', () => {
    const { result, writes } = decideSettle({ ...state, automation: null }, request);
    expect([result.kind, told(writes)]).toEqual(['settled', ['runs =succeeded']]);
  });
});

describe('the mark of an effect', () => {
  const by = { hostId: run.host.id, fence: 5 };

  test('is in the row before the effect leaves, and changes nothing else', () => {
    const { result, writes } = decideMark(run, by, 'sending');
    expect(result).toEqual({ kind: 'marked' });
    expect(runRows(writes)).toEqual([{ ...run, effect: 'sending' }]);
  });

  test('may say what a prompt may use, and leaves what was marked before as it is', () => {
    const mayUse = { until: 9, tokens: 50, cost: 0.5 };
    const marked = { ...run, effect: 'sent' as const };
    const { writes } = decideMark(marked, by, undefined, undefined, mayUse);
    expect(runRows(writes)).toEqual([{ ...marked, mayUse }]);
  });

  test.each(LOST)('in %s is lease-lost: the effect must not leave', (_, row, other) => {
    expect(decideMark(row, { ...by, ...other }, 'sending')).toEqual({
      result: { kind: 'lease-lost' },
      writes: [],
    });
  });
});

describe('a cancel', () => {
  test('marks the run for its host, and does not end it', () => {
    const { result, writes } = decideCancel(run, 'person', NOW);
    expect(result).toEqual({ kind: 'cancelling' });
    expect(runRows(writes)).toEqual([{ ...run, cancelRequested: { at: NOW, by: 'person' } }]);
  });

  test('asked for twice keeps who asked first', () => {
    const asked = { ...run, cancelRequested: { at: MONDAY, by: 'replaced' } } as const;
    expect(decideCancel(asked, 'person', NOW)).toEqual({ result: { kind: 'cancelling' }, writes: [] });
  });

  test('of what has ended comes too late, and says how it ended', () => {
    for (const row of [ended(), missed]) {
      expect(decideCancel(row, 'person', NOW)).toEqual({
        result: { kind: 'too-late', run: row },
        writes: [],
      });
    }
    expect(decideCancel(null, 'person', NOW).result).toEqual({ kind: 'not-found' });
  });
});

describe('a recovery', () => {
  const request: RecoverRequest = { runId: run.id, fence: 5, proof: 'lease-granted', now: NOW, chance: 0 };
  const past = { ...request, proof: 'past-deadline' } as const;

  test('by a granted lease interrupts the run, at any age, and gives it its next attempt', () => {
    const { result, writes } = decideRecovery(state, request);
    expect(result).toMatchObject({ kind: 'recovered', run: { status: 'interrupted', settledAt: NOW } });
    expect(told(writes)).toEqual(['runs =interrupted', 'agenda +@0#2 retry', 'automations =']);
    expect(automationAfter(writes)?.epoch).toBe(0);
  });

  test('past the lease deadline ends a hung host’s run as timed out and raises the epoch, so that its lease is nobody’s', () => {
    const { result, writes } = decideRecovery(state, { ...past, now: run.leaseDeadline + 1 });
    expect(result).toMatchObject({ kind: 'recovered', run: { status: 'timed-out' } });
    expect(automationAfter(writes)).toMatchObject({ epoch: 1, fence: 5 });
    expect(result.kind === 'recovered' && result.run.summary).toMatch(/may still happen/);
  });

  test('by age alone proves nothing: up to the deadline, that included, the run is left', () => {
    for (const now of [MONDAY, run.leaseDeadline]) {
      expect(decideRecovery(state, { ...past, now })).toEqual({ result: { kind: 'not-active' }, writes: [] });
    }
  });

  test.each([
    ['is gone', null, 5],
    ['was settled first', ended(), 5],
    ['is a later claim’s', { ...run, fence: 6 }, 5],
    ['is a missed row', missed, 5],
  ] as [string, RunRow | null, number][])('of a run that %s writes nothing', (_, row, fence) => {
    for (const proof of ['lease-granted', 'past-deadline'] as const) {
      expect(
        decideRecovery({ ...state, run: row }, { ...request, proof, fence, now: run.leaseDeadline + 1 }),
      ).toEqual({
        result: { kind: 'not-active' },
        writes: [],
      });
    }
  });

  test('of a run whose automation was removed ends it, by either proof', () => {
    for (const proof of ['lease-granted', 'past-deadline'] as const) {
      const { result, writes } = decideRecovery(
        { ...state, automation: null },
        { ...request, proof, now: run.leaseDeadline + 1 },
      );
      expect([result.kind, told(writes).length]).toEqual(['recovered', 1]);
    }
  });

  test('of an effect that had begun says that it may have happened, and repeats nothing', () => {
    const posting = automation({ action: POST }, { fence: 5 });
    const { result, writes } = decideRecovery(
      {
        run: activeRun(posting, MONDAY, { effect: 'sending' }),
        automation: posting,
        nextScheduledAt: null,
        agenda: [],
      },
      request,
    );
    expect(result).toMatchObject({
      kind: 'recovered',
      run: { status: 'interrupted', mayHaveHappened: true },
    });
    expect(agendaRows(writes)).toEqual([]);
  });
});

describe('a person’s answer for a run that may have happened', () => {
  const posting = automation({ action: POST, enabled: false }, { failuresInARow: 3 });
  const { run: open, automation: after } = endRun(
    activeRun(posting, MONDAY, { effect: 'sending' }),
    { kind: 'interrupted' },
    { automation: posting, nextScheduledAt: null, agenda: [] },
    NOW,
    0,
  );
  const answer = (said: Answer, row: RunRow | null = open): ReturnType<typeof decideAnswer> =>
    decideAnswer(row, after, said, NOW);

  test('is asked for, once', () => {
    expect(isOpen(open)).toBe(true);
    const { result } = answer('happened');
    expect(result).toEqual({ kind: 'answered', run: { ...open, answer: { said: 'happened', at: NOW } } });
    const answered = result.kind === 'answered' ? result.run : open;
    expect(answer('run-again', answered)).toEqual({
      result: { kind: 'not-open', run: answered },
      writes: [],
    });
    expect(answer('happened', null)).toEqual({ result: { kind: 'not-found' }, writes: [] });
    for (const row of [run, missed, ended()]) expect(answer('happened', row).result.kind).toBe('not-open');
  });

  test('is the last that is asked of the person, and no failure', () => {
    const { writes } = answer('happened');
    expect(agendaRows(writes)).toEqual([]);
    expect(automationAfter(writes)).toMatchObject({ failuresInARow: 3 });
    expect(automationAfter(writes)?.recent.at(-1)).not.toHaveProperty('mayHaveHappened');
  });

  test('to run again makes the next attempt due at once, as a thing that a person asked for', () => {
    expect(agendaRows(answer('run-again').writes)).toMatchObject([
      { occurrence: open.occurrence, attempt: 2, dueAt: NOW, cause: 'manual', scheduledFor: MONDAY },
    ]);
  });
});
