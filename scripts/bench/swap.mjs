import { ratio } from './figures.mjs';
import { ask } from './stage.mjs';
import { LARGE, SMALL } from './sizes.mjs';

/** On which histories, how often each side is measured there, and how many times dearer the swap has to be. */
const HISTORIES = [
  { size: SMALL, rounds: 100, least: 5 },
  { size: { automations: 100, runs: 10_000 }, rounds: 20, least: 50 },
  { size: LARGE, rounds: 5, least: 500 },
];

/** @type {import('./rows.mjs').Row} */
export const swap = {
  name: 'swap',
  says: 'what it costs to swap the whole ledger for each claim, against a claim',
  measure: async (stage) => {
    const figures = [];
    for (const { size, rounds, least } of HISTORIES) {
      const { bench } = await stage.ledger(size);
      await ask(bench, 'measureClaims', 30);
      const { swap: whole, claim } = await ask(bench, 'measureSwap', stage.count(rounds, 3));
      figures.push({
        what: `swap of the whole ledger / claim, at ${size.runs.toLocaleString('en')} runs`,
        value: ratio(whole, claim),
        unit: /** @type {const} */ ('×'),
        target: { least },
        sides: { swap: whole, claim },
      });
    }
    return figures;
  },
};
