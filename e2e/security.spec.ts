/** Stories of attacks, each a line of docs/security.md: what is refused, and what never leaves. */
import { readFile, readdir } from 'node:fs/promises';
import { App, type Tab, byHand, expect, test } from './app.ts';
import type { DefinitionInput } from './contract.ts';
import { chromiumWith } from './engines/playwright.ts';
import { withInstallation } from './installation.ts';
import { ModelServer } from './model-server.ts';
import { RecordingProxy } from './recording-proxy.ts';

// Each opens a browser and several pages of it, on a machine that may be busy.
test.describe.configure({ timeout: 180_000 });

/**
 * Tries to have text run, in whatever realm this is, and answers with what became of each try. What developer tools evaluate is
 * excused from the policy; what a timer calls later is not. It is sent as its source, so it has nothing from outside.
 */
const TRIES = `new Promise((answer) => setTimeout(async () => {
  const outcome = async (attempt) => {
    try {
      await attempt();
      return 'ran';
    } catch (error) {
      return error.name;
    }
  };
  answer({
    eval: await outcome(() => (0, eval)('globalThis.ran = true')),
    function: await outcome(() => new Function('globalThis.ran = true')()),
    timer: await outcome(() => setTimeout('globalThis.ran = true')),
    import: await outcome(() => import('data:text/javascript,globalThis.ran = true')),
    imported: await outcome(() => import(EVIL)),
    ran: 'ran' in globalThis,
  });
}))`;

const REFUSED = {
  eval: 'EvalError',
  function: 'EvalError',
  timer: expect.stringMatching(/^(TypeError|EvalError)$/),
  import: 'TypeError',
  imported: 'TypeError',
  ran: false,
};

/**
 * Where Chromium asks for itself, for updates, accounts and forms: whatever is open. That no file of Rota names any of these
 * is looked up beside it, so that nothing of Rota can hide among them.
 */
const BROWSERS_OWN = /\b(google|googleapis|gstatic|gvt1)\.com\b/;

/** What `expression` comes to in the SharedWorker of the app, which no page's session reaches. */
async function inSharedWorker(app: App, expression: string): Promise<unknown> {
  const devTools = await app.context.browser()?.newBrowserCDPSession();
  if (devTools === undefined) throw new Error('The browser cannot be reached.');
  const { targetInfos } = await devTools.send('Target.getTargets');
  const target = targetInfos.find(({ type }) => type === 'shared_worker');
  if (target === undefined) throw new Error('There is no SharedWorker.');
  const { targetId } = target;
  const { sessionId } = await devTools.send('Target.attachToTarget', { targetId, flatten: false });
  const answered = new Promise<unknown>((resolve) => {
    devTools.on('Target.receivedMessageFromTarget', (event) => {
      const { id, result } = JSON.parse(event.message) as {
        id?: number;
        result?: { result?: { value?: unknown } };
      };
      if (event.sessionId === sessionId && id === 1) resolve(result?.result?.value);
    });
  });
  const params = { expression, awaitPromise: true, returnByValue: true };
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
  await devTools.send('Target.sendMessageToTarget', { sessionId, message });
  const value = await answered;
  await devTools.detach();
  return value;
}

const script = (source: string, more: object = {}): DefinitionInput => ({
  name: 'Computes',
  schedule: { kind: 'manual' },
  action: { kind: 'script', source, ...more },
});

async function runAndSettle(tab: Tab, automation: DefinitionInput): Promise<string> {
  const id = await tab.addOne(automation);
  const claimed = await tab.rota.runNow({ id });
  if (claimed.kind !== 'claimed') throw new Error(`The run was not claimed: ${claimed.kind}.`);
  const outcome = async (): Promise<unknown> => {
    const run = await tab.rota.getRun(claimed.run.id);
    return run?.failure ?? run?.status;
  };
  await expect.poll(outcome, { timeout: 30_000 }).toBe('succeeded');
  return claimed.run.id;
}

