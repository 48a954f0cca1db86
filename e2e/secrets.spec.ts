/** Stories of secrets under a passphrase, and of the runs that wait for them. */
import { byHand, expect, test } from './app.ts';
import { unlessLost } from './installation.ts';

const PASSPHRASE = 'correct horse battery';
const VALUE = 'sesame-1234-open';

test('a run waits for the passphrase in every tab, and the one that gets it lets it run', async ({
  app,
  server,
}) => {
  test.setTimeout(150_000);
  const tab = await app.openTab();
  const { page } = tab;
  const origin = new URL(server.url('/')).origin;
  await tab.rota.saveSecret({ name: 'API_KEY', value: VALUE, origins: [origin] });
  const headers = { 'X-Key': '{{ secrets.API_KEY }}' };
  const [id] = await tab.add(
    byHand('Keyed', '', { action: { kind: 'http', url: server.url('/keyed'), headers } }),
  );
  if (id === undefined) throw new Error('nothing was imported');

  await tab.open('#/settings');
  await page.getByRole('button', { name: 'Set a passphrase' }).click();
  await page.getByLabel('New passphrase').fill('short');
  await page.getByLabel('The same again').fill('short');
  await page.getByRole('button', { name: 'Set the passphrase' }).click();
  await expect(page.getByText('A passphrase has at least 12 characters.')).toBeVisible();
  await page.getByLabel('New passphrase').fill(PASSPHRASE);
  await page.getByLabel('The same again').fill(PASSPHRASE);
  await page.getByLabel('The same again').press('Enter');
  await page.getByRole('button', { name: 'Lock now' }).click();
  await expect(page.getByText('Locked.', { exact: true })).toBeVisible();

  // Another tab, with an engine of its own.
  const other = await app.openTab('/?engine=tab');
  expect(await other.rota.runNow({ id })).toEqual({ kind: 'waiting', for: 'unlock' });
  await expect(page.getByText('Waiting for the passphrase').first()).toBeVisible();
  await page.getByRole('button', { name: 'Unlock the secrets' }).click();
  const dialog = page.locator('rota-unlock-dialog');
  await dialog.getByLabel('Passphrase').fill('something else');
  await dialog.getByLabel('Passphrase').press('Enter');
  await expect(dialog.getByText('That is not the passphrase.')).toBeVisible();
  await dialog.getByLabel('Passphrase').fill(PASSPHRASE);
  await dialog.getByLabel('Passphrase').press('Enter');
  await tab.expectSettled(1);
  expect(server.at('/keyed').map((hit) => hit.headers['x-key'])).toEqual([VALUE]);
  await expect.poll(async () => (await other.rota.listSecrets()).lock).toBe('unlocked');

  // An engine that comes anew has the key from the tabs.
  await tab.rota.restartEngine();
  await expect.poll(async () => (await unlessLost(tab.rota.listSecrets()))?.lock).toBe('unlocked');
  expect(await tab.shown()).not.toContain(VALUE);
  expect(app.complaints).toEqual([]);

  // The browser has nothing of it left.
  await app.kill();
  await app.launch();
  const later = await app.openTab();
  expect((await later.rota.listSecrets()).lock).toBe('locked');
  await later.open('#/settings');
  await later.page.getByRole('button', { name: 'I have lost it: remove all secrets' }).click();
  await later.page.getByRole('button', { name: 'Remove all secrets', exact: true }).click();
  await expect(later.page.getByText('No passphrase.')).toBeVisible();
  expect(await later.rota.listSecrets()).toEqual({ items: [], lock: 'none' });
});
