import { beforeEach, expect, test } from 'vitest';
import { HOUR_MS, formatBackup } from '../../domain/index.ts';
import { type BackupState, type BackupStore, NO_BACKUPS } from './backup-state.ts';
import type { BackupFolder } from './folder.ts';
import { type BackupWorld, backUpIfNew, backUpTo, backupName } from './make-backup.ts';

/** A folder in memory, with what a person and a disk can do to it. */
class FakeFolder implements BackupFolder {
  readonly name = 'Backups';
  readonly files = new Map<string, string>();
  permission: PermissionState = 'granted';
  /** The name of the error that the next file meets. */
  fault: string | null = null;
  loses = false;

  getFileHandle(name: string) {
    if (this.fault !== null) return Promise.reject(new DOMException('no', this.fault));
    return Promise.resolve({
      createWritable: () =>
        Promise.resolve({
          write: (text: string) => {
            this.files.set(name, this.loses ? text.slice(1) : text);
            return Promise.resolve();
          },
          close: () => Promise.resolve(),
          abort: () => Promise.resolve(),
        }),
      getFile: () => Promise.resolve({ text: () => Promise.resolve(this.files.get(name) ?? '') }),
    });
  }

  queryPermission(): Promise<PermissionState> {
    return Promise.resolve(this.permission);
  }

  requestPermission(): Promise<PermissionState> {
    return Promise.resolve(this.permission);
  }
}

const AT = Date.UTC(2026, 10, 30, 12);
let state: BackupState;
let folder: FakeFolder;
let now: number;
let header: string;

const store: BackupStore = {
  read: () => Promise.resolve(state),
  change: (change) => {
    state = { ...state, ...change };
    return Promise.resolve();
  },
  watch: () => () => undefined,
};

const world: BackupWorld = {
  host: {
    backup: () => {
      const automation = {
        name: 'Check',
        enabled: true,
        tags: [],
        schedule: { kind: 'manual' as const },
        action: {
          kind: 'http' as const,
          method: 'GET' as const,
          url: 'https://example.test/',
          headers: { 'X-Key': header },
          idempotencyKey: false,
          repeatable: true,
        },
        rules: { missed: { kind: 'once' as const }, overlap: { kind: 'skip' as const }, timeoutMs: 60_000 },
      };
      return Promise.resolve({
        text: formatBackup([automation], { ledger: 'one', at: now }),
        at: now,
        automations: 1,
      });
    },
  },
  store,
  now: () => now,
};

beforeEach(() => {
  folder = new FakeFolder();
  state = { ...NO_BACKUPS, folder };
  now = AT;
  header = 'plain';
});

test('a backup is made by itself when something has changed, and not a second time for the same', async () => {
  expect(await backUpIfNew(world)).toBe('made');
  expect([...folder.files.keys()]).toEqual([backupName(AT)]);
  expect(state).toMatchObject({ last: { at: AT, automations: 1, to: 'folder' }, failed: null });
  expect(await backUpIfNew(world)).toBe('looked-already');
  now += HOUR_MS;
  expect(await backUpIfNew(world)).toBe('nothing-new');
  now += HOUR_MS;
  header = 'other';
  expect(await backUpIfNew(world)).toBe('made');
  expect(folder.files.size).toBe(2);
  // When somebody asks, it is made in any case.
  now += HOUR_MS;
  expect(await backUpTo(folder, state, world, 'always')).toBe('made');
  expect(folder.files.size).toBe(3);
});

test('without a folder nothing is asked of the host', async () => {
  state = NO_BACKUPS;
  expect(await backUpIfNew(world)).toBe('no-folder');
  expect(state.lookedAt).toBeNull();
});

test.each([
  ['NotAllowedError', 'permission'],
  ['NotFoundError', 'gone'],
  ['QuotaExceededError', 'full'],
  ['DataError', 'other'],
])(
  'a folder that answers %s is told as %s, the last backup stays told, and the next one that works ends it',
  async (fault, why) => {
    await backUpIfNew(world);
    now += HOUR_MS;
    header = 'other';
    folder.fault = fault;
    expect(await backUpIfNew(world)).toBe('failed');
    expect(state).toMatchObject({ failed: { at: now, why }, last: { at: AT } });
    folder.fault = null;
    now += HOUR_MS;
    expect(await backUpIfNew(world)).toBe('made');
    expect(state).toMatchObject({ failed: null, last: { at: now } });
  },
);

test('a folder that must be allowed again is told also when there is nothing new', async () => {
  await backUpIfNew(world);
  now += HOUR_MS;
  folder.permission = 'prompt';
  expect(await backUpIfNew(world)).toBe('failed');
  expect(state.failed).toEqual({ at: now, why: 'permission' });
  expect(folder.files.size).toBe(1);
  folder.permission = 'granted';
  now += HOUR_MS;
  expect(await backUpIfNew(world)).toBe('nothing-new');
  expect(state.failed).toBeNull();
});

test('what is not read back as it was written is not called a backup', async () => {
  folder.loses = true;
  expect(await backUpIfNew(world)).toBe('failed');
  expect(state).toMatchObject({ failed: { why: 'other' }, last: null });
});

test('what looks like a key is left out of a backup that nobody watches, unless the person said otherwise', async () => {
  header = 'sk-live-51H8xQz7Lk2mN4pR6sT8uV0wX2yZ4aB6cD8eF0gH';
  await backUpIfNew(world);
  expect([...folder.files.values()].join()).not.toContain(header);
  state = { ...state, withKeys: true };
  now += HOUR_MS;
  expect(await backUpIfNew(world)).toBe('made');
  expect([...folder.files.values()].join()).toContain(header);
});

test('a clock that was set back keeps no backup from being made', async () => {
  await backUpIfNew(world);
  now -= 10 * HOUR_MS;
  header = 'other';
  expect(await backUpIfNew(world)).toBe('made');
});