test('text that would become code or markup is refused in the window and in every kind of worker', async ({
  app,
  server,
}) => {
  server.serve('/evil.js', 'text/javascript', 'globalThis.ran = true');
  const tries = TRIES.replace('EVIL', JSON.stringify(server.url('/evil.js')));
  const tab = await app.openTab();
  await tab.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  // A script runs in a worker that the tab lends, which stays to be lent again.
  await runAndSettle(tab, script('return 6 * 7;'));
  const executor = tab.page.workers().find((worker) => worker.url().includes('executor-worker'));
  const serviceWorker = app.context
    .serviceWorkers()
    .find((worker) => worker.url().startsWith(app.site.origin));
  if (executor === undefined || serviceWorker === undefined) throw new Error('A worker is missing.');

  expect(await tab.page.evaluate(tries), 'window').toEqual(REFUSED);
  expect(await executor.evaluate(tries), 'lent executor').toEqual(REFUSED);
  expect(await serviceWorker.evaluate(tries), 'service worker').toEqual(REFUSED);
  expect(await inSharedWorker(app, tries), 'shared worker').toEqual(REFUSED);
  expect(server.at('/evil.js')).toEqual([]);

  // The same tries succeed where no policy is: it is the policy that refuses them.
  server.serve('/plain', 'text/html', '<p>A page without a policy</p>');
  const plain = await app.context.newPage();
  await plain.goto(server.url('/plain'));
  expect(await plain.evaluate(tries)).toEqual({
    eval: 'ran',
    function: 'ran',
    timer: 'ran',
    import: 'ran',
    imported: 'ran',
    ran: true,
  });
});

test('a page of another site can neither frame Rota nor hold on to a window of it', async ({
  app,
  server,
}) => {
  const [asset] = (await readdir('dist/assets')).filter((name) => name.endsWith('.js'));
  server.serve('/page', 'text/html', `<iframe src="${app.site.origin}/"></iframe>`);
  const page = await app.context.newPage();
  await page.goto(server.url('/page'));
  await expect.poll(() => page.frames()[1]?.url(), { timeout: 30_000 }).toMatch(/^chrome-error:/);

  const opening = app.context.waitForEvent('page');
  await page.evaluate((address) => {
    Object.assign(globalThis, { opened: open(address) });
  }, `${app.site.origin}/`);
  const opened = await opening;
  await opened.waitForFunction(() => 'rota' in globalThis);
  expect(await opened.evaluate(() => opener as unknown)).toBeNull();
  await expect
    .poll(
      () => page.evaluate(() => (Reflect.get(globalThis, 'opened') as { readonly closed: boolean }).closed),
      { timeout: 30_000 },
    )
    .toBe(true);

  const outcomes = await page.evaluate(
    async ([origin, file]) => {
      const outcome = async (attempt: () => unknown): Promise<string> => {
        try {
          await attempt();
          return 'done';
        } catch (error) {
          return error instanceof DOMException ? error.name : 'TypeError';
        }
      };
      const started = (worker: SharedWorker): Promise<void> =>
        new Promise((resolve, reject) => {
          worker.onerror = () => reject(new TypeError('It did not start.'));
          worker.port.onmessage = () => resolve();
        });
      return {
        read: await outcome(() => fetch(`${origin ?? ''}/index.html`)),
        embed: await outcome(() => fetch(`${origin ?? ''}/assets/${file ?? ''}`, { mode: 'no-cors' })),
        worker: await outcome(() => started(new SharedWorker(`${origin ?? ''}/assets/${file ?? ''}`))),
      };
    },
    [app.site.origin, asset],
  );
  expect(outcomes).toEqual({ read: 'TypeError', embed: 'TypeError', worker: 'SecurityError' });
});

test('opening any address of Rota stores nothing, runs nothing and asks nobody', async ({ app, server }) => {
  const automation = JSON.stringify({ ...byHand('Offered', server.url('/offered')), enabled: true });
  const offers = [
    `#/new?${String(new URLSearchParams({ url: server.url('/watched'), title: 'Offered' }))}`,
    `#/new?${String(new URLSearchParams({ text: `curl -X POST ${server.url('/posted')}` }))}`,
    `?${String(new URLSearchParams([['link', `web+rota:new?${String(new URLSearchParams({ automation }))}`]]))}`,
    `?${String(new URLSearchParams({ url: server.url('/shared') }))}`,
    '#/settings?secret=API_KEY',
    '#/new?starter=__proto__',
    '#/new?automation=%7B%7D',
    '#/?view=needs-you&q=%3Cimg%20src%3Dx%3E',
  ];
  for (const offer of offers) {
    const tab = await (await app.newTab()).open(offer);
    await expect(tab.page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 30_000 });
    await expect(tab.page.locator('[aria-busy="true"]')).toHaveCount(0, { timeout: 30_000 });
    expect((await tab.rota.listAutomations()).counts.all, offer).toBe(0);
    expect(await tab.runs(), offer).toEqual([]);
    expect((await tab.rota.listSecrets()).items, offer).toEqual([]);
    await tab.page.close();
  }
  expect(server.hits).toEqual([]);
  expect(app.complaints).toEqual([]);
});

