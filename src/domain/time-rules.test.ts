/** Jitter, runs at most and a day, pauses, what runs after another, and automations that pause themselves. */
import { beforeAll, describe, expect, test } from 'vitest';
import { decideAnswer, isOpen } from './answer.ts';
import type { Automation } from './automation.ts';
import { type ClaimResult, decideClaim } from './claim.ts';
import type { DefinitionInput } from './definition.ts';
import { nextRow, planDue } from './due.ts';
import { type SaveDecision, decideRepair, decideSave, decideSetEnabled } from './edit.ts';
import { type Ending, endRun } from './ending.ts';
import { followUps, outcomeOf } from './follow.ts';
import { dueAtOf } from './jitter.ts';
import { type AgendaRow, followUpOccurrence, instantOf, resumeRow } from './occurrence.ts';
import { type Pause, pausedUntil, withPause } from './pause.ts';
import type { FailureClass } from './run.ts';
import {
  MONDAY,
  activeRun,
  agendaRows,
  automation,
  automationAfter,
  automationId,
  claimRequest,
  claimState,
  definition,
  dueRow,
  lease,
  manualRow,
  runId,
  runIds,
  runRows,
  told,
} from './samples.testing.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts';
import type { Decision } from './writes.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const minute = (n: number): number => MONDAY + n * MINUTE_MS;
const minutely = { kind: 'every', everyMs: MINUTE_MS, anchor: MONDAY } as const;

/** What a store does with a row: plans, and asks. */
function claim(
  row: AgendaRow,
  of: Automation,
  now: number,
  { pauses = [], agenda = [row] }: { pauses?: readonly Pause[]; agenda?: readonly AgendaRow[] } = {},
): Decision<ClaimResult> {
  const plan = planDue(row, of, now, undefined, undefined, pauses);
  return decideClaim(
    claimState(row, of, plan, { pauses, agenda }),
    claimRequest({ kind: 'row', key: row.key }, now),
  );
}

describe('jitter', () => {
  const of = automation({ schedule: { ...minutely, jitterMs: 30_000 } });

  test('puts each occurrence off by its own share, the same for every host, and never out of its bounds', () => {
    const offs = Array.from({ length: 500 }, (_, n) => dueAtOf(of, minute(n)) - minute(n));
    expect(offs).toEqual(Array.from({ length: 500 }, (_, n) => dueAtOf(of, minute(n)) - minute(n)));
    expect(Math.min(...offs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...offs)).toBeLessThanOrEqual(30_000);
    // Spread evenly: each tenth of the bounds has some of five hundred.
    expect(new Set(offs.map((off) => Math.floor(off / 3_001))).size).toBe(10);
  });

  test('moves when an occurrence is due, and neither its name nor what follows it', () => {
    const row = nextRow(of, minute(1), MONDAY);
    expect(row).toEqual({ ...dueRow(minute(1)), dueAt: dueAtOf(of, minute(1)) });
    expect(claim(row, of, row.dueAt - 1).result.kind).toBe('not-due');
    const { result, writes } = claim(row, of, row.dueAt);
    expect(result).toMatchObject({ run: { scheduledFor: minute(1), latenessMs: 0 } });
    expect(agendaRows(writes)).toEqual([nextRow(of, minute(2), minute(1))]);
  });

  test('does not make an occurrence late, also where a minute late is too late', () => {
    const skipping = automation({
      schedule: { ...minutely, everyMs: HOUR_MS, jitterMs: 50 * MINUTE_MS },
      rules: { missed: { kind: 'skip' } },
    });
    const row = nextRow(skipping, MONDAY, MONDAY - 1);
    expect(row.dueAt - MONDAY).toBeGreaterThan(MINUTE_MS);
    expect(claim(row, skipping, row.dueAt).result.kind).toBe('claimed');
  });

  test('keeps what its jitter still puts off out of what is due', () => {
    const row = nextRow(of, MONDAY, MONDAY - 1);
    const now = minute(3) + (dueAtOf(of, minute(3)) - minute(3)) - 1;
    const plan = planDue(row, of, now);
    expect(plan.run?.scheduledFor).toBe(minute(2));
    expect(plan.next).toBe(minute(3));
  });
});

