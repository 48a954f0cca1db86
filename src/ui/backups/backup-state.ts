/**
 * What a tab knows of backups: the folder that was chosen for them, the last one, and why one failed. It is kept in a
 * database of its own, because only that can hold a folder, and because no host has to know of it.
 */
import type { EpochMs } from '../../domain/index.ts';
import type { BackupFolder, BackupTrouble } from './folder.ts';

/** What is known of backups in this browser. */
export interface BackupState {
  /** Where they go by themselves; `null`: no folder was chosen. */
  readonly folder: BackupFolder | null;
  /** What looks like a key goes into the files too, because the person said so. */
  readonly withKeys: boolean;
  readonly last: {
    readonly at: EpochMs;
    readonly automations: number;
    readonly file: string;
    readonly to: 'folder' | 'download';
  } | null;
  /** What the last one in the folder holds, so that nothing is written twice; `null`: it is not known. */
  readonly digest: string | null;
  /** When a tab looked last whether there is something new to write. */
  readonly lookedAt: EpochMs | null;
  /** Why the last attempt failed; `null`: it did not. */
  readonly failed: { readonly at: EpochMs; readonly why: BackupTrouble } | null;
}

/** What is known before anything was done. */
export const NO_BACKUPS: BackupState = {
  folder: null,
  withKeys: false,
  last: null,
  digest: null,
  lookedAt: null,
  failed: null,
};

/** Where the state is kept. */
export interface BackupStore {
  read(): Promise<BackupState>;
  /** Changes some of it, for all tabs. */
  change(change: Partial<BackupState>): Promise<void>;
  /** Calls `listener` after each change by any tab. */
  watch(listener: () => void): () => void;
}
