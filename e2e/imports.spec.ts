/** What comes in from elsewhere: looked at, chosen and taken with the keyboard, and nothing to do the second time. */
import AxeBuilder from '@axe-core/playwright';
import { byHand, expect, test } from './app.ts';

test('files are looked at before anything changes, one is replaced, and the same files again are nothing to do', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const mine = byHand('Check the API', server.url('/health'));
  const [id] = await tab.add(mine);
  if (id === undefined) throw new Error('nothing was imported');
  const [filed] = (JSON.parse(await tab.rota.exportFile()) as { automations: object[] }).automations;
  const theirs = JSON.stringify({
    format: 'rota',
    version: 1,
    automations: [{ ...filed, tags: ['theirs'] }],
  });
  const crontab = '# Say hello\n*/5 * * * * curl https://example.test/hello\n';
  const files = [
    { name: 'theirs.json', mimeType: 'application/json', buffer: Buffer.from(theirs) },
    { name: 'crontab', mimeType: 'text/plain', buffer: Buffer.from(crontab) },
  ];
  const { page } = tab;
  await tab.open('#/settings');
  const chooser = page.getByLabel('File to import');
  await chooser.setInputFiles(files);

  const inside = page.getByRole('region', { name: '2 files hold 2 automations' });
  await expect(inside.getByRole('heading', { name: '2 files hold 2 automations' })).toBeFocused();
  await expect(inside.getByRole('row', { name: /Tags/ })).toContainText('theirs');
  await expect(inside).toContainText('Say hello');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  expect((await tab.rota.getAutomation(id))?.tags).toEqual([]);

  // Nothing of what is here is changed unless it is said: only the new one would come in.
  await expect(inside.getByRole('button', { name: 'Import 1 automation' })).toBeVisible();
  await inside.getByRole('radio', { name: 'Leave mine' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await expect(inside.getByRole('radio', { name: 'Replace mine' })).toBeChecked();
  await expect(inside).toContainText('It is on, and will be paused.');
  const take = inside.getByRole('button', { name: 'Import 2 automations' });
  await take.focus();
  await page.keyboard.press('Enter');
  await expect(inside).toBeHidden();
  const { items } = await tab.rota.listAutomations();
  expect(items.map(({ name, enabled, tags }) => ({ name, enabled, tags }))).toEqual([
    { name: 'Check the API', enabled: false, tags: ['theirs'] },
    { name: 'Say hello', enabled: false, tags: [] },
  ]);

  await chooser.setInputFiles(files);
  await expect(inside.getByRole('status')).toContainText('Nothing to do');
  await expect(inside.getByRole('button')).toHaveText(['Close']);
  expect(app.complaints).toEqual([]);
});
