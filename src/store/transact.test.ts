import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { unwrap } from 'idb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { activeRun, automation, runId } from '../domain/samples.testing.ts';
import { type RotaDb, openDatabase } from './open.ts';
import type { SettingsRow } from './schema.ts';
import { transact, view } from './transact.ts';
import { write } from './write.ts';

let db: RotaDb;
const unheard = vi.fn();

beforeEach(async () => {
  globalThis.indexedDB = new IDBFactory();
  db = await openDatabase(
    { onVersionChange: () => undefined, onLost: () => undefined },
    new Promise(() => undefined),
  );
  unheard.mockClear();
  process.on('unhandledRejection', unheard);
});
afterEach(async () => {
  // A rejection that nobody heard is told a turn later.
  await new Promise((resolve) => setTimeout(resolve, 0));
  process.off('unhandledRejection', unheard);
  expect(unheard).not.toHaveBeenCalled();
  db.close();
});

const row = (maxConcurrent: number): SettingsRow => ({ name: 'settings', schema: 1, maxConcurrent });
const stored = (): Promise<unknown[]> => db.getAll('settings');

describe('a transaction', () => {
  test('has stored what it wrote when it resolves, and not before its complete event', async () => {
    const seen: string[] = [];
    const before = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
      this: IDBDatabase,
      ...args
    ) {
      before.mockRestore();
      expect(args[2]).toEqual({ durability: 'strict' });
      const tx = this.transaction(...args);
      tx.addEventListener('complete', () => seen.push('complete'));
      return tx;
    });
    const result = await transact(db, ['settings'] as const, async (tx) => {
      await tx.store.put(row(1));
      seen.push('put');
      return 'done';
    });
    expect([result, ...seen]).toEqual(['done', 'put', 'complete']);
    expect(await stored()).toEqual([row(1)]);
  });

  test.each([
    ['at once', async () => Promise.reject(new Error('no'))],
    [
      'after a request',
      async () => {
        await Promise.resolve();
        throw new Error('no');
      },
    ],
  ])('that throws %s stores nothing of what it had written', async (_, fail) => {
    const attempt = transact(db, ['settings', 'commands'] as const, async (tx) => {
      await tx.objectStore('settings').put(row(1));
      tx.objectStore('settings')
        .put(row(2))
        .catch(() => undefined);
      return fail();
    });
    await expect(attempt).rejects.toThrow('no');
    expect(await stored()).toEqual([]);
  });

  test('left to idb alone, stores what was written before the throw: the harm that transact is there for', async () => {
    const tx = db.transaction('settings', 'readwrite');
    const attempt = (async () => {
      await tx.objectStore('settings').put(row(1));
      throw new Error('no');
    })();
    await expect(attempt).rejects.toThrow('no');
    await tx.done;
    expect(await stored()).toEqual([row(1)]);
  });

  test.each([
    ['a value that cannot be stored', { ...row(2), run: () => undefined }],
    ['a value without its key', { schema: 1 }],
  ])('that is given %s stores nothing', async (_, value) => {
    const attempt = transact(db, ['settings'] as const, async (tx) => {
      await tx.store.put(row(1));
      await tx.store.put(value as unknown as SettingsRow);
    });
    await expect(attempt).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });

  test('that is aborted from outside, as when the disk is full, rejects and stores nothing', async () => {
    const attempt = transact(db, ['settings'] as const, async (tx) => {
      await tx.store.put(row(1));
      unwrap(tx).abort();
    });
    await expect(attempt).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });

  test('that awaits something foreign is over, says so, and does not pretend', async () => {
    const attempt = transact(db, ['settings'] as const, async (tx) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await tx.store.put(row(1));
    });
    await expect(attempt).rejects.toThrow(/inactive|not active|finished/i);
    expect(await stored()).toEqual([]);
  });

  test('does not touch a store that it did not name', async () => {
    const attempt = transact(db, ['settings'] as const, async (tx) => {
      await tx.store.put(row(1));
      // The types refuse it, and so must the browser.
      const other: unknown = tx;
      write(other as Parameters<typeof write>[0], [{ op: 'put', store: 'automations', row: automation() }]);
    });
    await expect(attempt).rejects.toThrow();
    expect(await stored()).toEqual([]);
  });

  test('comes after those before it: each adds to what the last one stored', async () => {
    const others = await Promise.all(
      Array.from({ length: 4 }, () =>
        openDatabase(
          { onVersionChange: () => undefined, onLost: () => undefined },
          new Promise(() => undefined),
        ),
      ),
    );
    await Promise.all(
      [db, ...others].flatMap((one) =>
        Array.from({ length: 10 }, () =>
          transact(one, ['settings'] as const, async (tx) => {
            const before = (await tx.store.get('settings')) as SettingsRow | undefined;
            await tx.store.put(row((before?.maxConcurrent ?? 0) + 1));
          }),
        ),
      ),
    );
    expect(await stored()).toEqual([row(50)]);
    for (const one of others) one.close();
  });
});

describe('a view', () => {
  test('is one moment of the database, and writes nothing', async () => {
    await db.put('settings', row(1));
    expect(await view(db, ['settings'] as const, (tx) => tx.store.getAll())).toEqual([row(1)]);
    const attempt = view(db, ['settings'] as const, (tx) => {
      const { store } = tx as unknown as { store: { put(value: SettingsRow): Promise<unknown> } };
      return store.put(row(2));
    });
    await expect(attempt).rejects.toThrow();
    expect(await stored()).toEqual([row(1)]);
  });
});

describe('the writes of a decision', () => {
  const of = automation();
  const run = activeRun(of, of.createdAt);

  test('are all made, or none: a second row of an occurrence and attempt takes the whole transaction with it', async () => {
    const claim = (id: typeof run.id): Promise<void> =>
      transact(db, ['runs', 'automations'] as const, (tx) => {
        write(tx, [
          { op: 'put', store: 'automations', row: { ...of, name: id } },
          { op: 'add', store: 'runs', row: { ...run, id } },
        ]);
        return Promise.resolve();
      });
    await claim(runId(1));
    await expect(claim(runId(2))).rejects.toMatchObject({ name: 'ConstraintError' });
    expect(await db.getAllKeys('runs')).toEqual([runId(1)]);
    expect(await db.getAll('automations')).toMatchObject([{ name: runId(1) }]);
  });

  test('let another attempt of the same occurrence in', async () => {
    await transact(db, ['runs'] as const, (tx) => {
      write(tx, [
        { op: 'add', store: 'runs', row: run },
        { op: 'add', store: 'runs', row: { ...run, id: runId(2), attempt: 2 } },
      ]);
      return Promise.resolve();
    });
    expect(await db.count('runs')).toBe(2);
  });

  test('without the unique index the ledger would have two runs of one occurrence: the harm that it is there for', async () => {
    const plain = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('plain', 1);
      opening.onupgradeneeded = () => {
        opening.result
          .createObjectStore('runs', { keyPath: 'id' })
          .createIndex('by-occurrence', ['occurrence', 'attempt']);
      };
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(new Error('not opened'));
    });
    const tx = plain.transaction('runs', 'readwrite');
    for (const id of [runId(1), runId(2)]) tx.objectStore('runs').add({ ...run, id });
    const count = tx.objectStore('runs').index('by-occurrence').count([run.occurrence, 1]);
    await new Promise((resolve) => (tx.oncomplete = resolve));
    expect(count.result).toBe(2);
    plain.close();
  });
});
