/** The fields of When and of the rules, with the keyboard alone. Nothing here is pressed with a mouse. */
import { byHand, expect, test } from './app.ts';
import { choose, tabTo, type } from './keys.ts';

test('every field of a calendar interval, its bounds and its rules is filled in by keyboard, and saved as it was typed', async ({
  app,
  server,
}) => {
  test.setTimeout(120_000);
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  await page.getByRole('textbox', { name: 'Name', exact: true }).focus();
  await page.keyboard.type('By keyboard');
  await type(page, 'URL', server.url('/keys'));

  // When: an interval of months that clamps, with bounds, exceptions, spread and clock changes.
  await choose(page, 'On days', 'Calendar interval', 2);
  await type(page, 'Every', '3');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'Every, unit' })).toBeFocused();
  await page.keyboard.type('months');
  const first = page.getByLabel('Counted from', { exact: true });
  await page.keyboard.press('Tab');
  await expect(first).toBeFocused();
  // Its parts are the browser's, in an order of its own; what matters is that it is reached and named.
  await first.fill('2030-01-31T09:00');
  await choose(page, 'Leave them out', 'Take their last day', 1);
  await page.keyboard.press('Tab');
  const more = page.getByText('Start, end, exceptions and clock changes');
  await expect(more).toBeFocused();
  await page.keyboard.press('Enter');
  const start = page.getByLabel('Not before', { exact: true });
  await page.keyboard.press('Tab');
  await expect(start).toBeFocused();
  await start.fill('2030-02-01');
  await page.getByLabel('Not after', { exact: true }).fill('2039-12-31');
  await type(page, 'Except on', '2030-07-31, soon');
  await type(page, 'At most so many runs', 'ten');
  await type(page, 'Spread over', '5');
  await choose(page, 'Right after', 'Not that day', 2);
  await choose(page, 'The first', 'The second', 1);

  // The rules.
  await choose(page, 'Run once when I’m back', 'Run every missed one', 2);
  await type(page, 'At most', '7');
  await tabTo(page, page.getByRole('checkbox', { name: 'Only if it is not too late', exact: true }));
  await page.keyboard.press('Space');
  await type(page, 'Run it when it is less late than', '2');
  await choose(page.getByRole('group', { name: /^Still running/ }), 'Skip', 'Run side by side', 3);
  await type(page, 'Side by side, at most', '99');
  await choose(page, 'Ask if it may have happened', 'Run again', 2);
  await type(page, 'Timeout', '90');
  await choose(page, 'Default', 'My own rule', 2);
  await type(page, 'Attempts', '4');
  await type(page, 'First wait', '2');
  await type(page, 'Then times', '3');
  await type(page, 'Longest wait', '10');
  await tabTo(page, page.getByRole('checkbox', { name: 'A limit was reached', exact: true }));
  await page.keyboard.press('Space');
  await type(page, 'Failures in a row', '3');
  await type(page, 'Runs a day, at most', '2');

  // What is wrong is said at the field, in the summary, and aloud; each says what would be accepted.
  await page.keyboard.press('Control+s');
  const summary = page.getByRole('group', { name: '3 things to mend before this can be saved' });
  await expect(summary).toBeFocused();
  await expect(page.locator('[aria-live]').filter({ hasText: 'Not saved. 3 things to mend.' })).toContainText(
    'At most so many runs: “ten” is not a whole number. Use digits alone, such as 2.',
  );
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await expect(field('Except on')).toHaveAccessibleDescription(/An excluded date is written as 2026-12-24\./);
  await expect(field('At most so many runs')).toHaveAccessibleDescription(/“ten” is not a whole number/);
  await expect(field('Side by side, at most')).toHaveAccessibleDescription(/at most 20/);
  for (const [name, mended] of [
    ['Except on', '2030-07-31'],
    ['At most so many runs', '10'],
    ['Side by side, at most', '2'],
  ] as const) {
    await page
      .getByRole('group', { name: /to mend/ })
      .getByRole('button', { name, exact: true })
      .press('Enter');
    await expect(field(name)).toBeFocused();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(mended);
    await expect(field(name)).not.toHaveAttribute('aria-invalid', 'true');
  }
  await page.keyboard.press('Control+s');
  await expect(page.getByText(/^Saved\./).first()).toBeVisible();
  const [saved] = (await tab.rota.listAutomations()).items;
  // The type of an automation is too deep to be compared with: its steps hold actions.
  const whole: unknown = saved;
  expect(whole).toMatchObject({
    name: 'By keyboard',
    schedule: {
      kind: 'calendar',
      every: 3,
      unit: 'months',
      first: '2030-01-31T09:00',
      overflow: 'clamp',
      start: '2030-02-01',
      end: '2039-12-31',
      excluded: ['2030-07-31'],
      maxRuns: 10,
      jitterMs: 300_000,
      dst: { gap: 'skip', overlap: 'second' },
    },
    rules: {
      missed: { kind: 'all', limit: 7, maxAgeMs: 2 * 86_400_000 },
      overlap: { kind: 'parallel', limit: 2 },
      interrupted: 'retry',
      timeoutMs: 90 * 60_000,
      retry: { attempts: 4, firstDelayMs: 2_000, factor: 3, maxDelayMs: 600_000 },
      autoPause: { kind: 'after', failures: 3 },
      runsPerDay: 2,
    },
  });
  expect(saved?.rules.retry?.on).toContain('limit');
  expect(app.complaints).toEqual([]);
});

