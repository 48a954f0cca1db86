/**
 * A client of servers of tools: MCP over streamable HTTP (revision 2025-11-25), as much of it as calling tools takes.
 * It is our own because the official one is 94 kB with a schema compiler that the policy blocks, keeps a stream open
 * for what nobody waits for, and reads bodies without end (docs/decisions/0003-libraries.md).
 *
 * A message is one POST, whose answer is JSON or a stream of events that the answer comes in. What a server asks of us
 * meanwhile is refused: nobody is there to be asked.
 */
import { createParser } from 'eventsource-parser';
import * as v from 'valibot';
import { type DurationMs, type Failure, nearnessOf, type SentRequest } from '../../domain/index.ts';
import type { NetworkContext } from '../action-context.ts';
import { offlineFailure } from '../offline.ts';
import { textOf } from '../read-body.ts';
import {
  brokenAnswer,
  noTools,
  notTools,
  otherVersion,
  redirected,
  refusedBy,
  saidNo,
  silentTools,
  tooLong,
  unanswered,
} from './mcp-failures.ts';
import {
  initializeResult,
  type ListedTool,
  type Message,
  readMessage,
  readToolPage,
  VERSION_WITH_HEADER,
  VERSIONS,
} from './mcp-wire.ts';
import type { ReadyServer } from './prepare-server.ts';

/** How long a server may take to open a session and to list its tools. */
const OPEN_MOST_MS: DurationMs = 20_000;
/** How long it is tried to end a session, or to say that an answer is no longer waited for. */
const FAREWELL_MOST_MS: DurationMs = 2_000;
/** How much of one answer is read. */
const ANSWER_MOST_BYTES = 8_000_000;
/** How many pages of a list are read. */
const PAGES_MOST = 50;
/** How many tools are read of one list. */
const TOOLS_MOST = 1_000;
/** How many questions of a server are answered, with a no, while an answer is waited for. */
const REFUSALS_MOST = 20;

/** What came of a request. */
export type Reply =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The server answered that it will not, in the words of the protocol. */
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'timed-out'; readonly after: DurationMs }
  /** The server knows the session no longer, so it did nothing. */
  | { readonly kind: 'session-lost'; readonly failure: Failure }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A session, or why there is none. */
export type Opened =
  | { readonly kind: 'open'; readonly session: McpSession }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Marks how far a message got, for one that must not be sent twice. */
type Mark = (mark: 'sending' | 'sent') => Promise<void>;
const unmarked: Mark = () => Promise.resolve();

export class McpSession {
  readonly #server: ReadyServer;
  readonly #context: NetworkContext;
  #lastId = 0;
  #sessionId: string | null = null;
  #version: string | null = null;
  /** The server lets pages read its answers to messages with all headers that any has. */
  #isReadable = false;
  #name: string | null = null;

  private constructor(server: ReadyServer, context: NetworkContext) {
    this.#server = server;
    this.#context = context;
  }

  /** Begins a session. Rejects with `signal.reason` on an abort. */
  static async open(server: ReadyServer, context: NetworkContext): Promise<Opened> {
    const { url } = server;
    if (!context.online() && nearnessOf(url.hostname) !== 'loopback')
      return { kind: 'failed', failure: offlineFailure(url) };
    const session = new McpSession(server, context);
    const failure = await session.#begin();
    return failure === null ? { kind: 'open', session } : { kind: 'failed', failure };
  }

  get url(): URL {
    return this.#server.url;
  }

  /** What the server calls itself. */
  get name(): string | null {
    return this.#name;
  }

