import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './app.ts';
import { SCHEMES, SIZES, playScene, screensOf } from './scene.ts';

async function expectAccessible(page: Page, where: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`,
  );
  expect(found, where).toEqual([]);
}

/** Shows the screen at `hash` and waits until it has its heading and nothing is loading. */
async function show(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to;
  }, hash);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

async function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

test('the first visit passes axe on a phone and a desktop, light and dark', async ({ app }) => {
  const { page } = await app.openTab();
  await show(page, '#/');
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `first visit, ${size.name}, ${colorScheme}`);
    }
    expect(await scrollsSideways(page), `first visit, ${size.name}`).toBe(false);
  }
  expect(app.complaints).toEqual([]);
});

test('every screen passes axe, dark on a phone and light on a desktop, and no console complains', async ({
  app,
  server,
}) => {
  test.setTimeout(300_000);
  const scene = await playScene(app, server);
  const { page } = scene.tab;
  for (const { name, hash } of screensOf(scene)) {
    await show(page, hash);
    if (name !== 'not-found') await expect(page).not.toHaveTitle(/Nothing here/);
    for (const size of SIZES) {
      await page.setViewportSize(size);
      expect(await scrollsSideways(page), `${name}, ${size.name}: scrolls sideways`).toBe(false);
      // Colours differ by scheme and layout by size: each of both is looked at once.
      if (size.name === '768') continue;
      const colorScheme = size.name === '360' ? 'dark' : 'light';
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, `${name}, ${size.name}, ${colorScheme}`);
    }
  }
  expect(app.complaints).toEqual([]);
});
