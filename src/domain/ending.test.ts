import { describe, expect, test } from 'vitest';
import { AssertionError } from './assert.ts';
import { RECENT_RUNS_MOST, type Automation } from './automation.ts';
import type { DefinitionInput } from './definition.ts';
import { SCHEMA } from './schema.ts';
import { type EndState, type Ending, endRun, mayHaveHappened, retryRuleOf } from './ending.ts';
import { isWaiting } from './notification.ts';
import { manualOccurrence } from './occurrence.ts';
import { type ActiveRun, type FailureClass, RUN_STATUSES } from './run.ts';
import {
  MONDAY,
  activeRun,
  agendaRows,
  automation,
  automationAfter,
  automationId,
  commandId,
  runId,
  told,
} from './samples.testing.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

const NOW = MONDAY + 30 * SECOND_MS;
const GET = { kind: 'http', url: 'https://example.test/' } as const;
const POST = { ...GET, method: 'POST' } as const;

const failed = (of: FailureClass): Ending => ({
  kind: 'failed',
  failure: { class: of, code: 'some-code', message: 'It went wrong.' },
});
const ENDINGS: readonly Ending[] = [
  { kind: 'succeeded', summary: '200 OK' },
  failed('action'),
  { kind: 'timed-out' },
  { kind: 'cancelled', by: 'person' },
  { kind: 'interrupted' },
];

interface Case {
  readonly definition?: Partial<DefinitionInput>;
  readonly run?: Partial<ActiveRun>;
  readonly state?: Partial<EndState>;
  readonly now?: number;
  readonly chance?: number;
}

function end(ending: Ending, one: Case = {}): ReturnType<typeof endRun> {
  const of: Automation = automation({ schedule: { kind: 'manual' }, ...one.definition });
  const state = { automation: of, nextScheduledAt: null, agenda: [], ...one.state };
  return endRun(activeRun(of, MONDAY, one.run), ending, state, one.now ?? NOW, one.chance ?? 0);
}

