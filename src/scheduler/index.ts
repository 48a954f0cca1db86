/** The door of scheduler, for the service worker's host and for tests. The workers' entries are used by their address. */
export { hostCalls } from './api.ts';
export { attend } from './attend.ts';
export { serviceWorkerWorld } from './browser-world.ts';
export { Host } from './host.ts';
export type { HeldLock, Hints, LedgerEvents, Locks, Undo, World } from './world.ts';
