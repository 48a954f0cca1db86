import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import {
  type ClaimRequest,
  type ClaimResult,
  type ClaimState,
  type ClaimTarget,
  decideClaim,
  leasesOf,
  parallelLimit,
  targetKey,
  targetRow,
} from './claim.ts';
import { planDue } from './due.ts';
import { PRESENCE_GAP_MS, type PresenceSpan, absenceAt } from './presence.ts';
import type { AgendaRow } from './occurrence.ts';
import type { OverlapRule } from './rules.ts';
import { type ActiveRun, LEASE_GRACE_MS, type MissedReason, type SkippedReason } from './run.ts';
import {
  MONDAY,
  activeRun,
  agendaRows,
  automation,
  automationAfter,
  automationId,
  claimRequest,
  claimState,
  commandId,
  dueRow,
  host,
  hostId,
  lease,
  manualRow,
  retryRow,
  runId,
  runRows,
  told,
} from './samples.testing.ts';
import { MINUTE_MS, SECOND_MS } from './time.ts';
import type { Decision } from './writes.ts';

/** One minute after the occurrence of MONDAY would be another; most tests look at MONDAY's, a little late. */
const NOW = MONDAY + 5 * SECOND_MS;

interface Case {
  /** The row that the agenda has; `null` for none. Default: MONDAY's scheduled one. */
  readonly row?: AgendaRow | null;
  /** What is asked for. Default: the row. */
  readonly target?: ClaimTarget;
  readonly automation?: Automation | null;
  readonly state?: Partial<ClaimState>;
  readonly request?: Partial<ClaimRequest>;
  readonly now?: number;
}

const byHand: ClaimTarget = { kind: 'manual', automationId: automationId(1), commandId: commandId(1) };

/** What a store does: reads the row that the target names, plans, and asks. */
function claim(one: Case = {}): Decision<ClaimResult> {
  const { row: stored = dueRow(MONDAY), automation: of = automation(), now = NOW } = one;
  const target = one.target ?? { kind: 'row', key: (stored ?? dueRow(MONDAY)).key };
  const row = targetRow(target, stored, now);
  const plan = row === null || of === null ? null : planDue(row, of, now);
  return decideClaim(claimState(row, of, plan, one.state), claimRequest(target, now, one.request));
}

/** As {@link claim}, for what must be claimed. */
function claimed(one: Case = {}): { run: ActiveRun; automation: Automation; writes: string[] } {
  const { result, writes } = claim(one);
  if (result.kind !== 'claimed') throw new Error(`not claimed but ${result.kind}`);
  return { run: result.run, automation: result.automation, writes: told(writes) };
}

const skipping = automation();
const withOverlap = (overlap: OverlapRule, row: Partial<Automation> = {}): Automation =>
  automation({ rules: { overlap } }, row);

describe('an occurrence that is due and free', () => {
  test('becomes a run: its row goes, the next one comes, strictly after now', () => {
    const {
      run,
      automation: stored,
      writes,
    } = claimed({ automation: automation({}, { fence: 6, revision: 4 }) });
    expect(writes).toEqual(['runs +running', 'automations =', 'agenda -@0#1', 'agenda +@1#1 schedule']);
    expect(run).toMatchObject({
      status: 'running',
      active: 1,
      automationId: automationId(1),
      automationName: 'Check the API',
      occurrence: `${automationId(1)}@${MONDAY}`,
      scheduledFor: MONDAY,
      cause: 'schedule',
      attempt: 1,
      claimedAt: NOW,
      startedAt: NOW,
      latenessMs: 5 * SECOND_MS,
      host: host(1),
      fence: 7,
      revision: 4,
      lease: lease(),
    });
    expect(stored).toMatchObject({ fence: 7, lastClaim: { runId: run.id, at: NOW } });
  });

  test('carries the definition as stored at that instant, and a lease deadline of its timeout and a minute', () => {
    const of = automation({ name: 'As stored', rules: { timeoutMs: 90 * SECOND_MS } });
    const { run } = claimed({ automation: of });
    expect(run.definition).toEqual({
      name: 'As stored',
      enabled: true,
      tags: [],
      schedule: of.schedule,
      action: of.action,
      rules: of.rules,
    });
    expect(LEASE_GRACE_MS).toBe(60 * SECOND_MS);
    expect(run.leaseDeadline).toBe(NOW + 150 * SECOND_MS);
  });

  test('is due at its very millisecond, and not one before', () => {
    expect(claim({ now: MONDAY }).result.kind).toBe('claimed');
    expect(claim({ now: MONDAY - 1 })).toEqual({ result: { kind: 'not-due' }, writes: [] });
  });

  test('is not late by less than nothing when the clock went back after it was asked for', () => {
    const row = { ...manualRow(MONDAY + MINUTE_MS), dueAt: MONDAY };
    expect(claimed({ row, now: MONDAY + SECOND_MS }).run.latenessMs).toBe(0);
  });

  test('is late, for a repeat, from when the repeat was due', () => {
    const row = retryRow(MONDAY, MONDAY + 3 * SECOND_MS);
    expect(claimed({ row }).run).toMatchObject({
      cause: 'retry',
      attempt: 2,
      scheduledFor: MONDAY,
      latenessMs: 2_000,
    });
  });

  test('leaves an automation with no next instant without a row', () => {
    const of = automation({ schedule: { kind: 'once', at: MONDAY } });
    expect(claimed({ automation: of }).writes).toEqual(['runs +running', 'automations =', 'agenda -@0#1']);
  });

  test('keeps what a newer build has added to the automation', () => {
    const of = { ...automation(), fromTheFuture: { kept: true } };
    const { writes } = claim({ automation: of });
    expect(automationAfter(writes)).toMatchObject({ fromTheFuture: { kept: true } });
  });
});

