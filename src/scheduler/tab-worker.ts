/// <reference lib="webworker" />
/** Entry of the fallback where SharedWorker is missing: each tab's own worker, running the same host. */
import { hostCalls } from './api.ts';
import { workerWorld } from './browser-world.ts';
import { withFaults } from './faults.ts';
import { Host } from './host.ts';
import { withPausePoints } from './pause-points.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;
declare const __ROTA_TEST__: boolean;

const real = workerWorld(self, 'tab-worker');
const world = __ROTA_TEST__ ? withFaults(withPausePoints(real)) : real;
const host = new Host(world);
serve(hostCalls(host, world), host, world, self);
