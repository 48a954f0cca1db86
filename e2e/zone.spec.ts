/** A machine that is carried to another time zone while a tab is open. */
import { expect, test } from './app.ts';

test('a change of the machine’s zone is followed by every time that a tab shows', async ({ app, server }) => {
  const tab = await app.openTab();
  const { page } = tab;
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Paris' });
  const id = await tab.addOne({
    name: 'Far away',
    schedule: { kind: 'date', local: '2090-01-01T09:00', timeZone: 'Europe/Paris' },
    action: { kind: 'http', url: server.url('/') },
  });
  const row = page.getByRole('row').filter({ hasText: 'Far away' });
  await expect(row).toContainText(/2090 09:00/);
  await expect(row).not.toContainText('Europe/Paris');

  await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' });
  await expect(row).toContainText(/2090 17:00/);
  // The rule goes by its own clock, which is no longer the reader's, and is named now.
  await expect(row).toContainText('Europe/Paris');

  await tab.open(`#/automations/${id}/edit`);
  await expect(page.getByRole('button', { name: 'Use mine, Asia/Tokyo' })).toBeVisible();
  await devTools.send('Emulation.setTimezoneOverride', { timezoneId: 'Europe/Paris' });
  await expect(page.getByRole('button', { name: /^Use mine/ })).toHaveCount(0);
  expect(app.complaints).toEqual([]);
});
