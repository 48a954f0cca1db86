import 'fake-indexeddb/auto';
import { IDBFactory, forceCloseDatabase } from 'fake-indexeddb';
import { unwrap } from 'idb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommandId, RunId } from '../domain/index.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import { DATABASE, DATABASE_VERSION } from './schema.ts';
import { StorageUnavailable, openDatabase } from './open.ts';

const ignore = { onVersionChange: () => undefined, onLost: () => undefined };
const never = new Promise<void>(() => undefined);
const now = Promise.resolve();
const command = {
  commandId: '00000000-0000-4000-8000-000000000001' as CommandId,
  now: 0,
  newId: () => '00000000-0000-7000-8000-000000000002' as RunId,
  settings: { maxConcurrent: 2 },
};

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

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

  it('tells the host when a newer build waits for it, and lets that one in when it is closed', async () => {
    const asked = vi.fn();
    const db = await openDatabase({ ...ignore, onVersionChange: asked }, never);
    const newer = indexedDB.open(DATABASE, DATABASE_VERSION + 1);
    const upgraded = new Promise<number>((resolve) => {
      newer.onsuccess = () => {
        resolve(newer.result.version);
        newer.result.close();
      };
    });
    await expect.poll(() => asked).toHaveBeenCalledOnce();
    db.close();
    expect(await upgraded).toBe(DATABASE_VERSION + 1);
  });

  it('says that the browser took the connection away, by its event', async () => {
    const onLost = vi.fn();
    const db = await openDatabase({ ...ignore, onLost }, never);
    // Its types ask for the class and mean a connection.
    forceCloseDatabase(unwrap(db) as never);
    expect(onLost).toHaveBeenCalledOnce();
  });

  it('says it also when no event comes: the first transaction finds the connection closed', async () => {
    const onLost = vi.fn();
    const db = await openDatabase({ ...ignore, onLost }, never);
    const ledger = indexedDbLedger(db, () => 0, crypto);
    await ledger.listActive();
    unwrap(db).close();
    expect(onLost).not.toHaveBeenCalled();
    await expect(ledger.listActive()).rejects.toThrow(/closed|closing|InvalidState/i);
    await expect(ledger.saveSettings(command)).rejects.toMatchObject({ name: 'InvalidStateError' });
    expect(onLost).toHaveBeenCalledTimes(2);
  });

  it('says what the browser said that refuses storage by a throw, as with cookies blocked', async () => {
    vi.spyOn(indexedDB, 'open').mockImplementation(() => {
      throw new DOMException('Storage is off.', 'SecurityError');
    });
    const refusal = { name: 'StorageUnavailable', code: 'refused', message: 'Storage is off.' };
    await expect(openDatabase(ignore, never)).rejects.toMatchObject(refusal);
  });

  it('makes the stores and indexes of the protocol, under a name without a version', async () => {
    expect([DATABASE, DATABASE_VERSION]).toEqual(['rota', 1]);
    const db = await openDatabase(ignore, never);
    const keyOf = (path: string | string[] | null): string => [path].flat().join(' ');
    const shape = [...db.objectStoreNames].map((name) => {
      const store = unwrap(db).transaction(name).objectStore(name);
      const indexes = [...store.indexNames].map((index) => {
        const { keyPath, unique } = store.index(index);
        return `${index}: ${keyOf(keyPath)}${unique ? ', unique' : ''}`;
      });
      return [`${name} by ${keyOf(store.keyPath)}`, ...indexes];
    });
    expect(shape).toEqual([
      ['agenda by key', 'by-automation: automationId', 'by-due: dueAt'],
      ['automations by id'],
      ['commands by id', 'by-age: at'],
      ['outbox by id', 'by-due: dueAt'],
      ['outputs by id'],
      ['quarantine by id'],
      [
        'runs by id',
        'active: active',
        'by-automation: automationId id',
        'by-occurrence: occurrence attempt, unique',
        'by-status: status id',
      ],
      ['secrets by name'],
      ['settings by name'],
      ['values by automationId key'],
    ]);
    db.close();
  });
});
