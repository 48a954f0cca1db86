/**
 * The history checker: judges invariants 1 to 8 of the protocol (section 9) on the record of a stretch of Rota's life, and
 * names the counterexample of each violation. Pure, and apart from the app: it reads exported rows, not the app's word.
 *
 * What counts as a violation, and what does not:
 *
 * - *Time.* All times are of one machine's clock, so a claim's instant, a request's and an answer's can be compared. The
 *   instant of a claim is the one in the id of its run, which is read inside the claim's transaction; `claimedAt` is read
 *   before it and may be older than a settlement that the transaction saw. Where the hosts' clock was set on or back, what
 *   happened when is reckoned back to the machine's (clock.ts); where that leaves a choice, no violation is made of it.
 * - *Clocks that went back.* Instants that were accounted for as part of a stretch, and not by a row of their own, may come
 *   up once more.
 * - *Deaths.* The request of a run that was interrupted, cancelled or timed out may be open, or even arrive, `abortMs` after
 *   the run has ended, for as long as the network takes to notice that its sender is gone; that of a hung host, fenced out
 *   past its deadline, for any time. No request of a run that ended by itself may.
 * - *Edits.* What is owed up to an edit is owed by the definition before it. While an edit is under way a claim may decide
 *   by either; once it has been acknowledged, by the new one alone.
 * - *Order.* The claims of one automation are in the order of their fences; of different automations, in that of the
 *   milliseconds of their ids, and two in one millisecond may have been in either order.
 * - *Slowness.* A bound holds for the time that the machine had: where a process beside Rota was measured to do a fifth of what
 *   it does at best, a second counts for 200 ms (pace.ts). The checker's verdict says what share of the time counted.
 * - *Waiting.* That an occurrence is late is no violation, as long as it is decided in the end: one that nobody has claimed for
 *   `overdueMs` at the end of a record, although a host was there, there was room, and nothing of its automation ran, is.
 */
import { judgeAcknowledged } from './acknowledged.ts';
import { judgeCoverage } from './coverage.ts';
import { judgeDeaths } from './deaths.ts';
import { judgeEffects } from './effects.ts';
import { judgeCapacity, judgeOverlaps, judgeOverlapsAtServer } from './overlaps.ts';
import { type TimedHistory, timed } from './clock.ts';
import type { History, Violation } from './record.ts';
import { faultOf, judgeEdges, judgeUniqueness } from './rows.ts';
import { isClaimed } from './runs.ts';

export type { History, Violation } from './record.ts';

/** What is allowed for what no program decides: the network and the machine. In milliseconds of the machine's time (pace.ts). */
export interface Tolerances {
  /** How long after a dead or cancelled run's end its request may still be open at the server, or arrive there. */
  readonly abortMs: number;
  /** How long a dead host's run may stay active while a host lives (protocol, section 9). */
  readonly recoveryMs: number;
  /** For how long an occurrence may have been there to be claimed at the end. */
  readonly overdueMs: number;
}

export const TOLERANCES: Tolerances = { abortMs: 2_000, recoveryMs: 1_000, overdueMs: 10_000 };

/** What was found, and how much was looked at: an empty record proves nothing. */
export interface Verdict {
  readonly violations: readonly Violation[];
  /** What could not be judged, in sentences. */
  readonly unjudged: readonly string[];
  /** The engine, and what could not be done in it, by name. */
  readonly engine: string;
  readonly leftOut: readonly string[];
  /** What the engine does by itself that is not counted as a violation, in sentences. */
  readonly allowed: readonly string[];
  /** Which share of the time counted, from 0 to 1; 1 where the machine was never slow. */
  readonly pace: number;
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
    /** How long each run of a killed host was active after the death, or after the next host's start, by the clock. */
    readonly recoveriesMs: readonly number[];
  };
}

/** The share of time that counted, from the first operation to the export. */
function shareOf({ pace, operations, ledger }: TimedHistory): number {
  const from = Math.min(ledger.at - 1, ...operations.map(({ sentAt }) => sentAt));
  return pace.between(from, ledger.at) / (ledger.at - from);
}

/** Judges a record. Violations are in the order of the invariants. */
export function checkHistory(given: History, tolerances: Tolerances = TOLERANCES): Verdict {
  const history = timed(given);
  const { ledger, hits, kills, operations, sightings } = history;
  const violations: Violation[] = [];
  const sound = ledger.runs.filter((run) => {
    const fault = faultOf(run);
    if (fault !== null) violations.push({ invariant: 5, what: `The row ${run.id} is not sound: ${fault}.` });
    return fault === null;
  });
  const claimed = sound.filter(isClaimed);
  const runs = new Map(claimed.map((run) => [run.id, run]));
  const fences = new Map(ledger.automations.map(({ id, fence }) => [id, fence]));
  const coverage = judgeCoverage({ ...history, ledger: { ...ledger, runs: sound } }, tolerances.overdueMs);
  const deaths = judgeDeaths(history, claimed, tolerances.recoveryMs);
  if (ledger.quarantined > 0) {
    violations.push({
      invariant: 8,
      what: `${ledger.quarantined} rows could not be read and were set aside.`,
    });
  }
  violations.push(
    ...judgeUniqueness(sound),
    ...judgeOverlaps(claimed),
    ...judgeOverlapsAtServer(hits, runs, tolerances.abortMs, history),
    ...judgeCapacity(history, claimed),
    ...coverage.violations,
    ...judgeEdges(sound, sightings, fences, history.clock),
    ...deaths.violations,
    ...judgeEffects(hits, claimed, history.server, ledger.at, tolerances.abortMs, history.pace),
    ...judgeAcknowledged(history, claimed),
  );
  return {
    violations: violations.sort((a, b) => a.invariant - b.invariant),
    unjudged: coverage.unjudged,
    engine: given.engine,
    leftOut: given.leftOut,
    allowed: given.takesRequestsBack
      ? []
      : [`in ${given.engine} a request that its run gave up goes on at the server until it is answered`],
    pace: shareOf(history),
    judged: {
      runs: claimed.length,
      unrun: sound.length - claimed.length,
      instants: coverage.instants,
      hits: hits.length,
      kills: kills.length,
      operations: operations.length,
      sightings: sightings.length,
      recoveriesMs: deaths.recoveriesMs,
    },
  };
}
