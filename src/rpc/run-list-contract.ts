/** What a tab asks of a host to show a long history. */
import type {
  AutomationId,
  Cause,
  Covers,
  EpochMs,
  Failure,
  HostRef,
  ImportSource,
  Occurrence,
  RunId,
  RunLine,
  RunMatch,
  RunStatus,
  SettledReason,
} from '../domain/index.ts';

/** A row of the ledger as the screens and the console see it. Times in epoch ms; `null` where the row has no such thing. */
export interface Run {
  readonly id: RunId;
  readonly automationId: AutomationId;
  readonly automationName: string;
  readonly occurrence: Occurrence;
  readonly scheduledFor: EpochMs;
  readonly cause: Cause;
  readonly attempt: number;
  readonly status: RunStatus;
  readonly reason?: SettledReason;
  readonly covers?: Covers;
  readonly claimedAt: EpochMs;
  readonly startedAt: EpochMs | null;
  readonly settledAt: EpochMs | null;
  readonly latenessMs: number | null;
  readonly host: HostRef | null;
  readonly fence: number | null;
  readonly mayHaveHappened?: true;
  /** What a person said of a run that may have happened. */
  /** Its engine ended before anything happened, and its rule is to ask whether it is to run again. */
  readonly asks?: true;
  readonly answer?: { readonly said: 'happened' | 'run-again'; readonly at: EpochMs };
  readonly effect?: 'sending' | 'sent';
  readonly cancelling?: true;
  readonly retryAt?: EpochMs;
  readonly failure?: Failure;
  /** It ran somewhere else and came in with a file at `at`. */
  readonly imported?: { readonly from: ImportSource; readonly at: EpochMs };
  /** One short line: what came of it. */
  readonly summary?: string;
  /** The same in fewer words, where it is nothing new when it comes again; only in lists of runs. */
  readonly repeats?: string;
}

/** Most characters of what is looked for. */
export const SEARCH_MOST = 200;

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

/** A run in which something was found. */
export interface FoundRun {
  readonly run: Run;
  readonly match: RunMatch;
}

/** A stretch of a search. */
export interface RunSearchPage {
  readonly items: readonly FoundRun[];
  /** How many runs were looked through for this answer. */
  readonly looked: number;
  /** When the last of them was. */
  readonly to?: EpochMs;
  /** Where to go on; absent: all was looked through. */
  readonly next?: RunId;
  /** How many runs there are to look through at most, with those of before; only in the first answer. */
  readonly total?: number;
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
  /**
   * Looks for `text` in names, results, errors and what runs brought back, newest first, from the newest or what is older
   * than `before`, for a moment: then it answers with what it has found, and where to go on.
   */
  searchRuns(
    query: RunListFilter & { readonly text: string; readonly before?: RunId },
  ): Promise<RunSearchPage>;
}
