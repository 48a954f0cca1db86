/** Tabs that close, go away, come back and sleep: who is there, and what those that are back see. */
import type { Page } from '@playwright/test';
import { App, type Tab, every, expect, test } from './app.ts';
import { chromiumWith } from './engines/playwright.ts';
import { unlessLost, withInstallation } from './installation.ts';

/** Playwright switches off what browsers do: to keep a page that is left, and bring it back as it was. */
const KEEPS_PAGES = chromiumWith({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
const keeping = test.extend({
  app: ({}, use) => withInstallation((site, profile) => new App(site, profile, KEEPS_PAGES), use),
});

/** How soon a tab that is gone must not count any more. */
const GONE_MS = 1_000;

async function expectTabs(tab: Tab, count: number): Promise<void> {
  await expect.poll(async () => (await unlessLost(tab.rota.status()))?.tabs, { intervals: [50] }).toBe(count);
}

test('A tab that closes or goes to another page does not count any more within a second, and the engine of the others goes on', async ({
  app,
}) => {
  const [stays, closes, leaves] = (await app.openTabs(3)) as [Tab, Tab, Tab];
  await expectTabs(stays, 3);
  const { hostId } = await stays.rota.status();
  const closedAt = Date.now();
  await closes.page.close();
  await expectTabs(stays, 2);
  expect(Date.now() - closedAt).toBeLessThan(GONE_MS);
  await leaves.page.goto('about:blank');
  await expectTabs(stays, 1);
  expect((await stays.rota.status()).hostId).toBe(hostId);
});

keeping(
  'A tab that goes elsewhere counts as closed, and a person who goes back finds it as it was, with a host and with what happened meanwhile',
  async ({ app }) => {
    test.setTimeout(180_000);
    const [stays, goes] = (await app.openTabs(2)) as [Tab, Tab];
    await expectTabs(stays, 2);
    // A browser may always load a page anew instead, as Chromium does when the service worker takes it over meanwhile.
    const keptWith = new Set<'the same host' | 'another host'>();
    for (let visit = 1; visit <= 20 && keptWith.size < 2; visit++) {
      await goes.page.evaluate(() => void Object.assign(globalThis, { isKept: true }));
      const leftAt = Date.now();
      await goes.page.goto(`${goes.url}favicon.svg`);
      await expectTabs(stays, 1);
      expect(Date.now() - leftAt).toBeLessThan(2 * GONE_MS);
      await stays.addOne({
        name: `Made on visit ${visit}`,
        schedule: { kind: 'manual' },
        action: { kind: 'remind', message: 'Hello' },
      });
      const before = (await stays.rota.status()).hostId;
      if (keptWith.has('the same host')) {
        await stays.rota.restartEngine();
        await expect
          .poll(async () => (await unlessLost(stays.rota.status()))?.hostId ?? before)
          .not.toBe(before);
      }
      await back(goes.page);
      await expectTabs(stays, 2);
      const { hostId } = await stays.rota.status();
      expect((await goes.rota.status()).hostId).toBe(hostId);
      await expect(goes.page.getByRole('region', { name: 'Engine' })).toContainText(
        'Running in this browser.',
      );
      await expect(goes.page.getByRole('main')).toContainText(`Made on visit ${visit}`);
      if (await goes.page.evaluate(() => 'isKept' in globalThis))
        keptWith.add(hostId === before ? 'the same host' : 'another host');
    }
    expect([...keptWith]).toEqual(['the same host', 'another host']);
  },
);

test('While a tab is frozen the engine goes on, and what the tab shows has caught up when it wakes', async ({
  app,
  server,
}) => {
  const [awake, sleeps] = (await app.openTabs(2)) as [Tab, Tab];
  await sleeps.page.goto(`${sleeps.url}#/runs`);
  await expect(sleeps.page.getByText('Nothing has run yet.')).toBeVisible();
  const session = await app.context.newCDPSession(sleeps.page);
  await session.send('Page.setWebLifecycleState', { state: 'frozen' });
  await awake.add(every('Beat', 1_000, server.url('/beat')));
  await expect.poll(() => server.at('/beat').length).toBeGreaterThanOrEqual(2);
  // It is there, for its lock is: only closing frees that.
  expect((await awake.rota.status()).tabs).toBe(2);
  await session.send('Page.setWebLifecycleState', { state: 'active' });
  await expect(sleeps.page.getByText('Nothing has run yet.')).toBeHidden();
  await expect(sleeps.page.getByRole('main')).toContainText('Beat');
  expect((await sleeps.rota.status()).hostId).toBe((await awake.rota.status()).hostId);
});

/** Goes back, without waiting for a load that does not happen where the page was kept. */
async function back(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await session.send('Page.getNavigationHistory');
  const entry = entries[currentIndex - 1];
  if (entry === undefined) throw new Error('There is nothing to go back to.');
  await session.send('Page.navigateToHistoryEntry', { entryId: entry.id });
  await expect.poll(() => page.evaluate(() => 'rota' in globalThis).catch(() => false)).toBe(true);
}
