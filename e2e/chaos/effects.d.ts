/**
 * Invariant 7: each effect at the receiving server belongs to exactly one run, each succeeded run has its effect, and each
 * interrupted run whose effect may have happened says so.
 *
 * An effect belongs to a run when it names it, comes after its claim, and comes at most `abortMs` after its end: what a
 * dead sender had handed to the network may still be on its way. That of a hung host may come at any time (protocol,
 * section 6).
 */
import type { EpochMs, Hit, Violation } from './record.ts';
import { type ClaimedRow } from './runs.ts';
export declare function judgeEffects(
  hits: readonly Hit[],
  claimed: readonly ClaimedRow[],
  server: string,
  exportedAt: EpochMs,
  abortMs: number,
): readonly Violation[];
