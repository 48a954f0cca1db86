/**
 * Other ways to have one of many tabs do the work, each reduced to what it promises: a bare Web Lock, the leader elections of
 * broadcast-channel and tab-election, and a heartbeat in a record that each tab reads and writes when it thinks fit.
 */
import { BroadcastChannel as Channel, createLeaderElection } from 'broadcast-channel';
import { Tab } from 'tab-election';
import type { TimerOrder } from './lone-worker.ts';
import { offer } from './offer.ts';

/** When this tab came to lead, by each way, epoch ms; absent: it does not. */
const leadsSince: Partial<Record<Way, number>> = {};
type Way = 'lock' | 'broadcast-channel' | 'tab-election';

/** Stands for the lead by each way, under names that nobody else uses. Resolves when it waits in all of them, or leads. */
async function stand(name: string): Promise<void> {
  const lead = (way: Way): void => {
    leadsSince[way] = Date.now();
  };
  void navigator.locks.request(`bench/${name}`, () => {
    lead('lock');
    return new Promise(() => undefined);
  });
  void createLeaderElection(new Channel(`bench-${name}`))
    .awaitLeadership()
    .then(() => lead('broadcast-channel'));
  void new Tab(`bench-${name}`).waitForLeadership(() => lead('tab-election'));
  // Its requests are with the browser once as many of them are known.
  for (;;) {
    const { held = [], pending = [] } = await navigator.locks.query();
    const asked = [...held, ...pending].filter(({ name: lock = '' }) => lock.endsWith(name));
    const leads = Object.keys(leadsSince).length;
    if (leads === 3 || (leads === 0 && asked.length >= 6)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** When this tab came to lead by each of the ways, once it does by all of them. */
async function awaitLead(): Promise<Partial<Record<Way, number>>> {
  while (Object.keys(leadsSince).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  return leadsSince;
}

let lone: SharedWorker | null = null;
const startLone = (): SharedWorker =>
  (lone ??= new SharedWorker(new URL('./lone-worker.ts', import.meta.url), { type: 'module' }));

/** Starts a SharedWorker in the process of this page; resolves when it is there. */
function marked(): Promise<void> {
  return new Promise((resolve) => {
    startLone().port.onmessage = () => resolve();
  });
}

/** How late a timer of a SharedWorker fires at each of `instants`, ms. */
function measureTimers(order: TimerOrder): Promise<readonly number[]> {
  const { port } = startLone();
  return new Promise((resolve) => {
    port.onmessage = ({ data }: MessageEvent<'here' | readonly number[]>) => {
      if (data !== 'here') resolve(data);
    };
    port.postMessage(order);
  });
}

/** Who leads by heartbeat, and since when it is known. */
interface Beat {
  readonly tab: string;
  readonly at: number;
}

/** How a heartbeat is kept: it is looked at each `pollMs`, and given up for dead after `staleMs`. */
interface Heartbeat {
  readonly name: string;
  readonly pollMs: number;
  readonly staleMs: number;
}

const tabId = crypto.randomUUID();
let heartLeadSince: number | null = null;

let store: Promise<IDBDatabase> | null = null;
const openStore = (): Promise<IDBDatabase> =>
  (store ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('heartbeat', 1);
    request.onupgradeneeded = () => void request.result.createObjectStore('beats');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('it did not open'));
  }));

async function readBeat(name: string): Promise<Beat | undefined> {
  const db = await openStore();
  return new Promise((resolve, reject) => {
    const request = db.transaction('beats').objectStore('beats').get(name) as IDBRequest<Beat | undefined>;
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('it could not be read'));
  });
}

async function writeBeat(name: string, beat: Beat): Promise<void> {
  const db = await openStore();
  return new Promise((resolve, reject) => {
    const tx = db.transaction('beats', 'readwrite');
    tx.objectStore('beats').put(beat, name);
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error ?? new Error('it could not be written'));
  });
}

/** One look: nobody's heart beats, or it is one's own, so one leads. To look and to write are two things, as in any cache. */
async function look({ name, staleMs }: Heartbeat): Promise<void> {
  const beat = await readBeat(name);
  const now = Date.now();
  if (beat !== undefined && beat.tab !== tabId && now - beat.at < staleMs) {
    heartLeadSince = null;
    return;
  }
  await writeBeat(name, { tab: tabId, at: now });
  heartLeadSince ??= Date.now();
}

/** Keeps a heartbeat from now on; says whether this tab leads by its first look. */
async function beat(heartbeat: Heartbeat): Promise<boolean> {
  await look(heartbeat);
  setInterval(() => void look(heartbeat), heartbeat.pollMs);
  return heartLeadSince !== null;
}

/** Opens what a heartbeat needs and keeps one from the moment at which all tabs are told; says whether this tab leads. */
async function beatTogether(heartbeat: Heartbeat): Promise<boolean> {
  await openStore();
  const channel = new BroadcastChannel('bench-start');
  return new Promise((resolve, reject) => {
    channel.onmessage = () => {
      beat(heartbeat).then(resolve, reject);
    };
  });
}

/** Tells all tabs that wait for it to begin. */
function begin(): void {
  new BroadcastChannel('bench-start').postMessage(null);
}

/** When this tab came to lead by its heartbeat, once it does, epoch ms. */
async function awaitHeartLead(): Promise<number> {
  while (heartLeadSince === null) await new Promise((resolve) => setTimeout(resolve, 5));
  return heartLeadSince;
}

offer({ stand, awaitLead, marked, measureTimers, beat, beatTogether, begin, awaitHeartLead });
