/** The screen that shows how engines coordinate, and what is copied from it. */
import { byHand, expect, test } from './app.ts';

const SECRET = 'hunter2';

test('The Engine screen shows hosts, claims, storage and its rows, and what it copies has nothing that a person wrote in it', async ({
  app,
  server,
}) => {
  await app.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: app.site.origin });
  const tab = await app.openTab();
  await app.openTab();
  const action = {
    kind: 'http' as const,
    method: 'POST' as const,
    url: server.url(`/private?key=${SECRET}`),
    headers: { 'x-key': SECRET },
    body: SECRET,
  };
  const [id] = await tab.add(byHand(`Name ${SECRET}`, '', { action, tags: [SECRET] }));
  if (id === undefined) throw new Error('nothing was imported');
  expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
  await tab.expectSettled(1);

  const { page } = tab;
  await page.goto(`${tab.url}#/engine`);
  await expect(page.getByRole('main')).toContainText('One engine serves 2 tabs; nothing runs now.');
  const { build, hostId } = await tab.rota.status();
  const hosts = page.getByRole('table', { name: 'Hosts' });
  await expect(hosts).toContainText('Shared worker');
  await expect(hosts).toContainText(build);
  await expect(hosts).toContainText(hostId.slice(0, 8));
  await expect(page.getByRole('table', { name: 'Last claims' })).toContainText('Claimed');
  await expect(page.getByRole('main')).toContainText('This engine has had to end no run of another.');
  await expect(page.getByRole('main')).toContainText(
    /used, app and data together.* No row had to be set aside/,
  );
  const stores = page.getByRole('table', { name: 'Storage' });
  await expect(stores.getByRole('row', { name: 'automations 1' })).toBeVisible();
  await expect(stores.getByRole('row', { name: 'runs 1' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Restart engine' })).toBeVisible();

  await page.getByRole('button', { name: 'Copy diagnostics' }).click();
  await expect(page.getByText('Diagnostics copied')).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).not.toContain(SECRET);
  expect(text).not.toContain('private');
  expect(JSON.parse(text)).toMatchObject({ tabs: 2, version: { build }, claims: [{ automationId: id }] });
});
