import { median } from './figures.mjs';
import { ask } from './stage.mjs';

/** How many occurrences are due at one instant. */
const DUE = 1_000;
/** How often each side is measured. */
const TURNS = 3;

/** @type {import('./rows.mjs').Row} */
export const burst = {
  name: 'burst',
  says: 'at which rate much that is due at one instant is claimed, against bare transactions of the same shape',
  measure: async (stage) => {
    const due = stage.count(DUE, 200);
    /** @type {{ host: number[], bare: number[] }} */
    const found = { host: [], bare: [] };
    for (let turn = 0; turn < stage.count(TURNS, 1); turn += 1) {
      for (const [side, call] of /** @type {const} */ ([
        ['host', 'measureBurst'],
        ['bare', 'measureBareBurst'],
      ])) {
        const page = await (await stage.openPlace()).openBench();
        found[side].push(await ask(page, call, due));
        await page.close();
      }
    }
    return [
      {
        what: `${due.toLocaleString('en')} due at one instant, all claimed: rate / that of bare transactions`,
        value: median(found.bare) / median(found.host),
        unit: '×',
        target: { least: 0.7 },
        sides: { 'until the last is claimed': found.host, bare: found.bare },
      },
    ];
  },
};
