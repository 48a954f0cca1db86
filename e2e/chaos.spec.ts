import { expect, test } from '@playwright/test';
import { verdictText } from './chaos/check-history.ts';
import { runChaos } from './chaos/run.ts';

const MINUTE_MS = 60_000;
const SEED = 1;

test(`Two minutes of chaos (seed ${SEED}): tabs, processes and the browser are killed, clocks are set, and nothing is lost, doubled or left behind`, async ({}, info) => {
  test.setTimeout(6 * MINUTE_MS);
  const log: string[] = [];
  const { verdict, deeds } = await runChaos({
    engine: 'chromium',
    tabs: 16,
    seed: SEED,
    durationMs: 2 * MINUTE_MS,
    dist: process.env['ROTA_DIST'] ?? 'dist-test',
    distNext: process.env['ROTA_DIST_NEXT'] ?? 'dist-test-next',
    folder: info.outputPath('record'),
    log: (line) => void log.push(line),
    // Whatever else this machine does meanwhile: how fast recovery is on a quiet one, `npm run bench` says.
    tolerances: { recoveryMs: 10_000, abortMs: 10_000 },
  });
  await info.attach('what was done', { body: log.join('\n') });
  await info.attach('verdict', { body: verdictText(verdict) });
  expect(verdict.violations.map(({ invariant, what }) => `${invariant}: ${what}`)).toEqual([]);
  expect(verdict.unjudged).toEqual([]);
  // A record of nothing would pass as well.
  expect(verdict.judged.kills).toBeGreaterThanOrEqual(5);
  expect(verdict.judged.runs).toBeGreaterThanOrEqual(100);
  expect(Object.keys(deeds)).toContain('lost database connections');
  expect(Object.keys(deeds).join()).toMatch(/clocks set/);
});
