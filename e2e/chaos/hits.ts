/** What the receiving server saw, as the record has it. */
import type { Hit as ServerHit } from '../http-server.ts';
import type { Hit } from './record.ts';

/**
 * The effects among `hits`. A `HEAD` is none: nothing here sends one but Rota itself, which asks once more at the address of
 * a `GET` that failed, to tell a person why (src/actions/find-cause.ts).
 */
export function effectsIn(hits: readonly ServerHit[]): readonly Hit[] {
  return hits
    .filter(({ method }) => method !== 'HEAD')
    .map(({ search, startedAt, answeredAt, endedAt }) => ({
      runId: search.get('run') ?? '',
      automationId: search.get('automation') ?? '',
      occurrence: search.get('occurrence') ?? '',
      attempt: Number(search.get('attempt')),
      startedAt,
      answeredAt,
      closedAt: endedAt,
    }));
}
