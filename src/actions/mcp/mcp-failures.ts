/** Why a server of tools could not be used, in words for a person. */
import type { DurationMs, Failure, SentRequest } from '../../domain/index.ts';
import type { NetworkContext } from '../action-context.ts';
import { durationText, shortened } from '../amounts.ts';
import { findCause } from '../find-cause.ts';
import { VERSIONS } from './mcp-wire.ts';

/** How long a piece of a server's own words may be in a failure, in characters. */
const QUOTED_MOST = 300;

/** `fetch` rejected `request`. Rejects with `signal.reason` on an abort. */
export async function unanswered(request: SentRequest, context: NetworkContext): Promise<Failure> {
  const failure = await findCause(request, context);
  return failure.code === 'blocked-by-cors'
    ? { ...failure, advice: corsAdvice(request, context.origin) }
    : failure;
}

/** All that a server must send so that a page of `origin` may use it, in every step of a session. */
function corsAdvice({ headers }: SentRequest, origin: string): string {
  const names = new Set([
    'content-type',
    'mcp-protocol-version',
    'mcp-session-id',
    ...Object.keys(headers)
      .map((name) => name.toLowerCase())
      .filter((name) => name !== 'accept'),
  ]);
  const wanted = [
    `Access-Control-Allow-Origin: ${origin}`,
    'Access-Control-Allow-Methods: POST, DELETE',
    `Access-Control-Allow-Headers: ${[...names].join(', ')}`,
    'Access-Control-Expose-Headers: Mcp-Session-Id',
  ];
  return `The server must send ${wanted.map((header) => `"${header}"`).join(', ')}, also when it is asked with OPTIONS.`;
}

/** The server answered a request with a status that is no success. */
export function refusedBy(
  { url, headers }: SentRequest,
  status: number,
  words: string | null,
  state: { readonly isOpen: boolean; readonly hasSession: boolean },
): Failure {
  const { host } = new URL(url);
  const said = saidBy(words);
  const failure = (code: string, message: string, advice?: string): Failure => ({
    class: 'action',
    code,
    message: `${message}${said}`,
    ...(advice === undefined ? {} : { advice }),
  });
  if (status === 401 || status === 403) {
    const hasKey = Object.keys(headers).some((name) => !OURS.has(name.toLowerCase()));
    return hasKey
      ? failure(
          'key-refused',
          `${host} refused what the headers hold (${status}).`,
          'Check the headers of this server of tools.',
        )
      : failure(
          'key-needed',
          `${host} wants a key (${status}).`,
          'Add a header to this server of tools, such as Authorization with "Bearer" and a token. Rota does not sign in by itself (OAuth): nobody would be there to do so.',
        );
  }
  // A session that was opened and is not known of: its id was sent in a header that pages may not read.
  if (state.isOpen && !state.hasSession && (status === 400 || status === 404)) {
    return {
      ...failure(
        'session-hidden',
        `${host} wants its session named, and does not let Rota read the name (${status}).`,
      ),
      class: 'denied',
      advice: 'The server must send "Access-Control-Expose-Headers: Mcp-Session-Id" with its answers.',
    };
  }
  if (status === 404) {
    return failure(
      'no-such-api',
      `${host} has no server of tools at ${shortened(url, 200)} (404).`,
      'Check the address. Most servers have it under /mcp.',
    );
  }
  if (status === 405) {
    return failure(
      'no-such-api',
      `${shortened(url, 200)} takes no messages (405).`,
      'It may speak the older transport of two addresses (HTTP with SSE), which Rota does not. Servers of today speak streamable HTTP, most under /mcp.',
    );
  }
  return status >= 500
    ? failure('tools-failed', `${host} failed (${status}).`, 'A later attempt may succeed.')
    : failure('tools-refused', `${host} refused a message (${status}).`);
}

const OURS: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
]);

/** An address that answers with a redirect, which a message with a secret does not follow. */
export function redirected(host: string): Failure {
  return {
    class: 'denied',
    code: 'redirect-with-secret',
    message: `${host} redirects to another address, and a message with a secret is not sent on.`,
    advice: 'Enter the address that it redirects to; often it is the same with a slash at its end.',
  };
}

/** What came is not of the protocol. */
export function notTools(url: URL): Failure {
  return {
    class: 'action',
    code: 'not-tools',
    message: `${url.host} answered, but not as a server of tools does (MCP over streamable HTTP).`,
    advice: `Check the address (${shortened(url.href, 200)}). Most servers have it under /mcp.`,
  };
}

/** The server answered a message with an error of the protocol. */
export function saidNo({ host }: URL, words: string): Failure {
  return { class: 'action', code: 'tools-refused', message: `${host} gave up.${saidBy(words)}` };
}

/** The server wants a version of the protocol that is none of ours. */
export function otherVersion({ host }: URL, version: string): Failure {
  return {
    class: 'action',
    code: 'version-mismatch',
    message: `${host} speaks the version ${shortened(version, 40)} of MCP, and Rota ${VERSIONS.join(', ')}.`,
    advice: 'Update the server, or Rota.',
  };
}

/** It answers, and has no tools. */
export function noTools({ host }: URL): Failure {
  return {
    class: 'action',
    code: 'no-tools',
    message: `${host} speaks MCP, but says that it has no tools.`,
  };
}

/** Tools that are allowed and not there. The model is not asked without them: its answer would only look right. */
export function lacksTools({ host }: URL, names: readonly string[]): Failure {
  const shown = names.slice(0, 3).map((name) => shortened(name, 60));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return {
    class: 'action',
    code: 'no-such-tool',
    message: `${host} no longer has ${shown.join(', ')}${more}, which this prompt may call.`,
    advice: 'List the tools of the server again, and allow those that it has now.',
  };
}

/** A tool whose description no model could take. */
export function tooLargeTool({ host }: URL, name: string): Failure {
  return {
    class: 'limit',
    code: 'tool-too-large',
    message: `The description of what the tool ${shortened(name, 60)} of ${host} takes is larger than Rota gives to a model.`,
    advice: 'Allow another tool, or have the server describe this one in fewer words.',
  };
}

/** More came than is read. */
export function tooLong({ host }: URL): Failure {
  return {
    class: 'action',
    code: 'answer-too-long',
    message: `${host} sent more than Rota reads of one answer, and was cut off.`,
  };
}

/** The connection ended before the answer was whole. */
export function brokenAnswer({ host }: URL): Failure {
  return {
    class: 'network',
    code: 'connection-lost',
    message: `The connection to ${host} ended before it had answered.`,
    advice: 'A later attempt may succeed.',
  };
}

/** Nothing came in time. */
export function silentTools({ host }: URL, after: DurationMs): Failure {
  return {
    class: 'network',
    code: 'no-answer',
    message: `${host} did not answer within ${durationText(after)}.`,
    advice: 'Check the address, and that the server of tools runs.',
  };
}

function saidBy(words: string | null): string {
  if (words === null || words.trim() === '') return '';
  const text = shortened(words, QUOTED_MOST);
  return ` It says: ${/[.!?…]$/.test(text) ? text : `${text}.`}`;
}
