/** Stories of what is stored: brought back after the browser removed it, and kept short. */
import AxeBuilder from '@axe-core/playwright';
import { byHand, every, expect, test } from './app.ts';
import { unlessLost } from './installation.ts';

test('what the browser has removed is said to be gone, and a backup brings it back paused and only once', async ({
  app,
  server,
}, info) => {
  test.setTimeout(120_000);
  const tab = await app.openTab();
  const { page } = tab;
  await tab.add(every('Beat', 60_000, server.url('/beat')));
  await tab.add(byHand('By hand', server.url('/hand')));
  // What is there is noted where the database is not.
  await expect
    .poll(() => page.evaluate(() => localStorage.getItem('rota:kept')), { timeout: 30_000 })
    .toContain('"automations":2');
  await tab.open('#/settings');
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Back up now' }).click();
  const file = info.outputPath('backup.rota.json');
  await (await downloading).saveAs(file);
  await expect(page.getByText(/^Last backup today/)).toBeVisible();

  await page.evaluate(
    () =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.deleteDatabase('rota');
        request.onsuccess = () => resolve();
        request.onerror = () => reject(new Error('not deleted'));
      }),
  );
  await tab.open('#/');
  const notice = page.getByRole('region', { name: 'Storage' });
  await expect(notice).toContainText('2 automations', { timeout: 60_000 });
  await expect(notice).toContainText('Your last backup is of today');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
  const choosing = page.waitForEvent('filechooser');
  await notice.getByRole('button', { name: 'Restore a backup' }).click();
  await (await choosing).setFiles(file);
  await notice.getByRole('button', { name: 'Import 2 automations' }).click();
  await expect
    .poll(async () => (await unlessLost(tab.rota.listAutomations()))?.items.map(({ enabled }) => enabled), {
      timeout: 30_000,
    })
    .toEqual([false, false]);
  await expect(notice).toBeHidden();

  await tab.open('#/settings');
  await page.getByLabel('File to import').setInputFiles(file);
  await expect(page.getByText('Nothing to do:')).toBeVisible();
  expect((await tab.rota.listAutomations()).counts.all).toBe(2);
  expect((await tab.rota.status()).nextDueAt).toBeNull();
});

test('a clean-up removes what is past the limits that are chosen in the settings, and nothing else', async ({
  app,
  server,
}) => {
  test.setTimeout(120_000);
  const tab = await app.openTab();
  const { page } = tab;
  const [id] = await tab.add(byHand('Check', server.url('/check')));
  if (id === undefined) throw new Error('nothing was imported');
  for (let count = 1; count <= 3; count++) {
    expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
    await tab.expectSettled(count);
  }
  await tab.open('#/settings');
  const outputs = page.getByRole('group', { name: 'What they brought back stays' });
  await outputs.getByRole('textbox', { name: 'Newest, at most' }).fill('0');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await expect(outputs.getByRole('textbox', { name: 'Newest, at most' })).toHaveAccessibleDescription(
    /at least 1/,
  );
  await outputs.getByRole('textbox', { name: 'Newest, at most' }).fill('1');
  await page.getByRole('button', { name: 'Save limits' }).click();
  await expect(page.getByRole('button', { name: 'Save limits' })).toBeHidden();
  await page.getByRole('button', { name: 'Clean up now' }).click();
  await expect(page.getByText('Removed the output of 2 runs.')).toBeVisible({ timeout: 60_000 });

  const { items } = await tab.rota.listRuns();
  expect(items).toHaveLength(3);
  const kept = await Promise.all(items.map(async (run) => (await tab.rota.getRun(run.id))?.output ?? null));
  // Newest first.
  expect(kept.map((output) => output === null)).toEqual([false, true, true]);
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(page.getByText('No problem in anything that is stored.')).toBeVisible({ timeout: 60_000 });
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
});
