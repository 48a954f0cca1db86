/** What the checker reads off rows of the ledger. */
import type { Definition, EpochMs, RunRow } from './record.ts';
/** A row that a claim made: it had a host and the right to act. */
export type ClaimedRow = RunRow &
  Required<Pick<RunRow, 'startedAt' | 'host' | 'fence' | 'revision' | 'definition'>>;
/** Whether `row` was claimed, and did not merely get counted as missed or skipped. */
export declare function isClaimed(row: RunRow): row is ClaimedRow;
/**
 * When a row was made, by its id (UUIDv7): read inside the transaction that made it, and so after everything that the
 * transaction saw. `claimedAt` was read before the transaction began, which may have had to wait.
 */
export declare function madeAt(row: Pick<RunRow, 'id'>): EpochMs;
/** When a run ended; never, while it is active. */
export declare function endedAt(row: RunRow): EpochMs;
/** How many runs of one automation its overlap rule allows at a time. */
export declare function parallelLimit({ rules }: Definition): number;
/** Whether what `definition` does may be done again without asking a person (protocol, section 5). */
export declare function isRepeatable({ action }: Definition): boolean;
/** Whether a run was ended by fence because its host hung: what it had begun may go on, by protocol. */
export declare function wasHung(row: ClaimedRow): boolean;
/** The rows of each automation. */
export declare function byAutomation<Row extends Pick<RunRow, 'automationId'>>(
  rows: readonly Row[],
): ReadonlyMap<string, readonly Row[]>;
/** `items` by what `keyOf` says of each, in their order. */
export declare function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]>;
