import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { HintTopic, RemoteErrorCode } from '../rpc/index.ts';
import { onTick } from './parts/clock.ts';
import { ownZone } from './text/dates.ts';
import type { Connection, RemoteHost, Unsubscribe } from './remote-host.ts';

/** What became of reading something from the host. */
export type WatchedState<Value> =
  | { readonly kind: 'loading' }
  /** `problem`: the last attempt to read again failed, and `value` is what was there before. */
  | { readonly kind: 'ready'; readonly value: Value; readonly problem: ReadProblem | null }
  | { readonly kind: 'failed'; readonly problem: ReadProblem };

/** Why a read failed. */
export interface ReadProblem {
  readonly code: RemoteErrorCode;
  readonly message: string;
}

/** An element that shows what a host says. */
export type WatchingElement = ReactiveControllerHost & { readonly host: RemoteHost };

/** How a {@link Watched} reads. `Args` are the values that the read depends on, such as an id or a filter. */
export interface WatchedOptions<Value, Args extends readonly unknown[]> {
  /** Asks the host. Called with what `args` gave. */
  readonly read: (...args: Args) => Promise<Value>;
  /** The hints on which to read again. */
  readonly topics: readonly HintTopic[];
  /** What the read depends on; compared one by one at each update of the element, and a change reads again. */
  readonly args?: () => Readonly<Args>;
  /** Keep showing the old value while reading with other `args`, as a list does while its filter is typed. */
  readonly keep?: boolean;
}

/**
 * Time between the starts of two reads, at least: a burst of hints costs two reads and not one each, and the first of them
 * is read at once.
 */
const READ_GAP_MS = 80;

/**
 * Reads a value from the host, and reads it again when a hint says that it may have changed, when a host is there again
 * after one was lost, when the tab is looked at again, when its zone changes, and when its arguments change. Of several reads in flight only
 * the answer to the latest counts; the last value stays while the next one is on its way.
 */
export class Watched<Value, Args extends readonly unknown[] = []> implements ReactiveController {
  readonly #element: WatchingElement;
  readonly #options: WatchedOptions<Value, Args>;
  #state: WatchedState<Value> = { kind: 'loading' };
  #args: Readonly<Args> | null = null;
  #stops: readonly Unsubscribe[] = [];
  /** Number of the latest read; answers to earlier ones are dropped. */
  #latest = 0;
  /** When the latest read began, by `performance.now()`. */
  #begun = -READ_GAP_MS;
  #inFlight = false;
  #wanted = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #idle: (() => void)[] = [];

  constructor(element: WatchingElement, options: WatchedOptions<Value, Args>) {
    this.#element = element;
    this.#options = options;
    element.addController(this);
  }

  /** What is known now. */
  get state(): WatchedState<Value> {
    return this.#state;
  }

  /** The value, or `null` before the first answer. */
  get value(): Value | null {
    return this.#state.kind === 'ready' ? this.#state.value : null;
  }

  /** Reads again at once; resolves when the answer, or a later one, is in {@link state}. */
  refresh(): Promise<void> {
    this.#start();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }

  hostDisconnected(): void {
    for (const stop of this.#stops) stop();
    this.#stops = [];
    this.#latest++;
    this.#inFlight = false;
    this.#wanted = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#settleIdle();
  }

  hostConnected(): void {
    // After a move in the document the element does not update by itself, and hints were missed meanwhile.
    if (this.#args !== null) this.#element.requestUpdate();
    this.#args = null;
  }

  hostUpdate(): void {
    // The first update, not the connection: only now are the element's properties certain to be set.
    if (this.#stops.length === 0) this.#listen();
    const args = this.#options.args?.() ?? ([] as readonly unknown[] as Readonly<Args>);
    if (this.#args !== null && sameItems(this.#args, args)) return;
    if (this.#args !== null && this.#options.keep !== true) this.#state = { kind: 'loading' };
    this.#args = args;
    this.#start();
  }

  #listen(): void {
    const remote = this.#element.host;
    const topics: ReadonlySet<HintTopic> = new Set(this.#options.topics);
    let connected = remote.connection;
    const seen = (): void => {
      if (this.#wanted && isSeen()) this.#soon();
    };
    const page = typeof document === 'undefined' ? null : document;
    page?.addEventListener('visibilitychange', seen);
    // What is shown is set in the zone of the browser, and some of what is read is computed for it.
    let zone = ownZone();
    const stopZone =
      page === null
        ? null
        : onTick(() => {
            if (zone === ownZone()) return;
            zone = ownZone();
            this.#soon();
          });
    this.#stops = [
      remote.onHint((hint) => {
        if (topics.has(hint.topic)) this.#soon();
      }),
      remote.subscribe((connection) => {
        // A read that waited for the first host is answered by it.
        const answering = connected.kind !== 'ready' && this.#inFlight;
        if (isAnotherHost(connected, connection) && !answering) this.#soon();
        // A page that was put away, which asks to be connected anew, has missed hints: to it the same host is another.
        if (connection.kind === 'ready' || connection.kind === 'connecting') connected = connection;
      }),
      () => page?.removeEventListener('visibilitychange', seen),
      () => stopZone?.(),
    ];
  }

  /** Reads once more as soon as may be: after the read in flight, and not at all while nobody looks. */
  #soon(): void {
    this.#wanted = true;
    if (this.#inFlight || this.#timer !== null || !isSeen()) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = null;
        if (this.#wanted) this.#start();
      },
      this.#begun + READ_GAP_MS - performance.now(),
    );
  }

  #start(): void {
    const args = this.#args;
    if (args === null) return;
    const number = ++this.#latest;
    this.#begun = performance.now();
    this.#wanted = false;
    this.#inFlight = true;
    this.#options.read(...(args as Args)).then(
      (value) => {
        this.#answer(number, { kind: 'ready', value, problem: null });
      },
      (error: unknown) => {
        const problem = problemOf(error);
        this.#answer(
          number,
          this.#state.kind === 'ready' ? { ...this.#state, problem } : { kind: 'failed', problem },
        );
      },
    );
  }

  #answer(number: number, state: WatchedState<Value>): void {
    if (number !== this.#latest) return;
    this.#inFlight = false;
    this.#state = state;
    this.#element.requestUpdate();
    this.#settleIdle();
    if (this.#wanted) this.#soon();
  }

  #settleIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}

/** What to say of a rejected call; see {@link RemoteFailure}. */
export function problemOf(error: unknown): ReadProblem {
  if (error instanceof Error) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : 'internal';
    return { code: code as RemoteErrorCode, message: error.message };
  }
  return { code: 'internal', message: String(error) };
}

function isAnotherHost(before: Connection, after: Connection): boolean {
  if (after.kind !== 'ready') return false;
  return before.kind !== 'ready' || before.host.id !== after.host.id;
}

function isSeen(): boolean {
  return typeof document === 'undefined' || document.visibilityState !== 'hidden';
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => Object.is(item, b[index]));
}
