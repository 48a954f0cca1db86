/** Stories of the action that watches for changes. */
import AxeBuilder from '@axe-core/playwright';
import { expect, test } from './app.ts';
import type { AutomationId } from './contract.ts';

const shop = (price: string, more = ''): string =>
  `<!doctype html><title>Shop</title><main><p>Lamp, brass</p><p>${price}</p><p class=ad>${Date.now()}</p>${more}</main>`;

test('a page is watched: made in the editor, first look, no change, a change that is shown, and gone', async ({
  app,
  server,
}) => {
  const tab = await (await app.newTab()).open('#/new');
  const { page } = tab;
  server.serve('/shop', 'text/html; charset=utf-8', shop('Costs 12 euros'));

  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Price of the lamp');
  await page.getByRole('radio', { name: 'Watch', exact: true }).check({ force: true });
  await page.getByRole('textbox', { name: 'URL' }).fill(server.url('/shop'));
  // What only a library can see is said at its field.
  const selector = page.getByRole('textbox', { name: 'CSS selector' });
  await selector.fill('main > p[');
  await page.getByRole('textbox', { name: 'Leave out' }).fill('.ad');
  await page.getByRole('radio', { name: 'By hand' }).check({ force: true });
  await page.getByRole('button', { name: /^Save/ }).click();
  await expect(selector).toHaveAccessibleDescription(/cannot be read/);
  await selector.fill('main > p');
  await page.getByText('What does not count as a change').click();
  await page.getByRole('textbox', { name: 'No lines with' }).fill('/^cookies/i');
  await page.getByRole('button', { name: /^Save/ }).click();

  await page.getByRole('button', { name: 'Run Price of the lamp now' }).click();
  const verdict = page.locator('.verdict');
  await expect(page.getByText('First look: 2 lines')).toBeVisible();
  const [first] = await tab.expectSettled(1);
  await tab.open(`#/runs/${first?.id ?? ''}`);
  await expect(verdict).toContainText('First look: 2 lines');
  await expect(page.getByRole('region', { name: 'What was found' })).toContainText(
    'Lamp, brass\nCosts 12 euros',
  );

  const again = page.getByRole('button', { name: 'Run again' });
  await again.click();
  await expect(verdict).toContainText('No change since');
  // Another advert is no change; markup that comes with a change is text, and does nothing.
  server.serve(
    '/shop',
    'text/html; charset=utf-8',
    shop('Costs 10 euros', '<p>&lt;img src=x onerror="document.title=1"&gt;</p><p>Cookies!</p>'),
  );
  await again.click();
  await expect(verdict).toContainText('2 lines added, 1 removed');
  const differences = page.getByRole('region', { name: 'Differences' });
  await expect(differences.getByRole('deletion')).toHaveText(['Costs 12 euros']);
  await expect(differences.getByRole('insertion')).toHaveText([
    'Costs 10 euros',
    '<img src=x onerror="document.title=1">',
  ]);
  const results = await new AxeBuilder({ page }).analyze();
  expect(
    results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(', ')}`),
  ).toEqual([]);

  await page.getByRole('radio', { name: 'Words' }).check({ force: true });
  await expect(differences.getByRole('deletion').first()).toHaveText('12');
  await expect(differences.getByRole('insertion').first()).toContainText('10');

  server.serve('/shop', 'text/html; charset=utf-8', '<h1>Closed</h1>');
  await again.click();
  await expect(verdict).toContainText('Gone: nothing matches “main > p” any more');
  // Any two that are kept, also the same one twice.
  await page.getByRole('combobox', { name: 'Compare' }).selectOption({ index: 0 });
  await expect(page.getByText('Both are the same snapshot.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Compare' }).selectOption({ index: 1 });
  await expect(differences).toContainText('Costs 12 euros');
  expect(app.complaints).toEqual([]);
});

test('a feed and JSON are watched from an imported file, and only what is new is told', async ({
  app,
  server,
}) => {
  const item = (id: number): string =>
    `<item><title>Post ${id}</title><guid>${id}</guid><link>${id === 3 ? 'javascript:alert(1)' : `https://blog.test/${id}`}</link></item>`;
  const feed = (...ids: readonly number[]): void => {
    server.serve('/feed', 'application/rss+xml', `<rss><channel>${ids.map(item).join('')}</channel></rss>`);
  };
  feed(2, 1);
  const tab = await app.openTab();
  const { page } = tab;
  const [blog, api] = await tab.add(
    {
      name: 'The blog',
      schedule: { kind: 'manual' },
      action: { kind: 'watch', url: server.url('/feed'), part: { kind: 'feed' } },
    },
    {
      name: 'The API',
      schedule: { kind: 'manual' },
      action: { kind: 'watch', url: server.url('/status'), part: { kind: 'json', select: '$.path' } },
    },
  );
  const run = async (id: AutomationId | undefined): Promise<string> => {
    if (id === undefined) throw new Error('It was not imported.');
    const result = await tab.rota.runNow({ id });
    if (result.kind !== 'claimed') throw new Error(result.kind);
    const runId = result.run.id;
    await expect.poll(async () => (await tab.rota.getRun(runId))?.status).not.toBe('running');
    await tab.open(`#/runs/${runId}`);
    return (await tab.rota.getRun(runId))?.summary ?? '';
  };

  expect(await run(api)).toBe('First look: “/status”');
  expect(await run(blog)).toBe('First look: 2 lines');
  feed(4, 3, 2);
  expect(await run(blog)).toBe('2 new items: Post 4, Post 3');
  await expect(page.getByRole('heading', { name: '2 new items' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Post 4' })).toHaveAttribute('href', 'https://blog.test/4');
  await expect(page.getByText('Post 3 javascript:alert(1)')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Post 3' })).toHaveCount(0);
  feed(1, 2);
  expect(await run(blog)).toMatch(/^No change since/);
  expect(app.complaints).toEqual([]);
});
