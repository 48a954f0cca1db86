/**
 * A tab's side of the seam (protocol, section 8). Comlink alone never rejects when the worker is gone: here every call
 * has a deadline, a host that died is noticed by its lock, what was pending rejects or is repeated, and the next host
 * is asked with backoff.
 *
 *     connecting --hello--> ready --its lock is free, or another host answers--> restarting --hello--> ready
 *          \--no storage--> unavailable (asked again every few seconds)
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
  /** Resolves when the exclusive holder of the lock is gone. */
  whenFree(lock: string): Promise<void>;
  setTimer(delayMs: number, fire: () => void): () => void;
  newId(): string;
  onHint(listener: (hint: Hint) => void): Unsubscribe;
}

/** An error that crossed as data, with the `code` it had. */
export class CallFailed extends Error implements RemoteFailure {
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

const COMMAND_NAMES: ReadonlySet<string> = new Set(COMMANDS);

interface Session {
  readonly link: Link;
  readonly host: HostRef;
  readonly lost: Promise<never>;
  readonly lose: () => void;
}

/** Keeps one tab connected to a host, and carries its calls. Use {@link remoteHost} for the calls by name. */
export class Remote {
  readonly #platform: TabPlatform;
  readonly #listeners = new Set<(connection: Connection) => void>();
  #connection: Connection = { kind: 'connecting' };
  #session: Session | null = null;
  #waiting: ((session: Session) => void)[] = [];
  #generation = 0;

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

  /** Makes the call; a command gets an id, and is repeated with it when its host dies before the answer. */
  async call(name: CallName, args: readonly unknown[]): Promise<unknown> {
    const isCommand = COMMAND_NAMES.has(name);
    const sent = isCommand ? [withCommandId(args[0], this.#platform.newId() as CommandId)] : args;
    for (;;) {
      try {
        return await this.#attempt(name, sent);
      } catch (error) {
        if (!(error instanceof Lost)) throw error;
        if (!isCommand) throw new CallFailed('host-lost', 'The engine ended before it answered.');
      }
    }
  }

  async #attempt(name: CallName, args: readonly unknown[]): Promise<unknown> {
    return this.#within(CALL_DEADLINE_MS, `The engine did not answer ${name} in time.`, async () => {
      const session = await this.#ready();
      const envelope = await Promise.race([session.link.call(name, args), session.lost]);
      if (envelope.hostId !== session.host.id) {
        // The worker was run again behind the same port; whoever answered is not whom we know.
        session.lose();
        throw new Lost();
      }
      if (envelope.ok) return envelope.value;
      if (envelope.code === 'retired') {
        session.lose();
        throw new Lost();
      }
      throw new CallFailed(envelope.code, envelope.message, envelope.details);
    });
  }

  #ready(): Promise<Session> {
    if (this.#session !== null) return Promise.resolve(this.#session);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Rejects with `deadline` when `work` takes longer than `ms`. */
  async #within<Result>(ms: number, message: string, work: () => Promise<Result>): Promise<Result> {
    let undo: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      undo = this.#platform.setTimer(ms, () => reject(new CallFailed('deadline', message)));
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      undo();
    }
  }

  async #connect(): Promise<void> {
    let unanswered = 0;
    for (let wait = RECONNECT_FIRST_MS; ; wait = Math.min(RECONNECT_MOST_MS, wait * 2)) {
      const link = this.#platform.startWorker(this.#generation);
      try {
        const answer = await this.#hello(link);
        if (answer.ok) {
          this.#begin(link, answer.value);
          return;
        }
        if (answer.code === 'storage') this.#become(unavailable('storage', answer.message));
        unanswered = 0;
      } catch {
        unanswered += 1;
        if (unanswered >= HELLOS_BEFORE_FALLBACK) {
          this.#generation += 1;
          unanswered = 0;
        }
      }
      link.close();
      await new Promise<void>((resolve) => this.#platform.setTimer(wait, resolve));
    }
  }

  async #hello(link: Link): Promise<Envelope<Awaited<ReturnType<HostCalls['hello']>>>> {
    const { tabId, build } = this.#platform;
    const broken = link.broken.then((): never => {
      throw new Lost();
    });
    broken.catch(() => undefined);
    return this.#within(HELLO_DEADLINE_MS, 'The engine did not start in time.', async () => {
      const answer = await Promise.race([link.call('hello', [{ tabId, build, protocol: PROTOCOL }]), broken]);
      return answer as Envelope<Awaited<ReturnType<HostCalls['hello']>>>;
    });
  }

  #begin(link: Link, { host, newerBuild }: Awaited<ReturnType<HostCalls['hello']>>): void {
    let lose: () => void = () => undefined;
    const lost = new Promise<never>((_, reject) => {
      lose = () => {
        reject(new Lost());
        this.#end(session);
      };
    });
    lost.catch(() => undefined);
    const session: Session = { link, host, lost, lose };
    this.#session = session;
    // Granted means that the host died: nothing else tells, in any engine.
    void this.#platform.whenFree(hostLock(host.id)).then(lose, lose);
    this.#become({ kind: 'ready', host, newerBuild });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve(session);
  }

  #end(session: Session): void {
    if (this.#session !== session) return;
    this.#session = null;
    session.link.close();
    this.#become({ kind: 'restarting' });
    void this.#connect();
  }

  /** Asks again who is newer, after hosts have come or gone. */
  async #refresh(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    try {
      const answer = await this.#hello(session.link);
      if (!answer.ok || this.#session !== session || this.#connection.kind !== 'ready') return;
      const { newerBuild } = answer.value;
      if (newerBuild !== this.#connection.newerBuild) this.#become({ ...this.#connection, newerBuild });
    } catch {
      // Whether the host lives is told by its lock, not by this.
    }
  }

  #become(connection: Connection): void {
    this.#connection = connection;
    for (const listener of this.#listeners) listener(connection);
  }
}

function unavailable(missing: MissingPart, detail: string): Connection {
  return { kind: 'unavailable', missing, detail };
}

function withCommandId(argument: unknown, commandId: CommandId): unknown {
  if (typeof argument !== 'object' || argument === null) return argument;
  return { commandId, ...argument };
}

const CALLS = [
  'version',
  'status',
  'listAutomations',
  'getAutomation',
  'saveAutomation',
  'setEnabled',
  'removeAutomation',
  'runNow',
  'cancelRun',
  'answerRun',
  'listRuns',
  'getRun',
  'preview',
  'importFile',
  'exportFile',
  'getSettings',
  'saveSettings',
  'listQuarantine',
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