describe('a run that ends', () => {
  test.each(ENDINGS)(
    'as %s keeps all that its claim wrote and loses what only an active run has',
    (ending) => {
      const before = activeRun(automation(), MONDAY, { cancelRequested: { at: MONDAY, by: 'person' } });
      const { run, writes } = end(ending, { run: { cancelRequested: { at: MONDAY, by: 'person' } } });
      const {
        status: _,
        active: _a,
        lease: _l,
        leaseDeadline: _d,
        cancelRequested: _c,
        definition: _f,
        ...kept
      } = before;
      expect(run).toMatchObject({ ...kept, status: ending.kind, settledAt: NOW });
      for (const field of ['active', 'lease', 'leaseDeadline', 'cancelRequested'])
        expect(run).not.toHaveProperty(field);
      expect(told(writes)[0]).toMatch(new RegExp(`^runs =${ending.kind}`));
    },
  );

  test('does not end before it began when the clock went back', () => {
    const { run, automation: after } = end({ kind: 'interrupted' }, { now: MONDAY - HOUR_MS });
    expect(run.settledAt).toBe(MONDAY);
    expect(after?.recent[0]?.durationMs).toBe(0);
  });

  test('stays ended: a row that is not running cannot be ended again', () => {
    for (const status of RUN_STATUSES.filter((one) => one !== 'running')) {
      const over = { ...activeRun(automation(), MONDAY), status } as unknown as ActiveRun;
      const state = { automation: automation(), nextScheduledAt: null, agenda: [] };
      expect(() => endRun(over, { kind: 'interrupted' }, state, NOW, 0), status).toThrow(AssertionError);
    }
  });

  test('leaves its output apart, and asks for what it wants shown, under ids that a repeat replaces', () => {
    const output = { kind: 'remind', message: 'Water the plants' } as const;
    const { writes } = end({
      kind: 'succeeded',
      summary: 'Reminded',
      output,
      notifications: [
        { title: 'A', body: '1' },
        { title: 'B', body: '2' },
      ],
    });
    expect(told(writes)).toEqual(['runs =succeeded', 'outputs +', 'outbox +', 'outbox +', 'automations =']);
    const shown = writes.flatMap((write) =>
      write.store === 'outbox' && write.op === 'put' ? [write.row] : [],
    );
    expect(shown.map((row) => [row.id, isWaiting(row) && row.dueAt, row.runId, row.title])).toEqual([
      [`${runId(900)}/0`, NOW, runId(900), 'A'],
      [`${runId(900)}/1`, NOW, runId(900), 'B'],
    ]);
    expect(told(end({ ...failed('action'), output } as Ending).writes)).toContain('outputs +');
  });

  test('whose automation was removed is recorded, and nothing is brought back', () => {
    const { run, automation: after, writes } = end(failed('network'), { state: { automation: null } });
    expect([run.status, after, told(writes)]).toEqual(['failed', null, ['runs =failed (network)']]);
  });

  test('is in its automation’s bar, of which the newest are kept', () => {
    const recent = Array.from({ length: RECENT_RUNS_MOST }, (_, n) => ({
      id: runId(n),
      status: 'succeeded' as const,
      at: n,
    }));
    const of = automation({}, { recent });
    const { automation: after } = end(failed('denied'), {
      state: { automation: of },
      run: { latenessMs: 7 },
    });
    expect(after?.recent).toHaveLength(RECENT_RUNS_MOST);
    expect(after?.recent.at(-1)).toEqual({
      id: runId(900),
      status: 'failed',
      at: NOW,
      durationMs: 30 * SECOND_MS,
      latenessMs: 7,
      summary: 'It went wrong.',
      reason: 'denied',
    });
  });

  test('says who shut it out when its host hung, and that what it had begun may still happen', () => {
    const { run } = end({ kind: 'timed-out', hung: true });
    expect(run).toMatchObject({
      status: 'timed-out',
      summary: expect.stringMatching(/may still happen/) as string,
    });
    expect(end({ kind: 'timed-out' }).run.summary).toBe('Took longer than its timeout.');
  });

  test.each([
    ['person', 'Cancelled by you.'],
    ['replaced', 'Replaced by the next run.'],
  ] as const)('by being cancelled (%s) says by whom', (by, summary) => {
    expect(end({ kind: 'cancelled', by }).run).toMatchObject({ reason: by, summary });
  });
});