describe('a number of runs', () => {
  const of = (dispatched: number, kind: 'once' | 'all' = 'once'): Automation =>
    automation({ schedule: { ...minutely, maxRuns: 3 }, rules: { missed: { kind } } }, { dispatched });

  test('counts the runs of the schedule, and after the last there is no next', () => {
    const second = claim(dueRow(MONDAY), of(1), MONDAY);
    expect(automationAfter(second.writes)?.dispatched).toBe(2);
    expect(agendaRows(second.writes)).toHaveLength(1);
    const third = claim(dueRow(MONDAY), of(2), MONDAY);
    expect(automationAfter(third.writes)?.dispatched).toBe(3);
    expect(agendaRows(third.writes)).toEqual([]);
  });

  test('does not count what is missed, skipped or run by hand', () => {
    expect(automationAfter(claim(dueRow(MONDAY), of(1), minute(9)).writes)?.dispatched).toBe(2);
    expect(automationAfter(claim(manualRow(MONDAY), of(1), MONDAY).writes)?.dispatched).toBe(1);
  });

  test('catches up no more than are left, the newest', () => {
    const plan = planDue(dueRow(MONDAY), of(1, 'all'), minute(9));
    expect(plan).toMatchObject({ run: { scheduledFor: minute(8) }, next: minute(9) });
    expect(plan.missed).toEqual([{ why: 'late', covers: { from: MONDAY, to: minute(7), count: 8 } }]);
  });

  test('that is used up is refused when it is saved again, and says how to go on', () => {
    const stored = of(3);
    const save = (maxRuns: number): SaveDecision =>
      decideSave(
        { stored, agenda: [], decided: new Set() },
        {
          id: stored.id,
          definition: definition({ schedule: { ...minutely, anchor: MONDAY + 1, maxRuns } }),
          now: MONDAY,
          newId: runIds(),
        },
      ).result;
    expect(save(3)).toMatchObject({
      problems: [
        {
          path: 'schedule.maxRuns',
          message: 'It has had 3 runs already. Use more than 3, or leave the number out.',
        },
      ],
    });
    expect(save(4).kind).toBe('saved');
  });
});

describe('runs a day', () => {
  const limited = (row: Partial<Automation> = {}): Automation =>
    automation({ schedule: minutely, rules: { runsPerDay: 2 } }, row);
  const midnight = MONDAY + DAY_MS;

  test('are counted on the day of the zone, and the count begins anew with the next', () => {
    const first = automationAfter(claim(dueRow(MONDAY), limited(), MONDAY).writes);
    expect(first?.today).toEqual({ until: midnight, count: 1 });
    const next = limited({ today: { until: midnight, count: 2 } });
    expect(automationAfter(claim(dueRow(midnight), next, midnight).writes)?.today).toEqual({
      until: midnight + DAY_MS,
      count: 1,
    });
  });

  test('put the next occurrence off until the day is over, and then skip in one row what was left of it', () => {
    const full = limited({ today: { until: midnight, count: 2 } });
    const { result, writes } = claim(dueRow(minute(2)), full, minute(2));
    expect(result.kind).toBe('day-full');
    const [row] = agendaRows(writes);
    expect(row).toEqual({ ...dueRow(minute(2)), dueAt: midnight });
    expect(writes).toHaveLength(1);

    const later = claim(row ?? dueRow(0), full, midnight + 1);
    expect(later.result).toMatchObject({ kind: 'claimed', run: { scheduledFor: midnight } });
    expect(runRows(later.writes)[0]).toMatchObject({
      status: 'skipped',
      reason: 'limit',
      covers: { from: minute(2), to: midnight - MINUTE_MS, count: 1_438 },
    });
  });

  test('stop nobody who runs it by hand', () => {
    const full = limited({ today: { until: midnight, count: 2 } });
    const { result, writes } = claim(manualRow(minute(2)), full, minute(2));
    expect(result.kind).toBe('claimed');
    expect(automationAfter(writes)?.today?.count).toBe(2);
  });
});

