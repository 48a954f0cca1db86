/** The door of actions: what a run does, and nothing about when, who or what is stored. */
export { needsOf, perform } from './registry.ts';
export { checkAction } from './check-action.ts';
export type { Executor } from './action-context.ts';
export { Interrupted } from './interrupted.ts';
export { listModels } from './list-models.ts';
export { listTools } from './list-tools.ts';
export { RunSecrets } from './run-secrets.ts';
