/// <reference lib="webworker" />
/** Entry of the SharedWorker: one host for all tabs of a build. */
import { hostCalls } from './api.ts';
import { workerWorld } from './browser-world.ts';
import { withFaults } from './faults.ts';
import { Host } from './host.ts';
import { withPausePoints } from './pause-points.ts';
import { serve } from './serve.ts';

declare const self: SharedWorkerGlobalScope;
declare const __ROTA_TEST__: boolean;

// Before anything is awaited: the first tab's connect event does not wait.
const real = workerWorld(self, 'shared-worker');
const world = __ROTA_TEST__ ? withFaults(withPausePoints(real)) : real;
const host = new Host(world);
const calls = hostCalls(host, world);
self.addEventListener('connect', (event) => {
  for (const port of event.ports) serve(calls, host, world, port);
});
