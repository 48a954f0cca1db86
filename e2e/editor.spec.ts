/** Stories of the editor. */
import type { Page } from '@playwright/test';
import { byHand, expect, test } from './app.ts';

const nameOf = (page: Page) => page.getByRole('textbox', { name: 'Name', exact: true });
const save = (page: Page) => page.getByRole('button', { name: /^Save/ });

test('what cannot be saved is said in a summary and at each field, and mending it there clears it', async ({
  app,
}) => {
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await nameOf(page).press('Control+s');
  const summary = page.getByRole('group', { name: '2 things to mend before this can be saved' });
  await expect(summary).toBeFocused();
  await expect(nameOf(page)).toHaveAccessibleDescription(/Give the automation a name/);
  await expect(nameOf(page)).toHaveAttribute('aria-invalid', 'true');
  await summary.getByRole('button', { name: 'Name' }).press('Enter');
  await expect(nameOf(page)).toBeFocused();
  await page.keyboard.type('Check the API');
  await expect(nameOf(page)).not.toHaveAttribute('aria-invalid', 'true');
  await page.getByRole('textbox', { name: 'URL' }).fill('https://api.test/{{ run.nothing }}');
  await expect(summary).toBeHidden();

  // What only the host can see comes back to the field that it is about.
  await save(page).click();
  await expect(page.getByRole('textbox', { name: 'URL' })).toHaveAccessibleDescription(/nothing/);
  expect((await tab.rota.listAutomations()).counts.all).toBe(0);
  expect(app.complaints).toEqual([]);
});

test('the next ten runs follow what is typed, and a rule that cannot be is refused with its reason', async ({
  app,
}) => {
  const { page } = await (await app.newTab()).open('#/new');
  const meaning = page.getByRole('complementary', { name: 'What this schedule means' });
  await expect(meaning.getByRole('listitem')).toHaveCount(10);
  await expect(meaning).toContainText('Every weekday at 09:00');
  await page.getByRole('radio', { name: 'Cron' }).check({ force: true });
  const rule = page.getByRole('textbox', { name: 'Cron rule' });
  await expect(rule).toHaveValue('0 9 * * mon-fri');
  await rule.fill('0 0 30 2 *');
  await expect(rule).toHaveAccessibleDescription(/never/);
  await rule.fill('*/15 9-17 * * mon-fri');
  await expect(rule).not.toHaveAttribute('aria-invalid', 'true');
  await expect(meaning).toContainText('Every 15 minutes, 09:00 to 17:45, weekdays');
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Pacific/Auckland');
  await expect(meaning.getByRole('listitem').first()).toContainText('here');
  await page.getByRole('radio', { name: 'Every', exact: true }).check({ force: true });
  await expect(meaning).toContainText('Every 15 minutes.');

  // In words: a rule, what is no rule, and a date.
  const words = page.getByRole('textbox', { name: 'In words' });
  await words.fill('last friday of the month at 4pm');
  await words.press('Enter');
  await expect(words).toHaveAccessibleDescription('Filled in: On the last Friday of each month at 16:00.');
  await expect(meaning).toContainText('On the last Friday of each month at 16:00, Pacific/Auckland');
  await words.fill('every blue moon');
  await page.getByRole('button', { name: 'Fill in' }).click();
  await expect(words).toHaveAccessibleDescription(/“every blue” is not understood/);
  await words.fill('tomorrow at 5pm');
  await words.press('Enter');
  await expect(page.getByRole('radio', { name: 'Once', exact: true })).toBeChecked();
  await expect(page.getByRole('textbox', { name: 'Date and time' })).toHaveValue(/T17:00$/);
  expect(app.complaints).toEqual([]);
});

