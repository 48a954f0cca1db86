/** A ledger as it is after a few days. */
export const SMALL = { automations: 100, runs: 1_000 };
/** One as large as Rota promises to be quick with. */
export const LARGE = { automations: 10_000, runs: 100_000 };
