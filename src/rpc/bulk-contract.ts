/** What a tab asks of a host to change many automations at once, and to undo it. */
import type {
  AutomationId,
  BulkChange,
  BulkResult,
  BulkUndoResult,
  CommandId,
  Problem,
} from '../domain/index.ts';

/** Most automations of one call that changes them, so that no claim waits for a long transaction; more are several calls. */
export const BULK_MOST = 200;
/** Most automations of one call that runs them: each is a claim of its own. */
export const BULK_RUNS_MOST = 20;

/** What became of running one of many, as `runNow` says it. `newer-data`: a newer version of Rota wrote it, and this one does not run it. */
export interface BulkRun<Result> {
  readonly id: AutomationId;
  readonly result: Result | { readonly kind: 'newer-data' };
}

/** The calls for many automations at once; `RunResult` is what `runNow` answers for one. */
export interface BulkCalls<RunResult> {
  /**
   * Does `change` to up to {@link BULK_MOST} automations in one step. Those to which it cannot be done stay as they are, and
   * the answer names them. `undo` of the answer is what {@link undoChange} takes, for a week.
   */
  changeAutomations(request: {
    readonly commandId?: CommandId;
    readonly ids: readonly AutomationId[];
    readonly change: BulkChange;
  }): Promise<BulkResult | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }>;
  /**
   * Puts back what a change took away, in one step. One that somebody has changed since stays as it is, and the answer names
   * it. What fell due meanwhile is for the rule for missed runs, as though nothing had been changed.
   */
  undoChange(request: { readonly commandId?: CommandId; readonly of: CommandId }): Promise<BulkUndoResult>;
  /** Asks for a run of each of up to {@link BULK_RUNS_MOST} automations, in their order, as `runNow` does for one. */
  runAutomations(request: {
    readonly commandId?: CommandId;
    readonly ids: readonly AutomationId[];
  }): Promise<{ readonly items: readonly BulkRun<RunResult>[] }>;
}
