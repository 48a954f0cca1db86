import { expect, test } from 'vitest';
import type { EnginePage } from '../engines/index.ts';
import { Recorder } from './recorder.ts';

test('A host was last seen when it was looked for, not when a busy machine brought the answer', async () => {
  const looked = { askedAt: 0, answeredAt: 0 };
  const evaluate = async (): Promise<unknown> => {
    looked.askedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 20));
    looked.answeredAt = Date.now();
    return ['rota/host/one', 'rota/duty'];
  };
  const watcher = { evaluate } as unknown as EnginePage;
  const recorder = new Recorder({ watcher: () => Promise.resolve(watcher) });
  expect(await recorder.lookAtHosts()).toEqual(new Set(['one']));

  const ledger = { at: 0, automations: [], agenda: [], runs: [], commands: [], settings: [], quarantined: 0 };
  const rest = {
    ...{ ledger, engine: 'chromium', tabs: 1, leftOut: [], maxConcurrentAtFirst: 8, server: '' },
    ...{ slow: [], takesRequestsBack: true },
  };
  const [host] = recorder.record(rest).hosts;
  expect(host?.lastSeenAt).toBeLessThanOrEqual(looked.askedAt);
  // It may have started at any time up to the answer.
  expect(host?.startedAt).toBeGreaterThanOrEqual(looked.answeredAt);
});
