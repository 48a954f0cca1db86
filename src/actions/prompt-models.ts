/** Which models an endpoint has: asked by whoever sets a prompt up, by the same way that a run asks. */
import { BUILT_IN_MODEL, type ModelEndpoint, type ModelList } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { openClient } from './prompt-client.ts';
import { failureOf, whyOffline } from './prompt-failures.ts';
import { prepareEndpoint } from './prompt-request.ts';
import { readModelList } from './prompt-wire.ts';
import type { TemplateScope } from './template-scope.ts';

/** Most models that are listed; hosted endpoints have hundreds. */
const MODELS_MOST = 2_000;

/** Asks `endpoint` for its models. Rejects with `signal.reason` on an abort. */
export async function askForModels(
  endpoint: ModelEndpoint,
  scope: TemplateScope,
  context: NetworkContext,
): Promise<ModelList> {
  const prepared = await prepareEndpoint(endpoint, scope);
  if (prepared.kind === 'refused') return { kind: 'failed', failure: prepared.failure };
  const { ready } = prepared;
  // A browser has one, and only a tab can ask it.
  if (ready.protocol === 'built-in') return { kind: 'models', models: [BUILT_IN_MODEL], tookMs: 0 };
  const unbound = scope.secrets?.whyNotTo(ready.base) ?? null;
  if (unbound !== null) return { kind: 'failed', failure: unbound };
  const offline = whyOffline(ready, context);
  if (offline !== null) return { kind: 'failed', failure: offline };
  const sentAt = context.now();
  const client = openClient(ready, context);
  const answer = await client.get('/models').catch(() => undefined);
  context.signal.throwIfAborted();
  const models = readModelList(answer);
  if (models === null)
    return { kind: 'failed', failure: await failureOf(client.exchange, ready, null, context) };
  return {
    kind: 'models',
    models: [...new Set(models)].sort((a, b) => (a < b ? -1 : 1)).slice(0, MODELS_MOST),
    tookMs: Math.max(0, context.now() - sentAt),
  };
}
