/**
 * How long it takes from the SIGKILL of a host's process until its run is settled and its automation is claimed again by a
 * host that lives, against the bare hand-over of a Web Lock from the same process in the same kill: nothing built on locks
 * can be faster than that.
 */
import { kill } from 'node:process';
import { startAnswers } from './answers.mjs';
import { ratio } from './figures.mjs';
import { processWithSharedWorker } from './processes.mjs';
import { askRota as ask } from './stage.mjs';
import { importAutomations, openTab } from './tabs.mjs';

/** How many hosts are killed. */
const KILLS = 20;

/** @type {import('./rows.mjs').Row} */
export const handOver = {
  name: 'hand-over',
  says: 'what the death of a host costs, against the bare hand-over of a Web Lock',
  on: 'linux',
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const { origin } = await stage.openPlace(browser);
    const { bare, settled, claimed } = await measureHandOver(browser, origin, stage.count(KILLS, 3));
    await browser.close();
    return [
      {
        what: "hand-over after the host's process dies, run settled / bare Web Lock",
        value: ratio(settled, bare),
        unit: '×',
        target: { most: 1.5 },
        sides: { settled, bare },
      },
      {
        what: "hand-over after the host's process dies, claimed again / bare Web Lock",
        value: ratio(claimed, bare),
        unit: '×',
        target: { most: 1.5 },
        sides: { claimed, bare },
      },
    ];
  },
};

/**
 * Milliseconds from the kill, one of each for every repetition.
 * @typedef {{ bare: number[], settled: number[], claimed: number[] }} HandOver
 */

/**
 * Kills `times` hosts one after the other. `origin` is where Rota is served.
 * @param {import('@playwright/test').BrowserContext} context
 * @param {string} origin
 * @param {number} times
 * @returns {Promise<HandOver>}
 */
async function measureHandOver(context, origin, times) {
  // Requests are never answered: runs last until their host dies.
  const answers = await startAnswers({ never: true });
  const devTools = await context.browser()?.newBrowserCDPSession();
  if (devTools === undefined) throw new Error('The browser cannot be reached.');
  try {
    // A tab with a host of its own lives through it all; the others share one, which is killed with their process.
    const witness = await openTab(context, `${origin}/?engine=tab`);
    const ids = await importAutomations(
      witness,
      Array.from({ length: times }, (_, index) => ({
        name: `Killed ${index + 1}`,
        schedule: { kind: 'manual' },
        action: { kind: 'http', url: answers.url },
        rules: { overlap: { kind: 'queue' }, retry: { attempts: 1 } },
      })),
    );
    /** @type {HandOver} */
    const found = { bare: [], settled: [], claimed: [] };
    for (const id of ids) await once(context, devTools, witness, origin, id, found);
    return found;
  } finally {
    await devTools.detach().catch(() => undefined);
    answers.close();
  }
}

/**
 * @param {import('@playwright/test').BrowserContext} context
 * @param {import('@playwright/test').CDPSession} devTools
 * @param {import('@playwright/test').Page} witness
 * @param {string} origin
 * @param {string} id
 * @param {HandOver} found
 */
async function once(context, devTools, witness, origin, id, found) {
  const doomed = await openTab(context, `${origin}/`);
  const { kind, run } = await ask(doomed, 'runNow', { id });
  if (kind !== 'claimed') throw new Error(`not claimed: ${kind}`);
  // It waits for the run of the host that dies.
  const queued = await ask(witness, 'runNow', { id });
  if (queued.kind !== 'already-active') throw new Error(`not queued: ${queued.kind}`);
  const lock = `bench/${id}`;
  await doomed.evaluate(
    (name) =>
      new Promise((held) => {
        void Reflect.get(globalThis, 'navigator').locks.request(name, () => {
          held(undefined);
          return new Promise(() => undefined);
        });
      }),
    lock,
  );
  const granted = witness.evaluate(
    (name) => Reflect.get(globalThis, 'navigator').locks.request(name, () => Date.now()),
    lock,
  );
  // Its request is with the browser once a later one has been answered.
  await witness.evaluate(() =>
    Reflect.get(globalThis, 'navigator')
      .locks.query()
      .then(() => undefined),
  );
  const pid = await processWithSharedWorker(devTools);
  const killedAt = Date.now();
  kill(pid, 'SIGKILL');
  const bareAt = await granted;
  for (;;) {
    /** @type {{ items: { id: string, settledAt: number | null, claimedAt: number }[] }} */
    const { items } = await ask(witness, 'listRuns', { automationId: id });
    const settled = items.find((row) => row.id === run.id)?.settledAt ?? null;
    const next = items.find((row) => row.id !== run.id);
    if (settled !== null && next !== undefined) {
      found.bare.push(bareAt - killedAt);
      found.settled.push(settled - killedAt);
      found.claimed.push(next.claimedAt - killedAt);
      await ask(witness, 'cancelRun', { runId: next.id });
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await doomed.close();
}
