/** The door of actions: what a run does, and nothing about when, who or what is stored. */
export { needsOf, perform, prepareActions } from './registry.ts';
export { whyNotContinued } from './continuing.ts';
export { checkAction, listModels, listTools } from './for-the-editor.ts';
export type { Executor } from './action-context.ts';
export { Interrupted } from './interrupted.ts';
export { RunSecrets } from './run-secrets.ts';
