import { quantile } from './figures.mjs';
import { ask } from './stage.mjs';

/** How often the next ten of each rule are asked for. */
const PREVIEWS = 20;
/** What is measured of schedules: what is said of it, by which share of the samples it is judged, and the target in ms. */
const STEPS = {
  again: { what: 'next ten of any rule, p95', share: 0.95, target: { most: 5 } },
  first: { what: 'next ten the first time, with its zone, p95', share: 0.95 },
  never: { what: 'refusing a rule that never runs, slowest', share: 1, target: { most: 50 } },
};

/** @type {import('./rows.mjs').Row} */
export const schedules = {
  name: 'schedules',
  says: 'what the next ten of a rule cost, and the refusal of one that never runs',
  measure: async (stage) => {
    const place = await stage.openPlace();
    const figures = [];
    for (const temporal of /** @type {const} */ (['native', 'polyfill'])) {
      const page = await place.openBench();
      if (temporal === 'native' && !(await page.evaluate(() => 'Temporal' in globalThis))) continue;
      const polyfill = temporal === 'polyfill';
      const samples = await ask(page, 'measureSchedules', { rounds: stage.count(PREVIEWS, 3), polyfill });
      await page.close();
      for (const step of /** @type {const} */ (['again', 'first', 'never'])) {
        const { what, share, ...rest } = STEPS[step];
        figures.push({
          what: `${what} (${temporal} Temporal)`,
          value: quantile(samples[step], share),
          unit: /** @type {const} */ ('ms'),
          ...rest,
          sides: { each: samples[step] },
        });
      }
    }
    return figures;
  },
};
