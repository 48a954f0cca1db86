/** What filling in a template is given, and gives back. */
import type { EpochMs, Failure } from '../domain/index.ts';
import type { RunFacts, StepFacts } from './action-context.ts';
import type { InstantStyle } from './format-instant.ts';
import type { RunSecrets } from './run-secrets.ts';

/** The values that a template may name. Times are epoch milliseconds unless a filter formats them. */
export interface TemplateValues {
  readonly automation: { readonly id: string; readonly name: string };
  readonly run: Readonly<Pick<RunFacts, 'id' | 'attempt' | 'scheduledFor' | 'cause' | 'occurrence'>>;
}

/** What filling templates needs besides their text. */
export interface TemplateScope {
  readonly values: TemplateValues;
  readonly now: () => EpochMs;
  /** The zone and language in which filters show times. */
  readonly style: InstantStyle;
  /** Absent: what is filled in stays here, and no secret may stand in it. */
  readonly secrets?: RunSecrets;
  /** Where the text is of one of several steps. */
  readonly step?: StepFacts;
}

/** A text with its templates filled in, or why that failed. */
export type Filled =
  | {
      readonly kind: 'filled';
      readonly text: string;
      /** `text` with the names of secrets in place of their values: what may be stored and shown. */
      readonly shown: string;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };
