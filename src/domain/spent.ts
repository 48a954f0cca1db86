import type { EpochMs } from './time.ts';

/** What the prompts of an automation have used on the day that ends at `until`. */
export interface Spending {
  readonly until: EpochMs;
  readonly tokens: number;
  /** In the currency of the stated price; 0 without one. */
  readonly cost: number;
}
