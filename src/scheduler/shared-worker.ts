/// <reference lib="webworker" />
/** Entry of the SharedWorker: one host for all tabs of a build. */
import { hostCalls } from './api.ts';
import { browserWorld } from './browser-world.ts';
import { Host } from './host.ts';
import { serve } from './serve.ts';

declare const self: SharedWorkerGlobalScope;

// Before anything is awaited: the first tab's connect event does not wait.
const world = browserWorld(self, 'shared-worker');
const host = new Host(world);
const calls = hostCalls(host, world);
self.addEventListener('connect', (event) => {
  for (const port of event.ports) serve(calls, host, world, port);
});
