import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import type { Definition, DefinitionInput } from './definition.ts';
import {
  REWIND_KEPT_MS,
  type SaveDecision,
  decideRemove,
  decideRepair,
  decideSave,
  decideSetEnabled,
  unaccountedFrom,
} from './edit.ts';
import type { AgendaRow } from './occurrence.ts';
import {
  MONDAY,
  agendaRows,
  automation,
  automationAfter,
  automationId,
  definition,
  dueRow,
  manualRow,
  retryRow,
  runIds,
  runRows,
  told,
} from './samples.testing.ts';
import { dueInstants } from './instants.ts';
import { type Schedule } from './schedule.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type EpochMs } from './time.ts';
import type { Decision, Write } from './writes.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const minute = (n: number): EpochMs => MONDAY + n * MINUTE_MS;
const every = (everyMs: number, anchor = MONDAY): Schedule => ({ kind: 'every', everyMs, anchor });
const HOURLY = every(HOUR_MS);

interface Case {
  readonly stored?: Automation | null;
  readonly agenda?: readonly AgendaRow[];
  readonly decided?: ReadonlySet<EpochMs>;
  readonly expectedRevision?: number;
  readonly now?: EpochMs;
}

/** Saves `input` over a stored automation whose next row is due a minute after MONDAY. */
function save(input: Partial<DefinitionInput>, one: Case = {}): Decision<SaveDecision> {
  const { stored = automation(), agenda = [dueRow(minute(1))], decided = new Set(), now = MONDAY } = one;
  return decideSave(
    { stored, agenda, decided },
    {
      id: automationId(1),
      definition: definition(input),
      now,
      newId: runIds(),
      ...(one.expectedRevision === undefined ? {} : { expectedRevision: one.expectedRevision }),
    },
  );
}

function saved(
  input: Partial<DefinitionInput>,
  one: Case = {},
): { automation: Automation; writes: readonly Write[] } {
  const { result, writes } = save(input, one);
  if (result.kind !== 'saved') throw new Error(`not saved but ${result.kind}`);
  expect(automationAfter(writes)).toEqual(result.automation);
  return { automation: result.automation, writes };
}

describe('a new automation', () => {
  const none = { stored: null, agenda: [] };

  test('is stored with the row of its first instant after now', () => {
    const { automation: created, writes } = saved({}, { ...none, now: MONDAY });
    expect(told(writes)).toEqual(['automations =', 'agenda +@1#1 schedule']);
    expect(created).toEqual(automation());
  });

  test('that is paused, or has no schedule, has no row', () => {
    expect(told(saved({ enabled: false }, none).writes)).toEqual(['automations =']);
    expect(told(saved({ schedule: { kind: 'manual' } }, none).writes)).toEqual(['automations =']);
  });

  test.each([
    [
      'a rule that cannot be read',
      { kind: 'cron', expression: '61 * * * *', timeZone: 'UTC' },
      'schedule.expression',
    ],
    ['a time that has passed', { kind: 'once', at: MONDAY }, 'schedule.at'],
  ] as [string, Schedule, string][])(
    'with %s is refused, with the field, before anything is written',
    (_, schedule, path) => {
      const { result, writes } = save({ schedule }, none);
      expect(result).toMatchObject({ kind: 'invalid', problems: [{ path }] });
      expect(writes).toEqual([]);
    },
  );

  test('that was paused from the start may name a time that has passed', () => {
    expect(save({ schedule: { kind: 'once', at: MONDAY }, enabled: false }, none).result.kind).toBe('saved');
  });
});

