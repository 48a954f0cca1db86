import type { Definition, DurationMs, ModelEndpoint, ModelList } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { sampleRun } from './sample-run.ts';
import { loadPart } from './load-part.ts';
import { scopeOf } from './template.ts';

/** How long an endpoint may take to say which models it has: a person waits for it. */
const LIST_MOST_MS: DurationMs = 8_000;

/** The models of `endpoint`, or why it could not be asked. Templates are filled in as for a sample run. Never rejects. */
export async function listModels(
  endpoint: ModelEndpoint,
  world: Omit<NetworkContext, 'signal'>,
): Promise<ModelList> {
  const loaded = await loadPart(() => import('./prompt-models.ts'), 'asks models');
  if (loaded.kind === 'failed') return loaded;
  const run = sampleRun({ name: 'Test', schedule: { kind: 'manual' } } as Definition);
  const context = { ...world, signal: AbortSignal.timeout(LIST_MOST_MS) };
  try {
    return await loaded.part.askForModels(endpoint, scopeOf(run, world.now, world.secrets), context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    return {
      kind: 'failed',
      failure: {
        class: 'network',
        code: 'no-answer',
        message: `The endpoint did not answer within ${LIST_MOST_MS / 1_000} s.`,
        advice: 'Check the address, and that its server runs and is not busy loading a model.',
      },
    };
  }
}
