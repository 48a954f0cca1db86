/** The door of store: the ledger, and how to open the one that is embedded in the browser. */
export { indexedDbLedger } from './indexeddb-ledger.ts';
export {
  type Command,
  type Ledger,
  type LedgerImportStep,
  type LedgerSettings,
  type RunQuery,
  type SettingsChange,
  type StoredAutomation,
} from './ledger.ts';
export {
  type ConnectionEvents,
  BLOCKED,
  OPEN_DEADLINE_MS,
  type RotaDb,
  StorageUnavailable,
  openDatabase,
} from './open.ts';
export type { LedgerUpkeep } from './upkeep-ledger.ts';
export { NewerData } from './rows.ts';
export { DATABASE, DATABASE_VERSION } from './schema.ts';
