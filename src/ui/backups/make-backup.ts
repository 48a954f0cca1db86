/** Making a backup: by itself into the folder that was chosen, when something has changed, or because somebody asked. */
import { type EpochMs, HOUR_MS } from '../../domain/index.ts';
import { keyPlaces, textWithoutKeys } from '../key-warning.ts';
import type { RemoteHost } from '../remote-host.ts';
import type { BackupState, BackupStore } from './backup-state.ts';
import { type BackupFolder, troubleOf, writeFile } from './folder.ts';

/** How often it is looked whether there is something new to write, by all tabs together. */
export const LOOK_EVERY_MS = HOUR_MS;

/** What an attempt came to. */
export type BackupOutcome = 'made' | 'nothing-new' | 'failed' | 'no-folder' | 'looked-already';

type BackupHost = Pick<RemoteHost, 'backup'>;

/** What making one needs of the world. */
export interface BackupWorld {
  readonly host: BackupHost;
  readonly store: BackupStore;
  readonly now: () => EpochMs;
}

/** Looks whether there is something new, at most once in {@link LOOK_EVERY_MS} for all tabs, and writes it. Never rejects. */
export async function backUpIfNew(world: BackupWorld): Promise<BackupOutcome> {
  try {
    const state = await world.store.read();
    const { folder, lookedAt } = state;
    if (folder === null) return 'no-folder';
    const now = world.now();
    // A clock that went back has not looked.
    if (lookedAt !== null && now >= lookedAt && now - lookedAt < LOOK_EVERY_MS) return 'looked-already';
    await world.store.change({ lookedAt: now });
    return await backUpTo(folder, state, world, 'if-new');
  } catch {
    // Without the host, or without a place for notes, the next look is as good.
    return 'failed';
  }
}

/** Writes a backup into `folder`. What keeps it from that is written down. Rejects as the host's call does. */
export async function backUpTo(
  folder: BackupFolder,
  { digest: before, withKeys }: Pick<BackupState, 'digest' | 'withKeys'>,
  { host, store, now }: BackupWorld,
  when: 'if-new' | 'always',
): Promise<BackupOutcome> {
  const { text, at, automations } = await host.backup();
  const kept = withKeys || keyPlaces(text).length === 0 ? text : textWithoutKeys(text);
  const digest = await digestOf(kept);
  // It works, so what failed before is over.
  if (when === 'if-new' && digest === before && (await isOpen(folder))) {
    await store.change({ failed: null });
    return 'nothing-new';
  }
  const file = backupName(at);
  try {
    if (!(await isOpen(folder))) throw new DOMException('It must be allowed again.', 'NotAllowedError');
    await writeFile(folder, file, kept);
  } catch (error) {
    await store.change({ failed: { at: now(), why: troubleOf(error) } });
    return 'failed';
  }
  await store.change({ last: { at, automations, file, to: 'folder' }, digest, failed: null });
  return 'made';
}

async function isOpen(folder: BackupFolder): Promise<boolean> {
  return (await folder.queryPermission({ mode: 'readwrite' })) === 'granted';
}

/** `rota-backup-2026-11-30-1755.rota.json`, by the clock of the machine. */
export function backupName(at: EpochMs): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `rota-backup-${day}-${two(date.getHours())}${two(date.getMinutes())}.rota.json`;
}

/** What a backup holds, whenever it was made. */
async function digestOf(text: string): Promise<string> {
  const { backup: _, ...held } = JSON.parse(text) as { readonly backup?: unknown };
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(held)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
