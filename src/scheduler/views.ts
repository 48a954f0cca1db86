/** How rows of the ledger look from a tab: without leases and definitions, with what is pending beside an automation. */
import { type ActiveRun, type Automation, type EpochMs, type RunRow, assertNever } from '../domain/index.ts';
import type { AutomationView, Run, RunDetail } from '../rpc/index.ts';
import type { StoredAutomation } from '../store/index.ts';
import type { Dispatcher } from './dispatcher.ts';

/** What a due occurrence waits for. */
export type Waiting = Pick<Dispatcher['waiting'][number], 'for' | 'secret'>;

/** A row of the ledger as the contract has it. */
export function runView(row: RunRow): Run {
  const base = {
    id: row.id,
    automationId: row.automationId,
    automationName: row.automationName,
    occurrence: row.occurrence,
    scheduledFor: row.scheduledFor,
    cause: row.cause,
    attempt: row.attempt,
    status: row.status,
    claimedAt: row.claimedAt,
  };
  if (row.status === 'missed' || row.status === 'skipped') {
    return {
      ...base,
      reason: row.reason,
      covers: row.covers,
      startedAt: null,
      settledAt: row.settledAt,
      latenessMs: null,
      host: null,
      fence: null,
    };
  }
  const claimed = {
    ...base,
    startedAt: row.startedAt,
    latenessMs: row.latenessMs,
    ...('imported' in row
      ? { host: null, fence: null, imported: row.imported }
      : { host: row.host, fence: row.fence }),
    ...(row.effect === undefined ? {} : { effect: row.effect }),
  };
  if (row.status === 'running') {
    return {
      ...claimed,
      settledAt: null,
      ...(row.cancelRequested === undefined ? {} : { cancelling: true }),
    };
  }
  const settled = {
    ...claimed,
    settledAt: row.settledAt,
    summary: row.summary,
    ...(row.retryAt === undefined ? {} : { retryAt: row.retryAt }),
  };
  switch (row.status) {
    case 'succeeded':
    case 'timed-out':
      return settled;
    case 'failed':
      return { ...settled, reason: row.reason, failure: row.failure };
    case 'cancelled':
      return { ...settled, reason: row.reason };
    case 'interrupted':
      return {
        ...settled,
        ...(row.mayHaveHappened === undefined ? {} : { mayHaveHappened: row.mayHaveHappened }),
        ...(row.asks === undefined ? {} : { asks: row.asks }),
        ...(row.answer === undefined ? {} : { answer: row.answer }),
      };
    default:
      return assertNever(row);
  }
}

/** A run with the definition that it ran with and what it brought back. */
export function runDetail(row: RunRow, output: RunDetail['output']): RunDetail {
  const claimed = row.status === 'missed' || row.status === 'skipped' ? null : row;
  return {
    ...runView(row),
    revision: claimed?.revision ?? null,
    definition: claimed?.definition ?? null,
    output,
  };
}

/** An automation as the contract has it. */
export function automationView(
  { automation, readOnly }: StoredAutomation,
  now: {
    readonly nextDueAt: EpochMs | null;
    readonly active: readonly ActiveRun[];
    readonly waiting: Waiting | null;
    /** Until when all is paused. */
    readonly pausedUntil: EpochMs | null;
  },
): AutomationView {
  const { nextDueAt, pausedUntil } = now;
  const isHeld = nextDueAt !== null && pausedUntil !== null && nextDueAt < pausedUntil;
  return {
    ...automation,
    nextDueAt,
    active: now.active
      .filter((run) => run.automationId === automation.id)
      .map((run) => ({ runId: run.id, startedAt: run.startedAt })),
    ...(now.waiting === null ? {} : { waitingFor: now.waiting.for }),
    ...(now.waiting?.secret === undefined ? {} : { waitingForSecret: now.waiting.secret }),
    ...(isHeld ? { heldUntil: pausedUntil } : {}),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

/**
 * Whether the automation asks for a person: it failed for good, it paused itself, a run of it may have happened and has
 * no answer, or one waits for a secret or for
 * its unlocking.
 */
export function needsYou(
  { failuresInARow, pausedBecause, recent }: Pick<Automation, 'failuresInARow' | 'pausedBecause' | 'recent'>,
  waiting: Waiting | null,
): boolean {
  return (
    failuresInARow > 0 ||
    pausedBecause !== undefined ||
    recent.some((run) => run.mayHaveHappened === true) ||
    waiting?.for === 'secret' ||
    waiting?.for === 'unlock'
  );
}
