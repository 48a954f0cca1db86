/** What a tab asks of a host to show a long history. */
import type { AutomationId, RunId, RunLine, RunStatus } from '../domain/index.ts';
import type { Run } from './contract.ts';

/** Which runs are listed. */
export interface RunListFilter {
  readonly automationId?: AutomationId;
  /** Any of these; absent: all. */
  readonly status?: RunStatus | readonly RunStatus[];
}

/** A stretch of the history in lines. */
export interface RunLinePage {
  /** Newest first. Joined with those of the pages beside it by `joinLines`, they are the lines of the whole. */
  readonly lines: readonly RunLine<Run>[];
  /** Where to go on in the same direction; absent: there is nothing more. */
  readonly next?: RunId;
}

/** The calls of a long history. */
export interface RunListCalls {
  /** Newest first; `before` is the id of the last row of the page before. */
  listRuns(
    query?: RunListFilter & { readonly limit?: number; readonly before?: RunId },
  ): Promise<{ readonly items: readonly Run[]; readonly next?: RunId }>;
  /**
   * The next lines older than `before`, or else newer than `after`: a few dozen, or fewer after many rows were looked at, so
   * that no call takes long. With `fold`, runs that say nothing new are one line; in `fold.zone` no line reaches over
   * midnight.
   */
  listRunLines(
    query: RunListFilter & {
      readonly before?: RunId;
      readonly after?: RunId;
      readonly fold?: { readonly zone?: string };
    },
  ): Promise<RunLinePage>;
}