test('months, active hours and what it follows are chosen by keyboard, with what is missing said at its field', async ({
  app,
  server,
}) => {
  test.setTimeout(120_000);
  const tab = await app.openTab();
  await tab.add(byHand('Before', server.url('/before')));
  const { page } = await tab.open('#/new');
  const meaning = page.getByRole('complementary', { name: 'What this schedule means' });
  await page.getByRole('textbox', { name: 'In words' }).focus();

  await choose(page, 'On days', 'Monthly', 1);
  await choose(page, 'A date', 'A day of the week', 1);
  await tabTo(page, page.getByRole('combobox', { name: 'Which', exact: true }));
  await page.keyboard.type('the last');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'Day of the week' })).toBeFocused();
  await page.keyboard.type('Friday');
  await expect(meaning).toContainText('On the last Friday of each month at 09:00');
  const at = page.getByLabel('At', { exact: true });
  await page.keyboard.press('Tab');
  await expect(at).toBeFocused();
  await page.keyboard.press('Delete');
  await expect(at).toHaveValue('');
  await page.keyboard.press('Control+s');
  await expect(at).toHaveAccessibleDescription(/Enter a time of day, such as 09:00\./);
  await expect(at).toHaveAttribute('aria-invalid', 'true');
  await page
    .getByRole('group', { name: /to mend/ })
    .getByRole('button', { name: 'Time of day' })
    .press('Enter');
  await expect(at).toBeFocused();

  await page.getByRole('radio', { name: 'Monthly' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(page.getByRole('radio', { name: 'Every', exact: true })).toBeChecked();
  await tabTo(page, page.getByRole('checkbox', { name: 'Only at certain hours or days', exact: true }));
  await page.keyboard.press('Space');
  const hours = page.getByRole('group', { name: 'Active hours' });
  await expect(hours.getByLabel('From', { exact: true })).toHaveValue('09:00');
  await hours.getByLabel('to', { exact: true }).focus();
  await page.keyboard.press('Delete');
  await expect(hours.getByLabel('to', { exact: true })).toHaveAccessibleDescription(
    /Enter both times, or neither/,
  );
  await tabTo(page, page.getByRole('checkbox', { name: 'Saturday', exact: true }));
  await page.keyboard.press('Space');
  await expect(page.getByRole('checkbox', { name: 'Saturday' })).toBeChecked();

  await page.getByRole('radio', { name: 'Every', exact: true }).focus();
  for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: 'After another' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('combobox', { name: 'After', exact: true })).toBeFocused();
  await page.keyboard.type('Before');
  await choose(page, 'Succeeds', 'Ends either way', 2);
  await expect(meaning).toContainText('After another automation, whether it succeeds or fails');
  expect(app.complaints).toEqual([]);
});
