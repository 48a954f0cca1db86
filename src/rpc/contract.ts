/**
 * All that crosses between a tab and a host: types and constants only. The calls of {@link HostApi} are the console API
 * `globalThis.rota`, documented in docs/console.md; names, shapes and results are stable.
 *
 * Calls say what, hints say that: a tab that hears a hint reads again, and one that missed it catches up on the next.
 * Refusals are values; only a lost host, a passed deadline or a bug rejects, with a `RemoteError` that has a `code`.
 */
import type {
  Automation,
  AutomationId,
  ClaimResult,
  CommandId,
  Definition,
  DefinitionInput,
  EpochMs,
  Gap,
  HostId,
  HostKind,
  HostRef,
  KeepRule,
  ModelEndpointInput,
  AskedServerInput,
  ModelAvailability,
  ModelList,
  Need,
  ToolList,
  NotificationAbout,
  Occurrence,
  PreviewInstant,
  Problem,
  QuietHours,
  RunId,
  RunOutput,
  StepStart,
  RunStatus,
  Schedule,
  SecretInfo,
  SecretsLock,
  Showing,
  TabId,
  TimelineLane,
} from '../domain/index.ts';

import type { BulkCalls } from './bulk-contract.ts';
import type { ImportCalls } from './import-contract.ts';
import type { Run, RunListCalls } from './run-list-contract.ts';
import type { StorageApi } from './storage.ts';

export type { PreviewInstant } from '../domain/index.ts';

/** Grows when {@link HostApi} changes so that an older tab could not use it. */
export const PROTOCOL = 1;

/** The BroadcastChannel that hints travel on. Constant for ever. */
export const CHANNEL = 'rota';

/** Part of a SharedWorker's identity: another build gets another worker. */
export const workerName = (build: string): string => `rota-${PROTOCOL}-${build}`;

/** Part of a SharedWorker's identity too, and one constant, because a mismatch is a dead port in Chromium. */
export const WORKER_EXTENDED_LIFETIME = true;

/** How long a call may take before it rejects with `deadline`. */
export const CALL_DEADLINE_MS = 10_000;
/** How long a host may take to answer `hello`. */
export const HELLO_DEADLINE_MS = 3_000;

/** How far a run has come that tells, such as a model's answer. Nothing of it is stored before the run ends. */
export interface RunProgress {
  /** What there is to read so far; its end, where it is longer than {@link PROGRESS_MOST}. */
  readonly text: string;
  /** The text begins before what is here. */
  readonly isCut: boolean;
  /** How many characters a model has thought before its answer. */
  readonly thought: number;
  /** Which of several steps runs, from 1; the rest is of that step. */
  readonly step?: number;
}

/** How much of a text is told while it grows, in characters. */
export const PROGRESS_MOST = 50_000;

/** That something changed: read again. Never what it is now, but for what is stored nowhere. */
export type Hint =
  | {
      readonly topic: 'automations' | 'runs' | 'settings' | 'notifications' | 'hosts';
      /** Which automations were written since the last hint of this host, for others that keep something of them. Absent: any. */
      readonly touched?: readonly AutomationId[];
    }
  /** What a run tells while it runs. Its host says it, which need not be the host that a tab asks. */
  | { readonly topic: 'progress'; readonly runId: RunId; readonly progress: RunProgress }
  /** A host asks the tabs that it serves for an executor. One of them takes the request, by its lock (`executorLock`). */
  | {
      readonly topic: 'executor';
      readonly hostId: HostId;
      readonly id: string;
      readonly what: ExecutorKind;
    }
  /** A host says who it is; one that has just started asks the others to do the same. */
  | {
      readonly topic: 'host';
      readonly host: HostRef;
      readonly builtAt: EpochMs;
      readonly startedAt: EpochMs;
      readonly asks: boolean;
    };

export type HintTopic = Hint['topic'];

