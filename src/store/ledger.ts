import type {
  AgendaRow,
  Answer,
  AnswerResult,
  Automation,
  AutomationId,
  BulkChange,
  BulkResult,
  BulkUndoResult,
  CancelDecision,
  CancelledBy,
  ClaimRequest,
  ClaimResult,
  CommandId,
  Definition,
  EpochMs,
  HostId,
  ImportStepsResult,
  KeepRule,
  KeyMessage,
  OpenSecret,
  OutboxRow,
  OutputRow,
  Pause,
  Presence,
  Problem,
  QuietHours,
  RecoverRequest,
  RecoverResult,
  RunId,
  RunRow,
  RunStatus,
  SaveDecision,
  SecretInfo,
  SecretInput,
  SecretLack,
  SecretsLock,
  SettledRun,
  SettleRequest,
  SettleResult,
  Told,
  WaitingNotification,
  Spending,
} from '../domain/index.ts';
import type { LedgerUpkeep } from './upkeep-ledger.ts';
import type { QuarantineRow } from './schema.ts';

/** One step of an import: an automation that comes in, one that is replaced, or only history of one that is here. */
export type LedgerImportStep = { readonly id: AutomationId; readonly rows: readonly SettledRun[] } & (
  | { readonly kind: 'add'; readonly definition: Definition }
  | { readonly kind: 'replace'; readonly definition: Definition; readonly expectedRevision: number }
  | { readonly kind: 'history' }
);

/**
 * What became of storing a secret. `no-value`: it is new, and nothing was given to store. `no-key`: this browser cannot keep
 * a key that nobody can read, so there must be a passphrase first.
 */
export type SecretSaved =
  | { readonly kind: 'saved'; readonly secret: SecretInfo }
  | { readonly kind: 'no-value' }
  | { readonly kind: 'locked' }
  | { readonly kind: 'no-key' };

/** What became of another passphrase. */
export interface SecretsChange {
  readonly kind: 'done' | 'wrong-passphrase' | 'no-key';
}

/** How a ledger shares the unlocked key of the secrets with others on this machine, in memory alone. */
export interface SecretKeys {
  /** Joins them: calls `hear` with what others say, and answers with how to say something. What cannot be sent is not. */
  readonly connect: (
    hear: (message: KeyMessage<CryptoKey>) => void,
  ) => (message: KeyMessage<CryptoKey>) => void;
  /** Called when the secrets can be used from now on, whoever has unlocked them. */
  readonly onUnlocked: () => void;
}

/** A changing call by a person: its id, and what gives it time and ids. */
export interface Command {
  readonly commandId: CommandId;
  readonly now: EpochMs;
  readonly newId: () => RunId;
}

/** An automation as stored; `readOnly` when a newer version of Rota wrote it. */
export interface StoredAutomation {
  readonly automation: Automation;
  readonly readOnly?: 'newer-data';
}

export interface RunQuery {
  readonly automationId?: AutomationId;
  /** Any of these; absent: all. */
  readonly statuses?: readonly RunStatus[];
  /** At most so many rows. */
  readonly limit: number;
  /** Only rows older than this one. */
  readonly before?: RunId;
  /** Only rows newer than this one: those next to it, and not the newest of all. Not together with `before`. */
  readonly after?: RunId;
}

export interface LedgerSettings {
  readonly maxConcurrent: number;
  /** Pauses of everything, newest last; absent: there were none. */
  readonly pauses?: readonly Pause[];
  /** Absent: there are none. */
  readonly quiet?: QuietHours;
  /** How long history is kept; absent: nobody chose. */
  readonly keep?: KeepRule;
}

/** Settings to change; what is absent stays. `quiet: null` ends quiet hours for good. */
export interface SettingsChange {
  readonly maxConcurrent?: number;
  readonly quiet?: QuietHours | null;
  readonly keep?: KeepRule;
}

/** What the telling of notifications needs to know of the world. */
export interface TellingRequest {
  readonly now: EpochMs;
  readonly zone: string;
  readonly online: boolean;
  /** Whether whoever asks can show them: only then it is written down what belongs together. */
  readonly seal: boolean;
}

/** Which notifications the person has read: these, those of a run, or all. */
export interface ReadRequest {
  readonly now: EpochMs;
  readonly ids?: readonly string[];
  readonly runId?: RunId;
}

/**
 * What a host asks of storage. Every method that changes something is one transaction: when its promise resolves, it
 * is durable; when it rejects, nothing was written. Many hosts use the same ledger at once, each through its own
 * instance, and none of them may assume otherwise. ledger.conformance.testing.ts is what any implementation must pass.
 */
