import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Automation } from './automation.ts';
import { type Ending, endRun } from './ending.ts';
import type { OutboxRow } from './notification.ts';
import type { RunOutput } from './output.ts';
import { resultMark } from './result-mark.ts';
import type { Rules } from './rules.ts';
import type { ActiveRun } from './run.ts';
import { MONDAY, activeRun, automation, runId } from './samples.testing.ts';
import { MINUTE_MS } from './time.ts';

const ONE_ATTEMPT = { retry: { attempts: 1 } } as const;
const SUCCESS: Ending = { kind: 'succeeded', summary: '200 OK.' };
const outputOf = (text: string, totalMs = 5): RunOutput => ({
  kind: 'http',
  request: { method: 'GET', url: 'https://example.com/', headers: {} },
  response: {
    status: 200,
    statusText: '',
    url: 'https://example.com/',
    headers: {},
    contentType: 'text/plain',
    text,
    bytes: text.length,
    truncated: false,
  },
  timing: { sentAt: MONDAY + totalMs, totalMs },
});
const http = (text: string): Ending => ({ ...SUCCESS, mark: resultMark(outputOf(text)) });
const failure = (of: 'network' | 'action' | 'limit'): Ending => ({
  kind: 'failed',
  failure: { class: of, code: 'some', message: 'It answered 500.', advice: 'Look at its log.' },
});
const FAILURE = failure('action');

interface Step {
  readonly ending: Ending;
  readonly offline?: boolean;
  readonly run?: Partial<ActiveRun>;
}

/** An automation that lives through `steps`, a minute each; answers with what each end told. */
function live(
  rules: Partial<Rules>,
  steps: readonly (Ending | Step)[],
  start: Automation = automation({ rules: { ...ONE_ATTEMPT, autoPause: { kind: 'never' }, ...rules } }),
): { readonly rows: readonly (readonly OutboxRow[])[]; readonly automation: Automation } {
  let of = start;
  const rows: (readonly OutboxRow[])[] = [];
  for (const [index, given] of steps.entries()) {
    const step: Step = 'ending' in given ? given : { ending: given };
    const at = MONDAY + index * MINUTE_MS;
    const run = activeRun(of, at, { id: runId(index), ...step.run });
    const state = {
      automation: of,
      nextScheduledAt: null,
      agenda: [],
      offline: step.offline ?? false,
    };
    const end = endRun(run, step.ending, state, at + 1_000, 0);
    rows.push(end.writes.flatMap((one) => (one.store === 'outbox' && one.op === 'put' ? [one.row] : [])));
    if (end.automation !== null) of = end.automation;
  }
  return { rows, automation: of };
}

const abouts = (rows: readonly (readonly OutboxRow[])[]): string[] =>
  rows.map((some) => some.map(({ about }) => about).join());

