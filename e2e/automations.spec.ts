/** Stories of the list of automations and of the shell around it. */
import type { Page } from '@playwright/test';
import { type App, byHand, expect, test } from './app.ts';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** What has the focus, in whatever shadow root: its role or tag, and its name. */
async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement != null) element = element.shadowRoot.activeElement;
    const name = element?.getAttribute('aria-label') ?? element?.textContent ?? '';
    return `${element?.localName ?? ''} ${name.trim().replace(/\s+/g, ' ')}`;
  });
}

const expectFocus = (page: Page, what: string): Promise<void> =>
  expect.poll(() => focused(page), { message: 'the focus' }).toBe(what);

test('the first visit says what Rota is, and each starter opens filled in and unsaved', async ({ app }) => {
  const { page, rota } = await app.openTab();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/on time and exactly once/);
  await expect(page.getByText('They run while this browser is open')).toBeVisible();
  for (const starter of ['Remind me', 'Check that a service answers', 'Watch for a change']) {
    await page.getByRole('link', { name: starter }).click();
    await expect(page.getByRole('textbox', { name: 'Name' })).not.toHaveValue('');
    await page.goBack();
    await expect(page.getByRole('link', { name: starter })).toBeVisible();
  }
  expect((await rota.listAutomations()).counts.all).toBe(0);
  expect(app.complaints).toEqual([]);
});

test('a row tells every tab what happens, as it happens', async ({ app, server }) => {
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  await here.add(
    byHand('Fine', server.url('/fine?delay=800')),
    byHand('Broken', server.url('/x?status=503')),
  );

  await expect(row(there.page, 'Fine')).toContainText('Not run yet');
  await here.page.getByRole('button', { name: 'Run Fine now' }).click();
  await expect(row(there.page, 'Fine')).toContainText('Running');
  await expect(there.page.getByRole('region', { name: 'Engine' })).toContainText('Now: Fine');
  await expect(row(there.page, 'Fine')).toContainText('Succeeded');
  await expect(row(there.page, 'Fine').getByRole('img')).toHaveAccessibleName('Last 30 runs: 1 ok');

  await there.page.getByRole('button', { name: 'Run Broken now' }).click();
  await expect(row(here.page, 'Broken')).toContainText('503');
  await expect(here.page.getByRole('link', { name: /Automations 1 need you/ })).toBeVisible();

  await here.page.getByRole('switch', { name: 'Pause Fine' }).click();
  await expect(there.page.getByRole('switch', { name: 'Resume Fine' })).not.toBeChecked();
  await expect(row(there.page, 'Fine')).toContainText('Paused');
  expect(app.complaints).toEqual([]);
});

test('a running row can be stopped, and asked to run again it says that it is running', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  await tab.add(byHand('Slow', server.url('/slow?delay=600000')));
  await tab.page.getByRole('button', { name: 'Run Slow now' }).click();
  await expect(row(tab.page, 'Slow')).toContainText('Running');
  await tab.page.getByRole('button', { name: 'Run Slow now' }).click();
  await expect(tab.page.getByText('Slow is already running.')).toBeVisible();
  await tab.page.getByRole('button', { name: 'Stop Slow' }).click();
  await expect(row(tab.page, 'Slow')).toContainText('Cancelled');
});

test('view, search and tag are in the address: a reload keeps them, and another tab differs', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const ids = await tab.add(
    byHand('Alpha', server.url('/'), { tags: ['ops'] }),
    byHand('Beta', server.url('/'), { tags: ['ops'] }),
    byHand('Gamma', server.url('/'), { tags: ['home'] }),
  );
  await tab.rota.setEnabled({ ids: ids.slice(1, 2), enabled: false });
  await tab.page.getByRole('searchbox').fill('a');
  await tab.page.getByRole('combobox', { name: 'Tag' }).selectOption('ops');
  await expect(row(tab.page, 'Gamma')).toHaveCount(0);
  await tab.page.getByRole('link', { name: /^Paused/ }).click();
  await expect(row(tab.page, 'Alpha')).toHaveCount(0);
  await expect(row(tab.page, 'Beta')).toBeVisible();

  await tab.page.reload();
  await expect(row(tab.page, 'Beta')).toBeVisible();
  await expect(tab.page.getByRole('searchbox')).toHaveValue('a');
  await expect(tab.page.getByRole('combobox', { name: 'Tag' })).toHaveValue('ops');

  const other = await app.openTab();
  await expect(row(other.page, 'Gamma')).toBeVisible();

  await tab.page.getByRole('searchbox').fill('nothing of the kind');
  await expect(tab.page.getByText('None of 3 automations matches')).toBeVisible();
  await tab.page.getByRole('link', { name: 'Show all 3' }).click();
  await expect(row(tab.page, 'Gamma')).toBeVisible();
});

