import type { Definition } from './definition.ts';
import { isRepeating } from './schedule.ts';
import type { AutomationId, RunId } from './ids.ts';
import type { RunStatus, SettledReason } from './run.ts';
import type { DurationMs, EpochMs } from './time.ts';
import type { Spending } from './spent.ts';

/** How many finished runs an automation row carries for the list's bar. */
export const RECENT_RUNS_MOST = 30;

/**
 * Why an automation paused itself: `failures`, so many in a row, the last of them `runId`; or `unreadable`, because this
 * browser cannot compute its schedule, as `message` says.
 */
export type PauseReason =
  | { readonly kind: 'failures'; readonly count: number; readonly at: EpochMs; readonly runId: RunId }
  | { readonly kind: 'unreadable'; readonly message: string; readonly at: EpochMs };

/** A finished run, as small as the list's bar needs it. */
export interface RecentRun {
  readonly id: RunId;
  readonly status: Exclude<RunStatus, 'running'>;
  /** When it settled; for a missed or skipped row, when the newest instant that it covers was due. */
  readonly at: EpochMs;
  readonly durationMs?: DurationMs;
  readonly latenessMs?: DurationMs;
  readonly reason?: SettledReason;
  /** One short line: what came of it, or why it failed. */
  readonly summary?: string;
  /** How many scheduled instants a missed or skipped row stands for. */
  readonly count?: number;
  readonly mayHaveHappened?: true;
}

/**
 * An automation as stored. `revision` counts what a person edits and nothing else, so a run that starts meanwhile is
 * no edit conflict. `fence` grows by one with each claim; `epoch` grows when a hung host is fenced out.
 */
export interface Automation extends Definition {
  readonly id: AutomationId;
  readonly schema: number;
  readonly revision: number;
  readonly fence: number;
  readonly epoch: number;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  /** While paused: when it resumes by itself; absent: when a person says so. */
  readonly pausedUntil?: EpochMs;
  /** While paused, and not by a person: why. Resuming it takes it away. */
  readonly pausedBecause?: PauseReason;
  /** How many runs its schedule has had, where the schedule limits them. */
  readonly dispatched?: number;
  /** How many runs that its rule counts there were on the day that ends at `until`. */
  readonly today?: { readonly until: EpochMs; readonly count: number };
  /** What its prompts have used on one day, where they used anything. */
  readonly spent?: Spending;
  /** Those that may run after it; one that does not any more is told by its own schedule. */
  readonly followers?: readonly AutomationId[];
  /** While paused: the first scheduled instant that is not accounted for; enabling writes one missed row from here. */
  readonly pausedFrom?: EpochMs;
  readonly lastClaim?: { readonly runId: RunId; readonly at: EpochMs };
  /** Failures since the last success. */
  readonly failuresInARow: number;
  /** It fails, and the person was told so: since when, and by which notification. */
  readonly outage?: { readonly since: EpochMs; readonly notification: string };
  /** A mark of its last result, where its rule tells of other results. */
  readonly lastResult?: string;
  /** Newest last, {@link RECENT_RUNS_MOST} at most. */
  readonly recent: readonly RecentRun[];
}

/** The definition inside a stored automation, without what Rota keeps beside it. */
export function definitionOf(automation: Automation): Definition {
  const { name, enabled, tags, schedule, action, rules } = automation;
  return { name, enabled, tags, schedule, action, rules };
}

/** `automation` with `run` at the end of its recent runs. */
export function withRecent(automation: Automation, ...runs: readonly RecentRun[]): Automation {
  return { ...automation, recent: [...automation.recent, ...runs].slice(-RECENT_RUNS_MOST) };
}

/** How many more runs the schedule of `automation` may have; `Infinity` without a limit. */
export function runsLeft({ schedule, dispatched = 0 }: Pick<Automation, 'schedule' | 'dispatched'>): number {
  const most = isRepeating(schedule) ? schedule.maxRuns : undefined;
  return most === undefined ? Infinity : Math.max(0, most - dispatched);
}

/** `automation` as one that has not failed: what comes next is told anew. */
export function withoutFailures(automation: Automation): Automation {
  const { outage: _, ...rest } = automation;
  return { ...rest, failuresInARow: 0 };
}
