/** The story of several steps: made in the editor, run, read, mended and gone on with. */
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './app.ts';

test('steps are made with the keyboard, each with what came before it; the one that fails is mended, and the run goes on from it', async ({
  app,
  server,
}) => {
  test.setTimeout(180_000);
  server.serve('/price', 'text/plain', '12.5');
  await app.context.grantPermissions(['notifications']);
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  const { keyboard } = page;
  const box = (name: string) => page.getByRole('textbox', { name, exact: true });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const radio = (name: string) => page.getByRole('radio', { name, exact: true });
  const insert = async (into: string) => {
    await button(`Insert a value into ${into}`).press('Enter');
    await expect(page.getByRole('menuitem', { name: /^output/ }).first()).toBeFocused({ timeout: 30_000 });
    await keyboard.press('Enter');
    await expect(box(into)).toBeFocused();
  };

  await box('Name').focus();
  await keyboard.type('Tell the price');
  await box('URL').focus();
  await keyboard.type(server.url('/price'));

  await button('Add another step').press('Enter');
  await expect(radio('HTTP request')).toBeFocused();
  await box('URL').focus();
  await keyboard.type(server.url('/tell?status=500&price='));
  await insert('URL');
  await expect(box('URL')).toHaveValue(
    server.url('/tell?status=500&price={{ steps.1.output | url_encode }}'),
  );

  await button('Add another step').press('Enter');
  await expect(radio('HTTP request')).toBeFocused();
  // The last kind comes before the first.
  await keyboard.press('ArrowLeft');
  await expect(radio('Reminder')).toBeFocused();
  await box('Message').focus();
  await keyboard.type('It is ');
  await insert('Message');
  await expect(box('Message')).toHaveValue('It is {{ steps.1.output }}');

  // Moved up and down again, it keeps the focus and names the same step.
  await button(/^Step 3: Reminder/).press('Alt+ArrowUp');
  await expect(button(/^Step 2: Reminder/)).toBeFocused();
  await keyboard.press('Alt+ArrowDown');
  await expect(button(/^Step 3: Reminder/)).toBeFocused();
  await expect(box('Message')).toHaveValue('It is {{ steps.1.output }}');

  await radio('By hand').focus();
  await keyboard.press('Space');
  await radio('Do not try again').focus();
  await keyboard.press('Space');
  // The preview beside fades while it is computed anew, and is looked at elsewhere.
  const aside: [string, string, string] = ['rota-app', 'rota-editor-page', '.when-aside'];
  const editor = new AxeBuilder({ page }).exclude({ fromShadowDom: aside });
  expect((await editor.analyze()).violations).toEqual([]);
  await keyboard.press('Control+s');
  await expect.poll(async () => (await tab.rota.listAutomations()).counts.all, { timeout: 30_000 }).toBe(1);

  const [automation] = (await tab.rota.listAutomations()).items;
  if (automation === undefined) throw new Error('The automation is not there.');
  const claimed = await tab.rota.runNow({ id: automation.id });
  if (claimed.kind !== 'claimed') throw new Error(`The run was not claimed: ${claimed.kind}.`);
  const failed = claimed.run.id;
  await expect.poll(async () => (await tab.rota.getRun(failed))?.status, { timeout: 30_000 }).toBe('failed');

  await tab.open(`#/runs/${failed}`);
  const trace = page.getByRole('list', { name: 'What each step did' }).locator('> li');
  await expect(trace).toHaveText([/Step 1.*succeeded/s, /Step 2.*failed/s, /Step 3.*not reached/s]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  // The editor shows what step 1 brought back, and step 2 is mended.
  await tab.open(`#/automations/${automation.id}/edit`);
  await button(/^Step 2: GET/).press('Enter');
  await button('Insert a value into URL').press('Enter');
  await expect(page.getByRole('menuitem', { name: 'output 12.5' })).toBeFocused({ timeout: 30_000 });
  await keyboard.press('Escape');
  await box('URL').fill(server.url('/tell?price={{ steps.1.output | url_encode }}'));
  await keyboard.press('Control+s');
  await expect
    .poll(async () => JSON.stringify((await tab.rota.getAutomation(automation.id))?.action), {
      timeout: 30_000,
    })
    .not.toContain('status=500');

  await tab.open(`#/runs/${failed}`);
  await button('Retry from step 2').press('Enter');
  await expect(trace).toHaveText(
    [/taken from an earlier run/, /Step 2.*succeeded/s, /Step 3.*It is 12\.5/s],
    {
      timeout: 30_000,
    },
  );
  const asked = server.hits.map(({ path, search }) => [path, search.get('status'), search.get('price')]);
  expect(asked).toEqual([
    ['/price', null, null],
    ['/tell', '500', '12.5'],
    ['/tell', null, '12.5'],
  ]);
  expect(app.complaints).toEqual([]);
});