export interface Ledger {
  /** Turns an occurrence into a run, or says why not. The only way in which a run is created. */
  tryClaim(request: ClaimRequest): Promise<ClaimResult>;
  /** Records how a run ended, with its retry, its output and what it asks to be shown. */
  settle(request: SettleRequest): Promise<SettleResult>;
  /** Ends the run of a host that died or hung. */
  recover(request: RecoverRequest): Promise<RecoverResult>;
  /** Marks an effect that must not be repeated, before it leaves and when it has arrived, and what a prompt may use. */
  markEffect(request: {
    readonly runId: RunId;
    readonly hostId: HostId;
    readonly fence: number;
    readonly effect?: 'sending' | 'sent';
    /** Which of several steps it is of, from 1. */
    readonly step?: number;
    /** What counts as used if nobody can say what was. */
    readonly mayUse?: Spending;
  }): Promise<{ readonly kind: 'marked' } | { readonly kind: 'lease-lost' }>;
  /** Asks for the end of an active run. */
  requestCancel(
    command: Command & { readonly runId: RunId; readonly by: CancelledBy },
  ): Promise<CancelDecision>;

  /** Records what a person says of a run that may have happened; `run-again` makes its next attempt due. */
  answer(command: Command & { readonly runId: RunId; readonly answer: Answer }): Promise<AnswerResult>;

  /** The agenda row that is due first, or `null` with an empty agenda. */
  nextAgendaRow(): Promise<AgendaRow | null>;
  /** When the first row falls due that is not due at `now`; `null` when there is none. */
  nextDueAfter(now: EpochMs): Promise<EpochMs | null>;
  /** Agenda rows that are due, oldest first. */
  listDue(now: EpochMs, limit: number): Promise<readonly AgendaRow[]>;
  /** All pending rows of the automation. */
  listAgenda(automationId: AutomationId): Promise<readonly AgendaRow[]>;
  /** Gives each enabled automation without a scheduled agenda row the row of its next instant; says how many. */
  repairAgenda(now: EpochMs): Promise<number>;

  save(
    command: Command & {
      readonly id: AutomationId;
      readonly definition: Definition;
      readonly expectedRevision?: number;
    },
  ): Promise<SaveDecision>;
  setEnabled(
    command: Command & {
      readonly ids: readonly AutomationId[];
      readonly enabled: boolean;
      /** When a pause ends by itself; absent: when a person says so. */
      readonly until?: EpochMs;
    },
  ): Promise<{ readonly kind: 'done'; readonly ids: readonly AutomationId[] }>;
  remove(
    command: Command & { readonly id: AutomationId },
  ): Promise<{ readonly kind: 'done'; readonly id: AutomationId } | { readonly kind: 'not-found' }>;
  /** Does `change` to those of `ids` to which it can be done, all in one step; the others are named. */
  changeMany(
    command: Command & { readonly ids: readonly AutomationId[]; readonly change: BulkChange },
  ): Promise<BulkResult>;
  /** Undoes what the command `of` of {@link changeMany} did, where nobody has changed it since; the others are named. */
  undoChange(command: Command & { readonly of: CommandId }): Promise<BulkUndoResult>;
  /** Adds all of these or none. One whose id is there already comes in under the id that `freshId` gives. */
  importAll(
    command: Command & {
      readonly automations: readonly { readonly id: AutomationId; readonly definition: Definition }[];
      readonly freshId: () => AutomationId;
    },
  ): Promise<
    | { readonly kind: 'imported'; readonly ids: readonly AutomationId[] }
    | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
  >;
  /**
   * Takes all of these steps, in their order, or none. What is added or replaced is paused afterwards, whatever it was.
   * History comes in once: rows whose ids are there stay as they are.
   */
  importSteps(command: Command & { readonly steps: readonly LedgerImportStep[] }): Promise<ImportStepsResult>;
  /** Which of `ids` the ledger has no row of. */
  missingRuns(ids: readonly RunId[]): Promise<readonly RunId[]>;
  /** `null` when it is not there. Rejects with `NewerData` only where it would have to be rewritten. */
  findAutomation(id: AutomationId): Promise<StoredAutomation | null>;
  /** All automations, sorted by name. */
  listAutomations(): Promise<readonly StoredAutomation[]>;
  /** Those of `ids` that are there, in one moment, in the order of `ids`. */
  findAutomations(ids: readonly AutomationId[]): Promise<readonly StoredAutomation[]>;
  /**
   * The next `limit` automations by id, after the one named; `next` is where to go on, `null` after the last. So that a few
   * thousand can be read without keeping anybody waiting.
   */
  scanAutomations(
    after: AutomationId | null,
    limit: number,
  ): Promise<{ readonly items: readonly StoredAutomation[]; readonly next: AutomationId | null }>;
  /** When the next pending row of each of `ids` is due; those without one are left out. */
  listNextDue(ids: readonly AutomationId[]): Promise<ReadonlyMap<AutomationId, EpochMs>>;
  /**
   * Has `listener` (one at a time) called with each automation that this instance has written or removed, once that is
   * durable. What other instances write, it does not hear.
   */
  onAutomationWritten(listener: (id: AutomationId) => void): void;

