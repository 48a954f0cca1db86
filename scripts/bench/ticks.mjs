import { ratio } from './figures.mjs';
import { measureInTurn } from './in-turn.mjs';
import { ask } from './stage.mjs';

/** How many looks at a ledger with nothing due are measured. */
const TICKS = 200;

/** @type {import('./rows.mjs').Row} */
export const ticks = {
  name: 'ticks',
  says: "what a host's look at everything costs when nothing is due, with many automations against few",
  measure: async (stage) => {
    const found = await measureInTurn(stage, stage.count(TICKS, 30), (bench, rounds) =>
      ask(bench, 'measureTicks', rounds),
    );
    const [large, small] = [found.large.flat(), found.small.flat()];
    return [
      {
        what: 'tick with nothing due at 10,000 automations / at 100',
        value: ratio(large, small),
        unit: '×',
        target: { most: 1.5 },
        sides: { large, small },
      },
    ];
  },
};
