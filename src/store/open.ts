import { type IDBPDatabase, openDB } from 'idb';
import type { DurationMs } from '../domain/index.ts';
import { onConnectionLost } from './connection.ts';
import { DATABASE, DATABASE_VERSION, type RotaSchema } from './schema.ts';

export type RotaDb = IDBPDatabase<RotaSchema>;

/**
 * How long the browser may take to open the database before it counts as unavailable. Longer than an older host takes to
 * finish what it runs and to let go of the database (10 s, and a second for its last transactions).
 */
export const OPEN_DEADLINE_MS: DurationMs = 15_000;

/** What happens to an open connection without our doing. */
export interface ConnectionEvents {
  /** The database is not open yet, because an older build still has it; that one has been asked to let go. */
  readonly onBlocked?: () => void;
  /** A newer build wants to upgrade: finish and close, or it waits for ever. */
  readonly onVersionChange: () => void;
  /**
   * The browser took the connection away (WebKit does, and clearing site data): reopen with backoff. Told by an event, or
   * by the first transaction that finds it closed, and then again by each that follows.
   */
  readonly onLost: () => void;
}

/** What is said while an older build keeps this one from the database. */
export const BLOCKED = 'An older Rota tab keeps the database open. Close the other tabs.';

/** The database cannot be had: `code` says whether an older tab blocks it or the browser refused. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  constructor(
    readonly code: 'blocked' | 'refused' | 'newer-database',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Opens the database and creates what is missing. Rejects with {@link StorageUnavailable}; `deadline` settles when the
 * browser has taken too long, because an open that is blocked by an old tab fires nothing at all.
 */
export async function openDatabase(events: ConnectionEvents, deadline: Promise<void>): Promise<RotaDb> {
  let blocked = false;
  let state: 'opening' | 'opened' | 'given-up' = 'opening';
  // Inside a promise: a browser whose storage is switched off refuses by a throw, and not by an event.
  const opening = Promise.resolve()
    .then(() =>
      openDB<RotaSchema>(DATABASE, DATABASE_VERSION, {
        upgrade(db, oldVersion) {
          if (oldVersion < 1) createStores(db);
        },
        blocked() {
          blocked = true;
          events.onBlocked?.();
        },
        blocking() {
          events.onVersionChange();
        },
        terminated() {
          events.onLost();
        },
      }),
    )
    .then((db) => {
      // If it opens after all, nobody wants it any more, and an unused connection would block the next upgrade.
      if (state === 'given-up') db.close();
      else state = 'opened';
      onConnectionLost(db, () => events.onLost());
      return db;
    });
  const late = deadline.then(() => {
    if (state === 'opened') return opening;
    state = 'given-up';
    throw blocked
      ? new StorageUnavailable('blocked', BLOCKED)
      : new StorageUnavailable('refused', 'The browser did not open the database in time.');
  });
  try {
    return await Promise.race([opening, late]);
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    if (error instanceof DOMException && error.name === 'VersionError') {
      throw new StorageUnavailable(
        'newer-database',
        'A newer version of Rota has changed the database. Reload this tab.',
      );
    }
    throw new StorageUnavailable('refused', error instanceof Error ? error.message : String(error));
  } finally {
    late.catch(() => undefined);
  }
}

function createStores(db: RotaDb): void {
  db.createObjectStore('automations', { keyPath: 'id' });
  const agenda = db.createObjectStore('agenda', { keyPath: 'key' });
  agenda.createIndex('by-due', 'dueAt');
  agenda.createIndex('by-automation', 'automationId');
  const runs = db.createObjectStore('runs', { keyPath: 'id' });
  runs.createIndex('by-occurrence', ['occurrence', 'attempt'], { unique: true });
  runs.createIndex('by-automation', ['automationId', 'id']);
  runs.createIndex('by-status', ['status', 'id']);
  // Only active runs have the field, so the index holds them alone.
  runs.createIndex('active', 'active');
  db.createObjectStore('outputs', { keyPath: 'id' });
  db.createObjectStore('outbox', { keyPath: 'id' }).createIndex('by-due', 'dueAt');
  db.createObjectStore('commands', { keyPath: 'id' }).createIndex('by-age', 'at');
  db.createObjectStore('values', { keyPath: ['automationId', 'key'] });
  db.createObjectStore('settings', { keyPath: 'name' });
  db.createObjectStore('secrets', { keyPath: 'name' });
  db.createObjectStore('quarantine', { keyPath: 'id', autoIncrement: true });
}