  /** Rows that a host holds a lease for, or died holding. */
  listActive(): Promise<readonly Extract<RunRow, { status: 'running' }>[]>;
  /** Newest first. */
  listRuns(query: RunQuery): Promise<readonly RunRow[]>;
  /**
   * Shows `look` the rows that `query` names, newest first, each with what it brought back, and answers with what it made
   * of them; `null` is left out. `last` is the last row that it
   * was shown, `null` when there was none.
   */
  scanRuns<Found>(
    query: RunQuery,
    look: (run: RunRow, output: OutputRow | null) => Found | null,
  ): Promise<{ readonly found: readonly Found[]; readonly looked: number; readonly last: RunRow | null }>;
  /** How many rows there are of an automation, readable or not. */
  countRunsOf(automationId: AutomationId): Promise<number>;
  /** Oldest first: rows written from `from` until just before `until`; with `status`, of that one alone. */
  listRunsBetween(query: {
    readonly from: EpochMs;
    readonly until: EpochMs;
    readonly status?: RunStatus;
    /** At most so many rows. */
    readonly limit: number;
  }): Promise<readonly RunRow[]>;
  /** How many rows of each status were written between each of `bounds` and the next, broken ones too. `bounds` ascend. */
  countRuns(bounds: readonly EpochMs[]): Promise<readonly Readonly<Partial<Record<RunStatus, number>>>[]>;
  findRun(id: RunId): Promise<{ readonly run: RunRow; readonly output: OutputRow | null } | null>;

  /** What the automation remembers under `key`, as its newest settled run wrote it; `undefined`: nothing. */
  recall(automationId: AutomationId, key: string): Promise<unknown>;

  /** Notifications that are not shown yet, the first due first. */
  listOutbox(limit: number): Promise<readonly WaitingNotification[]>;
  /** What is to be shown now, and with `seal` written down as what is shown together, so that all answers are the same. */
  listShowings(request: TellingRequest): Promise<Told>;
  /** Records that what {@link listShowings} named `id` was shown; says whether that was news. */
  markShown(id: string, now: EpochMs): Promise<boolean>;
  /** Notifications of all times, newest first, and how many of all were not read. */
  listNotifications(limit: number): Promise<{ readonly rows: readonly OutboxRow[]; readonly unread: number }>;
  /** Records that the person has read them; says how many. Those that were not shown yet are not shown any more. */
  markRead(request: ReadRequest): Promise<number>;

  /** All secrets without their values, and whether they can be used by this host. */
  listSecrets(): Promise<{ readonly items: readonly SecretInfo[]; readonly lock: SecretsLock }>;
  saveSecret(command: Command & { readonly secret: SecretInput }): Promise<SecretSaved>;
  removeSecret(
    command: Command & { readonly name: string },
  ): Promise<{ readonly kind: 'done' } | { readonly kind: 'not-found' }>;
  /** With its value, for the run that sends it; `null`: there is none of that name. Rejects when it cannot be decrypted, with `SecretsLocked` when they are locked. */
  openSecret(name: string): Promise<OpenSecret | null>;

  /** What keeps those that name `names` waiting; `null`: nothing. */
  lackingSecret(names: readonly string[]): Promise<SecretLack | null>;
  /** Forgets all secrets and the passphrase. */
  removeSecrets(command: Command): Promise<{ readonly kind: 'done'; readonly count: number }>;
  unlockSecrets(passphrase: string): Promise<'unlocked' | 'wrong-passphrase' | 'no-passphrase'>;
  lockSecrets(command: Command): Promise<'locked' | 'no-passphrase'>;
  /** Sets, changes or removes (`next` is `null`) the passphrase; `current` is the one that is set. */
  setPassphrase(
    command: Command & { readonly current?: string; readonly next: string | null },
  ): Promise<SecretsChange>;

  getSettings(): Promise<LedgerSettings>;
  saveSettings(command: Command & { readonly settings: SettingsChange }): Promise<LedgerSettings>;
  /** When hosts were there, as far as is known. */
  getPresence(): Promise<Presence>;
  /** Adds to it that `hosts` are there at `now`, and answers with all of it. */
  extendPresence(now: EpochMs, hosts: readonly HostId[]): Promise<Presence>;
  /** How many rows each store holds, readable or not. */
  countRows(): Promise<readonly { readonly store: string; readonly rows: number }[]>;
  /** Lets nothing run by itself until `until`, on all hosts; `null` ends the pause now. */
  pauseAll(command: Command & { readonly until: EpochMs | null }): Promise<LedgerSettings>;
  /** Rows that could not be read, newest first, without their bytes. */
  listQuarantine(limit: number): Promise<readonly Omit<QuarantineRow, 'value'>[]>;
  /** Forgets answers to commands that are older than `before`; at most `limit` in one transaction. */
  forgetCommands(before: EpochMs, limit: number): Promise<number>;

  /** What is done now and then besides: forgetting, measuring, checking. Loaded when it is first asked for. */
  upkeep(): Promise<LedgerUpkeep>;

  /** Lets the storage go. No call may follow. */
  close(): void;
}