/** Why a call rejected. */
export type RemoteErrorCode =
  /** The host's process died or it retired; what it was doing is recovered by the next host. */
  | 'host-lost'
  /** No answer within the deadline. */
  | 'deadline'
  /** The arguments are not of the call's form; `details` holds the problems. */
  | 'bad-call'
  /** The row was written by a newer version of Rota; this one only reads it. */
  | 'newer-data'
  /** The browser's storage failed; `message` has its words. */
  | 'storage'
  /** This host is on its way out; ask the next one. */
  | 'retired'
  /** Rota is wrong. */
  | 'internal';

/** What each call answers with, so that an error crosses as data with all its fields. */
export type Envelope<Value> =
  | { readonly ok: true; readonly hostId: HostId; readonly value: Value }
  | {
      readonly ok: false;
      readonly hostId: HostId;
      readonly code: RemoteErrorCode;
      readonly message: string;
      readonly details?: unknown;
    };

/** An automation with what the agenda and the ledger say of it now. */
export interface AutomationView extends Automation {
  /** When its next occurrence may be claimed; `null` when none is pending. */
  readonly nextDueAt: EpochMs | null;
  readonly active: readonly { readonly runId: RunId; readonly startedAt: EpochMs }[];
  /** What a due occurrence waits for, such as `network`. */
  readonly waitingFor?: WaitingFor;
  /** The name of the secret that it waits for. */
  readonly waitingForSecret?: string;
  /** All is paused until then, and `nextDueAt` lies before it: that occurrence does not run on time, or not at all. */
  readonly heldUntil?: EpochMs;
  /** `newer-data`: a newer version of Rota wrote it, and this one only shows it. */
  readonly readOnly?: 'newer-data';
}

/** What a due occurrence can wait for without being claimed. */
export type WaitingFor = Need | 'capacity' | 'previous-run';

/** A run with the definition it ran with and what it brought back. */
export interface RunDetail extends Run {
  readonly revision: number | null;
  readonly definition: Definition | null;
  readonly output: RunOutput | null;
  /** What it tells now; only while it runs, and only by the host that runs it. */
  readonly progress?: RunProgress;
}

export interface Version {
  readonly build: string;
  readonly protocol: number;
  readonly schema: number;
}

/** What the engine is doing now. */
export interface Status {
  readonly hostId: HostId;
  readonly kind: HostKind;
  readonly build: string;
  readonly startedAt: EpochMs;
  readonly now: EpochMs;
  readonly nextDueAt: EpochMs | null;
  readonly next: {
    readonly automationId: AutomationId;
    readonly automationName: string;
    readonly dueAt: EpochMs;
  } | null;
  readonly active: readonly Run[];
  readonly waiting: readonly {
    readonly occurrence: Occurrence;
    readonly automationId: AutomationId;
    readonly for: WaitingFor;
    /** The name of the secret that it waits for. */
    readonly secret?: string;
  }[];
  readonly hosts: readonly {
    readonly hostId: HostId;
    readonly kind: HostKind;
    readonly build: string;
    readonly self: boolean;
  }[];
  readonly tabs: number;
  /** Until when nothing runs by itself; `null` while all is as usual. */
  readonly pausedUntil: EpochMs | null;
  readonly online: boolean;
  /** The build of a newer host on this origin, when there is one: this one takes nothing on. */
  readonly newerBuild: string | null;
  /** Rows that could not be read and were set aside with their bytes. */
  readonly quarantined: number;
  /** Whether the engine is in trouble that a person should know of, in words. */
  readonly trouble: string | null;
}

export interface Settings {
  /** How many runs may be active at once, across all tabs, builds and hosts. */
  readonly maxConcurrent: number;
  /** When notifications are held back; `null`: never. */
  readonly quiet: QuietHours | null;
  /** How long history is kept, where an automation does not say otherwise. */
  readonly keep: KeepRule;
}

/** A notification as the list of notifications shows it. */
export interface NotificationView {
  readonly id: string;
  readonly at: EpochMs;
  readonly automationId: AutomationId;
  readonly automationName: string;
  readonly runId: RunId;
  readonly about: NotificationAbout;
  readonly title: string;
  readonly body: string;
  readonly read: boolean;
  readonly urgent: boolean;
  /** `waiting`: not shown yet. `quiet-hours`: held back until they end. All others are done with; see `ToldNotification`. */
  readonly state: 'waiting' | 'quiet-hours' | 'shown' | 'quiet' | 'connection' | 'read';
  /** It was shown as one with so many others. */
  readonly others: number;
  readonly shownAt: EpochMs | null;
}