  async #begin(): Promise<Failure | null> {
    const { url } = this.#server;
    this.#sessionId = null;
    this.#version = null;
    const reply = await this.#request(
      'initialize',
      {
        protocolVersion: VERSIONS[0],
        capabilities: {},
        clientInfo: { name: 'Rota', version: '1' },
      },
      OPEN_MOST_MS,
      unmarked,
    );
    if (reply.kind !== 'result') return failureOf(url, reply);
    const parsed = v.safeParse(initializeResult, reply.result);
    if (!parsed.success) return notTools(url);
    const { protocolVersion, capabilities, serverInfo } = parsed.output;
    if (!VERSIONS.some((version) => version === protocolVersion)) return otherVersion(url, protocolVersion);
    this.#version = protocolVersion;
    this.#name = serverInfo?.name ?? null;
    const begun = await this.#post({ method: 'notifications/initialized' }, null, OPEN_MOST_MS, unmarked);
    if (begun.kind !== 'result') return failureOf(url, begun);
    this.#isReadable = true;
    return capabilities.tools === undefined ? noTools(url) : null;
  }

  /**
   * The tools of the server in its order, until all of `wanted` are found where that is given, and {@link TOOLS_MOST} at
   * most. Rejects with `signal.reason` on an abort.
   */
  async listTools(
    wanted?: ReadonlySet<string>,
  ): Promise<
    | { readonly kind: 'tools'; readonly tools: readonly ListedTool[]; readonly isCut: boolean }
    | { readonly kind: 'failed'; readonly failure: Failure }
  > {
    const { url } = this.#server;
    const found = new Map<string, ListedTool>();
    const missing = new Set(wanted);
    let cursor: string | null = null;
    for (let page = 1; ; page++) {
      const reply: Reply = await this.#request(
        'tools/list',
        cursor === null ? {} : { cursor },
        OPEN_MOST_MS,
        unmarked,
      );
      if (reply.kind !== 'result') return { kind: 'failed', failure: failureOf(url, reply) };
      const read = readToolPage(reply.result);
      if (read === null) return { kind: 'failed', failure: notTools(url) };
      let isFull = false;
      for (const tool of read.tools) {
        const { name } = tool.info;
        if (found.has(name)) continue;
        // What is not wanted takes no room from what is.
        if (wanted !== undefined && !missing.delete(name)) continue;
        isFull = found.size >= TOOLS_MOST;
        if (isFull) break;
        found.set(name, tool);
      }
      const isDone = wanted !== undefined && missing.size === 0;
      if (isDone || isFull || read.next === null || read.next === cursor || page >= PAGES_MOST)
        return { kind: 'tools', tools: [...found.values()], isCut: isFull || read.next !== null };
      cursor = read.next;
    }
  }

  /**
   * Calls a tool, and once more where the server had forgotten the session and so did nothing. Rejects with what `mark`
   * rejects with, and with `signal.reason` on an abort.
   */
  async call(name: string, args: object, within: DurationMs, mark: Mark): Promise<Reply> {
    const params = { name, arguments: args };
    const reply = await this.#request('tools/call', params, within, mark);
    if (reply.kind !== 'session-lost') return reply;
    const failure = await this.#begin();
    if (failure !== null) return { kind: 'failed', failure };
    return await this.#request('tools/call', params, within, mark);
  }

  /** Ends the session, as far as the server hears of it. Waits for nothing and never fails. */
  close(): void {
    if (this.#sessionId === null) return;
    void this.#farewell({ method: 'DELETE', headers: this.#headers() });
  }

  async #request(method: string, params: object, within: DurationMs, mark: Mark): Promise<Reply> {
    this.#lastId += 1;
    return await this.#post({ id: this.#lastId, method, params }, this.#lastId, within, mark);
  }

  #headers(): Record<string, string> {
    return {
      ...this.#server.headers,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(this.#sessionId === null ? {} : { 'mcp-session-id': this.#sessionId }),
      ...(this.#version === null || this.#version < VERSION_WITH_HEADER
        ? {}
        : { 'mcp-protocol-version': this.#version }),
    };
  }

  /** Sends a message; `id` is that of the answer to wait for, `null` for one that gets none. */
  async #post(message: object, id: number | null, within: DurationMs, mark: Mark): Promise<Reply> {
    const { signal: whole } = this.#context;
    whole.throwIfAborted();
    const { url } = this.#server;
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const sent: SentRequest = { method: 'POST', url: url.href, headers: this.#headers() };
    await mark('sending');
    const deadline = AbortSignal.timeout(within);
    const signal = AbortSignal.any([whole, deadline]);
    const { fetch } = this.#context; // called bare: a browser's fetch refuses any other `this`
    let response: Response;
    try {
      response = await fetch(url.href, {
        ...this.#manner(),
        method: 'POST',
        headers: sent.headers,
        body,
        signal,
      });
    } catch {
      whole.throwIfAborted();
      if (deadline.aborted) return this.#late(id, within);
      const failure = await unanswered(sent, this.#context);
      // A probe cannot know that it was let before.
      const isBroken = this.#isReadable && failure.code === 'blocked-by-cors';
      return { kind: 'failed', failure: isBroken ? brokenAnswer(url) : failure };
    }
    try {
      await mark('sent');
    } catch (error) {
      response.body?.cancel().catch(() => undefined);
      throw error;
    }
    try {
      return await this.#receive(response, sent, id, signal);
    } catch (error) {
      whole.throwIfAborted();
      if (deadline.aborted) return this.#late(id, within);
      if (error instanceof TooLong) return { kind: 'failed', failure: tooLong(url) };
      return { kind: 'failed', failure: brokenAnswer(url) };
    } finally {
      // What still comes is not read.
      if (!response.bodyUsed) response.body?.cancel().catch(() => undefined);
    }
  }

  #manner(): RequestInit {
    return {
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      redirect: this.#server.secrets?.areUsed === true ? 'manual' : 'follow',
    };
  }

  /** The answer is waited for no longer, which the server is told: to it a closed connection says nothing. */
  #late(id: number | null, after: DurationMs): Reply {
    if (id !== null && this.#version !== null) {
      const params = { requestId: id, reason: 'It took too long.' };
      const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params };
      void this.#farewell({ method: 'POST', headers: this.#headers(), body: JSON.stringify(message) });
    }
    return { kind: 'timed-out', after };
  }

  /** Tells the server something that nothing depends on. The run may have ended, so its signal does not count. */
  async #farewell(init: RequestInit): Promise<void> {
    const { fetch } = this.#context;
    try {
      const signal = AbortSignal.timeout(FAREWELL_MOST_MS);
      const response = await fetch(this.#server.url.href, { ...this.#manner(), ...init, signal });
      await response.body?.cancel();
    } catch {
      // The server forgets the session by itself.
    }
  }

  async #receive(
    response: Response,
    sent: SentRequest,
    id: number | null,
    signal: AbortSignal,
  ): Promise<Reply> {
    const { url } = this.#server;
    const { status } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status <= 399))
      return { kind: 'failed', failure: redirected(url.host) };
    const contentType = response.headers.get('content-type') ?? '';
    const isStream = /^text\/event-stream\b/i.test(contentType);
    if (!response.ok) {
      const words = isStream ? null : wordsIn(await readText(response, contentType));
      const hasSession = this.#sessionId !== null;
      const state = { isOpen: this.#version !== null, hasSession };
      const failure = refusedBy(sent, status, words, state);
      // "Session Management": a session that has ended is answered with 404, and a new one is begun.
      return status === 404 && hasSession && id !== null
        ? { kind: 'session-lost', failure }
        : { kind: 'failed', failure };
    }
    if (id === null) return { kind: 'result', result: null };
    if (this.#version === null) this.#sessionId = response.headers.get('mcp-session-id');
    if (isStream && response.body !== null) {
      const reply = await this.#listen(response.body, id, signal);
      return reply ?? { kind: 'failed', failure: brokenAnswer(url) };
    }
    const value = jsonOf(await readText(response, contentType));
    // Servers of 2025-03-26 may answer with several messages at once.
    const messages = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    for (const one of messages) {
      const reply = replyIn(readMessage(one, id));
      if (reply !== null) return reply;
    }
    return { kind: 'failed', failure: notTools(url) };
  }

  /** The answer within a stream of events; `null` when it ends without. Rejects when it breaks or grows too long. */
  async #listen(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    id: number,
    signal: AbortSignal,
  ): Promise<Reply | null> {
    const heard: { reply: Reply | null } = { reply: null };
    let refusals = 0;
    const parser = createParser({
      maxBufferSize: ANSWER_MOST_BYTES,
      onEvent: ({ event, data }) => {
        if (heard.reply !== null || data === '' || (event !== undefined && event !== 'message')) return;
        const message = readMessage(jsonOf(data), id);
        heard.reply = replyIn(message);
        if (message?.kind === 'asks' && refusals < REFUSALS_MOST) {
          refusals += 1;
          void this.#refuse(message.id, message.method, signal);
        }
      },
    });
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return heard.reply;
        bytes += value.byteLength;
        if (bytes > ANSWER_MOST_BYTES) throw new TooLong();
        parser.feed(decoder.decode(value, { stream: true }));
        if (heard.reply !== null) return heard.reply;
      }
    } finally {
      // Not awaited: it closes the connection, and how that goes is nobody's business any more.
      reader.cancel().catch(() => undefined);
    }
  }

  /** Answers what a server asks of us: that we are there, and that nothing else can be had. */
  async #refuse(id: string | number, method: string, signal: AbortSignal): Promise<void> {
    const answer =
      method === 'ping'
        ? { result: {} }
        : { error: { code: -32601, message: 'Nobody is there to be asked: only tools are called.' } };
    const { fetch } = this.#context;
    try {
      const response = await fetch(this.#server.url.href, {
        ...this.#manner(),
        method: 'POST',
        headers: this.#headers(),
        body: JSON.stringify({ jsonrpc: '2.0', id, ...answer }),
        signal,
      });
      await response.body?.cancel();
    } catch {
      // The call that it asked for ends by its own deadline then.
    }
  }
}