describe('an edit', () => {
  test('of the name, the action or the rules keeps the agenda, its due row and its repeats', () => {
    const agenda = [dueRow(minute(1)), retryRow(MONDAY, minute(2)), manualRow(MONDAY)];
    for (const input of [
      { name: 'Another' },
      { tags: ['ops'] },
      { action: { kind: 'remind', message: 'x' } },
      { rules: { missed: { kind: 'all' }, overlap: { kind: 'queue' } } },
    ] as Partial<DefinitionInput>[]) {
      const { automation: edited, writes } = saved(input, { agenda, now: minute(9) });
      expect(told(writes)).toEqual(['automations =']);
      expect(edited).toMatchObject({ ...input, revision: 2, updatedAt: minute(9), createdAt: MONDAY });
    }
  });

  test('counts what a person edits and nothing else', () => {
    const stored = automation(
      {},
      { fence: 7, epoch: 2, failuresInARow: 3, lastClaim: { runId: runIds()(), at: 1 } },
    );
    const { automation: edited } = saved({ name: 'x' }, { stored });
    expect(edited).toMatchObject({
      revision: 2,
      fence: 7,
      epoch: 2,
      failuresInARow: 3,
      lastClaim: stored.lastClaim,
    });
  });

  test('against another revision is a conflict that shows the current value, and writes nothing', () => {
    const stored = automation({}, { revision: 4 });
    for (const expectedRevision of [3, 5]) {
      expect(save({ name: 'x' }, { stored, expectedRevision })).toEqual({
        result: { kind: 'conflict', current: stored },
        writes: [],
      });
    }
    expect(save({ name: 'x' }, { stored, expectedRevision: 4 }).result.kind).toBe('saved');
    expect(save({ name: 'x' }, { stored: null, expectedRevision: 1 })).toEqual({
      result: { kind: 'not-found' },
      writes: [],
    });
  });

  test('of the schedule starts from now: one missed row for what was due, the next row strictly later', () => {
    const agenda = [dueRow(minute(1)), retryRow(MONDAY, minute(2))];
    const { automation: edited, writes } = saved({ schedule: HOURLY }, { agenda, now: minute(5.5) });
    expect(told(writes)).toEqual([
      'runs +missed (edited) x5',
      'agenda -@1#1',
      'agenda -@0#2',
      'automations =',
      'agenda +@60#1 schedule',
    ]);
    expect(edited.recent).toMatchObject([{ status: 'missed', reason: 'edited', count: 5 }]);
  });

  test('of the schedule keeps what a person asked for by hand, and its repeats', () => {
    const byHand = manualRow(MONDAY);
    const agenda = [dueRow(minute(1)), byHand, { ...byHand, attempt: 2, cause: 'retry' as const }];
    expect(told(saved({ schedule: HOURLY }, { agenda }).writes)).toEqual([
      'agenda -@1#1',
      'automations =',
      'agenda +@60#1 schedule',
    ]);
  });

  test('does not count again what the ledger has a row of', () => {
    const { writes } = saved({ schedule: HOURLY }, { now: minute(3), decided: new Set([minute(2)]) });
    expect(told(writes).slice(0, 2)).toEqual(['runs +missed (edited) x1', 'runs +missed (edited) x1']);
  });

  test('to a time that has passed is refused; a name-only edit of one that has run is not', () => {
    const schedule = { kind: 'once', at: MONDAY } as const;
    expect(save({ schedule }, { now: MONDAY }).result.kind).toBe('invalid');
    const done = { stored: automation({ schedule }), agenda: [], now: minute(5) };
    expect(told(saved({ schedule, name: 'x' }, done).writes)).toEqual(['automations =']);
  });

  test('with the same schedule in another order of its fields is no edit of the schedule', () => {
    const schedule = { anchor: MONDAY, everyMs: MINUTE_MS, kind: 'every' } as const;
    expect(told(saved({ schedule }, { now: minute(9) }).writes)).toEqual(['automations =']);
  });

  test('keeps what a newer build has added, at every depth, and is no edit of a schedule that has such a field', () => {
    const newer: object = {
      ...automation(),
      top: 1,
      schedule: { ...automation().schedule, soon: 5 },
      action: { ...automation().action, cookies: 'none' },
      rules: { ...automation().rules, missed: { kind: 'once', quietly: true }, limits: { aDay: 3 } },
    };
    const stored = newer as Automation;
    const { automation: edited, writes } = saved({ name: 'x' }, { stored });
    expect(told(writes)).toEqual(['automations =']);
    expect(edited).toMatchObject({
      name: 'x',
      top: 1,
      schedule: { soon: 5 },
      action: { cookies: 'none' },
      rules: { missed: { kind: 'once', quietly: true }, limits: { aDay: 3 } },
    });
  });
});

