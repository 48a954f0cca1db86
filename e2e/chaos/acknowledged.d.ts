import type { History, Violation } from './record.ts';
import { type ClaimedRow } from './runs.ts';
export declare function judgeAcknowledged(
  history: History,
  claimed: readonly ClaimedRow[],
): readonly Violation[];