/** Why a session cannot go on after `reply`. */
function failureOf(url: URL, reply: Exclude<Reply, { readonly kind: 'result' }>): Failure {
  switch (reply.kind) {
    case 'error':
      return saidNo(url, reply.message);
    case 'timed-out':
      return silentTools(url, reply.after);
    case 'session-lost':
    case 'failed':
      return reply.failure;
  }
}

function replyIn(message: Message | null): Reply | null {
  switch (message?.kind) {
    case 'result':
      return { kind: 'result', result: message.result };
    case 'error':
      return { kind: 'error', message: message.message };
    default:
      return null;
  }
}

class TooLong extends Error {}

/** The text of a body, read no further than {@link ANSWER_MOST_BYTES}. Rejects when there is more, or it breaks. */
async function readText(response: Response, contentType: string): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > ANSWER_MOST_BYTES) {
      reader.cancel().catch(() => undefined);
      throw new TooLong();
    }
    chunks.push(value);
  }
  return textOf(new Uint8Array(await new Blob(chunks).arrayBuffer()), contentType, false) ?? '';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const refusal = v.looseObject({
  error: v.union([v.string(), v.looseObject({ message: v.string() })]),
  error_description: v.optional(v.string()),
});

/** What a refusal says went wrong, in its words. */
function wordsIn(body: string): string | null {
  const parsed = v.safeParse(refusal, jsonOf(body));
  if (!parsed.success) return null;
  const { error, error_description: described } = parsed.output;
  return typeof error === 'string' ? (described ?? error) : error.message;
}
