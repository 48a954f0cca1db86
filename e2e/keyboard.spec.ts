/** The whole of it with the keyboard alone, told by what a screen reader reads: names of what has the focus, and announcements. */
import type { Page } from '@playwright/test';
import { IN_FIREFOX, expect, test } from './app.ts';
import { choose, tabTo, type } from './keys.ts';

/** Notes what is announced, from now on; answers with how to read it. */
async function listen(page: Page): Promise<() => Promise<string>> {
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    new MutationObserver(() => {
      const text = document.querySelector('.announcer')?.textContent ?? '';
      if (text !== '' && heard.at(-1) !== text) heard.push(text);
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  return () => page.evaluate(() => (Reflect.get(globalThis, 'heard') as readonly string[]).join('\n'));
}

test(
  'an automation is made, run, its failure read and mended, and run again, with the keyboard and a screen reader alone',
  { tag: IN_FIREFOX },
  async ({ app, server }) => {
    test.setTimeout(240_000);
    const tab = await app.openTab();
    const { page } = tab;
    const { keyboard } = page;
    const heard = await listen(page);
    const heading = (name: string) => page.getByRole('heading', { level: 1, name });
    await expect(heading('Your automations, on time')).toBeVisible();

    // Made.
    await keyboard.press('n');
    await expect(heading('New automation')).toBeFocused();
    await type(page, 'Name', 'Fetch the report');
    await type(page, 'URL', 'report.test');
    await choose(page, 'On days', 'By hand', -3);
    await keyboard.press('Control+s');
    await expect.poll(heard).toContain('Not saved. 1 thing to mend. URL:');
    await expect(page.getByRole('group', { name: '1 thing to mend before this can be saved' })).toBeFocused();
    await keyboard.press('Tab');
    await expect(page.getByRole('button', { name: 'URL', exact: true })).toBeFocused();
    await keyboard.press('Enter');
    const url = page.getByRole('textbox', { name: 'URL', exact: true });
    await expect(url).toBeFocused();
    await expect(url).toHaveAccessibleDescription(/must start with http/);
    await type(page, 'URL', server.url('/report?status=500'));
    await expect(url).not.toHaveAccessibleDescription(/must start with http/);
    await keyboard.press('Control+s');
    await expect(heading('Automations')).toBeFocused();
    await expect.poll(heard).toContain('Saved. It runs when you press Run now.');

    // Run.
    const runNow = page.getByRole('button', { name: 'Run Fetch the report now' });
    await tabTo(page, runNow);
    await keyboard.press('Enter');
    // Its attempts are one thing that went wrong.
    await expect.poll(heard, { timeout: 60_000 }).toMatch(/Fetch the report: Failed, .*500/);
    await tab.expectSettled(3);

    // Read.
    const result = page.getByRole('row', { name: /Fetch the report/ }).getByRole('link', { name: /Failed/ });
    await expect(page.getByRole('button', { name: 'Stop Fetch the report' })).toHaveCount(0);
    await expect(result).toBeVisible();
    await keyboard.press('Shift+Tab');
    await expect(result).toBeFocused();
    await keyboard.press('Enter');
    await expect(page).toHaveURL(/#\/runs\//);
    await expect(heading('Fetch the report')).toBeFocused();
    await expect(page.getByRole('main')).toContainText(/answered 500/);

    // Mended.
    await tabTo(page, page.getByRole('link', { name: 'Edit', exact: true }));
    await keyboard.press('Enter');
    await expect(heading('Fetch the report')).toBeFocused();
    await type(page, 'URL', server.url('/report'));
    await keyboard.press('Control+s');
    await expect(heading('Automations')).toBeFocused();

    // Run again.
    await tabTo(page, runNow);
    await keyboard.press('Enter');
    await expect.poll(heard, { timeout: 60_000 }).toMatch(/Fetch the report: Succeeded/);
    await expect(runNow).toBeFocused();
    expect(server.at('/report').filter(({ search }) => !search.has('status'))).toHaveLength(1);
    expect(app.complaints).toEqual([]);
  },
);

test('no field that Tab comes to is behind the save bar of a phone', async ({ app }) => {
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await page.setViewportSize({ width: 360, height: 640 });
  const bar = page.getByRole('group', { name: 'Save', exact: true });
  await expect(bar).toBeVisible();
  await expect
    .poll(() => page.evaluate(() => document.documentElement.style.scrollPaddingBlock))
    .not.toBe('');
  await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
  /** How far what has the focus reaches below the upper edge of the bar; `null`: the focus is in the bar. */
  const behind = (): Promise<number | null> =>
    bar.evaluate((element) => {
      let focused = document.activeElement;
      while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement;
      if (focused === null || element.contains(focused)) return null;
      const { top } = element.getBoundingClientRect();
      return Math.max(0, focused.getBoundingClientRect().bottom - top);
    });
  let fields = 0;
  for (; fields < 100 && (await behind()) !== null; fields++) {
    await expect.poll(behind).toBe(0);
    await page.keyboard.press('Tab');
  }
  expect(fields).toBeGreaterThan(15);
  await expect(bar.locator(':focus')).toHaveCount(1);
});