export interface QuarantinedRow {
  readonly id: number;
  readonly store: string;
  readonly key: string;
  readonly at: EpochMs;
  readonly problems: readonly Problem[];
}

interface Invalid {
  readonly kind: 'invalid';
  readonly problems: readonly Problem[];
}

export type SaveResult =
  | { readonly kind: 'saved'; readonly automation: AutomationView }
  | { readonly kind: 'conflict'; readonly current: AutomationView }
  | { readonly kind: 'not-found' }
  | Invalid;

/** What became of *Run now*. Only `claimed` started a run by this command. */
export type RunNowResult =
  | { readonly kind: 'claimed'; readonly run: Run }
  | { readonly kind: 'already-active'; readonly runId: RunId; readonly queued: boolean }
  | { readonly kind: 'at-capacity' }
  /** It runs as soon as what it waits for is there. */
  | { readonly kind: 'waiting'; readonly for: WaitingFor; readonly secret?: string }
  /** Its last run is just starting or settling, or cannot be read: nothing was started, ask again. */
  | { readonly kind: 'busy' }
  /** It cannot go on from where it was asked to; `why` is a sentence. Nothing was started. */
  | { readonly kind: 'not-continued'; readonly why: string }
  | { readonly kind: 'not-found' };

export type CancelResult =
  | { readonly kind: 'cancelling' }
  | { readonly kind: 'too-late'; readonly run: Run }
  | { readonly kind: 'not-found' };

/** `not-open`: the run does not wait for an answer, or has one already. */
export type AnswerRunResult =
  | { readonly kind: 'answered'; readonly run: Run }
  | { readonly kind: 'not-open'; readonly run: Run }
  | { readonly kind: 'not-found' };

export type AutomationListView = 'all' | 'needs-you' | 'paused';

/** How the engine coordinates, as the host that answers sees it. Claims and recoveries are its own, newest first. */
export interface EngineReport {
  readonly now: EpochMs;
  readonly hosts: readonly {
    readonly hostId: HostId;
    readonly kind: HostKind;
    readonly build: string;
    readonly startedAt: EpochMs;
    readonly self: boolean;
  }[];
  readonly tabs: number;
  /** What is run now, and under which lease. */
  readonly leases: readonly {
    readonly automationId: AutomationId;
    readonly automationName: string;
    readonly runId: RunId;
    readonly lease: string;
    readonly hostId: HostId;
    readonly since: EpochMs;
    /** Past this its host counts as hung. */
    readonly deadline: EpochMs;
  }[];
  readonly claims: readonly {
    readonly at: EpochMs;
    readonly automationId: AutomationId;
    /** `null` when the automation is gone. */
    readonly automationName: string | null;
    readonly occurrence: Occurrence;
    readonly outcome: ClaimOutcome;
    readonly tookMs: number;
  }[];
  readonly recoveries: readonly {
    readonly at: EpochMs;
    readonly runId: RunId;
    readonly automationId: AutomationId;
    readonly automationName: string;
    readonly proof: 'lease-granted' | 'past-deadline';
  }[];
}

/** What a stretch of time held and will hold, automation by automation, sorted by name. */
export interface Timeline {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly now: EpochMs;
  readonly lanes: readonly (TimelineLane & {
    /** It was deleted; its history stays. */
    readonly isGone: boolean;
    /** What is still to come of it, oldest first. */
    readonly next: readonly EpochMs[];
    /** There are more than these. */
    readonly nextIsCut: boolean;
  })[];
  /** How many automations have no lane here because there are too many. */
  readonly lanesLeftOff: number;
  /** When nobody was there to run anything. */
  readonly gaps: readonly Gap[];
  /** Since when it is known who was there; `null` while it is not. */
  readonly knownFrom: EpochMs | null;
  /** There is more in this stretch than an answer holds: the newest of it is left out. */
  readonly isCut: boolean;
}

