import { ratio } from './figures.mjs';
import { measureInTurn } from './in-turn.mjs';
import { ask } from './stage.mjs';

/** How many pages are read. */
const PAGES = 200;

/** @type {import('./rows.mjs').Row} */
export const history = {
  name: 'history',
  says: 'what a page of fifty runs costs in a long history, against a short one',
  measure: async (stage) => {
    const { small, large } = await measureInTurn(stage, stage.count(PAGES, 30), (bench, rounds) =>
      ask(bench, 'measureHistory', rounds),
    );
    return [
      { which: 'newest', says: 'the newest 50' },
      { which: 'middle', says: '50 from the middle' },
    ].map(({ which, says }) => {
      /** @type {(found: readonly any[]) => number[]} */
      const of = (found) => found.flatMap((samples) => samples[which]);
      return {
        what: `history page, ${says}, at 100,000 runs / at 1,000`,
        value: ratio(of(large), of(small)),
        unit: '×',
        target: { most: 1.3 },
        sides: { large: of(large), small: of(small) },
      };
    });
  },
};
