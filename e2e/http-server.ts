import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A host name that the tests' browsers find on this machine. */
export const REMOTE_HOST = 'api.test';

/** One request as the server saw it. Times are the server's own clock, in epoch ms. */
export interface Hit {
  readonly method: string;
  readonly path: string;
  readonly search: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly startedAt: number;
  /** Just before the answer was sent, so that the client cannot have had it sooner; `null` when it went away before. */
  answeredAt: number | null;
  /** When the answer had been sent, or the client went away; `null` while the request is open. */
  endedAt: number | null;
}

/**
 * A real server that the automations of the tests call. It allows any origin, records every hit with its time, and does
 * what the query says: `delay` ms before the answer, `status` to answer with, `cors=no` to refuse the browser.
 */
export class HttpServer {
  readonly hits: Hit[] = [];
  readonly #server: Server;
  readonly #pages = new Map<string, { readonly contentType: string; readonly body: string }>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Starts one on a free port. Without `keepAlive` each request has a connection of its own, so that no browser sends one
   * again by itself because a connection that it kept had just been closed.
   */
  static async start({ keepAlive = true } = {}): Promise<HttpServer> {
    const server = createServer();
    const started = new HttpServer(server);
    server.on('request', (request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      const cors = url.searchParams.get('cors') !== 'no';
      if (cors) {
        response.setHeader('access-control-allow-origin', '*');
        response.setHeader('access-control-allow-headers', '*');
        response.setHeader('access-control-allow-methods', '*');
      }
      if (!keepAlive) response.shouldKeepAlive = false;
      if (request.method === 'OPTIONS') {
        response.writeHead(204).end();
        return;
      }
      const startedAt = Date.now();
      void bodyOf(request).then((body) => {
        const hit: Hit = {
          method: request.method ?? '',
          path: url.pathname,
          search: url.searchParams,
          headers: request.headers,
          body,
          startedAt,
          answeredAt: null,
          endedAt: null,
        };
        started.hits.push(hit);
        const end = (): void => {
          hit.endedAt = Date.now();
        };
        // The client may have gone away while its body was read.
        if (response.destroyed) end();
        else response.once('close', end);
        const answer = (): void => {
          if (hit.endedAt !== null) return;
          hit.answeredAt = Date.now();
          const page = started.#pages.get(url.pathname);
          response.writeHead(Number(url.searchParams.get('status') ?? 200), {
            'content-type': page?.contentType ?? 'application/json',
          });
          response.end(page?.body ?? JSON.stringify({ path: url.pathname, at: Date.now() }));
        };
        const delay = Number(url.searchParams.get('delay') ?? 0);
        if (delay > 0) setTimeout(answer, delay);
        else answer();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** An address of this server; `path` may hold templates. */
  url(path: string): string {
    return `${this.origin}${path}`;
  }

  /** The same under a name that is not this machine's own, so that it counts as somewhere on the network. */
  remoteUrl(path: string): string {
    return `http://${REMOTE_HOST}:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** From now on, answers at `path` with `body`. */
  serve(path: string, contentType: string, body: string): void {
    this.#pages.set(path, { contentType, body });
  }

  /** Hits on `path`, oldest first. */
  at(path: string): readonly Hit[] {
    return this.hits.filter((hit) => hit.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The client went away in the middle; what came is what there is.
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The most requests that were open at the server at one instant, by its own clock. */
export function mostOpen(hits: readonly Hit[]): number {
  const edges = hits.flatMap((hit) => [
    { at: hit.startedAt, step: 1 },
    { at: hit.endedAt ?? Infinity, step: -1 },
  ]);
  // An end and a start in the same millisecond do not overlap.
  edges.sort((a, b) => a.at - b.at || a.step - b.step);
  let open = 0;
  let most = 0;
  for (const { step } of edges) {
    open += step;
    most = Math.max(most, open);
  }
  return most;
}
