/** Invariants 1 and 5: one run for each occurrence and attempt, and rows that move along the edges alone. */
import type { RunRow, Sighting, Violation } from './record.ts';
/** Whether a row has the form of its status, so that the other judges can read it. Says what is wrong if not. */
export declare function faultOf(row: RunRow): string | null;
/** Invariant 1: at most one run for each occurrence and attempt. */
export declare function judgeUniqueness(runs: readonly RunRow[]): readonly Violation[];
/**
 * Invariant 5: rows move only along the edges, and terminal rows never change. From one export that cannot be seen, so
 * earlier sightings of the same rows are held against it; a terminal row may gain a person's answer and nothing else.
 * Attempts follow each other, each fence was given once, and none is left out.
 */
export declare function judgeEdges(
  runs: readonly RunRow[],
  sightings: readonly Sighting[],
  fences: ReadonlyMap<string, number>,
): readonly Violation[];
