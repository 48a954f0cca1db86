/** Wires this tab to a host: the one place of a tab that touches workers, locks, the channel and Comlink. */
import { releaseProxy, transfer, wrap } from 'comlink';
import { KEY_CHANNEL, type TabId, tabLock } from '../domain/index.ts';
import {
  CHANNEL,
  type CallName,
  type Hint,
  type InternalApi,
  WORKER_EXTENDED_LIFETIME,
  type WireApi,
  readHint,
  workerName,
} from '../rpc/index.ts';
import { HeldKeys } from './held-key.ts';
import { type StartedExecutor, lendExecutors } from './lending.ts';
import { type Link, Remote, type TabPlatform, publicCalls, remoteHost } from './remote.ts';
import type { Connection, MissingPart, RemoteHost } from './remote-host.ts';

declare const __ROTA_BUILD__: string;

declare global {
  /** Chromium 148 and later; others ignore it. lib.dom does not know it yet. */
  interface WorkerOptions {
    extendedLifetime?: boolean;
  }
}

/** A connected tab: the host for its screens, the same calls for the console, and the calls that tabs make on their own. */
export interface ConnectedTab {
  readonly host: RemoteHost;
  readonly console: ReturnType<typeof publicCalls>;
  readonly internal: Pick<InternalApi, 'listShowings' | 'confirmNotification'>;
}

/** What this browser lacks that Rota cannot do without, as a connection that will never be; `null` when all is there. */
export function findMissing(): Extract<Connection, { kind: 'unavailable' }> | null {
  const missing = (part: MissingPart, detail: string): Extract<Connection, { kind: 'unavailable' }> => ({
    kind: 'unavailable',
    missing: part,
    detail,
  });
  if (!globalThis.isSecureContext)
    return missing('secure-context', 'The page was not loaded over https or from this machine.');
  if (!('indexedDB' in globalThis)) return missing('indexeddb', 'indexedDB is not defined.');
  if (!('locks' in navigator)) return missing('locks', 'navigator.locks is not defined.');
  if (!('BroadcastChannel' in globalThis))
    return missing('shared-worker', 'BroadcastChannel is not defined.');
  return null;
}

/** Connects this tab. Call once, and only when {@link findMissing} finds nothing. */
export function connect(): ConnectedTab {
  const tabId = crypto.randomUUID() as TabId;
  const hints = hintsOfPage();
  let presence = holdPresence(tabId);
  const platform: TabPlatform = {
    tabId,
    build: __ROTA_BUILD__,
    startWorker,
    present: () => presence.held,
    whenFree: (lock, signal) => navigator.locks.request(lock, { mode: 'shared', signal }, () => undefined),
    setTimer: (delayMs, fire) => {
      const id = setTimeout(fire, delayMs);
      return () => clearTimeout(id);
    },
    newId: () => crypto.randomUUID(),
    onHint: hints.listen,
  };
  const keys = new HeldKeys(() => new BroadcastChannel(KEY_CHANNEL));
  const remote = new Remote(platform);
  let model: ModelPart | null = null;
  if ('LanguageModel' in globalThis) {
    // Where it cannot be loaded, this tab is as one without.
    import('./built-in-model.ts').then(
      ({ reportModel, serveModel }) => (model = { ...reportModel(remote, tabId), serveModel }),
      () => undefined,
    );
  }
  lendExecutors(remote, {
    mayLend: (what) => what === 'script' || model?.isAvailable() === true,
    tryWith: (lock, body) =>
      navigator.locks.request(lock, { ifAvailable: true }, (held) => (held === null ? undefined : body())),
    start: (what) => (what === 'model' && model !== null ? startModel(model.serveModel) : startExecutor()),
    channel: () => new MessageChannel(),
  });
  // A page that is put away to be brought back as it is counts as closed meanwhile: a browser drops one that keeps others
  // waiting for a lock, or that is spoken to.
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) return;
    remote.rest();
    hints.pause();
    keys.rest();
    presence.leave();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    presence = holdPresence(tabId);
    hints.resume();
    keys.wake();
    remote.wake();
  });
  return {
    host: remoteHost(remote),
    console: publicCalls(remote),
    internal: {
      listShowings: () => remote.call('listShowings', []) as ReturnType<InternalApi['listShowings']>,
      confirmNotification: (request) =>
        remote.call('confirmNotification', [request]) as ReturnType<InternalApi['confirmNotification']>,
    },
  };
}

/** The lock by which hosts see that a tab is there. */
interface Presence {
  /** Resolves when it is held, or cannot be. */
  readonly held: Promise<void>;
  /** Lets it go; the browser does so too when the page ends. */
  readonly leave: () => void;
}