describe('what is not there, not due or not allowed', () => {
  test('a row that is gone was taken by someone, and nothing is written', () => {
    expect(claim({ row: null })).toEqual({ result: { kind: 'taken' }, writes: [] });
  });

  test('an occurrence that the ledger has is taken, and its row moves on', () => {
    const { result, writes } = claim({ state: { ledgerHas: true } });
    expect(result).toEqual({ kind: 'taken' });
    expect(told(writes)).toEqual(['agenda -@0#1', 'agenda +@1#1 schedule']);
  });

  test('so is a repeat that the ledger has, and a run by hand', () => {
    for (const row of [retryRow(MONDAY, MONDAY), manualRow(MONDAY)]) {
      const { result, writes } = claim({ row, state: { ledgerHas: true, nextScheduledAt: null } });
      expect(result).toEqual({ kind: 'taken' });
      expect(told(writes)).toHaveLength(1);
    }
  });

  test('an occurrence all of whose due instants have rows is taken, and its row moves on past them', () => {
    const row = dueRow(MONDAY);
    const plan = planDue(row, skipping, NOW, new Set([MONDAY]));
    const target = { kind: 'row', key: row.key } as const;
    const { result, writes } = decideClaim(claimState(row, skipping, plan), claimRequest(target, NOW));
    expect(result).toEqual({ kind: 'taken' });
    expect(told(writes)).toEqual(['agenda -@0#1', 'agenda +@1#1 schedule']);
  });

  test('a row that a paused automation should not have, and that is taken, goes without a next', () => {
    const { result, writes } = claim({
      automation: automation({ enabled: false }),
      state: { ledgerHas: true },
    });
    expect(result).toEqual({ kind: 'taken' });
    expect(told(writes)).toEqual(['agenda -@0#1']);
  });

  test('a row whose automation was removed goes with it', () => {
    const { result, writes } = claim({ automation: null });
    expect(result).toEqual({ kind: 'not-found' });
    expect(told(writes)).toEqual(['agenda -@0#1']);
  });

  test('running by hand what does not exist answers so', () => {
    expect(claim({ target: byHand, row: null, automation: null }).result).toEqual({ kind: 'not-found' });
  });

  test.each([
    ['a scheduled row', dueRow(MONDAY)],
    ['the repeat of a scheduled one', retryRow(MONDAY, MONDAY)],
  ])('%s of a paused automation waits as it is', (_, row) => {
    const of = automation({ enabled: false });
    expect(claim({ row, automation: of })).toEqual({ result: { kind: 'paused' }, writes: [] });
  });

  test.each([
    ['a run by hand', manualRow(MONDAY)],
    [
      'its repeat',
      { ...manualRow(MONDAY), key: manualRow(MONDAY).key.replace(/1$/, '2'), attempt: 2, cause: 'retry' },
    ],
    ['a repeat that a person asks for', { ...retryRow(MONDAY, MONDAY), cause: 'manual' }],
  ] as [string, AgendaRow][])('%s runs although the automation is paused', (_, row) => {
    expect(claim({ row, automation: automation({ enabled: false }) }).result.kind).toBe('claimed');
  });

  test('what the host cannot run now waits: a scheduled row as it is, a run by hand as a row', () => {
    const request = { missing: 'network' } as const;
    expect(claim({ request })).toEqual({ result: { kind: 'waiting', for: 'network' }, writes: [] });
    const { result, writes } = claim({ target: byHand, row: null, request });
    expect(result).toEqual({ kind: 'waiting', for: 'network' });
    expect(told(writes)).toEqual(['agenda +!#1 manual']);
  });

  test('a repeat gives way to the schedule that has come round meanwhile', () => {
    const late = MONDAY + 10 * MINUTE_MS;
    const { result, writes } = claim({
      row: retryRow(MONDAY, MONDAY + SECOND_MS),
      now: late,
      state: { nextScheduledAt: MONDAY + MINUTE_MS },
    });
    expect(result).toEqual({ kind: 'taken' });
    expect(told(writes)).toEqual(['agenda -@0#2']);
  });

  test('a repeat runs beside the schedule where every missed occurrence is wanted', () => {
    const all = automation({ rules: { missed: { kind: 'all' } } });
    const { result } = claim({
      row: retryRow(MONDAY, MONDAY + SECOND_MS),
      automation: all,
      now: MONDAY + 10 * MINUTE_MS,
      state: { nextScheduledAt: MONDAY + MINUTE_MS },
    });
    expect(result.kind).toBe('claimed');
  });

  test('a repeat that is later than the rule allows is dropped: the attempt before it has its row', () => {
    const within = automation({
      schedule: { kind: 'once', at: MONDAY },
      rules: { missed: { kind: 'once', maxAgeMs: MINUTE_MS } },
    });
    const row = retryRow(MONDAY, MONDAY + SECOND_MS);
    expect(claim({ row, automation: within, now: row.dueAt + MINUTE_MS }).result.kind).toBe('claimed');
    const { result, writes } = claim({ row, automation: within, now: row.dueAt + MINUTE_MS + 1 });
    expect(result).toEqual({ kind: 'taken' });
    expect(told(writes)).toEqual(['agenda -@0#2']);
  });
});