test('what was deleted can be brought back, and what runs is asked about first', async ({ app, server }) => {
  const tab = await app.openTab();
  const { page } = tab;
  await tab.add(byHand('Idle', server.url('/')), byHand('Busy', server.url('/busy?delay=600000')));
  await page.getByRole('button', { name: 'More for Idle' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(row(page, 'Idle')).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(page, 'Idle')).toBeVisible();

  await page.getByRole('button', { name: 'Run Busy now' }).click();
  await expect(row(page, 'Busy')).toContainText('Running');
  await page.getByRole('button', { name: 'More for Busy' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByRole('dialog', { name: 'Delete Busy?' })).toBeVisible();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await expect(row(page, 'Busy')).toContainText('Running');
  await page.getByRole('button', { name: 'More for Busy' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Cancel the run and delete' }).click();
  await expect(row(page, 'Busy')).toHaveCount(0);
  expect(app.complaints).toEqual([]);
});

async function threeRows(app: App, url: string): Promise<Page> {
  const tab = await app.openTab();
  await tab.add(byHand('Alpha', url), byHand('Beta', url), byHand('Gamma', url));
  await expect(row(tab.page, 'Gamma')).toBeVisible();
  return tab.page;
}

test('everything on the list can be done with the keyboard, and the focus is never lost', async ({
  app,
  server,
}) => {
  const page = await threeRows(app, server.url('/?delay=300'));
  const { keyboard } = page;
  await keyboard.press('j');
  await expectFocus(page, 'a Alpha');
  await keyboard.press('j');
  await expectFocus(page, 'a Beta');
  await keyboard.press('p');
  await expect(page.getByRole('switch', { name: 'Resume Beta' })).toBeVisible();
  await keyboard.press('r');
  await expect(row(page, 'Beta')).toContainText('Succeeded');
  await expectFocus(page, 'a Beta');

  await page.getByRole('button', { name: 'More for Beta' }).focus();
  await keyboard.press('Enter');
  await expectFocus(page, 'a Edit');
  await keyboard.press('Escape');
  await expectFocus(page, 'button More for Beta');
  await keyboard.press('Enter');
  await keyboard.press('d');
  await expectFocus(page, 'a Duplicate');
  await keyboard.press('End');
  await keyboard.press('Enter');
  await expect(row(page, 'Beta')).toHaveCount(0);
  await expectFocus(page, 'a Gamma');
  await keyboard.press('u');
  await expect(row(page, 'Beta')).toBeVisible();

  await keyboard.press('k');
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Beta' })).toBeVisible();
  await expectFocus(page, 'h1 Beta');
  await expect(page).toHaveTitle('Beta · Rota');
  await keyboard.press('1');
  await expectFocus(page, 'h1 Automations');
  await keyboard.press('Tab');
  await expectFocus(page, 'a New automation');
  await keyboard.press('/');
  await expectFocus(page, 'input Search automations');
  await keyboard.type('n');
  await expect(page, 'a key that is typed is no shortcut').toHaveURL(/#\/\?q=n$/);
});

test('keys can be looked up and switched off', async ({ app, server }) => {
  const page = await threeRows(app, server.url('/'));
  const { keyboard } = page;
  await keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(dialog).toBeVisible();
  await expect(page.getByRole('term').filter({ hasText: 'New automation' })).toBeVisible();
  await keyboard.press('n');
  await page.getByRole('switch', { name: 'Shortcuts of one key' }).click();
  await keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await keyboard.press('n');
  await keyboard.press('2');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Automations');
  await page.reload();
  await expect(row(page, 'Gamma')).toBeVisible();
  await keyboard.press('2');
  await expect(page).toHaveURL(/#\/$|\/$/);
});

test('a list that was scrolled is found again where it was left', async ({ app, server }) => {
  const tab = await app.openTab();
  const { page } = tab;
  await tab.add(...Array.from({ length: 60 }, (_, index) => byHand(`Row ${index + 100}`, server.url('/'))));
  await row(page, 'Row 140').scrollIntoViewIfNeeded();
  // Where it is when the link is pressed: rows that come into view take their real height, and the click scrolls to its row again.
  await page.evaluate(() => {
    const note = (): void => {
      document.documentElement.setAttribute('data-left', String(scrollY));
    };
    addEventListener('click', note, { capture: true, once: true });
  });
  await page.getByRole('link', { name: 'Row 140' }).click();
  const left = Number(await page.locator('html').getAttribute('data-left'));
  expect(left).toBeGreaterThan(500);
  await expect(page.getByRole('heading', { level: 1, name: 'Row 140' })).toBeVisible();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  // To within a third of a row: what is outside the view is laid out by estimate.
  await expect.poll(async () => Math.abs((await page.evaluate(() => scrollY)) - left)).toBeLessThan(20);
});

test('a chosen theme is there before the first paint and holds in all tabs', async ({ app }) => {
  const [one, two] = await app.openTabs(2);
  if (one === undefined || two === undefined) throw new Error('two tabs were asked for');
  const ground = (page: Page): Promise<string> =>
    page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await ground(one.page);
  await one.page.evaluate(() => {
    location.hash = '#/settings';
  });
  await one.page.getByText('Dark', { exact: true }).click();
  await expect.poll(() => ground(two.page)).not.toBe(light);
  await two.page.reload();
  await two.page.getByRole('heading', { level: 1 }).waitFor();
  expect(await ground(two.page)).not.toBe(light);
});
