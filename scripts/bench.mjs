/**
 * `npm run bench`: what a claim and a settlement cost as ratios to the floor, one put in one transaction of the same
 * durability, measured in turn in one run in Chromium; what the next ten of a rule cost, and the refusal of one that never
 * runs; what a watch costs on a page of a megabyte, and an empty script; how long a script that never ends
 * keeps others waiting; and, on Linux, what a host's death costs against the bare hand-over of a Web Lock (handover.mjs). Prints tables and,
 * with `--json FILE`, writes the figures. `--only claims`, `schedules`, `watches`, `scripts` or `deaths` measures that alone.
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

/** How often the next ten of each rule are asked for. */
const PREVIEWS = 20;
/** What is measured of schedules, and the goal for it. */
const SCHEDULES = {
  again: { name: 'next ten of any rule', goal: 'p95 < 5' },
  first: { name: 'the first time, with its zone', goal: '' },
  never: { name: 'refusing what never runs', goal: 'max < 50' },
};

/** How often a page of a megabyte is looked at again. */
const LOOKS = 30;
/** What is measured of a watch, and the goal for it. */
const WATCHES = {
  first: { name: 'first look, with its libraries', goal: '' },
  again: { name: 'watch on a page of 1 MB', goal: 'p95 < 300' },
};

/** How often an empty script is run again. */
const SCRIPTS = 50;
/** What is measured of scripts, and the goal for it. */
const SCRIPT_STEPS = {
  first: { name: 'first script, with QuickJS', goal: '' },
  again: { name: 'an empty script', goal: 'p95 < 20' },
  calm: { name: 'others wait for nothing', goal: '' },
  wait: { name: 'others wait for an endless one', goal: 'max < 100' },
};

/** What is measured from the kill on. */
const STEPS = { bare: 'bare lock granted', settled: 'run settled', claimed: 'claimed again' };

const only = argv.includes('--only') ? argv[argv.indexOf('--only') + 1] : undefined;
/** @param {'claims' | 'schedules' | 'watches' | 'scripts' | 'deaths'} part */
const wants = (part) => only === undefined || only === part;

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
    worker: { format: 'es' },
  });
  const measuresDeaths = platform === 'linux' && wants('deaths');
  if (measuresDeaths)
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
    for (const { automations, runs } of wants('claims') ? SIZES : []) {
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
    if (wants('claims')) stdout.write('automations    runs  step      p50 ms  p95 ms  p50 / one put\n');
    for (const { automations, runs, step, p50, p95, ratio } of rows) {
      stdout.write(
        `${String(automations).padStart(11)} ${String(runs).padStart(7)}  ${step.padEnd(8)} ${p50.toFixed(2).padStart(7)} ${p95.toFixed(2).padStart(7)} ${ratio.toFixed(2).padStart(14)}\n`,
      );
    }
    const schedules = [];
    if (wants('schedules'))
      stdout.write('\nschedules                       Temporal    p50 ms  p95 ms  max ms   goal\n');
    for (const time of wants('schedules') ? ['native', 'polyfill'] : []) {
      const fresh = await context.newPage();
      await fresh.goto(`${server.origin}/`);
      if (time === 'native' && !(await fresh.evaluate(() => 'Temporal' in globalThis))) continue;
      const samples = await fresh.evaluate(
        ([rounds, polyfill]) => Reflect.get(globalThis, 'measureSchedules')(rounds, polyfill),
        /** @type {const} */ ([PREVIEWS, time === 'polyfill']),
      );
      await fresh.close();
      for (const step of /** @type {const} */ (['again', 'first', 'never'])) {
        const { name, goal } = SCHEDULES[step];
        const of = samples[step];
        const figures = { p50: quantile(of, 0.5), p95: quantile(of, 0.95), most: quantile(of, 1) };
        schedules.push({ step, time, ...figures, goal });
        const numbers = Object.values(figures)
          .map((ms) => ms.toFixed(2).padStart(7))
          .join(' ');
        stdout.write(`${name.padEnd(31)} ${time.padEnd(9)} ${numbers}   ${goal}\n`);
      }
    }
    const watches = [];
    if (wants('watches')) {
      const fresh = await context.newPage();
      await fresh.goto(`${server.origin}/`);
      const samples = await fresh.evaluate(
        (rounds) => Reflect.get(globalThis, 'measureWatch')(rounds),
        LOOKS,
      );
      await fresh.close();
      stdout.write('\nwatches                         p50 ms  p95 ms   goal\n');
      for (const step of /** @type {const} */ (['first', 'again'])) {
        const { name, goal } = WATCHES[step];
        const figures = { p50: quantile(samples[step], 0.5), p95: quantile(samples[step], 0.95) };
        watches.push({ step, ...figures, goal });
        const numbers = Object.values(figures)
          .map((ms) => ms.toFixed(0).padStart(7))
          .join(' ');
        stdout.write(`${name.padEnd(31)} ${numbers}   ${goal}\n`);
      }
    }
    const scripts = [];
    if (wants('scripts'))
      stdout.write('\nscripts                         where      p50 ms  p95 ms  max ms   goal\n');
    for (const where of wants('scripts') ? ['engine', 'worker'] : []) {
      const fresh = await context.newPage();
      await fresh.goto(`${server.origin}/`);
      const samples = await fresh.evaluate(
        ([place, rounds]) => Reflect.get(globalThis, 'measureScripts')(place, rounds),
        /** @type {const} */ ([where, SCRIPTS]),
      );
      await fresh.close();
      for (const step of /** @type {const} */ (['first', 'again', 'calm', 'wait'])) {
        const { name, goal } = SCRIPT_STEPS[step];
        const of = samples[step];
        const figures = { p50: quantile(of, 0.5), p95: quantile(of, 0.95), most: quantile(of, 1) };
        scripts.push({ step, where, ...figures, goal });
        const numbers = Object.values(figures)
          .map((ms) => ms.toFixed(1).padStart(7))
          .join(' ');
        stdout.write(`${name.padEnd(31)} ${where.padEnd(9)} ${numbers}   ${goal}\n`);
      }
    }
    const handOvers = [];
    if (measuresDeaths) {
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
      writeFileSync(
        file,
        `${JSON.stringify({ claims: rows, schedules, watches, scripts, handOvers }, null, 2)}\n`,
      );
  } finally {
    await context.close();
    await server.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
