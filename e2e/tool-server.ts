import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

/** A server of tools made with the official SDK; `allows` is whether pages may ask it. It has no sessions. */
export class ToolServer {
  readonly calls: { readonly name: string; readonly args: unknown }[] = [];
  readonly authorizations = new Set<string | undefined>();
  readonly #http: Server;
  allows = true;
  /** What each tool answers. */
  answers = 'done';

  private constructor(http: Server) {
    this.#http = http;
  }

  static async start(): Promise<ToolServer> {
    const http = createServer();
    const started = new ToolServer(http);
    http.on('request', (request, response) => {
      if (started.allows) {
        response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
        response.setHeader('access-control-allow-methods', 'POST, DELETE');
        response.setHeader(
          'access-control-allow-headers',
          'authorization, content-type, mcp-protocol-version, mcp-session-id',
        );
        response.setHeader('access-control-expose-headers', 'mcp-session-id');
      }
      if (request.method !== 'POST') {
        response.writeHead(request.method === 'OPTIONS' ? 204 : 405).end();
        return;
      }
      started.authorizations.add(request.headers.authorization);
      const transport = new StreamableHTTPServerTransport({});
      void started
        .#server()
        .connect(transport)
        .then(() => transport.handleRequest(request, response));
    });
    await once(http.listen(0, '127.0.0.1'), 'listening');
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/mcp`;
  }

  async close(): Promise<void> {
    this.#http.closeAllConnections();
    await once(this.#http.close(), 'close');
  }

  #server(): McpServer['server'] {
    const { server } = new McpServer({ name: 'Weather', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = { type: 'object' } as const;
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: [
        {
          name: 'forecast',
          description: 'Tells the weather of a <b>place</b>.',
          inputSchema,
          annotations: { readOnlyHint: true },
        },
        { name: 'delete_everything', inputSchema, annotations: { destructiveHint: true } },
      ],
    }));
    server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
      this.calls.push({ name: params.name, args: params.arguments });
      return { content: [{ type: 'text', text: this.answers }] };
    });
    return server;
  }
}