describe('the lease', () => {
  test.each([
    ['of an epoch that has passed', automation({}, { epoch: 1 }), lease(0)],
    ['of an epoch to come', automation(), lease(1)],
    ['of a slot, for an automation that runs alone', automation(), lease(0, 0)],
    ['of the whole, for one that runs in parallel', withOverlap({ kind: 'parallel', limit: 2 }), lease(0)],
    ['of a slot past the limit', withOverlap({ kind: 'parallel', limit: 2 }), lease(0, 2)],
  ])('%s is stale: nothing is written', (_, of, held) => {
    expect(claim({ automation: of, request: { lease: held } })).toEqual({
      result: { kind: 'stale-lease' },
      writes: [],
    });
  });

  test('is one of as many slots as may run in parallel, in the automation’s epoch', () => {
    expect(leasesOf(automation({}, { epoch: 3 }))).toEqual([lease(3)]);
    expect(leasesOf(withOverlap({ kind: 'parallel', limit: 3 }, { epoch: 2 }))).toEqual([
      lease(2, 0),
      lease(2, 1),
      lease(2, 2),
    ]);
    expect(parallelLimit({ kind: 'parallel', limit: 3 })).toBe(3);
    expect((['skip', 'queue', 'replace'] as const).map((kind) => parallelLimit({ kind }))).toEqual([1, 1, 1]);
  });

  test('held by someone whose run is not there yet, or just ended, skips nobody', () => {
    expect(claim({ request: { lease: null } })).toEqual({ result: { kind: 'lease-busy' }, writes: [] });
  });

  test('held over the run of a dead host skips nobody', () => {
    const run = activeRun(skipping, MONDAY - MINUTE_MS, { host: host(7) });
    expect(claim({ state: { active: [run] }, request: { lease: null } })).toEqual({
      result: { kind: 'lease-busy' },
      writes: [],
    });
  });

  test('of each slot held by someone, with fewer runs than slots, skips nobody', () => {
    const of = withOverlap({ kind: 'parallel', limit: 2 });
    const run = activeRun(of, MONDAY - MINUTE_MS, { lease: lease(0, 0) });
    expect(claim({ automation: of, state: { active: [run] }, request: { lease: null } })).toEqual({
      result: { kind: 'lease-busy' },
      writes: [],
    });
  });

  test('held for more than a minute without a run gets a new name, for its holder hangs', () => {
    const leaseBusyMs = LEASE_GRACE_MS;
    expect(claim({ request: { lease: null, leaseBusyMs } }).result.kind).toBe('lease-busy');
    const { result, writes } = claim({ request: { lease: null, leaseBusyMs: leaseBusyMs + 1 } });
    expect(result).toEqual({ kind: 'stale-lease' });
    expect(told(writes)).toEqual(['automations =']);
    expect(automationAfter(writes)).toEqual({ ...automation(), epoch: 1 });
  });

  test('held over a run is nobody’s to rename, however long: the run has a deadline of its own', () => {
    for (const by of [2, 7]) {
      const run = activeRun(skipping, MONDAY - MINUTE_MS, { host: host(by) });
      const { result, writes } = claim({
        state: { active: [run] },
        request: { lease: null, leaseBusyMs: Infinity },
      });
      expect(result.kind).toBe(by === 2 ? 'already-active' : 'lease-busy');
      expect(automationAfter(writes)?.epoch ?? 0).toBe(0);
    }
  });

  test('in hand does not let a run start beside one that has another lease, of an old epoch or another rule', () => {
    const of = automation({}, { epoch: 1 });
    for (const other of [lease(0), lease(1, 0)]) {
      const { result } = claim({
        automation: of,
        state: { active: [activeRun(of, MONDAY - MINUTE_MS, { lease: other })] },
        request: { lease: lease(1) },
      });
      expect(result.kind).toBe('already-active');
    }
  });
});

