/**
 * One HTTP request. It is sent as the person wrote it: no header that they did not ask for, because one such header can
 * turn a request that any server takes into one that most refuse (CORS preflight), no cookies, no referrer, no cache.
 *
 * Sent once means handed to the browser once. Below the page a browser sends again by itself when a connection that it
 * had kept open breaks before the answer: Chromium 156 once and Firefox 153 up to nine times for GET, both once for POST
 * (measured over HTTP/1.1). No option of `fetch` prevents that; against it only the idempotency key helps.
 */
import {
  type DurationMs,
  type Failure,
  type HttpAction,
  IDEMPOTENCY_KEY,
  isRepeatablePlain,
  nearnessOf,
  type ReceivedResponse,
  type RunOutput,
  type SentRequest,
  whyHeaderIsKept,
} from '../domain/index.ts';
import type { ActionContext, ActionEnding, RunFacts } from './action-context.ts';
import { durationText, shortened, sizeText } from './amounts.ts';
import { causeOf } from './cause.ts';
import { loadPart } from './load-part.ts';
import { offlineFailure } from './offline.ts';
import { BODY_READ_MOST_BYTES, type ReadBody, readBody, textOf } from './read-body.ts';
import { addressSpaceFor, readTarget } from './target.ts';
import { fillTemplate, scopeOf } from './template.ts';
import type { TemplateScope } from './template-scope.ts';

/** A request that can be sent, or why it cannot. */
export type Prepared =
  | {
      readonly kind: 'ready';
      readonly target: URL;
      readonly sent: SentRequest;
      /** `sent` with the names of secrets in place of their values, where it holds any: what is kept of it. */
      readonly shown?: SentRequest;
    }
  | { readonly kind: 'refused'; readonly field: readonly string[]; readonly failure: Failure };

/** What came back of a request that left, or why nothing did. `output` is what a run keeps of it, in each case. */
export type Exchange =
  | {
      readonly kind: 'answered';
      readonly response: Response;
      readonly body: ReadBody;
      readonly received: ReceivedResponse;
      readonly output: HttpOutput;
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly output?: HttpOutput };

type HttpOutput = Extract<RunOutput, { kind: 'http' }>;

/**
 * Sends the request and resolves with how it ended. One that must not be repeated is marked `sending` before it leaves
 * and `sent` as soon as the server has answered; if either mark is refused, that rejection is passed on.
 */
export async function request(action: HttpAction, context: ActionContext): Promise<ActionEnding> {
  const { run, now } = context;
  const prepared = await prepare(action, scopeOf(run, now, context.secrets), effectKey(run));
  if (prepared.kind === 'refused') return { kind: 'failed', failure: prepared.failure };
  if (action.reachability === true) return await reach(action, prepared, context);
  const exchange = await send(prepared, context, isRepeatablePlain(action) ? unmarked : context.markEffect);
  if (exchange.kind === 'failed') return exchange;
  const { response, body, received, output } = exchange;
  const failure =
    unexpectedStatus(action, prepared.target, response) ??
    brokenBody(prepared.target, body) ??
    tooSlow(action, prepared.target, output.timing.totalMs) ??
    (await unexpectedBody(action, prepared.target, received));
  if (failure !== null) return { kind: 'failed', failure, output };
  return { kind: 'succeeded', summary: summaryOf(received, body, output.timing.totalMs), output };
}

/** What a server knows a repeat by: two steps of one run are two effects. */
function effectKey({ occurrence, step }: RunFacts): string {
  return step === undefined ? occurrence : `${occurrence}/${step.place}`;
}

/**
 * Asks whether anything answers. Without leave to read the answer a browser tells nothing of it, and follows redirects
 * wherever they lead; since such a request carries neither headers nor a body, nothing but its own address is sent.
 */
async function reach(
  action: HttpAction,
  { target, sent, shown = sent }: Extract<Prepared, { kind: 'ready' }>,
  context: ActionContext,
): Promise<ActionEnding> {
  const { signal, now, fetch } = context;
  if (!context.online() && nearnessOf(target.hostname) !== 'loopback')
    return { kind: 'failed', failure: offlineFailure(target) };
  const mode = 'no-cors';
  const sentAt = now();
  const outcome = (): HttpOutput => ({
    kind: 'http',
    request: { ...shown, mode },
    timing: { sentAt, totalMs: Math.max(0, now() - sentAt) },
  });
  try {
    const response = await fetch(sent.url, {
      method: sent.method,
      mode,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      ...addressSpaceFor(target, context.origin),
      signal,
    });
    response.body?.cancel().catch(() => undefined);
  } catch {
    signal.throwIfAborted();
    const output = outcome();
    return { kind: 'failed', failure: await causeOf({ ...sent, mode }, context), output };
  }
  const output: HttpOutput = { ...outcome(), reached: true };
  const { totalMs } = output.timing;
  const failure = tooSlow(action, target, totalMs);
  if (failure !== null) return { kind: 'failed', failure, output };
  return {
    kind: 'succeeded',
    summary: `Something answered in ${durationText(totalMs)}; what it said cannot be read`,
    output,
  };
}

