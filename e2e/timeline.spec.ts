/** The timeline: a day, a year and durations, each as a picture with a name and as a table. */
import { byHand, every, expect, test } from './app.ts';

test('a day shows what ran and what is to come, and leads to the run; a year and durations tell the same', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  const { page } = tab;
  const id = await tab.addOne(byHand('Fetch it', server.url('/it')));
  await tab.addOne(every('Far between', 12 * 3_600_000, server.url('/far')));
  await tab.rota.runNow({ id });
  await tab.expectSettled(1);

  await page.getByRole('link', { name: 'Timeline' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toContainText('Today');
  const lane = page.getByRole('img', { name: 'Fetch it: 1 ok' });
  await expect(lane).toBeVisible();
  await page.getByText('As a table').click();
  await expect(page.getByRole('row', { name: /Fetch it/ })).toContainText('1 ok');

  // The mark stands where the run began.
  const [run] = (await tab.rota.listRuns({ automationId: id })).items;
  const box = await lane.boundingBox();
  if (box === null || run?.startedAt == null) throw new Error('there is no run on the lane');
  const place = await page.evaluate((at) => {
    const midnight = new Date(at).setHours(0, 0, 0, 0);
    return (at - midnight) / (new Date(midnight).setHours(24) - midnight);
  }, run.startedAt);
  await lane.click({ position: { x: Math.min(box.width - 1, place * box.width + 1), y: box.height / 2 } });
  await expect(page).toHaveURL(new RegExp(`#/runs/${run.id}$`));

  await page.getByRole('link', { name: 'Timeline' }).click();
  await page.getByRole('link', { name: 'The day after' }).click();
  await expect(page.getByRole('heading', { level: 2 })).toContainText('Tomorrow');
  await expect(page.getByRole('img', { name: 'Far between: 2 to come' })).toBeVisible();
  await page.getByRole('link', { name: 'Today' }).click();
  await expect(lane).toBeVisible();

  await page.getByRole('link', { name: 'Year', exact: true }).click();
  await expect(page.getByText(/The last twelve months: 1 ok/)).toBeVisible();
  await expect(page.getByRole('img', { name: /1 day with runs/ })).toBeVisible();

  await page.getByRole('link', { name: 'Durations' }).click();
  const which = page.getByRole('combobox', { name: 'Automation' });
  await which.fill('fetch');
  await page.getByRole('option', { name: 'Fetch it' }).click();
  await expect(which).toHaveValue('Fetch it');
  await expect(page.getByText('The only run took')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('img', { name: 'The only run took' })).toBeVisible();
  expect(app.complaints).toEqual([]);
});