describe('the run of a dead host', () => {
  const dead = activeRun(skipping, MONDAY - MINUTE_MS, { host: host(7) });

  test('that names the lease in hand is ended in the same decision, and the occurrence claimed', () => {
    const { result, writes } = claim({ state: { active: [dead] } });
    expect(result.kind).toBe('claimed');
    expect(runRows(writes).map(({ id, status }) => [id, status])).toEqual([
      [dead.id, 'interrupted'],
      [runId(1), 'running'],
    ]);
    expect(automationAfter(writes)).toMatchObject({ fence: 1, failuresInARow: 1 });
    expect(automationAfter(writes)?.recent.map(({ id }) => id)).toEqual([dead.id]);
  });

  test('is ended whoever is said to be alive: the lease could not be ours otherwise', () => {
    const { result } = claim({ state: { active: [{ ...dead, host: host(2) }] } });
    expect(result.kind).toBe('claimed');
  });

  test('is not repeated when its schedule is due, and is where every missed occurrence is wanted', () => {
    expect(agendaRows(claim({ state: { active: [dead] } }).writes).map(({ cause }) => cause)).toEqual([
      'schedule',
    ]);
    const all = automation({ rules: { missed: { kind: 'all' } } });
    const run = activeRun(all, MONDAY - MINUTE_MS, { host: host(7) });
    const { writes } = claim({ automation: all, state: { active: [run] } });
    expect(agendaRows(writes).map(({ cause, attempt }) => [cause, attempt])).toEqual([
      ['retry', 2],
      ['schedule', 1],
    ]);
  });

  test('takes no room: it is ended before the runs are counted', () => {
    expect(claim({ state: { active: [dead], maxConcurrent: 1 } }).result.kind).toBe('claimed');
  });

  test('is ended also when there is no room for the next', () => {
    const other = activeRun({ ...skipping, id: automationId(2) }, MONDAY, { id: runId(901) });
    const { result, writes } = claim({ state: { active: [dead, other], maxConcurrent: 1 } });
    expect(result).toEqual({ kind: 'at-capacity' });
    expect(told(writes)).toEqual(['runs =interrupted', 'outbox +', 'automations =']);
  });

  test('that names another lease, and is another’s to recover, makes a claim wait and not skip', () => {
    const old = { ...dead, lease: lease(0) };
    const { result, writes } = claim({
      automation: automation({}, { epoch: 1 }),
      state: { active: [old] },
      request: { lease: lease(1) },
    });
    expect([result.kind, writes]).toEqual(['lease-busy', []]);
  });

  test('that names another automation’s lease is left alone', () => {
    const other = activeRun(automation({}, { id: automationId(2) }), MONDAY, { host: host(7) });
    const { writes } = claim({ state: { active: [other] } });
    expect(runRows(writes).map(({ status }) => status)).toEqual(['running']);
  });
});

describe('an active row that cannot be read', () => {
  test('of this automation stops its claims until a person has looked, with the lease or without', () => {
    for (const held of [lease(), null]) {
      expect(
        claim({ state: { unverifiable: { ofThis: 1, ofOthers: 0 } }, request: { lease: held } }),
      ).toEqual({
        result: { kind: 'unverifiable-owner' },
        writes: [],
      });
    }
  });

  test('of another automation takes room like any run', () => {
    const state = { unverifiable: { ofThis: 0, ofOthers: 1 } };
    expect(claim({ state: { ...state, maxConcurrent: 1 } }).result.kind).toBe('at-capacity');
    expect(claim({ state: { ...state, maxConcurrent: 2 } }).result.kind).toBe('claimed');
  });
});