/** For {@link send}: this request may be repeated, so nobody need know how far it got. */
export const unmarked: ActionContext['markEffect'] = () => Promise.resolve();

/**
 * Sends what was prepared and reads what comes back, of any status, as far as it is kept. Rejects with what `mark` rejects
 * with, and with the reason of an abort.
 */
export async function send(
  { sent, target, shown = sent }: Extract<Prepared, { kind: 'ready' }>,
  context: ActionContext,
  mark: ActionContext['markEffect'],
): Promise<Exchange> {
  const { signal, now } = context;
  if (!context.online() && nearnessOf(target.hostname) !== 'loopback')
    return { kind: 'failed', failure: offlineFailure(target) };

  const isSecret = context.secrets?.areUsed ?? false;
  await mark('sending');
  const sentAt = now();
  // Clocks can be set back while a request is under way.
  const sinceSent = (): number => Math.max(0, now() - sentAt);
  const { fetch } = context; // called bare: a browser's fetch refuses any other `this`
  let response: Response;
  try {
    response = await fetch(sent.url, {
      method: sent.method,
      headers: sent.headers,
      ...(sent.body === undefined ? {} : { body: sent.body }),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      // A browser takes the header Authorization off on the way to another origin, and no other one.
      redirect: isSecret ? 'manual' : 'follow',
      ...addressSpaceFor(target, context.origin),
      signal,
    });
  } catch {
    signal.throwIfAborted();
    const output: HttpOutput = { kind: 'http', request: shown, timing: { sentAt, totalMs: sinceSent() } };
    return { kind: 'failed', failure: await causeOf(sent, context), output };
  }
  const headersMs = sinceSent();
  try {
    await mark('sent');
  } catch (error) {
    response.body?.cancel().catch(() => undefined);
    throw error;
  }
  if (isSecret && isRedirect(response)) {
    response.body?.cancel().catch(() => undefined);
    const output: HttpOutput = {
      kind: 'http',
      request: shown,
      timing: { sentAt, headersMs, totalMs: sinceSent() },
    };
    return { kind: 'failed', failure: redirected(target), output };
  }
  const body = await readBody(response, signal);
  const totalMs = sinceSent();
  const received = receivedFrom(response, body);
  const output: HttpOutput = {
    kind: 'http',
    request: shown,
    response: received,
    timing: { sentAt, headersMs, totalMs },
  };
  return { kind: 'answered', response, body, received, output };
}

/** Fills the templates of `action` in and refuses what no browser would send. */
export async function prepare(
  action: HttpAction,
  scope: TemplateScope,
  occurrence: string,
): Promise<Prepared> {
  const url = await fillTemplate(action.url, 'The URL', scope);
  if (url.kind === 'failed') return refused(['url'], url.failure);
  const target = readTarget(url.text);
  if (target.kind === 'refused') return refused(['url'], target.failure);

  const headers = new Map<string, string>();
  const shownHeaders = new Map<string, string>();
  for (const [name, template] of Object.entries(action.headers)) {
    const value = await fillTemplate(template, `The header ${name}`, scope);
    if (value.kind === 'failed') return refused(['headers', name], value.failure);
    const reason = whyHeaderIsKept(name, value.text) ?? whyValueIsRefused(name, value.text);
    if (reason !== null)
      return refused(['headers', name], { class: 'invalid', code: 'bad-header', message: reason });
    headers.set(name, value.text);
    shownHeaders.set(name, value.shown);
  }
  if (action.idempotencyKey) {
    headers.set(IDEMPOTENCY_KEY, occurrence);
    shownHeaders.set(IDEMPOTENCY_KEY, occurrence);
  }
  const body = action.body === undefined ? null : await fillTemplate(action.body, 'The body', scope);
  if (body?.kind === 'failed') return refused(['body'], body.failure);
  const unbound = scope.secrets?.whyNotTo(target.url) ?? null;
  if (unbound !== null) return refused(['url'], unbound);

  const { method } = action;
  const shownUrl = url.shown === url.text ? target.url.href : url.shown;
  return {
    kind: 'ready',
    target: target.url,
    sent: {
      method,
      url: target.url.href,
      headers: Object.fromEntries(headers),
      ...(body === null ? {} : { body: body.text }),
    },
    shown: {
      method,
      url: shownUrl,
      headers: Object.fromEntries(shownHeaders),
      ...(body === null ? {} : { body: body.shown }),
    },
  };
}