/** What the ledger holds. */
export interface StorageReport {
  /** How many rows each store has. */
  readonly stores: readonly { readonly store: string; readonly rows: number }[];
}

/** What a claim came to; see `ClaimResult` in domain/claim.ts. */
export type ClaimOutcome = ClaimResult['kind'];

/** Everything a tab can ask of a host. */
export interface HostApi extends BulkCalls<RunNowResult>, ImportCalls, RunListCalls, StorageApi {
  version(): Promise<Version>;
  status(): Promise<Status>;
  listAutomations(query?: {
    readonly view?: AutomationListView;
    readonly tag?: string;
    readonly text?: string;
    readonly limit?: number;
    readonly after?: AutomationId;
  }): Promise<{
    readonly items: readonly AutomationView[];
    readonly next?: AutomationId;
    /** How many there are in each view, of all automations. */
    readonly counts: Readonly<Record<AutomationListView, number>>;
  }>;
  /**
   * The ids of what {@link listAutomations} would list, in its order, and none of the rows: what a long list scrolls through.
   * `known` is the version of an answer that is still there; while it is right, `ids` is `null`. With other hosts alive,
   * what they have just written may be missing until their hint is heard.
   */
  orderAutomations(query?: {
    readonly view?: AutomationListView;
    readonly tag?: string;
    readonly text?: string;
    readonly known?: string;
  }): Promise<{
    readonly version: string;
    readonly ids: readonly AutomationId[] | null;
    /** How many there are in each view, of all automations. */
    readonly counts: Readonly<Record<AutomationListView, number>>;
    /** All tags, sorted. */
    readonly tags: readonly string[];
  }>;
  getAutomation(id: AutomationId): Promise<AutomationView | null>;
  /** Those of `ids` that are there, in that order; at most 1,000. */
  getAutomations(query: {
    readonly ids: readonly AutomationId[];
  }): Promise<{ readonly items: readonly AutomationView[] }>;
  /** Creates when `id` is absent or unknown, else changes; `expectedRevision` guards against overwriting an edit. */
  saveAutomation(request: {
    readonly commandId?: CommandId;
    readonly id?: AutomationId;
    readonly expectedRevision?: number;
    readonly automation: DefinitionInput;
  }): Promise<SaveResult>;
  setEnabled(request: {
    readonly commandId?: CommandId;
    readonly ids: readonly AutomationId[];
    readonly enabled: boolean;
    /** When a pause ends by itself; absent: when somebody says so. */
    readonly until?: EpochMs;
  }): Promise<{ readonly kind: 'done'; readonly ids: readonly AutomationId[] }>;
  /**
   * Lets nothing run by itself until `until`, on all hosts; `null` ends the pause now. What a person asks for runs all the
   * same. What was due meanwhile is not caught up, and each automation has one missed row that says so. The last instant
   * of 2199 is a pause until somebody ends it.
   */
  pauseAll(request: {
    readonly commandId?: CommandId;
    readonly until: EpochMs | null;
  }): Promise<{ readonly kind: 'done'; readonly pausedUntil: EpochMs | null }>;
  /** Removes the automation and what is pending of it; its history stays and a run in flight is cancelled. */
  removeAutomation(request: {
    readonly commandId?: CommandId;
    readonly id: AutomationId;
  }): Promise<{ readonly kind: 'done'; readonly id: AutomationId } | { readonly kind: 'not-found' }>;
  /** With `from`, the run takes what the steps before that one brought back from an earlier run, and does none of them. */
  runNow(request: {
    readonly commandId?: CommandId;
    readonly id: AutomationId;
    readonly from?: StepStart;
  }): Promise<RunNowResult>;
  cancelRun(request: { readonly commandId?: CommandId; readonly runId: RunId }): Promise<CancelResult>;
  /** Answers for a run that may have happened: it did, or it is to run again. Only a person can know. */
  answerRun(request: {
    readonly commandId?: CommandId;
    readonly runId: RunId;
    readonly answer: 'happened' | 'run-again';
  }): Promise<AnswerRunResult>;
  getRun(id: RunId): Promise<RunDetail | null>;
  /** What ran, what did not and what is to come between `from` and `until`, of all automations; at most 32 days. */
  timeline(request: { readonly from: EpochMs; readonly until: EpochMs }): Promise<Timeline>;
  /** How many rows of each status the ledger has between each of `bounds` and the next; at most 400 of them, ascending. */
  countRuns(request: { readonly bounds: readonly EpochMs[] }): Promise<{
    readonly items: readonly Readonly<Partial<Record<RunStatus, number>>>[];
  }>;
  /** The next `count` (10) instants strictly after `from` (now). Never more than 100, and from now on not more than its runs. */
  preview(request: {
    readonly schedule: Schedule;
    readonly from?: EpochMs;
    readonly count?: number;
  }): Promise<{ readonly kind: 'ok'; readonly at: readonly PreviewInstant[] } | Invalid>;
  /** Adds every automation of a version 1 file, or none. They start paused unless `enable`. */
  importFile(request: {
    readonly commandId?: CommandId;
    readonly text: string;
    readonly enable?: boolean;
  }): Promise<{ readonly kind: 'imported'; readonly ids: readonly AutomationId[] } | Invalid>;
  exportFile(query?: { readonly ids?: readonly AutomationId[] }): Promise<string>;
  /** All secrets without their values: those cannot be read again. `lock` says whether a passphrase keeps them from use. */
  listSecrets(): Promise<{ readonly items: readonly SecretInfo[]; readonly lock: SecretsLock }>;
  /** Stores a secret. Without `value` the stored one is kept, and only where it may be sent changes. */
  saveSecret(request: {
    readonly commandId?: CommandId;
    readonly name: string;
    readonly value?: string;
    readonly origins: readonly string[];
  }): Promise<
    { readonly kind: 'saved'; readonly secret: SecretInfo } | { readonly kind: 'locked' } | Invalid
  >;
  removeSecret(request: {
    readonly commandId?: CommandId;
    readonly name: string;
  }): Promise<{ readonly kind: 'done' } | { readonly kind: 'not-found' }>;
  /** Forgets all secrets and their passphrase: the only way on without a passphrase that is lost. */
  removeSecrets(request?: {
    readonly commandId?: CommandId;
  }): Promise<{ readonly kind: 'done'; readonly count: number }>;
  /**
   * Sets the passphrase `next`, changes it, or removes it (`null`). `current` is the one that is set, whether or not secrets
   * are unlocked. All are encrypted anew, and unlocked afterwards.
   */
  setPassphrase(request: {
    readonly commandId?: CommandId;
    readonly current?: string;
    readonly next: string | null;
  }): Promise<{ readonly kind: 'done' } | Invalid>;
  /** Unlocks the secrets for all tabs and hosts, until they are locked or none of them is left. Runs that wait begin. */
  unlockSecrets(request: {
    readonly passphrase: string;
  }): Promise<{ readonly kind: 'unlocked' | 'no-passphrase' } | Invalid>;
  lockSecrets(request?: {
    readonly commandId?: CommandId;
  }): Promise<{ readonly kind: 'locked' | 'no-passphrase' }>;
  getSettings(): Promise<Settings>;
  saveSettings(request: {
    readonly commandId?: CommandId;
    readonly settings: Partial<Settings>;
  }): Promise<{ readonly kind: 'saved'; readonly settings: Settings } | Invalid>;
  /** What was told, is told soon, or is held back, newest first (50), and how many of all were not read. */
  listNotifications(query?: {
    readonly limit?: number;
  }): Promise<{ readonly items: readonly NotificationView[]; readonly unread: number }>;
  /** Takes these, those of a run, or all as read; what was not shown yet is not shown any more. Doing so twice is harmless. */
  readNotifications(request?: {
    readonly ids?: readonly string[];
    readonly runId?: RunId;
  }): Promise<{ readonly kind: 'done'; readonly count: number }>;
  /** Who hosts, who holds which lease, and how the last claims were decided. */
  engine(): Promise<EngineReport>;
  /**
   * When nobody was there to run anything, between `from` and `until` (all that is known), oldest first. `knownFrom` is
   * when the trace begins, `null` while there is none.
   */
  listGaps(query?: {
    readonly from?: EpochMs;
    readonly until?: EpochMs;
  }): Promise<{ readonly items: readonly Gap[]; readonly knownFrom: EpochMs | null }>;
  /** How many rows each store holds; how many bytes that is, only the browser knows (`navigator.storage.estimate()`). */
  storage(): Promise<StorageReport>;
  listQuarantine(): Promise<{ readonly items: readonly QuarantinedRow[] }>;
  /** Asks an endpoint which models it has, as a prompt would ask it. The key goes to that address and nowhere else. */
  listModels(endpoint: ModelEndpointInput): Promise<ModelList | Invalid>;
  /** Asks a server of tools (MCP) which it has, and calls none. What its headers hold goes to that address and nowhere else. */
  listTools(server: AskedServerInput): Promise<ToolList | Invalid>;
  /** Retires this host and lets the tabs start another. What still runs after a moment is recovered as interrupted. */
  restartEngine(): Promise<{ readonly kind: 'restarting' }>;
}

