import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import { CATCH_UP_MOST, type MissedRule } from './rules.ts';
import { DUE_CHUNK_MOST, type DuePlan, planDue, recentUnrun, unrunRow, unrunStretches } from './due.ts';
import { agendaKey } from './occurrence.ts';
import { MONDAY, automation, automationId, dueRow, manualRow, retryRow, runId } from './samples.testing.ts';
import { dueInstants } from './instants.ts';
import { type Schedule } from './schedule.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const every = (everyMs: number): Schedule => ({ kind: 'every', everyMs, anchor: MONDAY });
const ruled = (
  missed: Partial<MissedRule> & Pick<MissedRule, 'kind'>,
  schedule = every(MINUTE_MS),
): Automation => automation({ schedule, rules: { missed } });
const minute = (n: number): EpochMs => MONDAY + n * MINUTE_MS;
/** A plan with instants in minutes since MONDAY, so that it reads. */
function inMinutes({ run, missed, next }: DuePlan): unknown {
  const at = (instant: EpochMs): number => (instant - MONDAY) / MINUTE_MS;
  return {
    run: run === null ? null : at(run.scheduledFor),
    missed: missed.map(({ why, covers }) => `${why} ${at(covers.from)}-${at(covers.to)} x${covers.count}`),
    next: next === null ? null : at(next),
  };
}

describe('what is due on time', () => {
  test.each([['once' as const], ['skip' as const], ['all' as const]])(
    'runs under %s, and the next is strictly later than now',
    (kind) => {
      expect(inMinutes(planDue(dueRow(MONDAY), ruled({ kind }), MONDAY))).toEqual({
        run: 0,
        missed: [],
        next: 1,
      });
      expect(inMinutes(planDue(dueRow(MONDAY), ruled({ kind }), minute(1) - 1))).toEqual({
        run: 0,
        missed: [],
        next: 1,
      });
    },
  );

  test('is the occurrence of the instant', () => {
    expect(planDue(dueRow(MONDAY), ruled({ kind: 'once' }), MONDAY).run?.occurrence).toBe(
      `${automationId(1)}@${MONDAY}`,
    );
  });

  test('has no next when the schedule ends', () => {
    const once = ruled({ kind: 'once' }, { kind: 'once', at: MONDAY });
    expect(planDue(dueRow(MONDAY), once, minute(7))).toMatchObject({
      run: { scheduledFor: MONDAY },
      next: null,
    });
  });
});

