/** Stories of a Rota that has been used for years: ten thousand automations, and many more runs. */
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { seed } from '../scripts/seed.mjs';
import { expect, test } from './app.ts';

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** The name of the row whose link has the focus. */
const focusedRow = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement != null) element = element.shadowRoot.activeElement;
    return element?.textContent.trim();
  });

test('ten thousand automations are scrolled, searched and walked through, and stay where they are looked at', async ({
  app,
}) => {
  test.setTimeout(240_000);
  const [here, there] = await app.openTabs(2);
  if (here === undefined || there === undefined) throw new Error('two tabs were asked for');
  const { page } = here;
  await seed(page, { automations: 10_000, runs: 0 });
  const patient = { timeout: 60_000 };
  await expect(page.getByRole('link', { name: 'All 10,000' })).toBeVisible(patient);
  await expect(page.getByRole('table', { name: 'Automations' })).toHaveAttribute('aria-rowcount', '10001');
  await expect(row(page, 'Check 00000')).toHaveAttribute('aria-rowindex', '2', patient);
  expect(await page.getByRole('row').count()).toBeLessThan(80);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);

  // The keyboard goes through it, and the focus is not lost where its row is far out of sight.
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect.poll(() => focusedRow(page), patient).toBe('Check 00006');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(row(page, 'Watch 09997')).toBeVisible(patient);
  await expect.poll(() => focusedRow(page), patient).toBe('Check 00006');
  await page.keyboard.press('j');
  await expect.poll(() => focusedRow(page), patient).toBe('Check 00012');
  await expect(row(page, 'Check 00012')).toBeInViewport(patient);

  // A reload comes back to where it was, but for what rows turn out to be higher or lower than was thought.
  const away = () => page.evaluate(() => Math.abs(scrollY - 300_000));
  await page.evaluate(() => scrollTo(0, 300_000));
  await expect.poll(away, patient).toBeLessThan(60);
  await page.reload();
  await expect.poll(away, patient).toBeLessThan(60);
  await expect(row(page, 'Fetch').first()).toBeVisible(patient);

  // What another tab changes is shown, and does not move what the pointer is on.
  await page.getByRole('searchbox').fill('watch 0000');
  await expect(row(page, 'Watch 00007')).toBeVisible(patient);
  const { items } = await here.rota.listAutomations({ text: 'Watch 00001' });
  const [first] = items;
  if (first === undefined) throw new Error('It was seeded.');
  await expect(row(page, 'Watch 00001')).toBeVisible(patient);
  await row(page, 'Watch 00007').hover();
  const box = await row(page, 'Watch 00007').boundingBox();
  await there.rota.setEnabled({ ids: [first.id], enabled: false });
  await expect(row(page, 'Watch 00001')).toContainText('Paused', patient);
  await there.rota.removeAutomation({ id: first.id });
  await expect(page.getByRole('button', { name: '1 changed · Show' })).toBeVisible(patient);
  expect(await row(page, 'Watch 00007').boundingBox()).toEqual(box);
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(row(page, 'Watch 00001')).toHaveCount(0, patient);
  await expect(page.getByRole('link', { name: 'All 9,999' })).toBeVisible(patient);

  // The history of any of them is found by typing, on a phone as well.
  await here.open('#/runs');
  await page.setViewportSize({ width: 360, height: 740 });
  const which = page.getByRole('combobox', { name: 'Automation' });
  await which.press('ArrowDown');
  const choice = page.getByRole('option', { selected: true });
  await expect(choice).toHaveText('All automations', patient);
  await expect(page.getByRole('option', { name: 'Check 00000' })).toBeVisible(patient);
  await which.press('PageDown');
  await expect(choice).not.toHaveText('All automations');
  await which.fill('watch 0999');
  await expect(choice).toHaveText('Watch 09991', patient);
  const open = await new AxeBuilder({ page }).analyze();
  expect(open.violations.map(({ id }) => id)).toEqual([]);
  await which.press('ArrowDown');
  await expect(choice).toHaveText('Watch 09997');
  await which.press('Enter');
  await expect(page).toHaveURL(/#\/runs\?automation=/);
  await expect(which).toHaveValue('Watch 09997');
  expect(app.complaints).toEqual([]);
});

test('a history that was filtered, scrolled and opened is where it was on the way back, and is searched', async ({
  app,
}) => {
  test.setTimeout(240_000);
  const tab = await app.openTab();
  const { page } = tab;
  const patient = { timeout: 60_000 };
  await seed(page, { automations: 3, runs: 2_000, outputs: 50, failures: 997 });
  await tab.open('#/runs');
  await expect(page.locator('.row').first()).toBeVisible(patient);

  // Another filter of the same screen is a step of the history with a place of its own.
  await tab.open('#/runs?each=1');
  await expect(page.getByRole('button', { name: 'Show each run' })).toHaveAttribute(
    'aria-pressed',
    'true',
    patient,
  );
  const scrolled = () =>
    page.evaluate(() => {
      scrollTo(0, Math.min(9_000, document.documentElement.scrollHeight));
      return scrollY;
    });
  await expect.poll(scrolled, patient).toBe(9_000);
  expect(await page.locator('.row').count()).toBeLessThan(110);
  const inView = () =>
    page.evaluate(() => {
      const deep = (root: Document | ShadowRoot): Element | null => {
        const found = root.elementFromPoint(innerWidth / 2, innerHeight / 2);
        return found?.shadowRoot == null ? found : deep(found.shadowRoot);
      };
      return deep(document)?.closest('a.row')?.getAttribute('href') ?? null;
    });
  let address: string | null = null;
  await expect.poll(async () => (address = await inView()), patient).not.toBeNull();
  const opened = page.locator(`a.row[href="${String(address)}"]`);
  await opened.click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Runs', patient);
  await page.goBack();
  await expect(opened).toBeInViewport(patient);
  await page.goBack();
  await expect(page.getByRole('button', { name: 'Show each run' })).toHaveAttribute(
    'aria-pressed',
    'false',
    patient,
  );
  await expect.poll(() => page.evaluate(() => scrollY), patient).toBe(0);
  await page.goForward();
  await expect(opened).toBeInViewport(patient);

  // What was brought back is searched, and what was found is there on the way back to it.
  await page.getByRole('searchbox').fill('reading 1970');
  await expect(page.locator('mark')).toHaveText('reading 1970', patient);
  await expect(page.getByRole('main').getByText(/^1 found in 2,00\d runs\.$/)).toBeVisible(patient);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await page.locator('a.row').click();
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText('Runs', patient);
  await page.goBack();
  await expect(page.locator('mark')).toHaveText('reading 1970', patient);
  expect(app.complaints).toEqual([]);
});
