import type { DBSchema } from 'idb';
import type {
  AgendaKey,
  AgendaRow,
  Automation,
  AutomationId,
  Checked,
  CommandId,
  EpochMs,
  KeepRule,
  Occurrence,
  OutboxRow,
  OutputRow,
  Pause,
  Presence,
  Problem,
  QuietHours,
  RunId,
  RunRow,
  RunStatus,
  Seen,
  Swept,
  ValueRow,
} from '../domain/index.ts';

/** The database's name. Constant for ever: it never contains a version or a build. */
export const DATABASE = 'rota';

/** The IndexedDB version: which stores and indexes exist. Rows carry their own `schema` number besides. */
export const DATABASE_VERSION = 1;

/** The answer to a changing call, kept so that a repeat of the call is answered and not done again. */
export interface CommandRow {
  readonly id: CommandId;
  readonly schema: number;
  readonly at: EpochMs;
  readonly result: unknown;
}

/** A row that could not be read, with its bytes as they were. */
export interface QuarantineRow {
  readonly id: number;
  readonly schema: number;
  readonly at: EpochMs;
  readonly store: string;
  readonly key: string;
  readonly problems: readonly Problem[];
  readonly value: unknown;
}

/** The settings of all hosts. One row. */
export interface SettingsRow {
  readonly name: 'settings';
  readonly schema: number;
  readonly maxConcurrent: number;
  /** Pauses of everything, newest last; absent: there were none. */
  readonly pauses?: readonly Pause[];
  readonly quiet?: QuietHours;
  /** How long history is kept; absent: nobody chose. */
  readonly keep?: KeepRule;
}

/** What is known of the upkeep of this database. One row, beside the settings. */
export interface UpkeepRow {
  readonly name: 'upkeep';
  readonly schema: number;
  /** Names this database for as long as it is there: another id is another database. */
  readonly ledger: string;
  readonly bornAt: EpochMs;
  readonly seen?: Seen;
  readonly swept?: Swept;
  readonly checked?: Checked;
}

/** When hosts were there. One row, beside the settings so that no older build needs another database for it. */
export interface PresenceRow {
  readonly name: 'presence';
  readonly schema: number;
  readonly spans: Presence;
}

/** A secret, encrypted under the key of {@link SecretKeyRow}. */
export interface SecretRow {
  readonly name: string;
  readonly schema: number;
  readonly origins: readonly string[];
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

interface KeyRow {
  readonly name: '#key';
  readonly schema: number;
  readonly createdAt: EpochMs;
  /** Another with each new key, and each time it is locked: a key that somebody holds is good for this one alone. */
  readonly seal: string;
}

/** The key of all secrets, which the browser does not export. One row. */
export interface OpenKeyRow extends KeyRow {
  readonly key: CryptoKey;
}

/** The key of all secrets while there is a passphrase: it is stored only wrapped, by a key derived from that. */
export interface SealedKeyRow extends KeyRow {
  readonly key?: never;
  readonly wrapped: {
    readonly salt: Uint8Array<ArrayBuffer>;
    /** Rounds of PBKDF2 with SHA-256. */
    readonly iterations: number;
    readonly iv: Uint8Array<ArrayBuffer>;
    readonly data: ArrayBuffer;
  };
  /** Nothing, encrypted by the key: by this the right one is known. */
  readonly check: { readonly iv: Uint8Array<ArrayBuffer>; readonly data: ArrayBuffer };
}

export type SecretKeyRow = OpenKeyRow | SealedKeyRow;

/** Every store with its key, its rows and its indexes, so that a wrong name does not compile. */
export interface RotaSchema extends DBSchema {
  automations: { key: AutomationId; value: Automation };
  agenda: {
    key: AgendaKey;
    value: AgendaRow;
    indexes: { 'by-due': EpochMs; 'by-automation': AutomationId };
  };
  runs: {
    key: RunId;
    value: RunRow;
    indexes: {
      'by-occurrence': [Occurrence, number];
      'by-automation': [AutomationId, RunId];
      'by-status': [RunStatus, RunId];
      active: 1;
    };
  };
  outputs: { key: RunId; value: OutputRow };
  outbox: { key: string; value: OutboxRow; indexes: { 'by-due': EpochMs } };
  commands: { key: CommandId; value: CommandRow; indexes: { 'by-age': EpochMs } };
  values: { key: [AutomationId, string]; value: ValueRow };
  settings: { key: string; value: SettingsRow | PresenceRow | UpkeepRow };
  secrets: { key: string; value: SecretRow | SecretKeyRow };
  quarantine: { key: number; value: QuarantineRow };
}

export type RowStore =
  'automations' | 'agenda' | 'runs' | 'outputs' | 'outbox' | 'values' | 'commands' | 'settings';