test('over a whole session no request leaves but those that a person or an automation asked for', async ({
  server,
}) => {
  server.serve('/page', 'text/html', '<p>Costs 12 euros</p>');
  const proxy = await RecordingProxy.start();
  const models = await ModelServer.start();
  const engine = chromiumWith({ args: [...proxy.args] });
  try {
    await withInstallation(
      (site, profile) => new App(site, profile, engine),
      async (app) => {
        await useAll(app, {
          model: models.url,
          url: (path) => server.url(path),
          says: (words) => (models.says = words),
        });
        const own = new Set(
          ['', ...(await readdir('dist', { recursive: true }))].map(
            (name) => `GET ${app.site.origin}/${name}`,
          ),
        );
        const asked = new Set([
          `GET ${server.url('/asked')}`,
          `GET ${server.url('/page')}`,
          `GET ${server.url('/scripted')}`,
          `OPTIONS ${models.url}/chat/completions`,
          `POST ${models.url}/chat/completions`,
        ]);
        const others = proxy.requests.filter((one) => !own.has(one) && !asked.has(one));
        expect(others.filter((one) => !BROWSERS_OWN.test(one))).toEqual([]);
        const files = (await readdir('dist', { recursive: true })).filter((name) =>
          /\.(js|html|css)$/.test(name),
        );
        for (const name of files)
          expect(await readFile(`dist/${name}`, 'utf8'), name).not.toMatch(BROWSERS_OWN);
        // The proxy saw what all of them asked for: it is no empty list that is right.
        for (const one of asked) if (!one.startsWith('OPTIONS')) expect(proxy.requests).toContain(one);
        expect(proxy.requests).toContain(`GET ${app.site.origin}/service-worker.js`);
      },
    );
  } finally {
    await models.close();
    await proxy.close();
  }
});

/** What a person does in a long session: sees every screen, makes an automation, and has one of each kind run. */
async function useAll(
  app: App,
  {
    model,
    url,
    says,
  }: {
    readonly model: string;
    readonly url: (path: string) => string;
    readonly says: (words: string) => void;
  },
): Promise<void> {
  await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
  const tab = await app.openTab();
  const { page } = tab;
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await tab.open('#/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Asked by hand');
  await page.getByRole('textbox', { name: 'URL' }).fill(url('/asked'));
  await page.getByRole('radio', { name: 'By hand' }).check({ force: true });
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await page.getByRole('button', { name: 'Run Asked by hand now' }).click();
  const [made] = await tab.expectSettled(1);
  if (made === undefined) throw new Error('There is no run.');

  const schedule = { kind: 'manual' } as const;
  says('An answer with ![a picture](https://elsewhere.test/x.png) and [a link](https://elsewhere.test/).');
  const ids = [
    made.id,
    await runAndSettle(tab, {
      name: 'Watch',
      schedule,
      action: { kind: 'watch', url: url('/page'), part: { kind: 'page', select: 'p' } },
    }),
    await runAndSettle(tab, {
      name: 'Ask',
      schedule,
      action: { kind: 'prompt', endpoint: { baseUrl: model }, model: 'tiny:1b', prompt: 'Well?' },
    }),
    await runAndSettle(
      tab,
      script(`return (await fetch('${url('/scripted')}')).status;`, {
        allow: ['fetch'],
        origins: [new URL(url('/')).origin],
      }),
    ),
    await runAndSettle(tab, { name: 'Remind', schedule, action: { kind: 'remind', message: 'Stand up.' } }),
  ];
  const screens = [
    '#/',
    '#/?view=needs-you',
    '#/new',
    '#/runs',
    '#/timeline',
    '#/timeline?view=year',
    '#/timeline?view=durations',
    '#/notifications',
    '#/engine',
    '#/settings',
  ];
  const { automationId } = made;
  for (const hash of [
    ...screens,
    `#/automations/${automationId}`,
    `#/automations/${automationId}/edit`,
    ...ids.map((id) => `#/runs/${id}`),
  ]) {
    await page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 30_000 });
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0, { timeout: 30_000 });
  }
  await page.reload();
  await tab.rota.version();
  expect(app.complaints).toEqual([]);
}

test('the licences of all that Rota contains are a press from its settings, also without a network', async ({
  app,
}) => {
  const tab = await (await app.newTab()).open('#/settings');
  await tab.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  await app.site.close();
  const opening = app.context.waitForEvent('page');
  await tab.page.getByRole('link', { name: 'work of others under theirs' }).click();
  const opened = await opening;
  await expect(opened.locator('body')).toContainText('MIT licence', { timeout: 30_000 });
  for (const name of ['lit-html', 'comlink', 'liquidjs', 'workbox-precaching', 'QuickJS Javascript Engine'])
    await expect(opened.locator('body')).toContainText(name);
});
