import { ratio } from './figures.mjs';
import { startAnswers } from './answers.mjs';
import { askRota } from './stage.mjs';
import { allRuns, importAutomations, openTab, openTabs } from './tabs.mjs';

/** How many tabs are open, and how many of them have a host of their own. */
const TABS = 64;
const OWN_HOSTS = 8;
/** How many claims are measured, alone and in the crowd. */
const CLAIMS = 100;
/** How many occurrences are due at one instant, for all hosts to see. */
const DUE = 100;
/** How long before they are due they are brought in. */
const AHEAD_MS = 4_000;

/** @type {import('./rows.mjs').Row} */
export const crowd = {
  name: 'crowd',
  says: 'what a claim costs with 64 tabs open against one, and whether anything runs twice among many hosts',
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const { origin } = await stage.openPlace(browser);
    const answers = await startAnswers();
    const tabs = stage.count(TABS, 12);
    const own = stage.count(OWN_HOSTS, 3);
    try {
      const tab = await openTab(browser, `${origin}/`);
      const [id = ''] = await importAutomations(tab, [
        { name: 'By hand', schedule: { kind: 'manual' }, action: { kind: 'http', url: answers.url } },
      ]);
      const each = stage.count(CLAIMS, 20) / 2;
      await claimTimes(tab, id, 10);
      const alone = await claimTimes(tab, id, each);
      const others = await openTabs(browser, `${origin}/`, tabs - 1 - own);
      const crowded = await claimTimes(tab, id, each * 2);
      await Promise.all(others.splice(0).map((other) => other.close()));
      alone.push(...(await claimTimes(tab, id, each)));

      others.push(...(await openTabs(browser, `${origin}/?engine=tab`, own)));
      others.push(...(await openTabs(browser, `${origin}/`, tabs - 1 - own)));
      const at = Date.now() + AHEAD_MS;
      const hitsBefore = answers.hits.length;
      const ids = await importAutomations(
        tab,
        Array.from({ length: DUE }, (_, n) => ({
          name: `Due ${n}`,
          schedule: { kind: 'once', at },
          action: { kind: 'http', url: `${answers.url}due-${n}` },
        })),
      );
      const { hosts, onDuty } = await countHosts(tab);
      const isOfThese = new Set(ids);
      for (;;) {
        const runs = (await allRuns(tab)).filter(({ automationId }) => isOfThese.has(automationId));
        const done = runs.filter(({ status }) => status !== 'running');
        if (new Set(done.map(({ automationId }) => automationId)).size === ids.length) break;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      const runs = (await allRuns(tab)).filter(({ automationId }) => isOfThese.has(automationId));
      const hits = answers.hits.length - hitsBefore;
      return [
        {
          what: `claim with ${tabs - own} tabs open / with one`,
          value: ratio(crowded, alone),
          unit: '×',
          target: { most: 1.3 },
          sides: { crowded, alone },
        },
        {
          what: `runs beyond one of ${ids.length} occurrences due at one instant, with ${tabs} tabs and ${hosts} hosts`,
          value: runs.length - ids.length,
          unit: '',
          target: { most: 0 },
          sides: {},
          remark: `the server was asked ${hits} times`,
        },
        {
          what: `hosts beyond one that act at once on what is due, of ${hosts}`,
          value: onDuty - 1,
          unit: '',
          target: { most: 0 },
          sides: {},
        },
      ];
    } finally {
      answers.close();
      await browser.close();
    }
  },
};

/**
 * How long the transactions of `count` claims by hand took, one after the other, as their host has noted it.
 * @param {import('@playwright/test').Page} tab
 * @param {string} id
 * @param {number} count
 * @returns {Promise<number[]>}
 */
async function claimTimes(tab, id, count) {
  for (let n = 0; n < count; n += 1) {
    const { kind, run } = await askRota(tab, 'runNow', { id });
    if (kind !== 'claimed') throw new Error(`not claimed: ${kind}`);
    while ((await askRota(tab, 'getRun', run.id)).status === 'running')
      await new Promise((resolve) => setTimeout(resolve, 5));
  }
  /** @type {{ claims: { outcome: string, tookMs: number }[] }} */
  const { claims } = await askRota(tab, 'engine');
  return claims
    .filter(({ outcome }) => outcome === 'claimed')
    .slice(0, count)
    .map(({ tookMs }) => tookMs);
}

/**
 * How many hosts live, and how many of them hold the duty: by the locks that the browser knows.
 * @param {import('@playwright/test').Page} tab
 * @returns {Promise<{ hosts: number, onDuty: number }>}
 */
async function countHosts(tab) {
  /** @type {string[]} */
  const names = await tab.evaluate(() =>
    Reflect.get(globalThis, 'navigator')
      .locks.query()
      .then((/** @type {{ held: { name: string }[] }} */ { held }) => held.map(({ name }) => name)),
  );
  return {
    hosts: names.filter((name) => name.startsWith('rota/host/')).length,
    onDuty: names.filter((name) => name === 'rota/duty').length,
  };
}
