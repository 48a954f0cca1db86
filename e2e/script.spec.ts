/** Stories of scripts. */
import { byHand, expect, test } from './app.ts';

test('a script is written with the keyboard, refused where it does not parse, run, and read on its run', async ({
  app,
}) => {
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Add things up');
  await page.getByRole('radio', { name: 'Script' }).check({ force: true });
  const source = page.getByRole('textbox', { name: 'Script', exact: true });
  await source.focus();
  await page.keyboard.type('const add = (a, b) => {\nreturn a + b;');
  await expect(source).toHaveValue('const add = (a, b) => {\n  return a + b;');
  // Tab leads on: nobody is held in the field.
  await page.keyboard.press('Tab');
  await expect(source).not.toBeFocused();

  // QuickJS, loaded under the policy of the build, finds what is wrong and where.
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect(source).toHaveAccessibleDescription(/does not parse in line \d/, { timeout: 30_000 });
  expect((await tab.rota.listAutomations()).counts.all).toBe(0);

  await source.fill('log("so far", 1);\nawait null;\nreturn { sum: 40 + 2 };');
  await page.getByRole('button', { name: /^Save/ }).first().click();
  await expect.poll(async () => (await tab.rota.listAutomations()).counts.all, { timeout: 30_000 }).toBe(1);
  const [automation] = (await tab.rota.listAutomations()).items;
  if (automation === undefined) throw new Error('The automation is not there.');
  const claimed = await tab.rota.runNow({ id: automation.id });
  if (claimed.kind !== 'claimed') throw new Error(`The run was not claimed: ${claimed.kind}.`);
  await expect
    .poll(async () => (await tab.rota.getRun(claimed.run.id))?.status, { timeout: 30_000 })
    .toBe('succeeded');
  await tab.open(`#/runs/${claimed.run.id}`);
  await expect(page.getByRole('list', { name: 'Log' })).toContainText('so far 1');
  await expect(page.getByText('Returned {"sum":42}').first()).toBeVisible();
  expect(app.complaints).toEqual([]);
});

test('a script that never ends is stopped at its limit and says so, while another automation runs', async ({
  app,
  server,
}) => {
  const tab = await (await app.newTab()).open();
  const idOf = async (automation: Parameters<typeof tab.rota.saveAutomation>[0]['automation']) => {
    const saved = await tab.rota.saveAutomation({ automation });
    if (saved.kind !== 'saved') throw new Error(JSON.stringify(saved));
    return saved.automation.id;
  };
  const endless = await idOf({
    name: 'Never ends',
    schedule: { kind: 'manual' },
    action: { kind: 'script', source: 'const a = 1;\nfor (;;);' },
  });
  const other = await idOf(byHand('Ends', server.url('/other')));
  const [stopped, ended] = await Promise.all([
    tab.rota.runNow({ id: endless }),
    tab.rota.runNow({ id: other }),
  ]);
  if (stopped.kind !== 'claimed' || ended.kind !== 'claimed') throw new Error('A run was not claimed.');
  await expect
    .poll(async () => (await tab.rota.getRun(ended.run.id))?.status, { timeout: 30_000 })
    .toBe('succeeded');
  await expect
    .poll(async () => (await tab.rota.getRun(stopped.run.id))?.failure?.code, { timeout: 30_000 })
    .toBe('script-stretch');
  await tab.open(`#/runs/${stopped.run.id}`);
  await expect(tab.page.getByText(/needs more than 50 ms of computing at a stretch/).first()).toBeVisible();
  expect(app.complaints).toEqual([]);
});
