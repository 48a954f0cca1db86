/**
 * Why a request failed. A browser says of every failure only that it failed, so the cause is found by a ladder: what
 * is certain first, then what harmless probes tell.
 *
 * The probes are `HEAD` requests alone, and repeat nothing that may not be repeated. A `GET` or `HEAD` is asked again
 * at its own address, which is safe by RFC 9110, section 9.2.1. For every other method the address may do something
 * even when it is only looked at, so the root of the server is asked instead: it tells whether the server is there,
 * which is all that the ladder wants. A `no-cors` answer to `HEAD` arrives in Chromium 156 and Firefox 153 whatever its
 * type and status, from a window and from a SharedWorker (measured).
 */
import {
  assertNever,
  type Failure,
  guardedNetwork,
  type LocalNetworkPermission,
  nearnessOf,
  networkName,
  type SentRequest,
} from '../domain/index.ts';
import type { NetworkContext } from './action-context.ts';
import { offlineFailure } from './offline.ts';
import { addressSpaceFor } from './target.ts';

/** How long a probe may take before it counts as unanswered. */
const PROBE_MOST_MS = 5_000;

/** What the ladder knows of a failed request. */
interface Evidence {
  readonly request: SentRequest;
  readonly target: URL;
  readonly app: URL;
  readonly finding:
    | 'offline'
    | 'mixed-content'
    /** A probe was answered, and by the request's own rules too: what failed was the connection. */
    | 'answers-now'
    /** A probe was answered, but the answer may not be read. */
    | 'answers-unreadably'
    /** Neither the target nor the server that Rota comes from answers. */
    | 'nothing-answers'
    | 'target-is-silent';
  /** What the browser's permission for the target's network says; `unneeded` when the target is not nearer than Rota. */
  readonly localNetwork: 'unneeded' | LocalNetworkPermission;
}

/** Climbs the ladder for a `request` that `fetch` rejected. Rejects with `signal.reason` on an abort. */
export async function findCause(request: SentRequest, context: NetworkContext): Promise<Failure> {
  const target = new URL(request.url);
  const app = new URL(context.origin);
  const finding = await findingOf(request, target, app, context);
  const guarded = guardedNetwork(target.hostname, app.hostname);
  const localNetwork =
    guarded === null ? 'unneeded' : ((await context.localNetworkPermission?.(guarded)) ?? 'unknown');
  context.signal.throwIfAborted();
  return failureFor({ request, target, app, finding, localNetwork });
}

async function findingOf(
  request: SentRequest,
  target: URL,
  app: URL,
  context: NetworkContext,
): Promise<Evidence['finding']> {
  const nearness = nearnessOf(target.hostname);
  if (!context.online() && nearness !== 'loopback') return 'offline';
  // Nearer hosts are left to the probes: Chromium lets them through once their permission is granted.
  if (app.protocol === 'https:' && target.protocol === 'http:' && nearness === 'public')
    return 'mixed-content';

  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const probed = isSafe ? target.href : `${target.origin}/`;
  if (await answers(probed, { mode: 'no-cors' }, context)) {
    const isReadable =
      target.origin === app.origin ||
      // Who only asks whether anything answers needs to read nothing.
      request.mode === 'no-cors' ||
      (isSafe && (await answers(probed, { mode: 'cors', headers: request.headers }, context)));
    return isReadable ? 'answers-now' : 'answers-unreadably';
  }
  if (nearness !== 'public' || target.origin === app.origin) return 'target-is-silent';
  return (await answers(`${app.origin}/`, { mode: 'same-origin' }, context))
    ? 'target-is-silent'
    : 'nothing-answers';
}

async function answers(url: string, init: RequestInit, context: NetworkContext): Promise<boolean> {
  const { fetch, signal } = context; // called bare, as a browser's fetch wants it
  try {
    // An abort makes this a probe without an answer; whoever asked looks at the signal.
    const response = await fetch(url, {
      ...init,
      ...addressSpaceFor(new URL(url), context.origin),
      method: 'HEAD',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      redirect: 'follow',
      signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MOST_MS)]),
    });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** What to tell a person, given what is known. */