describe('an effect that must not be repeated', () => {
  test.each([
    ['a POST', POST, true],
    ['a GET', GET, false],
    ['a POST with an idempotency key', { ...POST, idempotencyKey: true }, false],
    ['a POST that a person calls repeatable', { ...POST, repeatable: true }, false],
    ['a reminder', { kind: 'remind', message: 'x' } as const, false],
  ])('may have happened when it is %s that had begun', (_, action, open) => {
    for (const effect of ['sending', 'sent'] as const) {
      const { run } = end({ kind: 'interrupted' }, { definition: { action }, run: { effect } });
      expect('mayHaveHappened' in run).toBe(open);
      expect(run.effect).toBe(effect);
      expect(run.retryAt !== undefined).toBe(!open);
      expect(mayHaveHappened(activeRun(automation({ action }), MONDAY, { effect }))).toBe(open);
    }
  });

  test('is said in the bar of its automation, so that it needs the person', () => {
    const { automation: after } = end(
      { kind: 'interrupted' },
      { definition: { action: POST }, run: { effect: 'sending' } },
    );
    expect(after?.recent.at(-1)).toMatchObject({ mayHaveHappened: true });
  });

  test('that had not begun did not happen, and may be tried again where a rule says so', () => {
    const rules = { retry: { attempts: 2 } };
    const { run } = end({ kind: 'interrupted' }, { definition: { action: POST, rules } });
    expect(run).not.toHaveProperty('mayHaveHappened');
    expect(run.retryAt).toBe(NOW + SECOND_MS);
  });

  test('is never repeated by itself once it had, whatever the rule', () => {
    const rules = { retry: { attempts: 5 } };
    const endings: Ending[] = [
      { kind: 'interrupted' },
      { kind: 'timed-out' },
      failed('network'),
      failed('storage'),
    ];
    for (const effect of ['sending', 'sent'] as const) {
      for (const ending of endings) {
        const { run, writes } = end(ending, { definition: { action: POST, rules }, run: { effect } });
        expect([run.retryAt, agendaRows(writes)]).toEqual([undefined, []]);
      }
    }
  });

  test('of a tool is not repeated because the model failed after it, and is where the person calls it safe', () => {
    const rules = { retry: { attempts: 2, on: ['action', 'limit', 'denied', 'network'] as const } };
    const prompt = (repeatable: boolean): Partial<DefinitionInput> => ({
      rules: { retry: { ...rules.retry, on: [...rules.retry.on] } },
      action: {
        kind: 'prompt',
        endpoint: { baseUrl: 'http://localhost:11434' },
        model: 'm',
        prompt: 'p',
        tools: { servers: [{ url: 'http://localhost:8000/mcp', tools: [{ name: 'send', repeatable }] }] },
      },
    });
    for (const of of rules.retry.on) {
      const again = (repeatable: boolean, effect?: 'sent'): boolean => {
        const run = effect === undefined ? {} : { effect };
        return end(failed(of), { definition: prompt(repeatable), run }).run.retryAt !== undefined;
      };
      expect([again(false, 'sent'), again(false), again(true)]).toEqual([false, true, true]);
    }
    const died = end({ kind: 'interrupted' }, { definition: prompt(false), run: { effect: 'sent' } });
    expect(died.run).toMatchObject({ mayHaveHappened: true });
  });

  test('is tried again where a rule says so when the answer was that it failed, or it never left', () => {
    const definition = { action: POST, rules: { retry: { attempts: 2 } } };
    expect(end(failed('action'), { definition, run: { effect: 'sent' } }).run.retryAt).toBeDefined();
    expect(end(failed('network'), { definition }).run.retryAt).toBeDefined();
  });
});

