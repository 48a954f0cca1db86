import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { describeLedger } from './ledger.conformance.testing.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import { openDatabase } from './open.ts';

const NEVER = new Promise<void>(() => undefined);
const events = { onVersionChange: () => undefined, onLost: () => undefined };

describeLedger('IndexedDB', async () => {
  // One browser profile a test.
  globalThis.indexedDB = new IDBFactory();
  const hands = await openDatabase(events, NEVER);
  return {
    open: async () => indexedDbLedger(await openDatabase(events, NEVER), () => 0, crypto),
    plant: async (store, row) => {
      await hands.put(store, row as never);
    },
    stored: (store) => hands.getAll(store),
  };
});
