/** Backups of a tab. Loaded some time after the start, or with the screen that speaks of them. */
export type { BackupState } from './backup-state.ts';
export { browserStore, keepBackingUp } from './browser-backups.ts';
export { type BackupFolder, type BackupTrouble, chooseFolder, hasFolders } from './folder.ts';
export { backUpTo, backupName } from './make-backup.ts';
