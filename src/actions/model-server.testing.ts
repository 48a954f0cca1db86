/** The endpoint of a model for tests of prompts: it speaks as OpenAI and its likes do, over loopback. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached an endpoint. */
export interface Hit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

/** An endpoint on a loopback port that speaks as real ones do, and every request that reached it. */
export class ModelServer {
  readonly hits: Hit[] = [];
  readonly #server: Server;
  closed: Promise<unknown> = Promise.resolve();
  answer: (response: ServerResponse, hit: Hit) => void | Promise<void> = (response) =>
    says(response, ['Hello', ', ', 'world.']);

  constructor() {
    this.#server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const { method = '', url = '', headers } = request;
        const hit = { method, url, headers, body: (body === '' ? {} : JSON.parse(body)) as Hit['body'] };
        this.hits.push(hit);
        this.closed = once(response, 'close');
        await this.answer(response, hit);
      })().catch(() => undefined);
    });
  }

  async open(): Promise<void> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await once(this.#server.close(), 'close');
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}/v1`;
  }
}

/** Events of a stream. */
export const sse = (...events: unknown[]): string =>
  events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');

/** A piece of an answer. */
export const chunk = (delta: object, finish_reason: string | null = null): object => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'llama3.2:3b',
  choices: [{ index: 0, delta, finish_reason }],
});

/** What the endpoint says that was used. */
export const counted = (prompt_tokens: number, completion_tokens: number): object => ({
  ...chunk({}),
  choices: [],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

/** The head of a stream. */
export function begins(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
}

/** A whole answer in `words`, as OpenAI and its likes stream it. */
export function says(response: ServerResponse, words: readonly string[], end = 'stop'): void {
  begins(response);
  response.write(sse(chunk({ role: 'assistant', content: '' })));
  for (const word of words) response.write(sse(chunk({ content: word })));
  response.end(sse(chunk({}, end), counted(11, words.length), '[DONE]'));
}
