import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What was asked of a model. */
export interface Question {
  readonly authorization: string | null;
  readonly body: { readonly model?: string; readonly messages?: readonly { readonly content: string }[] };
  readonly answer: Answer;
}

/** An answer that a test gives word by word. */
export class Answer {
  readonly #response: ServerResponse;
  #pieces = 0;
  #calls = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
  }

  say(content: string): void {
    this.#pieces += 1;
    this.#write({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }

  /** Calls a tool. */
  call(name: string, args: object): void {
    this.#pieces += 1;
    const call = { index: this.#calls, id: `call-${this.#calls}`, type: 'function' };
    this.#calls += 1;
    const tool_calls = [{ ...call, function: { name, arguments: JSON.stringify(args) } }];
    this.#write({ choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }] });
  }

  end(): void {
    const finish_reason = this.#calls === 0 ? 'stop' : 'tool_calls';
    this.#write({ choices: [{ index: 0, delta: {}, finish_reason }] });
    this.#write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: this.#pieces } });
    this.#response.end('data: [DONE]\n\n');
  }

  #write(event: object): void {
    this.#response.write(`data: ${JSON.stringify({ object: 'chat.completion.chunk', ...event })}\n\n`);
  }
}

/** A server of models that speaks as Ollama, LM Studio and the hosted ones do; `allows` is whether pages may ask it. */
export class ModelServer {
  readonly questions: Question[] = [];
  readonly #server: Server;
  allows = true;
  /** What is answered at once; without it the test answers each question itself. */
  says: string | null = null;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<ModelServer> {
    const server = createServer();
    const started = new ModelServer(server);
    server.on('request', (request, response) => {
      if (started.allows) {
        response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
        response.setHeader('access-control-allow-headers', 'authorization, content-type');
      }
      if (request.method === 'OPTIONS') {
        response.writeHead(204).end();
        return;
      }
      let body = '';
      request.on('data', (piece) => (body += String(piece)));
      request.on('end', () => {
        if (request.url === '/v1/models') {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ object: 'list', data: [{ id: 'tiny:1b' }, { id: 'small:3b' }] }));
          return;
        }
        if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
          response.writeHead(404).end();
          return;
        }
        const answer = new Answer(response);
        const { authorization = null } = request.headers;
        started.questions.push({ authorization, body: JSON.parse(body) as Question['body'], answer });
        if (started.says === null) return;
        answer.say(started.says);
        answer.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
