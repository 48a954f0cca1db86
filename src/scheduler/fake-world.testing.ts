/**
 * A whole browser for the tests of the scheduler: clock, timers, Web Locks, the channel, storage and a server, all of
 * them as the platform has them, and all of them in the test's hand. Storage is the real ledger over an in-memory
 * IndexedDB, with a connection for each host. Only this file knows how; tests say what happens.
 */
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { unwrap } from 'idb';
import { vi } from 'vitest';
import {
  type AutomationId,
  type CommandId,
  type DefinitionInput,
  type DurationMs,
  type EpochMs,
  type HostId,
  type LocalNetworkPermission,
  type HostKind,
  type KeyMessage,
  type RunRow,
  type Showing,
  type TabId,
  tabLock,
} from '../domain/index.ts';
import type { Hint, HostCalls } from '../rpc/index.ts';
import { DATABASE, DATABASE_VERSION, type Ledger, indexedDbLedger, openDatabase } from '../store/index.ts';
import { hostCalls } from './api.ts';
import { Host } from './host.ts';
import type { HeldLock, LedgerEvents, Undo, World } from './world.ts';

/** Monday, 2026-01-05, 00:00 UTC. */
export const MONDAY: EpochMs = 1_767_571_200_000;

/** After so many turns of the event loop without rest, hosts answer each other for ever. */
const TURNS_MOST = 30_000;
/** So many turns without anything in flight are rest: streams take a few that nobody counts. */
const CALM_TURNS = 4;

/** Decides when what is in flight arrives; without one, everything arrives in the order in which it left. */
export interface Order {
  /** Resolves when `label` may go on. */
  readonly pass: (label: string) => Promise<void>;
}

const never = <Result>(): Promise<Result> => new Promise(() => undefined);

function answered<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('It failed.'));
  });
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What Vitest's worker knows of its modules. It says so to nobody, and asking it in its own way takes a timer each time. */
interface Modules {
  readonly resolvingModules: ReadonlySet<string>;
  readonly evaluatedModules: { readonly idToModuleMap: ReadonlyMap<string, unknown> };
}

const { resolvingModules, evaluatedModules } = (globalThis as unknown as { __vitest_worker__: Modules })
  .__vitest_worker__;

/** How many modules there were when the last import was waited for. */
let settledModules = 0;

/**
 * Waits for what is being imported: a part that is loaded when it is first used comes from another process, as late as the
 * machine likes. Returns whether there may have been any.
 */
