import type { Automation } from './automation.ts';
import type { AutomationId, RunId } from './ids.ts';
import type { OutboxRow } from './notification.ts';
import type { AgendaKey, AgendaRow } from './occurrence.ts';
import type { RunOutput } from './output.ts';
import type { RunRow } from './run.ts';
import type { EpochMs } from './time.ts';

/** What a run brought back, kept apart from its row. */
export interface OutputRow {
  readonly id: RunId;
  readonly schema: number;
  readonly output: RunOutput;
}

/** What an automation remembers from run to run under a name of its action's choice. */
export interface ValueRow {
  readonly automationId: AutomationId;
  readonly key: string;
  readonly schema: number;
  /** When the run that wrote it settled. */
  readonly at: EpochMs;
  readonly value: unknown;
}

/** The key of a {@link ValueRow}. */
export type ValueKey = readonly [AutomationId, string];

/** One write of a decision. The store makes all of a decision's writes in the transaction that read its state, or none. */
export type Write =
  | { readonly op: 'put'; readonly store: 'automations'; readonly row: Automation }
  | { readonly op: 'delete'; readonly store: 'automations'; readonly key: AutomationId }
  | { readonly op: 'put'; readonly store: 'agenda'; readonly row: AgendaRow }
  | { readonly op: 'delete'; readonly store: 'agenda'; readonly key: AgendaKey }
  /** `add` fails the transaction when the ledger already has this occurrence and attempt: the second line of defence. */
  | { readonly op: 'add'; readonly store: 'runs'; readonly row: RunRow }
  | { readonly op: 'put'; readonly store: 'runs'; readonly row: RunRow }
  | { readonly op: 'put'; readonly store: 'outputs'; readonly row: OutputRow }
  | { readonly op: 'put'; readonly store: 'outbox'; readonly row: OutboxRow }
  | { readonly op: 'delete'; readonly store: 'outbox'; readonly key: string }
  | { readonly op: 'put'; readonly store: 'values'; readonly row: ValueRow }
  | { readonly op: 'delete'; readonly store: 'values'; readonly key: ValueKey };

/** What a pure decision answers: the result for the caller and all that is to be written. */
export interface Decision<Result> {
  readonly result: Result;
  readonly writes: readonly Write[];
}
