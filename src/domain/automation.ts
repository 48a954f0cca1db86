import * as v from 'valibot';
import { actionSchema } from './action.ts';
import type { AutomationId, RunId } from './ids.ts';
import { boundedText } from './problem.ts';
import { DEFAULT_RULES, rulesSchema } from './rules.ts';
import type { RunStatus, SettledReason } from './run.ts';
import { scheduleSchema } from './schedule.ts';
import type { DurationMs, EpochMs } from './time.ts';

/** The `schema` number that this code writes into each row, and the newest that it understands. */
export const SCHEMA = 1;

/** What a person writes: what to do, when, and the rules for when it goes wrong. */
export const definitionSchema = v.strictObject({
  name: v.pipe(boundedText('The name', 200), v.trim(), v.nonEmpty('Give the automation a name.')),
  enabled: v.exactOptional(v.boolean('enabled is true or false.'), true),
  tags: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(boundedText('A tag', 50), v.trim(), v.nonEmpty('A tag must not be empty.')),
        'Tags are a list of texts.',
      ),
      v.maxLength(20, 'At most 20 tags.'),
    ),
    [],
  ),
  schedule: scheduleSchema,
  action: actionSchema,
  rules: v.exactOptional(rulesSchema, DEFAULT_RULES),
});

/** A definition with its defaults filled in. */
export type Definition = v.InferOutput<typeof definitionSchema>;
/** A definition as a person, a file or the console gives it; defaults may be left out. */
export type DefinitionInput = v.InferInput<typeof definitionSchema>;

/** How many finished runs an automation row carries for the list's bar. */
export const RECENT_RUNS_MOST = 30;

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
  /** While paused: the first scheduled instant that is not accounted for; enabling writes one missed row from here. */
  readonly pausedFrom?: EpochMs;
  readonly lastClaim?: { readonly runId: RunId; readonly at: EpochMs };
  /** Failures since the last success. */
  readonly failuresInARow: number;
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
