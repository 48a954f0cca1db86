/** The door of domain: pure decisions, types and constants. No clock, no chance, no storage, no browser. */
export * from './action.ts';
export * from './assert.ts';
export * from './automation.ts';
export * from './ids.ts';
export * from './lease.ts';
export * from './occurrence.ts';
export * from './output.ts';
export * from './problem.ts';
export * from './rules.ts';
export * from './run.ts';
export * from './schedule.ts';
export * from './time.ts';
