import { describe, expect, test } from 'vitest';
import {
  type AutomationId,
  DEFAULT_RULES,
  type Definition,
  type HostId,
  type RunId,
  scheduledOccurrence,
} from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import { isCredential, reportOf } from './run-report.ts';
import { verdictOf } from './run-verdict.ts';

const local = (text: string): number => new Date(text).getTime();
const NOW = local('2026-11-29T14:52:10');
const DUE = local('2026-11-29T14:45:00');
const automationId = '0b0f3f4e-5a43-4bb0-9d4b-0f2f5f3b7a11' as AutomationId;

const definition: Definition = {
  name: 'Check the API',
  enabled: true,
  tags: [],
  schedule: { kind: 'cron', expression: '*/5 * * * *', timeZone: 'UTC' },
  action: {
    kind: 'http',
    method: 'GET',
    url: 'https://api.example.test/health',
    headers: {},
    idempotencyKey: false,
    repeatable: false,
  },
  rules: DEFAULT_RULES,
};

function run(change: Partial<RunDetail> = {}): RunDetail {
  return {
    id: '019ad000-0000-7000-8000-000000000001' as RunId,
    automationId,
    automationName: 'Check the API',
    occurrence: scheduledOccurrence(automationId, DUE),
    scheduledFor: DUE,
    cause: 'schedule',
    attempt: 1,
    status: 'succeeded',
    claimedAt: DUE + 4,
    startedAt: DUE + 4,
    settledAt: DUE + 225,
    latenessMs: 4,
    host: { id: 'h' as HostId, kind: 'shared-worker', build: '0.1.0' },
    fence: 418,
    revision: 7,
    definition,
    output: null,
    ...change,
  };
}

const said = (change: Partial<RunDetail>): string => {
  const { headline, more } = verdictOf(run(change), NOW);
  return [headline, ...more].join(' ');
};

describe('the verdict on a run that', () => {
  test.each<[string, Partial<RunDetail>, string]>([
    ['succeeded says what came of it', { summary: '200 OK' }, 'It succeeded: 200 OK.'],
    ['succeeded without a word says how long it took', {}, 'It succeeded in 221 ms.'],
    [
      'succeeded late says so',
      { summary: '200 OK', latenessMs: 6 * 3_600_000 },
      'It succeeded: 200 OK. It was due today 14:45 and ran 6 h late.',
    ],
    [
      'failed says why, what to do, and when Rota tries again',
      {
        status: 'failed',
        failure: {
          class: 'action',
          code: 'unexpected-status',
          message: 'The server answered 503 instead of 200.',
          advice: 'Look at the server',
        },
        retryAt: NOW + 40_000,
      },
      'The server answered 503 instead of 200. Look at the server. Rota tries again at 14:52:50.',
    ],
    [
      'failed for the last time says that it was the last',
      {
        status: 'failed',
        attempt: 3,
        failure: { class: 'network', code: 'x', message: 'No answer.' },
      },
      'No answer. It was attempt 3 of 3.',
    ],
    [
      'timed out names the limit',
      { status: 'timed-out' },
      'It took longer than 30 min and was ended. No further attempt is planned. If it needs longer, raise its timeout.',
    ],
    [
      'failed to send what must not be repeated',
      {
        status: 'failed',
        failure: { class: 'network', code: 'x', message: 'No answer.' },
        definition: {
          ...definition,
          action: { ...definition.action, method: 'POST' } as Definition['action'],
        },
      },
      'No answer. Rota does not try again by itself, because repeating it could do harm.',
    ],
    ['was cancelled by a person', { status: 'cancelled', reason: 'person' }, 'You cancelled it.'],
    [
      'was replaced after its request had left',
      { status: 'cancelled', reason: 'replaced', effect: 'sending' },
      'A newer run took its place, as its overlap rule says. Its request had already left, so it may have had its effect.',
    ],
    [
      'was interrupted safely and is retried',
      { status: 'interrupted', retryAt: NOW + 1_000 },
      'The browser or its engine stopped before it was done. Rota tries again at 14:52:11.',
    ],
    [
      'may have happened leaves the decision to the person',
      { status: 'interrupted', mayHaveHappened: true, effect: 'sending' },
      'The browser or its engine stopped in the middle of the request, so it may have happened. Rota does not repeat it by itself. Look at the other side, then say which it was.',
    ],
    [
      'did happen but lost its answer',
      { status: 'interrupted', mayHaveHappened: true, effect: 'sent' },
      'It happened, but the browser or its engine stopped before the answer was stored. Rota does not repeat it by itself. Look at the other side, then say which it was.',
    ],
    [
      'may have happened and did, as the person said',
      {
        status: 'interrupted',
        mayHaveHappened: true,
        effect: 'sending',
        answer: { said: 'happened', at: NOW },
      },
      'The browser or its engine stopped in the middle of the request, so it may have happened. You said today 14:52 that it did happen.',
    ],
    [
      'may have happened and was run again',
      {
        status: 'interrupted',
        mayHaveHappened: true,
        effect: 'sending',
        answer: { said: 'run-again', at: NOW },
      },
      'The browser or its engine stopped in the middle of the request, so it may have happened. You had it run again today 14:52.',
    ],
    [
      'was missed seven times',
      {
        status: 'missed',
        reason: 'closed',
        startedAt: null,
        covers: { from: DUE - 30 * 60_000, to: DUE, count: 7 },
      },
      'It did not run: the browser was closed. This row stands for 7 scheduled times, from today 14:15 to today 14:45. Rota runs while a tab or the installed app is open.',
    ],
    [
      'was skipped once',
      { status: 'skipped', reason: 'overlap', covers: { from: DUE, to: DUE, count: 1 } },
      'It was skipped: the run before was still active. It was due today 14:45. To queue, replace or run side by side instead, change its overlap rule.',
    ],
    [
      'is running says for how long and until when at most',
      { status: 'running', startedAt: NOW - 4_000, settledAt: null },
      'It has been running for 4 s. Rota ends it at 15:22:06 at the latest.',
    ],
    [
      'is being cancelled',
      { status: 'running', settledAt: null, cancelling: true },
      'It is being cancelled.',
    ],
  ])('%s', (_what, change, text) => {
    expect(said(change)).toBe(text);
  });
});

