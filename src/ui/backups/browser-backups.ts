/** Where this browser keeps what is known of backups, and what makes them by themselves. Only wiring. */
import type { RemoteHost } from '../remote-host.ts';
import { type BackupState, type BackupStore, NO_BACKUPS } from './backup-state.ts';
import { LOOK_EVERY_MS, backUpIfNew } from './make-backup.ts';

/** The database, and the channel on which tabs say that it has changed. Constant for ever. */
const NAME = 'rota-backup';
const STORE = 'state';
const KEY = 'state';

/** The store of this browser. */
export function browserStore(): BackupStore {
  const channel = new BroadcastChannel(NAME);
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  channel.addEventListener('message', tell);
  return {
    read: async () => ({ ...NO_BACKUPS, ...(await using('readonly', () => undefined)) }),
    async change(change) {
      await using('readwrite', (store, before) => store.put({ ...before, ...change }, KEY));
      channel.postMessage(null);
      tell();
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Reads the state, and does `body` with it in the same transaction. The connection ends with it: it keeps nobody waiting. */
async function using(
  mode: IDBTransactionMode,
  body: (store: IDBObjectStore, state: Partial<BackupState>) => void,
): Promise<Partial<BackupState>> {
  const db = await open();
  try {
    return await new Promise((resolve, reject) => {
      const tx = db.transaction(STORE, mode);
      const store = tx.objectStore(STORE);
      const request = store.get(KEY);
      let state: Partial<BackupState> = {};
      request.onsuccess = () => {
        // Only this file writes it.
        state = (request.result ?? {}) as Partial<BackupState>;
        body(store, state);
      };
      tx.oncomplete = () => {
        resolve(state);
      };
      tx.onabort = () => {
        reject(tx.error ?? new DOMException('The note on backups was not stored.', 'AbortError'));
      };
    });
  } finally {
    db.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new DOMException('It cannot be opened.', 'UnknownError'));
    };
  });
}

/** One tab at a time writes. Constant for ever. */
const BACKUP_LOCK = 'rota/backup';

/** Makes backups by itself for the life of the page, where a folder was chosen: now, and each hour after. */
export function keepBackingUp(host: RemoteHost): void {
  const world = { host, store: browserStore(), now: () => Date.now() };
  const look = (): void => {
    navigator.locks
      .request(BACKUP_LOCK, { ifAvailable: true }, async (lock) => {
        if (lock !== null && host.connection.kind === 'ready') await backUpIfNew(world);
      })
      // Where locks fail nothing runs, and the screen says so.
      .catch(() => undefined);
  };
  look();
  setInterval(look, LOOK_EVERY_MS);
}
