import { beforeAll, describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import { endRun } from './ending.ts';
import { MONDAY, activeRun, automation } from './samples.testing.ts';
import { type Budget, budgetOf, costOf, spendingOn, withSpending } from './spending.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const price = { inputPerMillion: 2, outputPerMillion: 10, currency: 'USD' };
const nothing = { tokens: 0, cost: 0 };
const limited = (by: string, outputTokens: number) => ({ kind: 'limited', by, outputTokens }) as Budget;

describe('a budget', () => {
  test.each<[Parameters<typeof budgetOf>, Budget]>([
    [[undefined, undefined, 100, nothing], { kind: 'unlimited' }],
    [[{}, price, 100, nothing], { kind: 'unlimited' }],
    [[{ tokensPerRun: 150 }, undefined, 100, nothing], limited('tokensPerRun', 50)],
    [[{ tokensPerRun: 101 }, undefined, 100, nothing], limited('tokensPerRun', 1)],
    [[{ tokensPerRun: 100 }, undefined, 100, nothing], { kind: 'reached', by: 'tokensPerRun' }],
    [[{ tokensPerDay: 500 }, undefined, 100, { tokens: 350, cost: 0 }], limited('tokensPerDay', 50)],
    [
      [{ tokensPerDay: 500 }, undefined, 100, { tokens: 400, cost: 0 }],
      { kind: 'reached', by: 'tokensPerDay' },
    ],
    [
      [{ tokensPerRun: 400, tokensPerDay: 500 }, undefined, 100, { tokens: 300, cost: 0 }],
      limited('tokensPerDay', 100),
    ],
    [
      [{ tokensPerRun: 150, tokensPerDay: 500 }, undefined, 100, { tokens: 300, cost: 0 }],
      limited('tokensPerRun', 50),
    ],
    [[{ costPerRun: 0.001 }, price, 100, nothing], limited('costPerRun', 80)],
    [[{ costPerRun: 0.0002 }, price, 100, nothing], { kind: 'reached', by: 'costPerRun' }],
    [[{ costPerDay: 1 }, price, 0, { tokens: 0, cost: 0.999 }], limited('costPerDay', 100)],
    [[{ costPerDay: 1 }, price, 0, { tokens: 0, cost: 1.5 }], { kind: 'reached', by: 'costPerDay' }],
    [
      [{ costPerRun: 1 }, { ...price, inputPerMillion: 0, outputPerMillion: 0 }, 9e9, nothing],
      { kind: 'unlimited' },
    ],
  ])('of %j is %j', (args, budget) => {
    expect(budgetOf(...args)).toEqual(budget);
  });

  test('never allows more than its limit, whatever the prompt takes', () => {
    for (let input = 0; input < 300; input += 7) {
      const budget = budgetOf({ costPerRun: 0.002 }, price, input, nothing);
      if (budget.kind !== 'limited') continue;
      const { outputTokens } = budget;
      expect(costOf({ inputTokens: input, outputTokens }, price)).toBeLessThanOrEqual(0.002 + 1e-12);
    }
  });
});

describe('what was used on a day', () => {
  const schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Asia/Tokyo' } as const;

  test('ends with the day of the schedule’s zone', () => {
    const { until, tokens } = spendingOn({ schedule }, MONDAY, 'UTC');
    expect([new Date(until).toISOString().slice(11), tokens]).toEqual(['15:00:00.000Z', 0]);
    expect(spendingOn({ schedule: { kind: 'manual' } }, MONDAY, 'UTC').until % DAY_MS).toBe(0);
  });

  test('is forgotten on the next day, and when the clock has gone back by days', () => {
    const spent = { until: MONDAY + HOUR_MS, tokens: 10, cost: 1 };
    expect(spendingOn({ schedule, spent }, MONDAY, 'UTC')).toEqual(spent);
    expect(spendingOn({ schedule, spent }, MONDAY + HOUR_MS, 'UTC').tokens).toBe(0);
    expect(spendingOn({ schedule, spent }, MONDAY - 3 * DAY_MS, 'UTC').tokens).toBe(0);
  });

  test('grows by what each run used, and begins anew on another day', () => {
    const first = withSpending(undefined, { until: MONDAY, tokens: 5, cost: 0.5 });
    expect(withSpending(first, { until: MONDAY, tokens: 7, cost: 0.25 })).toEqual({
      until: MONDAY,
      tokens: 12,
      cost: 0.75,
    });
    expect(withSpending(first, { until: MONDAY + DAY_MS, tokens: 7, cost: 0 }).tokens).toBe(7);
  });

  test('is written with the end of the run, however it ended', () => {
    const before: Automation = automation({ schedule: { kind: 'manual' } });
    const spent = { until: MONDAY + HOUR_MS, tokens: 5, cost: 0 };
    const state = { automation: before, nextScheduledAt: null, agenda: [] };
    for (const ending of [
      { kind: 'succeeded', summary: 'Yes', spent },
      { kind: 'timed-out', spent },
      { kind: 'cancelled', by: 'person', spent },
      { kind: 'failed', failure: { class: 'action', code: 'x', message: 'No.' }, spent },
    ] as const) {
      const { automation: after } = endRun(activeRun(before, MONDAY), ending, state, MONDAY, 0);
      expect(after?.spent).toEqual(spent);
    }
  });

  test('counts as the most that it may be when the host died or hung and cannot say what it was', () => {
    const earlier = { until: MONDAY + HOUR_MS, tokens: 100, cost: 1 };
    const before = automation({ schedule: { kind: 'manual' } }, { spent: earlier });
    const state = { automation: before, nextScheduledAt: null, agenda: [] };
    const mayUse = { until: MONDAY + HOUR_MS, tokens: 40, cost: 0.5 };
    const run = activeRun(before, MONDAY, { mayUse });
    for (const ending of [{ kind: 'interrupted' }, { kind: 'timed-out', hung: true }] as const) {
      const { automation: after, run: settled } = endRun(run, ending, state, MONDAY, 0);
      expect(after?.spent).toEqual({ ...earlier, tokens: 140, cost: 1.5 });
      expect(settled).not.toHaveProperty('mayUse');
      expect(settled.status !== 'failed' && settled.summary).toMatch(
        / Up to 40 tokens may have been used, and count towards the limits of the day\.$/,
      );
    }
    // Without such a mark nothing had been sent that a limit is set to.
    const { automation: after } = endRun(
      activeRun(before, MONDAY),
      { kind: 'interrupted' },
      state,
      MONDAY,
      0,
    );
    expect(after?.spent).toEqual(earlier);
  });

  test('is what its host says it was, whatever it may have been', () => {
    const before = automation({ schedule: { kind: 'manual' } });
    const state = { automation: before, nextScheduledAt: null, agenda: [] };
    const until = MONDAY + HOUR_MS;
    const run = activeRun(before, MONDAY, { mayUse: { until, tokens: 40, cost: 0 } });
    const spent = { until, tokens: 5, cost: 0 };
    const { automation: after } = endRun(run, { kind: 'succeeded', summary: 'Yes', spent }, state, MONDAY, 0);
    expect(after?.spent).toEqual(spent);
  });
});
