/** The folder that backups go to: what is used of the File System Access API, which TypeScript's own library half knows. */

/** Why a backup by itself was not made. `permission`: the browser asks again for the folder, which takes a click. */
export type BackupTrouble = 'permission' | 'gone' | 'full' | 'other';

/** A folder that a person chose, as the browser gives it. */
export interface BackupFolder {
  readonly name: string;
  getFileHandle(name: string, options: { readonly create: true }): Promise<FolderFile>;
  /** Whether it may be written to without asking. */
  queryPermission(options: { readonly mode: 'readwrite' }): Promise<PermissionState>;
  /** Asks the person. Only within a click. */
  requestPermission(options: { readonly mode: 'readwrite' }): Promise<PermissionState>;
}

interface FolderFile {
  createWritable(): Promise<{
    write(text: string): Promise<void>;
    close(): Promise<void>;
    abort(): Promise<void>;
  }>;
  getFile(): Promise<{ text(): Promise<string> }>;
}

type Picker = (options: { readonly id: string; readonly mode: 'readwrite' }) => Promise<BackupFolder>;

function picker(): Picker | null {
  const pick: unknown = Reflect.get(globalThis, 'showDirectoryPicker');
  return typeof pick === 'function' ? (pick as Picker) : null;
}

/** Whether this browser lets a person choose a folder for a page. */
export function hasFolders(): boolean {
  return picker() !== null;
}

/** Lets the person choose a folder, within a click; `null`: they did not. */
export async function chooseFolder(): Promise<BackupFolder | null> {
  try {
    return (await picker()?.call(globalThis, { id: 'rota-backup', mode: 'readwrite' })) ?? null;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return null;
    throw error;
  }
}

/** Writes `text` as the file `name`, and reads it back: what is said to be kept is kept. A file of that name is replaced whole. */
export async function writeFile(folder: BackupFolder, name: string, text: string): Promise<void> {
  const file = await folder.getFileHandle(name, { create: true });
  const writable = await file.createWritable();
  try {
    await writable.write(text);
  } catch (error) {
    await writable.abort().catch(() => undefined);
    throw error;
  }
  await writable.close();
  if ((await (await file.getFile()).text()) !== text)
    throw new Error('What was written is not what is there.');
}

/** Why writing to a folder failed. */
export function troubleOf(error: unknown): BackupTrouble {
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'permission';
    case 'NotFoundError':
      return 'gone';
    case 'QuotaExceededError':
      return 'full';
    default:
      return 'other';
  }
}