describe('beside an active run', () => {
  const scheduled = dueRow(MONDAY);
  const promised = manualRow(MONDAY);
  const retry = retryRow(MONDAY - MINUTE_MS, MONDAY);
  const fresh = { target: byHand, row: null };

  test.each<[OverlapRule['kind'], string, Partial<Case>, boolean, string[]]>([
    [
      'skip',
      'a scheduled occurrence is skipped with its row',
      { row: scheduled },
      false,
      ['runs +skipped (overlap) x1', 'automations =', 'agenda -@0#1', 'agenda +@1#1 schedule'],
    ],
    ['skip', 'a run by hand is refused', fresh, false, ['agenda -!#1']],
    ['skip', 'a run by hand that was promised waits its turn', { row: promised }, true, []],
    ['skip', 'a repeat waits its turn', { row: retry }, true, []],
    ['queue', 'a scheduled occurrence stays due', { row: scheduled }, true, []],
    ['queue', 'a run by hand becomes a row', fresh, true, ['agenda +!#1 manual']],
    ['queue', 'a run by hand that was promised stays due', { row: promised }, true, []],
    ['queue', 'a repeat stays due', { row: retry }, true, []],
    [
      'replace',
      'a scheduled occurrence asks the run to end, and stays due',
      { row: scheduled },
      true,
      ['runs =running'],
    ],
    [
      'replace',
      'a run by hand does the same, as a row',
      fresh,
      true,
      ['runs =running', 'agenda +!#1 manual'],
    ],
    [
      'replace',
      'a run by hand that was promised does the same',
      { row: promised },
      true,
      ['runs =running', 'agenda +!#1 manual'],
    ],
    ['replace', 'a repeat replaces nothing', { row: retry }, true, []],
  ])('under %s, %s', (kind, _, one, queued, writes) => {
    const of = withOverlap({ kind } as OverlapRule);
    const run = activeRun(of, MONDAY - MINUTE_MS);
    // Without the lease, as when the run's host holds it; and with it, as when the run has that of an old epoch.
    for (const [held, named] of [
      [null, lease()],
      [lease(), lease(9)],
    ] as const) {
      const decision = claim({
        ...one,
        automation: of,
        state: { active: [{ ...run, lease: named }], nextScheduledAt: null },
        request: { lease: held },
      });
      expect(decision.result).toEqual({ kind: 'already-active', runId: run.id, queued });
      expect(told(decision.writes)).toEqual(writes);
    }
  });

  test('replace marks the run for its host, once', () => {
    const of = withOverlap({ kind: 'replace' });
    const run = activeRun(of, MONDAY - MINUTE_MS);
    const first = claim({ automation: of, state: { active: [run] }, request: { lease: null } });
    expect(runRows(first.writes)).toEqual([{ ...run, cancelRequested: { at: NOW, by: 'replaced' } }]);
    const marked = { ...run, cancelRequested: { at: MONDAY, by: 'person' } } as const;
    const again = claim({ automation: of, state: { active: [marked] }, request: { lease: null } });
    expect(again).toEqual({ result: { kind: 'already-active', runId: run.id, queued: true }, writes: [] });
  });

  const three = withOverlap({ kind: 'parallel', limit: 3 });
  const slots = [0, 1, 2].map((slot) =>
    activeRun(three, MONDAY - MINUTE_MS, { id: runId(910 + slot), lease: lease(0, slot) }),
  );

  test('parallel runs as many as its limit, each under a slot of its own', () => {
    const { run } = claimed({
      automation: three,
      state: { active: slots.slice(0, 2) },
      request: { lease: lease(0, 2) },
    });
    expect(run.lease).toBe(lease(0, 2));
  });

  test('parallel skips what comes when every slot runs', () => {
    const { result, writes } = claim({
      automation: three,
      state: { active: slots },
      request: { lease: null },
    });
    expect(result).toEqual({ kind: 'already-active', runId: runId(910), queued: false });
    expect(told(writes)[0]).toBe('runs +skipped (overlap) x1');
  });

  test('a limit that was lowered holds for what comes: runs of old slots count', () => {
    const two = withOverlap({ kind: 'parallel', limit: 2 });
    const { result } = claim({
      automation: two,
      state: { active: slots.slice(1) },
      request: { lease: lease(0, 0) },
    });
    expect(result.kind).toBe('already-active');
  });

  test('runs of other automations are no overlap', () => {
    const other = activeRun(automation({}, { id: automationId(2) }), MONDAY);
    expect(claim({ state: { active: [other] } }).result.kind).toBe('claimed');
  });

  describe('with every missed occurrence wanted', () => {
    const all = automation({ rules: { missed: { kind: 'all' } } });

    test('what was due before the run was claimed waits: catching up skips nothing because of itself', () => {
      const run = activeRun(all, MONDAY - 5 * MINUTE_MS, { claimedAt: NOW - SECOND_MS });
      const { result, writes } = claim({
        automation: all,
        state: { active: [run] },
        request: { lease: null },
      });
      expect(result).toEqual({ kind: 'already-active', runId: run.id, queued: true });
      expect(writes).toEqual([]);
    });

    test('nor does it replace what it has just begun', () => {
      const of = automation({ rules: { missed: { kind: 'all' }, overlap: { kind: 'replace' } } });
      const run = activeRun(of, MONDAY - 5 * MINUTE_MS, { claimedAt: NOW - SECOND_MS });
      expect(claim({ automation: of, state: { active: [run] }, request: { lease: null } }).writes).toEqual(
        [],
      );
    });

    test('what falls due while it runs is skipped by the overlap rule', () => {
      const run = activeRun(all, MONDAY - MINUTE_MS);
      const { result } = claim({ automation: all, state: { active: [run] }, request: { lease: null } });
      expect(result).toEqual({ kind: 'already-active', runId: run.id, queued: false });
    });
  });
});

