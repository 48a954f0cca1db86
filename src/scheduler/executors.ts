/**
 * Workers that tabs lend to this host, for what would keep others waiting in it: a SharedWorker cannot start workers in
 * Chromium and WebKit. The host asks for one by a hint; a tab that it serves takes the request under a lock, starts the worker
 * and hands over a port to it. The lock is held for as long as the worker lives, and granted to this host it says that the
 * worker is gone. The host never needs an answer: without one the caller goes on alone.
 */
import type { Executor } from '../actions/index.ts';
import { type DurationMs, executorLock } from '../domain/index.ts';
import { EXECUTOR_END, type ExecutorKind, type ExecutorOffer, type LendResult } from '../rpc/index.ts';
import { newUuid } from './new-id.ts';
import type { Undo, World } from './world.ts';

/** How many workers are lent at once; what runs beyond that waits for one of them. */
const EXECUTORS_MOST = 4;
/** How long a tab may take to lend one. All open tabs may be frozen. */
const LEND_WAIT_MS: DurationMs = 5_000;
/** How long a worker that nobody uses is kept: starting one costs more than a short script does. */
const IDLE_MS: DurationMs = 120_000;

interface Lent {
  readonly what: ExecutorKind;
  readonly offer: ExecutorOffer<MessagePort>;
  readonly lost: AbortController;
  isBorrowed: boolean;
  undoIdle: Undo;
}

export class Executors {
  readonly #world: World;
  readonly #mayLend: (what: ExecutorKind) => boolean;
  readonly #lent = new Map<string, Lent>();
  /** Requests that no tab has taken yet. */
  readonly #wanted = new Map<string, { readonly what: ExecutorKind; readonly take: (lent: Lent) => void }>();
  /** Called when one is free, or there is room for another. */
  readonly #waiting = new Set<() => void>();

  /** @param mayLend whether this host serves any tab that can lend it. */
  constructor(world: World, mayLend: (what: ExecutorKind) => boolean) {
    this.#world = world;
    this.#mayLend = mayLend;
  }

  /**
   * An executor that nobody else uses; `null` when no tab lends one. While as many as may be are in use it waits for one of
   * them. Rejects with the reason of `signal`.
   */
  readonly borrow = async (what: ExecutorKind, signal: AbortSignal): Promise<Executor | null> => {
    for (;;) {
      signal.throwIfAborted();
      const idle = [...this.#lent.values()].find((lent) => lent.what === what && !lent.isBorrowed);
      if (idle !== undefined) return this.#take(idle);
      if (!this.#mayLend(what)) return null;
      const all = [...this.#lent.values(), ...this.#wanted.values()];
      if (all.filter((one) => one.what === what).length < EXECUTORS_MOST) {
        const lent = await this.#ask(what, signal);
        // Room, or not even a tab: whoever waits behind this one finds out by asking.
        if (lent === null) this.#wake();
        return lent === null ? null : this.#take(lent);
      }
      await this.#untilWoken(signal);
    }
  };

  /** A tab lends a worker; `not-wanted` when that was asked for too long ago, or by another host. */
  accept(offer: ExecutorOffer<MessagePort>): LendResult {
    const wanted = this.#wanted.get(offer.id);
    if (wanted === undefined) return { kind: 'not-wanted' };
    this.#wanted.delete(offer.id);
    const lent: Lent = {
      what: wanted.what,
      offer,
      lost: new AbortController(),
      // For whom it was asked for.
      isBorrowed: true,
      undoIdle: () => undefined,
    };
    this.#lent.set(offer.id, lent);
    const gone = (): void => this.#forget(lent);
    this.#world.locks.whenFree(executorLock(offer.id)).then(gone, gone);
    wanted.take(lent);
    return { kind: 'taken' };
  }

  #ask(what: ExecutorKind, signal: AbortSignal): Promise<Lent | null> {
    const id = newUuid(this.#world);
    return new Promise((resolve, reject) => {
      const over = (): void => {
        undo();
        signal.removeEventListener('abort', aborted);
        this.#wanted.delete(id);
      };
      const aborted = (): void => {
        over();
        this.#wake();
        reject(signal.reason as Error);
      };
      const undo = this.#world.setTimer(LEND_WAIT_MS, () => {
        over();
        resolve(null);
      });
      signal.addEventListener('abort', aborted);
      this.#wanted.set(id, {
        what,
        take: (lent) => {
          over();
          resolve(lent);
        },
      });
      this.#world.hints.post({ topic: 'executor', hostId: this.#world.host.id, id, what });
    });
  }

  #take(lent: Lent): Executor {
    lent.isBorrowed = true;
    lent.undoIdle();
    let isBack = false;
    return {
      port: lent.offer.port,
      lost: lent.lost.signal,
      release: (how) => {
        if (isBack) return;
        isBack = true;
        if (how === 'spoiled') this.#forget(lent);
        else {
          lent.isBorrowed = false;
          lent.undoIdle = this.#world.setTimer(IDLE_MS, () => this.#forget(lent));
        }
        this.#wake();
      },
    };
  }

  /** Has its tab end the worker, if there still are any. */
  #forget(lent: Lent): void {
    if (this.#lent.get(lent.offer.id) !== lent) return;
    this.#lent.delete(lent.offer.id);
    lent.undoIdle();
    lent.offer.tab.postMessage(EXECUTOR_END);
    lent.offer.port.close();
    lent.lost.abort();
    this.#wake();
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #untilWoken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
