/** The real world, as a worker has it. Only this file and the entries touch it. */
import {
  type HostId,
  type HostKind,
  KEY_CHANNEL,
  type KeyMessage,
  type LocalNetworkPermission,
  type NearNetwork,
  type Showing,
  permissionNames,
} from '../domain/index.ts';
import { CHANNEL, readHint } from '../rpc/index.ts';
import { OPEN_DEADLINE_MS, indexedDbLedger, openDatabase } from '../store/index.ts';
import type { HeldLock, Hints, Locks, World } from './world.ts';

declare const __ROTA_BUILD__: string;
declare const __ROTA_BUILT_AT__: number;

/** The world of a worker that is there for its host, and ends with it. */
export function workerWorld(
  scope: WorkerGlobalScope & { close(): void },
  kind: Exclude<HostKind, 'service-worker'>,
): World {
  return browserWorld(scope, kind, {
    notify: ({ id, title, body }) => {
      if (!mayNotify()) return false;
      try {
        new Notification(title, { tag: id, body });
        return true;
      } catch {
        // Phones refuse the constructor; there only a registration of a service worker can show one.
        return false;
      }
    },
    close: () => scope.close(),
  });
}

/** The world of a host that a service worker is woken for. The worker itself outlives it. */
export function serviceWorkerWorld(scope: ServiceWorkerGlobalScope): World {
  return browserWorld(scope, 'service-worker', {
    notify: async ({ id, title, body, hash }) => {
      if (!mayNotify()) return false;
      const icon = './icons/icon-192.png';
      await scope.registration.showNotification(title, {
        tag: id,
        body,
        icon,
        data: { url: `./${hash}` },
      });
      return true;
    },
    close: () => undefined,
  });
}

function mayNotify(): boolean {
  return typeof Notification === 'function' && Notification.permission === 'granted';
}

/** What the browser says under the newest name that it knows. */
async function localNetworkPermission(
  { navigator }: WorkerGlobalScope,
  network: NearNetwork,
): Promise<LocalNetworkPermission> {
  for (const name of permissionNames(network)) {
    try {
      return (await navigator.permissions.query({ name: name as PermissionName })).state;
    } catch {
      // Not under this name, or no permissions in workers at all.
    }
  }
  return 'unknown';
}

/** How long the answer to which zone the machine is in is believed. */
const ZONE_KEPT_MS = 1_000;

/** Asks for the zone of the machine, but not for each of many claims at once: the question costs as much as a small one. */
function zoneOfMachine(): () => string {
  let known = { zone: '', until: -Infinity };
  return () => {
    const now = performance.now();
    if (now >= known.until) {
      known = { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, until: now + ZONE_KEPT_MS };
    }
    return known.zone;
  };
}

/** What differs from worker to worker. */
interface Scope {
  readonly notify: (notification: Showing) => boolean | Promise<boolean>;
  readonly close: () => void;
}

function browserWorld(scope: WorkerGlobalScope, kind: HostKind, { notify, close }: Scope): World {
  const now = (): number => Date.now();
  const channel = new BroadcastChannel(CHANNEL);
  // A host that has gone must do nothing more, also where its worker goes on.
  const life = new AbortController();
  const setTimer: World['setTimer'] = (delay, fire) => {
    if (life.signal.aborted) return () => undefined;
    const id = scope.setTimeout(() => {
      if (!life.signal.aborted) fire();
    }, delay);
    return () => scope.clearTimeout(id);
  };
  return {
    host: { id: crypto.randomUUID() as HostId, kind, build: __ROTA_BUILD__ },
    builtAt: __ROTA_BUILT_AT__,
    origin: scope.location.origin,
    now,
    monotonic: () => performance.now(),
    setTimer,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    chance: () => Math.random(),
    locks: webLocks(scope.navigator.locks, life.signal),
    hints: hintsOver(channel),
    openLedger: async (events) => {
      const deadline = new Promise<void>((resolve) => setTimer(OPEN_DEADLINE_MS, resolve));
      const { onUnlocked } = events;
      return indexedDbLedger(await openDatabase(events, deadline), now, crypto, {
        onUnlocked,
        connect: (hear) => keysOver(life.signal, hear),
      });
    },
    fetch: scope.fetch.bind(scope),
    online: () => scope.navigator.onLine,
    timeZone: zoneOfMachine(),
    onOnline: (listener) => {
      scope.addEventListener('online', listener);
      return () => scope.removeEventListener('online', listener);
    },
    mayNotify,
    localNetworkPermission: (network) => localNetworkPermission(scope, network),
    notify: async (notification) => notify(notification),
    // eslint-disable-next-line no-console -- The only way for a worker to tell a developer.
    complain: (message, cause) => console.warn(message, cause),
    exit: () => {
      channel.close();
      life.abort();
      close();
    },
  };
}

