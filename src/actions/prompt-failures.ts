/** Why a model could not be asked, or did not answer, in words for a person. */
import {
  type DurationMs,
  type EpochMs,
  type Failure,
  nearnessOf,
  type PromptAction,
  type PromptLimit,
} from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { durationText, shortened } from './amounts.ts';
import { causeOf } from './cause.ts';
import { offlineFailure } from './offline.ts';
import type { Exchange } from './prompt-client.ts';
import type { ReadyEndpoint } from './prompt-request.ts';
import { readProblem } from './prompt-wire.ts';

/** How long a piece of an endpoint's own words may be in a failure, in characters. */
const QUOTED_MOST = 300;

/** `text` with the key of `endpoint` taken out, should the other side have sent it back. */
export function withoutKey(text: string, { key }: ReadyEndpoint): string {
  return key === null || key.length < 4 ? text : text.replaceAll(key, '(key)');
}

/** Why nothing is asked of `endpoint` now; `null` when it may well be reached. */
export function whyOffline({ protocol, base }: ReadyEndpoint, { online }: NetworkContext): Failure | null {
  return protocol === 'built-in' || online() || nearnessOf(base.hostname) === 'loopback'
    ? null
    : offlineFailure(base);
}

/**
 * Why the request of `exchange` came to nothing. Called after it was given up; rejects with `signal.reason` on an abort.
 *
 * @param what says what went wrong where the exchange itself shows nothing wrong.
 */
export async function failureOf(
  exchange: Exchange,
  endpoint: ReadyEndpoint,
  model: string | null,
  context: NetworkContext,
): Promise<Failure> {
  const { request, response } = exchange;
  const { host } = endpoint.base;
  if (exchange.unanswered && request !== null) {
    const failure = await causeOf(request, context);
    const help = localHelp(failure, endpoint, context.origin);
    return help === null ? failure : { ...failure, advice: help };
  }
  if (response === null) {
    return { class: 'network', code: 'connection-lost', message: `The connection to ${host} broke.` };
  }
  if (!response.ok) return refusal(exchange, response, endpoint, model, context.now());
  if (exchange.tooLong) {
    return {
      class: 'action',
      code: 'answer-too-long',
      message: `${host} sent more than a model's answer can be, and was cut off.`,
    };
  }
  const said = problemIn(exchange.body, endpoint);
  if (said !== null) return said;
  return {
    class: 'action',
    code: 'not-a-model',
    message: `${host} answered, but not as the endpoint of a model does.`,
    advice: `Check the address (${endpoint.base.href}) and the protocol. Most servers have their API under /v1.`,
  };
}

/** The connection broke, or the stream ended, before the model said that it was done. */
export function brokenStream({ base }: ReadyEndpoint, words: number): Failure {
  const when = words === 0 ? 'before the first word of the answer' : 'in the middle of the answer';
  return {
    class: 'network',
    code: 'connection-lost',
    message: `The connection to ${base.host} broke ${when}.`,
    advice: 'A later attempt may succeed.',
  };
}

/** The endpoint said, within the stream, that something went wrong. */
export function modelError(endpoint: ReadyEndpoint, words: string): Failure {
  return {
    class: 'action',
    code: 'model-error',
    message: `${endpoint.base.host} gave up: ${quoted(words, endpoint)}`,
  };
}

function problemIn(body: string | null, endpoint: ReadyEndpoint): Failure | null {
  const words = body === null ? null : readProblem(jsonOf(body));
  return words === null ? null : modelError(endpoint, words);
}

/** The JSON in `text`; `undefined` when it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function refusal(
  { body }: Exchange,
  { status, headers }: Response,
  endpoint: ReadyEndpoint,
  model: string | null,
  now: EpochMs,
): Failure {
  const { host } = endpoint.base;
  const words = body === null ? null : readProblem(jsonOf(body));
  const said = words === null ? '' : ` It says: ${quoted(words, endpoint)}`;
  const failure = (code: string, message: string, advice?: string): Failure => ({
    class: 'action',
    code,
    message: `${message}${said}`,
    ...(advice === undefined ? {} : { advice }),
  });
  if (status === 401 || status === 403) {
    return endpoint.key === null
      ? failure('key-needed', `${host} wants a key (${status}).`, 'Enter the key of this endpoint.')
      : failure('key-refused', `${host} refused the key (${status}).`, 'Check the key of this endpoint.');
  }
  if (status === 404) {
    return model === null
      ? failure('no-such-api', `${host} has no list of models at ${endpoint.base.href}/models (404).`, PATH)
      : failure(
          'no-such-model',
          `${host} has no model ${shortened(model, 80)}, or no API at ${endpoint.base.href} (404).`,
          `Choose a model from the list of the endpoint. ${PATH}`,
        );
  }
  if (status === 429) {
    const wait = retryAfter(headers, now);
    return {
      ...failure(
        'rate-limited',
        `${host} asks for fewer requests (429)${wait === null ? '' : ` and to wait ${durationText(wait)}`}.`,
        'Let the automation run less often, or check the credit of the account.',
      ),
      ...(wait === null ? {} : { retryAfterMs: wait }),
    };
  }
  if (status >= 500) {
    const wait = retryAfter(headers, now);
    return {
      ...failure('model-error', `${host} failed (${status}).`, 'A later attempt may succeed.'),
      ...(wait === null ? {} : { retryAfterMs: wait }),
    };
  }
  return failure('request-refused', `${host} refused the request (${status}).`);
}

const PATH = 'Most servers have their API under /v1, such as http://localhost:11434/v1.';

/** `Retry-After` in milliseconds (RFC 9110, section 10.2.3); a page sees it only where the server exposes it. */
function retryAfter(headers: Headers, now: EpochMs): DurationMs | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  const at = value === '' ? NaN : Date.parse(value);
  return Number.isFinite(at) && at > now ? at - now : null;
}