describe('a pause', () => {
  const pause = (one: Case = {}): readonly Write[] => set(false, one);
  const set = (enabled: boolean, one: Case): readonly Write[] => {
    const { stored = automation(), agenda = [dueRow(minute(1))], decided = new Set(), now = MONDAY } = one;
    if (stored === null) throw new Error('nothing is stored');
    return decideSetEnabled({ stored, agenda, decided }, enabled, { now, newId: runIds() }).writes;
  };

  test('takes the schedule’s rows out, and remembers the first instant that has no row', () => {
    const writes = pause({
      agenda: [dueRow(minute(1)), retryRow(MONDAY, minute(2)), manualRow(MONDAY)],
      now: minute(4),
    });
    expect(told(writes)).toEqual(['agenda -@1#1', 'agenda -@0#2', 'automations =']);
    expect(automationAfter(writes)).toMatchObject({ enabled: false, pausedFrom: minute(1), revision: 2 });
  });

  test('and its end write one missed row for all that passed, and dispatch nothing of it', () => {
    const paused = automationAfter(pause({ now: MONDAY }));
    const writes = set(true, { stored: paused ?? null, agenda: [], now: minute(10.5) });
    expect(told(writes)).toEqual(['runs +missed (paused) x10', 'automations =', 'agenda +@11#1 schedule']);
    expect(runRows(writes)[0]).toMatchObject({ covers: { from: minute(1), to: minute(10), count: 10 } });
    expect(automationAfter(writes)).not.toHaveProperty('pausedFrom');
  });

  test('that ends before anything was due writes no missed row', () => {
    const paused = automationAfter(pause());
    expect(told(set(true, { stored: paused ?? null, agenda: [], now: minute(0.5) }))).toEqual([
      'automations =',
      'agenda +@1#1 schedule',
    ]);
  });

  test('of what is paused, or the end of what is not, changes nothing', () => {
    expect(pause({ stored: automation({ enabled: false }) })).toEqual([]);
    expect(set(true, {})).toEqual([]);
  });

  test('by saving does the same as by the switch', () => {
    for (const now of [MONDAY, minute(4)]) {
      const bySave = saved({ enabled: false }, { now }).writes;
      expect(bySave).toEqual(pause({ now }));
      const paused = automationAfter(bySave) ?? null;
      const later = { stored: paused, agenda: [], now: now + HOUR_MS };
      expect(saved({ enabled: true }, later).writes).toEqual(set(true, later));
    }
  });

  test('with an edit of the schedule accounts for each schedule while it was in force', () => {
    const paused = automationAfter(pause()) ?? null;
    const edited = saved(
      { enabled: false, schedule: HOURLY },
      { stored: paused, agenda: [], now: minute(30.5) },
    );
    expect(told(edited.writes)).toEqual(['runs +missed (paused) x30', 'automations =']);
    expect(edited.automation.pausedFrom).toBe(minute(60));
    const resumed = set(true, { stored: edited.automation, agenda: [], now: minute(125) });
    expect(told(resumed)).toEqual(['runs +missed (paused) x2', 'automations =', 'agenda +@180#1 schedule']);
  });

  test('and an edit in one save account for what was due as edited', () => {
    const { automation: edited, writes } = saved({ enabled: false, schedule: HOURLY }, { now: minute(2) });
    expect(told(writes)).toEqual(['runs +missed (edited) x2', 'agenda -@1#1', 'automations =']);
    expect(edited.pausedFrom).toBe(minute(60));
  });

  test('from the start has nothing to account for, however often it is edited', () => {
    const created = saved({ enabled: false }, { stored: null, agenda: [] }).automation;
    const edited = saved(
      { enabled: false, schedule: HOURLY },
      { stored: created, agenda: [], now: minute(10) },
    ).automation;
    expect(told(set(true, { stored: edited, agenda: [], now: MONDAY + DAY_MS }))).toEqual([
      'automations =',
      'agenda +@1500#1 schedule',
    ]);
  });

  test('of one that has no instant left leaves nothing behind', () => {
    const done = automation({ schedule: { kind: 'once', at: MONDAY } });
    expect(automationAfter(pause({ stored: done, agenda: [], now: minute(5) }))).not.toHaveProperty(
      'pausedFrom',
    );
  });

  test('is ended over a time that passed without a fright: it was missed, and nothing is due', () => {
    const once = automation({ schedule: { kind: 'once', at: minute(1) } });
    const paused = automationAfter(pause({ stored: once })) ?? null;
    expect(told(set(true, { stored: paused, agenda: [], now: minute(5) }))).toEqual([
      'runs +missed (paused) x1',
      'automations =',
    ]);
  });
});

