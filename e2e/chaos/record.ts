/**
 * What is known of a stretch of Rota's life, for the history checker: the ledger as it was exported at the end, what the
 * receiving server saw, what tabs asked for and were told, and what died when. Plain data, as JSON carries it: nothing of
 * the app's own code or types is in it, so that a fault of the app cannot hide in the checker too.
 *
 * All times are epoch milliseconds. Those in rows of the ledger are of the hosts' clock, all others of the machine's. The
 * two are the same but for the {@link Jump}s of the hosts' clock; where there are any, the last twelve digits of each id in
 * the ledger are the machine's time when it was made.
 */

export type EpochMs = number;
type DurationMs = number;

export type Schedule =
  | { readonly kind: 'manual' }
  | { readonly kind: 'once'; readonly at: EpochMs }
  | { readonly kind: 'every'; readonly everyMs: DurationMs; readonly anchor: EpochMs }
  | { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string };

/** What a person wrote, or what a run took along of it; what was left out has its default. */
export interface Definition {
  readonly name: string;
  readonly enabled?: boolean;
  readonly tags?: readonly string[];
  readonly schedule: Schedule;
  readonly action: {
    readonly kind: string;
    readonly method?: string;
    readonly url?: string;
    readonly idempotencyKey?: boolean;
    readonly repeatable?: boolean;
  };
  readonly rules?: {
    readonly missed?: { readonly kind: string; readonly limit?: number; readonly maxAgeMs?: DurationMs };
    readonly overlap?: { readonly kind: string; readonly limit?: number };
    readonly timeoutMs?: DurationMs;
    readonly retry?: {
      readonly attempts: number;
      readonly firstDelayMs: DurationMs;
      readonly factor: number;
    };
    readonly autoPause?: { readonly kind: string; readonly failures?: number };
  };
}

/** A row of the ledger as stored; which fields it must have follows from its status (see rows.ts). */
export interface RunRow {
  readonly id: string;
  readonly automationId: string;
  readonly occurrence: string;
  readonly scheduledFor: EpochMs;
  readonly cause: string;
  readonly attempt: number;
  readonly status: string;
  readonly claimedAt: EpochMs;
  readonly startedAt?: EpochMs;
  readonly settledAt?: EpochMs;
  readonly host?: { readonly id: string; readonly kind: string; readonly build: string };
  readonly fence?: number;
  readonly revision?: number;
  readonly definition?: Definition;
  readonly effect?: string;
  readonly mayHaveHappened?: boolean;
  readonly answer?: { readonly said: string; readonly at: EpochMs };
  readonly reason?: string;
  readonly retryAt?: EpochMs;
  readonly covers?: { readonly from: EpochMs; readonly to: EpochMs; readonly count: number };
  readonly lease?: string;
}

export interface AutomationRow extends Definition {
  readonly id: string;
  readonly revision: number;
  readonly fence: number;
  readonly pausedFrom?: EpochMs;
}

export interface AgendaRow {
  readonly key: string;
  readonly occurrence: string;
  readonly automationId: string;
  readonly scheduledFor: EpochMs;
  readonly dueAt: EpochMs;
  readonly attempt: number;
  readonly cause: string;
}

/** The answer to a changing call as Rota keeps it: that it is there proves that the call was carried out, and when. */
export interface CommandRow {
  readonly id: string;
  readonly at: EpochMs;
}

/** The stores of the database `rota`, read in one transaction. */
export interface LedgerExport {
  /** Just before that transaction began, by the machine's clock. */
  readonly at: EpochMs;
  readonly automations: readonly AutomationRow[];
  readonly agenda: readonly AgendaRow[];
  readonly runs: readonly RunRow[];
  readonly commands: readonly CommandRow[];
  readonly settings: readonly { readonly name: string; readonly maxConcurrent?: number }[];
  /** How many rows Rota could not read and has set aside. */
  readonly quarantined: number;
}

/** One request as the receiving server saw it. What names the run comes from the request's address, by templates. */
export interface Hit {
  readonly runId: string;
  readonly automationId: string;
  readonly occurrence: string;
  readonly attempt: number;
  readonly startedAt: EpochMs;
  /** Just before the answer was sent: the sender cannot have had it sooner. `null` when it went away before. */
  readonly answeredAt: EpochMs | null;
  /** When the exchange was over at the server; `null` when it was still open at the end. */
  readonly closedAt: EpochMs | null;
}

interface OperationBase {
  readonly commandId: string;
  readonly sentAt: EpochMs;
  /** When a tab had the answer; `null` when it died, or gave up, before. */
  readonly answeredAt: EpochMs | null;
}