describe('without a rule of its own', () => {
  test('an outage is told once, and its end once, in plain words', () => {
    const { rows } = live({}, [SUCCESS, FAILURE, FAILURE, FAILURE, SUCCESS, SUCCESS, FAILURE]);
    expect(abouts(rows)).toEqual(['', 'failed', '', '', 'recovered', '', 'failed']);
    expect(rows[1]?.[0]).toMatchObject({
      title: 'Check the API failed',
      body: 'It answered 500. Look at its log.',
      automationName: 'Check the API',
      dueAt: MONDAY + MINUTE_MS + 1_000 + 4_000,
    });
    expect(rows[4]?.[0]).toMatchObject({
      title: 'Check the API works again',
      body: '200 OK. It did not work for 3 minutes. Nothing is left to do.',
      ends: `${runId(1)}/0`,
    });
  });

  test('one that failed long before there were rules is told of when it fails again', () => {
    const old = automation({ rules: ONE_ATTEMPT }, { failuresInARow: 4 });
    expect(abouts(live({}, [FAILURE, FAILURE], old).rows)).toEqual(['failed', '']);
  });

  test('an attempt that is repeated, a cancelled run and a failure while offline are not told', () => {
    const { rows } = live({ retry: { attempts: 2, firstDelayMs: 1_000, factor: 1, maxDelayMs: 1_000 } }, [
      FAILURE,
      { kind: 'cancelled', by: 'person' },
      { ending: failure('network'), offline: true, run: { attempt: 2 } },
      failure('limit'),
    ]);
    expect(abouts(rows)).toEqual(['', '', '', '']);
  });

  test('a run that may have happened waits for the person, and says so', () => {
    const post = { kind: 'http', method: 'POST', url: 'https://example.com/' } as const;
    const sending = { ending: { kind: 'interrupted' }, run: { effect: 'sending' } } as const;
    const { rows } = live({}, [FAILURE, sending], automation({ action: post }));
    expect(abouts(rows)).toEqual(['failed', 'asks']);
    expect(rows[1]?.[0]?.title).toBe('Check the API waits for you');
  });

  test('one that pauses itself says so, although its outage was told', () => {
    const of = automation({ rules: { ...ONE_ATTEMPT, autoPause: { kind: 'after', failures: 3 } } });
    const { rows } = live({}, [FAILURE, FAILURE, FAILURE], of);
    expect(abouts(rows)).toEqual(['failed', '', 'paused']);
    expect(rows[2]?.[0]?.body).toBe(
      'It failed 3 times in a row, so it paused itself. It answered 500. Mend what is wrong and resume it; until then it does not run.',
    );
  });

  test('what the network did is marked, so that the machine’s own connection can be told', () => {
    const { rows } = live({}, [failure('network')]);
    expect(rows[0]?.[0]).toMatchObject({ about: 'failed', unreached: true });
  });
});

describe('a rule', () => {
  test.each<[string, NonNullable<Rules['notify']>, string[]]>([
    ['after three', { failure: { kind: 'after', failures: 3 } }, ['', '', 'failed', '', 'recovered']],
    ['always', { failure: { kind: 'always' } }, ['failed', 'failed', 'failed', 'failed', 'recovered']],
    ['never', { failure: { kind: 'never' } }, ['', '', '', '', '']],
    ['without recovery', { recovery: 'never' }, ['failed', '', '', '', '']],
    ['with results', { result: 'always' }, ['failed', '', '', '', 'recovered']],
  ])('%s', (_, notify, expected) => {
    expect(abouts(live({ notify }, [FAILURE, FAILURE, FAILURE, FAILURE, SUCCESS]).rows)).toEqual(expected);
  });

  test('after three failures, two and a success are nothing to tell of', () => {
    const notify = { failure: { kind: 'after', failures: 3 } } as const;
    expect(abouts(live({ notify }, [FAILURE, FAILURE, SUCCESS, FAILURE]).rows)).toEqual(['', '', '', '']);
  });

  test('for results tells each one, or those that are another than the last', () => {
    const steps = [http('a'), http('a'), http('b'), FAILURE, http('b'), http('c')];
    const always = live({ notify: { result: 'always', failure: { kind: 'never' } } }, steps);
    expect(abouts(always.rows)).toEqual(['done', 'done', 'done', '', 'done', 'done']);
    const change = live({ notify: { result: 'change', failure: { kind: 'never' } } }, steps);
    expect(abouts(change.rows)).toEqual(['', '', 'changed', '', '', 'changed']);
  });

  test('takes a result for the same that took longer, and for another that reads otherwise', () => {
    expect(resultMark(outputOf('a', 9))).toBe(resultMark(outputOf('a')));
    expect(resultMark(outputOf('b'))).not.toBe(resultMark(outputOf('a')));
  });

  test('adds to what the action says itself, so that one end is one notification', () => {
    const said = { ...SUCCESS, notifications: [{ title: 'Tea', body: 'It is ready.' }] };
    const { rows } = live({ notify: { result: 'always' } }, [FAILURE, said, said]);
    expect(rows[1]?.map(({ about, title, body, ends }) => ({ about, title, body, ends }))).toEqual([
      {
        about: 'said',
        title: 'Tea',
        body: 'It is ready.\nCheck the API works again. 200 OK. It did not work for 1 minute. Nothing is left to do.',
        ends: `${runId(0)}/0`,
      },
    ]);
    expect(rows[2]?.map(({ about, body }) => [about, body])).toEqual([['said', 'It is ready.']]);
  });

  test('that says so makes all of it urgent', () => {
    const { rows } = live({ notify: { urgent: true } }, [FAILURE, SUCCESS]);
    expect(rows.flat().map(({ urgent }) => urgent)).toEqual([true, true]);
  });
});

