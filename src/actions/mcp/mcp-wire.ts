/** What servers of tools send (MCP, JSON-RPC 2.0), read as foreign data: what is not of the form counts as nothing. */
import * as v from 'valibot';
import type { ToolInfo } from '../../domain/index.ts';
import { sizeText } from '../amounts.ts';

/** The versions of the protocol that Rota speaks, newest first. They differ in nothing that it uses but one header. */
export const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
/** Since this version each request names the version in a header. */
export const VERSION_WITH_HEADER = '2025-06-18';

/** Longest description of a tool that is shown or told to a model, in characters. */
const DESCRIPTION_MOST = 4_000;

const id = v.union([v.string(), v.number()]);

const message = v.looseObject({
  jsonrpc: v.literal('2.0'),
  id: v.nullish(id),
  method: v.optional(v.string()),
  result: v.optional(v.unknown()),
  error: v.optional(v.looseObject({ code: v.number(), message: v.string() })),
});

/** A message from a server. `other`: a notification, or an answer to something else. */
export type Message =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly message: string }
  /** The server wants something of us, and waits for the answer. */
  | { readonly kind: 'asks'; readonly id: string | number; readonly method: string }
  | { readonly kind: 'other' };

/** Reads what came while the answer to the request `expected` is waited for; `null` when it is no message at all. */
export function readMessage(value: unknown, expected: number): Message | null {
  const parsed = v.safeParse(message, value);
  if (!parsed.success) return null;
  const { id: from, method, result, error } = parsed.output;
  if (method !== undefined) return from == null ? { kind: 'other' } : { kind: 'asks', id: from, method };
  // An error without an id is about what was just sent: the server could not read whose it was.
  if (error !== undefined && (from == null || from === expected))
    return { kind: 'error', message: error.message };
  return from === expected && 'result' in parsed.output ? { kind: 'result', result } : { kind: 'other' };
}

/** What a server says of itself when a session begins. */
export const initializeResult = v.looseObject({
  protocolVersion: v.string(),
  capabilities: v.fallback(v.looseObject({ tools: v.optional(v.unknown()) }), {}),
  serverInfo: v.fallback(
    v.nullish(v.looseObject({ name: v.fallback(v.optional(v.string()), undefined) })),
    null,
  ),
});

const optionalText = v.fallback(v.optional(v.string()), undefined);
const optionalFlag = v.fallback(v.optional(v.boolean()), undefined);

const toolSchema = v.looseObject({
  name: v.pipe(v.string(), v.nonEmpty(), v.maxLength(200)),
  title: optionalText,
  description: optionalText,
  inputSchema: v.custom<object>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  ),
  annotations: v.fallback(
    v.nullish(
      v.looseObject({
        title: optionalText,
        readOnlyHint: optionalFlag,
        destructiveHint: optionalFlag,
        idempotentHint: optionalFlag,
      }),
    ),
    null,
  ),
});

const pageSchema = v.looseObject({ tools: v.array(v.unknown()), nextCursor: optionalText });

/** A tool as its server describes it. */
export interface ListedTool {
  readonly info: ToolInfo;
  /** The JSON Schema of its arguments, which nothing of ours reads. */
  readonly inputSchema: object;
}

/** One page of a list of tools, without what is no tool; `null` when it is no list. */
export function readToolPage(
  result: unknown,
): { readonly tools: readonly ListedTool[]; readonly next: string | null } | null {
  const parsed = v.safeParse(pageSchema, result);
  if (!parsed.success) return null;
  const { tools, nextCursor } = parsed.output;
  return {
    tools: tools.flatMap((tool) => {
      const read = v.safeParse(toolSchema, tool);
      return read.success ? [listed(read.output)] : [];
    }),
    next: nextCursor === undefined || nextCursor === '' ? null : nextCursor,
  };
}

function listed({
  name,
  title,
  description,
  inputSchema,
  annotations,
}: v.InferOutput<typeof toolSchema>): ListedTool {
  const shownTitle = title ?? annotations?.title;
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations ?? {};
  const claim =
    readOnlyHint === true
      ? 'read-only'
      : destructiveHint === undefined
        ? 'unknown'
        : destructiveHint
          ? 'destructive'
          : 'additive';
  return {
    info: {
      name,
      ...(shownTitle === undefined || shownTitle === '' ? {} : { title: shownTitle.slice(0, 200) }),
      ...(description === undefined || description === ''
        ? {}
        : { description: cut(description, DESCRIPTION_MOST) }),
      claim,
      ...(idempotentHint === true ? { claimsIdempotent: true } : {}),
    },
    inputSchema,
  };
}

/** `text`, at most `most` characters of it and an ellipsis. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

const contentSchema = v.looseObject({
  type: v.string(),
  text: optionalText,
  data: optionalText,
  mimeType: optionalText,
  name: optionalText,
  uri: optionalText,
  resource: v.fallback(
    v.nullish(v.looseObject({ uri: optionalText, text: optionalText, mimeType: optionalText })),
    null,
  ),
});

const resultSchema = v.looseObject({
  content: v.fallback(v.optional(v.array(v.unknown())), undefined),
  structuredContent: v.optional(v.unknown()),
  isError: optionalFlag,
});

/** What a tool answered, as text; `null` when it is no answer of a tool. What is no text is named in brackets. */
export function readToolResult(result: unknown): { readonly text: string; readonly isError: boolean } | null {
  const parsed = v.safeParse(resultSchema, result);
  if (!parsed.success) return null;
  const { content, structuredContent, isError = false } = parsed.output;
  if (content === undefined && structuredContent === undefined) return null;
  const parts = (content ?? []).map((part) => {
    const read = v.safeParse(contentSchema, part);
    return read.success ? partText(read.output) : '[something unreadable]';
  });
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return { text: parts.join('\n'), isError };
}

function partText({
  type,
  text,
  data,
  mimeType,
  name,
  uri,
  resource,
}: v.InferOutput<typeof contentSchema>): string {
  switch (type) {
    case 'text':
      return text ?? '';
    case 'resource':
      return (
        resource?.text ?? `[a resource, ${resource?.mimeType ?? 'of no stated type'}: ${resource?.uri ?? ''}]`
      );
    case 'resource_link':
      return `[a link: ${name ?? ''} ${uri ?? ''}]`;
    default:
      // Base64 holds three bytes in four characters.
      return `[${type}, ${mimeType ?? 'of no stated type'}, ${sizeText(Math.floor(((data ?? '').length * 3) / 4))}; not given on]`;
  }
}