describe('the global limit', () => {
  const others = (count: number): ActiveRun[] =>
    Array.from({ length: count }, (_, n) =>
      activeRun(automation({}, { id: automationId(n + 2) }), MONDAY, { id: runId(920 + n) }),
    );

  test('is counted over all automations, and lets the last one in', () => {
    expect(claim({ state: { active: others(2), maxConcurrent: 3 } }).result.kind).toBe('claimed');
    expect(claim({ state: { active: others(3), maxConcurrent: 3 } })).toEqual({
      result: { kind: 'at-capacity' },
      writes: [],
    });
  });

  test('queues a run by hand as a row', () => {
    const { result, writes } = claim({
      target: byHand,
      row: null,
      state: { active: others(3), maxConcurrent: 3 },
    });
    expect(result).toEqual({ kind: 'at-capacity' });
    expect(told(writes)).toEqual(['agenda +!#1 manual']);
  });

  test('leaves what is too late for a run to its missed row: that needs no room', () => {
    const of = automation({ rules: { missed: { kind: 'skip' } } });
    const now = MONDAY + 30 * SECOND_MS + 10 * MINUTE_MS;
    const daily = { ...of, schedule: { kind: 'once', at: MONDAY } } as Automation;
    const { result } = claim({ automation: daily, now, state: { active: others(3), maxConcurrent: 3 } });
    expect(result).toEqual({ kind: 'missed' });
  });
});

