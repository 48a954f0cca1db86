/**
 * What is done to hosts and their storage from a page beside them: the clock is set, connections are taken away, the quota
 * is filled, where the engine has the tools for it. The first two are commands that only builds with ROTA_TEST=1 know
 * (src/scheduler/faults.ts).
 */
import type { EnginePage } from '../engines/index.ts';
import type { Rack } from './rack.ts';
import type { Recorder } from './recorder.ts';
import { sleep, within } from '../within.ts';

/** How long hosts may take to do as they are told; the machine may be very busy. */
const DONE_MOST_MS = 10_000;
const ANSWER_MOST_MS = 5_000;
/** How often setting the clock is tried: pages die here. */
const SET_MOST = 20;
/** Chromium asks for the quota anew after this long at the latest, so that a full one is noticed late. */
const NOTICED_MOST_MS = 40_000;
const PROBE_EVERY_MS = 250;

type Command =
  | { readonly kind: 'ahead'; readonly ahead: number }
  | { readonly kind: 'lose'; readonly how: 'told' | 'untold' };

export class Faults {
  /** How far the hosts' clocks are ahead of the machine's. */
  aheadMs = 0;
  /** Whether the quota is filled, or about to be. */
  isFilling = false;
  readonly #rack: Rack;
  readonly #recorder: Recorder;
  #lift: () => void = () => undefined;

  constructor(rack: Rack, recorder: Recorder) {
    this.#rack = rack;
    this.#recorder = recorder;
  }

  /**
   * Sets the clock of every host, of those that live and of those to come. Tried until it has worked: once it may have been
   * stored, a host that starts may have it.
   */
  async setClock(aheadMs: number): Promise<void> {
    const at = Date.now();
    this.aheadMs = aheadMs;
    const jump = { at, doneBy: Infinity, aheadMs };
    this.#recorder.jumps.push(jump);
    for (let attempt = 1; ; attempt++) {
      try {
        const page = await this.#rack.watcher();
        await within(ANSWER_MOST_MS, page.evaluate(storeAhead, aheadMs));
        await this.#command(page, { kind: 'ahead', ahead: aheadMs });
        break;
      } catch (error) {
        if (attempt === SET_MOST) throw error;
        await sleep(1_000);
      }
    }
    const doneBy = Date.now();
    // One that was given up, because the browser or its driver had died, is over with the next that has worked.
    for (const one of this.#recorder.jumps) one.doneBy = Math.min(one.doneBy, doneBy);
  }

  /** Takes the database connection of every host away; each goes, and the tabs start others. Answers how many. */
  async loseConnections(how: 'told' | 'untold'): Promise<number> {
    const page = await this.#rack.watcher();
    const at = Date.now();
    for (const id of await this.#recorder.lookAtHosts()) this.#recorder.hostRetires(id, at);
    return this.#command(page, { kind: 'lose', how });
  }

  /**
   * Fills the quota until it is noticed and for `holdMs` more. Resolves with whether it was noticed before the browser, or
   * the page that holds the quota down, was gone.
   */
  async fill(holdMs: number): Promise<boolean> {
    this.isFilling = true;
    let makeRoom = (): Promise<void> => Promise.resolve();
    let from: number | null = null;
    try {
      const page = await this.#rack.watcher();
      makeRoom = (await this.#rack.devTools?.fillQuota(page)) ?? makeRoom;
      const lifting = new AbortController();
      const lift = new Promise<void>((resolve) => {
        lifting.signal.addEventListener('abort', () => resolve());
        this.#lift = () => lifting.abort();
      });
      const until = Date.now() + NOTICED_MOST_MS;
      while (from === null && !lifting.signal.aborted && Date.now() < until) {
        const before = Date.now();
        if (!(await within(ANSWER_MOST_MS, page.evaluate(canStore, null)))) from = before;
        else await sleep(PROBE_EVERY_MS);
      }
      if (from !== null) await Promise.race([sleep(holdMs), lift]);
      return from !== null;
    } catch {
      return from !== null;
    } finally {
      await makeRoom();
      if (from !== null) this.#recorder.fullSpans.push({ from, until: Date.now() });
      this.isFilling = false;
      this.#lift = () => undefined;
    }
  }

  /** Lets an end be put to {@link fill}. */
  relent(): void {
    this.#lift();
  }

  /** Commands all hosts and waits until each that lives has done it. Answers how many have. */
  async #command(page: EnginePage, command: Command): Promise<number> {
    const before = await this.#recorder.lookAtHosts();
    const done = new Set(
      await within(
        DONE_MOST_MS + ANSWER_MOST_MS,
        page.evaluate(commandHosts, [command, [...before], DONE_MOST_MS] as const),
      ),
    );
    if (done.size === 0 && before.size > 0) {
      const now = await this.#recorder.lookAtHosts();
      if ([...before].some((id) => now.has(id)))
        throw new Error('No host does as it is told: not a test build?');
    }
    return done.size;
  }
}

/** In the page: stores how far ahead hosts that start are to be. */
function storeAhead(ahead: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('rota-test-clock', 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore('clock');
    opening.onerror = () => reject(new Error(String(opening.error)));
    opening.onsuccess = () => {
      const db = opening.result;
      const writing = db.transaction('clock', 'readwrite', { durability: 'strict' });
      writing.objectStore('clock').put(ahead, 'ahead');
      writing.oncomplete = () => {
        db.close();
        resolve();
      };
      writing.onabort = () => {
        db.close();
        reject(new Error(String(writing.error)));
      };
    };
  });
}

/** In the page: whether anything can be stored now. */
function canStore(): Promise<boolean> {
  return new Promise((resolve) => {
    const opening = indexedDB.open('rota-test-probe', 1);
    opening.onupgradeneeded = () => void opening.result.createObjectStore('probes');
    opening.onerror = () => resolve(false);
    opening.onsuccess = () => {
      const db = opening.result;
      const writing = db.transaction('probes', 'readwrite');
      writing.objectStore('probes').put('x', 'probe');
      writing.oncomplete = () => {
        db.close();
        resolve(true);
      };
      writing.onabort = () => {
        db.close();
        resolve(false);
      };
    };
  });
}

/** In the page: posts the command and resolves with the hosts that have done it, when all have or it takes too long. */
function commandHosts([command, hosts, most]: readonly [Command, readonly string[], number]): Promise<
  readonly string[]
> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel('rota-test-faults');
    const done = new Set<string>();
    const finish = (): void => {
      channel.close();
      resolve([...done]);
    };
    const timer = setTimeout(finish, most);
    channel.onmessage = ({ data }: MessageEvent<{ readonly done?: string; readonly hostId?: string }>) => {
      if (data.done !== command.kind || data.hostId === undefined) return;
      done.add(data.hostId);
      if (!hosts.every((id) => done.has(id))) return;
      clearTimeout(timer);
      finish();
    };
    channel.postMessage(command.kind === 'ahead' ? { ahead: command.ahead } : { lose: command.how });
    if (hosts.length === 0) {
      clearTimeout(timer);
      finish();
    }
  });
}