describe('a removal', () => {
  test('takes all that is pending with it and leaves history alone', () => {
    const agenda = [dueRow(minute(1)), retryRow(MONDAY, minute(2)), manualRow(MONDAY)];
    const { result, writes } = decideRemove(automation(), agenda);
    expect(result).toEqual({ kind: 'done' });
    expect(writes.map(({ op, store }) => [op, store])).toEqual([
      ['delete', 'automations'],
      ['delete', 'agenda'],
      ['delete', 'agenda'],
      ['delete', 'agenda'],
    ]);
  });
});

describe('a repair', () => {
  test('gives an enabled automation the scheduled row that it lacks', () => {
    expect(told(decideRepair(automation(), [], minute(3)))).toEqual(['agenda +@4#1 schedule']);
    expect(told(decideRepair(automation(), [manualRow(MONDAY)], minute(3)))).toEqual([
      'agenda +@4#1 schedule',
    ]);
  });

  test('leaves one that has its row, is paused, or has nothing to come', () => {
    expect(decideRepair(automation(), [dueRow(minute(1))], minute(30))).toEqual([]);
    expect(decideRepair(automation({ enabled: false }), [], minute(3))).toEqual([]);
    expect(decideRepair(automation({ schedule: { kind: 'once', at: MONDAY } }), [], MONDAY)).toEqual([]);
  });

  test('changes nothing when the clock went back by up to three hours', () => {
    const planned = MONDAY + 10 * DAY_MS;
    const row = dueRow(planned + MINUTE_MS);
    expect(decideRepair(automation(), [row], planned - REWIND_KEPT_MS)).toEqual([]);
    expect(told(decideRepair(automation(), [row], planned - REWIND_KEPT_MS - MINUTE_MS))).toHaveLength(2);
  });

  test('has a paused automation owe from what the clock shows now when it went back by more, and only then', () => {
    const pausedFrom = MONDAY + DAY_MS;
    const paused = { ...automation({ enabled: false }), pausedFrom };
    expect(decideRepair(paused, [], pausedFrom - REWIND_KEPT_MS)).toEqual([]);
    expect(decideRepair(automation({ enabled: false }), [], minute(3))).toEqual([]);
    expect(decideRepair(paused, [], minute(3))).toEqual([
      { op: 'put', store: 'automations', row: { ...paused, pausedFrom: minute(4) } },
    ]);
  });

  test('lets a repeat keep its distance to the attempt that failed when the clock went back by more, and only then', () => {
    const claimedAt = MONDAY + DAY_MS;
    const stored = { ...automation(), lastClaim: { runId: runIds()(), at: claimedAt } };
    const row = retryRow(claimedAt, claimedAt + 20_000);
    const scheduled = dueRow(minute(4));
    expect(decideRepair(stored, [row, scheduled], claimedAt - REWIND_KEPT_MS)).toEqual([]);
    const writes = decideRepair(stored, [row, scheduled], minute(3));
    expect(agendaRows(writes)).toEqual([{ ...row, dueAt: minute(3) + 20_000 }]);
    // Looked at again before it has run, it stays as it is.
    expect(decideRepair(stored, [...agendaRows(writes), scheduled], minute(3))).toEqual([]);
    // A server that asked for a day is obeyed.
    const asked = retryRow(MONDAY, MONDAY + DAY_MS);
    const early = { ...stored, lastClaim: { runId: runIds()(), at: MONDAY } };
    expect(decideRepair(early, [asked, scheduled], minute(3))).toEqual([]);
  });

  test('lets what follows another be due again when the clock went back by more', () => {
    const row: AgendaRow = { ...retryRow(MONDAY, MONDAY + DAY_MS), cause: 'follow-up', attempt: 1 };
    const follower = automation({ schedule: { kind: 'manual' } });
    expect(agendaRows(decideRepair(follower, [row], minute(3)))).toEqual([{ ...row, dueAt: minute(3) }]);
  });

  test('plans anew when it went back by more, and lets a promised run by hand be due again', () => {
    const row = dueRow(MONDAY + DAY_MS);
    const byHand = manualRow(MONDAY + DAY_MS - 1);
    const writes = decideRepair(automation(), [row, byHand], minute(3));
    expect(told(writes)).toEqual(['agenda +!#1 manual', 'agenda -@1440#1', 'agenda +@4#1 schedule']);
    expect(agendaRows(writes)[0]).toEqual({ ...byHand, dueAt: minute(3) });
  });
});

