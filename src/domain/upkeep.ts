/** What is done for a ledger now and then: words for what was forgotten, and for what was found in disorder. */
import type { AutomationId } from './ids.ts';
import type { EpochMs } from './time.ts';

/** What a sweep came to. */
export interface Swept {
  readonly at: EpochMs;
  readonly runs: number;
  readonly outputs: number;
  /** Why it ended before it was done. */
  readonly trouble?: string;
}

/** Each way in which a ledger can contradict itself that is looked for. */
export type FindingKind =
  | 'enabled-without-agenda'
  | 'agenda-without-automation'
  | 'agenda-of-paused'
  | 'agenda-twice'
  | 'run-not-marked-active'
  | 'ended-run-marked-active'
  | 'run-ahead-of-fence'
  | 'output-without-run'
  | 'value-without-automation'
  | 'follower-not-told'
  | 'unreadable'
  | 'active-run-without-lease'
  | 'lease-without-run';

/** What was done about it. */
export type Mending = 'planned' | 'removed' | 'corrected' | 'set-aside' | 'recovered';

/** Something that a ledger contradicts itself in. */
export interface Finding {
  readonly what: FindingKind;
  /** The row, or the lock, that it is about. */
  readonly key: string;
  readonly automationId?: AutomationId;
  readonly automationName?: string;
  /** Absent: it was left as it is. */
  readonly did?: Mending;
}

/** Most findings that are told one by one. */
export const FINDINGS_MOST = 200;

/** What a check came to. */
export interface Checked {
  readonly at: EpochMs;
  /** All of history was looked at too, and not only what is pending. */
  readonly wholly: boolean;
  /** {@link FINDINGS_MOST} of them at most. */
  readonly findings: readonly Finding[];
  /** How many there were. */
  readonly count: number;
}
