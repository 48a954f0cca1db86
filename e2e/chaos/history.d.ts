import type { History, Violation } from './record.ts';
export type { History, Violation } from './record.ts';
/** What is allowed for what no program decides: the network and the machine. In milliseconds. */
export interface Tolerances {
  /** How long after a dead or cancelled run's end its request may still be open at the server, or arrive there. */
  readonly abortMs: number;
  /** How long a dead host's run may stay active while a host lives (protocol, section 9). */
  readonly recoveryMs: number;
  /** How long an occurrence may have been due at the end, with nothing of its automation running. */
  readonly overdueMs: number;
}
export declare const TOLERANCES: Tolerances;
/** What was found, and how much was looked at: an empty record proves nothing. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** What could not be judged, in sentences. */
  readonly unjudged: readonly string[];
  readonly judged: {
    readonly runs: number;
    /** Missed and skipped rows. */
    readonly unrun: number;
    /** Scheduled instants that were owed a row. */
    readonly instants: number;
    readonly hits: number;
    readonly kills: number;
    readonly operations: number;
    readonly sightings: number;
    /** How long each run of a killed host was active after the death, or after the next host's start. */
    readonly recoveriesMs: readonly number[];
  };
}
/** Judges a record. Violations are in the order of the invariants. */
export declare function checkHistory(history: History, tolerances?: Tolerances): Verdict;