test('whatever is edited, nothing earlier than now is ever pending, and each instant keeps exactly one account', () => {
  const step = fc.record({
    after: fc.nat(3 * HOUR_MS),
    what: fc.constantFrom('name', 'pause', 'resume', 'schedule', 'pause and schedule', 'both'),
    everyMs: fc.constantFrom(MINUTE_MS, 7 * MINUTE_MS, HOUR_MS, 25 * SECOND_MS),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
      let now = MONDAY;
      let { automation: stored, writes } = saved({}, { stored: null, agenda: [], now });
      let pending = agendaRows(writes)[0]?.scheduledFor ?? null;
      const newId = runIds();
      /** Instants by schedule in force, from the last edit that restarted it, and how many times each is accounted for. */
      let since = { at: now, schedule: stored.schedule };
      for (const one of steps) {
        now += one.after;
        const enabled =
          one.what === 'resume' ||
          (stored.enabled && one.what !== 'pause' && one.what !== 'pause and schedule');
        const schedule = /schedule|both/.test(one.what) ? every(one.everyMs) : stored.schedule;
        const next: Definition = { ...definition(), name: `at ${now}`, enabled, schedule };
        const before = stored;
        const agenda = pending === null ? [] : [dueRow(pending)];
        const decision = decideSave(
          { stored, agenda, decided: new Set() },
          { id: stored.id, definition: next, now, newId },
        );
        if (decision.result.kind !== 'saved') throw new Error(decision.result.kind);
        stored = decision.result.automation;
        ({ writes } = decision);
        const put = agendaRows(writes);
        const restarts =
          before.enabled !== enabled || JSON.stringify(before.schedule) !== JSON.stringify(schedule);
        expect(put).toHaveLength(restarts && enabled ? 1 : 0);
        for (const { scheduledFor, dueAt } of put)
          expect([scheduledFor, dueAt].every((at) => at > now)).toBe(true);
        if (!restarts) continue;
        pending = put[0]?.scheduledFor ?? null;
        // A pause keeps the account open; all else closes it, with a row for exactly what was due and had none.
        const rows = runRows(writes);
        if (!enabled && JSON.stringify(before.schedule) === JSON.stringify(schedule)) {
          expect(rows).toEqual([]);
          continue;
        }
        const due = dueInstants(since.schedule, since.at + 1, now, Infinity).instants;
        const counted = rows.map((row) => ('covers' in row ? row.covers : null));
        expect(counted).toEqual(
          due.length === 0 ? [] : [{ from: due[0], to: due.at(-1), count: due.length }],
        );
        since = { at: now, schedule };
        expect(unaccountedFrom(stored, put)).toBeGreaterThan(now);
      }
    }),
    { numRuns: 500 },
  );
});
