/**
 * The life of one scheduler instance (protocol, section 7):
 *
 *     starting --> running --> retiring --> gone
 *         \--> failed (no database), and every call says why
 *
 * Start-up, explicit and in this order: hold the life-long lock, open the ledger, prepare time, recover what dead hosts
 * left, claim what is due, set the alarm, and only then look whether any automation lost its agenda row, which with many of
 * them takes longer than all the rest. Then each tick does what is before that.
 */
import { prepareActions } from '../actions/index.ts';
import {
  type AutomationId,
  type DurationMs,
  type EpochMs,
  type HostId,
  type HostRef,
  PRESENCE_WRITE_MS,
  type TabId,
  hostLock,
  isUuid,
  prepareTime,
  tabLock,
} from '../domain/index.ts';
import type { Hint } from '../rpc/index.ts';
import { BLOCKED, type Ledger, StorageUnavailable } from '../store/index.ts';
import { ALARM_MOST_MS, Alarm, soonest } from './alarm.ts';
import { Courtesy, STAND_BY_MS } from './courtesy.ts';
import { Dispatcher, Retired } from './dispatcher.ts';
import type { Executors } from './executors.ts';
import { lazily } from './lazily.ts';
import type { Upkeep } from './upkeep.ts';
import { Journal } from './journal.ts';
import { liveHosts } from './leases.ts';
import { Outbox } from './outbox.ts';
import { Recoverer } from './recoverer.ts';
import { reasonOf } from './reason.ts';
import { Runner } from './runner.ts';
import { singleFlight } from './single-flight.ts';
import type { World } from './world.ts';

/** How long a retiring host lets its runs finish before it goes and leaves them to recovery. */
const RETIRE_WAIT_MS: DurationMs = 10_000;
/** How long a retiring host takes to end what has not finished: a few transactions, if storage answers at all. */
const PART_WAIT_MS: DurationMs = 1_000;
/** How long a host that could not start stays to say so. */
const FAILED_LINGER_MS: DurationMs = 500;
/** How soon a round that met an error is repeated; it doubles with each, up to the alarm's longest sleep. */
const ERROR_RETRY_FIRST_MS: DurationMs = 1_000;
/**
 * A newer host takes what is due, and an older one leaves it the duty. What is still there after so long is taken all the
 * same: a host in a frozen tab keeps its lock and does nothing, and correctness never depends on who is first.
 */
const STAND_BACK_MS: DurationMs = 30_000;
/** A wall clock that goes back by less between two rounds was put right by a little; the agenda has no need to know. */
const SET_BACK_MS: DurationMs = 60_000;
/** Answers to commands are kept this long: far longer than any tab repeats one. */
const COMMANDS_KEPT_MS: DurationMs = 7 * 86_400_000;
/** The first minute of a host is for what is due. */
const UPKEEP_AFTER_MS: DurationMs = 45_000;
const TAB_LOCK = 'rota/tab/';

/** Another host on this origin, as it announced itself. */
export interface Peer {
  readonly host: HostRef;
  readonly builtAt: EpochMs;
  readonly startedAt: EpochMs;
}

/** With more than so many written automations, a hint says none of them, and others read all. */
const TOUCHED_MOST = 500;

type Phase = 'starting' | 'running' | 'retiring' | 'gone';

/** What the API works with once the host runs. */
export interface Engine {
  readonly ledger: Ledger;
  readonly runner: Runner;
  /** What tabs lend to it; loaded when something is first to be computed there. Rejects when that cannot be loaded. */
  readonly executors: () => Promise<Executors>;
  /** What it does for the ledger now and then; loaded some time after the start. */
  readonly upkeep: () => Promise<Upkeep>;
  readonly dispatcher: Dispatcher;
  readonly outbox: Outbox;
  readonly journal: Journal;
}

export class Host {
  readonly startedAt: EpochMs;
  readonly #world: World;
  readonly #alarm: Alarm;
  readonly #courtesy: Courtesy;
  readonly #peers = new Map<string, Peer>();
  readonly #tabs = new Set<TabId>();
  /** Those of them that can ask the model of their browser. */
  readonly #models = new Set<TabId>();
  readonly #started: Promise<Engine>;
  readonly #tick: () => Promise<void>;
  /** Apart from the rounds: one that claims much must not keep a dead host's runs waiting. */
  readonly #takeOver: () => Promise<void>;
  #engine: Engine | null = null;
  /** When it last wrote down that it is there. */
  #tracedAt: EpochMs | null = null;
  #recoverer: Recoverer | null = null;
  #phase: Phase = 'starting';
  #trouble: string | null = null;
  /** Whether an older build has kept this host from the database. */
  #isBlocked = false;
  /** Automations that this host has written since its last hint. */
  readonly #touched = new Set<AutomationId>();
  #watcher: ((ids: readonly AutomationId[] | null) => void) | null = null;
  /** Whether a tab has ever said hello. */
  #hasServed = false;
  /** Whether it has yet to look through the agenda for what lost its row. */
  #owesRepair = true;
  /** Rounds in a row that met an error. */
  #failures = 0;
  /** How far the wall clock was ahead of the monotonic one when they were last compared. */
  #ahead: number;

