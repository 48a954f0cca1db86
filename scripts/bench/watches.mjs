import { quantile } from './figures.mjs';
import { ask } from './stage.mjs';

/** How often a page of a megabyte is looked at again. */
const LOOKS = 30;

/** @type {import('./rows.mjs').Row} */
export const watches = {
  name: 'watches',
  says: 'what a watch costs on a page of a megabyte',
  measure: async (stage) => {
    const page = await (await stage.openPlace()).openBench();
    const { first, again } = await ask(page, 'measureWatch', stage.count(LOOKS, 5));
    await page.close();
    return [
      {
        what: 'watch on a page of 1 MB, p95',
        value: quantile(again, 0.95),
        unit: 'ms',
        target: { most: 300 },
        sides: { again, 'the first, with its libraries': first },
      },
    ];
  },
};
