/**
 * Pictures of every screen and state at every size and scheme, into the ignored folder `shots`, one folder an engine:
 * `npm run shots`. In Firefox only what its layout may do otherwise: one scheme a size.
 */
import type { Page } from '@playwright/test';
import { type Tab, expect, test as base } from './app.ts';
import { FIRST_STATES, type State, playGallery } from './gallery.ts';
import { ModelServer } from './model-server.ts';
import { SCHEMES, SIZES } from './scene.ts';

const test = base.extend<{ readonly models: ModelServer }>({
  models: async ({}, use) => {
    const models = await ModelServer.start();
    await use(models);
    await models.close();
  },
});

/** Waits until the screen has its heading, nothing is loading and nothing moves. */
async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready);
}

/** Screens that are looked at under more than a size and a scheme: each has other parts than the ones before. */
const LOOKED_AT_CLOSELY =
  /^(first-visit|automations|run-failed|run-watched|editor-watch|editor-refused|timeline|engine|settings|notifications)$/;

test('pictures of every screen', async ({ app, server, models, engine }) => {
  test.setTimeout(900_000);
  const take = async (tab: Tab, { name, hash, act }: State): Promise<void> => {
    const { page } = tab;
    // Loaded anew, so that no state of one picture is in the next.
    await page.goto('about:blank');
    await tab.open(hash);
    await settled(page);
    await act?.(tab);
    await settled(page);
    for (const [index, { width, height, name: size }] of SIZES.entries()) {
      await page.setViewportSize({ width, height });
      // Some open at what matters, which depends on how wide they are then.
      if (name.startsWith('timeline')) {
        await page.reload();
        await settled(page);
      }
      const schemes = engine === 'chromium' ? SCHEMES : [SCHEMES[index % SCHEMES.length] ?? 'light'];
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.screenshot({
          path: `shots/${engine}/${name}.${size}.${colorScheme}.png`,
          // What lies over a screen, and a list that makes its rows as they are scrolled to, are looked at where they are seen.
          fullPage: !/^(palette|shortcuts|menu|pause|automations|runs)/.test(name),
        });
      }
    }
    if (engine === 'chromium' && LOOKED_AT_CLOSELY.test(name)) await takeClosely(page, name);
  };
  /** At 400 % zoom (320 CSS px), in colours that the system forces, and for who reads from right to left. */
  const takeClosely = async (page: Page, name: string): Promise<void> => {
    const shoot = (look: string) =>
      page.screenshot({ path: `shots/${engine}/${name}.${look}.png`, fullPage: true });
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 320, height: 640 });
    await shoot('zoomed');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.evaluate(() => (document.documentElement.dir = 'rtl'));
    await shoot('rtl');
    await page.evaluate(() => (document.documentElement.dir = 'ltr'));
    await page.emulateMedia({ colorScheme: 'dark', forcedColors: 'active' });
    await shoot('forced');
    await page.emulateMedia({ forcedColors: null });
  };
  const first = await app.openTab();
  for (const state of FIRST_STATES) await take(first, state);
  await first.page.close();
  const { tab, states } = await playGallery(app, server, models);
  for (const state of states) await take(tab, state);
});