function failureFor(evidence: Evidence): Failure {
  const { request, target, app, finding } = evidence;
  const { host } = target;
  const maybe = mayHaveArrived(request) ? ' The request may have arrived all the same.' : '';
  switch (finding) {
    case 'offline':
      return offlineFailure(target, maybe);
    case 'mixed-content':
      return {
        class: 'denied',
        code: 'mixed-content',
        message: `The browser does not let a page served over https:// ask ${host} over http://.`,
        advice: `Use https://${target.host} if the server has it, or open Rota over http:// on this machine.`,
      };
    case 'answers-now':
      return {
        class: 'network',
        code: 'connection-lost',
        message: `The connection to ${host} broke before it answered.${maybe}`,
        advice: 'The server answers again now; a later attempt may succeed.',
      };
    case 'answers-unreadably':
      return {
        class: 'denied',
        code: 'blocked-by-cors',
        message: `${host} is there, but does not let Rota read its answers (CORS).${maybe}`,
        advice: corsAdvice(request, app.origin),
      };
    case 'nothing-answers':
      return {
        class: 'network',
        code: 'network-down',
        message: `Neither ${host} nor Rota's own server ${app.host} can be reached, so the network seems to be down.${maybe}`,
        advice: 'Check the connection of this device.',
      };
    case 'target-is-silent':
      return silence(evidence, maybe);
    default:
      return assertNever(finding);
  }
}

function silence({ target, app, localNetwork }: Evidence, maybe: string): Failure {
  const { host } = target;
  const place = networkName(nearnessOf(target.hostname) === 'loopback' ? 'loopback' : 'local');
  if (localNetwork === 'denied' || localNetwork === 'prompt') {
    return {
      class: 'denied',
      code: 'local-network-blocked',
      message: `The browser has not been allowed to reach ${host}, which is on ${place}.`,
      advice:
        localNetwork === 'prompt'
          ? 'Let the browser ask you whether Rota may, then run it again.'
          : `In the browser's settings for ${app.origin}, allow access to ${place}, then run it again.`,
    };
  }
  if (app.protocol === 'https:' && target.protocol === 'http:') {
    return {
      class: 'network',
      code: 'unreachable',
      message: `${host} could not be reached: either nothing answers there, or the browser blocks http:// from a page served over https://.${maybe}`,
      advice: `Check that the server runs; if it does, use https:// or open Rota over http:// on this machine.`,
    };
  }
  return {
    class: 'network',
    code: 'unreachable',
    message: `${host} could not be reached.${maybe}`,
    advice:
      nearnessOf(target.hostname) === 'public'
        ? 'Check the address and that the server runs; a wrong certificate, a redirect in circles or a blocking extension looks the same from here.'
        : 'Check that the server runs and listens on this port.',
  };
}

/** A safe request does nothing where it arrives, so nobody need be told. */
function mayHaveArrived({ method }: SentRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
}

/** The headers that a server must send so that a page of `origin` may read its answer to `request`. */
function corsAdvice(request: SentRequest, origin: string): string {
  const asked = [`Access-Control-Allow-Origin: ${origin}`];
  if (!['GET', 'HEAD', 'POST'].includes(request.method))
    asked.push(`Access-Control-Allow-Methods: ${request.method}`);
  const names = Object.entries(request.headers)
    .filter(([name, value]) => !isSafelisted(name, value))
    .map(([name]) => name.toLowerCase());
  if (names.length > 0) asked.push(`Access-Control-Allow-Headers: ${names.join(', ')}`);
  const preflight = asked.length > 1 ? ', also when it is asked with OPTIONS' : '';
  // Who only reads has other ways; who writes has none.
  const others =
    asked.length === 1 ? ' If it is not yours: an API or a feed of the same may often be read.' : '';
  return `The server must send ${asked.map((header) => `"${header}"`).join(' and ')}${preflight}.${others}`;
}

/** Whether a header may be sent without asking the server first (Fetch standard, "CORS-safelisted request-header"). */
function isSafelisted(name: string, value: string): boolean {
  if (value.length > 128) return false;
  switch (name.toLowerCase()) {
    case 'accept':
      return !/["():<>?@[\\\]{}\u007f]/.test(value);
    case 'accept-language':
    case 'content-language':
      return /^[0-9A-Za-z *,\-.;=]*$/.test(value);
    case 'content-type': {
      const essence = value.split(';', 1).join('').trim().toLowerCase();
      return ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'].includes(essence);
    }
    case 'range':
      return /^bytes=\d+-\d*$/.test(value);
    default:
      return false;
  }
}
