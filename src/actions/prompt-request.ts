/** What a prompt sends: its templates filled in, and what no endpoint would take refused. */
import type { Failure, ModelEndpoint, PromptAction, PromptProtocol } from '../domain/index.ts';
import { readTarget } from './target.ts';
import { fillTemplate } from './template.ts';
import type { TemplateScope } from './template-scope.ts';

/** An endpoint that can be asked. */
export interface ReadyEndpoint {
  readonly protocol: PromptProtocol;
  /** Where its API begins, without a slash at the end. */
  readonly base: URL;
  /** Never shown, stored or told. */
  readonly key: string | null;
}

/** A prompt that can be sent. */
export interface ReadyPrompt {
  readonly endpoint: ReadyEndpoint;
  readonly model: string;
  readonly system: string | null;
  readonly prompt: string;
}

/** What was prepared, or which field of the action is why it cannot be sent. */
export type Prepared<Ready> =
  | { readonly kind: 'ready'; readonly ready: Ready }
  | { readonly kind: 'refused'; readonly field: readonly (string | number)[]; readonly failure: Failure };

/** What failures call the model of the browser, whose endpoint has no address. */
const THIS_BROWSER = 'https://this-browser';

/** Fills the templates of `endpoint` in. */
export async function prepareEndpoint(
  endpoint: ModelEndpoint,
  scope: TemplateScope,
): Promise<Prepared<ReadyEndpoint>> {
  if (endpoint.protocol === 'built-in')
    return { kind: 'ready', ready: { protocol: endpoint.protocol, base: new URL(THIS_BROWSER), key: null } };
  const address = await fillTemplate(endpoint.baseUrl, 'The address', scope);
  if (address.kind === 'failed') return refused(['endpoint', 'baseUrl'], address.failure);
  const target = readTarget(address.text);
  if (target.kind === 'refused') return refused(['endpoint', 'baseUrl'], target.failure);
  const key = await fillTemplate(endpoint.apiKey ?? '', 'The key', scope);
  if (key.kind === 'failed') return refused(['endpoint', 'apiKey'], key.failure);
  const trimmed = key.text.trim();
  // Which one is not said: it is part of a secret.
  if (/[^\x21-\x7e]/.test(trimmed)) {
    const message = 'The key holds a space or a character that keys do not have.';
    return refused(['endpoint', 'apiKey'], { class: 'invalid', code: 'bad-key', message });
  }
  const { protocol } = endpoint;
  return {
    kind: 'ready',
    ready: { protocol, base: apiBase(target.url, protocol), key: trimmed === '' ? null : trimmed },
  };
}

/** Fills the templates of `action` in. */
export async function preparePrompt(
  action: PromptAction,
  scope: TemplateScope,
): Promise<Prepared<ReadyPrompt>> {
  const endpoint = await prepareEndpoint(action.endpoint, scope);
  if (endpoint.kind === 'refused') return endpoint;
  const system = await fillTemplate(action.system ?? '', 'The system prompt', scope);
  if (system.kind === 'failed') return refused(['system'], system.failure);
  const prompt = await fillTemplate(action.prompt, 'The prompt', scope);
  if (prompt.kind === 'failed') return refused(['prompt'], prompt.failure);
  if (prompt.text.trim() === '') {
    const message = 'The prompt is empty once its template is filled in.';
    return refused(['prompt'], { class: 'invalid', code: 'empty-prompt', message });
  }
  const unbound = scope.secrets?.whyNotTo(endpoint.ready.base) ?? null;
  if (unbound !== null) return refused(['endpoint', 'apiKey'], unbound);
  return {
    kind: 'ready',
    ready: {
      endpoint: endpoint.ready,
      model: action.model,
      system: system.text.trim() === '' ? null : system.text,
      prompt: prompt.text,
    },
  };
}

/** Both kinds of API live under `/v1`, which people leave out: a bare host is completed, any other path is meant so. */
function apiBase(url: URL, protocol: PromptProtocol): URL {
  const base = new URL(url.href.replace(/[?#].*$/, ''));
  base.pathname = base.pathname.replace(/\/+$/, '');
  if (base.pathname === '/' || base.pathname === '') base.pathname = '/v1';
  else if (protocol === 'anthropic' && !base.pathname.endsWith('/v1')) base.pathname += '/v1';
  return base;
}

function refused(field: readonly string[], failure: Failure): Prepared<never> {
  return { kind: 'refused', field, failure };
}
