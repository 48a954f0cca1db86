/** A run of somewhere else as a row of the ledger: history that can be read, that is told apart, and that nothing waits for. */
import type { Definition } from './definition.ts';
import { derivedUuid, derivedUuidAt } from './derived-id.ts';
import type { AutomationId, CommandId, RunId } from './ids.ts';
import type { ImportSource, ImportedRun } from './import-entry.ts';
import { manualOccurrence } from './occurrence.ts';
import type { HostRef, SettledRun } from './run.ts';
import { SCHEMA } from './schema.ts';
import type { EpochMs } from './time.ts';

/** The id of `run` under `automation`: the same each time, so that it comes in once, and as old as the run is. */
export function importedRunId(automation: AutomationId, run: ImportedRun): RunId {
  return derivedUuidAt(run.startedAt, `${automation} ${run.key}`) as RunId;
}

const SUMMARIES: Readonly<Record<ImportedRun['status'], string>> = {
  succeeded: 'Brought in from elsewhere: completed there.',
  failed: 'Brought in from elsewhere: failed there.',
  interrupted: 'Brought in from elsewhere: it had not ended when the file was written.',
};

/**
 * The row of `run`. Its occurrence is one of its own, as of a run by hand: it takes no scheduled instant of the automation
 * that it now belongs to, and keeps none from running.
 *
 * @param of what brought it in, from where, when, and the definition that came with it.
 */
export function importedRow(
  run: ImportedRun,
  of: {
    readonly automationId: AutomationId;
    readonly definition: Definition;
    readonly source: ImportSource;
    readonly host: HostRef;
    readonly now: EpochMs;
  },
): SettledRun {
  const { automationId, definition, host, now, source } = of;
  const base = {
    id: importedRunId(automationId, run),
    schema: SCHEMA,
    automationId,
    automationName: definition.name,
    occurrence: manualOccurrence(automationId, derivedUuid(`${automationId} ${run.key}`) as CommandId),
    scheduledFor: run.startedAt,
    cause: run.cause,
    attempt: 1,
    claimedAt: run.startedAt,
    startedAt: run.startedAt,
    settledAt: run.settledAt,
    latenessMs: 0,
    host,
    fence: 0,
    revision: 0,
    definition,
    summary: SUMMARIES[run.status],
    imported: { from: source, at: now },
  };
  if (run.status !== 'failed') return { ...base, status: run.status };
  const message = run.message ?? 'It failed there, and the file does not say why.';
  return {
    ...base,
    status: 'failed',
    reason: 'action',
    failure: { class: 'action', code: 'imported', message },
  };
}
