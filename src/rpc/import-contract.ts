/** What a tab asks of a host to bring in what a person chose from files (`previewImport` and `planImport` of domain). */
import type {
  AutomationId,
  CommandId,
  ImportSource,
  ImportStepsResult,
  ImportedRun,
  RunId,
} from '../domain/index.ts';

/** Most steps of one call, so that no claim waits for a long transaction; more are several calls. */
export const IMPORT_STEPS_MOST = 100;
/** Most rows of history in one call. */
export const IMPORT_STEP_RUNS_MOST = 1_000;
/**
 * One step, as it crosses. The definition is checked again like any that comes from outside. Whatever it says, what comes in
 * and what is replaced is paused afterwards.
 */
export type ImportStepRequest = {
  readonly id: AutomationId;
  readonly definition: unknown;
  readonly source: ImportSource;
  readonly runs: readonly ImportedRun[];
} & (
  | { readonly kind: 'add' }
  | { readonly kind: 'replace'; readonly expectedRevision: number }
  | { readonly kind: 'history' }
);

/** The calls of an import. */
export interface ImportCalls {
  /** Takes all steps, in their order, or none. Up to {@link IMPORT_STEPS_MOST}, with {@link IMPORT_STEP_RUNS_MOST} rows. */
  importEntries(request: {
    readonly commandId?: CommandId;
    readonly steps: readonly ImportStepRequest[];
  }): Promise<ImportStepsResult>;
  /** Which of these the ledger does not have. */
  missingRuns(query: { readonly ids: readonly RunId[] }): Promise<{ readonly ids: readonly RunId[] }>;
}
