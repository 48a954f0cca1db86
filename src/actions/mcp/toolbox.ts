/** The tools that the model of a prompt may call: those that the person allowed in advance, and no others. */
import {
  type DurationMs,
  type Failure,
  type PromptTools,
  TOOL_RESULT_MOST,
  type ToolCall,
  type ToolServer,
} from '../../domain/index.ts';
import type { ActionContext, NetworkContext } from '../action-context.ts';
import { durationText, shortened } from '../amounts.ts';
import type { RunSecrets } from '../run-secrets.ts';
import type { TemplateScope } from '../template-scope.ts';
import { McpSession, type Reply } from './mcp-client.ts';
import { lacksTools, tooLargeTool } from './mcp-failures.ts';
import { type ListedTool, readToolResult } from './mcp-wire.ts';
import { prepareServer } from './prepare-server.ts';

/** Longest schema of a tool's arguments that is given to a model, in characters. */
const SCHEMA_MOST = 50_000;
/** Longest name that both kinds of endpoints take. */
const NAME_MOST = 64;

/** A tool as a model is told of it. */
export interface OfferedTool {
  /** Unlike those of others, and of letters, digits, `_` and `-` alone: what endpoints ask of a name. */
  readonly wireName: string;
  readonly host: string;
  /** As its server names it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: object;
}

/** What came of a call: for the trace, and what the model is answered. */
export interface Called {
  readonly call: ToolCall;
  readonly answer: { readonly text: string; readonly isError: boolean };
  /** The run cannot go on. */
  readonly failure: Failure | null;
}

interface Held extends OfferedTool {
  readonly session: McpSession;
  readonly repeatable: boolean;
}

/** Tools, or why they cannot be had. */
export type OpenedTools =
  | { readonly kind: 'open'; readonly toolbox: Toolbox }
  | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Connects to all servers of `tools`. All that is allowed must be there: an answer that came about without it would only
 * look right. Rejects with `signal.reason` on an abort.
 */
export async function openTools(
  { servers, callMs }: PromptTools,
  scope: TemplateScope,
  context: ActionContext,
): Promise<OpenedTools> {
  const opened = await Promise.allSettled(servers.map((server) => openServer(server, scope, context)));
  const sessions: McpSession[] = [];
  const held = new Map<string, Held>();
  let failure: Failure | null = null;
  let reason: unknown = null;
  for (const one of opened) {
    if (one.status === 'rejected') {
      reason ??= one.reason;
      continue;
    }
    if (one.value.session !== null) sessions.push(one.value.session);
    failure ??= one.value.failure;
    for (const tool of one.value.tools) {
      const wireName = freeName(tool.name, held);
      held.set(wireName, { ...tool, wireName });
    }
  }
  if (reason === null && failure === null)
    return { kind: 'open', toolbox: new Toolbox(sessions, held, callMs, context) };
  for (const session of sessions) session.close();
  if (failure === null) throw reason as Error;
  return { kind: 'failed', failure };
}

interface OpenedServer {
  readonly session: McpSession | null;
  readonly tools: readonly Omit<Held, 'wireName'>[];
  readonly failure: Failure | null;
}

async function openServer(
  server: ToolServer,
  scope: TemplateScope,
  context: ActionContext,
): Promise<OpenedServer> {
  const failed = (failure: Failure, session: McpSession | null = null): OpenedServer => ({
    session,
    tools: [],
    failure,
  });
  const prepared = await prepareServer(server, scope);
  if (prepared.kind === 'refused') return failed(prepared.failure);
  const { ready } = prepared;
  const { secrets: _others, ...network } = context;
  const own: NetworkContext = ready.secrets === undefined ? network : { ...network, secrets: ready.secrets };
  const opened = await McpSession.open(ready, own);
  if (opened.kind === 'failed') return failed(opened.failure);
  const { session } = opened;
  const allowed = new Map(server.tools.map((tool) => [tool.name, tool]));
  const list = await session.listTools(new Set(allowed.keys()));
  if (list.kind === 'failed') return failed(list.failure, session);
  const tools = list.tools.flatMap((tool) => {
    const { repeatable } = allowed.get(tool.info.name) ?? {};
    return repeatable === undefined ? [] : [heldTool(tool, session, repeatable, context.secrets)];
  });
  const missing = [...allowed.keys()].filter((name) => !tools.some((tool) => tool.name === name));
  if (missing.length > 0) return failed(lacksTools(ready.url, missing), session);
  const large = tools.find((tool) => JSON.stringify(tool.inputSchema).length > SCHEMA_MOST);
  if (large !== undefined) return failed(tooLargeTool(ready.url, large.name), session);
  return { session, tools, failure: null };
}

function heldTool(
  { info, inputSchema }: ListedTool,
  session: McpSession,
  repeatable: boolean,
  secrets: RunSecrets | undefined,
): Omit<Held, 'wireName'> {
  const { name, title, description } = info;
  const told = { description: description ?? title ?? '', inputSchema };
  // What goes to the model must not hold what only the server of the tools may know.
  return { session, repeatable, host: session.url.host, name, ...(secrets?.redact(told) ?? told) };
}

/** A name for `name` that endpoints take and that no other tool has. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, NAME_MOST - 4);
  for (let number = 1; ; number++) {
    const free = number === 1 ? plain : `${plain}_${number}`;
    if (!taken.has(free)) return free;
  }
}

/** Sessions with servers, and what may be called there. */
export class Toolbox {
  readonly #sessions: readonly McpSession[];
  readonly #held: ReadonlyMap<string, Held>;
  readonly #callMs: DurationMs;
  readonly #context: ActionContext;

