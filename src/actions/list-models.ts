import type { ModelEndpoint, ModelList } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { askForList } from './ask-for-list.ts';
import { loadPart } from './load-part.ts';

/** The models of `endpoint`, or why it could not be asked. Templates are filled in as for a sample run. Never rejects. */
export async function listModels(
  endpoint: ModelEndpoint,
  world: Omit<NetworkContext, 'signal'>,
): Promise<ModelList> {
  return await askForList(
    await loadPart(() => import('./prompt-models.ts'), 'asks models'),
    world,
    {
      who: 'The endpoint',
      advice: 'Check the address, and that its server runs and is not busy loading a model.',
    },
    (part, scope, context) => part.askForModels(endpoint, scope, context),
  );
}
