/** Stories of the settings, and of what goes in and out of Rota as a file. */
import { readFile } from 'node:fs/promises';
import { byHand, expect, test } from './app.ts';
import { unlessLost } from './installation.ts';

test('an export comes back in through the import, which shows what is inside first and starts it paused', async ({
  app,
  server,
}, info) => {
  const tab = await app.openTab();
  const [id] = await tab.add(byHand('Check the API', server.url('/health')));
  if (id === undefined) throw new Error('nothing was imported');
  const { page } = tab;
  await tab.open('#/settings');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export all' }).click();
  const download = await downloading;
  expect(download.suggestedFilename()).toMatch(/^rota-\d{4}-\d\d-\d\d\.rota\.json$/);
  const file = info.outputPath('mine.rota.json');
  await download.saveAs(file);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ format: 'rota', version: 1 });
  await tab.rota.removeAutomation({ id });

  await page.getByLabel('File to import').setInputFiles(file);
  const inside = page.getByRole('region', { name: 'mine.rota.json holds 1 automation' });
  await expect(inside).toContainText('Check the API');
  await expect(inside).toContainText('Only by hand');
  expect((await tab.rota.listAutomations()).counts.all).toBe(0);
  await inside.getByRole('button', { name: 'Import 1 automation' }).click();
  await expect(page.getByText('Imported 1 automation, paused.').first()).toBeVisible();
  expect((await tab.rota.listAutomations()).items).toMatchObject([{ name: 'Check the API', enabled: false }]);
  expect(app.complaints).toEqual([]);
});

test('a file that is not right names each place and reason, and offers what is right beside it', async ({
  app,
}) => {
  const tab = await (await app.newTab()).open('#/settings');
  const { page } = tab;
  await page.getByText('Paste its text instead').click();
  const text = page.getByRole('textbox', { name: 'Text of a file' });
  const look = page.getByRole('button', { name: 'Look inside' });

  await text.fill('{ "format": "rota",\n  "version": 1 "automations": [] }');
  await look.click();
  await expect(page.getByRole('group', { name: 'What is wrong with it' })).toContainText('Line 2');

  const good = { name: 'Good', schedule: { kind: 'manual' }, action: { kind: 'remind', message: 'x' } };
  const odd = { ...good, name: 'Odd', schedule: { kind: 'sometimes' } };
  const unknown = { ...good, name: 'Unknown', action: { kind: 'remind', message: '{{ nobody.knows }}' } };
  await text.fill(JSON.stringify({ format: 'rota', version: 1, automations: [good, odd, unknown] }));
  await look.click();
  await expect(page.getByRole('group', { name: 'What is wrong with Odd' })).toContainText(
    'automations[1].schedule.kind',
  );
  // What only the engine can see is said when it is asked, and keeps nothing else out.
  await page.getByRole('button', { name: 'Import 2 automations' }).click();
  await expect(page.getByRole('group', { name: 'What could not come in' })).toContainText('Unknown');
  expect((await tab.rota.listAutomations()).items.map(({ name }) => name)).toEqual(['Good']);
  expect(app.complaints).toEqual([]);
});

test('a limit that is out of range is refused at its field, and one that is not holds in every tab', async ({
  app,
}) => {
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  await here.open('#/settings');
  await there.open('#/settings');
  const field = here.page.getByRole('textbox', { name: 'Runs at the same time, at most' });
  await field.fill('900');
  await here.page.getByRole('button', { name: 'Save' }).click();
  await expect(field).toHaveAccessibleDescription(/from 1 to 50/);
  await field.fill('3');
  await here.page.getByRole('button', { name: 'Save' }).click();
  await expect(there.page.getByRole('textbox', { name: 'Runs at the same time, at most' })).toHaveValue('3');
});

test('the engine is restarted from the settings and another one answers', async ({ app }) => {
  const tab = await (await app.newTab()).open('#/settings');
  const before = (await tab.rota.status()).hostId;
  await tab.page.getByRole('button', { name: 'Restart the engine' }).click();
  await expect.poll(async () => (await unlessLost(tab.rota.status()))?.hostId ?? before).not.toBe(before);
  await expect(tab.page.getByText(before)).toBeHidden();
});

test('colours and single-key shortcuts are chosen here and hold in the other tabs', async ({ app }) => {
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  await here.open('#/settings');
  await here.page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  await expect(there.page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const shortcuts = here.page.getByRole('checkbox', { name: 'Shortcuts of one key' });
  await shortcuts.press('Space');
  await expect(shortcuts).not.toBeChecked();
  await there.page.keyboard.press('n');
  await there.page.keyboard.press('2');
  expect(new URL(there.page.url()).hash).not.toBe('#/runs');
});

test('a secret is entered once, arrives where it may go, and is shown nowhere again', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const { page } = tab;
  const value = 'sesame-1234-open';
  await tab.open('#/settings');
  await page.getByRole('button', { name: 'Add a secret' }).click();
  await page.getByLabel('Name').fill('api_key');
  await page.getByLabel('Value').fill(value);
  await page.getByRole('button', { name: 'Save the secret' }).click();
  await expect(page.getByText('Name at least one origin that it may be sent to.')).toBeVisible();
  await page.getByLabel('May be sent to').fill(`${server.url('/any/path')}, https://api.example.com`);
  await page.getByLabel('May be sent to').press('Enter');
  await expect(page.getByRole('listitem').filter({ hasText: 'API_KEY' })).toContainText(
    `for ${new URL(server.url('/')).origin}, https://api.example.com`,
  );

  const headers = { 'X-Key': '{{ secrets.API_KEY }}' };
  const action = { kind: 'http' as const, url: server.url('/keyed'), headers };
  const [id] = await tab.add(byHand('Keyed', '', { action }));
  if (id === undefined) throw new Error('nothing was imported');
  await tab.rota.runNow({ id });
  const [run] = await tab.expectSettled(1);
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(server.at('/keyed')[0]?.headers['x-key']).toBe(value);
  await tab.open(`#/runs/${run?.id ?? ''}`);
  await expect(page.getByText('[secret API_KEY]').first()).toBeAttached();
  expect(await tab.shown()).not.toContain(value);
  expect(await tab.rota.exportFile()).not.toContain(value);

  await tab.open('#/settings');
  await page.getByRole('button', { name: 'Remove API_KEY' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(page.getByRole('button', { name: 'Remove API_KEY' })).toHaveCount(0);

  // What names it waits now, and one press leads to where it is given.
  await tab.rota.runNow({ id });
  await tab.open('#/?view=needs-you');
  await expect(page.getByText('Waiting for the secret API_KEY').first()).toBeVisible();
  await page.getByRole('button', { name: 'Add API_KEY for Keyed' }).click();
  await expect(page.getByLabel('Value')).toBeFocused();
  await expect(page.getByLabel('May be sent to')).toHaveValue(new URL(server.url('/')).origin);
  await page.keyboard.type('another-key-5678');
  await page.keyboard.press('Enter');
  await tab.expectSettled(2);
  expect(server.at('/keyed').map((hit) => hit.headers['x-key'])).toEqual([value, 'another-key-5678']);
  expect(app.complaints).toEqual([]);
});
