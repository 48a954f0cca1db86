/** Stories of the history and of one run in it. */
import { byHand, every, expect, soon, test } from './app.ts';

test('a run is shown while it runs, can be cancelled, and says what became of it', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const [id] = await tab.add(byHand('Nightly export', server.url('/export?delay=600000')));
  if (id === undefined) throw new Error('nothing was imported');
  const result = await tab.rota.runNow({ id });
  if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
  const { page } = tab;
  await tab.open(`#/runs/${result.run.id}`);
  await expect(page.getByText(/^It has been running for \d+ s\.$/)).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByText('You cancelled it.').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Run again' })).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('a run shows what was sent and what came back, as text and never as markup', async ({ app, server }) => {
  const tab = await app.openTab();
  const [id] = await tab.add(
    byHand('Post the numbers', '', {
      action: {
        kind: 'http',
        method: 'POST',
        url: server.url('/numbers?status=503'),
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer hunter2' },
        body: '{"a":1,"b":12345678901234567890}',
        expect: { status: [200, 201] },
      },
    }),
  );
  if (id === undefined) throw new Error('nothing was imported');
  const result = await tab.rota.runNow({ id });
  if (result.kind !== 'claimed') throw new Error(`not claimed: ${result.kind}`);
  await tab.expectSettled(1);
  const { page } = tab;
  await app.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await tab.open(`#/runs/${result.run.id}`);
  const steps = page.getByRole('region', { name: 'Steps' });
  await expect(steps).toContainText(`POST ${server.url('/numbers?status=503')}`);
  await expect(steps.getByRole('region', { name: 'Body of the request' })).toContainText(
    '"b": 12345678901234567890',
  );
  await expect(steps).toContainText('expected 200 or 201');
  await expect(page.getByRole('complementary', { name: 'Facts' })).toContainText('never repeated by itself');
  await page.getByRole('button', { name: 'Copy report' }).click();
  await expect(page.getByText('Report copied').first()).toBeVisible();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toContain('Authorization: (left out)');
  expect(report).not.toContain('hunter2');
});

test('an address without a run says so, and the way back is there', async ({ app }) => {
  const { page } = await (await app.newTab()).open('#/runs/019ad000-0000-7000-8000-000000000001');
  await expect(page.getByText('There is no run at this address.')).toBeVisible();
  await page.getByRole('link', { name: 'All runs' }).click();
  await expect(page.getByText('Nothing has run yet.')).toBeVisible();
});

