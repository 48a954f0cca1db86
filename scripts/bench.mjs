/**
 * `npm run bench`: what a claim and a settlement cost as ratios to the floor, one put in one transaction of the same
 * durability, measured in turn in one run in Chromium. Prints a table and, with `--json FILE`, writes the figures.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { findChromium, launchOptions } from './browsers.mjs';
import { serve } from './serve.mjs';

const ROUNDS = 300;
/** Ledgers to measure on: how many automations, and how many runs of history. */
const SIZES = [
  { automations: 1, runs: 0 },
  { automations: 100, runs: 1_000 },
];

/** @param {readonly number[]} samples @param {number} share */
const quantile = (samples, share) =>
  [...samples].sort((a, b) => a - b)[Math.floor((samples.length - 1) * share)] ?? NaN;

const executablePath = findChromium();
if (executablePath === null) throw new Error('There is no Chromium here. `npm test` installs one.');
const folder = mkdtempSync(join(tmpdir(), 'rota-bench-'));
try {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('../e2e/bench/', import.meta.url)),
    base: './',
    logLevel: 'error',
    build: { outDir: join(folder, 'page'), target: 'esnext' },
  });
  const server = await serve({ mounts: { '/': join(folder, 'page') } });
  const context = await chromium.launchPersistentContext(
    join(folder, 'profile'),
    launchOptions(executablePath),
  );
  try {
    const page = context.pages()[0] ?? (await context.newPage());
    await page.goto(`${server.origin}/`);
    const rows = [];
    for (const { automations, runs } of SIZES) {
      const samples = await page.evaluate(
        ([rounds, ...size]) => Reflect.get(globalThis, 'measure')(rounds, ...size),
        [ROUNDS, automations, runs],
      );
      const put = quantile(samples.put, 0.5);
      for (const step of ['put', 'claim', 'settle']) {
        const p50 = quantile(samples[step], 0.5);
        const p95 = quantile(samples[step], 0.95);
        rows.push({ automations, runs, step, p50, p95, ratio: p50 / put });
      }
    }
    stdout.write('automations    runs  step      p50 ms  p95 ms  p50 / one put\n');
    for (const { automations, runs, step, p50, p95, ratio } of rows) {
      stdout.write(
        `${String(automations).padStart(11)} ${String(runs).padStart(7)}  ${step.padEnd(8)} ${p50.toFixed(2).padStart(7)} ${p95.toFixed(2).padStart(7)} ${ratio.toFixed(2).padStart(14)}\n`,
      );
    }
    const file = argv[argv.indexOf('--json') + 1];
    if (argv.includes('--json') && file !== undefined)
      writeFileSync(file, `${JSON.stringify(rows, null, 2)}\n`);
  } finally {
    await context.close();
    await server.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
