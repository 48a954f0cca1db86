import { readFileSync } from 'node:fs';
import { median } from './figures.mjs';
import { ask } from './stage.mjs';
import { openTab } from './tabs.mjs';

/** How many tabs more are opened at once, and how often. */
const TABS = 5;
const TURNS = 5;
const LEDGER = { automations: 1_000, runs: 10_000 };
const MB = 1_000_000;

/** @type {import('./rows.mjs').Row} */
export const tabMemory = {
  name: 'tab-memory',
  says: 'what one more tab with the list of 1,000 automations takes of memory, beyond an empty page',
  on: 'linux',
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const place = await stage.openPlace(browser);
    const bench = await place.openBench();
    await ask(bench, 'seed', LEDGER);
    await bench.close();
    const devTools = await browser.browser()?.newBrowserCDPSession();
    if (devTools === undefined) throw new Error('The browser cannot be reached.');
    await openTab(browser, `${place.origin}/`);
    /** @type {{ rota: number[], empty: number[] }} */
    const found = { rota: [], empty: [] };
    for (let turn = 0; turn < stage.count(TURNS, 2); turn += 1) {
      for (const [side, open] of /** @type {const} */ ([
        ['rota', () => openTab(browser, `${place.origin}/`)],
        ['empty', () => openEmpty(browser, place.origin)],
      ])) {
        const before = await measureAll(browser, devTools);
        const pages = [];
        for (let n = 0; n < TABS; n += 1) pages.push(await open());
        if (side === 'rota')
          for (const page of pages) await page.locator('rota-automation-row .name').first().waitFor();
        const after = await measureAll(browser, devTools);
        found[side].push((after - before) / TABS / MB);
        await Promise.all(pages.map((page) => page.close()));
      }
    }
    await browser.close();
    return [
      {
        what: 'memory of one more tab with the list of 1,000 automations, beyond an empty page of the same origin, MB',
        value: median(found.rota) - median(found.empty),
        unit: '',
        target: { most: 25 },
        sides: found,
        remark: `in MB: what all processes of the browser share or have (PSS), the difference that ${TABS} tabs make, after garbage is collected`,
      },
    ];
  },
};

/**
 * A tab with a page that has nothing but its own process.
 * @param {import('@playwright/test').BrowserContext} browser
 * @param {string} origin
 */
async function openEmpty(browser, origin) {
  const page = await browser.newPage();
  await page.route('**/empty', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }),
  );
  await page.goto(`${origin}/empty`);
  return page;
}

/**
 * The memory of all processes of the browser, in bytes, each page that is shared by n of them counted for an nth in each.
 * @param {import('@playwright/test').BrowserContext} browser
 * @param {import('@playwright/test').CDPSession} devTools
 */
async function measureAll(browser, devTools) {
  for (const page of browser.pages()) {
    const session = await browser.newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    await session.detach();
  }
  // Until what was closed is gone: a process takes its time, and nobody says when it has ended.
  let before = NaN;
  for (;;) {
    const now = await pssOf(devTools);
    if (Math.abs(now - before) < MB) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** @param {import('@playwright/test').CDPSession} devTools */
async function pssOf(devTools) {
  const { processInfo } = await devTools.send('SystemInfo.getProcessInfo');
  return processInfo.reduce((sum, { id }) => sum + pssOfProcess(id), 0);
}

/** @param {number} pid */
function pssOfProcess(pid) {
  try {
    const line = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return Number(line?.[1] ?? 0) * 1_024;
  } catch {
    // It has ended since it was named.
    return 0;
  }
}
