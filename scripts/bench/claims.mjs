import { ratio } from './figures.mjs';
import { ask } from './stage.mjs';

/** How many claims are measured, in how many turns. */
const CLAIMS = 300;
const TURNS = 10;
/** A ledger as it is after a few days, and one as large as Rota promises to be quick with. */
const SMALL = { automations: 100, runs: 1_000 };
const LARGE = { automations: 10_000, runs: 100_000 };

/** @type {import('./rows.mjs').Row} */
export const claims = {
  name: 'claims',
  says: 'what a claim and a settlement cost, against one put in one transaction, and in a large ledger against a small one',
  measure: async (stage) => {
    const [small, large] = [await stage.ledger(SMALL), await stage.ledger(LARGE)];
    const empty = () => ({ put: [], claim: [], settle: [] });
    /** @type {Record<'small' | 'large', Record<'put' | 'claim' | 'settle', number[]>>} */
    const samples = { small: empty(), large: empty() };
    const rounds = stage.count(CLAIMS, 50) / TURNS;
    const sides = /** @type {const} */ ([
      ['small', small.bench],
      ['large', large.bench],
    ]);
    // The code is warm before it is measured.
    for (const [, bench] of sides) await ask(bench, 'measureClaims', rounds);
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [name, bench] of sides) {
        const found = await ask(bench, 'measureClaims', rounds);
        for (const step of /** @type {const} */ (['put', 'claim', 'settle']))
          samples[name][step].push(...found[step]);
      }
    }
    const { put, claim, settle } = samples.small;
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
        value: ratio(samples.large.claim, claim),
        unit: '×',
        target: { most: 1.3 },
        sides: { large: samples.large.claim, small: claim },
      },
      {
        what: 'settle at 10,000 automations and 100,000 runs / at 100 and 1,000',
        value: ratio(samples.large.settle, settle),
        unit: '×',
        sides: { large: samples.large.settle, small: settle, 'put there': samples.large.put },
      },
    ];
  },
};