/** Browsers show of a redirect that is not followed only that it is one; others show its status. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

function redirected({ host }: URL): Failure {
  return {
    class: 'denied',
    code: 'redirect-with-secret',
    message: `${host} redirects to another address, and a request with a secret is not sent on.`,
    advice: 'Enter the address that it redirects to.',
  };
}

function refused(field: readonly string[], failure: Failure): Prepared {
  return { kind: 'refused', field, failure };
}

/** Why `fetch` would throw on a header's value (Fetch standard, "header value": bytes without line breaks). */
export function whyValueIsRefused(name: string, value: string): string | null {
  if (/[\r\n\0]/.test(value.trim())) return `The value of the header ${name} must be a single line.`;
  const foreign = /[^\0-\u00ff]/u.exec(value);
  return foreign === null
    ? null
    : `The value of the header ${name} holds "${foreign[0]}", which headers cannot carry; encode it.`;
}

function receivedFrom(response: Response, { kept, bytes }: ReadBody): ReceivedResponse {
  const contentType = response.headers.get('content-type') ?? '';
  const truncated = bytes > kept.byteLength;
  return {
    status: response.status,
    statusText: response.statusText,
    url: response.url,
    headers: Object.fromEntries(response.headers),
    contentType,
    text: textOf(kept, contentType, truncated),
    bytes,
    truncated,
  };
}

function summaryOf(
  { status, statusText, truncated }: ReceivedResponse,
  body: ReadBody,
  totalMs: number,
): string {
  const answer = shortened(`${status} ${statusText}`, 40);
  const size = body.end === 'cut' ? `more than ${sizeText(BODY_READ_MOST_BYTES)}` : sizeText(body.bytes);
  const cut = truncated ? `, the first ${sizeText(body.kept.byteLength)} kept` : '';
  return `${answer}, ${size} in ${durationText(totalMs)}${cut}`;
}

/** Why the status of an answer fails its run; `null` when it is one of those that `action` expects. */
export function unexpectedStatus(
  action: Pick<HttpAction, 'expect'>,
  { host }: URL,
  { status, ok }: Response,
): Failure | null {
  const expected = action.expect?.status;
  if (expected === undefined ? ok : expected.includes(status)) return null;
  const wanted = expected === undefined ? 'a success (200 to 299)' : listed(expected);
  const advice = statusAdvice(status);
  return {
    class: 'action',
    code: 'unexpected-status',
    message: `${host} answered ${status} instead of ${wanted}.`,
    ...(advice === null ? {} : { advice }),
  };
}

function listed(statuses: readonly number[]): string {
  const last = statuses.at(-1);
  return statuses.length < 2 ? String(last) : `${statuses.slice(0, -1).join(', ')} or ${last}`;
}

function statusAdvice(status: number): string | null {
  if (status === 401 || status === 403) return "Check the credentials in the request's headers.";
  if (status === 404 || status === 410) return 'Check the path of the address.';
  if (status === 405) return 'Check the method: the server does not take this one here.';
  if (status === 429) return 'The server asks for fewer requests; let the automation run less often.';
  return status >= 500 ? 'The trouble is with the server; a later attempt may succeed.' : null;
}

function tooSlow({ expect }: HttpAction, { host }: URL, totalMs: DurationMs): Failure | null {
  const most = expect?.withinMs;
  if (most === undefined || totalMs <= most) return null;
  return {
    class: 'action',
    code: 'too-slow',
    message: `${host} took ${durationText(totalMs)} to answer, more than the ${durationText(most)} expected.`,
  };
}

async function unexpectedBody(
  { expect }: HttpAction,
  target: URL,
  received: ReceivedResponse,
): Promise<Failure | null> {
  if (expect?.text === undefined && (expect?.json ?? []).length === 0) return null;
  const judge = await loadPart(() => import('./expectations.ts'), 'checks what a server answered');
  if (judge.kind === 'failed') return judge.failure;
  return judge.part.findUnexpected(expect, target.host, received);
}

/** That the connection broke before the body had ended; `null` when it did not. */
export function brokenBody({ host }: URL, { end, bytes }: ReadBody): Failure | null {
  if (end !== 'broken') return null;
  return {
    class: 'network',
    code: 'connection-lost',
    message: `The connection to ${host} broke after ${sizeText(bytes)} of its answer.`,
    advice: 'A later attempt may succeed.',
  };
}
