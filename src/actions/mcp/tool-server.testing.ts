/** A server of tools for tests, made with the official SDK: what it accepts and answers is what real ones do. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CancelledNotificationSchema,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';

/** A message that reached a server of tools. */
export interface ToolHit {
  readonly method: string;
  readonly headers: IncomingMessage['headers'];
  /** The method of the message, where it is one. */
  readonly rpc: string | null;
}

/** A tool that takes nothing, unless `more` says otherwise. */
export function tool(name: string, more: Partial<Tool> = {}): Tool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' }, ...more };
}

/** What a tool answers in words. */
export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

export class ToolServer {
  readonly hits: ToolHit[] = [];
  /** Every call that was done. */
  readonly calls: { readonly name: string; readonly args: unknown }[] = [];
  readonly cancelled: string[] = [];
  tools: readonly Tool[] = [tool('forecast')];
  /** How many tools are on one page of the list. */
  pageSize = Infinity;
  /** Whether sessions have ids. */
  isStateful = true;
  /** Whether answers are JSON rather than streams. */
  answersJson = false;
  answer: (name: string, args: unknown) => CallToolResult | Promise<CallToolResult> = (name) =>
    textResult(`${name} is done`);
  /** Answers instead of the SDK, where it resolves with `true`. */
  intercept: (request: IncomingMessage, response: ServerResponse, body: string) => boolean = () => false;
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #http: HttpServer;

  private constructor() {
    this.#http = createServer((request, response) => {
      void this.#handle(request, response).catch(() => response.destroy());
    });
  }

  static async open(): Promise<ToolServer> {
    const server = new ToolServer();
    await once(server.#http.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await once(this.#http.close(), 'close');
  }

  /** Forgets all sessions, as a server does that was started again. */
  forget(): void {
    this.#sessions.clear();
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/mcp`;
  }

  /** How many sessions are open. */
  get sessions(): number {
    return this.#sessions.size;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const piece of request) body += String(piece);
    const { method = '', headers } = request;
    const message = body === '' ? null : (JSON.parse(body) as { readonly method?: string });
    this.hits.push({ method, headers, rpc: message?.method ?? null });
    if (this.intercept(request, response, body)) return;
    const id = headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.#sessions.get(id) : undefined;
    if (typeof id === 'string' && known === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');
      return;
    }
    const transport = known ?? (await this.#connect());
    await transport.handleRequest(request, response, message ?? undefined);
    if (method === 'DELETE' && typeof id === 'string') this.#sessions.delete(id);
  }

  async #connect(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      ...(this.isStateful ? { sessionIdGenerator: () => randomUUID() } : {}),
      enableJsonResponse: this.answersJson,
      onsessioninitialized: (id) => void this.#sessions.set(id, transport),
    });
    const { server } = new McpServer({ name: 'Weather', version: '1' }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      const from = Number(params?.cursor ?? 0);
      const tools = this.tools.slice(from, from + this.pageSize);
      const next = from + this.pageSize;
      return { tools, ...(next < this.tools.length ? { nextCursor: String(next) } : {}) };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      this.calls.push({ name: params.name, args: params.arguments });
      return await this.answer(params.name, params.arguments);
    });
    server.setNotificationHandler(CancelledNotificationSchema, ({ params }) => {
      this.cancelled.push(params.reason ?? '');
    });
    await server.connect(transport);
    return transport;
  }
}