test('a draft is there again after the tab is gone, and an open editor keeps its own', async ({ app }) => {
  const first = await (await app.newTab()).open('#/new');
  await nameOf(first.page).fill('Half of a thought');
  await expect(first.page.getByText('The draft is kept in this browser')).toBeVisible();

  const second = await (await app.newTab()).open('#/new');
  await expect(nameOf(second.page)).toHaveValue('');
  await second.page.close();

  await first.page.close({ runBeforeUnload: false });
  const third = await app.newTab();
  // The browser frees the lock of the tab that is gone a moment later.
  await expect
    .poll(async () => {
      await third.open('#/new');
      await third.page.reload();
      await expect(nameOf(third.page)).toBeVisible();
      return nameOf(third.page).inputValue();
    })
    .toBe('Half of a thought');
  await expect(third.page.getByText(/Your draft from .* is back/)).toBeVisible();
  await third.page.getByRole('button', { name: 'Discard it' }).click();
  await expect(nameOf(third.page)).toHaveValue('');
  await third.page.getByRole('button', { name: 'Undo' }).click();
  await expect(nameOf(third.page)).toHaveValue('Half of a thought');
});

test('a starter is no place for an older draft, which waits for its own editor', async ({ app }) => {
  const first = await (await app.newTab()).open('#/new');
  await nameOf(first.page).fill('Half of a thought');
  await expect(first.page.getByText('The draft is kept in this browser')).toBeVisible();
  await first.page.close({ runBeforeUnload: false });
  const tab = await (await app.newTab()).open('#/new?starter=check');
  const { page } = tab;
  await nameOf(page).fill('From a starter');
  await page.getByRole('button', { name: 'Discard' }).click();
  await tab.open('#/new');
  await expect(nameOf(page)).toHaveValue('Half of a thought');
});

test('unsaved work is not left without a question, and leaving keeps the draft', async ({ app }) => {
  const tab = await (await app.newTab()).open('#/');
  const { page } = tab;
  await page.keyboard.press('n');
  await nameOf(page).fill('Not saved');
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(nameOf(page)).toHaveValue('Not saved');
  expect(new URL(page.url()).hash).toBe('#/new');
  await page.goBack();
  await page.getByRole('button', { name: 'Leave' }).click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Not saved');
  await tab.open('#/new');
  await expect(nameOf(page)).toHaveValue('Not saved');
});

test('what is tried is saved, runs once, and its run is shown', async ({ app, server }) => {
  const { page } = await app.openTab('#/new');
  await nameOf(page).fill('Tried');
  await page.getByRole('textbox', { name: /^URL/ }).fill(server.url('/tried'));
  await page.getByRole('button', { name: 'Try it' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tried' })).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText('Succeeded').first()).toBeVisible({ timeout: 30_000 });
  expect(page.url()).toContain('#/runs/');
  expect(server.at('/tried')).toHaveLength(1);
});

test('saving says when it runs next, and the editor of a saved one changes what is stored', async ({
  app,
  server,
}) => {
  const tab = await (await app.newTab()).open('#/new?starter=check');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'URL' }).fill(server.url('/health'));
  await save(page).click();
  await expect(page.getByText(/^Saved\. Next run (today|tomorrow) \d\d:\d\d\.$/).first()).toBeVisible();
  const [saved] = (await tab.rota.listAutomations()).items;
  if (saved === undefined) throw new Error('nothing was saved');
  expect(saved.enabled).toBe(true);
  expect(saved.action).toHaveProperty('url', server.url('/health'));

  await tab.open(`#/automations/${saved.id}/edit`);
  await nameOf(page).fill('Renamed');
  await page.getByRole('switch', { name: 'Runs by its schedule' }).click();
  await nameOf(page).press('Control+s');
  await expect(
    page.getByText('Saved, and paused: it does not run before you resume it.').first(),
  ).toBeVisible();
  const after = await tab.rota.getAutomation(saved.id);
  expect([after?.name, after?.enabled]).toEqual(['Renamed', false]);
  expect(app.complaints).toEqual([]);
});