describe('a pause of everything', () => {
  const pauses: readonly Pause[] = [{ from: minute(2), until: minute(5) }];

  test('lets nothing run by itself, writes nothing, and stops nobody who runs something by hand', () => {
    expect(claim(dueRow(minute(2)), automation(), minute(3), { pauses })).toEqual({
      result: { kind: 'paused' },
      writes: [],
    });
    expect(claim(manualRow(minute(3)), automation(), minute(3), { pauses }).result.kind).toBe('claimed');
  });

  test('is not caught up: one missed row says so, beside what was missed for other reasons', () => {
    const of = automation({ rules: { missed: { kind: 'all' } } });
    const { result, writes } = claim(dueRow(minute(2)), of, minute(6), { pauses });
    expect(result).toMatchObject({ run: { scheduledFor: minute(5) } });
    expect(runRows(writes)[0]).toMatchObject({
      reason: 'paused',
      covers: { from: minute(2), to: minute(4), count: 3 },
    });
    const plan = planDue(dueRow(MONDAY), automation(), minute(6), undefined, undefined, pauses);
    expect(plan.missed).toEqual([
      { why: 'late', covers: { from: MONDAY, to: minute(1), count: 2 } },
      { why: 'paused', covers: { from: minute(2), to: minute(4), count: 3 } },
      { why: 'late', covers: { from: minute(5), to: minute(5), count: 1 } },
    ]);
  });

  test('that lies among occurrences which are all wanted is accounted for once, with the one after it', () => {
    const of = automation({ rules: { missed: { kind: 'all' } } });
    const between: readonly Pause[] = [{ from: minute(1) + 1, until: minute(3) }];
    const plan = (from: number) =>
      planDue(dueRow(minute(from)), of, minute(4), undefined, undefined, between);
    expect(plan(0)).toMatchObject({ run: { scheduledFor: MONDAY }, missed: [], next: minute(1) });
    expect(plan(1)).toMatchObject({
      run: { scheduledFor: minute(1) },
      missed: [{ why: 'paused', covers: { from: minute(2), to: minute(2), count: 1 } }],
      next: minute(3),
    });
  });

  test('can be made longer and shorter, and the last ones are remembered', () => {
    expect(pausedUntil(pauses, minute(2))).toBe(minute(5));
    expect(pausedUntil(pauses, minute(5))).toBeNull();
    expect(withPause(pauses, minute(9), minute(3))).toEqual([{ from: minute(2), until: minute(9) }]);
    expect(withPause(pauses, null, minute(3))).toEqual([{ from: minute(2), until: minute(3) }]);
    expect(withPause(pauses, null, minute(2))).toEqual([]);
    expect(withPause(pauses, minute(9), minute(7))).toEqual([
      ...pauses,
      { from: minute(7), until: minute(9) },
    ]);
    let many: readonly Pause[] = [];
    for (let n = 0; n < 60; n += 2) many = withPause(many, minute(n + 1), minute(n));
    expect(many).toHaveLength(20);
    expect(many.at(-1)?.from).toBe(minute(58));
  });
});

