/** Why a request failed, as far as that is known without the ladder, which is loaded when a first one fails. */
import type { Failure, SentRequest } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { loadPart } from './load-part.ts';

/** Climbs the ladder for a `request` that `fetch` rejected. Rejects with `signal.reason` on an abort. */
export async function causeOf(request: SentRequest, context: NetworkContext): Promise<Failure> {
  const ladder = await loadPart(() => import('./find-cause.ts'), 'finds out why a request failed');
  if (ladder.kind === 'loaded') return await ladder.part.findCause(request, context);
  context.signal.throwIfAborted();
  return {
    class: 'network',
    code: 'unreachable',
    message: `${new URL(request.url).host} could not be reached, and Rota could not load what finds out why.`,
    advice: 'Check the connection of this device.',
  };
}
