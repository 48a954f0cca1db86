import { ratio } from './figures.mjs';
import { measureInTurn } from './in-turn.mjs';
import { ask } from './stage.mjs';

/** How many claims are measured on each ledger. */
const CLAIMS = 300;

/** @type {import('./rows.mjs').Row} */
export const claims = {
  name: 'claims',
  says: 'what a claim and a settlement cost, against one put in one transaction, and in a large ledger against a small one',
  measure: async (stage) => {
    const found = await measureInTurn(stage, stage.count(CLAIMS, 50), (bench, rounds) =>
      ask(bench, 'measureClaims', rounds),
    );
    /** @type {(side: 'small' | 'large', step: 'put' | 'claim' | 'settle') => number[]} */
    const of = (side, step) => found[side].flatMap((samples) => samples[step]);
    const [put, claim, settle] = [of('small', 'put'), of('small', 'claim'), of('small', 'settle')];
    return [
      {
        what: 'claim / one put',
        value: ratio(claim, put),
        unit: '×',
        target: { most: 2 },
        sides: { claim, put },
      },
      {
        what: 'settle / one put',
        value: ratio(settle, put),
        unit: '×',
        target: { most: 2.5 },
        sides: { settle, put },
      },
      {
        what: 'claim at 10,000 automations and 100,000 runs / at 100 and 1,000',
        value: ratio(of('large', 'claim'), claim),
        unit: '×',
        target: { most: 1.3 },
        sides: { large: of('large', 'claim'), small: claim },
      },
      {
        what: 'settle at 10,000 automations and 100,000 runs / at 100 and 1,000',
        value: ratio(of('large', 'settle'), settle),
        unit: '×',
        sides: { large: of('large', 'settle'), small: settle, 'one put there': of('large', 'put') },
      },
    ];
  },
};
