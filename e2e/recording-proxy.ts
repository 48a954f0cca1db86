import { type Server, createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An HTTP proxy through which a whole browser goes: it sees every request of every page and worker, whoever made it. Plain
 * requests to this machine are passed on; all others are written down and go nowhere.
 */
export class RecordingProxy {
  /** What was asked for, such as `GET http://localhost:4173/`; a connection to be encrypted is `CONNECT host:443`. */
  readonly requests: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<RecordingProxy> {
    const server = createServer();
    const started = new RecordingProxy(server);
    server.on('request', (request, response) => {
      const address = URL.parse(request.url ?? '');
      started.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
      if (address === null || !['localhost', '127.0.0.1'].includes(address.hostname)) {
        response.writeHead(502).end();
        return;
      }
      const passed = forward(
        {
          host: '127.0.0.1',
          port: address.port,
          method: request.method,
          path: address.pathname + address.search,
          headers: request.headers,
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      // Either side may go away at any time; then the other is let go.
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      request.pipe(passed);
    });
    server.on('connect', (request, socket) => {
      started.requests.push(`CONNECT ${request.url ?? ''}`);
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  /** How Chromium is told to send all through it, also what is for this machine. */
  get args(): readonly string[] {
    const { port } = this.#server.address() as AddressInfo;
    return [`--proxy-server=http://127.0.0.1:${port}`, '--proxy-bypass-list=<-loopback>'];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
