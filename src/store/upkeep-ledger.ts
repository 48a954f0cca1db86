import type { Checked, EpochMs, Finding, KeepRule, Seen, Swept } from '../domain/index.ts';

/** What one slice of a sweep did. */
export interface Slice {
  /** Rows that were looked at, so that whoever sweeps can choose the size of the next slice by the time it took. */
  readonly looked: number;
  readonly runs: number;
  readonly outputs: number;
  /** Nothing is left to look at. */
  readonly done: boolean;
}

/** One walk over the whole history. What is written meanwhile is met by the next one. */
export interface Sweep {
  /** Looks at `most` rows at most, in one transaction, and forgets what may go. Never more than that at once. */
  slice(most: number): Promise<Slice>;
}

/** What a store takes, as far as it can be reckoned. */
export interface StoreUsage {
  readonly store: string;
  readonly rows: number;
  /** Reckoned from `measured` rows, as long as they are as text; what the browser takes for them on disk, it does not say. */
  readonly bytes: number;
  readonly measured: number;
}

/** What is done now and then for the ledger's sake, and never for a claim's. */
export interface LedgerUpkeep {
  /** Begins to forget what `keep` and the rules of automations let go at `now`. */
  sweep(now: EpochMs, keep: KeepRule): Sweep;
  /** Writes down what was seen of the clock. */
  noteSeen(seen: Seen): Promise<void>;
  /** Writes down that a sweep has ended. */
  noteSwept(swept: Swept): Promise<void>;
  /** What is known of this database; the id that it has for as long as it is there is given to it at the first call. */
  about(
    now: EpochMs,
    newId: () => string,
  ): Promise<{
    readonly ledger: string;
    readonly bornAt: EpochMs;
    readonly seen: Seen | null;
    readonly swept: Swept | null;
    readonly checked: Checked | null;
  }>;
  /** What each store takes. */
  usage(): Promise<readonly StoreUsage[]>;
  /**
   * Looks for rows that contradict each other, and puts right what can be put right without guessing. `wholly` also looks at
   * all of history, and awaits `rest` after each part of it. What must be left to a person or to time is told and not touched.
   */
  check(now: EpochMs, wholly: boolean, rest: () => Promise<void>): Promise<readonly Finding[]>;
  noteChecked(checked: Checked): Promise<void>;
}
