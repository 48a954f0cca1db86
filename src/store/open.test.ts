import 'fake-indexeddb/auto';
import { describe, expect, it } from 'vitest';
import { DATABASE, DATABASE_VERSION } from './schema.ts';
import { StorageUnavailable, openDatabase } from './open.ts';

const ignore = { onVersionChange: () => undefined, onLost: () => undefined };
const never = new Promise<void>(() => undefined);
const now = Promise.resolve();

describe('Opening the database', () => {
  it('keeps working after the deadline has passed that was set for opening it', async () => {
    let pass = (): void => undefined;
    const deadline = new Promise<void>((resolve) => {
      pass = resolve;
    });
    const db = await openDatabase(ignore, deadline);
    pass();
    await deadline;
    await Promise.resolve();
    await expect(db.count('runs')).resolves.toBe(0);
    db.close();
  });

  it('says that an older connection blocks it, and closes what opens too late', async () => {
    let free: (db: IDBDatabase) => void = () => undefined;
    const freed = new Promise<IDBDatabase>((resolve) => {
      free = resolve;
    });
    const old = indexedDB.open(DATABASE, DATABASE_VERSION);
    old.onsuccess = () => free(old.result);
    const connection = await freed;
    const deleting = indexedDB.deleteDatabase(DATABASE);
    const deleted = new Promise((resolve) => {
      deleting.onsuccess = resolve;
    });
    // The deletion waits for the old connection, and this open waits for the deletion.
    await expect(openDatabase(ignore, now)).rejects.toBeInstanceOf(StorageUnavailable);
    connection.close();
    await deleted;
    const db = await openDatabase(ignore, never);
    // Had the late connection stayed open, this would be blocked for ever.
    db.close();
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(DATABASE).onsuccess = resolve;
    });
  });

  it('says that a newer version of Rota has changed the database', async () => {
    let resolve: (db: IDBDatabase) => void = () => undefined;
    const upgraded = new Promise<IDBDatabase>((done) => {
      resolve = done;
    });
    const newer = indexedDB.open(DATABASE, DATABASE_VERSION + 1);
    newer.onsuccess = () => resolve(newer.result);
    (await upgraded).close();
    await expect(openDatabase(ignore, never)).rejects.toMatchObject({ code: 'newer-database' });
    await new Promise((done) => {
      indexedDB.deleteDatabase(DATABASE).onsuccess = done;
    });
  });
});