async function importsCame(): Promise<boolean> {
  if (resolvingModules.size === 0 && evaluatedModules.idToModuleMap.size === settledModules) return false;
  await vi.dynamicImportSettled();
  settledModules = evaluatedModules.idToModuleMap.size;
  return true;
}

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
function chanceFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function uuid(chance: () => number): string {
  const hex = Array.from({ length: 32 }, () => Math.floor(chance() * 16).toString(16)).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

interface Timer {
  readonly at: number;
  readonly sequence: number;
  readonly owner: object;
  readonly fire: () => void;
}

/** A wall clock and a monotonic one, and timers that follow the monotonic one. They move when they are told to. */
class FakeClock {
  #monotonic = 0;
  #offset: EpochMs;
  #sequence = 0;
  #timers: Timer[] = [];

  constructor(startAt: EpochMs) {
    this.#offset = startAt;
  }

  now(): EpochMs {
    return this.#offset + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  setTimer(owner: object, delay: DurationMs, fire: () => void): Undo {
    const timer = { at: this.#monotonic + Math.max(0, delay), sequence: this.#sequence++, owner, fire };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Moves the wall clock alone: someone set it, or the machine slept and timers stood still. */
  jump(by: number): void {
    this.#offset += by;
  }

  forget(owner: object): void {
    this.#timers = this.#timers.filter((timer) => timer.owner !== owner);
  }

  /** How long until the next timer fires; `null` without one. */
  untilNext(): DurationMs | null {
    const next = this.#next();
    return next === undefined ? null : next.at - this.#monotonic;
  }

  /** Moves on by `by` at most, to the next timer, and fires it. Answers whether one fired. */
  step(by: DurationMs): boolean {
    const until = this.#monotonic + by;
    const next = this.#next();
    if (next === undefined || next.at > until) {
      this.#monotonic = until;
      return false;
    }
    this.#monotonic = Math.max(this.#monotonic, next.at);
    this.#timers = this.#timers.filter((timer) => timer !== next);
    next.fire();
    return true;
  }

  #next(): Timer | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at || a.sequence - b.sequence)[0];
  }
}

interface LockRequest {
  readonly owner: object;
  readonly name: string;
  readonly mode: 'exclusive' | 'shared';
  readonly grant: (lock: HeldLock | null) => void;
  readonly rob: () => void;
}

/**
 * Web Locks (https://www.w3.org/TR/web-locks/): requests queue in order for each name, a lock is held until what ran
 * under it has ended, and the platform frees what a dead agent held or waited for.
 */
class FakeLocks {
  readonly #browser: FakeBrowser;
  #held: LockRequest[] = [];
  #queue: LockRequest[] = [];
  readonly #dead = new WeakSet<object>();

  constructor(browser: FakeBrowser) {
    this.#browser = browser;
  }

  get held(): readonly HeldLock[] {
    return this.#held.map(({ name, mode }) => ({ name, mode }));
  }

  get waiting(): readonly HeldLock[] {
    return this.#queue.map(({ name, mode }) => ({ name, mode }));
  }

  isHeld(name: string): boolean {
    return this.#held.some((lock) => lock.name === name && lock.mode === 'exclusive');
  }

  async request<Result>(
    owner: object,
    name: string,
    options: { readonly mode?: 'exclusive' | 'shared'; readonly ifAvailable?: boolean },
    body: (lock: HeldLock | null) => Promise<Result>,
  ): Promise<Result> {
    await this.#browser.arrive(owner, `asks for ${name}`);
    if (this.#dead.has(owner)) return never();
    const { mode = 'exclusive', ifAvailable = false } = options;
    let request: LockRequest | null = null;
    let rob: () => void = () => undefined;
    const stolen = new Promise<never>((_, reject) => {
      rob = () => reject(new DOMException('The lock was stolen.', 'AbortError'));
    });
    stolen.catch(() => undefined);
    const granted = await new Promise<HeldLock | null>((grant) => {
      request = { owner, name, mode, grant, rob };
      if (ifAvailable && !this.#grantable(request)) {
        request = null;
        grant(null);
        return;
      }
      this.#queue.push(request);
      this.#process();
    });
    await this.#browser.arrive(owner, `hears of ${name}`);
    if (this.#dead.has(owner)) return never();
    try {
      return await Promise.race([body(granted), stolen]);
    } finally {
      await this.#browser.arrive(owner, `lets go of ${name}`);
      this.#held = this.#held.filter((lock) => lock !== request);
      this.#process();
    }
  }

  /** Keeps `name` held for a while after its owner has died, as a platform that frees its locks one by one. */
  keepBehind(name: string): { readonly free: () => void } {
    const behind = {};
    this.#held = this.#held.map((lock) => (lock.name === name ? { ...lock, owner: behind } : lock));
    return { free: () => this.free(behind) };
  }

  /** Foreign code takes the lock with `steal` and keeps it until it is freed: its holder is told and goes on, as the platform has it. */
  rob(name: string): { readonly free: () => void } {
    const holder = this.#held.find((lock) => lock.name === name);
    if (holder === undefined) throw new Error(`Nobody holds ${name}.`);
    const thief = { ...holder, owner: {}, rob: () => undefined };
    this.#held = this.#held.map((lock) => (lock === holder ? thief : lock));
    holder.rob();
    return { free: () => this.free(thief.owner) };
  }

  /** Its owner is dead. */
  free(owner: object): void {
    this.#dead.add(owner);
    this.#held = this.#held.filter((lock) => lock.owner !== owner);
    this.#queue = this.#queue.filter((lock) => lock.owner !== owner);
    this.#process();
  }

  #grantable(request: LockRequest): boolean {
    const index = this.#queue.indexOf(request);
    const ahead = index < 0 ? this.#queue : this.#queue.slice(0, index);
    if (ahead.some((other) => other.name === request.name)) return false;
    const held = this.#held.filter((lock) => lock.name === request.name);
    return request.mode === 'shared' ? held.every((lock) => lock.mode === 'shared') : held.length === 0;
  }

  #process(): void {
    for (const request of [...this.#queue]) {
      if (!this.#grantable(request)) continue;
      this.#queue = this.#queue.filter((other) => other !== request);
      this.#held.push(request);
      request.grant({ name: request.name, mode: request.mode });
    }
  }
}

/** A request as the server saw it. */
export interface Hit {
  readonly url: string;
  readonly method: string;
  readonly host: HostId;
  readonly at: EpochMs;
  /** When it was answered, or its client went away; `null` while it is open. */
  endedAt: EpochMs | null;
}

/** The server that automations send their requests to. */
class FakeServer {
  readonly hits: Hit[] = [];
  readonly #browser: FakeBrowser;
  /** How each request is answered; never, until the test says otherwise, where this does not settle. */
  respond: (hit: Hit) => Promise<Response> = () => Promise.resolve(new Response(null, { status: 204 }));
  /** Whether the client sees that its signal aborts; a client that hangs does not. */
  hearsAborts = true;
  /** The most requests that were open at once, for each URL and under `all`. */
  readonly most = new Map<string, number>();

  constructor(browser: FakeBrowser) {
    this.#browser = browser;
  }

  get open(): readonly Hit[] {
    return this.hits.filter(({ endedAt }) => endedAt === null);
  }

  /** Answers each request after `delay`. */
  takes(delay: DurationMs): void {
    this.respond = () =>
      new Promise((resolve) => {
        this.#browser.clock.setTimer(this, delay, () => resolve(new Response(null, { status: 204 })));
      });
  }

  /** Leaves requests open until the answer is given. */
  holds(): { answer(status?: number): Promise<void> } {
    const open: ((response: Response) => void)[] = [];
    this.respond = () => new Promise((resolve) => open.push(resolve));
    return {
      answer: async (status = 204) => {
        open.shift()?.(new Response(null, { status }));
        await this.#browser.quiet();
      },
    };
  }

  receive(host: FakeHost, url: string, init: RequestInit): Promise<Response> {
    const { signal } = init;
    // As fetch does: what was aborted before does not leave.
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const { clock } = this.#browser;
    const hit: Hit = { url, method: init.method ?? 'GET', host: host.id, at: clock.now(), endedAt: null };
    this.hits.push(hit);
    for (const key of [url, 'all']) {
      const open = this.open.filter((other) => key === 'all' || other.url === url).length;
      this.most.set(key, Math.max(this.most.get(key) ?? 0, open));
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        hit.endedAt ??= clock.now();
      };
      host.onDeath(end);
      signal?.addEventListener('abort', () => {
        if (!this.hearsAborts) return;
        end();
        reject(signal.reason as Error);
      });
      this.respond(hit).then(
        (response) => {
          end();
          void this.#browser.arrive(host, `hears from ${url}`).then(() => resolve(response));
        },
        (error: unknown) => {
          end();
          reject(error instanceof Error ? error : new TypeError('Failed to fetch'));
        },
      );
    });
  }
}

type Method = keyof Ledger;

interface Failure {
  readonly method: Method | 'any';
  times: number;
  readonly error: Error;
  readonly when: (args: readonly unknown[]) => boolean;
}

interface Hold {
  readonly reached: () => void;
  readonly until: Promise<void>;
}

function hold(
  holds: Map<Method, Hold>,
  method: Method,
): { readonly reached: Promise<void>; readonly release: () => void } {
  let release: () => void = () => undefined;
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrival = new Promise<void>((resolve) => {
    holds.set(method, { reached: resolve, until });
  });
  return { reached: arrival, release };
}

/** Storage of one host, as it fails or stalls. */
class FakeStorage {
  readonly #holds = new Map<Method, Hold>();
  readonly #answers = new Map<Method, Hold>();
  #failures: Failure[] = [];
  /** How often each method was called. */
  readonly calls = new Map<Method, number>();

  /** Calls of `method` reject before anything is read or written, until {@link works} or for so many `times`. */
  fails(method: Method | 'any', how: Partial<Omit<Failure, 'method'>> = {}): void {
    const error = new DOMException('The disk is full.', 'QuotaExceededError');
    this.#failures.push({ method, times: Infinity, error, when: () => true, ...how });
  }

  works(): void {
    this.#failures = [];
  }

  /** The next call of `method` waits before it begins. */
  holds(method: Method): { readonly reached: Promise<void>; readonly release: () => void } {
    return hold(this.#holds, method);
  }

  /** The next call of `method` is done at once, and its answer waits. */
  answersLate(method: Method): { readonly reached: Promise<void>; readonly release: () => void } {
    return hold(this.#answers, method);
  }

  async after(method: Method): Promise<void> {
    const late = this.#answers.get(method);
    this.#answers.delete(method);
    late?.reached();
    await late?.until;
  }

  async before(method: Method, args: readonly unknown[]): Promise<void> {
    this.calls.set(method, (this.calls.get(method) ?? 0) + 1);
    const held = this.#holds.get(method);
    this.#holds.delete(method);
    held?.reached();
    await held?.until;
    const failure = this.#failures.find(
      (one) => (one.method === method || one.method === 'any') && one.times > 0 && one.when(args),
    );
    if (failure === undefined) return;
    failure.times -= 1;
    throw failure.error;
  }
}

/** What a host can be opened with. */
export interface HostOptions {
  readonly name?: string;
  readonly kind?: HostKind;
  readonly build?: string;
  readonly builtAt?: EpochMs;
  /** The database refuses to open. */
  readonly refuses?: Error;
  /** The database takes so long to open. */
  readonly opensAfter?: DurationMs;
  /** An older build is in the way of opening it. */
  readonly isBlocked?: boolean;
}

/** One worker with its host, and what the test sees of it and does to it. */
export class FakeHost {
  readonly id: HostId;
  readonly name: string;
  readonly world: World;
  readonly host: Host;
  readonly calls: HostCalls;
  readonly storage = new FakeStorage();
  readonly complaints: { readonly message: string; readonly cause: unknown }[] = [];
  readonly heard: Hint[] = [];
  readonly shown: Showing[] = [];
  /** Whether the platform believes that it is connected. Change it by {@link setOnline}. */
  online = true;
  mayNotify = true;
  /** What its browser says of near networks; absent: it has no such permission. */
  localNetwork?: LocalNetworkPermission;
  mayShow = true;
  /** Whether it ended by itself. */
  exited = false;
  alive = true;
  ledger: Ledger | null = null;
  ledgerEvents: LedgerEvents | null = null;
  readonly #browser: FakeBrowser;
  readonly #listeners = new Set<(hint: Hint) => void>();
  readonly #onlineListeners = new Set<() => void>();
  readonly #onDeath: (() => void)[] = [];

  constructor(browser: FakeBrowser, options: HostOptions) {
    this.#browser = browser;
    this.id = uuid(browser.chance) as HostId;
    this.name = options.name ?? this.id.slice(0, 4);
    this.world = this.#makeWorld(options);
    this.host = new Host(this.world);
    this.calls = hostCalls(this.host, this.world);
  }

  /** Dies as a process does: nothing more of its code has any effect, and the platform frees what it held. */
  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#browser.clock.forget(this);
    for (const end of this.#onDeath) end();
    this.#browser.locks.free(this);
  }

  onDeath(end: () => void): void {
    this.#onDeath.push(end);
  }

  setOnline(online: boolean): void {
    this.online = online;
    if (online) for (const listener of this.#onlineListeners) listener();
  }

  hear(hint: Hint): void {
    this.heard.push(hint);
    for (const listener of this.#listeners) listener(hint);
  }

  #makeWorld({
    kind = 'shared-worker',
    build = 'one',
    builtAt = 0,
    refuses,
    opensAfter,
    isBlocked = false,
  }: HostOptions): World {
    const browser = this.#browser;
    const { clock } = browser;
    return {
      host: { id: this.id, kind, build },
      builtAt,
      origin: 'https://rota.test',
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      setTimer: (delay, fire) => (this.alive ? clock.setTimer(this, delay, fire) : () => undefined),
      randomBytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(browser.chance() * 256)),
      chance: browser.chance,
      locks: {
        tryWith: (name, body) =>
          this.#lives(() => browser.locks.request(this, name, { ifAvailable: true }, body)),
        holdForLife: (name, onLost) =>
          this.#lives(
            () =>
              new Promise((resolve) => {
                browser.locks
                  .request(this, name, {}, () => {
                    resolve();
                    return never();
                  })
                  .catch(() => {
                    if (this.alive) onLost();
                  });
              }),
          ),
        queue: (name, { onHeld, onLost }) => {
          let leave: () => void = () => undefined;
          const left = new Promise<void>((resolve) => (leave = resolve));
          let isLeft = false;
          void this.#lives(() =>
            browser.locks.request(this, name, {}, () => {
              if (!isLeft && this.alive) onHeld();
              return left;
            }),
          ).catch(() => {
            if (!isLeft) onLost();
          });
          return () => {
            isLeft = true;
            leave();
          };
        },
        whenFree: (name) =>
          this.#lives(() => browser.locks.request(this, name, { mode: 'shared' }, () => Promise.resolve())),
        held: () =>
          this.#lives(async () => {
            await browser.arrive(this, 'asks who holds what');
            const { held } = browser.locks;
            await browser.arrive(this, 'hears who holds what');
            return held;
          }),
      },
      hints: {
        post: (hint) => {
          if (this.alive) browser.post(this, hint);
        },
        listen: (listener) => {
          this.#listeners.add(listener);
          return () => this.#listeners.delete(listener);
        },
      },
      openLedger: (events) =>
        this.#lives(async () => {
          if (refuses !== undefined) throw refuses;
          if (isBlocked) events.onBlocked();
          if (opensAfter !== undefined)
            await new Promise<void>((resolve) => void clock.setTimer(this, opensAfter, resolve));
          this.ledgerEvents = events;
          this.ledger = await this.#openLedger(events);
          return this.ledger;
        }),
      fetch: (url, init) =>
        this.#lives(() =>
          browser.server.receive(this, url instanceof Request ? url.url : String(url), init ?? {}),
        ),
      online: () => this.online,
      timeZone: () => 'Europe/Berlin',
      onOnline: (listener) => {
        this.#onlineListeners.add(listener);
        return () => this.#onlineListeners.delete(listener);
      },
      mayNotify: () => this.mayNotify,
      localNetworkPermission: () => Promise.resolve(this.localNetwork ?? 'unknown'),
      notify: (notification) => {
        if (!this.alive || !this.mayShow) return Promise.resolve(false);
        this.shown.push(notification);
        return Promise.resolve(true);
      },
      complain: (message, cause) => {
        if (this.alive) this.complaints.push({ message, cause });
      },
      exit: () => {
        if (!this.alive) return;
        this.exited = true;
        this.kill();
      },
    };
  }

  /** What `work` answers, or nothing for ever once this host is dead. */
  async #lives<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isDead()) return never();
    try {
      const result = await work();
      return this.#isDead() ? await never() : result;
    } catch (error) {
      if (this.#isDead()) return never();
      throw error;
    }
  }

  /** Asked again after each await, where a plain look at the field would be taken for unchanged. */
  #isDead(): boolean {
    return !this.alive;
  }

  async #openLedger(events: LedgerEvents): Promise<Ledger> {
    const browser = this.#browser;
    const db = await browser.during(() => {
      globalThis.indexedDB = browser.factory;
      return openDatabase(events, never());
    });
    // Dying rolls back what has not been committed and ends the connection.
    const open = new Set<IDBTransaction>();
    const raw = unwrap(db);
    const begin = raw.transaction.bind(raw);
    raw.transaction = (...args): IDBTransaction => {
      const tx = begin(...args);
      open.add(tx);
      // Whoever asked for it: not all that a host does with its database is one call of the ledger.
      void browser.during(
        () =>
          new Promise<void>((resolve) => {
            for (const end of ['complete', 'abort'])
              tx.addEventListener(end, () => {
                open.delete(tx);
                resolve();
              });
          }),
      );
      return tx;
    };
    this.onDeath(() => {
      for (const tx of open) {
        try {
          tx.abort();
        } catch {
          // It is being committed: the storage process finishes that without us.
        }
      }
      raw.close();
    });
    return this.#watched(
      indexedDbLedger(db, () => browser.clock.now(), crypto, {
        onUnlocked: () => {
          if (this.alive) events.onUnlocked();
        },
        connect: (hear) => browser.shareKeys(this, hear),
      }),
    );
  }

  /** `ledger` with each call in the test's hand: when it begins, whether it fails, and when its answer arrives. */
  #watched(ledger: Ledger): Ledger {
    const browser = this.#browser;
    return new Proxy(ledger, {
      get: (target, property) => {
        // A promise that resolves with it asks for `then`.
        if (!Object.hasOwn(target, property)) return undefined;
        const method = property as Method;
        if (method === 'close') return () => target.close();
        const call = target[method] as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) =>
          this.#lives(async () => {
            await browser.arrive(this, method);
            await this.storage.before(method, args);
            if (this.#isDead()) return never();
            const answer = await browser.during(() => call(...args));
            await this.storage.after(method);
            await browser.arrive(this, `${method} answers`);
            return answer;
          });
      },
    });
  }
}

