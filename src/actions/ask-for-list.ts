import type { Definition, DurationMs, Failure } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import type { LoadedPart } from './load-part.ts';
import { sampleRun } from './sample-run.ts';
import type { TemplateScope } from './template-scope.ts';
import { scopeOf } from './template.ts';

/** How long a server may take to say what it has: a person waits for it. */
const LIST_MOST_MS: DurationMs = 8_000;

/**
 * What a server lists for the editor, or why it could not be asked: the part of Rota that asks it is not there, or there was
 * no answer in time. Templates are filled in as for a sample run.
 *
 * @param who the server, as a sentence begins with it.
 * @param advice what to do when it does not answer.
 */
export async function askForList<Part, List>(
  loaded: LoadedPart<Part>,
  world: Omit<NetworkContext, 'signal'>,
  { who, advice }: { readonly who: string; readonly advice: string },
  ask: (part: Part, scope: TemplateScope, context: NetworkContext) => Promise<List>,
): Promise<List | { readonly kind: 'failed'; readonly failure: Failure }> {
  if (loaded.kind === 'failed') return loaded;
  const run = sampleRun({ name: 'Test', schedule: { kind: 'manual' } } as Definition);
  const context = { ...world, signal: AbortSignal.timeout(LIST_MOST_MS) };
  try {
    return await ask(loaded.part, scopeOf(run, world.now, world.secrets), context);
  } catch (error) {
    if (!context.signal.aborted) throw error;
    const message = `${who} did not answer within ${LIST_MOST_MS / 1_000} s.`;
    return { kind: 'failed', failure: { class: 'network', code: 'no-answer', message, advice } };
  }
}
