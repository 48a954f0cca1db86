/** Pictures of every screen at every size and scheme, into the ignored folder `shots`: `npm run shots`. */
import { expect, test } from './app.ts';
import { SCHEMES, SIZES, playScene, screensOf } from './scene.ts';

test('pictures of every screen', async ({ app, server }) => {
  test.setTimeout(300_000);
  const first = await app.openTab();
  const take = async (name: string): Promise<void> => {
    await expect(first.page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(first.page.locator('[aria-busy="true"]')).toHaveCount(0);
    for (const size of SIZES) {
      await first.page.setViewportSize(size);
      for (const colorScheme of SCHEMES) {
        await first.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await first.page.screenshot({ path: `shots/${name}-${size.name}-${colorScheme}.png` });
      }
    }
  };
  await take('first-visit');
  const scene = await playScene(app, server);
  for (const { name, hash } of screensOf(scene)) {
    await first.page.goto(`${first.url}${hash}`);
    await take(name);
  }
});