describe('a pause of one automation that ends by itself', () => {
  const context = { newId: runIds(), until: minute(10) };
  const pause = (stored: Automation, agenda: readonly AgendaRow[]) =>
    decideSetEnabled({ stored, agenda, decided: new Set() }, false, { ...context, now: minute(2) });

  test('is in the agenda, and ends in one step with one missed row and the next occurrence', () => {
    const paused = pause(automation(), [dueRow(minute(3))]);
    const stored = automationAfter(paused.writes) ?? automation();
    expect(stored).toMatchObject({ enabled: false, pausedUntil: minute(10), pausedFrom: minute(3) });
    expect(agendaRows(paused.writes)).toEqual([resumeRow(stored.id, minute(10))]);

    const [row = dueRow(0)] = agendaRows(paused.writes);
    const { result, writes } = claim(row, stored, minute(10));
    expect(result.kind).toBe('resumed');
    expect(runRows(writes)).toMatchObject([
      { status: 'missed', reason: 'paused', covers: { from: minute(3), to: minute(9), count: 7 } },
    ]);
    expect(automationAfter(writes)).not.toHaveProperty('pausedUntil');
    expect(automationAfter(writes)).not.toHaveProperty('pausedFrom');
    expect(automationAfter(writes)?.enabled).toBe(true);
    expect(agendaRows(writes)).toEqual([dueRow(minute(10))]);
  });

  test('leaves what was due after its end to the missed-run rule, when no host lived then', () => {
    const stored = automation({ enabled: false }, { pausedUntil: minute(10), pausedFrom: minute(3) });
    const { writes } = claim(resumeRow(stored.id, minute(10)), stored, minute(30));
    expect(runRows(writes)).toMatchObject([{ covers: { to: minute(9) } }]);
    expect(agendaRows(writes)).toEqual([dueRow(minute(10))]);
  });

  test('is forgotten when a person resumes it, or pauses it for another time', () => {
    const stored = automation({ enabled: false }, { pausedUntil: minute(10), pausedFrom: minute(3) });
    const agenda = [resumeRow(stored.id, minute(10))];
    const state = { stored, agenda, decided: new Set<number>() };
    const resumed = decideSetEnabled(state, true, { now: minute(5), newId: runIds() });
    expect(told(resumed.writes)).toEqual([
      'runs +missed (paused) x3',
      expect.stringMatching(/^agenda -/),
      'automations =',
      'agenda +@6#1 schedule',
    ]);
    const longer = decideSetEnabled(state, false, { now: minute(5), newId: runIds(), until: minute(20) });
    expect(agendaRows(longer.writes)).toEqual([resumeRow(stored.id, minute(20))]);
    expect(automationAfter(longer.writes)).toMatchObject({ pausedUntil: minute(20), pausedFrom: minute(3) });
    // The row of the first pause, should it still be met, ends nothing.
    const after = automationAfter(longer.writes) ?? stored;
    expect(told(claim(agenda[0] ?? dueRow(0), after, minute(11)).writes)).toEqual([
      expect.stringMatching(/^agenda -/),
    ]);
  });

  test('survives an edit, and the loss of its row', () => {
    const stored = automation({ enabled: false }, { pausedUntil: minute(10) });
    const { writes } = decideSave(
      { stored, agenda: [resumeRow(stored.id, minute(10))], decided: new Set() },
      {
        id: stored.id,
        definition: definition({ enabled: false, schedule: { ...minutely, anchor: MONDAY + 1 } }),
        now: minute(1),
        newId: runIds(),
      },
    );
    expect(agendaRows(writes)).toEqual([resumeRow(stored.id, minute(10))]);
    expect(agendaRows(decideRepair(stored, [], minute(1)))).toEqual([resumeRow(stored.id, minute(10))]);
  });
});

const child = (
  on: 'success' | 'failure' | 'any',
  n: number,
  input: Partial<DefinitionInput> = {},
): Automation =>
  automation(
    { name: `Child ${n}`, schedule: { kind: 'after', automation: automationId(1), on }, ...input },
    { id: automationId(n) },
  );
const failed = (of: FailureClass): Ending => ({
  kind: 'failed',
  failure: { class: of, code: 'some-code', message: 'It went wrong.' },
});
const success: Ending = { kind: 'succeeded', summary: '200 OK' };

