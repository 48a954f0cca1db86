/** What a person sees when the platform lacks something, or takes it away. */
import AxeBuilder from '@axe-core/playwright';
import { type Tab, byHand, every, expect, test } from './app.ts';
import { unlessLost } from './installation.ts';

const engine = (tab: Tab) => tab.page.getByRole('region', { name: 'Engine' });

for (const { part, take, says } of [
  {
    part: 'Web Locks',
    take: () => Reflect.deleteProperty(Navigator.prototype, 'locks'),
    says: /no locks that tabs can share/,
  },
  {
    part: 'a database',
    take: () => {
      Reflect.deleteProperty(globalThis, 'indexedDB');
      Reflect.deleteProperty(Object.getPrototypeOf(globalThis) as object, 'indexedDB');
    },
    says: /gives Rota no database/,
  },
]) {
  test(`without ${part} one screen says what is missing, and nothing pretends to run`, async ({ app }) => {
    await app.context.addInitScript(take);
    const tab = await app.newTab();
    await tab.page.goto(tab.url);
    await expect(tab.page.getByRole('heading', { level: 1 })).toHaveText(says);
    await expect(tab.page.getByRole('button', { name: 'Try again' })).toBeVisible();
    await expect(tab.page.getByRole('navigation')).toHaveCount(0);
    expect((await new AxeBuilder({ page: tab.page }).analyze()).violations).toEqual([]);
    expect(app.complaints).toEqual([]);
  });
}

test('a database of a newer version is left as it is, and the screen says what has happened to it', async ({
  app,
}) => {
  const tab = await app.newTab();
  await tab.page.goto(`${tab.url}favicon.svg`);
  await tab.page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open('rota', 99);
        request.onupgradeneeded = () =>
          request.result.createObjectStore('from-the-future').put('kept', 'row');
        request.onsuccess = () => {
          request.result.close();
          resolve();
        };
      }),
  );
  await tab.page.goto(tab.url);
  await expect(tab.page.getByRole('heading', { level: 1 })).toHaveText(
    'A newer version of Rota has changed the storage.',
  );
  await expect(tab.page.getByRole('button', { name: 'Reload this tab' })).toBeVisible();
  const kept = await tab.page.evaluate(
    () =>
      new Promise((resolve) => {
        const request = indexedDB.open('rota');
        request.onsuccess = () => {
          const row = request.result.transaction('from-the-future').objectStore('from-the-future').get('row');
          row.onsuccess = () => resolve(row.result);
        };
      }),
  );
  expect(kept).toBe('kept');
});

test('while something keeps the storage from Rota the screen says so, and Rota goes on by itself when it lets go', async ({
  app,
}) => {
  test.setTimeout(180_000);
  const holder = await app.newTab();
  await holder.page.goto(`${holder.url}favicon.svg`);
  // A connection that ignores that the database is to be removed: whatever opens it after that waits, and no event tells why.
  await holder.page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open('rota', 1);
        opening.onsuccess = () => {
          Reflect.set(globalThis, 'held', opening.result);
          indexedDB.deleteDatabase('rota').onblocked = () => resolve();
        };
      }),
  );
  const tab = await app.newTab();
  await tab.page.goto(tab.url);
  await expect(tab.page.getByRole('heading', { level: 1 })).toHaveText(
    'The browser refused to open Rota’s storage.',
    { timeout: 60_000 },
  );
  await holder.page.evaluate(() => (Reflect.get(globalThis, 'held') as IDBDatabase).close());
  await expect(tab.page.getByRole('navigation').first()).toBeVisible({ timeout: 60_000 });
  await expect
    .poll(async () => (await unlessLost(tab.rota.listAutomations()))?.items, { timeout: 30_000 })
    .toEqual([]);
});

test('the storage is cleared under a running engine: it starts anew and says so by being empty, and works', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  await tab.add(every('Beat', 1_000, server.url('/beat')));
  await expect.poll(() => server.at('/beat').length).toBeGreaterThan(0);
  await tab.page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase('rota');
        request.onsuccess = () => resolve();
        request.onerror = () => reject(new Error('not deleted'));
      }),
  );
  await expect
    .poll(
      () =>
        tab.rota.listAutomations().then(
          (list) => list.counts.all,
          () => -1,
        ),
      { timeout: 20_000 },
    )
    .toBe(0);
  const [id] = await tab.add(byHand('After', server.url('/after')));
  if (id === undefined) throw new Error('nothing was imported');
  expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
  await expect.poll(() => server.at('/after').length).toBe(1);
});

