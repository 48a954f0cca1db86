/**
 * How long other ways leave the work undone when the tab that does it is killed, all of them in the same kill as a bare Web
 * Lock, and how many tabs think that they lead where a heartbeat decides it. None of this is Rota: it says what the figures of
 * the hand-over (hand-over.mjs) are to be seen against.
 */
import { kill } from 'node:process';
import { median, ratio } from './figures.mjs';
import { processWithSharedWorker } from './processes.mjs';
import { ask } from './stage.mjs';

/** How many leaders are killed. */
const KILLS = 10;
/** How many of those whose heart beats, which takes longer. */
const HEART_KILLS = 3;
/** A heartbeat as it is kept where it is looked at each 30 s and given up after 90 s, at a tenth of these times. */
const SCALE = 10;
const HEARTBEAT = { pollMs: 30_000 / SCALE, staleMs: 90_000 / SCALE };
/** How many tabs start together. */
const TABS = 8;

const WAYS = /** @type {const} */ (['broadcast-channel', 'tab-election']);

/** @type {import('./rows.mjs').Row} */
export const elections = {
  name: 'elections',
  says: 'what other ways to choose one tab cost when it is killed, against a bare Web Lock',
  on: 'linux',
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const place = await stage.openPlace(browser);
    const devTools = await browser.browser()?.newBrowserCDPSession();
    if (devTools === undefined) throw new Error('The browser cannot be reached.');
    /** @type {Record<'lock' | typeof WAYS[number] | 'heartbeat', number[]>} */
    const found = { lock: [], 'broadcast-channel': [], 'tab-election': [], heartbeat: [] };
    for (let n = 0; n < stage.count(KILLS, 2); n += 1) {
      const doomed = await place.openBench();
      await ask(doomed, 'marked');
      await ask(doomed, 'stand', `kill-${n}`);
      const heir = await place.openBench();
      await ask(heir, 'stand', `kill-${n}`);
      const { killedAt, result } = await killAnd(devTools, () => ask(heir, 'awaitLead'));
      for (const way of /** @type {const} */ (['lock', ...WAYS])) found[way].push(result[way] - killedAt);
      await heir.close();
      await doomed.close();
    }
    for (let n = 0; n < stage.count(HEART_KILLS, 1); n += 1) {
      const heartbeat = { name: `kill-${n}`, ...HEARTBEAT };
      const doomed = await place.openBench();
      await ask(doomed, 'marked');
      await ask(doomed, 'beat', heartbeat);
      const heir = await place.openBench();
      await ask(heir, 'beat', heartbeat);
      const { killedAt, result } = await killAnd(devTools, () => ask(heir, 'awaitHeartLead'));
      found.heartbeat.push((result - killedAt) * SCALE);
      await heir.close();
      await doomed.close();
    }
    const leaders = await countLeaders(place, stage.count(TABS, 4));
    await browser.close();
    return [
      ...WAYS.map((way) => ({
        what: `${way} after its leader is killed / bare Web Lock`,
        value: ratio(found[way], found.lock),
        unit: /** @type {const} */ ('×'),
        sides: { [way]: found[way], 'bare lock': found.lock },
      })),
      {
        what: 'heartbeat of 30 s, given up after 90 s, after its leader is killed',
        value: median(found.heartbeat),
        unit: /** @type {const} */ ('ms'),
        sides: { heartbeat: found.heartbeat },
        remark: 'measured at a tenth of its times',
      },
      {
        what: `leaders by heartbeat of ${stage.count(TABS, 4)} tabs that start together`,
        value: leaders,
        unit: /** @type {const} */ (''),
        sides: {},
      },
    ];
  },
};

/**
 * Kills the one process with a SharedWorker once `outcome` is awaited, and gives what came of it.
 * @template Result
 * @param {import('@playwright/test').CDPSession} devTools
 * @param {() => Promise<Result>} outcome
 */
async function killAnd(devTools, outcome) {
  const pid = await processWithSharedWorker(devTools);
  const waiting = outcome();
  const killedAt = Date.now();
  kill(pid, 'SIGKILL');
  return { killedAt, result: await waiting };
}

/**
 * @param {import('./stage.mjs').Place} place
 * @param {number} count
 */
async function countLeaders(place, count) {
  const tabs = await Promise.all(Array.from({ length: count }, () => place.openBench()));
  const leading = tabs.map((tab) => ask(tab, 'beatTogether', { name: 'together', ...HEARTBEAT }));
  const starter = await place.openBench();
  // Each has opened its channel once it has answered something that came later.
  await Promise.all(tabs.map((tab) => tab.evaluate(() => undefined)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  await ask(starter, 'begin');
  const leads = await Promise.all(leading);
  await Promise.all([starter, ...tabs].map((tab) => tab.close()));
  return leads.filter(Boolean).length;
}
