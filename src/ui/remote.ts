/**
 * A tab's side of the seam (protocol, section 8). Comlink alone never rejects when the worker is gone: here every call
 * has a deadline, a host that died is noticed by its lock, what was pending rejects or is repeated, and the next host
 * is asked with backoff.
 *
 *     connecting --hello--> ready --its lock is free, another host answers, or none--> restarting --hello--> ready
 *     ready --page put away--> connecting --page back--> hello
 *          \--no storage, no worker--> unavailable (asked again every few seconds) --hello--> ready
 */
import { type CommandId, type HostRef, type TabId, hostLock } from '../domain/index.ts';
import {
  CALL_DEADLINE_MS,
  COMMANDS,
  type CallName,
  type Envelope,
  HELLO_DEADLINE_MS,
  type Hint,
  type HostCalls,
  PROTOCOL,
  type RemoteErrorCode,
} from '../rpc/index.ts';
import type { Connection, MissingPart, RemoteFailure, RemoteHost, Unsubscribe } from './remote-host.ts';

/** One port to one worker. */
export interface Link {
  /** Sends the call; settles when, and if, the worker answers. */
  call(name: CallName, args: readonly unknown[]): Promise<Envelope<unknown>>;
  /** Resolves when the worker's script could not be loaded. */
  readonly broken: Promise<void>;
  close(): void;
}

/** What a tab's connection touches of the platform. */
export interface TabPlatform {
  readonly tabId: TabId;
  readonly build: string;
  /** Starts or joins a worker. `generation` grows when the one before never answered, and gives it another name. */
  startWorker(generation: number): Link;
  /**
   * Resolves when hosts see by its lock that this tab is there. A host that is said hello to before that takes the tab for gone
   * at once: it asks for that lock, to hear of its end, and would be given it.
   */
  present(): Promise<void>;
  /** Resolves when the exclusive holder of the lock is gone; rejects when `signal` aborts before. */
  whenFree(lock: string, signal: AbortSignal): Promise<void>;
  setTimer(delayMs: number, fire: () => void): () => void;
  newId(): string;
  onHint(listener: (hint: Hint) => void): Unsubscribe;
}

/** An error that crossed as data, with the `code` it had. */
class CallFailed extends Error implements RemoteFailure {
  override readonly name = 'RemoteError';
  constructor(
    readonly code: RemoteErrorCode,
    message: string,
    readonly details?: unknown,
  ) {
    super(message);
  }
}

/** What ends an attempt at a call without an answer. */
class Lost extends Error {}

/** The first wait before a worker is asked again after one that failed; it doubles up to the second. */
const RECONNECT_FIRST_MS = 50;
const RECONNECT_MOST_MS = 3_000;
/** After so many unanswered hellos the worker counts as wedged, and another name is tried. */
const HELLOS_BEFORE_FALLBACK = 3;
/**
 * The same once a host has died. Firefox may join what is asked for by the dead one's name to the dead one, and then does so
 * for as long as a tab asks for that name. One name more costs a host beside another, which claims allow at any time.
 */
const HELLOS_AFTER_A_DEATH = 1;

const COMMAND_NAMES: ReadonlySet<string> = new Set(COMMANDS);

type Hello = Envelope<Awaited<ReturnType<HostCalls['hello']>>>;

/** A link whose host has said hello. */
interface Session {
  readonly link: Link;
  readonly host: HostRef;
  /**
   * Rejects what waits for an answer. A set and not one promise that all calls race against: such a promise would keep
   * every answer for as long as the host lives.
   */
  readonly pending: Set<(lost: Lost) => void>;
  /** Aborts when this tab has left the host. */
  readonly over: AbortController;
  /** Whether its host is being asked if it still answers. */
  probing: boolean;
  /** How many hints about hosts have come since it was last asked who is newer. */
  hints: number;
}

/** Keeps one tab connected to a host, and carries its calls. Use {@link remoteHost} for the calls by name. */
export class Remote {
  readonly #platform: TabPlatform;
  readonly #listeners = new Set<(connection: Connection) => void>();
  #connection: Connection = { kind: 'connecting' };
  #session: Session | null = null;
  #waiting: ((session: Session) => void)[] = [];
  #generation = 0;
  /** Whether the page is put away. */
  #isResting = false;
  /** Which search for a host counts: one that began before the page was put away finds nothing that holds. */
  #search = 0;
  /** The worker that is being said hello to. */
  #greeted: Link | null = null;
  /** How long the next attempt to connect waits. */
  #wait = RECONNECT_FIRST_MS;
  /** Whether the last host has served for a while. */
  #isSteady = false;
  #undoSteady: () => void = () => undefined;

