/**
 * The life of a run, as a state machine (protocol, section 3):
 *
 *     occurrence --claim--> running --settle--> succeeded | failed | timed-out | cancelled
 *         |                    +----recover---> interrupted | timed-out
 *         +--> missed | skipped
 *
 * Only these edges exist. A terminal row never changes again, except that a person may answer whether an interrupted
 * run's effect happened.
 */
import type { StepEffect, StepStart } from './steps.ts';
import type { Definition } from './definition.ts';
import type { AutomationId, HostId, RunId } from './ids.ts';
import type { ImportSource } from './import-entry.ts';
import type { LeaseName } from './lease.ts';
import type { Cause, Occurrence } from './occurrence.ts';
import type { DurationMs, EpochMs } from './time.ts';
import type { Spending } from './spent.ts';

/** Why an occurrence got no run: nobody was there, or could have run it, in time. */
export type MissedReason = 'closed' | 'asleep' | 'offline' | 'paused' | 'edited' | 'too-old' | 'waiting';
/** Why an occurrence got no run although a host was ready: another run was active, or a limit was reached. */
export type SkippedReason = 'overlap' | 'limit';
export type SettledReason = MissedReason | SkippedReason | FailureClass | CancelledBy;

/** What ended a cancelled run: a person, or the overlap rule `replace`. */
export type CancelledBy = 'person' | 'replaced';

/** What kind of failure it was; retry rules look at it. */
export type FailureClass = 'action' | 'network' | 'denied' | 'invalid' | 'storage' | 'limit';

/** Why a run failed, in words for a person and a code for programs. */
export interface Failure {
  readonly class: FailureClass;
  /** Stable and kebab-case, such as `unexpected-status` or `blocked-by-cors`. */
  readonly code: string;
  /** One sentence: what happened. */
  readonly message: string;
  /** One sentence: what to do about it. */
  readonly advice?: string;
  /** How long a server asked to be left alone (`Retry-After`); no attempt is made sooner. */
  readonly retryAfterMs?: DurationMs;
  /** The step that failed, from 1; only of a run of several. */
  readonly step?: number;
}

export type HostKind = 'shared-worker' | 'tab-worker' | 'service-worker';

/** One scheduler instance, as runs and screens name it. */
export interface HostRef {
  readonly id: HostId;
  readonly kind: HostKind;
  readonly build: string;
}

export const RUN_STATUSES = [
  'running',
  'succeeded',
  'failed',
  'timed-out',
  'cancelled',
  'interrupted',
  'missed',
  'skipped',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

interface RowBase {
  readonly id: RunId;
  readonly schema: number;
  readonly automationId: AutomationId;
  /** The name when the row was written, so that history reads right after a rename or a removal. */
  readonly automationName: string;
  readonly occurrence: Occurrence;
  readonly scheduledFor: EpochMs;
  readonly cause: Cause;
  readonly attempt: number;
  /** When the transaction decided that made the row. */
  readonly claimedAt: EpochMs;
}

interface ClaimedBase extends RowBase {
  readonly startedAt: EpochMs;
  /** How long after it was due it was claimed. */
  readonly latenessMs: DurationMs;
  readonly host: HostRef;
  readonly fence: number;
  /** The automation's revision and definition at the claim. The runner uses nothing else. */
  readonly revision: number;
  readonly definition: Definition;
  /** How far a not repeatable effect got: marked before it leaves the browser, and when it is known to have arrived. */
  readonly effect?: 'sending' | 'sent';
  /** The same for each of several steps, in the order in which they were last marked. */
  readonly effectSteps?: readonly StepEffect[];
  /** It continues an earlier run. */
  readonly from?: StepStart;
}

/** A run that a host holds a lease for. */
export interface ActiveRun extends ClaimedBase {
  readonly status: 'running';
  /** Always 1; only active runs have the field, so that its index holds them alone. */
  readonly active: 1;
  readonly lease: LeaseName;
  /** Past this its host is hung or frozen: timeout + {@link LEASE_GRACE_MS}. */
  readonly leaseDeadline: EpochMs;
  readonly cancelRequested?: { readonly at: EpochMs; readonly by: CancelledBy };
  /** The most that its prompts may have used, should nobody be there to say what they did. */
  readonly mayUse?: Spending;
}

interface SettledBase extends ClaimedBase {
  readonly settledAt: EpochMs;
  /** One short line: what came of it. */
  readonly summary: string;
  /** When the next attempt is due, if there is one. */
  readonly retryAt?: EpochMs;
  /** It ran somewhere else, and came in with a file at `at`: `host` is who brought it in, not who ran it. */
  readonly imported?: { readonly from: ImportSource; readonly at: EpochMs };
}

/** A run that ended. */
export type SettledRun = SettledBase &
  (
    | { readonly status: 'succeeded' }
    | { readonly status: 'failed'; readonly reason: FailureClass; readonly failure: Failure }
    | { readonly status: 'timed-out' }
    | { readonly status: 'cancelled'; readonly reason: CancelledBy }
    | {
        readonly status: 'interrupted';
        readonly mayHaveHappened?: true;
        /** Nothing happened, and its rule is to ask a person whether it is to run again. */
        readonly asks?: true;
        /** What a person said of it; nothing changes after that. */
        readonly answer?: { readonly said: 'happened' | 'run-again'; readonly at: EpochMs };
      }
  );

/** The scheduled instants that a row stands for, both ends included. */
export interface Covers {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly count: number;
}

/** What was due and got no run. `occurrence` and `scheduledFor` are those of the newest instant covered. */
export type UnrunRow = RowBase & { readonly settledAt: EpochMs; readonly covers: Covers } & (
    | { readonly status: 'missed'; readonly reason: MissedReason }
    | { readonly status: 'skipped'; readonly reason: SkippedReason }
  );

/** A row of the ledger. */
export type RunRow = ActiveRun | SettledRun | UnrunRow;

/** How much longer than its timeout a run may hold its lease before its host counts as hung. */
export const LEASE_GRACE_MS: DurationMs = 60_000;

/** Whether a host holds, or died holding, the lease of `row`. */
export function isActive(row: RunRow): row is ActiveRun {
  return row.status === 'running';
}

const EDGES: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  running: ['succeeded', 'failed', 'timed-out', 'cancelled', 'interrupted'],
  succeeded: [],
  failed: [],
  'timed-out': [],
  cancelled: [],
  interrupted: [],
  missed: [],
  skipped: [],
};

/** Whether a row may go from `from` to `to`. Anything else is an `illegal-transition` and writes nothing. */
export function mayBecome(from: RunStatus, to: RunStatus): boolean {
  return EDGES[from].includes(to);
}
