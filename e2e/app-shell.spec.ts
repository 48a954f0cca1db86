/** Rota as an app: what is served, what may run, what is there without a network, and how a newer build is taken. */
import { cp, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { serve } from '../scripts/serve.mjs';
import { type App, type Tab, byHand, expect, test } from './app.ts';

/** Waits until the service worker of the page's own folder has all files and is in charge of the page. */
async function installed(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const { controller } = navigator.serviceWorker;
    return controller !== null && new URL('./', controller.scriptURL).pathname === location.pathname;
  });
}

/** How often the document of this tab was loaded. */
async function countLoads(app: App): Promise<(tab: Tab) => Promise<number>> {
  await app.context.addInitScript(() => {
    if (!location.protocol.startsWith('http')) return;
    sessionStorage.setItem('loads', String(Number(sessionStorage.getItem('loads') ?? 0) + 1));
  });
  return (tab) => tab.page.evaluate(() => Number(sessionStorage.getItem('loads')));
}

test.describe('What is served', () => {
  test('holds no line of the points where tests kill a host', async () => {
    const holds = async (folder: string): Promise<readonly string[]> => {
      const names = (await readdir(`${folder}/assets`)).filter((name) => name.endsWith('.js'));
      const texts = await Promise.all(names.map((name) => readFile(`${folder}/assets/${name}`, 'utf8')));
      return names.filter((_, index) => /rota-test|claim-commit|settle-commit/.test(texts[index] ?? ''));
    };
    expect(await holds('dist')).toEqual([]);
    expect(await holds('dist-next')).toEqual([]);
    // The same look finds them where they are.
    expect((await holds('dist-test')).length).toBeGreaterThan(0);
  });

  test('carries the policy with the page and with the scripts of workers, which take it from nowhere else', async ({
    app,
  }) => {
    const scripts = (await readdir('dist/assets')).filter((name) => /-worker-.*\.js$/.test(name));
    expect(scripts.length).toBeGreaterThan(0);
    for (const path of ['/', '/service-worker.js', ...scripts.map((name) => `/assets/${name}`)]) {
      const policy = (await fetch(`${app.site.origin}${path}`)).headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
    }
  });

  test('lets nothing run that is not of this build, however it is given', async ({ app }) => {
    const tab = await app.openTab();
    const outcomes = await tab.page.evaluate(async () => {
      const outcome = (attempt: () => unknown): string => {
        try {
          attempt();
          return 'ran';
        } catch (error) {
          return (error as Error).name;
        }
      };
      // What DevTools evaluates is excused from the policy; what a timer calls later is not.
      await new Promise((later) => setTimeout(later));
      return {
        text: await new Promise((answer) =>
          setTimeout(() => answer(outcome(() => (0, eval)('globalThis.ran = true')))),
        ),
        markup: outcome(() => (document.createElement('div').innerHTML = '<b>x</b>')),
        dataWorker: outcome(() => new Worker('data:text/javascript,1')),
        blobWorker: outcome(() => new Worker(URL.createObjectURL(new Blob(['1'])))),
        neighbour: outcome(() => new SharedWorker('/next/service-worker.js')),
        policy: outcome(() =>
          (
            globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
          ).trustedTypes.createPolicy('mine', {}),
        ),
      };
    });
    expect(outcomes).toEqual({
      text: 'EvalError',
      markup: 'TypeError',
      dataWorker: 'TypeError',
      blobWorker: 'TypeError',
      neighbour: 'TypeError',
      policy: 'TypeError',
    });
  });

  test('works, and is as strict with its page, on a host that knows nothing of _headers', async ({ app }) => {
    const folder = await mkdtemp(join(tmpdir(), 'rota-bare-host-'));
    await cp('dist', folder, { recursive: true });
    await rm(join(folder, '_headers'));
    const bare = await serve({ mounts: { '/': folder } });
    try {
      const page = await app.context.newPage();
      const response = await page.goto(`${bare.origin}/`);
      expect(response?.headers()['content-security-policy']).toBeUndefined();
      await page.evaluate(() => (globalThis as unknown as { rota: { version(): unknown } }).rota.version());
      const markup = await page.evaluate(() => {
        try {
          document.createElement('div').innerHTML = '<b>x</b>';
          return 'ran';
        } catch (error) {
          return (error as Error).name;
        }
      });
      expect(markup).toBe('TypeError');
    } finally {
      await bare.close();
      await rm(folder, { recursive: true });
    }
  });
});

