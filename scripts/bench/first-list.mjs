import { median } from './figures.mjs';
import { ask } from './stage.mjs';

/** How many automations the list has, how slow the page's thread is made, and how often the list is opened. */
const LEDGER = { automations: 1_000, runs: 10_000 };
const SLOWER = 4;
const LOOKS = 11;

/** @type {import('./rows.mjs').Row} */
export const firstList = {
  name: 'first-list',
  says: `how long a tab takes until the list of 1,000 automations is painted, on a CPU that is ${SLOWER} times slower`,
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const place = await stage.openPlace(browser);
    const bench = await place.openBench();
    await ask(bench, 'seed', LEDGER);
    /** @type {number[]} */
    const painted = [];
    // The first has nothing of the code in its cache and starts the host: it does not count.
    for (let look = 0; look <= stage.count(LOOKS, 3); look += 1) {
      const page = await browser.newPage();
      const devTools = await browser.newCDPSession(page);
      await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      await page.addInitScript(notePainted);
      await page.goto(`${place.origin}/`);
      await page.waitForFunction(() => Reflect.get(globalThis, 'paintedAt') !== undefined);
      const at = await page.evaluate(() => Reflect.get(globalThis, 'paintedAt'));
      await page.close();
      if (look > 0) painted.push(at);
    }
    await browser.close();
    return [
      {
        what: `list of ${LEDGER.automations.toLocaleString('en')} automations painted, on a CPU ${SLOWER} times slower`,
        value: median(painted),
        unit: 'ms',
        target: { most: 1_000 },
        sides: { 'from the start of the navigation': painted },
        remark: 'the thread of the page is slowed; its host has one of its own',
      },
    ];
  },
};

/** Runs in the page before it has anything: notes when the frame after the one with the first names of rows began. */
function notePainted() {
  const { document, requestAnimationFrame } = /** @type {any} */ (globalThis);
  const look = () => {
    const list = document
      .querySelector('rota-app')
      ?.shadowRoot?.querySelector('rota-automations-page')?.shadowRoot;
    const name = list?.querySelector('rota-automation-row')?.shadowRoot?.querySelector('.name');
    requestAnimationFrame(
      name == null ? look : () => Reflect.set(globalThis, 'paintedAt', performance.now()),
    );
  };
  requestAnimationFrame(look);
}
