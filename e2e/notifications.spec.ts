/** Stories of what Rota tells by itself: what is shown, what is held back, and the list of both. */
import type { Page } from '@playwright/test';
import { byHand, expect, test } from './app.ts';

/** Notes the title of each notification as it is shown; answers with how to read them. */
async function noteShown(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(async () => {
    const shown: string[] = [];
    Object.assign(globalThis, { shown });
    const registration = await navigator.serviceWorker.ready;
    const show = registration.showNotification.bind(registration);
    registration.showNotification = async (title, options) => {
      await show(title, options);
      shown.push(title);
    };
  });
  return () => page.evaluate(() => Reflect.get(globalThis, 'shown') as readonly string[]);
}

test('an outage is shown once and its end once, and the list leads to their runs', async ({
  app,
  server,
}) => {
  test.setTimeout(180_000);
  await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
  const tab = await app.openTab();
  const { page, rota } = tab;
  const shown = await noteShown(page);
  const rules = { retry: { attempts: 1 } };
  const broken = byHand('Check the API', server.url('/health?status=500'), { rules });
  const id = await tab.addOne(broken);
  for (const count of [1, 2]) {
    await rota.runNow({ id });
    await tab.expectSettled(count);
  }
  await expect.poll(shown, { timeout: 30_000 }).toEqual(['Check the API failed']);
  await rota.saveAutomation({ id, automation: byHand('Check the API', server.url('/health'), { rules }) });
  await rota.runNow({ id });
  await tab.expectSettled(3);
  await expect
    .poll(shown, { timeout: 30_000 })
    .toEqual(['Check the API failed', 'Check the API works again']);

  await page.getByRole('link', { name: 'Notifications, 2 not read' }).click();
  const list = page.getByRole('list', { name: 'Notifications' });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  await expect(list.getByRole('listitem').first()).toContainText('Shown');
  await list.getByRole('link', { name: /Check the API failed/ }).press('Enter');
  await expect(page).toHaveURL(/#\/runs\//);
  await page.getByRole('link', { name: 'Notifications, 1 not read' }).click();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect(page.getByText('All are read.').first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Notifications', exact: true })).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('what comes in quiet hours is held back, unless its automation says that it must not', async ({
  app,
  server,
}) => {
  test.setTimeout(180_000);
  await app.context.grantPermissions(['notifications'], { origin: app.site.origin });
  const tab = await app.openTab();
  const { page, rota } = tab;
  const shown = await noteShown(page);
  await tab.open('#/settings');
  await page.getByRole('checkbox', { name: /^Quiet hours/ }).press('Space');
  // Two hours around now, by the clock of the page.
  const [from, until] = await page.evaluate(() =>
    [-1, 1].map((hours) => new Date(Date.now() + hours * 3_600_000).toTimeString().slice(0, 5)),
  );
  await page.getByLabel('From', { exact: true }).fill(from ?? '');
  await page.getByLabel('Until', { exact: true }).fill(until ?? '');
  await page.getByRole('button', { name: 'Save quiet hours' }).click();
  await expect.poll(async () => (await rota.getSettings()).quiet).toEqual({ from, until, held: 'digest' });

  await tab.open('#/new');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Urgent');
  await page.getByRole('textbox', { name: 'URL', exact: true }).fill(server.url('/urgent?status=500'));
  const failure = page.getByRole('group', { name: 'When it fails' });
  await failure.getByRole('radio', { name: 'Each time' }).check({ force: true });
  await page.getByRole('checkbox', { name: /^In quiet hours too/ }).press('Space');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect
    .poll(async () => (await rota.listAutomations()).items.map(({ rules }) => rules.notify))
    .toEqual([{ failure: { kind: 'always' }, urgent: true }]);

  const quiet = await tab.addOne(
    byHand('Quiet', server.url('/quiet?status=500'), { rules: { retry: { attempts: 1 } } }),
  );
  await rota.runNow({ id: quiet });
  await tab.expectSettled(1);
  await tab.open('#/notifications');
  await expect(page.getByRole('listitem').filter({ hasText: 'Quiet failed' })).toContainText(
    'Held back until quiet hours end',
    { timeout: 30_000 },
  );
  const [urgent] = (await rota.listAutomations({ text: 'Urgent' })).items;
  if (urgent === undefined) throw new Error('nothing was saved');
  await rota.runNow({ id: urgent.id });
  await expect.poll(shown, { timeout: 60_000 }).toEqual(['Urgent failed']);
  expect(app.complaints).toEqual([]);
});
