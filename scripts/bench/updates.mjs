import { startAnswers } from './answers.mjs';
import { quantile } from './figures.mjs';
import { askRota } from './stage.mjs';
import { importAutomations, openTab } from './tabs.mjs';

/** How many tabs show the list, and how many runs end one after the other. */
const TABS = 16;
const RUNS = 30;
/** How long each runs. */
const RUN_MS = 300;

/** @type {import('./rows.mjs').Row} */
export const updates = {
  name: 'updates',
  says: `how long it takes from the settlement of a run until each of ${TABS} tabs shows how it went`,
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const { origin } = await stage.openPlace(browser);
    const answers = await startAnswers({ afterMs: RUN_MS });
    try {
      const tab = await openTab(browser, `${origin}/`);
      const [id = ''] = await importAutomations(tab, [
        { name: 'By hand', schedule: { kind: 'manual' }, action: { kind: 'http', url: answers.url } },
      ]);
      const tabs = [tab];
      while (tabs.length < TABS) tabs.push(await openTab(browser, `${origin}/`));
      for (const one of tabs) {
        await one.locator('rota-automation-row .name').first().waitFor();
        await one.evaluate(noteResults);
      }
      /** @type {Map<string, number>} */
      const settled = new Map();
      for (let n = 0; n < stage.count(RUNS, 5); n += 1) {
        const { kind, run } = await askRota(tab, 'runNow', { id });
        if (kind !== 'claimed') throw new Error(`not claimed: ${kind}`);
        for (const one of tabs)
          await one.waitForFunction((runId) => Reflect.get(globalThis, 'shown').has(runId), run.id);
        settled.set(run.id, (await askRota(tab, 'getRun', run.id)).settledAt);
      }
      /** @type {number[]} */
      const took = [];
      /** @type {number[]} */
      const last = [];
      /** @type {Map<string, number>[]} */
      const shown = [];
      for (const one of tabs)
        shown.push(new Map(await one.evaluate(() => [...Reflect.get(globalThis, 'shown')])));
      for (const [runId, at] of settled) {
        const each = shown.map((of) => (of.get(runId) ?? NaN) - at);
        took.push(...each);
        last.push(Math.max(...each));
      }
      return [
        ...[
          { share: 0.5, name: 'p50' },
          { share: 0.95, name: 'p95' },
        ].map(({ share, name }) => ({
          what: `from the settlement of a run until a tab of ${TABS} shows it, ${name}`,
          value: quantile(took, share),
          unit: /** @type {const} */ ('ms'),
          target: { most: 200 },
          sides: { 'each tab': took, 'the last of them': last },
        })),
      ];
    } finally {
      answers.close();
      await browser.close();
    }
  },
};

/** Runs in a tab: notes in `shown` when its one row first says how each run went, epoch ms by id. */
function noteResults() {
  const { document, MutationObserver } = /** @type {any} */ (globalThis);
  const list = document.querySelector('rota-app').shadowRoot.querySelector('rota-automations-page');
  const row = list.shadowRoot.querySelector('rota-automation-row').shadowRoot;
  const shown = new Map();
  Reflect.set(globalThis, 'shown', shown);
  const look = () => {
    const result = row.querySelector('.result');
    if (result?.querySelector('rota-time[form="relative"]') == null) return;
    const runId = /[^/]+$/.exec(result.querySelector('a.plain')?.getAttribute('href') ?? '')?.[0];
    if (runId !== undefined && !shown.has(runId)) shown.set(runId, Date.now());
  };
  new MutationObserver(look).observe(row, {
    subtree: true,
    childList: true,
    attributes: true,
    characterData: true,
  });
}
