/**
 * The host of last resort: what the service worker imports when it is woken to do what is due. A script of its own, and
 * one file with all that the host loads lazily elsewhere, because a service worker may import nothing after it was installed
 * but what it imported then, and no module at all (https://w3c.github.io/ServiceWorker/#importscripts).
 */
import { Host, attend, serviceWorkerWorld } from '../scheduler/index.ts';

/** What this script leaves in the global scope of the service worker. */
export interface LastResort {
  readonly build: string;
  readonly builtAt: number;
  /** Does what is due; one host at a time, and who asks meanwhile waits for the same one. Never rejects. */
  readonly attend: () => Promise<void>;
}

declare const self: ServiceWorkerGlobalScope & { rotaLastResort?: LastResort };
declare const __ROTA_BUILD__: string;
declare const __ROTA_BUILT_AT__: number;

let attending: Promise<void> | null = null;

async function attendOnce(): Promise<void> {
  const world = serviceWorkerWorld(self);
  try {
    await attend(new Host(world), world);
  } finally {
    attending = null;
  }
}

self.rotaLastResort = {
  build: __ROTA_BUILD__,
  builtAt: __ROTA_BUILT_AT__,
  attend: () => (attending ??= attendOnce()),
};