  constructor(world: World) {
    this.#world = world;
    this.startedAt = world.now();
    this.#ahead = this.startedAt - world.monotonic();
    this.#alarm = new Alarm(world, () => void this.tick());
    this.#courtesy = new Courtesy(world, () => void this.tick());
    this.#tick = singleFlight(
      () => this.#round(),
      (error) => this.#fault('The engine met an error and goes on.', error),
    );
    this.#takeOver = singleFlight(
      () => this.#recoverNow(),
      (error) => this.#fault('What a dead engine left could not be taken over.', error),
    );
    this.#started = this.#start();
    // Whoever calls is told why; then this worker ends, so that the next call starts one that tries again.
    this.#started.catch((error: unknown) => {
      if (this.#phase === 'gone') return;
      this.#fault('The engine could not start.', error);
      this.#phase = 'retiring';
      world.setTimer(FAILED_LINGER_MS, () => {
        this.#leave();
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
    return this.#trouble ?? this.#engine?.runner.trouble ?? null;
  }

  /** Other hosts that announced themselves, the dead ones forgotten. */
  get peers(): readonly Peer[] {
    return [...this.#peers.values()];
  }

  /** The build of the newest host that is newer than this one and stays, or `null`. */
  get newerBuild(): string | null {
    // A service worker's host is there for one event, and nobody can move to it.
    const stays = this.peers.filter(({ host }) => host.kind !== 'service-worker');
    const newer = stays.filter((peer) => peer.builtAt > this.#world.builtAt);
    return newer.sort((a, b) => b.builtAt - a.builtAt)[0]?.host.build ?? null;
  }

  /**
   * {@link ready}, or after `most` a rejection that says what it waits for: a host that does not answer at all counts as
   * wedged, and one whose browser takes its time to open the database is not.
   */
  async readyWithin(most: DurationMs): Promise<Engine> {
    let undo = (): void => undefined;
    const late = new Promise<never>((_, reject) => {
      undo = this.#world.setTimer(most, () =>
        reject(
          this.#isBlocked
            ? new StorageUnavailable('blocked', BLOCKED)
            : new StorageUnavailable('refused', 'The browser has not opened the database yet.'),
        ),
      );
    });
    try {
      return await Promise.race([this.#started, late]);
    } finally {
      undo();
    }
  }

  /** Looks at everything once: recovers, stops what must stop, claims what is due, delivers, sets the alarm. */
  tick(): Promise<void> {
    return this.#tick();
  }

  /** A tab said hello: it counts until its lock is free. */
  welcome(tab: TabId): void {
    if (this.#tabs.has(tab)) return;
    this.#hasServed = true;
    this.#tabs.add(tab);
    this.#world.locks
      .whenFree(tabLock(tab))
      .then(() => {
        this.#tabs.delete(tab);
        this.#models.delete(tab);
        this.#post({ topic: 'hosts' });
        // It may have been the last for whose sake an older host stays.
        if (this.newerBuild !== null) void this.tick();
      })
      .catch((error: unknown) => this.#fault('A tab could not be watched.', error));
    this.#post({ topic: 'hosts' });
    // It may be the first window that can show what waits to be shown.
    void this.tick();
  }

  /** Notes whether a tab that has said hello can ask the model of its browser. */
  noteModel(tab: TabId, canAsk: boolean): void {
    if (!canAsk) this.#models.delete(tab);
    else if (this.#tabs.has(tab) && !this.#models.has(tab)) {
      this.#models.add(tab);
      // What has waited for it is due.
      void this.tick();
    }
  }

  /** How many tabs are open on this origin, whichever host they talk to. */
  async countTabs(): Promise<number> {
    const held = await this.#world.locks.held();
    return held.filter(({ name, mode }) => mode === 'exclusive' && name.startsWith(TAB_LOCK)).length;
  }

  /** This host, then every other that is alive and has said who it is. */
  async listHosts(): Promise<
    readonly {
      readonly hostId: HostId;
      readonly kind: HostRef['kind'];
      readonly build: string;
      readonly startedAt: EpochMs;
      readonly self: boolean;
    }[]
  > {
    const alive = await liveHosts(this.#world);
    const peers = this.peers.filter((peer) => alive.has(peer.host.id));
    return [{ host: this.#world.host, startedAt: this.startedAt }, ...peers].map(
      ({ host, startedAt }, index) => ({
        hostId: host.id,
        kind: host.kind,
        build: host.build,
        startedAt,
        self: index === 0,
      }),
    );
  }

  /** Tells tabs and other hosts that rows or automations changed. After the commit, never before. */
  changed(topic: 'automations' | 'runs' | 'settings'): void {
    const touched = [...this.#touched];
    this.#touched.clear();
    this.#post({ topic, ...(touched.length > TOUCHED_MOST ? {} : { touched }) });
  }

  /** Has `listener` (one) told which automations were written, by this host or another; `null`: any of them. */
  watchAutomations(listener: (ids: readonly AutomationId[] | null) => void): void {
    this.#watcher = listener;
  }

  /**
   * Stops claiming, lets what runs finish for up to `wait`, ends what has not finished by then as interrupted, closes the
   * database and ends the worker. What it cannot end for want of storage is recovered by the next host.
   */
  async retire(wait: DurationMs = RETIRE_WAIT_MS): Promise<void> {
    if (this.#phase === 'retiring' || this.#phase === 'gone') return;
    this.#phase = 'retiring';
    this.#alarm.stop();
    this.#courtesy.giveUp();
    const engine = this.#engine;
    if (engine !== null) {
      // A claim under way may yet give a run: it is waited for like one, or its occurrence would be interrupted unrun.
      await this.#atMost(
        wait,
        engine.dispatcher.stop().then(() => engine.runner.idle()),
      );
      await this.#part(engine);
    }
    this.#leave();
  }

  /** Rejects with {@link Retired} once this host takes on nothing any more. */
  assertStaying(): void {
    if (this.#phase === 'retiring' || this.#phase === 'gone')
      throw new Retired('This engine is stopping. Ask the next one.');
  }

  /** Stops what still runs, and ends it as the next host would: its leases are free. */
  async #part({ runner }: Engine): Promise<void> {
    runner.abandon();
    const end = async (): Promise<void> => {
      await runner.idle();
      const recovery = await this.#recoverer?.recover();
      if ((recovery?.ended ?? 0) > 0) this.changed('runs');
    };
    // The next host ends what this one cannot.
    await this.#atMost(
      PART_WAIT_MS,
      end().catch(() => undefined),
    );
  }

  #leave(): void {
    this.#phase = 'gone';
    this.#engine?.ledger.close();
    this.#world.exit();
  }

  async #atMost(wait: DurationMs, work: Promise<void>): Promise<void> {
    let undo = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      undo = this.#world.setTimer(wait, resolve);
    });
    await Promise.race([work, late]);
    undo();
  }

  async #start(): Promise<Engine> {
    const world = this.#world;
    // Foreign code that steals it has everybody take this host for dead. So it goes, and its leases with it.
    await world.locks.holdForLife(hostLock(world.host.id), () => void this.retire(0));
    const [opened] = await Promise.all([
      world.openLedger({
        onBlocked: () => {
          this.#isBlocked = true;
        },
        onVersionChange: () => void this.retire(),
        // Without the database there is nothing to wait for: the tabs start another host, which opens it again.
        onLost: () => void this.retire(0),
        onUnlocked: () => {
          this.changed('settings');
          void this.tick();
        },
      }),
      prepareTime(),
    ]);
    if (this.#phase !== 'starting') {
      opened.close();
      throw new Retired('This engine was stopped before it had started.');
    }
    opened.onAutomationWritten((id) => {
      this.#touched.add(id);
      this.#watcher?.([id]);
    });
    const journal = new Journal();
    const ledger = journal.watching(opened, world);
    const executors = lazily(
      async () =>
        new (await import('./executors.ts')).Executors(
          world,
          (what) => (what === 'script' ? this.#tabs : this.#models).size > 0,
        ),
    );
    const runner = new Runner(world, ledger, executors, () => this.#post({ topic: 'hosts' }));
    const dispatcher = new Dispatcher(world, ledger, runner, {
      onChange: () => this.changed('runs'),
      hasModel: () => this.#models.size > 0,
      onWaiting: () => this.#post({ topic: 'hosts' }),
      onReleased: () => {
        this.changed('runs');
        void this.tick();
      },
    });
    this.#recoverer = new Recoverer(
      world,
      ledger,
      (run) => runner.has(run),
      () => void this.#mourn(),
    );
    const outbox = new Outbox(world, ledger, () => this.countTabs());
    const upkeep = lazily(
      async () =>
        new (await import('./upkeep.ts')).Upkeep(world, ledger, {
          isClaiming: () => dispatcher.isClaiming,
          hasLeft: () => this.#hasLeft(),
          onChange: () => this.changed('runs'),
          tick: () => this.tick(),
        }),
    );
    const engine: Engine = { ledger, runner, executors, upkeep, dispatcher, outbox, journal };
    this.#engine = engine;
    this.#phase = 'running';
    world.hints.listen((hint) => this.#hear(hint));
    world.onOnline(() => void this.tick());
    this.#queueForDuty();
    this.#announce(true);
    void this.tick();
    void prepareActions();
    world.setTimer(UPKEEP_AFTER_MS, () => {
      // What could not be loaded is loaded by the next host, or when somebody asks for it.
      upkeep().then(
        (part) => part.live(),
        () => undefined,
      );
    });
    return engine;
  }

  async #round(): Promise<void> {
    const engine = this.#engine;
    const recoverer = this.#recoverer;
    if (engine === null || recoverer === null || this.#phase !== 'running') return;
    // What falls due from here on may be too late for this round: the alarm rings for it.
    const from = this.#world.now();
    const errors: unknown[] = [];
    // Each is done though the one before it failed: a row that cannot be recovered must not keep others from running.
    const attempt = async <Result>(otherwise: Result, work: () => Promise<Result>): Promise<Result> => {
      try {
        return await work();
      } catch (error) {
        errors.push(error);
        return otherwise;
      }
    };
    await attempt(undefined, () => this.#noticeSetBack(engine.ledger, from));
    await attempt(undefined, () => this.#leaveTrace(engine.ledger, from));
    const recovery = await attempt({ ended: 0, again: null, errors: [] }, () => recoverer.recover());
    if (recovery.ended > 0) this.changed('runs');
    await attempt(undefined, () => engine.runner.check());
    const lateness = this.#lateness();
    const drained = await attempt({ again: null, errors: [] }, () => engine.dispatcher.drain(lateness));
    const undelivered = await attempt(null, () => engine.outbox.deliver());
    const dueAt = await attempt(null, () => engine.ledger.nextDueAfter(from - lateness));
    if (this.#hasLeft()) return;
    if (this.#isSuperseded()) {
      void this.retire();
      return;
    }
    const retry = this.#judge([...errors, ...recovery.errors, ...drained.errors]);
    const again = [recovery.again, drained.again, undelivered, retry].reduce(soonest);
    // Rows that wait for something else than time are looked at when that comes, or after the longest sleep.
    const ripeAt = dueAt === null ? null : dueAt + lateness;
    this.#alarm.set(again === null ? ripeAt : Math.min(ripeAt ?? Infinity, this.#world.now() + again));
    if (this.#owesRepair) void this.#repair(engine.ledger);
  }

  /**
   * Looks once through all of the agenda, for automations that nothing would wake again. Beside the rounds and after the first:
   * what is due does not wait for it. Tried again with the next round where it fails.
   */
  async #repair(ledger: Ledger): Promise<void> {
    this.#owesRepair = false;
    try {
      const repaired = await ledger.repairAgenda(this.#world.now());
      await ledger.forgetCommands(this.#world.now() - COMMANDS_KEPT_MS, 1_000);
      if (repaired === 0) return;
      this.changed('automations');
      void this.tick();
    } catch (error) {
      this.#owesRepair = true;
      if (!this.#hasLeft())
        this.#fault('The agenda could not be looked through, and it is tried again.', error);
    }
  }

  /**
   * Whether nobody needs this host any more: a newer one is there, no tab is left that only this one serves, and nothing
   * runs here. While a tab is left it stays, because a tab without a host shows nothing and saves nothing.
   */
  #isSuperseded(): boolean {
    const isIdle = this.#engine?.runner.isIdle ?? true;
    return this.newerBuild !== null && this.#hasServed && this.#tabs.size === 0 && isIdle;
  }

  /** How late an occurrence must be for this host to take it. */
  #lateness(): DurationMs {
    if (this.newerBuild !== null) return STAND_BACK_MS;
    return this.#courtesy.isOnDuty ? 0 : STAND_BY_MS;
  }

  /** Queues for the duty, or leaves it to a newer host. */
  #queueForDuty(): void {
    if (this.#phase !== 'running') return;
    if (this.newerBuild === null) this.#courtesy.stand();
    else this.#courtesy.giveUp();
  }

  /** Writes down now and then that it is there, so that a later host can say why nothing ran in between. */
  async #leaveTrace(ledger: Ledger, now: EpochMs): Promise<void> {
    if (this.#tracedAt !== null && now >= this.#tracedAt && now - this.#tracedAt < PRESENCE_WRITE_MS) return;
    await ledger.extendPresence(now, [...(await liveHosts(this.#world))]);
    this.#tracedAt = now;
  }

  /** Plans the agenda anew after the wall clock was set back; the ledger knows by how much that matters. */
  async #noticeSetBack(ledger: Ledger, now: EpochMs): Promise<void> {
    const ahead = now - this.#world.monotonic();
    if (ahead < this.#ahead - SET_BACK_MS) {
      const repaired = await ledger.repairAgenda(now);
      if (repaired > 0) this.changed('automations');
    }
    this.#ahead = ahead;
  }

  /** Says what went wrong in a round, or that all is well again. Answers when to try again. */
  #judge([error]: readonly unknown[]): DurationMs | null {
    if (error === undefined) {
      this.#failures = 0;
      if (this.#trouble !== null) {
        this.#trouble = null;
        this.#post({ topic: 'hosts' });
      }
      return null;
    }
    this.#fault('The engine met an error and tries again.', error);
    const wait = Math.min(ALARM_MOST_MS, ERROR_RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
    return wait;
  }

  /** Asked after an await, where a plain look at the field would be taken for unchanged. */
  #hasLeft(): boolean {
    return this.#phase !== 'running';
  }

  #hear(hint: Hint): void {
    switch (hint.topic) {
      case 'host':
        if (hint.host.id === this.#world.host.id) return;
        this.#peers.set(hint.host.id, { host: hint.host, builtAt: hint.builtAt, startedAt: hint.startedAt });
        this.#recoverer?.watch(hint.host.id);
        this.#queueForDuty();
        if (hint.asks) this.#announce(false);
        this.#post({ topic: 'hosts' });
        return;
      case 'runs':
      case 'automations':
      case 'settings':
        // Another page of the origin can post what it likes.
        this.#watcher?.(Array.isArray(hint.touched) ? hint.touched.filter(isUuid) : null);
        void this.tick();
        return;
      case 'hosts':
      case 'notifications':
      case 'progress':
      case 'executor':
        return;
    }
  }

  #announce(asks: boolean): void {
    const { host, builtAt } = this.#world;
    this.#post({ topic: 'host', host, builtAt, startedAt: this.startedAt, asks });
  }

  /** A watched host has died: forgets it, and takes over what it left. */
  async #mourn(): Promise<void> {
    // Before all else, and with nothing beside it that would be in its way: tabs that hear of it ask this host, too.
    await this.#takeOver();
    // It may have died between a write and its hint.
    this.#watcher?.(null);
    this.#post({ topic: 'hosts' });
    try {
      const names = new Set((await this.#world.locks.held()).map(({ name }) => name));
      for (const id of this.#peers.keys()) {
        if (!names.has(hostLock(id as HostRef['id']))) this.#peers.delete(id);
      }
    } catch (error) {
      this.#fault('The hosts that are alive could not be found out.', error);
    }
    this.#queueForDuty();
    await this.tick();
  }

  /** Ends what dead hosts left. What cannot be ended now is met, and told of, in the next round. */
  async #recoverNow(): Promise<void> {
    const recoverer = this.#recoverer;
    if (recoverer === null || this.#hasLeft()) return;
    const { ended, again } = await recoverer.recover();
    if (this.#hasLeft()) return;
    if (ended > 0) {
      this.changed('runs');
      void this.tick();
    }
    if (again !== null) this.#world.setTimer(again, () => void this.#takeOver());
  }

  #fault(message: string, error: unknown): void {
    this.#trouble = `${message} ${reasonOf(error)}`;
    this.#world.complain(message, error);
    this.#post({ topic: 'hosts' });
  }

  /** Says something to tabs and hosts, unless this host has left and its channel with it. */
  #post(hint: Hint): void {
    if (this.#phase !== 'gone') this.#world.hints.post(hint);
  }
}
