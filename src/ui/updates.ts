/**
 * The page's side of the service worker: it is registered here, and a newer build of Rota that it has fetched is offered
 * here and taken by all tabs together.
 *
 * A newer service worker waits until someone takes it (`takeUpdate`) or until the last tab is closed. Taken, it controls
 * every tab at once, and each tab that is of another build reloads, once. A first installation takes control too, but is
 * of the same build as its page, so nothing reloads.
 */

declare const __ROTA_BUILD__: string;
declare const __ROTA_BUILT_AT__: number;

/** What became of registering the service worker. Without one Rota works, but not offline, and a reload is what updates it. */
export type Registered =
  | { readonly kind: 'registered' }
  /** `development`: not a build. `unsupported`: no service workers here, as on an insecure origin. */
  | { readonly kind: 'development' | 'unsupported' }
  /** The browser refused; `detail` is what it said. */
  | { readonly kind: 'failed'; readonly detail: string };

/** The least time between two questions to the server whether there is a newer build. */
const ASK_AGAIN_MS = 60_000;
/** How often a tab that stays open asks by itself: browsers ask only when a page is opened. */
const ASK_EVERY_MS = 60 * 60_000;

const listeners = new Set<() => void>();
let registration: ServiceWorkerRegistration | null = null;

/**
 * Registers the service worker once the page has loaded, so that what it fetches does not compete with the first screen,
 * and from then on asks for newer builds: when the tab is shown again, when the network is back, and each hour. To be
 * called once, by `main.ts`. Never rejects.
 */
export async function startUpdates(): Promise<Registered> {
  if (!import.meta.env.PROD) return { kind: 'development' };
  if (!('serviceWorker' in navigator)) return { kind: 'unsupported' };
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('controllerchange', () => void reloadIfAnotherBuild());
  await loaded();
  try {
    const found = await serviceWorker.register(new URL('./service-worker.js', document.baseURI), {
      scope: new URL('./', document.baseURI).pathname,
      updateViaCache: 'none',
    });
    registration = found;
    watch(found);
    keepAsking(found);
    return { kind: 'registered' };
  } catch (error) {
    return { kind: 'failed', detail: String(error) };
  }
}

/**
 * Calls `onWaiting` whenever a newer build is ready to be taken, and soon if one is already; more than once if a still
 * newer one replaces it. Returns a function that stops this.
 */
export function watchForUpdate(onWaiting: () => void): () => void {
  listeners.add(onWaiting);
  if (registration !== null && isUpdateWaiting(registration))
    queueMicrotask(() => {
      if (listeners.has(onWaiting)) onWaiting();
    });
  return () => void listeners.delete(onWaiting);
}

/**
 * Takes the build that waits: every tab of Rota reloads with it. `nothing-waiting` means that another tab has already taken
 * it, and that this one reloads all the same.
 */
export function takeUpdate(): 'taken' | 'nothing-waiting' {
  const waiting = registration?.waiting ?? null;
  if (waiting === null) return 'nothing-waiting';
  waiting.postMessage({ type: 'take-over' });
  return 'taken';
}

/**
 * Reloads with the newest build there is. A plain reload is answered by the service worker that is in charge, with the very
 * build that this tab has; so the server is asked first, and a newer one is taken by all tabs.
 */
export async function reloadNewest(): Promise<void> {
  if (registration !== null) {
    // Offline there is still what was fetched before.
    await registration.update().catch(() => undefined);
    if (registration.installing !== null) await installed(registration.installing);
    if (takeUpdate() === 'taken') return;
  }
  location.reload();
}

/** Resolves when a worker has all its files, or has failed to get them. */
function installed(worker: ServiceWorker): Promise<void> {
  return new Promise((done) => {
    const look = (): void => {
      if (worker.state === 'installing') return;
      worker.removeEventListener('statechange', look);
      done();
    };
    worker.addEventListener('statechange', look);
    look();
  });
}

/** A worker that waits while none is active is a first installation, which is not an update. */
function isUpdateWaiting(found: ServiceWorkerRegistration): boolean {
  return found.waiting !== null && found.active !== null;
}

function watch(found: ServiceWorkerRegistration): void {
  const tell = (): void => {
    if (isUpdateWaiting(found)) for (const listener of listeners) listener();
  };
  const follow = (installing: ServiceWorker): void => {
    installing.addEventListener('statechange', () => {
      if (installing.state === 'installed') tell();
    });
  };
  if (found.installing !== null) follow(found.installing);
  found.addEventListener('updatefound', () => {
    if (found.installing !== null) follow(found.installing);
  });
  tell();
}

function keepAsking(found: ServiceWorkerRegistration): void {
  let askedAt = performance.now();
  const ask = (): void => {
    if (document.visibilityState !== 'visible' || !navigator.onLine) return;
    if (performance.now() - askedAt < ASK_AGAIN_MS) return;
    askedAt = performance.now();
    // Offline or a server in trouble: the next occasion asks again.
    found.update().catch(() => undefined);
  };
  document.addEventListener('visibilitychange', ask);
  addEventListener('online', ask);
  setInterval(ask, ASK_EVERY_MS);
}

let reloading = false;

async function reloadIfAnotherBuild(): Promise<void> {
  const { controller } = navigator.serviceWorker;
  if (controller === null) return;
  const theirs = await buildOf(controller);
  if (reloading || (theirs.build === __ROTA_BUILD__ && theirs.builtAt === __ROTA_BUILT_AT__)) return;
  reloading = true;
  location.reload();
}

/** Asks a service worker which build it is of. */
function buildOf(worker: ServiceWorker): Promise<{ readonly build: unknown; readonly builtAt: unknown }> {
  return new Promise((answer) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<{ build: unknown; builtAt: unknown }>) => {
      port1.close();
      answer(data);
    };
    worker.postMessage({ type: 'which-build' }, [port2]);
  });
}

function loaded(): Promise<void> {
  return new Promise((done) => {
    if (document.readyState === 'complete') done();
    else addEventListener('load', () => done(), { once: true });
  });
}
