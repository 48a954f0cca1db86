/** Invariants 2 and 3: how many runs may be active at once, of one automation and of all. */
import type { Hit, History, Violation } from './record.ts';
import { type ClaimedRow } from './runs.ts';
/**
 * Invariant 2 by the ledger: when a run was claimed, fewer others of its automation were active than its overlap rule
 * allows. Claims are ordered by their fences. A run that settled after the instant inside the claim's own transaction was
 * certainly still active for it.
 */
export declare function judgeOverlaps(claimed: readonly ClaimedRow[]): readonly Violation[];
/**
 * Invariant 2 by the server's clock: when a request came in, fewer requests of other runs of its automation were open than
 * the overlap rule allows. A request of a run that succeeded or failed is over when it was answered. One of a run that
 * ended without its answer (interrupted, cancelled, timed out) may go on at the server until the network says that its
 * sender is gone, `abortMs` after the run's end at most; that of a hung host may go on for any time (protocol, section 6).
 */
export declare function judgeOverlapsAtServer(
  hits: readonly Hit[],
  runs: ReadonlyMap<string, ClaimedRow>,
  abortMs: number,
): readonly Violation[];
/**
 * Invariant 3: when a run was claimed, fewer runs of all automations were active than `maxConcurrent`. It binds claims: one
 * that lowers the limit ends nothing that runs. While a change of it was under way, either value may be in force.
 */
export declare function judgeCapacity(history: History, claimed: readonly ClaimedRow[]): readonly Violation[];
