/** What is asked while a person sets an automation up. It is loaded then: no run needs any of it. */
import type {
  AskedServer,
  Definition,
  ModelEndpoint,
  ModelList,
  Problem,
  ToolList,
} from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { loadPart } from './load-part.ts';

/** The world without what each question brings itself. */
type World = Omit<NetworkContext, 'signal'>;

/**
 * What is wrong with the action of `definition` that its schema cannot see (check-action.ts). Empty when it may be saved;
 * what cannot be checked now is checked when it runs. Never rejects.
 */
export async function checkAction(
  definition: Definition,
  at: readonly (string | number)[] = [],
): Promise<readonly Problem[]> {
  const loaded = await loadPart(() => import('./check-action.ts'), 'checks actions');
  return loaded.kind === 'failed' ? [] : await loaded.part.checkAction(definition, at);
}

/** The models of `endpoint`, or why it could not be asked (list-models.ts). Never rejects. */
export async function listModels(endpoint: ModelEndpoint, world: World): Promise<ModelList> {
  const loaded = await loadPart(() => import('./list-models.ts'), 'asks models');
  return loaded.kind === 'failed' ? loaded : await loaded.part.listModels(endpoint, world);
}

/** The tools of `server`, or why it could not be asked (list-tools.ts). Never rejects. */
export async function listTools(server: AskedServer, world: World): Promise<ToolList> {
  const loaded = await loadPart(() => import('./list-tools.ts'), 'asks for tools');
  return loaded.kind === 'failed' ? loaded : await loaded.part.listTools(server, world);
}