test('Restart engine gives every tab another engine, and what was running is settled', async ({
  app,
  server,
}) => {
  const [here, there] = (await app.openTabs(2)) as [Tab, Tab];
  const [id] = await here.add(byHand('Short', server.url('/short?delay=700')));
  if (id === undefined) throw new Error('nothing was imported');
  const before = (await there.rota.status()).hostId;
  expect((await here.rota.runNow({ id })).kind).toBe('claimed');
  expect((await here.rota.restartEngine()).kind).toBe('restarting');
  for (const tab of [here, there]) {
    await expect
      .poll(
        () =>
          tab.rota.status().then(
            (status) => status.hostId,
            () => before,
          ),
        { timeout: 15_000 },
      )
      .not.toBe(before);
  }
  // It was let finish: less than the three seconds that a restart waits.
  expect(await there.expectSettled(1)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
  expect(server.at('/short')).toHaveLength(1);
});

test('an older tab says that a newer version is open, and what to do', async ({ app }) => {
  const old = await app.openTab();
  await expect(engine(old)).not.toContainText('newer version');
  await app.openTab('/next/');
  await expect(engine(old)).toContainText('A newer version of Rota is open in this browser.');
  await expect(engine(old).getByRole('button', { name: /reload/i })).toBeVisible();
});

test('offline, the strip says so and what waits', async ({ app, server }) => {
  const tab = await app.openTab();
  await tab.add(every('Beat', 1_000, server.remoteUrl('/beat')));
  await expect.poll(() => server.at('/beat').length).toBeGreaterThan(0);
  await app.setOffline(true);
  await expect(engine(tab)).toContainText(/offline/i, { timeout: 15_000 });
  await app.setOffline(false);
  await expect(engine(tab)).not.toContainText(/offline/i, { timeout: 15_000 });
});

test('With no room left the screen says so, nothing is claimed that could not be stored, and all goes on when there is room', async ({
  app,
  server,
}) => {
  const first = await app.openTab();
  const [id] = await first.add(byHand('By hand', server.url('/hand')));
  if (id === undefined) throw new Error('nothing was imported');
  await app.quit();
  await app.launch();
  // Before anything is stored in this browser's life: it asks how much room there is when it stores, and not each time.
  const tab = await app.newTab();
  await tab.page.goto(`${tab.url}favicon.svg`);
  const session = await app.context.newCDPSession(tab.page);
  const { origin } = app.site;
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1 });
  await tab.open();
  await expect(engine(tab)).toContainText('The browser has no room left for what Rota stores');
  expect(await tab.rota.runNow({ id }).catch(String)).toContain('QuotaExceededError');
  expect(await tab.runs()).toEqual([]);
  expect(server.at('/hand')).toEqual([]);

  await session.send('Storage.overrideQuotaForOrigin', { origin });
  await expect.poll(async () => (await tab.rota.runNow({ id })).kind).toBe('claimed');
  expect(await tab.expectSettled(1)).toMatchObject([{ status: 'succeeded' }]);
  await expect(engine(tab)).toContainText('Running in this browser.', { timeout: 40_000 });
});

for (const how of ['told', 'untold'] as const) {
  test(`A database connection that the browser takes away, ${how}, is opened again, and what ran is ended honestly`, async ({
    app,
    server,
  }) => {
    const tab = await app.openTab('/test/');
    const action = { kind: 'http' as const, method: 'POST' as const, url: server.url('/pay?delay=60000') };
    const [id] = await tab.add(byHand('Pay', '', { action }));
    if (id === undefined) throw new Error('nothing was imported');
    const before = (await tab.rota.status()).hostId;
    expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
    await expect.poll(() => server.at('/pay').length).toBe(1);
    await tab.page.evaluate((lose) => new BroadcastChannel('rota-test-faults').postMessage({ lose }), how);
    await expect
      .poll(() =>
        tab.rota.status().then(
          ({ hostId }) => hostId,
          () => before,
        ),
      )
      .not.toBe(before);
    expect(await tab.expectSettled(1)).toMatchObject([{ status: 'interrupted', mayHaveHappened: true }]);
    expect(server.at('/pay')).toHaveLength(1);
  });
}

test('A lease that foreign code steals: the host stops what it did under it, it is not done twice, and the row says so', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const action = { kind: 'http' as const, method: 'POST' as const, url: server.url('/pay?delay=60000') };
  const [id] = await tab.add(byHand('Pay', '', { action }));
  if (id === undefined) throw new Error('nothing was imported');
  expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
  await expect.poll(() => server.at('/pay').length).toBe(1);
  await tab.page.evaluate(async () => {
    const { held = [] } = await navigator.locks.query();
    const name = held.flatMap((lock) => lock.name ?? []).find((one) => one.startsWith('rota/automation/'));
    const letGo = new Promise<void>((resolve) => addEventListener('rota-let-go', () => resolve()));
    // eslint-disable-next-line no-restricted-syntax -- This is the foreign code.
    void navigator.locks.request(name ?? '', { steal: true }, () => letGo);
  });
  // The request was broken off, and while the thief has the lease nobody else judges the run.
  await expect.poll(() => server.at('/pay')[0]?.endedAt ?? null).not.toBeNull();
  expect(await tab.runs()).toMatchObject([{ status: 'running' }]);
  await tab.page.evaluate(() => dispatchEvent(new Event('rota-let-go')));
  expect(await tab.expectSettled(1)).toMatchObject([{ status: 'interrupted', mayHaveHappened: true }]);
  expect(server.at('/pay')).toHaveLength(1);
});