describe('what is late', () => {
  const now = MONDAY + 10 * MINUTE_MS + SECOND_MS;

  test('runs once, the latest, and the others share one missed row', () => {
    const { result, writes } = claim({ now });
    expect(result).toMatchObject({ kind: 'claimed', run: { scheduledFor: MONDAY + 10 * MINUTE_MS } });
    expect(told(writes)).toEqual([
      'runs +missed (closed) x10',
      'runs +running',
      'automations =',
      'agenda -@0#1',
      'agenda +@11#1 schedule',
    ]);
    expect(runRows(writes)[0]).toMatchObject({
      covers: { from: MONDAY, to: MONDAY + 9 * MINUTE_MS, count: 10 },
      occurrence: `${automationId(1)}@${MONDAY + 9 * MINUTE_MS}`,
      scheduledFor: MONDAY + 9 * MINUTE_MS,
      claimedAt: now,
      settledAt: now,
      cause: 'schedule',
      attempt: 1,
    });
    expect(automationAfter(writes)?.recent).toMatchObject([
      { status: 'missed', reason: 'closed', count: 10 },
    ]);
  });

  test.each<[MissedReason | SkippedReason, string]>([
    ['closed', 'missed (closed)'],
    ['asleep', 'missed (asleep)'],
    ['offline', 'missed (offline)'],
    ['waiting', 'missed (waiting)'],
    ['overlap', 'skipped (overlap)'],
    ['limit', 'skipped (limit)'],
  ])('says why, as the host knows it: %s', (absence, said) => {
    expect(told(claim({ now, request: { absence } }).writes)[0]).toBe(`runs +${said} x10`);
  });

  describe('where the trace of hosts knows why', () => {
    /** Hosts are there in minutes 0 to 2 and 6 to 7, and from minute 10 on: the machine sleeps, then the browser is closed. */
    const span = (from: number, until: number, before: PresenceSpan['before']): PresenceSpan => ({
      from: MONDAY + from * MINUTE_MS,
      until: MONDAY + until * MINUTE_MS,
      before,
      hosts: [hostId(1)],
    });
    const presence = [span(0, 2, 'unknown'), span(6, 7.8, 'asleep'), span(10, 10, 'closed')];
    const missed = (request: Partial<ClaimRequest>, of = automation(), at = now): (string | number)[][] =>
      runRows(claim({ automation: of, now: at, state: { presence }, request }).writes)
        .filter((row) => 'covers' in row)
        .map(({ reason, covers: { from, to, count } }) => [
          reason,
          ...[from, to].map((one) => (one - MONDAY) / MINUTE_MS),
          count,
        ]);

    test('a missed row ends where the reason changes', () => {
      expect(missed({ absence: 'offline' })).toEqual([
        ['offline', 0, 1, 2],
        ['asleep', 2, 5, 4],
        ['offline', 6, 7, 2],
        ['closed', 8, 9, 2],
      ]);
    });

    test('what was late while a host was there, and nobody knows why, has waited', () => {
      expect(missed({ absence: 'closed' }).map(([reason]) => reason)).toEqual([
        'waiting',
        'asleep',
        'waiting',
        'closed',
      ]);
    });

    test('what another run was in the way of is skipped, and the rest is not', () => {
      const { writes } = claim({ now, state: { presence }, request: { absence: 'overlap' } });
      expect(told(writes).slice(0, 4)).toEqual([
        'runs +skipped (overlap) x2',
        'runs +missed (asleep) x4',
        'runs +skipped (overlap) x2',
        'runs +missed (closed) x2',
      ]);
      expect(automationAfter(writes)?.recent).toHaveLength(4);
    });

    test('its own rule still has the first word', () => {
      const of = automation({ rules: { missed: { kind: 'once', maxAgeMs: 5.5 * MINUTE_MS } } });
      expect(missed({}, of).map(([reason, from]) => [reason, from])).toEqual([
        ['too-old', 0],
        ['asleep', 5],
        ['waiting', 6],
        ['closed', 8],
      ]);
    });

    test('a host that is there now and has left no trace yet is reckoned with', () => {
      const late = MONDAY + 60 * MINUTE_MS + SECOND_MS;
      const live = (n: number): Partial<ClaimRequest> => ({
        absence: 'offline',
        liveHosts: new Set([hostId(n)]),
      });
      expect(missed(live(1), automation(), late).at(-1)).toEqual(['asleep', 10, 59, 50]);
      expect(missed(live(2), automation(), late).at(-1)).toEqual(['closed', 8, 59, 52]);
    });

    test('each instant is in one row, of one reason, and no two neighbours have the same', () => {
      const gaps = fc.array(
        fc.record({
          awake: fc.integer({ min: 0, max: 20 * MINUTE_MS }),
          gone: fc.integer({ min: PRESENCE_GAP_MS + 1, max: 30 * MINUTE_MS }),
          why: fc.constantFrom('closed' as const, 'asleep' as const),
        }),
        { maxLength: 8 },
      );
      fc.assert(
        fc.property(gaps, fc.constantFrom('offline' as const, 'closed' as const), (stretches, absence) => {
          let at = MONDAY - MINUTE_MS;
          const trace: PresenceSpan[] = [{ from: at, until: at, before: 'unknown', hosts: [] }];
          for (const { awake, gone, why } of stretches) {
            const last = trace.pop();
            if (last !== undefined) trace.push({ ...last, until: at + awake });
            at += awake + gone;
            trace.push({ from: at, until: at, before: why, hosts: [hostId(1)] });
          }
          const end = Math.max(at, MONDAY) + SECOND_MS;
          const { result, writes } = claim({
            now: end,
            state: { presence: trace },
            request: { absence, liveHosts: new Set([hostId(1)]) },
          });
          let due = MONDAY;
          let before: unknown = null;
          for (const row of runRows(writes)) {
            if (!('covers' in row)) continue;
            expect([row.covers.from, row.covers.to]).toEqual([due, due + (row.covers.count - 1) * MINUTE_MS]);
            expect(row.reason).not.toBe(before);
            for (let one = row.covers.from; one <= row.covers.to; one += MINUTE_MS) {
              const gap = absenceAt(trace, one);
              if (gap === 'closed' || gap === 'asleep') expect(row.reason).toBe(gap);
            }
            before = row.reason;
            due = row.covers.to + MINUTE_MS;
          }
          expect(result).toMatchObject({ kind: 'claimed', run: { scheduledFor: due } });
          expect(end - due).toBeLessThan(MINUTE_MS);
        }),
      );
    });
  });

  test('is too old past the maximum age, and says so whatever the host knows', () => {
    const of = automation({ rules: { missed: { kind: 'once', maxAgeMs: 3 * MINUTE_MS } } });
    const { result, writes } = claim({ automation: of, now, request: { absence: 'offline' } });
    expect(result.kind).toBe('claimed');
    expect(told(writes).slice(0, 2)).toEqual(['runs +missed (too-old) x8', 'runs +missed (offline) x2']);
  });

  test('gets its missed rows without a lease, and beside an active run, which it does not replace', () => {
    const of = automation({
      schedule: { kind: 'once', at: MONDAY },
      rules: { missed: { kind: 'skip' }, overlap: { kind: 'replace' } },
    });
    const { result, writes } = claim({
      automation: of,
      now,
      state: { active: [activeRun(of, MONDAY)] },
      request: { lease: null },
    });
    expect(result).toEqual({ kind: 'missed' });
    expect(told(writes)).toEqual(['runs +missed (closed) x1', 'automations =', 'agenda -@0#1']);
  });

  test('and skipped for an active run has one row for what was missed before and one for what was skipped', () => {
    const { result, writes } = claim({
      now,
      state: { active: [activeRun(skipping, MONDAY)] },
      request: { lease: null, absence: 'asleep' },
    });
    expect(result.kind).toBe('already-active');
    expect(told(writes)).toEqual([
      'runs +missed (asleep) x10',
      'runs +skipped (overlap) x1',
      'automations =',
      'agenda -@0#1',
      'agenda +@11#1 schedule',
    ]);
  });
});