function quoted(words: string, endpoint: ReadyEndpoint): string {
  const text = shortened(withoutKey(words, endpoint), QUOTED_MOST);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** What to do for servers of models that people run themselves; `null` where the general advice is better. */
function localHelp(failure: Failure, { base }: ReadyEndpoint, origin: string): string | null {
  if (nearnessOf(base.hostname) === 'public') return null;
  const isOllama = base.port === '11434';
  const isStudio = base.port === '1234';
  if (failure.code === 'blocked-by-cors') {
    const ollama = `set the environment variable OLLAMA_ORIGINS=${origin} and start it again`;
    const studio = 'switch on "Enable CORS" in the settings of its server (Developer)';
    if (isOllama) return `If it is Ollama: ${ollama}.`;
    if (isStudio) return `If it is LM Studio: ${studio}.`;
    return `Ollama: ${ollama}. LM Studio: ${studio}. Others: allow ${origin} (CORS).`;
  }
  if (failure.code === 'unreachable') {
    if (isOllama) return 'Check that Ollama runs: start its app, or `ollama serve`.';
    if (isStudio) return 'Check that the server of LM Studio runs (Developer, Start Server).';
  }
  return null;
}

/** `failure`, told as what it is where the endpoint or its model knows no tools. Servers have no common word for that. */
export function knowsNoTools(failure: Failure, { base }: ReadyEndpoint): Failure {
  const isRefusal = ['request-refused', 'model-error', 'no-such-model'].includes(failure.code);
  if (!isRefusal || !/\btools?\b|\bfunction(?:[ _-]?call|s\b)/i.test(failure.message)) return failure;
  return {
    class: 'action',
    code: 'no-tools',
    message: `The model at ${base.host} cannot call tools. ${failure.message}`,
    advice: 'Choose a model that can, or take the tools out of this prompt.',
  };
}

/** The model called tools once more often than it may. */
export function roundsUsedUp(rounds: number): Failure {
  return {
    class: 'limit',
    code: 'round-limit',
    message: `Stopped because the model still wanted to call tools after ${rounds} ${rounds === 1 ? 'round' : 'rounds'} of calls, as many as you allow.`,
    advice: 'Allow more rounds, or ask for less at once.',
  };
}

/** What was said and called in a run is more than is kept of one. */
export function traceTooLong(most: number): Failure {
  return {
    class: 'limit',
    code: 'answer-too-long',
    message: `What the model and its tools said is longer than ${most} characters, which is as much as Rota keeps of a run, and was ended.`,
    advice: 'Allow fewer rounds, or ask for less at once.',
  };
}

/**
 * A limit that the person set kept the prompt from being sent, ended the answer, or kept the model from being asked again
 * after it had called tools.
 */
export function limitReached(
  by: PromptLimit,
  { limits = {}, price }: PromptAction,
  when: 'before' | 'answering' | 'between',
): Failure {
  const currency = price?.currency ?? '';
  const limit = {
    tokensPerRun: `${limits.tokensPerRun} tokens a run`,
    tokensPerDay: `${limits.tokensPerDay} tokens a day`,
    costPerRun: `${limits.costPerRun} ${currency} a run`,
    costPerDay: `${limits.costPerDay} ${currency} a day`,
  }[by];
  const isDaily = by === 'tokensPerDay' || by === 'costPerDay';
  const message = {
    before: `Not asked, because of your limit of ${limit}.`,
    answering: `Stopped at your limit of ${limit}, in the middle of the answer.`,
    between: `Stopped at your limit of ${limit}, after tools were called and before the model was asked again.`,
  }[when];
  return {
    class: 'limit',
    code: isDaily ? 'daily-limit' : 'run-limit',
    message,
    advice: isDaily ? 'It can ask again tomorrow; or raise the limit.' : 'Raise the limit, or ask for less.',
  };
}
