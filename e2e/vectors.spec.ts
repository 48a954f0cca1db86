/** When an occurrence is due is the same in every engine, by its own Temporal and by the polyfill. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { type Served, serve } from '../scripts/serve.mjs';
import { expect } from './app.ts';
import { test } from './place.ts';
import type { Verdict } from './vectors/page.ts';

/** How many vectors each group has at least: a page that judges none has shown nothing. */
const LEAST = { cron: 50, syntax: 10, interval: 5, calendarInterval: 4, oneOff: 5, dispatch: 10 } as const;

let folder: string;
let site: Served;

test.beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rota-vectors-'));
  await build({
    configFile: false,
    root: fileURLToPath(new URL('vectors/', import.meta.url)),
    base: './',
    logLevel: 'error',
    build: { outDir: folder, target: ['chrome128', 'firefox128', 'safari18'], reportCompressedSize: false },
  });
  site = await serve({ mounts: { '/': folder } });
});

test.afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

test('All vectors of schedules come out in the engine, by its own Temporal and by the polyfill', async ({
  engine,
  place,
}) => {
  test.setTimeout(120_000);
  const page = await place.browser.newPage();
  for (const polyfill of ['where-missing', 'always'] as const) {
    await page.goto(`${site.origin}/`);
    for (const [group, least] of Object.entries(LEAST)) {
      const verdict = await page.evaluate<readonly [string, string], Verdict>(
        (args) =>
          (Reflect.get(globalThis, 'judgeVectors') as (...args: readonly string[]) => Promise<Verdict>)(
            ...args,
          ),
        [group, polyfill],
      );
      expect(verdict.wrong, `${group}, polyfill ${polyfill}`).toEqual([]);
      expect(verdict.count - verdict.dated.length, 'vectors that show something').toBeGreaterThanOrEqual(
        least,
      );
      // WebKit has none; which of the others has one is for their versions.
      if (engine === 'webkit') expect(verdict.hasNative).toBe(false);
    }
  }
});
