/** The real world, as a worker has it. Only this file and the entries touch it. */
import type { HostId, HostKind } from '../domain/index.ts';
import { CHANNEL, type Hint } from '../rpc/index.ts';
import { OPEN_DEADLINE_MS, indexedDbLedger, openDatabase } from '../store/index.ts';
import type { HeldLock, Hints, Locks, World } from './world.ts';

declare const __ROTA_BUILD__: string;
declare const __ROTA_BUILT_AT__: number;

/** The world of the worker `scope`. */
export function browserWorld(scope: WorkerGlobalScope & { close(): void }, kind: HostKind): World {
  const now = (): number => Date.now();
  const channel = new BroadcastChannel(CHANNEL);
  const setTimer: World['setTimer'] = (delay, fire) => {
    const id = scope.setTimeout(fire, delay);
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
    locks: webLocks(scope.navigator.locks),
    hints: hintsOver(channel),
    openLedger: async (events) => {
      const deadline = new Promise<void>((resolve) => setTimer(OPEN_DEADLINE_MS, resolve));
      return indexedDbLedger(await openDatabase(events, deadline), now);
    },
    fetch: scope.fetch.bind(scope),
    online: () => scope.navigator.onLine,
    onOnline: (listener) => {
      scope.addEventListener('online', listener);
      return () => scope.removeEventListener('online', listener);
    },
    mayNotify: () => typeof Notification === 'function' && Notification.permission === 'granted',
    notify: ({ tag, title, body }) => {
      if (typeof Notification !== 'function' || Notification.permission !== 'granted') return false;
      try {
        new Notification(title, { tag, body });
        return true;
      } catch {
        // Phones refuse the constructor; there only a window's service worker registration can show one.
        return false;
      }
    },
    // eslint-disable-next-line no-console -- The only way for a worker to tell a developer.
    complain: (message, cause) => console.warn(message, cause),
    exit: () => {
      channel.close();
      scope.close();
    },
  };
}

function hintsOver(channel: BroadcastChannel): Hints {
  return {
    post: (hint) => channel.postMessage(hint),
    listen: (listener) => {
      const hear = (event: MessageEvent<Hint>): void => listener(event.data);
      channel.addEventListener('message', hear);
      return () => channel.removeEventListener('message', hear);
    },
  };
}

/** The Web Locks of the platform as a host uses them. */
function webLocks(manager: LockManager): Locks {
  return {
    tryWith: (name, body) =>
      manager.request(name, { ifAvailable: true }, (lock) =>
        body(lock === null ? null : { name, mode: 'exclusive' }),
      ),
    holdForLife: (name) =>
      new Promise((resolve, reject) => {
        manager
          .request(name, () => {
            resolve();
            return new Promise<never>(() => undefined);
          })
          .catch(reject);
      }),
    queue: (name, { onHeld, onLost }) => {
      const leave = new AbortController();
      const { signal } = leave;
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
    whenFree: (name) => manager.request(name, { mode: 'shared' }, () => undefined),
    held: async () =>
      ((await manager.query()).held ?? []).flatMap(({ name, mode }): HeldLock[] =>
        name === undefined || mode === undefined ? [] : [{ name, mode }],
      ),
  };
}