function holdPresence(tabId: TabId): Presence {
  const left = new AbortController();
  const { signal } = left;
  const until = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const held = new Promise<void>((resolve) => {
    const hold = (): void => {
      navigator.locks
        .request(tabLock(tabId), { signal }, () => {
          resolve();
          return until;
        })
        .catch(() => {
          resolve();
          // Foreign code has stolen it; the tab is still there.
          if (!signal.aborted) hold();
        });
    };
    hold();
  });
  return { held, leave: () => left.abort() };
}

/** The hints that this page hears while it is not put away. */
function hintsOfPage(): {
  readonly listen: TabPlatform['onHint'];
  readonly pause: () => void;
  readonly resume: () => void;
} {
  const listeners = new Set<(hint: Hint) => void>();
  let channel: BroadcastChannel | null = null;
  const resume = (): void => {
    channel ??= new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<unknown>) => {
      const hint = readHint(data);
      if (hint === null) return;
      for (const listener of [...listeners]) listener(hint);
    };
  };
  resume();
  return {
    resume,
    pause: () => {
      channel?.close();
      channel = null;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * Whether this tab has a worker of its own: where there is no SharedWorker, and where a person says so by `?engine=tab` in
 * the address (docs/console.md), because theirs is broken. All hosts are equal, so tabs of both kinds get along.
 */
function hasOwnWorker(): boolean {
  return !('SharedWorker' in globalThis) || new URLSearchParams(location.search).get('engine') === 'tab';
}

function startWorker(generation: number): Link {
  const build = generation === 0 ? __ROTA_BUILD__ : `${__ROTA_BUILD__}-${generation}`;
  if (!hasOwnWorker()) {
    const worker = new SharedWorker(new URL('../scheduler/shared-worker.ts', import.meta.url), {
      type: 'module',
      name: workerName(build),
      extendedLifetime: WORKER_EXTENDED_LIFETIME,
    });
    return linkOver(worker.port, worker, () => worker.port.close());
  }
  const worker = new Worker(new URL('../scheduler/tab-worker.ts', import.meta.url), {
    type: 'module',
    name: workerName(build),
  });
  return linkOver(worker, worker, () => worker.terminate());
}

/** Starts the worker in which a host has scripts computed. It is loaded when the first of them runs. */
function startExecutor(): StartedExecutor {
  const worker = new Worker(new URL('../actions/script/executor-worker.ts', import.meta.url), {
    type: 'module',
  });
  const { port1, port2 } = new MessageChannel();
  worker.postMessage(null, [port1]);
  return {
    port: port2,
    broken: new Promise((resolve) => {
      worker.addEventListener('error', () => resolve(), { once: true });
    }),
    end: () => worker.terminate(),
  };
}

interface ModelPart {
  readonly isAvailable: () => boolean;
  readonly serveModel: (port: MessagePort) => () => void;
}

function startModel(serve: ModelPart['serveModel']): StartedExecutor {
  const { port1, port2 } = new MessageChannel();
  return { port: port2, broken: new Promise(() => undefined), end: serve(port1) };
}

function portsIn(argument: unknown): MessagePort[] {
  if (typeof argument !== 'object' || argument === null) return [];
  return Object.values(argument).filter((value) => value instanceof MessagePort);
}

/** A call by name as Comlink has it. */
interface WireCall {
  (...args: readonly unknown[]): ReturnType<Link['call']>;
  readonly [releaseProxy]: () => void;
}

function linkOver(endpoint: MessagePort | Worker, worker: EventTarget, close: () => void): Link {
  // Held for as long as the link is: Comlink lets the port go when its proxy is collected, calls in flight and all.
  const proxy = wrap<WireApi>(endpoint);
  const calls = proxy as unknown as Record<string, WireCall>;
  // One for each name, as long as the link is: Comlink makes another each time it is asked and notices when it is collected, and
  // a page in which that happens while it is put away has run code, which Chromium does not bring back.
  const kept = new Map<CallName, WireCall>();
  return {
    call: (name, args) => {
      const call = kept.get(name) ?? calls[name];
      if (call === undefined) return Promise.reject(new Error(`no such call: ${name}`));
      kept.set(name, call);
      return name === 'lendExecutor' ? call(transfer(args[0], portsIn(args[0]))) : call(...args);
    },
    broken: new Promise((resolve) => {
      worker.addEventListener('error', () => resolve(), { once: true });
    }),
    close: () => {
      for (const call of kept.values()) call[releaseProxy]();
      proxy[releaseProxy]();
      close();
    },
  };
}
