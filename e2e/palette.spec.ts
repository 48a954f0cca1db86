/** The command palette: everywhere to go and everything to do, by typing what it is called. */
import AxeBuilder from '@axe-core/playwright';
import { byHand, expect, test } from './app.ts';

test('what is typed runs an automation, goes to a screen and does what the screen can, with the keyboard alone', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const { page } = tab;
  await tab.addOne(byHand('Fetch the weather', server.url('/weather')));
  await tab.addOne(byHand('Fetch the news', server.url('/news')));
  const palette = page.getByRole('dialog', { name: 'Search or command' });
  const field = palette.getByRole('combobox');

  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await expect(palette.getByRole('option', { name: 'Fetch the news', exact: true })).toBeVisible();
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  await field.fill('run wea');
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Run now: Fetch the weather');
  await page.keyboard.press('Enter');
  await expect(palette).toBeHidden();
  await tab.expectSettled(1);
  expect(server.at('/weather')).toHaveLength(1);
  expect(server.at('/news')).toHaveLength(0);

  await page.keyboard.press('Control+k');
  await field.fill('failed');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/runs\?status=failed$/);

  // It opens above what is typed, too, and gives it back.
  await page.keyboard.press('Control+k');
  await field.fill('edit news');
  await page.keyboard.press('Enter');
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.focus();
  await page.keyboard.press('Control+k');
  await field.fill('nothing is called so');
  await expect(palette.getByText('Nothing is called that.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(palette).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(name).toBeFocused();

  await page.getByRole('button', { name: 'Search or command' }).click();
  await field.fill('heat');
  await palette.getByRole('option', { name: 'Timeline of the year' }).click();
  await expect(page.getByText('The last twelve months')).toBeVisible();
  expect(app.complaints).toEqual([]);
});
