/** The service worker as host of last resort, woken as the browser wakes it: by the DevTools protocol. */
import type { CDPSession, Worker } from '@playwright/test';
import { type App, type Tab, byHand, expect, onceAt, soon, test } from './app.ts';
import type { Run } from './contract.ts';

/** Waits until the service worker of the tab's folder has everything and is active. */
async function installed(tab: Tab): Promise<void> {
  await tab.page.evaluate(async () => {
    const { active } = await navigator.serviceWorker.ready;
    if (active?.state !== 'activated')
      await new Promise((done) => active?.addEventListener('statechange', done, { once: true }));
  });
}

/** What the test needs of a service worker's global scope, which the tests' own library does not know. */
interface ServiceWorkerScope extends EventTarget {
  readonly registration: ServiceWorkerRegistration;
  readonly NotificationEvent: new (type: string, options: object) => Event;
}

/** Starts the service worker without any page of Rota. */
async function startWorker(app: App): Promise<Worker> {
  const page = await app.context.newPage();
  const devTools = await app.context.newCDPSession(page);
  await devTools.send('ServiceWorker.enable');
  const started = app.context.waitForEvent('serviceworker');
  await devTools.send('ServiceWorker.startWorker', { scopeURL: `${app.site.origin}/` });
  return started;
}

/** What the browser does twice a day at most. */
async function wakeUp(app: App): Promise<void> {
  const page = await app.context.newPage();
  const devTools: CDPSession = await app.context.newCDPSession(page);
  const origin = app.site.origin;
  const registrationId = new Promise<string>((resolve) => {
    devTools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL === `${origin}/` && !isDeleted);
      if (own !== undefined) resolve(own.registrationId);
    });
  });
  await devTools.send('ServiceWorker.enable');
  await devTools.send('ServiceWorker.dispatchPeriodicSyncEvent', {
    origin,
    registrationId: await registrationId,
    tag: 'rota-due',
  });
  await page.close();
}

const kinds = (runs: readonly Run[]) => runs.map((run) => [run.status, run.host?.kind]);

test.describe('The service worker, woken', () => {
  test('with every page closed does what is due, once, and ends what died with the browser', async ({
    app,
    server,
  }) => {
    const tab = await app.openTab();
    await installed(tab);
    const at = soon(6_000);
    const [slow] = await tab.add(
      byHand('Slow', server.url('/slow?delay=60000'), { rules: { retry: { attempts: 1 } } }),
      // A template too: what it needs is loaded lazily elsewhere, and cannot be here.
      onceAt('Due', at, server.url('/due?at={{ run.scheduledFor }}')),
    );
    if (slow === undefined) throw new Error('nothing was imported');
    expect((await tab.rota.runNow({ id: slow })).kind).toBe('claimed');
    await expect.poll(() => server.at('/slow').length).toBe(1);
    await app.kill();
    expect(Date.now(), 'the browser was gone before it was due').toBeLessThan(at);
    await new Promise((resolve) => setTimeout(resolve, at - Date.now() + 100));
    await app.launch();

    await wakeUp(app);
    await expect.poll(() => server.at('/due').length).toBe(1);
    expect(server.at('/due')[0]?.search.get('at')).toBe(String(at));
    // Once more: there is nothing left to do.
    await wakeUp(app);

    const after = await app.openTab();
    const runs = await after.expectSettled(2);
    expect(kinds(runs)).toEqual(
      expect.arrayContaining([
        ['succeeded', 'service-worker'],
        ['interrupted', 'shared-worker'],
      ]),
    );
    expect(server.at('/due')).toHaveLength(1);
    await after.page.goto(`${after.url}#/runs/${String(runs.find((run) => run.status === 'succeeded')?.id)}`);
    await expect(after.page.getByText('service worker', { exact: false }).first()).toBeVisible();
    // It goes when it has nothing to do: its locks are free, and it is no host any more.
    await expect
      .poll(async () => (await after.rota.status()).hosts.map(({ kind }) => kind))
      .toEqual(['shared-worker']);
    expect(app.complaints).toEqual([]);
  });

  test('beside an open tab, while an occurrence falls due, makes one run of it', async ({ app, server }) => {
    const tab = await app.openTab();
    await installed(tab);
    const at = soon(2_000);
    await tab.add(
      ...Array.from({ length: 5 }, (_, n) => onceAt(`Due ${n}`, at, server.url(`/due/${n}?delay=200`))),
    );
    await new Promise((resolve) => setTimeout(resolve, at - Date.now() - 300));
    await wakeUp(app);
    const runs = await tab.expectSettled(5);
    expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
    expect(new Set(server.hits.map((hit) => hit.path)).size).toBe(5);
    expect(server.hits).toHaveLength(5);
  });

  test('by a notification, where no window can be had, does what is due', async ({ app, server }) => {
    const tab = await app.openTab();
    await installed(tab);
    const at = soon(2_000);
    await tab.add(onceAt('Due', at, server.url('/due')));
    await app.quit();
    await new Promise((resolve) => setTimeout(resolve, at - Date.now() + 100));
    await app.launch();
    await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
    const worker = await startWorker(app);
    await worker.evaluate(async () => {
      // No driver can press a notification; a press that is none opens no window, as some browsers never do.
      const scope = globalThis as unknown as ServiceWorkerScope;
      await scope.registration.showNotification('Due', { data: { url: './#/runs' } });
      const [notification] = await scope.registration.getNotifications();
      scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
    });
    await expect.poll(() => server.at('/due').length).toBe(1);
    const after = await app.openTab();
    expect(kinds(await after.expectSettled(1))).toEqual([['succeeded', 'service-worker']]);
  });
});