describe('what is due late', () => {
  test.each<[string, Partial<MissedRule> & Pick<MissedRule, 'kind'>, number, unknown]>([
    [
      'once: the latest, the others missed',
      { kind: 'once' },
      5.5,
      { run: 5, missed: ['late 0-4 x5'], next: 6 },
    ],
    [
      'once, with a maximum age: what is older is too old',
      { kind: 'once', maxAgeMs: 2 * MINUTE_MS },
      5.5,
      { run: 5, missed: ['too-old 0-3 x4', 'late 4-4 x1'], next: 6 },
    ],
    [
      'once: an age of exactly the maximum still runs',
      { kind: 'once', maxAgeMs: 30 * SECOND_MS },
      5.5,
      { run: 5, missed: ['too-old 0-4 x5'], next: 6 },
    ],
    [
      'once: all too old',
      { kind: 'once', maxAgeMs: 29 * SECOND_MS },
      5.5,
      { run: null, missed: ['too-old 0-5 x6'], next: 6 },
    ],
    ['skip: up to a minute late runs', { kind: 'skip' }, 5.999, { run: 5, missed: ['late 0-4 x5'], next: 6 }],
    ['all: the oldest first, the next is past', { kind: 'all' }, 5.5, { run: 0, missed: [], next: 1 }],
    [
      'all, up to three: the newest three, the oldest of them first',
      { kind: 'all', limit: 3 },
      5.5,
      { run: 3, missed: ['late 0-2 x3'], next: 4 },
    ],
    [
      'all, with a maximum age',
      { kind: 'all', limit: 3, maxAgeMs: 2 * MINUTE_MS },
      5.5,
      { run: 4, missed: ['too-old 0-3 x4'], next: 5 },
    ],
    [
      'all, the last of them: the next is to come',
      { kind: 'all', limit: 1 },
      5.5,
      { run: 5, missed: ['late 0-4 x5'], next: 6 },
    ],
  ])('%s', (_, rule, now, plan) => {
    expect(inMinutes(planDue(dueRow(MONDAY), ruled(rule), minute(now)))).toEqual(plan);
  });

  test('skip: more than a minute late does not run, and a minute does', () => {
    const hourly = ruled({ kind: 'skip' }, every(HOUR_MS));
    expect(inMinutes(planDue(dueRow(MONDAY), hourly, minute(1)))).toEqual({ run: 0, missed: [], next: 60 });
    expect(inMinutes(planDue(dueRow(MONDAY), hourly, minute(1) + 1))).toEqual({
      run: null,
      missed: ['late 0-0 x1'],
      next: 60,
    });
  });

  test('is still run once where the rule does not name its instant any more: it was promised', () => {
    const hourly = ruled({ kind: 'once' }, every(HOUR_MS));
    expect(inMinutes(planDue(dueRow(minute(7)), hourly, minute(8)))).toEqual({
      run: 7,
      missed: [],
      next: 60,
    });
    expect(inMinutes(planDue(dueRow(minute(7)), hourly, minute(61)))).toEqual({
      run: 60,
      missed: ['late 7-7 x1'],
      next: 120,
    });
  });
});

describe('what the ledger has a row of already, from before a clock went back,', () => {
  const decided = new Set([minute(1), minute(2), minute(5)]);

  test('is neither run nor counted again, and what lies between is counted exactly', () => {
    expect(inMinutes(planDue(dueRow(MONDAY), ruled({ kind: 'once' }), minute(8.5), decided))).toEqual({
      run: 8,
      missed: ['late 0-0 x1', 'late 3-4 x2', 'late 6-7 x2'],
      next: 9,
    });
  });

  test('is not what runs, though it is the newest', () => {
    expect(inMinutes(planDue(dueRow(MONDAY), ruled({ kind: 'once' }), minute(5.5), decided))).toEqual({
      run: 4,
      missed: ['late 0-0 x1', 'late 3-3 x1'],
      next: 6,
    });
  });

  test('leaves nothing to do where it is all that is due', () => {
    expect(inMinutes(planDue(dueRow(minute(1)), ruled({ kind: 'once' }), minute(2.5), decided))).toEqual({
      run: null,
      missed: [],
      next: 3,
    });
  });

  test('is left out of what is too old and of what is caught up', () => {
    const all = ruled({ kind: 'all', limit: 2, maxAgeMs: 5 * MINUTE_MS });
    expect(inMinutes(planDue(dueRow(MONDAY), all, minute(6.5), decided))).toEqual({
      run: 4,
      missed: ['too-old 0-0 x1', 'late 3-3 x1'],
      next: 6,
    });
  });
});

describe('a repeat, and a run by hand,', () => {
  test('are what they are, whatever their schedule says', () => {
    for (const row of [retryRow(MONDAY, minute(1)), manualRow(MONDAY)]) {
      expect(planDue(row, ruled({ kind: 'once' }), minute(30))).toEqual({
        run: { occurrence: row.occurrence, scheduledFor: MONDAY },
        missed: [],
        next: null,
      });
    }
  });

  test('a repeat may be as late after its own time as an occurrence after its', () => {
    const row = retryRow(MONDAY, minute(10));
    const runs = (rule: Partial<MissedRule> & Pick<MissedRule, 'kind'>, now: EpochMs): boolean =>
      planDue(row, ruled(rule), now).run !== null;
    expect([runs({ kind: 'skip' }, minute(11)), runs({ kind: 'skip' }, minute(11) + 1)]).toEqual([
      true,
      false,
    ]);
    const aged = { kind: 'all', maxAgeMs: 5 * MINUTE_MS } as const;
    expect([runs(aged, minute(15)), runs(aged, minute(15) + 1)]).toEqual([true, false]);
  });
});

