/**
 * Invariant 6: after any death, each active run of the dead host is settled by someone within `recoveryMs` while a host
 * lives, or from the next start.
 *
 * The time runs once a host lives through all of it: one that is killed before has not had its chance, and the next one's
 * begins anew. A host that was asked to retire does not count any more. The other way round, a run that was ended as
 * interrupted while its host lived was taken from a healthy host: age alone proves nothing.
 */
import type { History, Violation } from './record.ts';
import { type ClaimedRow } from './runs.ts';
/** What came of it, and how long each run of a dead host was active after the death. */
export interface Deaths {
  readonly violations: readonly Violation[];
  /** From the death, or from the next host's start where none was alive. */
  readonly recoveriesMs: readonly number[];
}
export declare function judgeDeaths(
  { kills, hosts, ledger }: History,
  claimed: readonly ClaimedRow[],
  recoveryMs: number,
): Deaths;
