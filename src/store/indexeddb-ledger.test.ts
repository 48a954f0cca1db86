import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { describeLedger } from './ledger.conformance.testing.ts';
import type { KeyMessage } from '../domain/index.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import type { SecretKeys } from './ledger.ts';
import { openDatabase } from './open.ts';

const NEVER = new Promise<void>(() => undefined);
const events = { onVersionChange: () => undefined, onLost: () => undefined };

describeLedger('IndexedDB', async () => {
  // One browser profile a test.
  globalThis.indexedDB = new IDBFactory();
  const hands = await openDatabase(events, NEVER);
  const hearers = new Set<(message: KeyMessage<CryptoKey>) => void>();
  const keys: SecretKeys = {
    onUnlocked: () => undefined,
    connect: (hear) => {
      hearers.add(hear);
      return (message) => {
        for (const to of hearers) if (to !== hear) to(structuredClone(message));
      };
    },
  };
  return {
    open: async () => indexedDbLedger(await openDatabase(events, NEVER), () => 0, crypto, keys),
    plant: async (store, row) => {
      await hands.put(store, row as never);
    },
    stored: (store) => hands.getAll(store),
  };
});