describe('after a long sleep', () => {
  test('a rule of every second is accounted for in chunks, each exact, and the last one runs', () => {
    const secondly = ruled({ kind: 'once' }, every(SECOND_MS));
    const now = MONDAY + 25_000 * SECOND_MS;
    let row = dueRow(MONDAY);
    const counts: number[] = [];
    for (;;) {
      const plan = planDue(row, secondly, now);
      counts.push(plan.missed.reduce((sum, { covers }) => sum + covers.count, 0));
      if (plan.run !== null) {
        expect(plan.run.scheduledFor).toBe(now);
        expect(plan.next).toBe(now + SECOND_MS);
        break;
      }
      row = dueRow(plan.next ?? NaN);
    }
    expect(counts).toEqual([DUE_CHUNK_MOST - 1, DUE_CHUNK_MOST - 1, 5_002]);
  });

  test('a chunk that may all be caught up is refused: it would make no progress', () => {
    expect(() => planDue(dueRow(MONDAY), ruled({ kind: 'once' }), MONDAY, new Set(), CATCH_UP_MOST)).toThrow(
      /progress/,
    );
  });

  test('a chunk of which so much is decided that the rest may all be caught up is made longer', () => {
    const every1s = ruled({ kind: 'all', limit: 99 }, every(SECOND_MS));
    const decided = new Set([MONDAY + SECOND_MS, MONDAY + 2 * SECOND_MS]);
    const plan = planDue(dueRow(MONDAY), every1s, MONDAY + 101 * SECOND_MS, decided, CATCH_UP_MOST + 1);
    expect(plan.missed).toEqual([{ why: 'late', covers: { from: MONDAY, to: MONDAY, count: 1 } }]);
    expect(plan.run?.scheduledFor).toBe(MONDAY + 3 * SECOND_MS);
    expect(plan.next).toBe(MONDAY + 4 * SECOND_MS);
  });

  const rules = fc.oneof(
    fc.record({ kind: fc.constant('once' as const) }),
    fc.record({ kind: fc.constant('skip' as const) }),
    fc.record({ kind: fc.constant('once' as const), maxAgeMs: fc.integer({ min: SECOND_MS, max: HOUR_MS }) }),
    fc.record({ kind: fc.constant('all' as const), limit: fc.integer({ min: 1, max: CATCH_UP_MOST }) }),
    fc.record({
      kind: fc.constant('all' as const),
      limit: fc.integer({ min: 1, max: CATCH_UP_MOST }),
      maxAgeMs: fc.integer({ min: SECOND_MS, max: HOUR_MS }),
    }),
  );

  test('each instant is in one run or one missed stretch, by whatever rule, in whatever chunks', () => {
    const cases = fc.record({
      rule: rules,
      everyMs: fc.integer({ min: SECOND_MS, max: 2 * MINUTE_MS }),
      late: fc.nat(2 * HOUR_MS),
      chunk: fc.integer({ min: CATCH_UP_MOST + 1, max: 400 }),
      decided: fc.array(fc.nat(1_000), { maxLength: 20 }),
    });
    fc.assert(
      fc.property(cases, ({ rule, everyMs, late, chunk, decided: indices }) => {
        const of = ruled(rule, every(everyMs));
        const now = MONDAY + late;
        const due = dueInstants(of.schedule, MONDAY, now, Infinity).instants;
        const decided = new Set(indices.flatMap((index) => due[index] ?? []));
        const open = due.filter((at) => !decided.has(at));
        const place = new Map(open.map((at, index) => [at, index]));
        const walk = (most: number): (string | undefined)[] => {
          const fate = new Array<string | undefined>(open.length);
          const take = (at: EpochMs, what: string): void => {
            const index = place.get(at);
            if (index === undefined || fate[index] !== undefined)
              throw new Error(`${at} is ${what}, and more`);
            fate[index] = what;
          };
          let next: EpochMs | null = MONDAY;
          while (next !== null && next <= now) {
            const plan = planDue(dueRow(next), of, now, decided, most);
            for (const { why, covers } of plan.missed) {
              const start = place.get(covers.from) ?? NaN;
              for (let n = 0; n < covers.count; n++) take(open[start + n] ?? NaN, why);
              if (open[start + covers.count - 1] !== covers.to)
                throw new Error(`${covers.to} is not the end`);
            }
            if (plan.run !== null) take(plan.run.scheduledFor, 'run');
            if (plan.next !== null && plan.next <= next) throw new Error(`${plan.next} is not later`);
            next = plan.next;
          }
          if (fate.includes(undefined)) throw new Error('an instant has no row');
          return fate;
        };
        const fate = walk(DUE_CHUNK_MOST);
        expect(walk(chunk)).toEqual(fate);
        const runs = open.filter((_, index) => fate[index] === 'run');
        expect(runs.length).toBeLessThanOrEqual(rule.kind === 'all' ? rule.limit : 1);
        for (const at of runs) {
          expect(now - at).toBeLessThanOrEqual(
            rule.kind === 'skip' ? MINUTE_MS : 'maxAgeMs' in rule ? rule.maxAgeMs : Infinity,
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('what an edit leaves behind', () => {
  test('is one stretch from what was promised to now', () => {
    expect(unrunStretches(every(MINUTE_MS), MONDAY, minute(3.5))).toEqual([
      { from: MONDAY, to: minute(3), count: 4 },
    ]);
    expect(unrunStretches(every(MINUTE_MS), minute(4), minute(3.5))).toEqual([]);
    expect(unrunStretches(every(HOUR_MS), minute(7), minute(8))).toEqual([
      { from: minute(7), to: minute(7), count: 1 },
    ]);
  });

  test('leaves out what has a row', () => {
    expect(unrunStretches(every(MINUTE_MS), MONDAY, minute(3.5), new Set([minute(1)]))).toEqual([
      { from: MONDAY, to: MONDAY, count: 1 },
      { from: minute(2), to: minute(3), count: 2 },
    ]);
  });

  test('reaches to its true end after a very long pause, exactly counted for an interval', () => {
    const now = MONDAY + 400 * DAY_MS + 1;
    expect(unrunStretches(every(SECOND_MS), MONDAY, now)).toEqual([
      { from: MONDAY, to: now - 1, count: 400 * 86_400 + 1 },
    ]);
  });

  test.each([
    ['* * * * *', MONDAY + 30 * DAY_MS, MONDAY + 30 * DAY_MS],
    // Dense for a day, and then nothing: the end is long before now.
    ['* * * 1 *', MONDAY + 200 * DAY_MS, Date.parse('2026-01-31T23:59Z')],
  ])('and is said to be at least so many for the rule %s', (expression, now, to) => {
    const [stretch, ...others] = unrunStretches({ kind: 'cron', expression, timeZone: 'UTC' }, MONDAY, now);
    expect(others).toEqual([]);
    expect(stretch).toEqual({ from: MONDAY, to, count: DUE_CHUNK_MOST });
  });
});

test('a missed row is found by its newest instant, and is as small in the list’s bar', () => {
  const covers = { from: MONDAY, to: minute(4), count: 5 };
  const row = unrunRow(automation(), runId(1), { status: 'missed', reason: 'asleep' }, covers, minute(5));
  expect(row).toMatchObject({
    occurrence: `${automationId(1)}@${minute(4)}`,
    attempt: 1,
    scheduledFor: minute(4),
  });
  expect(agendaKey(row.occurrence, row.attempt)).toBe(dueRow(minute(4)).key);
  expect(recentUnrun(row)).toEqual({
    id: runId(1),
    status: 'missed',
    at: minute(4),
    reason: 'asleep',
    count: 5,
  });
});
