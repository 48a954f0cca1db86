/**
 * `npm run bench`: what a claim and a settlement cost as ratios to the floor, one put in one transaction of the same
 * durability, measured in turn in one run in Chromium; and, on Linux, what a host's death costs against the bare hand-over of
 * a Web Lock (handover.mjs). Prints tables and, with `--json FILE`, writes the figures.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, platform, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { findChromium, launchOptions } from './browsers.mjs';
import { measureHandOver } from './handover.mjs';
import { serve } from './serve.mjs';

const ROUNDS = 300;
/** How many hosts are killed. */
const KILLS = 20;
/** Ledgers to measure on: how many automations, and how many runs of history. */
const SIZES = [
  { automations: 1, runs: 0 },
  { automations: 100, runs: 1_000 },
];

/** What is measured from the kill on. */
const STEPS = { bare: 'bare lock granted', settled: 'run settled', claimed: 'claimed again' };

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
  await build({ logLevel: 'error', build: { outDir: join(folder, 'rota'), emptyOutDir: true } });
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
    const handOvers = [];
    if (platform === 'linux') {
      const rota = await serve({ mounts: { '/': join(folder, 'rota') } });
      try {
        const samples = await measureHandOver(context, rota.origin, KILLS);
        const bare = quantile(samples.bare, 0.5);
        stdout.write(`\n${KILLS} hosts killed    p50 ms  p95 ms  p50 / bare hand-over\n`);
        for (const step of /** @type {const} */ (['bare', 'settled', 'claimed'])) {
          const p50 = quantile(samples[step], 0.5);
          const p95 = quantile(samples[step], 0.95);
          handOvers.push({ step, p50, p95, ratio: p50 / bare });
          stdout.write(
            `${STEPS[step].padEnd(17)} ${p50.toFixed(0).padStart(6)} ${p95.toFixed(0).padStart(7)} ${(p50 / bare).toFixed(2).padStart(21)}\n`,
          );
        }
      } finally {
        await rota.close();
      }
    }
    const file = argv[argv.indexOf('--json') + 1];
    if (argv.includes('--json') && file !== undefined)
      writeFileSync(file, `${JSON.stringify({ claims: rows, handOvers }, null, 2)}\n`);
  } finally {
    await context.close();
    await server.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
