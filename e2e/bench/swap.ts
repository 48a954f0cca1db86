/**
 * The whole ledger in one record, swapped as a whole for each claim if nobody has swapped it meanwhile: how it is done where
 * storage knows texts alone. A re-enactment of no more than that promises, with less in each row than Rota keeps.
 */
import { claim, newId, nextDue, openLedger, settle, timed } from './ledger.ts';
import { offer } from './offer.ts';

/** Milliseconds of each step, unsorted. */
export interface SwapSamples {
  readonly swap: readonly number[];
  readonly claim: readonly number[];
}

const STORE = 'ledger';

interface Whole {
  readonly runs: {
    readonly id: string;
    readonly automationId: string;
    readonly scheduledFor: number;
    readonly status: string;
    readonly summary: string;
  }[];
}

let whole: Promise<IDBDatabase> | null = null;
const openWhole = (): Promise<IDBDatabase> =>
  (whole ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('swap', 1);
    request.onupgradeneeded = () => void request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('it did not open'));
  }));

function answerOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the request failed'));
  });
}

function completion(tx: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error ?? new Error('it was aborted'));
  });
}

/** Puts the `text` of the ledger there if its revision is still `expected`; says whether it was. */
async function swapIf(db: IDBDatabase, expected: number, text: string): Promise<boolean> {
  const tx = db.transaction(STORE, 'readwrite', { durability: 'strict' });
  const done = completion(tx);
  const store = tx.objectStore(STORE);
  const revision = ((await answerOf(store.get('revision'))) as number | undefined) ?? 0;
  const isSame = revision === expected;
  if (isSame) {
    store.put(text, 'text');
    store.put(revision + 1, 'revision');
  }
  await done;
  return isSame;
}

/** One claim: read all, look for the occurrence, add the run, write all. */
async function swapOne(db: IDBDatabase): Promise<void> {
  for (;;) {
    const store = db.transaction(STORE, 'readonly').objectStore(STORE);
    const [revision, text] = (await Promise.all([
      answerOf(store.get('revision')),
      answerOf(store.get('text')),
    ])) as [number, string];
    const ledger = JSON.parse(text) as Whole;
    const run = {
      id: newId(),
      automationId: newId(),
      scheduledFor: Date.now(),
      status: 'running',
      summary: '',
    };
    const isTaken = ledger.runs.some(
      ({ automationId, scheduledFor }) =>
        automationId === run.automationId && scheduledFor === run.scheduledFor,
    );
    if (isTaken) throw new Error('it was claimed before');
    ledger.runs.push(run);
    if (await swapIf(db, revision, JSON.stringify(ledger))) return;
  }
}

/** Measures `rounds` swaps of a ledger with the history of this origin, and as many claims of Rota's, in turn. */
async function measureSwap(rounds: number): Promise<SwapSamples> {
  const { db: rota } = await openLedger();
  const runs: Whole['runs'] = (await rota.getAll('runs')).map(
    ({ id, automationId, scheduledFor, status }) => ({
      id,
      automationId,
      scheduledFor,
      status,
      summary: '200 OK',
    }),
  );
  const db = await openWhole();
  const before = (await answerOf(db.transaction(STORE).objectStore(STORE).get('revision'))) as
    number | undefined;
  await swapIf(db, before ?? 0, JSON.stringify({ runs }));
  runs.length = 0;
  const samples = { swap: [] as number[], claim: [] as number[] };
  for (let n = 0; n < rounds; n++) {
    await timed(samples.swap, () => swapOne(db));
    const row = await nextDue();
    await settle(await timed(samples.claim, () => claim(row)));
  }
  return samples;
}

offer({ measureSwap });
