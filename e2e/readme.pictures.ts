/** The four pictures of the README, into docs/pictures: `npm run pictures`. A day of use is written behind what really ran. */
import { writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { type Tab, byHand, expect, test } from './app.ts';
import type { AutomationId, DefinitionInput, RunId } from './contract.ts';
import type { HttpServer } from './http-server.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Pixels of the picture for one of the page. */
const SCALE = 2;
const WIDE = { width: 1360, height: 800 };
const NARROW = { width: 390, height: 760 };

/** An automation with its last runs, oldest first: `s`ucceeded, `f`ailed, `m`issed; they are `apart` ms from each other. */
interface Told {
  readonly definition: DefinitionInput;
  readonly apart: number;
  /** How long after a multiple of that, in UTC. */
  readonly after?: number;
  readonly runs: string;
  /** About how long each took, in ms. */
  readonly took: number;
}

function told(server: HttpServer): readonly Told[] {
  const url = (path: string): string => server.remoteUrl(path);
  return [
    {
      definition: {
        name: 'API answers',
        tags: ['ops'],
        schedule: { kind: 'every', everyMs: 30 * MINUTE, anchor: 0 },
        action: { kind: 'http', url: url('/health') },
      },
      apart: 30 * MINUTE,
      runs: 'ssssssssssmmmmsssssssssfssssssss',
      took: 120,
    },
    {
      definition: {
        name: 'Staging answers',
        tags: ['ops'],
        schedule: { kind: 'every', everyMs: 45 * MINUTE, anchor: 0 },
        action: { kind: 'http', url: url('/staging?status=503') },
        rules: { retry: { attempts: 1 } },
      },
      apart: 45 * MINUTE,
      runs: 'sssssssmmssssssssssssssssffff',
      took: 340,
    },
    {
      definition: {
        name: 'Morning digest',
        schedule: { kind: 'cron', expression: '30 7 * * mon-fri', timeZone: 'Europe/Paris' },
        action: { kind: 'http', url: url('/digest') },
      },
      apart: 24 * HOUR,
      after: 6.5 * HOUR,
      runs: 'ssssssmssssssss',
      took: 4_200,
    },
    {
      definition: {
        name: 'Price of the lamp',
        tags: ['home'],
        schedule: { kind: 'every', everyMs: HOUR, anchor: 0 },
        action: { kind: 'watch', url: url('/shop'), part: { kind: 'page', select: 'main > p' } },
      },
      apart: HOUR,
      runs: 'sssssmmsssssssssssssssssssss',
      took: 640,
    },
    {
      definition: {
        name: 'Nightly export',
        schedule: { kind: 'cron', expression: '0 2 * * *', timeZone: 'Europe/Paris' },
        action: { kind: 'http', url: url('/export') },
      },
      apart: 24 * HOUR,
      after: HOUR,
      runs: 'sssfsssssss',
      took: 95_000,
    },
    {
      definition: {
        name: 'Stand up and stretch',
        schedule: { kind: 'cron', expression: '0 10,15 * * mon-fri', timeZone: 'Europe/Paris' },
        action: { kind: 'remind', message: 'Look out of the window.' },
      },
      apart: 12 * HOUR,
      after: 2 * HOUR,
      runs: 'ssssssssssss',
      took: 3,
    },
    {
      definition: {
        name: 'Back up the laptop',
        enabled: false,
        schedule: { kind: 'cron', expression: '0 16 * * 5L', timeZone: 'Europe/Paris' },
        action: { kind: 'remind', message: 'Plug in the disk and start the backup.' },
      },
      apart: 30 * 24 * HOUR,
      runs: 'ssss',
      took: 3,
    },
  ];
}

const shop = (price: string, more = ''): string =>
  `<!doctype html><title>Shop</title><main><p>Lamp, brass, 42 cm</p><p>${price}</p><p>Delivered within two days</p>${more}</main>`;

/** Runs `id` once and answers with its run when it has ended. */
async function runOnce({ rota }: Tab, id: AutomationId): Promise<RunId> {
  const started = await rota.runNow({ id });
  if (started.kind !== 'claimed') throw new Error(started.kind);
  const run = started.run.id;
  await expect.poll(async () => (await rota.getRun(run))?.status, { timeout: 30_000 }).not.toBe('running');
  return run;
}

/** What is written behind an automation: when each of its runs was, how it went and how long it took. */
interface Written {
  readonly automationId: AutomationId;
  readonly rows: readonly { readonly at: number; readonly status: string; readonly took: number }[];
}

/** Writes rows of history like those that are there in the place of these, but for the runs `kept`, while no host is. */
async function write(page: Page, all: readonly Written[], kept: readonly RunId[]): Promise<void> {
  await page.evaluate(
    async ([automations, keptIds]) => {
      type Row = Record<string, unknown> & { readonly id: string; readonly automationId: string };
      const asked = <Value>(request: IDBRequest<Value>): Promise<Value> =>
        new Promise((resolve, reject) => {
          request.onsuccess = () => resolve(request.result);
          request.onerror = () => reject(request.error ?? new Error('refused'));
        });
      const db = await asked(indexedDB.open('rota'));
      const tx = db.transaction(['runs', 'automations', 'outbox'], 'readwrite');
      // What is told of the patterns is told of nothing that can be seen.
      await asked(tx.objectStore('outbox').clear());
      const runs = tx.objectStore('runs');
      const patterns = (await asked(runs.getAll())) as Row[];
      for (const { id } of patterns) if (!keptIds.some((one) => one === id)) await asked(runs.delete(id));
      const newId = (at: number): string => {
        const time = at.toString(16).padStart(12, '0');
        return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
      };
      for (const { automationId, rows } of automations) {
        const automation = (await asked(tx.objectStore('automations').get(automationId))) as Row;
        const recent: unknown[] = [];
        for (const { at, status, took } of rows) {
          const own = patterns.find((row) => row.automationId === automationId && row['status'] === status);
          const pattern = own ?? patterns.find((row) => row['status'] === status);
          if (pattern === undefined) continue;
          const id = newId(at);
          const ran = status !== 'missed';
          const row = {
            ...pattern,
            id,
            automationId,
            automationName: automation['name'],
            occurrence: `${automationId}@${at}`,
            scheduledFor: at,
            ...(ran
              ? { claimedAt: at, startedAt: at, cause: 'schedule', latenessMs: 0 }
              : { reason: 'closed', claimedAt: at, covers: { from: at, to: at, count: 1 } }),
            settledAt: at + took,
          };
          await asked(runs.put(row));
          const summary: unknown = pattern['summary'];
          recent.push({
            id,
            status,
            at: at + took,
            ...(ran ? { durationMs: took } : { reason: 'closed', count: 1 }),
            ...(summary === undefined || !ran ? {} : { summary }),
          });
        }
        const last = (automation['recent'] as readonly Row[]).filter(({ id }) =>
          keptIds.some((one) => one === id),
        );
        await asked(
          tx.objectStore('automations').put({ ...automation, recent: [...recent, ...last].slice(-30) }),
        );
      }
      db.close();
    },
    [all, kept] as const,
  );
}

test('pictures for the README', async ({ app, server }) => {
  test.setTimeout(300_000);
  await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
  const tab = await app.openTab();
  const all = told(server);
  const ids = await tab.add(...all.map(({ definition }) => definition));
  const missing = await tab.addOne(
    byHand('Pattern of a failure', server.url('/x?status=500'), { rules: { retry: { attempts: 1 } } }),
  );
  await runOnce(tab, missing);
  const paused = await tab.addOne({
    ...byHand('Pattern of a miss', server.url('/x')),
    schedule: { kind: 'every', everyMs: 1_000, anchor: 0 },
    enabled: false,
  });
  await expect
    .poll(
      async () => {
        await tab.rota.setEnabled({ ids: [paused], enabled: true });
        await tab.rota.setEnabled({ ids: [paused], enabled: false });
        return (await tab.runs(paused)).some(({ status }) => status === 'missed');
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  server.serve('/shop', 'text/html', shop('Costs 129 euros', '<p>Reviews: 41</p>'));
  const before: RunId[] = [];
  for (const id of ids) before.push(await runOnce(tab, id));
  server.serve('/shop', 'text/html', shop('Costs 99 euros', '<p>Three left</p>'));
  const changed = await runOnce(tab, ids[3] ?? missing);
  for (const id of [missing, paused]) await tab.rota.removeAutomation({ id });
  await tab.page.close();

  const quiet = (await app.newTab()).page;
  await quiet.goto(`${app.site.origin}/favicon.svg`);
  const now = Date.now();
  const name = { s: 'succeeded', f: 'failed', m: 'missed' } as Readonly<Record<string, string>>;
  await write(
    quiet,
    all.map(({ apart, after = 0, runs, took }, index) => ({
      automationId: ids[index] ?? missing,
      rows: Array.from(runs).map((letter, place) => {
        const last = Math.floor((now - after) / apart) * apart + after;
        const at = last - (runs.length - 1 - place) * apart;
        // Not all alike, and the same each time.
        return {
          at,
          status: name[letter] ?? '',
          took: letter === 'm' ? 0 : Math.round(took * (1 + ((place * 7) % 5) / 6)),
        };
      }),
    })),
    [changed, ...before.slice(3, 4)],
  );
  await quiet.close();

  const shown = await app.openTab();
  const { page } = shown;
  const devTools = await app.context.newCDPSession(page);
  const take = async (picture: string, hash: string, { width, height }: typeof WIDE): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.goto('about:blank');
      await shown.open(hash);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      await page.evaluate(() => document.fonts.ready);
      // Playwright has no WebP, which is a third of a PNG.
      const { data } = await devTools.send('Page.captureScreenshot', {
        format: 'webp',
        quality: 80,
        clip: { x: 0, y: 0, width, height, scale: SCALE },
      });
      writeFileSync(`docs/pictures/${picture}-${colorScheme}.webp`, Buffer.from(data, 'base64'));
    }
  };
  await take('automations', '#/', WIDE);
  await take('timeline', '#/timeline', WIDE);
  await take('run', `#/runs/${changed}`, WIDE);
  await devTools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await take('phone', '#/', NARROW);
});
