import { ratio } from './figures.mjs';
import { ask } from './stage.mjs';

/** A year of a hundred automations, so that most of it may go. */
const LONG = { automations: 100, runs: 100_000 };
/** How many claims are measured on each side, and in how many turns. */
const CLAIMS = 300;
const TURNS = 5;

/** @type {import('./rows.mjs').Row} */
export const retention = {
  name: 'retention',
  says: 'what a claim and a settlement cost while history is forgotten beside them, against in quiet',
  measure: async (stage) => {
    // A place of its own: what is forgotten here is missing elsewhere.
    const { bench } = await stage.ledger(LONG);
    const rounds = Math.ceil(stage.count(CLAIMS, 50) / TURNS);
    await ask(bench, 'measureClaims', rounds);
    /** @typedef {{ readonly claim: number[], readonly settle: number[] }} Side */
    /** @type {{ readonly quiet: Side, readonly busy: Side, readonly forgotten: number }[]} */
    const found = [];
    for (let turn = 0; turn < TURNS; turn += 1) found.push(await ask(bench, 'measureRetention', rounds));
    /** @type {(side: 'quiet' | 'busy', step: keyof Side) => number[]} */
    const of = (side, step) => found.flatMap((samples) => samples[side][step]);
    const forgotten = found.reduce((sum, samples) => sum + samples.forgotten, 0);
    return [
      {
        what: `claim while 100,000 runs are swept (${forgotten.toLocaleString('en')} forgotten meanwhile) / in quiet`,
        value: ratio(of('busy', 'claim'), of('quiet', 'claim')),
        unit: '×',
        target: { most: 1.3 },
        sides: { sweeping: of('busy', 'claim'), quiet: of('quiet', 'claim') },
      },
      {
        what: 'settle while 100,000 runs are swept / in quiet',
        value: ratio(of('busy', 'settle'), of('quiet', 'settle')),
        unit: '×',
        sides: { sweeping: of('busy', 'settle'), quiet: of('quiet', 'settle') },
      },
    ];
  },
};
