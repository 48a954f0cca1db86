/**
 * What rows of the benchmark measure on: Rota as it is built, the bench page beside it on the same origin, and Chromium.
 * Each is made when the first row asks for it, and all of it goes with {@link Stage.close}.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';
import { build } from 'vite';
import { findChromium, launchOptions } from '../browsers.mjs';
import { serve } from '../serve.mjs';
import { ROOT, runStep } from '../steps.mjs';

/** Where Rota is built for the benchmark, from the root of the project. */
const ROTA = '.cache/bench/rota';
/** Where the bench page is built. */
const PAGE = `${ROOT}.cache/bench/page`;

/** @typedef {import('@playwright/test').BrowserContext} BrowserContext */
/** @typedef {import('@playwright/test').Page} Page */

/**
 * An origin of its own: Rota at `/`, and the bench page, which reaches the same database, at `/bench/`.
 * @typedef {object} Place
 * @property {string} origin without a slash at its end
 * @property {() => Promise<Page>} openBench a new tab with the bench page in it
 */

/**
 * A ledger to measure on, in a place of its own.
 * @typedef {Place & { readonly bench: Page }} LedgerPlace
 */

export class Stage {
  /** @readonly @type {string} */
  #folder = mkdtempSync(join(tmpdir(), 'rota-bench-'));
  /** @readonly @type {(() => Promise<void>)[]} what ends what was begun, the last first */
  #ends = [];
  /** @readonly @type {Map<string, Promise<LedgerPlace>>} */
  #ledgers = new Map();
  /** @type {Promise<void> | null} */
  #rota = null;
  /** @type {Promise<void> | null} */
  #page = null;
  /** @type {Promise<BrowserContext> | null} */
  #browser = null;
  #profiles = 0;

  /** @param {{ readonly short: boolean }} options `short`: a quick look, whose figures are rough */
  constructor({ short }) {
    this.short = short;
  }

  /**
   * How many of something are measured: `few` in the short mode.
   * @param {number} many
   * @param {number} few
   */
  count(many, few) {
    return this.short ? few : many;
  }

  /**
   * The browser that rows share. A row that kills, crowds or crashes it takes {@link openBrowser}.
   * @returns {Promise<BrowserContext>}
   */
  browser() {
    return (this.#browser ??= this.openBrowser());
  }

  /**
   * A browser of a row's own, on a fresh profile on the disk. Ends with the stage if nobody closes it before. Service workers
   * are kept out: what they load while something is measured is none of it.
   * @param {{ readonly args?: readonly string[], readonly serviceWorkers?: 'allow' | 'block' }} [more] of its command line,
   *   and whether there are service workers after all
   * @returns {Promise<BrowserContext>}
   */
  async openBrowser({ args = [], serviceWorkers = 'block' } = {}) {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error('There is no Chromium here. `npm test` installs one.');
    this.#profiles += 1;
    const options = launchOptions(executablePath);
    const context = await chromium.launchPersistentContext(join(this.#folder, `profile-${this.#profiles}`), {
      ...options,
      args: [...options.args, ...args],
      serviceWorkers,
      viewport: { width: 1280, height: 800 },
    });
    this.#ends.push(() => context.close());
    return context;
  }

  /**
   * A new origin, seen through `browser`.
   * @param {BrowserContext} [browser] the shared one by default
   * @returns {Promise<Place>}
   */
  async openPlace(browser) {
    await Promise.all([(this.#rota ??= buildRota()), (this.#page ??= buildPage())]);
    const server = await serve({ mounts: { '/': `${ROOT}${ROTA}`, '/bench/': PAGE } });
    this.#ends.push(() => server.close());
    const context = browser ?? (await this.browser());
    return {
      origin: server.origin,
      openBench: async () => {
        const page = await context.newPage();
        await page.goto(`${server.origin}/bench/`);
        return page;
      },
    };
  }

  /**
   * A ledger of `automations` with at least `runs` rows of history, in the shared browser: the same one for every row that asks
   * for that size, so what a row adds to it must be little. `bench` is a bench page that stays open there.
   * @param {{ readonly automations: number, readonly runs: number }} size
   * @returns {Promise<LedgerPlace>}
   */
  ledger(size) {
    const name = `${size.automations} ${size.runs}`;
    const known = this.#ledgers.get(name);
    if (known !== undefined) return known;
    const made = this.#makeLedger(size);
    this.#ledgers.set(name, made);
    return made;
  }

  /** @param {{ readonly automations: number, readonly runs: number }} size */
  async #makeLedger(size) {
    const place = await this.openPlace();
    const bench = await place.openBench();
    await ask(bench, 'seed', size);
    return { ...place, bench };
  }

  /** Ends all that was begun. */
  async close() {
    for (const end of this.#ends.reverse()) await end().catch(() => undefined);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Calls what a file of e2e/bench has put on `globalThis.bench`.
 * @param {Page} page
 * @param {string} name
 * @param {unknown} [argument]
 * @returns {Promise<any>}
 */
export function ask(page, name, argument) {
  return page.evaluate(
    ([call, value]) => Reflect.get(globalThis, 'bench')[call](value),
    /** @type {const} */ ([name, argument]),
  );
}

/**
 * Calls the console API of a tab of Rota.
 * @param {Page} page
 * @param {string} name
 * @param {unknown} [argument]
 * @returns {Promise<any>}
 */
export function askRota(page, name, argument) {
  return page.evaluate(
    // Who takes no argument refuses one, be it undefined.
    ([call, value]) => Reflect.get(globalThis, 'rota')[call](...(value === undefined ? [] : [value])),
    /** @type {const} */ ([name, argument]),
  );
}

async function buildRota() {
  const built = await runStep({
    name: 'build of what is measured',
    finds: 'what cannot be built',
    command: ['vite', 'build', '--logLevel', 'error'],
    env: { ROTA_OUT: ROTA },
  });
  if (built !== 'passed') throw new Error('Rota could not be built.');
}

async function buildPage() {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('../../e2e/bench/', import.meta.url)),
    base: './',
    logLevel: 'error',
    define: { __ROTA_BUILD__: '"bench"', __ROTA_BUILT_AT__: '0', __ROTA_TEST__: 'false' },
    build: { outDir: PAGE, emptyOutDir: true, target: 'esnext' },
    worker: { format: 'es' },
  });
}
