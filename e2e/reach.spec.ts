/** Stories of servers whose answers may not be read, of those that a person must allow first, and of calendars. */
import { readFile } from 'node:fs/promises';
import { chromiumWith } from './engines/playwright.ts';
import { App, byHand, expect, test } from './app.ts';
import { REMOTE_HOST } from './http-server.ts';
import { withInstallation } from './installation.ts';

test('where CORS forbids the answer, one press makes it a check that something answers, and says so everywhere', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const id = await tab.addOne(byHand('Shop', server.url('/shop?cors=no')));
  const started = await tab.rota.runNow({ id });
  if (started.kind !== 'claimed') throw new Error(started.kind);
  const { page } = tab;
  await page.goto(`${tab.url}#/runs/${started.run.id}`);
  await expect(page.getByText('does not let Rota read its answers (CORS)').first()).toBeVisible({
    timeout: 30_000,
  });
  await page.getByRole('button', { name: 'Only check that it answers' }).click();
  const undo = page.getByRole('button', { name: 'Undo' });
  await expect(undo).toBeVisible();
  await page.getByRole('button', { name: 'Run again' }).click();
  await expect(page.getByText(/Something answered in .*; what it said cannot be read/).first()).toBeVisible({
    timeout: 30_000,
  });
  await page.goto(`${tab.url}#/automations/${id}/edit`);
  await expect(page.getByRole('checkbox', { name: 'Only check that something answers' })).toBeChecked();
  await expect(page.getByRole('textbox', { name: 'Expected status' })).toHaveCount(0);
});

test('the times of an automation are saved for a calendar from its menu', async ({ app }) => {
  const tab = await app.openTab();
  const id = await tab.addOne({
    name: 'Stand up',
    schedule: { kind: 'cron', expression: '0 10 * * mon-fri', timeZone: 'Europe/Berlin' },
    action: { kind: 'remind', message: 'Now; really.' },
  });
  const { page } = tab;
  await page.goto(`${tab.url}#/automations/${id}`);
  await page.getByRole('button', { name: 'More for Stand up' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download', { timeout: 30_000 }),
    page.getByRole('menuitem', { name: 'For your calendar' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('stand-up.ics');
  const text = await readFile(await download.path(), 'utf8');
  expect(text).toContain('RRULE:FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR\r\n');
  expect(text).toContain(`UID:${id}@rota\r\n`);
  expect(text).toContain(String.raw`DESCRIPTION:Now\; really.`);
});

test('what asks a server on this device from a page of elsewhere waits for the permission, and runs once it is given', async ({
  server,
}) => {
  await withInstallation(
    (site, profile) => {
      const { port } = new URL(site.origin);
      // A page of a public address, as far as the browser knows.
      const origin = `http://rota.test:${port}`;
      const engine = chromiumWith({
        args: [
          `--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1, MAP rota.test 127.0.0.1`,
          `--unsafely-treat-insecure-origin-as-secure=${origin}`,
          `--ip-address-space-overrides=127.0.0.1:${port}=public`,
        ],
      });
      return new App({ ...site, origin }, profile, engine);
    },
    async (app) => {
      const tab = await app.openTab();
      const id = await tab.addOne(byHand('Local', server.url('/local').replace(REMOTE_HOST, '127.0.0.1')));
      expect(await tab.rota.runNow({ id })).toEqual({ kind: 'waiting', for: 'loopback-network' });
      const { page } = tab;
      await page.goto(`${tab.url}#/automations/${id}`);
      await expect(page.getByText('Waiting for permission to reach this device').first()).toBeVisible({
        timeout: 30_000,
      });
      await expect(page.getByRole('button', { name: 'Let the browser ask' })).toBeVisible();
      await app.context.grantPermissions(['local-network-access'], { origin: new URL(tab.url).origin });
      await tab.expectSettled(1);
      await expect(page.getByRole('button', { name: 'Let the browser ask' })).toHaveCount(0);
      expect(server.hits.filter(({ method }) => method === 'GET')).toHaveLength(1);
    },
  );
});