test('two edits of one automation meet part by part, and neither is lost', async ({ app, server }) => {
  const here = await app.openTab();
  const [id] = await here.add(byHand('Check the API', server.url('/old')));
  if (id === undefined) throw new Error('nothing was imported');
  await here.open(`#/automations/${id}/edit`);
  const there = await (await app.newTab()).open(`#/automations/${id}/edit`);

  await nameOf(here.page).fill('Mine');
  await here.page.getByRole('textbox', { name: 'URL' }).fill(server.url('/mine'));
  await nameOf(there.page).fill('Theirs');
  await there.page.getByRole('radio', { name: 'Queue one' }).check({ force: true });
  await save(there.page).click();
  await expect(there.page.getByText(/^Saved/).first()).toBeVisible();

  await expect(here.page.getByText('It was changed elsewhere')).toBeVisible();
  await save(here.page).click();
  await expect(
    here.page.getByRole('dialog', { name: 'It was changed while you were editing' }),
  ).toBeVisible();
  const part = (name: RegExp) => here.page.getByRole('listitem').getByRole('group', { name });
  const name = part(/^Name/);
  await expect(name).toContainText('both changed it');
  await expect(part(/^When still running/).getByLabel(/Theirs/)).toBeChecked();
  await expect(part(/^URL/).getByLabel(/Mine/)).toBeChecked();
  await name.getByLabel(/Theirs/).check();
  await here.page.getByRole('button', { name: 'Save what is chosen' }).click();
  await expect(here.page.getByText(/^Saved/).first()).toBeVisible();
  expect(await here.rota.getAutomation(id)).toMatchObject({
    name: 'Theirs',
    action: { url: server.url('/mine') },
    rules: { overlap: { kind: 'queue' } },
  });
  expect(app.complaints).toEqual([]);
});

test('what is deleted elsewhere while it is edited can be saved as a new one', async ({ app, server }) => {
  const tab = await app.openTab();
  const [id] = await tab.add(byHand('Check the API', server.url('/old')));
  if (id === undefined) throw new Error('nothing was imported');
  const editor = await (await app.newTab()).open(`#/automations/${id}/edit`);
  await nameOf(editor.page).fill('Still wanted');
  await tab.rota.removeAutomation({ id });
  await editor.page.getByRole('button', { name: 'Save it as a new one' }).click();
  await expect(editor.page.getByText(/^Saved/).first()).toBeVisible();
  const { items } = await tab.rota.listAutomations();
  expect(items.map(({ name }) => name)).toEqual(['Still wanted']);
});

test('a curl command that is pasted becomes the request, and what the answer must hold is checked', async ({
  app,
  server,
}) => {
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await nameOf(page).fill('From curl');
  const url = page.getByRole('textbox', { name: 'URL' });
  await url.evaluate(
    (field, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', text);
      field.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, composed: true, cancelable: true }),
      );
    },
    `curl -X POST '${server.url('/hello')}' -H 'X-Kind: test' -b 'a=b' -d 'x=1'`,
  );
  await expect(url).toHaveValue(server.url('/hello'));
  await expect(page.getByLabel('Method')).toHaveValue('POST');
  await expect(page.getByLabel('Name of header 1')).toHaveValue('X-Kind');
  await expect(
    page.getByText('Left out: --cookie (requests are sent without cookies).').first(),
  ).toBeVisible();

  await page.getByText('What the answer must hold').click();
  await page.getByLabel('Must contain').fill('nobody says this');
  await page.getByRole('button', { name: 'Add a check' }).click();
  await page.getByLabel('Path of check 1').fill('$.[');
  await page.getByLabel('Value of check 1').fill('1');
  await save(page).click();
  await expect(page.getByLabel('Path of check 1')).toHaveAccessibleDescription(/JSONPath .* cannot be read/);
  await page.getByRole('button', { name: 'Remove check $.[' }).click();
  await save(page).click();
  await expect.poll(async () => (await tab.rota.listAutomations()).counts.all).toBe(1);
  const [saved] = (await tab.rota.listAutomations()).items;
  expect(saved?.action).toMatchObject({
    method: 'POST',
    body: 'x=1',
    expect: { text: { contains: 'nobody says this' } },
  });
  if (saved === undefined) throw new Error('nothing was saved');
  await tab.rota.runNow({ id: saved.id });
  expect(await tab.expectSettled(1)).toMatchObject([
    { status: 'failed', summary: expect.stringContaining('does not contain “nobody says this”') },
  ]);
  expect(server.at('/hello')).toMatchObject([{ method: 'POST' }]);
  expect(app.complaints).toEqual([]);
});
