/// <reference lib="webworker" />
/** Entry of the worker that a tab lends: the tab gives it the port to the host, once, and then only ends it. */
import { serveScripts } from './executor.ts';

declare const self: DedicatedWorkerGlobalScope;

self.addEventListener('message', ({ ports: [port] }) => {
  if (port !== undefined) serveScripts(port);
});
