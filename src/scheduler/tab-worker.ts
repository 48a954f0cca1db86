/// <reference lib="webworker" />
/** Entry of the fallback where SharedWorker is missing: each tab's own worker, running the same host. */
import { hostCalls } from './api.ts';
import { browserWorld } from './browser-world.ts';
import { Host } from './host.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;

const world = browserWorld(self, 'tab-worker');
const host = new Host(world);
serve(hostCalls(host, world), host, world, self);