  constructor(platform: TabPlatform) {
    this.#platform = platform;
    platform.onHint((hint) => {
      if (hint.topic === 'host' || hint.topic === 'hosts') void this.#refresh();
    });
    void this.#connect();
  }

  get connection(): Connection {
    return this.#connection;
  }

  subscribe(listener: (connection: Connection) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onHint(listener: (hint: Hint) => void): Unsubscribe {
    return this.#platform.onHint(listener);
  }

  /**
   * Leaves the host, because the browser puts the page away to bring it back later as it is: a page that waits for others, or
   * that others wait for, cannot be kept. Commands that are under way are repeated after {@link wake}.
   */
  rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    this.#search += 1;
    this.#greeted?.close();
    this.#greeted = null;
    if (this.#session !== null) this.#leave(this.#session);
    this.#become({ kind: 'connecting' });
  }

  /** The page is back: says hello to whatever host there is now, and all that is shown is read again. */
  wake(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    void this.#connect();
  }

  /**
   * Makes the call; a command gets an id, and is repeated with it when its host dies before the answer. All of it has to
   * be done by the deadline, after which nothing is sent any more.
   */
  async call(name: CallName, args: readonly unknown[]): Promise<unknown> {
    const isCommand = COMMAND_NAMES.has(name);
    const sent = isCommand ? [withCommandId(args[0], this.#platform.newId() as CommandId)] : args;
    return this.#within(CALL_DEADLINE_MS, `The engine did not answer ${name} in time.`, async (isLate) => {
      for (;;) {
        const session = await this.#ready();
        if (isLate()) throw new Lost();
        // It may have been left in the very moment in which it was there.
        if (this.#session !== session) continue;
        try {
          return await this.#attempt(session, name, sent);
        } catch (error) {
          if (!(error instanceof Lost)) throw error;
          if (!isCommand) throw new CallFailed('host-lost', 'The engine ended before it answered.');
        }
      }
    });
  }

  async #attempt(session: Session, name: CallName, args: readonly unknown[]): Promise<unknown> {
    const envelope = await new Promise<Envelope<unknown>>((resolve, reject) => {
      session.pending.add(reject);
      void session.link
        .call(name, args)
        .then(resolve, (error: unknown) => reject(failureOf(error)))
        .then(() => session.pending.delete(reject));
    });
    if (envelope.hostId !== session.host.id || (!envelope.ok && envelope.code === 'retired')) {
      // The worker was run again behind the same port, and whoever answered is not whom we know; or the host goes.
      this.#end(session);
      throw new Lost();
    }
    if (envelope.ok) return envelope.value;
    throw new CallFailed(envelope.code, envelope.message, envelope.details);
  }

  #ready(): Promise<Session> {
    if (this.#session !== null) return Promise.resolve(this.#session);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Rejects with `deadline` when `work` takes longer than `ms`; `work` can ask whether it has. */
  async #within<Result>(
    ms: number,
    message: string,
    work: (isLate: () => boolean) => Promise<Result>,
  ): Promise<Result> {
    let undo: () => void = () => undefined;
    let isLate = false;
    const late = new Promise<never>((_, reject) => {
      undo = this.#platform.setTimer(ms, () => {
        isLate = true;
        reject(new CallFailed('deadline', message));
        if (this.#session !== null) void this.#probe(this.#session);
      });
    });
    try {
      return await Promise.race([work(() => isLate), late]);
    } finally {
      undo();
    }
  }