describe('what runs after another', () => {
  const followers = [child('success', 2), child('failure', 3), child('any', 4)];
  const parent = (input: Partial<DefinitionInput> = {}): Automation =>
    automation({ schedule: { kind: 'manual' }, rules: { retry: { attempts: 1 } }, ...input });
  const started = (ending: Ending, of = parent(), run = {}): (string | undefined)[] => {
    const { writes } = endRun(
      activeRun(of, MONDAY, run),
      ending,
      { automation: of, nextScheduledAt: null, agenda: [], followers },
      minute(1),
      0,
    );
    return agendaRows(writes).flatMap(({ cause, automationId: id }) =>
      cause === 'follow-up' ? [id.slice(-1)] : [],
    );
  };

  test('is due when a run has ended so, in the transaction that ends it', () => {
    expect(started(success)).toEqual(['2', '4']);
    expect(started(failed('action'))).toEqual(['3', '4']);
    expect(started({ kind: 'timed-out' })).toEqual(['3', '4']);
    expect(started({ kind: 'interrupted' })).toEqual(['3', '4']);
    expect(started({ kind: 'cancelled', by: 'person' })).toEqual([]);
  });

  test('waits for the last attempt, and for a person where only a person can know', () => {
    expect(started(failed('network'), parent({ rules: {} }))).toEqual([]);
    const posting = parent({ action: { kind: 'http', method: 'POST', url: 'https://example.test/' } });
    expect(started({ kind: 'interrupted' }, posting, { effect: 'sending' })).toEqual([]);

    const { run } = endRun(
      activeRun(posting, MONDAY, { effect: 'sending' }),
      { kind: 'interrupted' },
      { automation: posting, nextScheduledAt: null, agenda: [] },
      minute(1),
      0,
    );
    expect(outcomeOf(run)).toBeNull();
    const { writes } = decideAnswer(run, posting, 'happened', minute(2), followers);
    expect(agendaRows(writes).map(({ automationId: id }) => id.slice(-1))).toEqual(['2', '4']);
  });

  test('is an occurrence of its own, named after the run that it follows', () => {
    const [write] = followUps({ id: runId(7), automationId: automationId(1) }, 'success', followers, MONDAY);
    const row = write?.op === 'put' && write.store === 'agenda' ? write.row : dueRow(0);
    expect(row).toMatchObject({
      occurrence: `${automationId(2)}<${runId(7)}`,
      scheduledFor: MONDAY,
      dueAt: MONDAY,
      cause: 'follow-up',
    });
    expect(instantOf(row.occurrence)).toBeNull();
    const { result, writes } = claim(row, child('success', 2), MONDAY, { agenda: [row] });
    expect(result).toMatchObject({ kind: 'stale-lease' });
    expect(writes).toEqual([]);
  });

  test('is not started while it is paused, nor when it follows another one by now', () => {
    const run = { id: runId(7), automationId: automationId(1) };
    expect(followUps(run, 'success', [child('success', 2, { enabled: false })], MONDAY)).toEqual([]);
    expect(followUps({ ...run, automationId: automationId(9) }, 'success', followers, MONDAY)).toEqual([]);
  });

  const followed = (of: Automation): AgendaRow => ({
    ...dueRow(MONDAY),
    occurrence: followUpOccurrence(of.id, runId(7)),
    key: `${followUpOccurrence(of.id, runId(7))}#1` as AgendaRow['key'],
    automationId: of.id,
    cause: 'follow-up',
  });

  test('that comes too late by its rule has a missed row, under its own name', () => {
    const of = automation({
      schedule: { kind: 'after', automation: automationId(9), on: 'any' },
      rules: { missed: { kind: 'skip' } },
    });
    const { result, writes } = claim(followed(of), of, minute(2));
    expect(result.kind).toBe('missed');
    expect(runRows(writes)).toMatchObject([
      { status: 'missed', occurrence: followed(of).occurrence, cause: 'follow-up', covers: { count: 1 } },
    ]);
  });

  test('that waits when its automation is paused or edited has a missed row, and goes', () => {
    const of = automation({ schedule: { kind: 'after', automation: automationId(9), on: 'any' } });
    const row = followed(of);
    const state = { stored: of, agenda: [row], decided: new Set<number>() };
    const { writes } = decideSetEnabled(state, false, { now: minute(1), newId: runIds() });
    expect(runRows(writes)).toMatchObject([{ reason: 'paused', occurrence: row.occurrence }]);
    expect(writes).toContainEqual({ op: 'delete', store: 'agenda', key: row.key });
  });
});

describe('saving what runs after another', () => {
  const of = (n: number, after: number | null, name = `Number ${n}`): Automation =>
    automation(
      {
        name,
        schedule:
          after === null
            ? { kind: 'manual' }
            : { kind: 'after', automation: automationId(after), on: 'success' },
      },
      { id: automationId(n) },
    );
  const save = (after: number, chain: readonly Automation[]): Decision<SaveDecision> =>
    decideSave(
      { stored: null, agenda: [], decided: new Set(), chain },
      {
        id: automationId(1),
        definition: definition({ schedule: of(1, after).schedule }),
        now: MONDAY,
        newId: runIds(),
      },
    );
  const refusal = (after: number, chain: readonly Automation[]): string | undefined => {
    const { result, writes } = save(after, chain);
    if (result.kind !== 'invalid') return undefined;
    expect(writes).toEqual([]);
    expect(result.problems.map(({ path }) => path)).toEqual(['schedule.automation']);
    return result.problems[0]?.message;
  };

  test('tells the other who follows it, once', () => {
    const { writes } = save(2, [of(2, null)]);
    expect(automationAfter(writes)).toMatchObject({ id: automationId(2), followers: [automationId(1)] });
    const again = save(2, [{ ...of(2, null), followers: [automationId(1)] }]);
    expect(automationAfter(again.writes)?.id).toBe(automationId(1));
  });

  test('is refused for itself, for nobody, and for a circle, which it names', () => {
    expect(refusal(1, [])).toBe('An automation cannot run after itself. Choose another one.');
    expect(refusal(2, [])).toBe('There is no automation with this id. Choose one that exists.');
    expect(refusal(2, [of(2, 3, 'Build'), of(3, 1, 'Test')])).toBe(
      'This would go round in a circle: "Build", which runs after "Test", which runs after this one. Choose another one.',
    );
    expect(refusal(2, [of(2, 3), of(3, null)])).toBeUndefined();
    // A circle that others are in is theirs to mend.
    expect(refusal(2, [of(2, 3), of(3, 2)])).toBeUndefined();
  });

  test('is not asked again when the schedule stays', () => {
    const stored = of(1, 2);
    const { result } = decideSave(
      { stored, agenda: [], decided: new Set(), chain: [] },
      {
        id: stored.id,
        definition: { ...definition({ schedule: stored.schedule }), name: 'New' },
        now: MONDAY,
        newId: runIds(),
      },
    );
    expect(result.kind).toBe('saved');
  });
});

