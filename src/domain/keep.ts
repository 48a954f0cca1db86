/** How long history is kept, as it is chosen; what follows from it, retention.ts decides. */

/** `days` old at most, and `most` of one automation; `null`: without that limit. */
export interface KeepLimit {
  readonly days: number | null;
  readonly most: number | null;
}

/** How long runs are kept, and what they brought back. */
export interface KeepRule {
  readonly runs: KeepLimit;
  readonly outputs: KeepLimit;
}

/** What applies while nobody chose. */
export const DEFAULT_KEEP: KeepRule = {
  runs: { days: 400, most: 10_000 },
  outputs: { days: 90, most: 1_000 },
};

/** Without any limit: what applies where it cannot be known what was chosen. */
export const KEEP_ALL: KeepRule = { runs: { days: null, most: null }, outputs: { days: null, most: null } };
