import { startAnswers } from './answers.mjs';
import { ratio } from './figures.mjs';
import { LARGE } from './sizes.mjs';
import { ask, askRota } from './stage.mjs';
import { openTab } from './tabs.mjs';

/** How many hosts are started on each side. */
const STARTS = 12;

/** @type {import('./rows.mjs').Row} */
export const start = {
  name: 'start',
  says: 'how long a host takes from its start to its first claim, with 10,000 automations against none',
  measure: async (stage) => {
    const browser = await stage.browser();
    const answers = await startAnswers();
    const large = await stage.ledger(LARGE);
    const empty = await stage.ledger({ automations: 0, runs: 0 });
    /** @type {{ large: number[], empty: number[] }} */
    const found = { large: [], empty: [] };
    // The first of each does not count.
    for (let turn = 0; turn <= stage.count(STARTS, 3); turn += 1) {
      for (const [side, place] of /** @type {const} */ ([
        ['large', large],
        ['empty', empty],
      ])) {
        const id = await ask(place.bench, 'bringInDue', answers.url);
        // A host of its own, which ends with its tab.
        const tab = await openTab(browser, `${place.origin}/?engine=tab`);
        const { startedAt } = await askRota(tab, 'status');
        const claimedAt = await claimOf(tab, id);
        await tab.close();
        if (turn > 0) found[side].push(claimedAt - startedAt);
      }
    }
    answers.close();
    return [
      {
        what: 'start of a host to its first claim, with 10,000 automations / with none',
        value: ratio(found.large, found.empty),
        unit: '×',
        target: { most: 3 },
        sides: found,
      },
    ];
  },
};

/**
 * When the automation's run was claimed, epoch ms; it is settled by then.
 * @param {import('@playwright/test').Page} tab
 * @param {string} id
 * @returns {Promise<number>}
 */
async function claimOf(tab, id) {
  for (;;) {
    const { items } = await askRota(tab, 'listRuns', { automationId: id });
    const [run] = items;
    if (run !== undefined && run.status !== 'running') return run.claimedAt;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
