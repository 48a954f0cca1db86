/** What happens when a build comes that changes the database. There is none yet, so its version is made up here. */
import 'fake-indexeddb/auto';
import { expect, test, vi } from 'vitest';
import { openDatabase } from './open.ts';
import { DATABASE, DATABASE_VERSION } from './schema.ts';

vi.mock('./schema.ts', async (original) => ({ ...(await original<object>()), DATABASE_VERSION: 2 }));

const events = { onVersionChange: () => undefined, onLost: () => undefined };

/** A connection of the build before, which does not let go by itself. */
async function openOld(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, DATABASE_VERSION - 1);
  return new Promise((resolve) => {
    request.onsuccess = () => resolve(request.result);
  });
}

test('an older build that never lets go is named as what is in the way', async () => {
  const old = await openOld();
  let pass = (): void => undefined;
  const deadline = new Promise<void>((resolve) => (pass = resolve));
  const opening = openDatabase({ ...events, onBlocked: () => pass() }, deadline);
  await expect(opening).rejects.toMatchObject({ code: 'blocked' });
  old.close();
});