describe('a run asked for by hand', () => {
  test('needs no row beforehand, leaves the schedule alone, and is of its command', () => {
    const { run, writes } = claimed({ target: byHand, row: null, state: { nextScheduledAt: MONDAY } });
    expect(writes).toEqual(['runs +running', 'automations =', 'agenda -!#1']);
    expect(run).toMatchObject({
      cause: 'manual',
      occurrence: `${automationId(1)}!${commandId(1)}`,
      scheduledFor: NOW,
      latenessMs: 0,
    });
  });

  test('is the row that it became when it had to wait', () => {
    const stored = manualRow(MONDAY - MINUTE_MS);
    expect(targetKey(byHand)).toBe(stored.key);
    expect(targetRow(byHand, stored, NOW)).toBe(stored);
    expect(claimed({ target: byHand, row: stored }).run.scheduledFor).toBe(MONDAY - MINUTE_MS);
  });

  test('runs however late it is', () => {
    const of = automation({ rules: { missed: { kind: 'skip', maxAgeMs: MINUTE_MS } } });
    expect(
      claim({ row: manualRow(MONDAY), automation: of, now: MONDAY + 1_000 * MINUTE_MS }).result.kind,
    ).toBe('claimed');
  });
});

/** Freezes all of `value`, so that whoever changes it throws. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !(value instanceof Set)) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}

test('a decision changes nothing that it was given, is the same each time, and claims only with a lease in hand', () => {
  const overlaps: OverlapRule[] = [
    { kind: 'skip' },
    { kind: 'queue' },
    { kind: 'replace' },
    { kind: 'parallel', limit: 2 },
  ];
  const cases = fc.record({
    overlap: fc.constantFrom(...overlaps),
    missed: fc.constantFrom('once' as const, 'skip' as const, 'all' as const),
    enabled: fc.boolean(),
    epoch: fc.nat(1),
    row: fc.constantFrom<(AgendaRow | null)[]>(
      dueRow(MONDAY),
      retryRow(MONDAY, MONDAY),
      manualRow(MONDAY),
      null,
    ),
    active: fc.array(
      fc.record({
        automation: fc.constantFrom(1, 2),
        lease: fc.constantFrom(lease(), lease(1), lease(0, 0), lease(0, 1)),
        host: fc.constantFrom(1, 2, 7),
      }),
      { maxLength: 3 },
    ),
    lease: fc.constantFrom(lease(), lease(1), lease(0, 0), lease(0, 1), null),
    maxConcurrent: fc.integer({ min: 1, max: 3 }),
    late: fc.nat(5 * MINUTE_MS),
    ledgerHas: fc.boolean(),
    missing: fc.constantFrom(null, 'network' as const),
    unverifiable: fc.nat(1),
  });
  fc.assert(
    fc.property(cases, (one) => {
      const of = automation(
        { enabled: one.enabled, rules: { overlap: one.overlap, missed: { kind: one.missed } } },
        { epoch: one.epoch },
      );
      const active = one.active.map((run, n) =>
        activeRun(automation({}, { id: automationId(run.automation) }), MONDAY - n, {
          id: runId(930 + n),
          lease: run.lease,
          host: host(run.host),
        }),
      );
      const now = MONDAY + one.late;
      const target: ClaimTarget = one.row === null ? byHand : { kind: 'row', key: one.row.key };
      const row = targetRow(target, one.row, now);
      const plan = row === null ? null : planDue(row, of, now);
      const state = deepFreeze(
        claimState(row, of, plan, {
          active,
          ledgerHas: one.ledgerHas,
          maxConcurrent: one.maxConcurrent,
          unverifiable: { ofThis: 0, ofOthers: one.unverifiable },
        }),
      );
      const request = { lease: one.lease, missing: one.missing, liveHosts: new Set([hostId(1), hostId(2)]) };
      const decide = (): Decision<ClaimResult> =>
        decideClaim(state, deepFreeze(claimRequest(target, now, request)));
      const { result, writes } = decide();
      expect(decide()).toEqual({ result, writes });

      const running = runRows(writes).filter(
        (run) => run.status === 'running' && !active.some(({ id }) => id === run.id),
      );
      expect(running).toHaveLength(result.kind === 'claimed' ? 1 : 0);
      if (result.kind === 'claimed') {
        expect(one.lease).not.toBeNull();
        expect(result.run.lease).toBe(one.lease);
        expect(leasesOf(of)).toContain(one.lease);
      }
      // The next scheduled row is strictly later than now, unless what was missed is still to be run.
      for (const { cause, dueAt } of agendaRows(writes)) {
        if (cause === 'schedule' && one.missed !== 'all') expect(dueAt).toBeGreaterThan(now);
      }
    }),
    { numRuns: 3_000 },
  );
});
