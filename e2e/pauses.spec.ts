/** Stories of pausing until a time, of one automation and of all. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { byHand, every, expect, test } from './app.ts';

const HOUR = 3_600_000;
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const engine = (page: Page) => page.getByRole('region', { name: 'Engine' });

test('all is paused until a time from any screen, told everywhere, and undone or resumed in one press', async ({
  app,
  server,
}) => {
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  await here.add(every('Often', 60_000, server.url('/often')), byHand('By hand', server.url('/hand')));
  await there.open('#/settings');

  await engine(there.page).getByRole('button', { name: 'Pause all' }).click();
  const dialog = there.page.getByRole('dialog', { name: 'Pause all automations' });
  await expect(dialog).toBeVisible();
  await expect(there.page.getByText('What falls due meanwhile is not made up for')).toBeVisible();
  expect((await new AxeBuilder({ page: there.page }).analyze()).violations).toEqual([]);
  await there.page.getByRole('button', { name: 'For 1 hour' }).click();
  await expect(
    engine(there.page)
      .getByText(/^All paused until/)
      .first(),
  ).toBeVisible();
  await expect(engine(here.page)).toContainText('All paused until');
  await expect(row(here.page, 'Often')).toContainText('Paused with all');
  await expect(row(here.page, 'By hand')).toContainText('When you run it');
  await here.page.getByRole('button', { name: 'Run By hand now' }).click();
  await expect(row(here.page, 'By hand')).toContainText('Succeeded');

  await there.page.getByRole('button', { name: 'Undo' }).click();
  await expect(row(here.page, 'Often')).not.toContainText('Paused with all');

  // The key of the strip, and no end.
  await here.page.keyboard.press('a');
  await here.page.getByRole('button', { name: 'Until I resume' }).press('Enter');
  await expect(engine(there.page)).toContainText('All paused until you resume.');
  await engine(there.page).getByRole('button', { name: 'Resume all' }).click();
  await expect(row(here.page, 'Often')).not.toContainText('Paused with all');
  expect((await here.rota.status()).pausedUntil).toBeNull();
  expect(app.complaints).toEqual([]);
});

test('one automation is paused until a time from its row and its page, which say until when', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const { page } = tab;
  const [id] = await tab.add(every('Daily', 24 * HOUR, server.url('/')));
  if (id === undefined) throw new Error('nothing was imported');
  await page.getByRole('button', { name: 'More for Daily' }).click();
  await page.getByRole('menuitem', { name: 'Pause until…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Pause Daily' });
  const field = page.getByLabel(/^Until another time/);
  await field.fill('2020-01-01T09:00');
  await field.press('Enter');
  await expect(field).toHaveAccessibleDescription(/This time has passed\. Choose a time to come\./);
  await expect(field).toBeFocused();
  await field.fill('2199-01-01T09:00');
  await field.press('Enter');
  await expect(dialog).toBeHidden();
  await expect(row(page, 'Daily')).toContainText(/until Tue .*2199 09:00/);
  expect(await tab.rota.getAutomation(id)).toMatchObject({
    enabled: false,
    pausedUntil: new Date('2199-01-01T09:00').getTime(),
  });
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('switch', { name: 'Pause Daily' })).toBeChecked();

  await tab.open(`#/automations/${id}`);
  await page.getByRole('button', { name: 'More for Daily' }).click();
  await page.getByRole('menuitem', { name: 'Pause until…' }).click();
  await page.getByRole('button', { name: 'Until tomorrow' }).click();
  await expect(page.getByText('until tomorrow 09:00').first()).toBeVisible();
  await page.getByRole('switch', { name: 'Resume Daily' }).click();
  await expect(page.getByRole('switch', { name: 'Pause Daily' })).toBeChecked();
  expect(await tab.rota.getAutomation(id)).not.toHaveProperty('pausedUntil');
  expect(app.complaints).toEqual([]);
});
