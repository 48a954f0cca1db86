import { expect, test } from 'vitest';
import type { Hit } from '../http-server.ts';
import { effectsIn } from './hits.ts';

const hit = (method: string): Hit => ({
  method,
  path: '/effect',
  search: new URLSearchParams('run=r&automation=a&occurrence=a%401000&attempt=2'),
  headers: {},
  body: '',
  startedAt: 1_000,
  answeredAt: 1_010,
  endedAt: 1_011,
});

test('What is looked at with HEAD is no effect, and all that is sent otherwise is', () => {
  const effect = {
    runId: 'r',
    automationId: 'a',
    occurrence: 'a@1000',
    attempt: 2,
    startedAt: 1_000,
    answeredAt: 1_010,
    closedAt: 1_011,
  };
  expect(effectsIn([hit('GET'), hit('HEAD'), hit('POST')])).toEqual([effect, effect]);
});
