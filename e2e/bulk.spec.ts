/** Stories of many automations at once: selected, changed in one step, and put back by one undo. */
import { readFile } from 'node:fs/promises';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { byHand, expect, test } from './app.ts';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = (page: Page) => page.getByRole('group', { name: 'What to do with the selected' });
const patient = { timeout: 30_000 };

test('many are paused in one step, another tab sees it, and one undo resumes all but what was changed there since', async ({
  app,
  server,
}) => {
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  const { page } = here;
  const names = ['Ash', 'Birch', 'Cedar', 'Date'];
  const [ash] = await here.add(...names.map((name) => byHand(name, server.url('/'))));
  if (ash === undefined) throw new Error('none was added');
  await expect(row(page, 'Date')).toBeVisible(patient);

  // By the keyboard alone: the first row, and a range from it; then one more by its box.
  await page.keyboard.press('j');
  await expect(row(page, 'Ash').getByRole('link', { name: 'Ash', exact: true })).toBeFocused(patient);
  await page.keyboard.press('x');
  await expect(box(page, 'Ash')).toBeChecked();
  await page.keyboard.press('Shift+ArrowDown');
  await expect(box(page, 'Birch')).toBeChecked();
  await box(page, 'Date').check();
  await expect(bar(page)).toContainText('3 selected');
  await expect(page.getByRole('status').filter({ hasText: '3 selected.' })).toBeAttached(patient);
  await expect(box(page, 'Cedar')).not.toBeChecked();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await bar(page).getByRole('button', { name: 'Pause…' }).click();
  await expect(page.getByRole('dialog', { name: 'Pause 3 automations' })).toBeVisible(patient);
  await page.getByRole('button', { name: /Until I resume/ }).click();
  const said = page.locator('rota-toasts').getByText('Paused 3 automations until you resume.');
  await expect(said).toBeVisible(patient);
  // It stays while it is pointed at, however long the rest takes.
  await said.hover();
  for (const name of ['Ash', 'Birch', 'Date'])
    await expect(there.page.getByRole('switch', { name: `Resume ${name}` })).toBeVisible(patient);
  await expect(there.page.getByRole('switch', { name: 'Pause Cedar' })).toBeVisible();

  await here.rota.saveAutomation({
    id: ash,
    automation: byHand('Ash tree', server.url('/'), { enabled: false }),
  });
  await page.getByRole('button', { name: 'Undo' }).click(patient);
  for (const name of ['Birch', 'Date'])
    await expect(there.page.getByRole('switch', { name: `Pause ${name}` })).toBeVisible(patient);
  await expect(page.locator('rota-toasts').getByText('Not undone: Ash tree (changed since).')).toBeVisible(
    patient,
  );
  await expect(there.page.getByRole('switch', { name: 'Resume Ash tree' })).toBeVisible(patient);

  await page.keyboard.press('Escape');
  await expect(bar(page)).toHaveCount(0);
  await page.keyboard.press('Control+a');
  await expect(bar(page)).toContainText('4 selected');
});

test('a file of those that are selected holds exactly these', async ({ app, server }) => {
  const tab = await app.openTab();
  const { page } = tab;
  await tab.add(
    ...['Ash', 'Birch', 'Cedar', 'Date'].map((name, index) =>
      byHand(name, server.url('/'), { tags: index % 2 === 0 ? ['even'] : [] }),
    ),
  );
  // All that match a tag, which is taken from a row.
  await page.getByRole('link', { name: 'Automations tagged even' }).first().click();
  await expect(row(page, 'Birch')).toHaveCount(0, patient);
  await page.getByRole('checkbox', { name: 'Select all 2' }).check();
  await expect(bar(page)).toContainText('2 selected');
  const [download] = await Promise.all([
    page.waitForEvent('download', patient),
    bar(page).getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^rota-[\d-]+-2-automations\.rota\.json$/);
  const file = JSON.parse(await readFile(await download.path(), 'utf8')) as {
    readonly automations: readonly { readonly name: string }[];
  };
  expect(file.automations.map(({ name }) => name)).toEqual(['Ash', 'Cedar']);
});
