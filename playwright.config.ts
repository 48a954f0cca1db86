import { defineConfig } from '@playwright/test';
import { findChromium, launchOptions } from './scripts/browsers.mjs';

const chromium = findChromium();
if (chromium === null) throw new Error('There is no Chromium here. `npm test` installs one.');

export default defineConfig({
  testDir: 'e2e',
  // What ends in `.test.ts` there is vitest's.
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Tests of races that must not be won by luck: a test that fails once has failed.
  retries: 0,
  // Each test opens many tabs and keeps the machine busy by itself; two at once would test the machine.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    launchOptions: launchOptions(chromium),
    // A picture of the last moment is enough: traces slow down what is timed here.
    screenshot: 'only-on-failure',
    trace: 'off',
  },
  projects: [
    { name: 'chromium', testMatch: /\.spec\.ts$/, use: { browserName: 'chromium' } },
    // `npm run shots`: pictures to look at, no test.
    { name: 'pictures', testMatch: /\.pictures\.ts$/, use: { browserName: 'chromium' } },
  ],
});
