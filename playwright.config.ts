import { defineConfig } from '@playwright/test';
import type { EngineOptions } from './e2e/engines/index.ts';

export default defineConfig<EngineOptions>({
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
    // A picture of the last moment is enough: traces slow down what is timed here.
    screenshot: 'only-on-failure',
    trace: 'off',
  },
  projects: [
    // What engines.spec.ts tells, others tell of Chromium at length.
    { name: 'chromium', testMatch: /\.spec\.ts$/, testIgnore: /(engines|webkit)\.spec\.ts$/ },
    ...(['firefox', 'webkit'] as const).map((engine) => ({
      name: engine,
      testMatch: [
        /(engines|everywhere|vectors)\.spec\.ts$/,
        ...(engine === 'webkit' ? [/webkit\.spec\.ts$/] : []),
      ],
      use: { engine },
    })),
    // Stories of the screens, told in Chromium, that are told here too.
    {
      name: 'firefox-screens',
      testMatch: /\.spec\.ts$/,
      testIgnore: /(engines|everywhere|vectors|webkit)\.spec\.ts$/,
      grep: /@firefox/,
      use: { engine: 'firefox' },
      // It is driven from further away than Chromium, and slower to start.
      timeout: 240_000,
      expect: { timeout: 60_000 },
    },
    // `npm run shots`: to be looked at, no tests.
    { name: 'pictures', testMatch: /\.pictures\.ts$/ },
    { name: 'pictures-firefox', testMatch: /shots\.pictures\.ts$/, use: { engine: 'firefox' } },
  ],
});
