import { quantile } from './figures.mjs';
import { ask } from './stage.mjs';

/** How often an empty script is run again. */
const SCRIPTS = 50;

/** @type {import('./rows.mjs').Row} */
export const scripts = {
  name: 'scripts',
  says: 'what an empty script costs, and how long one that never ends keeps others waiting',
  measure: async (stage) => {
    const place = await stage.openPlace();
    const figures = [];
    for (const where of /** @type {const} */ (['engine', 'worker'])) {
      const page = await place.openBench();
      const samples = await ask(page, 'measureScripts', { where, rounds: stage.count(SCRIPTS, 5) });
      await page.close();
      const { first, again, calm, wait } = samples;
      figures.push(
        {
          what: `an empty script (${where}), p95`,
          value: quantile(again, 0.95),
          unit: /** @type {const} */ ('ms'),
          target: { most: 20 },
          sides: { again, 'the first, with QuickJS': first },
        },
        {
          what: `others wait for an endless script (${where}), longest`,
          value: quantile(wait, 1),
          unit: /** @type {const} */ ('ms'),
          target: { most: 100 },
          sides: { wait, 'with nothing running': calm },
        },
      );
    }
    return figures;
  },
};