describe('a report', () => {
  test('tells what was sent and answered, without credentials', () => {
    const text = reportOf(
      run({
        status: 'failed',
        failure: { class: 'action', code: 'unexpected-status', message: 'The server answered 503.' },
        output: {
          kind: 'http',
          request: {
            method: 'POST',
            url: 'https://me:hunter2@api.example.test/a?b=1&access_token=hunter2#c',
            headers: { Authorization: 'Bearer hunter2', 'X-Api-Key': 'hunter2', Accept: '*/*' },
            body: '{}',
          },
          response: {
            status: 503,
            statusText: '',
            url: 'https://api.example.test/a',
            headers: { 'content-type': 'text/plain' },
            contentType: 'text/plain',
            text: 'busy',
            bytes: 4,
            truncated: false,
          },
          timing: { sentAt: DUE, totalMs: 200 },
        },
      }),
      NOW,
    );
    expect(text).toMatch(/^Check the API: Failed\nThe server answered 503\. /);
    expect(text).toContain(
      '> POST https://api.example.test/a?b=1&access_token=(left out)#c\n> Authorization: (left out)\n',
    );
    expect(text).toContain('< 503\n< content-type: text/plain\n<\nbusy');
    expect(text).toContain('Failure: action/unexpected-status');
    expect(text).not.toContain('hunter2');
  });

  test('of a missed run says how many it stands for', () => {
    const covers = { from: DUE - 60_000, to: DUE, count: 2 };
    const text = reportOf(
      run({ status: 'missed', reason: 'closed', startedAt: null, host: null, covers }),
      NOW,
    );
    expect(text).toContain(`Covers: 2 times from ${new Date(DUE - 60_000).toISOString()}`);
  });

  test.each([
    ['Authorization', true],
    ['x-api-key', true],
    ['Cookie', true],
    ['content-type', false],
  ])('takes %s for a credential: %s', (name, is) => {
    expect(isCredential(name)).toBe(is);
  });
});
