import type { StepStart } from './steps.ts';
import { type AutomationId, type CommandId, type RunId, UUID_LENGTH } from './ids.ts';
import { SCHEMA } from './schema.ts';
import type { EpochMs } from './time.ts';

declare const brand: unique symbol;
/**
 * The identity of one instant at which an automation is due: `automationId@scheduledFor`, or `automationId!commandId`
 * for a run asked for by hand, or `automationId<parentRunId` for one that follows a run of another automation. A pause that
 * ends by itself is pending as `automationId^until`, which no run ever has.
 */
export type Occurrence = string & { readonly [brand]: 'Occurrence' };

/** Key of an agenda row: the occurrence and the attempt. */
export type AgendaKey = string & { readonly [brand]: 'AgendaKey' };

/** The occurrence of `automation` that its schedule puts at `scheduledFor`. */
export function scheduledOccurrence(automation: AutomationId, scheduledFor: EpochMs): Occurrence {
  return `${automation}@${scheduledFor}` as Occurrence;
}

/** The occurrence that the command `command` asks for. */
export function manualOccurrence(automation: AutomationId, command: CommandId): Occurrence {
  return `${automation}!${command}` as Occurrence;
}

/** The occurrence of `automation` that follows the run `parent` of another one. */
export function followUpOccurrence(automation: AutomationId, parent: RunId): Occurrence {
  return `${automation}<${parent}` as Occurrence;
}

/** Whether `occurrence` was asked for by hand, and is not of a schedule. */
export function isByHand(occurrence: Occurrence): boolean {
  return occurrence[UUID_LENGTH] === '!';
}

/**
 * Whether a person asked for what `of` is, or for what it repeats because it failed. Pausing and editing stop the
 * schedule, and not what a person asks for.
 */
export function isAskedFor(of: {
  readonly cause: AgendaRow['cause'];
  readonly occurrence: Occurrence;
}): boolean {
  return of.cause === 'manual' || isByHand(of.occurrence);
}

/** Why a run exists: its schedule, a person, a retry of an attempt that failed, or the end of another automation's run. */
export type Cause = 'schedule' | 'manual' | 'retry' | 'follow-up';

/** A pending occurrence. An enabled automation has at most one row of cause `schedule`: its next instant. */
export interface AgendaRow {
  readonly key: AgendaKey;
  readonly schema: number;
  readonly occurrence: Occurrence;
  readonly automationId: AutomationId;
  readonly scheduledFor: EpochMs;
  /** 1 for the first. */
  readonly attempt: number;
  /** When a host may claim it; for a retry later than `scheduledFor`. */
  readonly dueAt: EpochMs;
  /** `resume`: no run, but the end of a pause that was to last until `dueAt`. */
  readonly cause: Cause | 'resume';
  /** The run continues an earlier one. */
  readonly from?: StepStart;
  /**
   * Of a scheduled row whose schedule is in a zone: after what it was the first instant by the zone database that planned
   * it. Another database may name an earlier one. Older builds did not write it.
   */
  readonly plannedFrom?: EpochMs;
}

/** The row that ends the pause of `automation` at `until`. */
export function resumeRow(automation: AutomationId, until: EpochMs): AgendaRow {
  const occurrence = `${automation}^${until}` as Occurrence;
  return {
    key: agendaKey(occurrence, 1),
    schema: SCHEMA,
    occurrence,
    automationId: automation,
    scheduledFor: until,
    attempt: 1,
    dueAt: until,
    cause: 'resume',
  };
}

/** The key of the agenda row for `attempt` at `occurrence`. */
export function agendaKey(occurrence: Occurrence, attempt: number): AgendaKey {
  return `${occurrence}#${attempt}` as AgendaKey;
}

/** The instant that `occurrence` is of by its schedule; `null` for one that is of none. */
export function instantOf(occurrence: Occurrence): EpochMs | null {
  return occurrence[UUID_LENGTH] === '@' ? Number(occurrence.slice(UUID_LENGTH + 1)) : null;
}

/** What an agenda key is made of. */
export function partsOfKey(key: AgendaKey): {
  readonly automationId: AutomationId;
  readonly occurrence: Occurrence;
  readonly attempt: number;
} {
  const mark = key.lastIndexOf('#');
  const occurrence = key.slice(0, mark) as Occurrence;
  const automationId = occurrence.slice(0, UUID_LENGTH) as AutomationId;
  return { automationId, occurrence, attempt: Number(key.slice(mark + 1)) };
}