  async #connect(hellos = HELLOS_BEFORE_FALLBACK): Promise<void> {
    const search = (this.#search += 1);
    let unanswered = 0;
    let patience = hellos;
    for (;;) {
      const greeted = await this.#greet();
      // The page was put away meanwhile. Hosts take it for gone, and so does one whose answer arrives only when it is back.
      if (search !== this.#search) return;
      this.#greeted = null;
      if (greeted.kind === 'silent') {
        unanswered += 1;
        patience -= 1;
        if (patience === 0) {
          patience = HELLOS_BEFORE_FALLBACK;
          // Nor does it under another name: a person must know, though it is asked again.
          if (unanswered > HELLOS_BEFORE_FALLBACK) this.#become(unavailable('shared-worker', greeted.why));
          this.#generation += 1;
        }
      } else if (greeted.answer.ok) {
        this.#begin(greeted.link, greeted.answer.value);
        return;
      } else {
        unanswered = 0;
        patience = HELLOS_BEFORE_FALLBACK;
        greeted.link.close();
        const { code, message, details } = greeted.answer;
        if (code === 'storage') this.#become(unavailable(storagePart(details), message));
        else if (code !== 'retired') this.#become(unavailable('shared-worker', message));
      }
      await this.#pause();
      if (search !== this.#search) return;
    }
  }

  /** Starts or joins a worker and says hello. */
  async #greet(): Promise<
    | { readonly kind: 'answered'; readonly link: Link; readonly answer: Hello }
    | { readonly kind: 'silent'; readonly why: string }
  > {
    let link: Link | null = null;
    try {
      link = this.#platform.startWorker(this.#generation);
      this.#greeted = link;
      return { kind: 'answered', link, answer: await this.#hello(link, link.broken) };
    } catch (error) {
      if (this.#greeted === link) link?.close();
      return { kind: 'silent', why: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Waits before the next attempt, longer each time. */
  #pause(): Promise<void> {
    const wait = this.#wait;
    this.#wait = Math.min(RECONNECT_MOST_MS, wait * 2);
    return new Promise((resolve) => void this.#platform.setTimer(wait, resolve));
  }

  /** Finds out whether a host that has missed a deadline answers at all; one that does not is wedged, and left. */
  async #probe(session: Session): Promise<void> {
    if (session.probing) return;
    session.probing = true;
    for (let unanswered = 0; unanswered < HELLOS_BEFORE_FALLBACK; unanswered++) {
      try {
        await this.#hello(session.link);
        session.probing = false;
        return;
      } catch {
        if (this.#session !== session) return;
      }
    }
    this.#generation += 1;
    this.#end(session);
  }

  async #hello(link: Link, broken: Promise<void> | null = null): Promise<Hello> {
    const { tabId, build } = this.#platform;
    let undo: () => void = () => undefined;
    try {
      return await new Promise<Hello>((resolve, reject) => {
        undo = this.#platform.setTimer(HELLO_DEADLINE_MS, () =>
          reject(new Lost('The engine did not answer in time.')),
        );
        void broken?.then(() => reject(new Lost('The script of the engine could not be loaded.')));
        this.#platform
          .present()
          .then(() => link.call('hello', [{ tabId, build, protocol: PROTOCOL }]))
          .then(
            (answer) => resolve(answer as Hello),
            (error: unknown) => reject(failureOf(error)),
          );
      });
    } finally {
      undo();
    }
  }

  #begin(link: Link, { host, newerBuild }: Awaited<ReturnType<HostCalls['hello']>>): void {
    const over = new AbortController();
    const session: Session = { link, host, pending: new Set(), over, probing: false, hints: 0 };
    this.#session = session;
    // Granted means that the host died: nothing else tells, in any engine.
    const end = (): void => this.#end(session, HELLOS_AFTER_A_DEATH);
    void this.#platform.whenFree(hostLock(host.id), over.signal).then(end, end);
    // Hosts that die as soon as they have answered are asked ever more rarely, like those that never answer.
    this.#isSteady = false;
    this.#undoSteady = this.#platform.setTimer(RECONNECT_MOST_MS, () => {
      this.#isSteady = true;
      this.#wait = RECONNECT_FIRST_MS;
    });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(session);
    this.#become({ kind: 'ready', host, newerBuild });
  }

  /** Leaves a host for the next one, whose name is tried for so many `hellos`. */
  #end(session: Session, hellos = HELLOS_BEFORE_FALLBACK): void {
    if (this.#session !== session) return;
    this.#leave(session);
    this.#become({ kind: 'restarting' });
    void this.#reconnect(hellos);
  }

  #leave(session: Session): void {
    this.#session = null;
    this.#undoSteady();
    for (const reject of session.pending) reject(new Lost());
    session.pending.clear();
    session.over.abort();
    session.link.close();
  }

  async #reconnect(hellos: number): Promise<void> {
    const search = this.#search;
    if (!this.#isSteady) await this.#pause();
    if (search === this.#search) await this.#connect(hellos);
  }

  /** Asks again who is newer, after hosts have come or gone. Of many hints at once the first and the last are asked for. */
  async #refresh(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    session.hints += 1;
    if (session.hints > 1) return;
    for (let seen = 0; seen < session.hints && this.#session === session;) {
      seen = session.hints;
      await this.#askWhoIsNewer(session);
    }
    session.hints = 0;
  }

  async #askWhoIsNewer(session: Session): Promise<void> {
    let answer: Hello;
    try {
      answer = await this.#hello(session.link);
    } catch {
      // Whether the host lives is told by its lock, not by this.
      return;
    }
    if (this.#session !== session || this.#connection.kind !== 'ready') return;
    if (answer.hostId !== session.host.id) {
      this.#end(session);
      return;
    }
    if (!answer.ok) return;
    const { newerBuild } = answer.value;
    if (newerBuild !== this.#connection.newerBuild) this.#become({ ...this.#connection, newerBuild });
  }

  #become(connection: Connection): void {
    const before = this.#connection;
    if (before.kind === 'unavailable' && connection.kind === 'unavailable') {
      if (before.missing === connection.missing && before.detail === connection.detail) return;
    }
    this.#connection = connection;
    for (const listener of this.#listeners) {
      try {
        listener(connection);
      } catch (error) {
        // Reported as any other error, and apart from here: a screen that fails must not cost the connection.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** What a link's own rejection is for the caller: nothing crossed, because something cannot be copied. */
function failureOf(error: unknown): CallFailed {
  const isArgument = error instanceof DOMException && error.name === 'DataCloneError';
  return new CallFailed(
    isArgument ? 'bad-call' : 'internal',
    error instanceof Error ? error.message : String(error),
  );
}

function unavailable(missing: MissingPart, detail: string): Connection {
  return { kind: 'unavailable', missing, detail };
}

/** What it is about the storage, by the `details` of the host's refusal. */
function storagePart(details: unknown): MissingPart {
  const code: unknown = typeof details === 'object' && details !== null ? Reflect.get(details, 'code') : null;
  if (code === 'blocked') return 'storage-blocked';
  return code === 'newer-database' ? 'newer-storage' : 'storage';
}

function withCommandId(argument: unknown, commandId: CommandId): unknown {
  if (typeof argument !== 'object' || argument === null) return argument;
  const given: unknown = Reflect.get(argument, 'commandId');
  return { ...argument, commandId: given ?? commandId };
}

const CALLS = [
  'version',
  'status',
  'listAutomations',
  'orderAutomations',
  'getAutomation',
  'getAutomations',
  'saveAutomation',
  'setEnabled',
  'changeAutomations',
  'undoChange',
  'runAutomations',
  'pauseAll',
  'removeAutomation',
  'runNow',
  'cancelRun',
  'answerRun',
  'listRuns',
  'listRunLines',
  'searchRuns',
  'getRun',
  'preview',
  'importFile',
  'importEntries',
  'missingRuns',
  'exportFile',
  'getSettings',
  'saveSettings',
  'listSecrets',
  'saveSecret',
  'removeSecret',
  'removeSecrets',
  'setPassphrase',
  'unlockSecrets',
  'lockSecrets',
  'listNotifications',
  'readNotifications',
  'engine',
  'listGaps',
  'timeline',
  'countRuns',
  'storage',
  'usage',
  'upkeep',
  'sweep',
  'checkIntegrity',
  'backup',
  'previewRestore',
  'restore',
  'listQuarantine',
  'listModels',
  'listTools',
  'restartEngine',
] as const satisfies readonly CallName[];

/** Every call of the contract's public part by name: what screens use, and what `globalThis.rota` is. */
export function publicCalls(remote: Remote): Pick<HostCalls, (typeof CALLS)[number]> {
  const calls = CALLS.map((name) => [name, (...args: unknown[]) => remote.call(name, args)]);
  return Object.freeze(Object.fromEntries(calls)) as Pick<HostCalls, (typeof CALLS)[number]>;
}

/** `remote` as the screens know it. */
export function remoteHost(remote: Remote): RemoteHost {
  return {
    ...publicCalls(remote),
    get connection() {
      return remote.connection;
    },
    subscribe: (listener) => remote.subscribe(listener),
    onHint: (listener) => remote.onHint(listener),
  };
}