test.describe('Installed', () => {
  test('each folder of an origin is an app of its own, with an icon that no system cuts', async ({ app }) => {
    for (const path of ['/', '/next/']) {
      const tab = await app.openTab(path);
      const devTools = await app.context.newCDPSession(tab.page);
      const { errors, data } = await devTools.send('Page.getAppManifest');
      expect(errors).toEqual([]);
      const { icons } = JSON.parse(data ?? '{}') as { icons: { purpose: string }[] };
      expect(icons.map((icon) => icon.purpose)).toContain('maskable');
      expect((await devTools.send('Page.getAppId')).appId).toBe(`${app.site.origin}${path}`);
      expect((await devTools.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([]);
    }
  });

  test('a first visit is not reloaded by the installation', async ({ app }) => {
    const loads = await countLoads(app);
    const tab = await app.openTab();
    await installed(tab.page);
    await tab.page.evaluate(() => navigator.serviceWorker.ready);
    // The page asks the new controller for its build: another question, asked later, is answered later.
    await tab.page.evaluate(
      () =>
        new Promise((answered) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = answered;
          navigator.serviceWorker.controller?.postMessage({ type: 'which-build' }, [port2]);
        }),
    );
    expect(await loads(tab)).toBe(1);
  });

  test('opens with the server gone, engine and all, after the whole browser was closed', async ({ app }) => {
    const first = await app.openTab();
    await first.add({
      name: 'Remembered',
      schedule: { kind: 'manual' },
      action: { kind: 'http', url: `${app.site.origin}/x` },
    });
    await installed(first.page);
    await app.quit();
    await app.site.close();
    await app.launch();
    const tab = await app.openTab();
    expect((await tab.rota.listAutomations()).items.map((one) => one.name)).toEqual(['Remembered']);
    // A screen that is fetched when it is first opened was never opened before.
    await tab.page.goto(`${tab.url}#/new`);
    await expect(tab.page.getByRole('heading', { level: 1, name: 'New automation' })).toBeVisible();
    await tab.page.goto(`${tab.url}?source=launcher#/`);
    await expect(tab.page.getByText('Remembered')).toBeVisible();
    expect(app.complaints).toEqual([]);
  });

  test('answers for its own page alone, not for what else the site holds below it', async ({ app }) => {
    const tab = await app.openTab();
    await installed(tab.page);
    const neighbour = await app.openTab('/next/');
    expect((await neighbour.rota.version()).build).toBe('next');
    const missing = await tab.page.goto(`${app.site.origin}/nothing/here`);
    expect(missing?.status()).toBe(404);
  });
});

test.describe('A newer build', () => {
  test('is offered to every tab, and taken by all of them together, once', async ({ app }) => {
    const loads = await countLoads(app);
    const tabs = await app.openTabs(3);
    await Promise.all(tabs.map((tab) => installed(tab.page)));
    const before = (await (tabs[0] as Tab).rota.version()).build;
    expect(before).not.toBe('next');

    app.site.mount('/', 'dist-next');
    await (tabs[0] as Tab).page.evaluate(async () =>
      (await navigator.serviceWorker.getRegistration())?.update(),
    );
    const offers = tabs.map((tab) => tab.page.getByRole('button', { name: 'Update Rota' }));
    for (const offer of offers) await expect(offer).toBeVisible();
    // Nothing is taken by itself: until someone presses, each tab is what it was, also after a reload.
    await (tabs[2] as Tab).page.reload();
    for (const tab of tabs) expect((await tab.rota.version()).build).toBe(before);

    const counts = await Promise.all(tabs.map(loads));
    await offers[1]?.click();
    for (const tab of tabs) {
      // While it reloads, a page has nobody to ask.
      const build = (): Promise<string | null> =>
        tab.rota.version().then(
          (version) => version.build,
          () => null,
        );
      await expect.poll(build).toBe('next');
      await expect(tab.page.getByRole('button', { name: 'Update Rota' })).toBeHidden();
    }
    // All have answered from the new build, and none was loaded twice to get there.
    expect(await Promise.all(tabs.map(loads))).toEqual(counts.map((count) => count + 1));
    expect(app.complaints).toEqual([]);
  });

  test('is reached by a reload that the strip offers, though the service worker still holds the old one', async ({
    app,
  }) => {
    const tab = await app.openTab();
    await installed(tab.page);
    // A deploy that this tab has not heard of, and a tab that is already past it.
    app.site.mount('/', 'dist-next');
    await app.openTab('/next/');
    await tab.page.getByRole('button', { name: 'Reload this tab' }).click();
    await expect
      .poll(() =>
        tab.rota.version().then(
          (version) => version.build,
          () => null,
        ),
      )
      .toBe('next');
    expect(app.complaints).toEqual([]);
  });
});

test('the icon of the app says how many automations need a person, and nothing when none does', async ({
  app,
  server,
}) => {
  await app.context.addInitScript(() => {
    const badges: number[] = [];
    Object.assign(globalThis, { badges });
    const note = (count: number): Promise<void> => {
      badges.push(count);
      return Promise.resolve();
    };
    Object.assign(navigator, { setAppBadge: note, clearAppBadge: () => note(0) });
  });
  const tab = await app.openTab();
  const badges = (): Promise<readonly number[]> =>
    tab.page.evaluate(() => Reflect.get(globalThis, 'badges') as readonly number[]);
  await expect.poll(badges).toEqual([0]);
  const id = await tab.addOne(
    byHand('Broken', server.url('/broken?status=500'), { rules: { retry: { attempts: 1 } } }),
  );
  await tab.rota.runNow({ id });
  await tab.expectSettled(1);
  await expect.poll(badges).toEqual([0, 1]);
  await tab.rota.removeAutomation({ id });
  await expect.poll(badges).toEqual([0, 1, 0]);
});

test('a press of a notification brings its run into an open tab and keeps what is typed there', async ({
  app,
}) => {
  const loads = await countLoads(app);
  const tab = await app.openTab();
  await installed(tab.page);
  await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
  const worker = app.context.serviceWorkers()[0];
  if (worker === undefined) throw new Error('There is no service worker.');
  const count = await loads(tab);
  await worker.evaluate(async () => {
    // Only a real press may focus a window, and no driver can press a notification; all else is as it is.
    const scope = globalThis as unknown as ServiceWorkerScope;
    scope.WindowClient.prototype.focus = function () {
      return Promise.resolve(this);
    };
    await scope.registration.showNotification('Failed', { data: { url: './#/runs' } });
    const [notification] = await scope.registration.getNotifications();
    scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
  });
  await expect(tab.page).toHaveURL(`${app.site.origin}/#/runs`);
  expect(await loads(tab)).toBe(count);
});

/** What the test needs of a service worker's global scope, which the tests' own library does not know. */
interface ServiceWorkerScope extends EventTarget {
  readonly registration: ServiceWorkerRegistration;
  readonly WindowClient: { readonly prototype: { focus(): Promise<unknown> } };
  readonly NotificationEvent: new (type: string, options: object) => Event;
}