/** What a tab asked for, and what it was told; `answer` is `null` exactly where `answeredAt` is. */
export type Operation = OperationBase &
  (
    | {
        readonly kind: 'import';
        readonly automations: readonly { readonly id: string; readonly definition: Definition }[];
        readonly answer: { readonly kind: string; readonly ids?: readonly string[] } | null;
      }
    | {
        readonly kind: 'save';
        readonly automationId: string;
        readonly definition: Definition;
        readonly answer: { readonly kind: string; readonly revision?: number } | null;
      }
    | {
        readonly kind: 'set-enabled';
        readonly automationIds: readonly string[];
        readonly enabled: boolean;
        readonly answer: { readonly kind: string } | null;
      }
    | {
        readonly kind: 'remove';
        readonly automationId: string;
        readonly answer: { readonly kind: string } | null;
      }
    | {
        readonly kind: 'run-now';
        readonly automationId: string;
        readonly answer: {
          readonly kind: string;
          /** Of `claimed`. */
          readonly run?: { readonly id: string; readonly fence: number };
          /** Of `already-active`. */
          readonly queued?: boolean;
        } | null;
      }
    | {
        readonly kind: 'answer';
        readonly runId: string;
        readonly said: 'happened' | 'run-again';
        readonly answer: { readonly kind: string } | null;
      }
    | {
        readonly kind: 'save-settings';
        readonly maxConcurrent: number;
        readonly answer: { readonly kind: string } | null;
      }
  );

/** A row of the ledger as it was read at an earlier moment, without the definition that it ran with. */
export interface Sighting {
  readonly at: EpochMs;
  readonly row: Omit<RunRow, 'definition'>;
}

/** One host's life, as its life-long lock and its own word tell it. */
export interface HostLife {
  readonly id: string;
  readonly build: string;
  readonly startedAt: EpochMs;
  /** The last time that its life-long lock was seen held. */
  readonly lastSeenAt: EpochMs;
  /** When it was asked to retire, if it was: from then on it takes nothing on, and recovers nothing. */
  readonly retiredAt: EpochMs | null;
}

/** A death that was brought about. */
export interface Kill {
  /** What was killed: a tab with the worker in it, the process around a host, or the whole browser. */
  readonly what: 'tab' | 'process' | 'browser';
  /** Just before the deed. */
  readonly at: EpochMs;
  /** When it had certainly taken effect. */
  readonly doneBy: EpochMs;
  /** The hosts that died of it. A tab without a host in its process dies alone. */
  readonly hosts: readonly string[];
}

/** The hosts' clock was set. */
export interface Jump {
  /** Just before the first host can have heard of it. */
  readonly at: EpochMs;
  /** When all of them had. */
  readonly doneBy: EpochMs;
  /** How far the hosts' clock is ahead of the machine's from then on. */
  readonly aheadMs: DurationMs;
}

/** A stretch of time. */
export interface Span {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** A stretch in which the machine did `pace` times as much as it can, from 0 to 1, as was measured beside Rota. */
export interface Slow extends Span {
  readonly pace: number;
}

/** All of it but what the server saw, which is a file of its own. */
export interface AppRecord {
  /** The browser engine that Rota ran in. */
  readonly engine: string;
  /** How many tabs of it were kept open. */
  readonly tabs: number;
  /** What was never done to it, by name, because the engine has no means for it. */
  readonly leftOut: readonly string[];
  readonly ledger: LedgerExport;
  readonly operations: readonly Operation[];
  readonly sightings: readonly Sighting[];
  readonly hosts: readonly HostLife[];
  readonly kills: readonly Kill[];
  /** In their order. */
  readonly jumps: readonly Jump[];
  /** When nothing could be stored, because the quota was full. */
  readonly fullSpans: readonly Span[];
  /** When the machine was slow. Stretches may overlap: each is one way to have measured it. */
  readonly slow: readonly Slow[];
  /** Whether the engine takes a request back that its run gave up, or leaves it with the server until it is answered. */
  readonly takesRequestsBack: boolean;
  /** The limit of active runs while nobody has chosen one. */
  readonly maxConcurrentAtFirst: number;
  /** Where the receiving server is, such as `http://127.0.0.1:4000`; runs that call others have no effect to look for. */
  readonly server: string;
}

export interface History extends AppRecord {
  readonly hits: readonly Hit[];
}

export type Invariant = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** One counterexample, in a sentence with ids and times. */
export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}
