import { expect, test } from 'vitest';
import type { RunDetail } from '../../rpc/index.ts';
import { traceOf } from './run-trace.ts';

const run = (change: Partial<RunDetail>): RunDetail =>
  ({ startedAt: 1_000, claimedAt: 1_000, settledAt: 1_300, output: null, ...change }) as RunDetail;
const request = { method: 'GET', url: 'https://a.test/', headers: {} };
const response = {
  status: 200,
  statusText: '',
  url: '',
  headers: {},
  contentType: '',
  text: '',
  bytes: 0,
  truncated: false,
};
const steps = (change: Partial<RunDetail>) =>
  traceOf(run(change)).map(({ kind, at, tookMs }) => [kind, at, tookMs]);

test('a request that was answered has four steps, each with the time until the next', () => {
  const timing = { sentAt: 1_003, headersMs: 200, totalMs: 210 };
  expect(steps({ output: { kind: 'http', request, response, timing } })).toEqual([
    ['claimed', 1_000, 3],
    ['sent', 1_003, 200],
    ['answered', 1_203, 97],
    ['ended', 1_300, undefined],
  ]);
});

test('a request without an answer says how long it was waited for', () => {
  const timing = { sentAt: 1_003, totalMs: 290 };
  expect(steps({ output: { kind: 'http', request, timing } })).toEqual([
    ['claimed', 1_000, 3],
    ['sent', 1_003, 290],
    ['unanswered', 1_293, 7],
    ['ended', 1_300, undefined],
  ]);
});

test('a run in flight ends in what it is doing', () => {
  expect(steps({ settledAt: null })).toEqual([
    ['claimed', 1_000, undefined],
    ['running', null, undefined],
  ]);
});

test('what was missed or skipped was due and was written down', () => {
  expect(steps({ startedAt: null, scheduledFor: 900 })).toEqual([
    ['due', 900, undefined],
    ['recorded', 1_300, undefined],
  ]);
});

test('a request that had left before its run ended is a step of its own', () => {
  expect(steps({ effect: 'sending' })).toEqual([
    ['claimed', 1_000, undefined],
    ['left', null, undefined],
    ['ended', 1_300, undefined],
  ]);
});

test('two clocks that disagree never make a step shorter than nothing', () => {
  const timing = { sentAt: 990, headersMs: 400, totalMs: 400 };
  expect(steps({ output: { kind: 'http', request, response, timing } }).map(([, , took]) => took)).toEqual([
    0,
    400,
    0,
    undefined,
  ]);
});
