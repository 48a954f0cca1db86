/** Stories of scripts. */
import { type App, type Tab, byHand, expect, test } from './app.ts';
import type { DefinitionInput, Run } from './contract.ts';
import { unlessLost } from './installation.ts';

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
    action: { kind: 'script', source: 'const a = 1;\nfor (;;)\n  Math.sqrt(a);', computeMs: 2_000 },
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
    .toBe('script-too-long');
  await tab.open(`#/runs/${stopped.run.id}`);
  await expect(tab.page.getByText(/stopped after computing for 2 s(econds)?/).first()).toBeVisible();
  expect(app.complaints).toEqual([]);
});

/** Two tabs, and which of them has lent the worker in which the run's script computes. */
async function runInTab(
  app: App,
  action: Omit<Extract<DefinitionInput['action'], { kind: 'script' }>, 'kind'>,
): Promise<{ readonly lender: Tab; readonly other: Tab; readonly latest: () => Promise<Run | null> }> {
  const tabs = [await (await app.newTab()).open(), await (await app.newTab()).open()];
  const [first] = tabs;
  if (first === undefined) throw new Error('There is no tab.');
  const id = await first.addOne({
    name: 'Computes',
    schedule: { kind: 'manual' },
    action: { kind: 'script', ...action },
  });
  const claimed = await first.rota.runNow({ id });
  if (claimed.kind !== 'claimed') throw new Error(`The run was not claimed: ${claimed.kind}.`);
  const lending = (): readonly Tab[] =>
    tabs.filter(({ page }) => page.workers().some((worker) => worker.url().includes('executor-worker')));
  await expect.poll(() => lending().length, { timeout: 30_000 }).toBe(1);
  const [lender] = lending();
  const other = tabs.find((tab) => tab !== lender);
  if (lender === undefined || other === undefined) throw new Error('No tab has lent a worker.');
  return { lender, other, latest: async () => await unlessLost(other.rota.getRun(claimed.run.id)) };
}

test('a heavy script whose tab is closed in the middle begins anew in the next tab, in the same run', async ({
  app,
  server,
}) => {
  const { lender, other, latest } = await runInTab(app, {
    // The first time it computes for as long as it may; once the server says so it is soon done.
    source: `log('begins');
const { text } = await (await fetch('${server.url('/go')}')).json();
let n = 0;
while (n < (text === 'short' ? 1e6 : Infinity)) n = Math.max(n, n + 1);
return n;`,
    allow: ['fetch', 'log'],
    origins: [server.origin],
    computeMs: 600_000,
  });
  await expect.poll(() => server.at('/go').length, { timeout: 30_000 }).toBe(1);
  server.serve('/go', 'application/json', '{"text":"short"}');
  await lender.page.close();
  await expect.poll(async () => (await latest())?.status, { timeout: 60_000 }).toBe('succeeded');
  expect(await latest()).toMatchObject({
    attempt: 1,
    output: { value: '1000000', log: [{ text: 'begins' }] },
  });
  expect(server.at('/go')).toHaveLength(2);
  expect((await other.runs()).length).toBe(1);
});

test('a script whose tab is closed after it has sent what must not be repeated is interrupted, and sends it no second time', async ({
  app,
  server,
}) => {
  const { lender, other, latest } = await runInTab(app, {
    source: `await fetch('${server.url('/post')}', { method: 'POST', body: 'x' });\nfor (;;);`,
    allow: ['fetch'],
    origins: [server.origin],
    computeMs: 600_000,
  });
  await expect.poll(async () => (await latest())?.effect, { timeout: 30_000 }).toBe('sent');
  await lender.page.close();
  await expect.poll(async () => (await latest())?.status, { timeout: 60_000 }).toBe('interrupted');
  expect(await latest()).toMatchObject({ attempt: 1, mayHaveHappened: true });
  expect((await other.runs()).length).toBe(1);
  expect(server.at('/post').map(({ method }) => method)).toEqual(['POST']);
});

test('scripts run without a network after one visit, though none ever ran before', async ({ app }) => {
  const tab = await app.openTab();
  await tab.page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const id = await tab.addOne({
    name: 'Computes',
    schedule: { kind: 'manual' },
    action: { kind: 'script', source: 'return 6 * 7;' },
  });
  await app.site.close();
  await tab.page.reload();
  await tab.rota.runNow({ id });
  expect(await tab.expectSettled(1)).toMatchObject([{ status: 'succeeded', summary: 'Returned 42' }]);
  // In a worker of the tab, whose script is there too.
  expect(tab.page.workers().map((worker) => worker.url())).toEqual([
    expect.stringContaining('executor-worker'),
  ]);
});
