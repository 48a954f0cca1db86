/** Tabs of Rota as a person has them: all but the first are in the background. */
import { askRota } from './stage.mjs';

/** Makes a page say that nobody looks at it: tabs that a driver opens never do by themselves. */
const HIDE = "Object.defineProperty(Document.prototype, 'visibilityState', { get: () => 'hidden' });";

/**
 * Opens a tab and waits until its host answers.
 * @param {import('@playwright/test').BrowserContext} browser
 * @param {string} url
 * @param {{ readonly hidden?: boolean }} [options]
 */
export async function openTab(browser, url, { hidden = false } = {}) {
  const page = await browser.newPage();
  if (hidden) await page.addInitScript(HIDE);
  await page.goto(url);
  await page.waitForFunction("'rota' in globalThis");
  await askRota(page, 'status');
  return page;
}

/**
 * Opens `count` tabs in the background, a few at a time.
 * @param {import('@playwright/test').BrowserContext} browser
 * @param {string} url
 * @param {number} count
 */
export async function openTabs(browser, url, count) {
  /** @type {import('@playwright/test').Page[]} */
  const pages = [];
  while (pages.length < count) {
    const some = Math.min(4, count - pages.length);
    pages.push(
      ...(await Promise.all(Array.from({ length: some }, () => openTab(browser, url, { hidden: true })))),
    );
  }
  return pages;
}

/**
 * Brings in automations and enables them; gives their ids.
 * @param {import('@playwright/test').Page} tab
 * @param {readonly object[]} automations as a file of Rota's has them
 * @returns {Promise<readonly string[]>}
 */
export async function importAutomations(tab, automations) {
  const text = JSON.stringify({ format: 'rota', version: 1, automations });
  const result = await askRota(tab, 'importFile', { text, enable: true });
  if (result.kind !== 'imported') throw new Error(`not imported: ${JSON.stringify(result)}`);
  return result.ids;
}

/**
 * All rows of the ledger, the newest first.
 * @param {import('@playwright/test').Page} tab
 * @returns {Promise<readonly { readonly id: string, readonly automationId: string, readonly status: string, readonly latenessMs: number }[]>}
 */
export async function allRuns(tab) {
  const runs = [];
  /** @type {string | undefined} */
  let before;
  for (;;) {
    const { items, next } = await askRota(tab, 'listRuns', {
      limit: 100,
      ...(before === undefined ? {} : { before }),
    });
    runs.push(...items);
    if (next === undefined || next === null) return runs;
    before = next;
  }
}