describe('the next attempt', () => {
  test.each<[string, Ending, boolean]>([
    ['a success', { kind: 'succeeded', summary: '' }, false],
    ['a failed action', failed('action'), true],
    ['a network failure', failed('network'), true],
    ['a storage failure', failed('storage'), true],
    ['something denied', failed('denied'), false],
    ['something invalid', failed('invalid'), false],
    ['a limit', failed('limit'), false],
    ['a timeout', { kind: 'timed-out' }, true],
    ['a cancel', { kind: 'cancelled', by: 'person' }, false],
    ['a replacement', { kind: 'cancelled', by: 'replaced' }, false],
    ['an interruption', { kind: 'interrupted' }, true],
  ])('after %s: %s', (_, ending, again) => {
    const { run, writes } = end(ending);
    expect(run.retryAt !== undefined).toBe(again);
    expect(agendaRows(writes)).toHaveLength(again ? 1 : 0);
  });

  test('is a row of the same occurrence', () => {
    const [row] = agendaRows(end(failed('network')).writes);
    expect(row).toEqual({
      key: `${automationId(1)}@${MONDAY}#2`,
      schema: SCHEMA,
      occurrence: `${automationId(1)}@${MONDAY}`,
      automationId: automationId(1),
      scheduledFor: MONDAY,
      attempt: 2,
      dueAt: NOW + SECOND_MS,
      cause: 'retry',
    });
  });

  test.each([
    [1, 0, 1_000],
    [2, 0, 2_000],
    [3, 0, 4_000],
    [9, 0, 10_000],
    [1, 0.5, 500],
    [1, 0.9999999, 1],
  ])(
    'after attempt %i, with chance %d, is due in %i ms: doubling, capped, with full jitter, never at once',
    (attempt, chance, delay) => {
      const rules = { retry: { attempts: 10, firstDelayMs: 1_000, factor: 2, maxDelayMs: 10_000 } };
      expect(end(failed('network'), { definition: { rules }, run: { attempt }, chance }).run.retryAt).toBe(
        NOW + delay,
      );
    },
  );

  test('does not come after the last: three for what can be repeated, one for what cannot, or as the rule says', () => {
    expect(retryRuleOf(activeRun(automation({ action: GET }), MONDAY)).attempts).toBe(3);
    expect(retryRuleOf(activeRun(automation({ action: POST }), MONDAY)).attempts).toBe(1);
    expect(end(failed('network'), { run: { attempt: 3 } }).run.retryAt).toBeUndefined();
    expect(end(failed('network'), { definition: { action: POST } }).run.retryAt).toBeUndefined();
    const rules = { retry: { attempts: 2 } };
    expect(
      end(failed('network'), { definition: { rules }, run: { attempt: 2 } }).run.retryAt,
    ).toBeUndefined();
  });

  test('is decided by the rules that the run has, not by those of a later edit', () => {
    const edited = automation({ rules: { retry: { attempts: 1 } } });
    expect(end(failed('network'), { state: { automation: edited } }).run.retryAt).toBeDefined();
  });

  test('gives way to a scheduled occurrence that comes first, except where every missed one is wanted', () => {
    const due = NOW + SECOND_MS;
    for (const [nextScheduledAt, again] of [
      [due, false],
      [due + 1, true],
      [NOW - MINUTE_MS, false],
      [null, true],
    ] as const) {
      expect(end(failed('network'), { state: { nextScheduledAt } }).run.retryAt !== undefined).toBe(again);
    }
    const rules = { missed: { kind: 'all' } } as const;
    expect(
      end(failed('network'), { definition: { rules }, state: { nextScheduledAt: NOW } }).run.retryAt,
    ).toBe(due);
  });

  test('does not come for an automation that was paused, unless a person asked for the run', () => {
    const paused = automation({ enabled: false });
    const byHand = manualOccurrence(automationId(1), commandId(1));
    const again = (run: Partial<ActiveRun>): boolean =>
      end(failed('network'), { run, state: { automation: paused } }).run.retryAt !== undefined;
    expect(again({})).toBe(false);
    expect(again({ cause: 'manual', occurrence: byHand })).toBe(true);
    expect(again({ cause: 'retry', attempt: 2, occurrence: byHand })).toBe(true);
    expect(again({ cause: 'retry', attempt: 2 })).toBe(false);
  });

  test.each(ENDINGS)('does not come for a run that was asked to end, also when it ended as %s', (ending) => {
    const run = { cancelRequested: { at: MONDAY, by: 'person' } } as const;
    expect(end(ending, { run }).run.retryAt).toBeUndefined();
  });
});

describe('failures in a row', () => {
  const after = (ending: Ending, one: Case = {}): number | undefined =>
    end(ending, {
      ...one,
      state: { automation: automation({ schedule: { kind: 'manual' } }, { failuresInARow: 4 }) },
    }).automation?.failuresInARow;

  test('end with a success and stay with a cancel', () => {
    expect(after({ kind: 'succeeded', summary: '' })).toBe(0);
    expect(after({ kind: 'cancelled', by: 'person' })).toBe(4);
  });

  test('grow by one with the last attempt, and not with one that is tried again', () => {
    for (const ending of [failed('network'), { kind: 'timed-out' }, { kind: 'interrupted' }] as Ending[]) {
      expect(after(ending)).toBe(4);
      expect(after(ending, { run: { attempt: 3 } })).toBe(5);
    }
    expect(after(failed('denied'))).toBe(5);
  });

  test('and all else that it does not change stay as stored, also what a newer build has added', () => {
    const of = { ...automation({}, { fence: 3, revision: 9 }), fromTheFuture: 1 };
    const { writes } = end({ kind: 'succeeded', summary: '' }, { state: { automation: of } });
    expect(automationAfter(writes)).toMatchObject({ fence: 3, revision: 9, fromTheFuture: 1 });
  });
});