/** What a tab lends: a worker in which scripts compute, or itself, to ask the model that its browser has. */
export type ExecutorKind = 'script' | 'model';

/**
 * An executor that a tab lends to its host, by the id with which the host asked for one. Both ports are handed over; they are
 * the platform's `MessagePort`, which this room does not know.
 */
export interface ExecutorOffer<Port = unknown> {
  readonly id: string;
  /** To the executor. */
  readonly port: Port;
  /** To the tab, which ends the executor on {@link EXECUTOR_END}. */
  readonly tab: Port;
}

/** What the host says to a tab whose worker it does not need any more. */
export const EXECUTOR_END = 'end';

/** `not-wanted`: it was asked for too long ago. The tab ends the worker. */
export type LendResult = { readonly kind: 'taken' } | { readonly kind: 'not-wanted' };

/** Calls that tabs make on their own and people do not. */
export interface InternalApi {
  /** First call of a connection. The host holds its life-long lock before it answers. */
  hello(request: {
    readonly tabId: TabId;
    readonly build: string;
    readonly protocol: number;
  }): Promise<{ readonly host: HostRef; readonly startedAt: EpochMs; readonly newerBuild: string | null }>;
  /** Notifications that only a window can show; asked for under the lock {@link NOTIFIER_LOCK}. */
  listShowings(): Promise<{ readonly items: readonly Showing[] }>;
  confirmNotification(request: { readonly id: string }): Promise<{ readonly kind: 'done' }>;
  /** Lends a worker that the host has asked for by a hint. */
  lendExecutor(offer: ExecutorOffer): Promise<LendResult>;
  /** Says whether this tab can ask the model of its browser; of all tabs one that can is enough. */
  reportModel(request: {
    readonly tabId: TabId;
    readonly availability: ModelAvailability;
  }): Promise<{ readonly kind: 'done' }>;
}

/** The lock under which one tab at a time shows pending notifications. */
export const NOTIFIER_LOCK = 'rota/notifier';

export type HostCalls = HostApi & InternalApi;
export type CallName = keyof HostCalls;

/** The calls as they cross: each answers with an envelope and takes at most one argument. */
export type WireApi = {
  readonly [Name in CallName]: (
    ...args: Parameters<HostCalls[Name]>
  ) => Promise<Envelope<Awaited<ReturnType<HostCalls[Name]>>>>;
};

/** Calls that change something. The tab gives each a `commandId` and repeats it with the same one after a lost host. */
export const COMMANDS = [
  'saveAutomation',
  'setEnabled',
  'changeAutomations',
  'undoChange',
  'runAutomations',
  'pauseAll',
  'removeAutomation',
  'runNow',
  'cancelRun',
  'answerRun',
  'importFile',
  'importEntries',
  'restore',
  'saveSettings',
  'saveSecret',
  'removeSecret',
  'removeSecrets',
  'setPassphrase',
  'lockSecrets',
] as const satisfies readonly CallName[];
export type CommandName = (typeof COMMANDS)[number];
