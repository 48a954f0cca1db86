import { quantile } from './figures.mjs';
import { ask } from './stage.mjs';
import { startAnswers } from './answers.mjs';
import { allRuns, importAutomations, openTab, openTabs } from './tabs.mjs';

/** How many occurrences, one each `STEP_MS`, with how many tabs open. */
const OCCURRENCES = 300;
const STEP_MS = 100;
const TABS = 16;
/** How long before the first is due all has to be there. */
const AHEAD_MS = 5_000;

/** @type {import('./rows.mjs').Row} */
export const lateness = {
  name: 'lateness',
  says: 'how late occurrences are claimed with 16 tabs open, against bare timers in the same run',
  measure: async (stage) => {
    const browser = await stage.openBrowser();
    const place = await stage.openPlace(browser);
    const answers = await startAnswers();
    try {
      const tab = await openTab(browser, `${place.origin}/`);
      await openTabs(browser, `${place.origin}/`, TABS - 1);
      const bench = await place.openBench();
      const many = stage.count(OCCURRENCES, 50);
      const first = Date.now() + AHEAD_MS;
      const instants = Array.from({ length: many }, (_, n) => first + n * STEP_MS);
      await importAutomations(
        tab,
        instants.map((at, n) => ({
          name: `Due ${n}`,
          schedule: { kind: 'once', at },
          action: { kind: 'http', url: `${answers.url}${n}` },
        })),
      );
      if (Date.now() > first) throw new Error('They were not there in time.');
      // In between, so that neither waits for the other.
      const bare = await ask(bench, 'measureTimers', { instants: instants.map((at) => at + STEP_MS / 2) });
      let runs = await allRuns(tab);
      while (runs.length < many || runs.some(({ status }) => status === 'running')) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        runs = await allRuns(tab);
      }
      if (runs.some(({ status }) => status !== 'succeeded')) throw new Error('Not all of them succeeded.');
      const claimed = runs.map(({ latenessMs }) => latenessMs);
      const asked = answers.hits.map(({ path, at }) => at - (instants[Number(path)] ?? NaN));
      return [
        ...[
          { share: 0.5, name: 'p50', most: 10 },
          { share: 0.95, name: 'p95', most: 50 },
        ].map(({ share, name, most }) => ({
          what: `lateness of ${many} occurrences with ${TABS} tabs open, over the bare timer, ${name}`,
          value: quantile(claimed, share) - quantile(bare, share),
          unit: /** @type {const} */ ('ms'),
          target: { most },
          sides: { claimed, 'bare timer': bare, 'until the server is asked': asked },
          remark: `${name} ${quantile(claimed, share)} and ${quantile(bare, share)}`,
        })),
      ];
    } finally {
      answers.close();
      await browser.close();
    }
  },
};
