/**
 * The life of one scheduler instance (protocol, section 7):
 *
 *     starting --> running --> retiring --> gone
 *         \--> failed (no database), and every call says why
 *
 * Start-up, explicit and in this order: hold the life-long lock, open the ledger, prepare time, recover what dead hosts
 * left, give every enabled automation its agenda row, claim what is due, set the alarm. Then each tick does the same.
 */
import {
  type DurationMs,
  type EpochMs,
  type HostRef,
  type TabId,
  hostLock,
  prepareTime,
  tabLock,
} from '../domain/index.ts';
import type { Hint } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';
import { Alarm } from './alarm.ts';
import { Dispatcher } from './dispatcher.ts';
import { Outbox } from './outbox.ts';
import { Recoverer } from './recoverer.ts';
import { Runner } from './runner.ts';
import { singleFlight } from './single-flight.ts';
import type { World } from './world.ts';

/** How long a retiring host lets its runs finish before it goes and leaves them to recovery. */
export const RETIRE_WAIT_MS: DurationMs = 10_000;
/** How long a host that could not start stays to say so. */
const FAILED_LINGER_MS: DurationMs = 500;
/** Answers to commands are kept this long: far longer than any tab repeats one. */
const COMMANDS_KEPT_MS: DurationMs = 7 * 86_400_000;
const TAB_LOCK = 'rota/tab/';

/** Another host on this origin, as it announced itself. */
export interface Peer {
  readonly host: HostRef;
  readonly builtAt: EpochMs;
}

type Phase = 'starting' | 'running' | 'retiring' | 'gone';

/** What the API works with once the host runs. */
export interface Engine {
  readonly ledger: Ledger;
  readonly runner: Runner;
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
}

export class Host {
  readonly startedAt: EpochMs;
  readonly #world: World;
  readonly #alarm: Alarm;
  readonly #peers = new Map<string, Peer>();
  readonly #tabs = new Set<TabId>();
  readonly #started: Promise<Engine>;
  readonly #tick: () => Promise<void>;
  #engine: Engine | null = null;
  #recoverer: Recoverer | null = null;
  #phase: Phase = 'starting';
  #trouble: string | null = null;