describe('a server that asks to be left alone', () => {
  const limitedTo = (retryAfterMs: number): Ending => ({
    kind: 'failed',
    failure: { class: 'action', code: 'rate-limited', message: 'Too many.', retryAfterMs },
  });

  test('is not asked again sooner', () => {
    expect(end(limitedTo(HOUR_MS), { definition: { action: GET } }).run.retryAt).toBe(NOW + HOUR_MS);
  });

  test('for ever is asked again after a day', () => {
    expect(end(limitedTo(1e12), { definition: { action: GET } }).run.retryAt).toBe(NOW + 24 * HOUR_MS);
  });
});

test('a limit that a person set is no failure that counts towards a pause', () => {
  const definition = { action: GET, rules: { autoPause: { kind: 'after', failures: 1 } } } as const;
  expect(end(failed('limit'), { definition }).automation).toMatchObject({ enabled: true, failuresInARow: 0 });
  const retry = { attempts: 1 };
  const other = { ...definition, rules: { ...definition.rules, retry } };
  expect(end(failed('action'), { definition: other }).automation).toMatchObject({ enabled: false });
});

describe('a run of several steps', () => {
  const retry = { attempts: 3, firstDelayMs: 1_000, factor: 2, maxDelayMs: 1_000 };
  const definition: Partial<DefinitionInput> = {
    action: { kind: 'steps', steps: [{ action: POST }, { action: POST }] },
    rules: { retry },
  };
  const failedAt = (step: number): Ending => ({
    kind: 'failed',
    failure: { class: 'network', code: 'unreachable', message: 'Nobody answers.', step },
    output: { kind: 'steps', steps: [] },
  });
  const sent = { effect: 'sent', effectSteps: [{ step: 1, effect: 'sent' }] } as const;

  test('is tried again from the step that failed, where only steps before it were sent', () => {
    const { run, writes } = end(failedAt(2), { definition, run: sent });
    expect(agendaRows(writes)).toMatchObject([{ attempt: 2, from: { runId: run.id, step: 2 } }]);
  });

  test('is not tried again where the step that failed may have had its effect', () => {
    expect(agendaRows(end(failedAt(1), { definition, run: sent }).writes)).toEqual([]);
  });

  test('is not tried again because the model of a step failed after a tool of it that must not be called twice', () => {
    const asks = (repeatable: boolean): Partial<DefinitionInput> => ({
      action: {
        kind: 'steps',
        steps: [
          { action: POST },
          {
            action: {
              kind: 'prompt',
              endpoint: { baseUrl: 'http://localhost:11434' },
              model: 'm',
              prompt: 'p',
              tools: {
                servers: [{ url: 'http://localhost:8000/mcp', tools: [{ name: 'send', repeatable }] }],
              },
            },
          },
        ],
      },
      rules: { retry: { ...retry, on: ['action'] } },
    });
    const ending: Ending = {
      kind: 'failed',
      failure: { class: 'action', code: 'model-failed', message: 'It failed.', step: 2 },
      output: { kind: 'steps', steps: [] },
    };
    const called = {
      effect: 'sent',
      effectSteps: [...sent.effectSteps, { step: 2, effect: 'sent' }],
    } as const;
    const again = (repeatable: boolean, run: typeof sent | typeof called): number =>
      agendaRows(end(ending, { definition: asks(repeatable), run }).writes).length;
    expect([again(false, sent), again(false, called), again(true, called)]).toEqual([1, 0, 1]);
  });

  test.each([
    [[{ step: 1, effect: 'sent' }], 'Step 1 was sent; the engine ended before the run did.'],
    [
      [
        { step: 1, effect: 'sent' },
        { step: 2, effect: 'sending' },
      ],
      'Step 1 was sent; more may have happened: the engine ended before the answer to step 2.',
    ],
  ] as const)('that dies after %j says so', (effectSteps, summary) => {
    const { run } = end({ kind: 'interrupted' }, { definition, run: { effect: 'sent', effectSteps } });
    expect(run).toMatchObject({ status: 'interrupted', mayHaveHappened: true, summary });
  });
});
