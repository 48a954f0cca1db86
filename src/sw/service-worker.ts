/**
 * The service worker: keeps all files of one build, so that Rota opens without a network, brings a person to the right
 * screen when they press a notification, and is woken to be the host of last resort.
 *
 * - Every file of the build is fetched when the worker installs, the workers' scripts and what they load lazily among them:
 *   after one visit nothing of Rota needs the network.
 * - It answers for its own files alone. Other pages below its scope are not Rota's (a site may keep other things in folders
 *   beside it, even another Rota), so a navigation that is not to the page itself goes to the network. Rota's screens are in
 *   the hash of one page and need no rewriting.
 * - A newer build waits until the page says `take-over`: a tab never finds the files of another build under its feet.
 * - The host is ten times as large as all the rest, and hardly ever needed: it is a script of its own, which the browser
 *   stores with this one when it installs and runs only when it is wanted (docs/decisions/0006-the-host-of-last-resort.md).
 */
import { precacheAndRoute } from 'workbox-precaching';
import type { LastResort } from './last-resort.ts';

declare const self: ServiceWorkerGlobalScope & {
  /** Filled in by the build: each file with the hash of its content where its name has none. */
  readonly __WB_MANIFEST: { readonly url: string; readonly revision: string | null }[];
  /** There once {@link HOST_SCRIPT} has run in this instance of the worker. */
  rotaLastResort?: LastResort;
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { readonly createScriptURL: (address: string) => string | null },
    ): unknown;
  };
};
declare const __ROTA_BUILD__: string;
declare const __ROTA_BUILT_AT__: number;

/** What vite.config.ts builds of last-resort.ts, beside this script. */
const HOST_SCRIPT = './service-worker-host.js';

// Importing is a place that would run what it is given (https://w3c.github.io/trusted-types/): it is given this one script.
self.trustedTypes?.createPolicy('default', {
  createScriptURL: (address) => (address === HOST_SCRIPT ? address : null),
});

precacheAndRoute(self.__WB_MANIFEST, {
  directoryIndex: 'index.html',
  cleanURLs: false,
  // A query on the page, as launchers and shortcuts add, names no other page.
  ignoreURLParametersMatching: [/./],
});

self.addEventListener('install', (event) => {
  // Only what was imported by the end of the installation may be imported later. A throw, as of a host that a half-finished
  // deploy has of another build, makes the browser keep the worker that it has and try again later.
  event.waitUntil(Promise.resolve().then(lastResort));
});

self.addEventListener('activate', (event) => {
  // The tabs that were open before the first installation are kept going offline too.
  event.waitUntil(self.clients.claim());
});

self.addEventListener('message', (event) => {
  switch (typeOf(event.data)) {
    case 'take-over':
      event.waitUntil(self.skipWaiting());
      break;
    case 'which-build':
      event.ports[0]?.postMessage({ build: __ROTA_BUILD__, builtAt: __ROTA_BUILT_AT__ });
      break;
    default: // Of another build, with words that this one does not know yet.
  }
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(showOrAttend(urlOf(event.notification.data)));
});

// Under whatever tag: all that it means is that there is time now. Chromium alone has the event (https://wicg.github.io/periodic-background-sync/).
self.addEventListener('periodicsync', (event) => {
  (event as ExtendableEvent).waitUntil(attend());
});

/** Does what is due, in a host of this worker's own. The claim decides between it and any host that is open. */
async function attend(): Promise<void> {
  await lastResort().attend();
}

/** The host's script, run now if this instance of the worker has not needed it yet. */
function lastResort(): LastResort {
  if (self.rotaLastResort === undefined) self.importScripts(HOST_SCRIPT);
  const loaded = self.rotaLastResort;
  if (loaded?.build !== __ROTA_BUILD__ || loaded.builtAt !== __ROTA_BUILT_AT__)
    throw new Error('The host of the service worker is of another build.');
  return loaded;
}

/** Shows `url`, whose tab brings its own host; where no window can be had, does here what is due. */
async function showOrAttend(url: URL): Promise<void> {
  try {
    await show(url);
  } catch {
    // The browser allows a window for a real press alone, and some allow none.
  }
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!windows.some((client) => isOwnPage(new URL(client.url)))) await attend();
}

/**
 * Brings a window of Rota to the front with `url` in it: the one last looked at where there is one, else a new one. Only
 * windows that this worker controls can be steered, and a press of a notification allows one focus or one opening, so there
 * is no second try with another.
 */
async function show(url: URL): Promise<void> {
  // Most recently focused first (https://w3c.github.io/ServiceWorker/#clients-matchall).
  const windows = await self.clients.matchAll({ type: 'window' });
  const own = windows.find((client) => isOwnPage(new URL(client.url)));
  if (own === undefined) {
    await self.clients.openWindow(url.href);
    return;
  }
  const focused = await own.focus();
  // Its own address with another hash: the document stays, and with it what is typed there.
  const address = new URL(own.url);
  address.hash = url.hash;
  await focused.navigate(address.href);
}

/** The address in a notification's data, or the first screen if it is none of Rota's. */
function urlOf(data: unknown): URL {
  const { scope } = self.registration;
  const text = typeof data === 'object' && data !== null && 'url' in data ? data.url : null;
  const url = typeof text === 'string' ? URL.parse(text, scope) : null;
  return url !== null && isOwnPage(url) ? url : new URL(scope);
}

function isOwnPage({ origin, pathname }: URL): boolean {
  const scope = new URL(self.registration.scope);
  return (
    origin === scope.origin && (pathname === scope.pathname || pathname === `${scope.pathname}index.html`)
  );
}

function typeOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'type' in data ? data.type : null;
}