/** The channel on which the unlocked key of the secrets is handed on. It lives as long as its host. */
function keysOver(
  life: AbortSignal,
  hear: (message: KeyMessage<CryptoKey>) => void,
): (message: KeyMessage<CryptoKey>) => void {
  const channel = new BroadcastChannel(KEY_CHANNEL);
  life.addEventListener('abort', () => channel.close());
  channel.onmessage = ({ data }: MessageEvent<KeyMessage<CryptoKey>>) => hear(data);
  return (message) => {
    try {
      channel.postMessage(message);
    } catch {
      // The host has gone; or it is WebKitGTK, which copies no key: there each host is unlocked by itself.
    }
  };
}

function hintsOver(channel: BroadcastChannel): Hints {
  return {
    post: (hint) => channel.postMessage(hint),
    listen: (listener) => {
      const hear = ({ data }: MessageEvent<unknown>): void => {
        const hint = readHint(data);
        if (hint !== null) listener(hint);
      };
      channel.addEventListener('message', hear);
      return () => channel.removeEventListener('message', hear);
    },
  };
}

/** The Web Locks of the platform as a host uses them: all that it holds or waits for is let go when its `life` ends. */
function webLocks(manager: LockManager, life: AbortSignal): Locks {
  const death = new Promise<void>((resolve) => {
    life.addEventListener('abort', () => resolve());
  });
  const never = new Promise<never>(() => undefined);
  return {
    tryWith: async (name, body) => {
      const outcome = await manager.request(name, { ifAvailable: true }, (lock) =>
        Promise.race([
          body(lock === null ? null : { name, mode: 'exclusive' }).then((result) => ({ result })),
          death,
        ]),
      );
      return outcome === undefined ? never : outcome.result;
    },
    holdForLife: (name, onLost) =>
      new Promise((resolve, reject) => {
        let isHeld = false;
        manager
          .request(name, { signal: life }, () => {
            isHeld = true;
            resolve();
            return death;
          })
          .catch((error: unknown) => {
            if (!isHeld) reject(error instanceof Error ? error : new Error(String(error)));
            else if (!life.aborted) onLost();
          });
      }),
    queue: (name, { onHeld, onLost }) => {
      const leave = new AbortController();
      const signal = AbortSignal.any([leave.signal, life]);
      const left = new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
      });
      manager
        .request(name, { signal }, () => {
          if (!signal.aborted) onHeld();
          return left;
        })
        .catch(() => {
          if (!signal.aborted) onLost();
        });
      return () => leave.abort();
    },
    whenFree: async (name) => {
      try {
        await manager.request(name, { mode: 'shared', signal: life }, () => undefined);
      } catch (error) {
        if (life.aborted) return never;
        throw error;
      }
    },
    held: async () =>
      ((await manager.query()).held ?? []).flatMap(({ name, mode }): HeldLock[] =>
        name === undefined || mode === undefined ? [] : [{ name, mode }],
      ),
  };
}