/** A tab: it holds its lock and hears hints. */
export interface FakeTab {
  readonly id: TabId;
  readonly heard: Hint[];
  close(): void;
}

/** Everything that the hosts of one origin share. */
export class FakeBrowser {
  readonly clock: FakeClock;
  readonly chance: () => number;
  readonly locks = new FakeLocks(this);
  readonly server = new FakeServer(this);
  readonly factory = new IDBFactory();
  readonly hosts: FakeHost[] = [];
  readonly #tabs: { readonly heard: Hint[]; open: boolean }[] = [];
  readonly #order: Order | null;
  /** Hints that arrive nowhere. */
  loses: (hint: Hint, from: FakeHost, to: FakeHost) => boolean = () => false;
  /** How many hints were posted. */
  posted = 0;
  #busy = 0;

  constructor(options: { readonly startAt?: EpochMs; readonly seed?: number; readonly order?: Order } = {}) {
    this.clock = new FakeClock(options.startAt ?? MONDAY);
    this.chance = chanceFrom(options.seed ?? 1);
    this.#order = options.order ?? null;
  }

  /** Starts a worker with a host. Its start-up is under way; {@link quiet} waits for it. */
  open(options: HostOptions = {}): FakeHost {
    const host = new FakeHost(this, { name: String.fromCharCode(65 + this.hosts.length), ...options });
    this.hosts.push(host);
    return host;
  }

