import type {
  DurationMs,
  EpochMs,
  HostRef,
  LocalNetworkPermission,
  NearNetwork,
  Showing,
} from '../domain/index.ts';
import type { Hint } from '../rpc/index.ts';
import type { Ledger } from '../store/index.ts';

/** Takes back what it was returned for: a timer, a listener. Calling it twice is harmless. */
export type Undo = () => void;

/** What the platform says of a lock that is held. */
export interface HeldLock {
  readonly name: string;
  readonly mode: 'exclusive' | 'shared';
}

/** The Web Locks that a host uses. There is no way to steal one: a lock proves life only while nobody can take it. */
export interface Locks {
  /**
   * Runs `body` under the lock if it is free now, else with `null`; resolves with its result after the release. The
   * platform frees the lock when this host dies, with no clock and no clean-up.
   */
  tryWith<Result>(name: string, body: (lock: HeldLock | null) => Promise<Result>): Promise<Result>;
  /**
   * Takes the lock for as long as this host lives, and resolves when it is held. `onLost`: it was stolen since, by code
   * that is none of Rota's.
   */
  holdForLife(name: string, onLost: () => void): Promise<void>;
  /**
   * Queues for the lock and holds it, once granted, until the undo lets go of it or of the place in the queue. `onLost`:
   * the lock was stolen by code that is none of Rota's, or could not be asked for.
   */
  queue(name: string, events: { readonly onHeld: () => void; readonly onLost: () => void }): Undo;
  /**
   * Resolves when whoever holds the lock exclusively has let go or died. Waits in shared mode, so that a watcher is
   * never taken for the owner.
   */
  whenFree(name: string): Promise<void>;
  /** All locks held now, a snapshot. */
  held(): Promise<readonly HeldLock[]>;
}

/** The channel that hints travel on. What a host posts, it does not hear itself. */
export interface Hints {
  post(hint: Hint): void;
  listen(listener: (hint: Hint) => void): Undo;
}

/** What opening the ledger can tell a host later. */
export interface LedgerEvents {
  /** Opening waits for an older build that still has the database. */
  readonly onBlocked: () => void;
  /** A newer build waits for this host to let the database go. */
  readonly onVersionChange: () => void;
  /** The browser took the connection away. */
  readonly onLost: () => void;
  /** A passphrase was given, here or to another host: secrets can be used from now on. */
  readonly onUnlocked: () => void;
}

/**
 * Everything outside that a host touches: clock, chance, timers, locks, hints, storage, network. The workers' entries
 * wire the real one; tests give one that stands still at midnight, leaps a day, or dies in the middle.
 */
export interface World {
  readonly host: HostRef;
  /** When the running code was built; the host of a later build is the newer one. */
  readonly builtAt: EpochMs;
  /** The origin that Rota is served from. */
  readonly origin: string;
  /** Wall clock. It can jump either way. */
  readonly now: () => EpochMs;
  /** A clock that never goes back and may stand still while the machine sleeps; in milliseconds. */
  readonly monotonic: () => number;
  /** Calls `fire` once after `delay`, never sooner. `delay` is at most 2^31-1 ms, or timers fire at once. */
  readonly setTimer: (delay: DurationMs, fire: () => void) => Undo;
  readonly randomBytes: (count: number) => Uint8Array;
  /** A number in [0, 1). */
  readonly chance: () => number;
  readonly locks: Locks;
  readonly hints: Hints;
  readonly openLedger: (events: LedgerEvents) => Promise<Ledger>;
  readonly fetch: typeof globalThis.fetch;
  readonly online: () => boolean;
  /** The machine's time zone now, an IANA name. */
  readonly timeZone: () => string;
  readonly onOnline: (listener: () => void) => Undo;
  readonly mayNotify: () => boolean;
  /** What the browser's permission to reach `network` says now; absent where the browser has none. */
  readonly localNetworkPermission?: (network: NearNetwork) => Promise<LocalNetworkPermission>;
  /** Shows a notification without any window; `false` where this host cannot. Its id is its tag: the same one replaces. */
  readonly notify: (notification: Showing) => Promise<boolean>;
  /** Says something to whoever looks at the console: only what a developer must see. */
  readonly complain: (message: string, cause: unknown) => void;
  /** Ends this host: everything that it holds is freed, and its worker ends where the host was all that was in it. */
  readonly exit: () => void;
}