const endings: fc.Arbitrary<Step> = fc.oneof(
  fc.constant<Step>({ ending: SUCCESS }),
  fc.constant<Step>({ ending: { ...SUCCESS, notifications: [{ title: 'A', body: 'b' }] } }),
  fc.constantFrom('a', 'b').map((text): Step => ({ ending: http(text) })),
  fc
    .record({
      of: fc.constantFrom('network' as const, 'action' as const, 'limit' as const),
      offline: fc.boolean(),
    })
    .map(({ of, offline }): Step => ({ ending: failure(of), offline })),
  fc.constant<Step>({ ending: { kind: 'timed-out' } }),
  fc.constant<Step>({ ending: { kind: 'cancelled', by: 'person' } }),
  fc.constantFrom<'sending' | null>('sending', null).map((effect): Step => ({
    ending: { kind: 'interrupted' },
    run: effect === null ? {} : { effect },
  })),
);
const rule: fc.Arbitrary<NonNullable<Rules['notify']>> = fc.record(
  {
    failure: fc.oneof(
      fc.integer({ min: 1, max: 4 }).map((failures) => ({ kind: 'after' as const, failures })),
      fc.constant({ kind: 'always' as const }),
      fc.constant({ kind: 'never' as const }),
    ),
    recovery: fc.constantFrom('once' as const, 'never' as const),
    result: fc.constantFrom('always' as const, 'change' as const, 'never' as const),
    urgent: fc.boolean(),
  },
  { requiredKeys: [] },
);

test('under any order of endings each rule keeps its promise', () => {
  fc.assert(
    fc.property(rule, fc.array(endings, { maxLength: 40 }), fc.boolean(), (notify, steps, posts) => {
      const of = automation({
        rules: { ...ONE_ATTEMPT, autoPause: { kind: 'never' }, notify },
        ...(posts ? { action: { kind: 'http', method: 'POST', url: 'https://example.com/' } } : {}),
      });
      const { rows } = live({}, steps, of);
      let streak = 0;
      let told = 0;
      const ids = new Set<string>();
      for (const [index, some] of rows.entries()) {
        const step = steps[index];
        if (step === undefined) continue;
        // Never two notifications for one end.
        expect(some.length).toBeLessThanOrEqual(1);
        const [row] = some;
        const { ending } = step;
        const isSuccess = ending.kind === 'succeeded';
        const uncounted =
          ending.kind === 'cancelled' ||
          (ending.kind === 'failed' &&
            (ending.failure.class === 'limit' ||
              (ending.failure.class === 'network' && step.offline === true)));
        if (row !== undefined) {
          expect(ids.has(row.id)).toBe(false);
          ids.add(row.id);
        }
        const { failure: of_ = { kind: 'after', failures: 1 }, recovery = 'once' } = notify;
        if (isSuccess) {
          // One recovery for each outage that was told, and none without.
          const recovers = told > 0 && recovery === 'once';
          expect(row?.ends !== undefined).toBe(recovers);
          streak = 0;
          told = 0;
        } else if (!uncounted) {
          streak += 1;
          const asks = row?.about === 'asks';
          if (of_.kind === 'never') expect(row).toBeUndefined();
          else if (of_.kind === 'always') expect(row).toBeDefined();
          else {
            // At the latest at the number of failures that was asked for, and then once.
            const isDue = told === 0 && streak >= of_.failures;
            expect(row !== undefined).toBe(isDue || asks);
          }
          if (row !== undefined) told += 1;
        } else if (of_.kind !== 'always') expect(row).toBeUndefined();
      }
    }),
    { numRuns: 400 },
  );
});