test('the history is filtered in the address, walked with the keyboard, and loads what is older', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const [fine, broken] = await tab.add(
    byHand('Fine', server.url('/fine')),
    byHand('Broken', server.url('/broken?status=500'), { rules: { retry: { attempts: 1 } } }),
  );
  if (fine === undefined || broken === undefined) throw new Error('nothing was imported');
  // More rows than one page of the list holds, made inside the tab: each run as soon as the one before has ended.
  await tab.page.evaluate(async (id) => {
    const { runNow } = Reflect.get(globalThis, 'rota') as {
      readonly runNow: (request: { readonly id: string }) => Promise<{ readonly kind: string }>;
    };
    for (let claimed = 0; claimed < 62;) {
      if ((await runNow({ id })).kind === 'claimed') claimed += 1;
      else await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }, fine);
  await tab.expectSettled(62);
  await tab.rota.runNow({ id: broken });
  await tab.expectSettled(63);

  const { page } = tab;
  const rows = page.locator('a.row');
  await tab.open('#/runs');
  await expect(rows).toHaveCount(60);
  await page.keyboard.press('j');
  await expect(rows.first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(rows.nth(1)).toBeFocused();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Broken');
  await page.goBack();

  // What is older comes as somebody scrolls to it.
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(rows).toHaveCount(63);
  await expect(page.getByText('That is all of it.')).toBeVisible();

  await page.getByRole('link', { name: 'Went wrong', exact: true }).click();
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText('Broken');
  expect(new URL(page.url()).hash).toBe('#/runs?status=failed%2Ctimed-out%2Cinterrupted');
  await page.reload();
  await expect(rows).toHaveCount(1);
  const which = page.getByRole('combobox', { name: 'Automation' });
  await which.fill('fin');
  await which.press('Enter');
  await expect(page.getByText('No run is like this.')).toBeVisible();
  await expect(which).toHaveValue('Fine');
  await page.getByRole('button', { name: 'Show all automations' }).click();
  await expect(rows).toHaveCount(1);
  await expect(which).toHaveValue('');
  await expect(which).toBeFocused();
  expect(app.complaints).toEqual([]);
});

test('new rows wait while somebody points at the list, and come when asked for', async ({ app, server }) => {
  const tab = await app.openTab();
  const [id] = await tab.add(byHand('Fine', server.url('/fine')));
  if (id === undefined) throw new Error('nothing was imported');
  await tab.rota.runNow({ id });
  await tab.expectSettled(1);
  const { page } = tab;
  const rows = page.locator('a.row');
  await tab.open('#/runs');
  await rows.first().hover();
  await tab.rota.runNow({ id });
  await page.getByRole('button', { name: '1 new' }).click();
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toBeFocused();
});

test('a time that was missed has a row that says why, for all that it stands for', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const [id] = await tab.add({
    name: 'Every second',
    schedule: { kind: 'every', everyMs: 1_000, anchor: soon(60_000) - 3_600_000 },
    action: { kind: 'http', url: server.url('/second') },
    rules: { missed: { kind: 'skip' } },
  });
  if (id === undefined) throw new Error('nothing was imported');
  await tab.rota.setEnabled({ ids: [id], enabled: false });
  const paused = await tab.runs(id);
  // A pause accounts for what it left out when it ends.
  await expect
    .poll(async () => {
      await tab.rota.setEnabled({ ids: [id], enabled: true });
      await tab.rota.setEnabled({ ids: [id], enabled: false });
      return (await tab.runs(id)).filter(({ status }) => status === 'missed').length;
    })
    .toBeGreaterThan(paused.filter(({ status }) => status === 'missed').length);
  const { page } = tab;
  await tab.open(`#/runs?automation=${id}&status=missed`);
  await page.locator('a.row').first().click();
  await expect(page.getByText('It did not run: it was paused.').first()).toBeVisible();
});

test('what happened while nobody looked is told once, with one button for each decision', async ({
  app,
  server,
}) => {
  const before = await app.openTab();
  await before.add(
    every('Ticking', 1_000, server.url('/tick')),
    byHand('Posting', server.url('/post'), {
      action: { kind: 'http', method: 'POST', url: server.url('/post?delay=30000') },
    }),
  );
  const posting = (await before.rota.listAutomations({ text: 'Posting' })).items[0];
  if (posting === undefined) throw new Error('nothing was imported');
  await before.rota.runNow({ id: posting.id });
  await expect.poll(() => server.at('/post').length).toBe(1);
  await expect.poll(() => server.at('/tick').length).toBeGreaterThan(0);
  await app.kill();
  await new Promise((resolve) => setTimeout(resolve, 3_500));

  await app.launch();
  const { page } = await app.newTab().then(async (tab) => {
    // The last look was an hour ago.
    await tab.page.addInitScript(() => localStorage.setItem('rota:seen-at', String(Date.now() - 3_600_000)));
    return tab.open();
  });
  const told = page.getByRole('region', { name: 'While you were away' });
  await expect(told.getByRole('listitem')).toHaveText([
    /Posting may have happened: .*request had left/,
    /Ticking missed .*the browser was closed\./,
  ]);

  const another = await app.openTab();
  await expect(another.page.getByRole('region', { name: 'While you were away' })).toBeVisible();
  await told.getByRole('button', { name: 'It did happen: Posting' }).click();
  await expect(told.getByRole('listitem')).toHaveText([/Ticking missed/]);
  await told.getByRole('button', { name: 'Run now: Ticking' }).click();
  await expect(told).toBeHidden();
  await another.page.getByRole('button', { name: 'Got it' }).click();
  await expect(another.page.getByRole('region', { name: 'While you were away' })).toBeHidden();
  await another.page.reload();
  await expect(another.page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(another.page.getByRole('link', { name: 'Ticking' }).first()).toBeVisible();
  await expect(another.page.getByRole('region', { name: 'While you were away' })).toBeHidden();
  expect(app.complaints).toEqual([]);
});