  constructor(world: World) {
    this.#world = world;
    this.startedAt = world.now();
    this.#alarm = new Alarm(world, () => void this.tick());
    this.#tick = singleFlight(
      () => this.#round(),
      (error) => this.#fault('The engine met an error and goes on.', error),
    );
    this.#started = this.#start();
    // Whoever calls is told why; then this worker ends, so that the next call starts one that tries again.
    this.#started.catch((error: unknown) => {
      this.#fault('The engine could not start.', error);
      world.setTimer(FAILED_LINGER_MS, () => {
        this.#phase = 'gone';
        world.exit();
      });
    });
  }

  /** Resolves when the start-up tick may begin: the lock is held and the ledger is open. Rejects when it cannot be. */
  get ready(): Promise<Engine> {
    return this.#started;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** What a person should know of, in words; `null` when all is well. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Other hosts that announced themselves, the dead ones forgotten. */
  get peers(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  /** The build of the newest host that is newer than this one, or `null`. */
  get newerBuild(): string | null {
    const newer = this.peers.filter((peer) => peer.builtAt > this.#world.builtAt);
    return newer.sort((a, b) => b.builtAt - a.builtAt)[0]?.host.build ?? null;
  }

  /** Looks at everything once: recovers, stops what must stop, claims what is due, delivers, sets the alarm. */
  tick(): Promise<void> {
    return this.#tick();
  }

  /** A tab said hello: it counts until its lock is free. */
  welcome(tab: TabId): void {
    if (this.#tabs.has(tab)) return;
    this.#tabs.add(tab);
    this.#world.locks
      .whenFree(tabLock(tab))
      .then(() => {
        this.#tabs.delete(tab);
        this.#world.hints.post({ topic: 'hosts' });
      })
      .catch((error: unknown) => this.#fault('A tab could not be watched.', error));
    this.#world.hints.post({ topic: 'hosts' });
    // It may be the first window that can show what waits to be shown.
    void this.tick();
  }

  /** How many tabs are open on this origin, whichever host they talk to. */
  async countTabs(): Promise<number> {
    const held = await this.#world.locks.held();
    return held.filter(({ name, mode }) => mode === 'exclusive' && name.startsWith(TAB_LOCK)).length;
  }

  /** Tells tabs and other hosts that rows or automations changed. After the commit, never before. */
  changed(topic: 'automations' | 'runs' | 'settings'): void {
    this.#world.hints.post({ topic });
  }

  /**
   * Stops claiming, lets what runs finish for up to `wait`, closes the database and ends the worker. What has not
   * finished by then is recovered by the next host as interrupted.
   */
  async retire(wait: DurationMs = RETIRE_WAIT_MS): Promise<void> {
    if (this.#phase === 'retiring' || this.#phase === 'gone') return;
    this.#phase = 'retiring';
    this.#alarm.stop();
    await this.#engine?.runner.settled(wait);
    this.#phase = 'gone';
    this.#engine?.ledger.close();
    this.#world.exit();
  }

  async #start(): Promise<Engine> {
    const world = this.#world;
    await world.locks.holdForLife(hostLock(world.host.id));
    const [ledger] = await Promise.all([
      world.openLedger({
        onVersionChange: () => void this.retire(),
        // Without the database there is nothing to wait for: the tabs start another host, which opens it again.
        onLost: () => void this.retire(0),
      }),
      prepareTime(),
    ]);
    const runner = new Runner(world, ledger);
    const dispatcher = new Dispatcher(world, ledger, runner, {
      onChange: () => this.changed('runs'),
      onReleased: () => {
        this.changed('runs');
        void this.tick();
      },
    });
    this.#recoverer = new Recoverer(world, ledger, () => {
      this.#world.hints.post({ topic: 'hosts' });
      void this.#forgetDead().then(() => this.tick());
    });
    const engine: Engine = { ledger, runner, dispatcher, outbox: new Outbox(world, ledger) };
    this.#engine = engine;
    this.#phase = 'running';
    world.hints.listen((hint) => this.#hear(hint));
    world.onOnline(() => void this.tick());
    this.#announce(true);
    await ledger.repairAgenda(world.now());
    await ledger.forgetCommands(world.now() - COMMANDS_KEPT_MS, 1_000);
    void this.tick();
    return engine;
  }

  async #round(): Promise<void> {
    const engine = this.#engine;
    if (engine === null || this.#phase !== 'running') return;
    let again: DurationMs | null = null;
    try {
      const recovered = await this.#recoverer?.recover();
      if (recovered !== undefined && recovered > 0) this.changed('runs');
      await engine.runner.check();
      again = await engine.dispatcher.drain();
      await engine.outbox.deliver(this.#tabs.size);
      this.#trouble = null;
    } catch (error) {
      this.#fault('The engine met an error and tries again.', error);
    } finally {
      await this.#setAlarm(engine, again);
    }
  }

  async #setAlarm(engine: Engine, again: DurationMs | null): Promise<void> {
    if (this.#phase !== 'running') return;
    const now = this.#world.now();
    let dueAt: EpochMs | null = null;
    try {
      // Rows that wait for something else than time are looked at when that comes, or on the next tick.
      dueAt = await engine.ledger.nextDueAfter(now);
    } finally {
      const soonest = again === null ? dueAt : Math.min(dueAt ?? Infinity, now + again);
      this.#alarm.set(soonest);
    }
  }

  #hear(hint: Hint): void {
    switch (hint.topic) {
      case 'host':
        if (hint.host.id === this.#world.host.id) return;
        this.#peers.set(hint.host.id, { host: hint.host, builtAt: hint.builtAt });
        this.#recoverer?.watch(hint.host.id);
        if (hint.asks) this.#announce(false);
        this.#world.hints.post({ topic: 'hosts' });
        return;
      case 'runs':
      case 'automations':
      case 'settings':
        void this.tick();
        return;
      case 'hosts':
      case 'notifications':
        return;
    }
  }

  #announce(asks: boolean): void {
    this.#world.hints.post({ topic: 'host', host: this.#world.host, builtAt: this.#world.builtAt, asks });
  }

  async #forgetDead(): Promise<void> {
    const names = new Set((await this.#world.locks.held()).map(({ name }) => name));
    for (const id of this.#peers.keys()) {
      if (!names.has(hostLock(id as HostRef['id']))) this.#peers.delete(id);
    }
  }

  #fault(message: string, error: unknown): void {
    this.#trouble = `${message} ${error instanceof Error ? error.message : String(error)}`;
    this.#world.complain(message, error);
    this.#world.hints.post({ topic: 'hosts' });
  }
}