  /** Starts a worker with a host and waits until it has done all it had to do. */
  async start(options: HostOptions = {}): Promise<FakeHost> {
    const host = this.open(options);
    await this.quiet();
    return host;
  }

  /** Opens a tab that has said hello to `host`. */
  async openTab(host: FakeHost): Promise<FakeTab> {
    const id = uuid(this.chance) as TabId;
    const tab = { heard: [] as Hint[], open: true };
    const owner = {};
    this.#tabs.push(tab);
    void this.locks.request(owner, tabLock(id), {}, () => never());
    await this.quiet();
    await host.calls.hello({ tabId: id, build: 'one', protocol: 1 });
    await this.quiet();
    return {
      id,
      heard: tab.heard,
      close: () => {
        tab.open = false;
        this.locks.free(owner);
      },
    };
  }

  /** As BroadcastChannel: everybody hears it, a little later, but who said it. */
  post(from: FakeHost, hint: Hint): void {
    this.posted += 1;
    for (const tab of this.#tabs) if (tab.open) tab.heard.push(structuredClone(hint));
    for (const to of this.hosts) {
      if (to === from || !to.alive || this.loses(hint, from, to)) continue;
      const copy = structuredClone(hint);
      void this.arrive(to, `hears ${hint.topic} from ${from.name}`).then(() => {
        if (to.alive) to.hear(copy);
      });
    }
  }

  readonly #keyHolders = new Map<object, (message: KeyMessage<CryptoKey>) => void>();

  /** `who` hears of the key of the secrets, and answers with how it says something: a host, or a tab of the test's. */
  shareKeys(
    who: object,
    hear: (message: KeyMessage<CryptoKey>) => void,
  ): (message: KeyMessage<CryptoKey>) => void {
    const isThere = (one: object): boolean => !(one instanceof FakeHost) || one.alive;
    this.#keyHolders.set(who, hear);
    return (message) => {
      for (const [to, tell] of this.#keyHolders) {
        if (to === who || !isThere(who)) continue;
        void this.arrive(to, `hears of keys: ${message.kind}`).then(() => {
          if (isThere(to)) tell(structuredClone(message));
        });
      }
    };
  }

  /** Resolves a little later, when what is under way to `to` arrives there. */
  async arrive(to: object, label: string): Promise<void> {
    const name = to instanceof FakeHost ? to.name : 'tab';
    if (this.#order === null) await this.during(turn);
    else await this.#order.pass(`${name} ${label}`);
  }

  /** Counts `work` as under way until it has ended. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Resolves when nothing happens any more without a timer, the test, or an {@link Order}. */
  async quiet(): Promise<void> {
    let calm = 0;
    for (let turns = 0; calm < CALM_TURNS; turns++) {
      if (turns > TURNS_MOST) throw new Error(`The hosts find no rest; ${this.posted} hints were posted.`);
      await turn();
      if (await importsCame()) calm = turns = 0;
      else calm = this.#busy === 0 ? calm + 1 : 0;
    }
  }

  /** Lets `by` pass, timer by timer, each with all that follows from it. */
  async advance(by: DurationMs): Promise<void> {
    await this.quiet();
    const until = this.clock.monotonic() + by;
    while (this.clock.step(until - this.clock.monotonic())) await this.quiet();
    await this.quiet();
  }

  /** All rows of the ledger in the order in which they were decided. */
  async runs(): Promise<readonly RunRow[]> {
    const rows = await (await this.reader()).listRuns({ limit: 10_000 });
    return [...rows].sort(
      (x, y) =>
        x.claimedAt - y.claimedAt ||
        x.scheduledFor - y.scheduledFor ||
        x.automationName.localeCompare(y.automationName),
    );
  }

  /** Changes a stored row behind everybody's back, as what another browser or build may have written. */
  async replant(store: string, key: string, change: (row: object) => object): Promise<void> {
    const db = await answered(this.factory.open(DATABASE));
    const rows = db.transaction(store, 'readwrite').objectStore(store);
    await answered(rows.put(change((await answered(rows.get(key))) as object)));
    db.close();
  }

  #reader: Promise<Ledger> | null = null;
  /** The ledger through a connection of the test's own. */
  reader(): Promise<Ledger> {
    globalThis.indexedDB = this.factory;
    this.#reader ??= openDatabase(
      { onVersionChange: () => undefined, onLost: () => undefined },
      never(),
    ).then((db) => indexedDbLedger(db, () => this.clock.now(), crypto));
    return this.#reader;
  }

  /** A newer build opens the database with changed stores: it waits for every connection to be closed. */
  upgrade(): { readonly isDone: () => boolean; readonly statuses: () => Promise<readonly string[]> } {
    let db: IDBDatabase | null = null;
    const request = this.factory.open(DATABASE, DATABASE_VERSION + 1);
    request.onsuccess = () => (db = request.result);
    return {
      isDone: () => db !== null,
      statuses: async () => {
        if (db === null) throw new Error('It has not been opened.');
        const rows = (await answered(db.transaction('runs').objectStore('runs').getAll())) as RunRow[];
        return rows.map(({ status }) => status);
      },
    };
  }

  /** A row as it is stored. */
  async row(store: string, key: IDBValidKey): Promise<unknown> {
    const db = await answered(this.factory.open(DATABASE));
    const row: unknown = await answered(db.transaction(store).objectStore(store).get(key));
    db.close();
    return row;
  }

  /** Another program changes a stored row, as a newer build may. */
  async rewrite(store: string, key: IDBValidKey, change: (row: object) => object): Promise<void> {
    const row = await this.row(store, key);
    const db = await answered(this.factory.open(DATABASE));
    await answered(
      db
        .transaction(store, 'readwrite')
        .objectStore(store)
        .put(change(row as object)),
    );
    db.close();
  }

  commandId(): CommandId {
    return uuid(this.chance) as CommandId;
  }
}

/** An automation that sends a GET request; `schedule` is by hand unless it says otherwise. */
export function getting(url: string, rest: Partial<DefinitionInput> = {}): DefinitionInput {
  return { name: url, schedule: { kind: 'manual' }, action: { kind: 'http', url }, ...rest };
}

/** Saves `definition` by `host`, over what `id` is of, and answers its id. */
export async function save(
  host: FakeHost,
  definition: DefinitionInput,
  id?: AutomationId,
): Promise<AutomationId> {
  const saved = await host.calls.saveAutomation({
    automation: definition,
    ...(id === undefined ? {} : { id }),
  });
  if (saved.kind !== 'saved') throw new Error(`not saved: ${JSON.stringify(saved)}`);
  return saved.automation.id;
}

/** A request that must not be repeated. */
export function posting(url: string): DefinitionInput['action'] {
  return { kind: 'http', method: 'POST', url };
}

/** The statuses of all rows, oldest first. */
export async function statuses(browser: FakeBrowser): Promise<readonly string[]> {
  return (await browser.runs()).map(({ status }) => status);
}
