import type { History, Violation } from './record.ts';
/** What came of it, and how much there was to judge. */
export interface Coverage {
  readonly violations: readonly Violation[];
  /** How many instants were owed. */
  readonly instants: number;
  /** Why some automations were not judged. */
  readonly unjudged: readonly string[];
}
export declare function judgeCoverage(history: History, overdueMs: number): Coverage;