describe('failures in a row', () => {
  const of = (failuresInARow: number, rules: DefinitionInput['rules'] = {}): Automation =>
    automation({ rules: { retry: { attempts: 1 }, ...rules } }, { failuresInARow });
  const end = (stored: Automation, ending: Ending = failed('action'), offline = false) =>
    endRun(
      activeRun(stored, MONDAY),
      ending,
      { automation: stored, nextScheduledAt: minute(1), agenda: [dueRow(minute(1))], offline },
      MONDAY + 1,
      0,
    );

  test('pause the automation at the tenth, which says why, and take its next occurrence out of the agenda', () => {
    expect(end(of(8)).automation).toMatchObject({ enabled: true, failuresInARow: 9 });
    const { automation: after, run, writes } = end(of(9));
    expect(after).toMatchObject({
      enabled: false,
      revision: 1,
      pausedFrom: minute(1),
      pausedBecause: { kind: 'failures', count: 10, at: MONDAY + 1, runId: run.id },
    });
    expect(told(writes)).toContain('agenda -@1#1');
  });

  test('pause it at the number that it says, or never', () => {
    expect(end(of(1, { autoPause: { kind: 'after', failures: 2 } })).automation?.enabled).toBe(false);
    expect(end(of(500, { autoPause: { kind: 'never' } })).automation?.enabled).toBe(true);
  });

  test('do not count while the machine is offline and the network is what fails', () => {
    expect(end(of(9), failed('network'), true).automation).toMatchObject({
      enabled: true,
      failuresInARow: 9,
    });
    expect(end(of(9), failed('action'), true).automation?.enabled).toBe(false);
    expect(end(of(9), success, true).automation?.failuresInARow).toBe(0);
  });

  test('are forgotten when a person resumes it: that undoes all of it', () => {
    const stored = end(of(9)).automation ?? of(9);
    const { writes } = decideSetEnabled({ stored, agenda: [], decided: new Set() }, true, {
      now: minute(3),
      newId: runIds(),
    });
    expect(automationAfter(writes)).toMatchObject({ enabled: true, failuresInARow: 0 });
    expect(automationAfter(writes)).not.toHaveProperty('pausedBecause');
    expect(told(writes)).toEqual(['runs +missed (paused) x3', 'automations =', 'agenda +@4#1 schedule']);
  });

  test('that end with a dead host’s run, inside a claim, keep that claim from running', () => {
    const stored = of(9, { interrupted: 'ask' });
    const row = dueRow(minute(1));
    const state = claimState(row, stored, planDue(row, stored, minute(1)), {
      active: [activeRun(stored, MONDAY, { lease: lease() })],
      agenda: [row],
    });
    const { result, writes } = decideClaim(state, claimRequest({ kind: 'row', key: row.key }, minute(1)));
    expect(result.kind).toBe('paused');
    expect(automationAfter(writes)).toMatchObject({ enabled: false, pausedFrom: minute(1) });
    expect(told(writes)).toContain('agenda -@1#1');
  });
});

