/** How rows that compare two ledgers take turns between them. */
import { LARGE, SMALL } from './sizes.mjs';

/** In so many turns each side is measured. */
const TURNS = 10;

/**
 * Asks `measure` of the small and of the large ledger in turn, once before it counts, and gives what each answered, in order.
 * @template Found
 * @param {import('./stage.mjs').Stage} stage
 * @param {number} rounds how many of something are measured in all, on each side
 * @param {(bench: import('./stage.mjs').Page, rounds: number) => Promise<Found>} measure
 * @returns {Promise<{ small: Found[], large: Found[] }>}
 */
export async function measureInTurn(stage, rounds, measure) {
  const [small, large] = [await stage.ledger(SMALL), await stage.ledger(LARGE)];
  const each = Math.ceil(rounds / TURNS);
  await measure(small.bench, each);
  await measure(large.bench, each);
  /** @type {{ small: Found[], large: Found[] }} */
  const found = { small: [], large: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    found.small.push(await measure(small.bench, each));
    found.large.push(await measure(large.bench, each));
  }
  return found;
}
