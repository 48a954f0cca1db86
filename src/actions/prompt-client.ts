/**
 * Talks to an endpoint of a model. OpenAI's client makes the request and reads the stream, for both protocols: what it
 * sends differs only in the headers and the body. It is given a fetch of ours, so that requests are sent, diagnosed and
 * limited like all others, and that no header leaves which the endpoint did not ask for: the client adds eight that
 * describe itself, and each of them is one more that a server must allow a page to send (CORS preflight).
 */
import OpenAI from 'openai';
import type { SentRequest } from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { fetchFromTab } from './built-in-model.ts';
import type { ReadyEndpoint } from './prompt-request.ts';
import { readBody, textOf } from './read-body.ts';

/** How much of a stream is read: a word of an answer is wrapped in some 300 bytes. */
const STREAM_MOST_BYTES = 64_000_000;
/** Longest line of a stream. */
const LINE_MOST_BYTES = 1_000_000;
/** A client's own deadline is none of Rota's: the run has one. Timers take no more than this. */
const NO_DEADLINE_MS = 2 ** 31 - 1;

/** The version of Anthropic's API, which each request names. */
const ANTHROPIC_VERSION = '2023-06-01';

/** What is known of one request and its answer, however it ends. */
export interface Exchange {
  /** As it was sent, without the key. */
  request: SentRequest | null;
  /** `fetch` rejected: nothing came that a page may read. */
  unanswered: boolean;
  response: Response | null;
  /** The body of an answer that is no stream. */
  body: string | null;
  /** The stream was more than Rota reads, and was ended. */
  tooLong: boolean;
}

/** One connection to `endpoint`, for one request. */
export interface ModelClient {
  readonly exchange: Exchange;
  /** Sends `body` and resolves with the events of the answer. Rejects when there is none; {@link exchange} says why. */
  stream(path: string, body: object): Promise<AsyncIterable<unknown>>;
  /** Resolves with the JSON at `path`. Rejects when there is none; {@link exchange} says why. */
  get(path: string): Promise<unknown>;
}

/** Makes a client for one request; an abort of the context's signal ends it. */
export function openClient({ protocol, base, key }: ReadyEndpoint, given: NetworkContext): ModelClient {
  const context = protocol === 'built-in' ? { ...given, fetch: fetchFromTab(given) } : given;
  const exchange: Exchange = {
    request: null,
    unanswered: false,
    response: null,
    body: null,
    tooLong: false,
  };
  const client = new OpenAI({
    baseURL: base.href,
    // It insists on one; where there is none, or it goes elsewhere, the header is left out below.
    apiKey: key ?? 'none',
    dangerouslyAllowBrowser: true,
    maxRetries: 0,
    timeout: NO_DEADLINE_MS,
    logLevel: 'off',
    organization: null,
    project: null,
    fetch: (input, init) => send(input, init, exchange, context),
    defaultHeaders:
      protocol === 'anthropic'
        ? {
            Authorization: null,
            'x-api-key': key,
            'anthropic-version': ANTHROPIC_VERSION,
            // Without it Anthropic lets no page read its answers.
            'anthropic-dangerous-direct-browser-access': 'true',
          }
        : key === null
          ? { Authorization: null }
          : {},
  });
  const { signal } = context;
  return {
    exchange,
    // What it types as one answer is a stream of them where one is asked for.
    stream: async (path, body) =>
      (await client.post(path, { body, signal, stream: true })) as AsyncIterable<unknown>,
    get: (path) => client.get<unknown>(path, { signal }),
  };
}

/** The headers that leave; all others describe the client. */
const OURS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'x-api-key',
  'anthropic-version',
  'anthropic-dangerous-direct-browser-access',
]);
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key']);

async function send(
  input: string | URL | Request,
  init: RequestInit | undefined,
  exchange: Exchange,
  { fetch, signal, secrets }: NetworkContext,
): Promise<Response> {
  const url = input instanceof Request ? input.url : String(input);
  const headers = [...new Headers(init?.headers)].filter(([name]) => OURS.has(name));
  exchange.request = {
    method: init?.method ?? 'GET',
    url,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, CREDENTIALS.has(name) ? '' : value])),
  };
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      headers: Object.fromEntries(headers),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      // A header with a key is not sent on to another address.
      redirect: secrets?.areUsed === true ? 'error' : 'follow',
    });
  } catch (error) {
    exchange.unanswered = true;
    throw error;
  }
  exchange.response = response;
  const contentType = response.headers.get('content-type') ?? '';
  const { status, statusText, body } = response;
  if (response.ok && body !== null && !/^(?:application\/(?:.+\+)?json|text\/html)\b/i.test(contentType))
    return new Response(guarded(body, exchange), { status, statusText, headers: response.headers });
  const { kept, bytes } = await readBody(response, signal);
  const text = textOf(kept, contentType, bytes > kept.byteLength);
  exchange.body = text;
  // These are said to have none (Fetch standard, "null body status").
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? text : null, { status, statusText, headers: response.headers });
}

/** `body`, ended with an error where it or one of its lines grows too long. */
function guarded(body: ReadableStream<Uint8Array<ArrayBuffer>>, exchange: Exchange): ReadableStream {
  const reader = body.getReader();
  let bytes = 0;
  let line = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) {
        controller.close();
        return;
      }
      bytes += value.byteLength;
      const newline = value.lastIndexOf(10);
      line = newline === -1 ? line + value.byteLength : value.byteLength - newline - 1;
      if (bytes <= STREAM_MOST_BYTES && line <= LINE_MOST_BYTES) {
        controller.enqueue(value);
        return;
      }
      exchange.tooLong = true;
      reader.cancel().catch(() => undefined);
      controller.error(new RangeError('The stream is too long.'));
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