describe('a retry rule', () => {
  const attempt = (rules: NonNullable<DefinitionInput['rules']>, ending: Ending, run = {}, chance = 0.5) => {
    const of = automation({
      schedule: { kind: 'manual' },
      action: { kind: 'http', method: 'POST', url: 'https://example.test/' },
      rules,
    });
    return endRun(
      activeRun(of, MONDAY, run),
      ending,
      { automation: of, nextScheduledAt: null, agenda: [] },
      MONDAY,
      chance,
    );
  };

  test.each<readonly [Ending, boolean, boolean]>([
    [failed('network'), true, false],
    [failed('action'), true, false],
    [failed('storage'), true, false],
    [{ kind: 'timed-out' }, true, false],
    [failed('limit'), false, true],
    [failed('denied'), false, true],
    [failed('invalid'), false, true],
  ])('tries %j again by default: %s; where it names the others: %s', (ending, usually, others) => {
    const isRetried = (on?: readonly ('limit' | 'denied' | 'invalid')[]): boolean =>
      attempt({ retry: { attempts: 2, ...(on === undefined ? {} : { on: [...on] }) } }, ending).run
        .retryAt !== undefined;
    expect(isRetried()).toBe(usually);
    expect(isRetried(['limit', 'denied', 'invalid'])).toBe(others);
  });

  test('draws its delay between nothing and the backoff, or takes the backoff itself', () => {
    const retryAt = (jitter: 'full' | 'none'): number =>
      (attempt({ retry: { attempts: 2, firstDelayMs: 4_000, jitter } }, failed('action')).run.retryAt ?? 0) -
      MONDAY;
    expect(retryAt('full')).toBe(2_000);
    expect(retryAt('none')).toBe(4_000);
  });

  test('for interrupted runs asks, where the effect may have happened and nothing else is said', () => {
    const sending = { effect: 'sending' } as const;
    const three = { retry: { attempts: 3 } };
    const asked = attempt(three, { kind: 'interrupted' }, sending).run;
    expect([asked.retryAt, isOpen(asked)]).toEqual([undefined, true]);
    expect(attempt(three, { kind: 'interrupted' }).run.retryAt).toBeDefined();

    const always = attempt({ ...three, interrupted: 'retry' }, { kind: 'interrupted' }, sending).run;
    expect(always).toMatchObject({ mayHaveHappened: true });
    expect([always.retryAt !== undefined, isOpen(always)]).toEqual([true, false]);

    const never = attempt({ ...three, interrupted: 'ask' }, { kind: 'interrupted' }).run;
    expect(never).toMatchObject({ asks: true });
    expect([never.retryAt, isOpen(never)]).toEqual([undefined, true]);
    const { writes } = decideAnswer(never, null, 'run-again', minute(1));
    expect(runRows(writes)).toMatchObject([{ answer: { said: 'run-again' } }]);
  });
});

describe('an automation whose schedule cannot be computed here', () => {
  const unreadable = automation(
    { enabled: false, schedule: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Mars/Olympus' } },
    { pausedBecause: { kind: 'unreadable', message: 'No such zone.', at: MONDAY } },
  );

  test('is paused with the reason when it is met, and stays so when a person resumes it', () => {
    expect(told(decideRepair(unreadable, [dueRow(minute(1))], minute(2)))).toEqual([
      'automations =',
      'agenda -@1#1',
    ]);
    expect(claim(dueRow(minute(1)), unreadable, minute(2)).result.kind).toBe('paused');
    const state = { stored: unreadable, agenda: [], decided: new Set<number>() };
    expect(decideSetEnabled(state, true, { now: minute(2), newId: runIds() })).toEqual({
      result: { kind: 'unreadable' },
      writes: [],
    });
  });

  test('runs by hand all the same, and runs on when it is given a schedule that can be', () => {
    expect(claim(manualRow(minute(2)), unreadable, minute(2)).result.kind).toBe('claimed');
    const stored = { ...unreadable, pausedFrom: minute(1) };
    const { result, writes } = decideSave(
      { stored, agenda: [], decided: new Set() },
      { id: stored.id, definition: definition(), now: minute(2), newId: runIds() },
    );
    expect(result.kind).toBe('saved');
    expect(automationAfter(writes)).not.toHaveProperty('pausedBecause');
    expect(told(writes)).toEqual(['runs +missed (paused) x1', 'automations =', 'agenda +@3#1 schedule']);
  });
});
