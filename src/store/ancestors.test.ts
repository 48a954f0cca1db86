/**
 * Two ways of the schedulers before this one, and what is wrong with them: a leader that is elected by reading back what
 * was written, through a cache of one's own, and a ledger that is one record, replaced as a whole. Each beside what the
 * claim does instead. Counted, not timed.
 */
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type ClaimRequest, type RunRow, MINUTE_MS, leaseName } from '../domain/index.ts';
import {
  MONDAY,
  activeRun,
  automation,
  automationId,
  claimRequest,
  definition,
  dueRow,
  host,
  runId,
  runIds,
} from '../domain/samples.testing.ts';
import { endRun } from '../domain/index.ts';
import { indexedDbLedger } from './indexeddb-ledger.ts';
import type { Ledger } from './ledger.ts';
import { type RotaDb, openDatabase } from './open.ts';

const connect = (): Promise<RotaDb> =>
  openDatabase({ onVersionChange: () => undefined, onLost: () => undefined }, new Promise(() => undefined));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

describe('a leader elected by read-back', () => {
  interface Heartbeat {
    readonly leader: number;
    readonly at: number;
  }

  /** Storage that all tabs share, and that tells each of them of a change when it gets round to it. */
  class SharedStorage {
    #record: Heartbeat | null = null;
    readonly #caches: ((record: Heartbeat) => void)[] = [];

    get record(): Heartbeat | null {
      return this.#record;
    }

    onChange(tell: (record: Heartbeat) => void): void {
      this.#caches.push(tell);
    }

    async write(record: Heartbeat): Promise<void> {
      await turn();
      this.#record = record;
      for (const tell of this.#caches) void turn().then(() => tell(record));
    }
  }

  /** A tab's view of it: a cache that is filled at the start and by what it is told, and that has its own writes at once. */
  class CachedStorage {
    readonly #shared: SharedStorage;
    #cache: Heartbeat | null;

    constructor(shared: SharedStorage) {
      this.#shared = shared;
      this.#cache = shared.record;
      shared.onChange((record) => (this.#cache = record));
    }

    read(): Heartbeat | null {
      return this.#cache;
    }

    async write(record: Heartbeat): Promise<void> {
      this.#cache = record;
      await this.#shared.write(record);
    }
  }

  /** How the ancestor elects: nobody fresh is there, so I write that I am, and look whether I still am. */
  async function elect(tab: number, storage: CachedStorage, now: number): Promise<boolean> {
    const seen = storage.read();
    if (seen !== null && now - seen.at < 90_000) return seen.leader === tab;
    await storage.write({ leader: tab, at: now });
    return storage.read()?.leader === tab;
  }

  test('is several leaders when tabs start together: each reads back its own write', async () => {
    const shared = new SharedStorage();
    const tabs = Array.from({ length: 8 }, () => new CachedStorage(shared));
    const elected = await Promise.all(tabs.map((storage, tab) => elect(tab, storage, MONDAY)));
    expect(elected.filter(Boolean).length).toBeGreaterThan(1);
  });

  test('is nobody for as long as a heartbeat counts as fresh, when the leader dies', async () => {
    const shared = new SharedStorage();
    await elect(0, new CachedStorage(shared), MONDAY);
    const next = new CachedStorage(shared);
    expect([await elect(1, next, MONDAY + 89_999), await elect(1, next, MONDAY + 90_000)]).toEqual([
      false,
      true,
    ]);
  });

  test('is not needed by a claim: of eight tabs that start together one has the occurrence, and the next one at once', async () => {
    const databases = await Promise.all(Array.from({ length: 8 }, connect));
    const tabs = databases.map((db) => indexedDbLedger(db, () => MONDAY, crypto));
    const of = automationId(1);
    const newId = runIds();
    const [first] = tabs;
    await first?.save({
      commandId: runId(1) as never,
      now: MONDAY,
      newId,
      id: of,
      definition: definition({ rules: { overlap: { kind: 'parallel', limit: 8 } } }),
    });
    const claim = (ledger: Ledger, tab: number, at: number): Promise<{ readonly kind: string }> =>
      ledger.tryClaim(request(at, { host: host(tab), lease: leaseName(of, 0, tab), newId }));
    const results = await Promise.all(tabs.map((ledger, tab) => claim(ledger, tab, MONDAY + MINUTE_MS)));
    expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    // Whoever that was may be dead by now: the next occurrence is anyone's.
    const next = await Promise.all(tabs.map((ledger, tab) => claim(ledger, tab, MONDAY + 2 * MINUTE_MS)));
    expect(next.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
    for (const db of databases) db.close();
  });

  function request(at: number, by: Partial<ClaimRequest>): ClaimRequest {
    return claimRequest({ kind: 'row', key: dueRow(at).key }, at, { liveHosts: new Set(), ...by });
  }
});

describe('what a claim and a settlement read and write', () => {
  const of = automation({}, { fence: 1_000 });
  /** The rows of runs that have ended, the newest last. */
  const history = (length: number): RunRow[] =>
    Array.from({ length }, (_, n) => {
      const run = activeRun(of, MONDAY - (length - n) * MINUTE_MS, { id: runId(n) });
      const state = { automation: null, nextScheduledAt: null, agenda: [] };
      return endRun(run, { kind: 'succeeded', summary: '200 OK' }, state, run.claimedAt + 1_000, 0).run;
    });

  /** A claim by the ancestor: all is one record, and replacing it is the claim. Answers with the characters moved. */
  function claimWhole(runs: readonly RunRow[]): number {
    const before = JSON.stringify({ revision: 7, automations: [of], runs });
    const ledger = JSON.parse(before) as { revision: number; runs: RunRow[] };
    ledger.runs.push(activeRun(of, MONDAY));
    const after = JSON.stringify({ ...ledger, revision: ledger.revision + 1 });
    return before.length + after.length;
  }

  /** Claims and settles the occurrence of MONDAY after `runs`, and answers with the characters and rows moved. */
  async function claimOne(
    runs: readonly RunRow[],
  ): Promise<{ readonly characters: number; readonly requests: number }> {
    globalThis.indexedDB = new IDBFactory();
    const db = await connect();
    const recent = runs
      .slice(-30)
      .map(({ id }) => ({ id, status: 'succeeded' as const, at: MONDAY, summary: '200 OK' }));
    await db.put('automations', { ...of, recent });
    await db.put('agenda', dueRow(MONDAY));
    const tx = db.transaction('runs', 'readwrite');
    for (const run of runs) tx.store.add(run).catch(() => undefined);
    await tx.done;

    const meter = meterRequests();
    const ledger = indexedDbLedger(db, () => MONDAY, crypto);
    const result = await ledger.tryClaim(
      claimRequest({ kind: 'row', key: dueRow(MONDAY).key }, MONDAY, { newId: runIds(1e6) }),
    );
    if (result.kind !== 'claimed') throw new Error(result.kind);
    const { run } = result;
    const ending = { kind: 'succeeded', summary: '200 OK' } as const;
    await ledger.settle({
      runId: run.id,
      hostId: run.host.id,
      fence: run.fence,
      ending,
      now: MONDAY + 1,
      chance: 0,
    });
    vi.restoreAllMocks();
    db.close();
    return meter;
  }

  /** Counts what passes through IndexedDB from now on. */
  function meterRequests(): { characters: number; requests: number } {
    const meter = { characters: 0, requests: 0 };
    const size = (value: unknown): number => JSON.stringify({ value }).length;
    for (const prototype of [IDBObjectStore.prototype, IDBIndex.prototype]) {
      for (const name of [
        'get',
        'getAll',
        'count',
        'openCursor',
        'openKeyCursor',
        'put',
        'add',
        'delete',
      ] as const) {
        if (!(name in prototype)) continue;
        const original = Reflect.get(prototype, name) as (...args: unknown[]) => IDBRequest;
        vi.spyOn(prototype as unknown as Record<typeof name, typeof original>, name).mockImplementation(
          function (this: unknown, ...args: unknown[]) {
            const request = Reflect.apply(original, this, args);
            meter.requests += 1;
            if (name === 'put' || name === 'add') meter.characters += size(args[0]);
            else request.addEventListener('success', () => (meter.characters += size(request.result)));
            return request;
          },
        );
      }
    }
    return meter;
  }

  test('grow with the history where the ledger is one record: at ten times the runs, ten times as much', () => {
    const [short, long] = [claimWhole(history(100)), claimWhole(history(1_000))];
    expect(long / short).toBeGreaterThan(9);
  });

  test('do not grow with the history in Rota: at ten times the runs, the same', async () => {
    const [short, long] = [await claimOne(history(100)), await claimOne(history(1_000))];
    expect(long.requests).toBe(short.requests);
    expect(long.characters).toBe(short.characters);
    expect(long.characters).toBeLessThan(claimWhole(history(100)));
  });
});