  constructor(
    sessions: readonly McpSession[],
    held: ReadonlyMap<string, Held>,
    callMs: DurationMs,
    context: ActionContext,
  ) {
    this.#sessions = sessions;
    this.#held = held;
    this.#callMs = callMs;
    this.#context = context;
  }

  /** What the model is told that it may call. */
  get offered(): readonly OfferedTool[] {
    return [...this.#held.values()];
  }

  /** How a call begins in the trace, before anything came of it. */
  begun(wireName: string, args: string): ToolCall {
    const tool = this.#held.get(wireName);
    return {
      ...(tool === undefined ? {} : { host: tool.host }),
      tool: tool?.name ?? shortened(wireName, 200),
      arguments: args,
      result: { kind: 'cut' },
    };
  }

  /**
   * Calls the tool that the model names, if it may be called and its arguments are an object of JSON. One that must not be
   * called twice is marked before the call leaves and when it has arrived. Rejects with what the mark rejects with, and with
   * `signal.reason` on an abort.
   */
  async call(wireName: string, args: string): Promise<Called> {
    const begun = this.begun(wireName, args);
    const tool = this.#held.get(wireName);
    if (tool === undefined) {
      const names = this.offered.map((one) => one.wireName).join(', ');
      return refused(begun, `The person has not allowed a tool of this name. Allowed are: ${names}.`);
    }
    const parsed = readArguments(args);
    if (parsed === null)
      return refused(begun, 'The arguments are not an object of JSON, so nothing was called.');
    const { secrets, now } = this.#context;
    // A secret may be in what the model was asked, and is bound to where that went.
    if (secrets !== undefined && secrets.redact(args) !== args)
      return refused(begun, 'The arguments hold a secret, which is not given to tools. Nothing was called.');
    const startedAt = now();
    const mark = tool.repeatable ? () => Promise.resolve() : this.#context.markEffect;
    const reply = await tool.session.call(tool.name, parsed, this.#callMs, mark);
    this.#context.signal.throwIfAborted();
    return this.#calledFrom(reply, { ...begun, tookMs: Math.max(0, now() - startedAt) }, tool);
  }

  /** Ends all sessions; waits for nothing. */
  close(): void {
    for (const session of this.#sessions) session.close();
  }

  #calledFrom(reply: Reply, call: ToolCall, tool: Held): Called {
    const { secrets } = this.#context;
    const plain = (text: string): string => secrets?.redact(text) ?? text;
    switch (reply.kind) {
      case 'result': {
        const result = readToolResult(reply.result);
        if (result === null) return failed(call, 'The tool answered something that is no answer of a tool.');
        const whole = plain(result.text);
        const text = whole.slice(0, TOOL_RESULT_MOST);
        const isCut = text.length < whole.length;
        return {
          call: {
            ...call,
            result: {
              kind: 'answered',
              text,
              ...(result.isError ? { isError: true } : {}),
              ...(isCut ? { cutFrom: whole.length } : {}),
            },
          },
          answer: {
            text: isCut
              ? `${text}\n[Cut here: the answer has ${whole.length} characters, and this is as much as is given on.]`
              : text,
            isError: result.isError,
          },
          failure: null,
        };
      }
      case 'error':
        return failed(call, `The server answered with an error: ${plain(shortened(reply.message, 1_000))}`);
      case 'timed-out': {
        const waited = durationText(reply.after);
        const done = tool.repeatable ? '' : ' Whether it was done is not known.';
        return failed(call, `The tool did not answer within ${waited}.${done}`);
      }
      case 'session-lost':
      case 'failed': {
        const { failure } = reply;
        const { answer, call: shown } = failed(call, plain(failure.message));
        // What is too long is the tool's fault; a model may ask it for less. All else ends the run.
        return { answer, call: shown, failure: failure.code === 'answer-too-long' ? null : failure };
      }
    }
  }
}

function refused(call: ToolCall, message: string): Called {
  return {
    call: { ...call, result: { kind: 'refused', message } },
    answer: { text: message, isError: true },
    failure: null,
  };
}

function failed(call: ToolCall, message: string): Called {
  return {
    call: { ...call, result: { kind: 'failed', message } },
    answer: { text: message, isError: true },
    failure: null,
  };
}

/** The arguments that a model wrote; none at all are an empty object. `null` when they are no object. */
export function readArguments(text: string): object | null {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
