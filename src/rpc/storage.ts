/** What a tab can ask of a host about what is stored: how much it is, what was forgotten, whether it fits together, copies. */
import type { AutomationId, Checked, CommandId, EpochMs, Problem, Swept } from '../domain/index.ts';

/** What each store takes, and what is known of the database as a whole. */
export interface UsageReport {
  readonly stores: readonly {
    readonly store: string;
    readonly rows: number;
    /** Reckoned from `measured` rows, as long as they are as text. What the browser takes for them, it does not say. */
    readonly bytes: number;
    readonly measured: number;
  }[];
}

/** How the ledger is kept. */
export interface UpkeepReport {
  /** Names this database for as long as it is there: another id is another database. */
  readonly ledger: string;
  readonly bornAt: EpochMs;
  /** What the last sweep forgot; `null`: there was none yet. */
  readonly swept: Swept | null;
  /** What the last check found; `null`: there was none yet. */
  readonly checked: Checked | null;
  /** This host forgets right now. */
  readonly sweeping: boolean;
  /** This host looks right now whether everything fits together. */
  readonly checking: boolean;
}

/** A backup as a file, and what it is of. */
export interface Backup {
  readonly text: string;
  readonly at: EpochMs;
  readonly automations: number;
}

/**
 * What an automation of a backup is here: the same; `changed` since, or before; `deleted` here after the backup was made; `new`
 * to this database; `bad`: it cannot come in.
 */
export type RestoreState = 'same' | 'changed' | 'deleted' | 'new' | 'bad';
/** Most choices of one restore, for all of them are made in one step. */
export const RESTORE_CHOICES_MOST = 1_000;

/** What a restore would do. */
export interface RestorePlan {
  readonly kind: 'plan';
  /** When the backup was made; `null`: it is a plain file of automations. */
  readonly at: EpochMs | null;
  /** It is of this very database, and not of another browser or of one that was lost. */
  readonly isOwn: boolean;
  readonly items: readonly {
    /** Its place in the file. */
    readonly index: number;
    /** Of one without an id, the one that it has each time that it is read; `null`: it is `bad`. */
    readonly id: AutomationId | null;
    readonly name: string;
    readonly state: RestoreState;
    /** The name that it has here, where it is here. */
    readonly nameHere?: string;
    /** Why it cannot come in. */
    readonly problems?: readonly Problem[];
  }[];
}

/** What came of a restore: all that was chosen and could be done, in one step, or nothing. */
export type RestoreResult =
  | {
      readonly kind: 'restored';
      readonly ids: readonly AutomationId[];
      readonly added: number;
      readonly replaced: number;
    }
  /** One was edited, removed or made again and again while it was looked at. Nothing was done. */
  | { readonly kind: 'changed'; readonly id: AutomationId }
  | Invalid;

/** What of it is to be done, by the place in the file; what is not named is left as it is here. */
export interface RestoreChoice {
  readonly index: number;
  /** `add` what is not here; `replace` what is here by what the file has. */
  readonly how: 'add' | 'replace';
}

type Invalid = { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** The calls about storage. */
export interface StorageApi {
  /** How much each store holds, reckoned; how much the browser takes for all, `navigator.storage.estimate()` says. */
  usage(): Promise<UsageReport>;
  upkeep(): Promise<UpkeepReport>;
  /** Cleans up: removes now what is past its limit, instead of in the next hours. It takes its time; {@link upkeep} says when it is done. */
  sweep(): Promise<{ readonly kind: 'started' | 'already-sweeping' }>;
  /**
   * Looks for rows that contradict each other, in all of history, and corrects what can be without guessing. It takes
   * its time; {@link upkeep} says what it found. */
  checkIntegrity(): Promise<{ readonly kind: 'started' | 'already-checking' }>;
  /** All automations as a version 1 file that knows which database it is of. No history, and no secrets. */
  backup(): Promise<Backup>;
  /** What a restore of `text` would find here. Changes nothing. */
  previewRestore(request: { readonly text: string }): Promise<RestorePlan | Invalid>;
  /**
   * Restores what is chosen, up to {@link RESTORE_CHOICES_MOST}, in one step, and what comes in or is replaced is paused
   * afterwards. Asking for what is there already changes nothing; asking again with the same command is answered as it was.
   * What runs after one that neither is here nor chosen is refused by its name.
   */
  restore(request: {
    readonly commandId?: CommandId;
    readonly text: string;
    readonly choices: readonly RestoreChoice[];
  }): Promise<RestoreResult>;
}
