/** The types that the tests share with the app. Nothing of the app runs in the tests' own process. */
export type { AutomationId, DefinitionInput, RunId } from '../src/domain/index.ts';
export type { HostApi, Run } from '../src/rpc/index.ts';
