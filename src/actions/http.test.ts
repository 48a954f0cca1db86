import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AutomationId,
  BODY_KEPT_MOST_BYTES,
  type DefinitionInput,
  definitionSchema,
  type RunId,
  scheduledOccurrence,
} from '../domain/index.ts';
import type { ActionContext, EffectMark, RunFacts } from './action-context.ts';
import { needsOf, perform } from './registry.ts';
import { BAD_PORTS } from './target.ts';

const automationId = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11' as AutomationId;
const scheduledFor = 1_767_225_600_000;
const occurrence = scheduledOccurrence(automationId, scheduledFor);

interface Hit {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A real server on a loopback port of the system's choice, and every request that reached it. */
class TestServer {
  readonly hits: Hit[] = [];
  readonly #server: Server;
  answer: Answer = (_request, response) => void response.end('ok');

  constructor() {
    this.#server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        const { method = '', url = '', headers } = request;
        this.hits.push({ method, url, headers, body });
        this.answer(request, response, body);
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

  url(path = '/'): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  get host(): string {
    return new URL(this.url()).host;
  }
}

let server: TestServer;
beforeEach(async () => {
  server = new TestServer();
  await server.open();
});
afterEach(() => server.close());

type HttpInput = Extract<DefinitionInput['action'], { kind: 'http' }>;

function runOf(action: DefinitionInput['action'], more: Partial<DefinitionInput> = {}): RunFacts {
  return {
    id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as RunId,
    automationId,
    automationName: 'Check the API',
    occurrence,
    scheduledFor,
    cause: 'schedule',
    attempt: 1,
    definition: v.parse(definitionSchema, {
      name: 'Check the API',
      schedule: { kind: 'manual' },
      action,
      ...more,
    }),
  };
}

function contextOf(action: Omit<HttpInput, 'kind'>, more: Partial<ActionContext> = {}): ActionContext {
  return {
    run: runOf({ kind: 'http', ...action }),
    signal: new AbortController().signal,
    now: Date.now,
    fetch,
    online: () => true,
    origin: 'http://localhost:4173',
    markEffect: () => Promise.reject(new Error('this effect needs no mark')),
    recall: () => Promise.reject(new Error('a request remembers nothing')),
    ...more,
  };
}

const run = (action: Omit<HttpInput, 'kind'>, more?: Partial<ActionContext>) =>
  perform(contextOf(action, more));

/** An ending with its HTTP output, which every request that was sent has. */
async function runSent(action: Omit<HttpInput, 'kind'>, more?: Partial<ActionContext>) {
  const ending = await run(action, more);
  if (ending.output?.kind !== 'http') throw new Error('nothing was sent');
  return { ending, output: ending.output };
}

describe('a request', () => {
  test('is answered, and the ending says with what, how much and how fast', async () => {
    server.answer = (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.setHeader('x-thing', 'here');
      response.end('{"ok":true}');
    };
    let clock = 1_000;
    const { ending, output } = await runSent({ url: server.url('/health') }, { now: () => (clock += 42) });

    expect(ending).toMatchObject({ kind: 'succeeded', summary: '200 OK, 11 B in 84 ms' });
    expect(output.request).toEqual({ method: 'GET', url: server.url('/health'), headers: {} });
    expect(output.response).toMatchObject({
      status: 200,
      statusText: 'OK',
      url: server.url('/health'),
      contentType: 'application/json',
      text: '{"ok":true}',
      bytes: 11,
      truncated: false,
    });
    expect(output.response?.headers['x-thing']).toBe('here');
    expect(output.timing).toEqual({ sentAt: 1_042, headersMs: 42, totalMs: 84 });
  });

  test('carries the method, headers and body that the person wrote, with their templates filled in', async () => {
    await run({
      method: 'PUT',
      url: server.url('/put?at={{ run.scheduledFor }}&n={{ automation.name | url_encode }}'),
      headers: { 'X-Run': '{{ run.id }}/{{ run.attempt }}', 'Content-Type': 'application/json' },
      body: '{"cause":"{{ run.cause }}"}',
      repeatable: true,
    });

    expect(server.hits).toHaveLength(1);
    expect(server.hits[0]).toMatchObject({
      method: 'PUT',
      url: '/put?at=1767225600000&n=Check+the+API',
      body: '{"cause":"schedule"}',
    });
    expect(server.hits[0]?.headers).toMatchObject({
      'x-run': '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66/1',
      'content-type': 'application/json',
    });
  });

  test('carries no header, cookie or referrer that nobody asked for', async () => {
    const inits: RequestInit[] = [];
    const spy: typeof fetch = (input, init) => {
      inits.push(init ?? {});
      return fetch(input, init);
    };
    await run({ url: server.url() }, { fetch: spy });
    await run({ method: 'POST', url: server.url(), body: 'x', repeatable: true }, { fetch: spy });

    for (const init of inits) {
      expect(init).toMatchObject({
        headers: {},
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
        redirect: 'follow',
      });
      expect(init.mode).toBeUndefined();
    }
    expect(server.hits[1]?.headers['content-type']).toBe('text/plain;charset=UTF-8');
    for (const { headers } of server.hits) {
      expect(headers['idempotency-key']).toBeUndefined();
      expect(headers.cookie).toBeUndefined();
      expect(headers.referer).toBeUndefined();
    }
  });

  test('carries the occurrence as its idempotency key when asked, the same at each attempt', async () => {
    const context = contextOf({ method: 'POST', url: server.url(), idempotencyKey: true });
    await perform(context);
    await perform({ ...context, run: { ...context.run, attempt: 2, cause: 'retry' } });

    expect(server.hits.map(({ headers }) => headers['idempotency-key'])).toEqual([occurrence, occurrence]);
  });

  test('calls fetch as browsers want it called, and so do the probes after it', async () => {
    const modes: unknown[] = [];
    const touchy = function (this: unknown, _input: unknown, init?: RequestInit): Promise<Response> {
      if (this !== undefined) throw new Error('Illegal invocation');
      modes.push(init?.mode);
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    await run({ url: server.url() }, { fetch: touchy });
    expect(modes).toEqual([undefined, 'no-cors']);
  });

  test('follows redirects and says where it ended up', async () => {
    server.answer = (request, response) => {
      if (request.url === '/old') response.writeHead(302, { location: '/new' }).end();
      else response.end('moved here');
    };
    const { ending, output } = await runSent({ url: server.url('/old') });

    expect(ending.kind).toBe('succeeded');
    expect(output.response).toMatchObject({ status: 200, url: server.url('/new') });
    expect(output.request.url).toBe(server.url('/old'));
  });

  test('with HEAD has no body and the headers all the same', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', 'content-length': '5000' }).end();
    };
    const { ending, output } = await runSent({ method: 'HEAD', url: server.url() });

    expect(ending.kind).toBe('succeeded');
    expect(output.response).toMatchObject({ bytes: 0, text: '', truncated: false });
    expect(output.response?.headers['content-length']).toBe('5000');
  });

  test('without content is answered with an empty text', async () => {
    server.answer = (_request, response) => void response.writeHead(204).end();
    const { ending, output } = await runSent({ url: server.url() });

    expect(ending).toMatchObject({
      kind: 'succeeded',
      summary: expect.stringMatching(/^204 No Content, 0 B in /),
    });
    expect(output.response?.text).toBe('');
  });
});

describe('a status', () => {
  const answering = (status: number) => {
    server.answer = (_request, response) => void response.writeHead(status).end('why');
  };

  test('outside 2xx fails the run by default, with the answer kept', async () => {
    answering(503);
    const { ending, output } = await runSent({ url: server.url() });

    expect(ending).toMatchObject({
      kind: 'failed',
      failure: {
        class: 'action',
        code: 'unexpected-status',
        message: `${server.host} answered 503 instead of a success (200 to 299).`,
        advice: 'The trouble is with the server; a later attempt may succeed.',
      },
    });
    expect(output.response).toMatchObject({ status: 503, text: 'why' });
  });

  test('that is expected succeeds, whatever it means', async () => {
    answering(404);
    const ending = await run({ url: server.url(), expect: { status: [404] } });

    expect(ending).toMatchObject({
      kind: 'succeeded',
      summary: expect.stringMatching(/^404 Not Found, 3 B in /),
    });
  });

  test('of success fails when another was expected', async () => {
    answering(200);
    const ending = await run({ url: server.url(), expect: { status: [201, 202, 204] } });

    expect(ending).toMatchObject({
      failure: { message: `${server.host} answered 200 instead of 201, 202 or 204.` },
    });
  });

  test.each([401, 403, 404, 405, 410, 429, 500])('%i comes with what to do about it', async (status) => {
    answering(status);
    const ending = await run({ url: server.url() });

    expect(ending).toMatchObject({ kind: 'failed', failure: { advice: expect.stringMatching(/\.$/) } });
  });
});

type Expect = NonNullable<HttpInput['expect']>;

describe('what is expected of an answer', () => {
  const JSON_TEXT = '{"status":"up","load":0.4,"queue":[{"age":3},{"age":70}],"error":null}';
  beforeEach(() => {
    server.answer = (_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON_TEXT);
    };
  });
  const judge = async (expected: Expect) => (await runSent({ url: server.url(), expect: expected })).ending;

  test.each<Expect>([
    { text: { contains: '"STATUS":"UP"' } },
    { text: { contains: '/"age":\\d+/', lacks: 'down' } },
    {
      json: [
        { path: '$.status', equals: 'up' },
        { path: '$.load', below: 0.5, above: 0.3 },
      ],
    },
    { json: [{ path: '$.error', equals: null }, { path: '$.fault', absent: true }, { path: '$.queue' }] },
    { withinMs: 86_400_000 },
  ])('succeeds when all of it is so: %j', async (expected) => {
    expect(await judge(expected)).toMatchObject({ kind: 'succeeded' });
  });

  test.each<[Expect, string, RegExp]>([
    [{ text: { contains: 'down' } }, 'text-missing', /does not contain “down”\.$/],
    [{ text: { lacks: '/age":\\d\\d/' } }, 'text-found', /contains .*, which it should not/],
    [
      { json: [{ path: '$.status', equals: 'down' }] },
      'unexpected-value',
      /\$\.status is "up" and not "down"/,
    ],
    [{ json: [{ path: '$.status', equals: 1 }] }, 'unexpected-value', /is "up" and not 1/],
    [{ json: [{ path: '$.queue[*].age', below: 60 }] }, 'unexpected-value', /is 70, which is not below 60/],
    [{ json: [{ path: '$.status', above: 1 }] }, 'unexpected-value', /is "up" and not a number/],
    [{ json: [{ path: '$.nothing' }] }, 'unexpected-value', /there is nothing at \$\.nothing/],
    [
      { json: [{ path: '$.error', absent: true }] },
      'unexpected-value',
      /is there, which it should not be: null/,
    ],
  ])('fails the run with what was found, and keeps the answer: %j', async (expected, code, message) => {
    expect(await judge(expected)).toMatchObject({
      kind: 'failed',
      failure: { class: 'action', code, message: expect.stringMatching(message) as string },
      output: { response: { text: JSON_TEXT } },
    });
  });

  test('is not found in what is no JSON, no text, or was cut away: it says which', async () => {
    const codes: unknown[] = [];
    const answers: [string, string | Buffer, Expect][] = [
      ['text/html', '<p>Sign in</p>', { json: [{ path: '$' }] }],
      ['application/json', '', { json: [{ path: '$' }] }],
      ['image/png', Buffer.from([0x89, 0x50, 0xff, 0x00]), { text: { contains: 'PNG' } }],
      ['text/plain', 'x'.repeat(1_100_000), { text: { lacks: 'y' } }],
      ['application/json', `"${'x'.repeat(1_100_000)}"`, { json: [{ path: '$' }] }],
    ];
    for (const [type, body, expected] of answers) {
      server.answer = (_request, response) => {
        response.setHeader('content-type', type);
        response.end(body);
      };
      const ending = await judge(expected);
      if (ending.kind !== 'failed') throw new Error('it succeeded');
      codes.push([ending.failure.code, ending.failure.message.replace(/^The answer of \S+ /, '')]);
    }
    expect(codes).toEqual([
      ['answer-not-checkable', 'is not JSON.'],
      ['answer-not-checkable', 'is not JSON but empty.'],
      ['answer-not-checkable', 'is not text, so no text can be looked for in it.'],
      ['answer-not-checkable', 'is larger than what is kept of it, so “y” may stand in the rest.'],
      ['answer-not-checkable', 'is larger than what is kept of it, so its JSON cannot be checked.'],
    ]);
  });

  test('within a time fails when the answer took longer, by the clock that the output shows', async () => {
    let clock = 0;
    const { ending } = await runSent(
      { url: server.url(), expect: { withinMs: 50 } },
      { now: () => (clock += 42) },
    );
    expect(ending).toMatchObject({
      kind: 'failed',
      failure: { code: 'too-slow', message: expect.stringContaining('84 ms') as string },
    });
  });
});

describe('a body', () => {
  const answeringWith = (body: Uint8Array | string, contentType?: string) => {
    server.answer = (_request, response) => {
      if (contentType !== undefined) response.setHeader('content-type', contentType);
      response.end(body);
    };
  };
  const textFor = async (body: Uint8Array | string, contentType?: string) => {
    answeringWith(body, contentType);
    return (await runSent({ url: server.url() })).output.response?.text;
  };

  test('of exactly the kept size is kept whole', async () => {
    answeringWith('x'.repeat(BODY_KEPT_MOST_BYTES), 'text/plain');
    const { response } = (await runSent({ url: server.url() })).output;

    expect(response).toMatchObject({ bytes: BODY_KEPT_MOST_BYTES, truncated: false });
    expect(response?.text).toHaveLength(BODY_KEPT_MOST_BYTES);
  });

  test('that is longer is cut there, counted to its end, and says so', async () => {
    answeringWith(
      `${'x'.repeat(BODY_KEPT_MOST_BYTES - 1)}é${'y'.repeat(1_000_000)}`,
      'text/plain; charset=utf-8',
    );
    const { ending, output } = await runSent({ url: server.url() });

    expect(output.response).toMatchObject({ bytes: BODY_KEPT_MOST_BYTES + 1_000_001, truncated: true });
    // The é lies across the cut: half a character is none.
    expect(output.response?.text).toBe('x'.repeat(BODY_KEPT_MOST_BYTES - 1));
    expect(ending).toMatchObject({
      summary: expect.stringMatching(/^200 OK, 2 MB in .*, the first 1 MB kept$/),
    });
  });

  test('that never ends is cut off and its connection closed', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        response.setHeader('content-type', 'text/plain');
        const block = Buffer.alloc(256 * 1024, 'x');
        const pour = (): void => {
          while (!response.destroyed && response.write(block));
        };
        response.on('drain', pour);
        response.on('close', resolve);
        pour();
      };
    });
    const { ending, output } = await runSent({ url: server.url() });
    await closed;

    expect(output.response).toMatchObject({ truncated: true });
    expect(output.response?.bytes).toBeLessThan(6 * BODY_KEPT_MOST_BYTES);
    expect(ending).toMatchObject({ kind: 'succeeded', summary: expect.stringContaining('more than 4.2 MB') });
  });

  test('that breaks off fails the run and keeps what arrived', async () => {
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' });
      response.write('half of it');
      setImmediate(() => response.destroy());
    };
    const { ending, output } = await runSent({ url: server.url() });

    expect(ending).toMatchObject({
      kind: 'failed',
      failure: {
        class: 'network',
        code: 'connection-lost',
        message: `The connection to ${server.host} broke after 10 B of its answer.`,
      },
    });
    expect(output.response).toMatchObject({ status: 200, text: 'half of it', bytes: 10 });
  });

  test.each([
    ['text/plain; charset=iso-8859-1', Buffer.from([0x63, 0x61, 0x66, 0xe9]), 'café'],
    ['text/html;charset="windows-1251"', Buffer.from([0xcf, 0xf0, 0xe8]), 'При'],
    ['text/plain; charset=shift_jis', Buffer.from([0x93, 0xfa]), '日'],
    ['text/plain; charset=no-such-thing', Buffer.from('é'), 'é'],
    ['text/plain', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ['text/plain; charset=iso-8859-1', Buffer.from([0xef, 0xbb, 0xbf, 0xc3, 0xa9]), 'é'],
    ['text/csv', Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'A'],
    ['APPLICATION/LD+JSON', Buffer.from('{}'), '{}'],
    ['application/rss+xml', Buffer.from('<a/>'), '<a/>'],
    ['application/x-ndjson', Buffer.from('{}'), '{}'],
    ['image/svg+xml', Buffer.from('<svg/>'), '<svg/>'],
  ])('of type %s is decoded as that type says', async (contentType, bytes, expected) => {
    expect(await textFor(bytes, contentType)).toBe(expected);
  });

  test.each(['image/png', 'application/octet-stream', 'application/pdf', 'font/woff2'])(
    'of type %s has no text',
    async (contentType) => {
      expect(await textFor('looks like text', contentType)).toBeNull();
    },
  );

  test('without a type has a text only when it is UTF-8', async () => {
    expect(await textFor(Buffer.from('naïve'))).toBe('naïve');
    expect(await textFor(Buffer.from([0x61, 0xff]))).toBeNull();
    expect(await textFor(Buffer.from([0x61, 0x00]))).toBeNull();
  });
});

describe('an abort', () => {
  test('while the server thinks ends the request at once and closes its connection', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const closed = new Promise<void>((resolve) => {
      server.answer = (request) => {
        request.socket.on('close', () => resolve());
        controller.abort(reason);
      };
    });

    await expect(run({ url: server.url() }, { signal: controller.signal })).rejects.toBe(reason);
    await closed;
    expect(server.hits).toHaveLength(1);
  });

  test('in the middle of a slow body ends the reading at once and closes its connection', async () => {
    const controller = new AbortController();
    const reason = new Error('timed out');
    const closed = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('the beginning');
        response.on('close', resolve);
      };
    });
    const reading: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      setTimeout(() => controller.abort(reason));
      return response;
    };

    await expect(run({ url: server.url() }, { signal: controller.signal, fetch: reading })).rejects.toBe(
      reason,
    );
    await closed;
  });

  test('is not looked into: nobody asks the server why', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    server.answer = () => controller.abort(reason);
    let calls = 0;
    const counting: typeof fetch = (input, init) => {
      calls += 1;
      return fetch(input, init);
    };
    await expect(run({ url: server.url() }, { signal: controller.signal, fetch: counting })).rejects.toBe(
      reason,
    );
    expect(calls).toBe(1);
  });

  test('before the start sends nothing', async () => {
    const reason = new Error('retired');
    await expect(run({ url: server.url() }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(server.hits).toEqual([]);
  });

  test('while the cause of a failure is sought is not taken for the cause', async () => {
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const failing: typeof fetch = (_input, init) => {
      if (init?.mode === 'no-cors') controller.abort(reason);
      return Promise.reject(new TypeError('Failed to fetch'));
    };
    await expect(run({ url: server.url() }, { signal: controller.signal, fetch: failing })).rejects.toBe(
      reason,
    );
  });
});

describe('a request that must not be repeated', () => {
  const post = (): Omit<HttpInput, 'kind'> => ({ method: 'POST', url: server.url('/order'), body: '1' });

  test('is marked before the server sees it, and again as soon as the server has answered', async () => {
    const events: string[] = [];
    server.answer = (_request, response) => {
      events.push('hit');
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.flushHeaders();
      finish = () => response.end('done');
    };
    let finish = (): void => undefined;
    const markEffect = async (mark: EffectMark): Promise<void> => {
      events.push(`${mark} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${mark} durable`);
      // The body ends only after the second mark, so the mark cannot have waited for it.
      if (mark === 'sent') finish();
    };
    const ending = await run(post(), { markEffect });

    expect(ending.kind).toBe('succeeded');
    expect(events).toEqual(['sending begins', 'sending durable', 'hit', 'sent begins', 'sent durable']);
  });

  test('is not sent when the run has been ended by someone else', async () => {
    const lost = new Error('lease-lost');
    await expect(run(post(), { markEffect: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect(server.hits).toEqual([]);
  });

  test('lets the answer go when the run is ended by someone else meanwhile', async () => {
    const lost = new Error('lease-lost');
    const closed = new Promise<void>((resolve) => {
      server.answer = (_request, response) => {
        response.writeHead(200);
        response.write('an answer that goes on');
        response.on('close', resolve);
      };
    });
    const markEffect = (mark: EffectMark): Promise<void> =>
      mark === 'sent' ? Promise.reject(lost) : Promise.resolve();

    await expect(run(post(), { markEffect })).rejects.toBe(lost);
    await closed;
  });

  test.each([
    ['its template is broken', { url: 'http://127.0.0.1/{{ run.nope }}' }],
    ['its address is none', { url: 'http://127.0.0.1:{{ run.attempt }}00000/' }],
    ['a header cannot be sent', { headers: { 'X-A': '日' } }],
  ])('is not even marked when %s', async (_what, fields) => {
    const ending = await run({ ...post(), ...fields });

    expect(ending).toMatchObject({ kind: 'failed', failure: { class: 'invalid' } });
    expect(ending.output).toBeUndefined();
    expect(server.hits).toEqual([]);
  });

  test('is not even marked when the device is offline', async () => {
    const ending = await run({ method: 'POST', url: 'https://example.test/' }, { online: () => false });
    expect(ending).toMatchObject({ kind: 'failed', failure: { code: 'offline' } });
  });

  test.each([
    ['GET', { method: 'GET' }],
    ['HEAD', { method: 'HEAD' }],
    ['an idempotency key', { method: 'POST', idempotencyKey: true }],
    ["the person's word", { method: 'DELETE', repeatable: true }],
  ] as const)('is none with %s: it needs no mark', async (_why, fields) => {
    expect((await run({ url: server.url(), ...fields })).kind).toBe('succeeded');
  });
});

describe('a failure to connect', () => {
  test('to a server that is not there says so by name, with what was asked and for how long', async () => {
    const url = server.url('/gone');
    await server.close();
    const { ending, output } = await runSent({ url });
    await server.open();

    expect(ending).toMatchObject({
      kind: 'failed',
      failure: {
        class: 'network',
        code: 'unreachable',
        message: `${new URL(url).host} could not be reached.`,
      },
    });
    expect(output.response).toBeUndefined();
    expect(output.request.url).toBe(url);
  });

  test('by a server that hangs up and is back is told from one that forbids reading', async () => {
    server.answer = (request, response) => {
      if (request.method === 'HEAD') response.end();
      else request.socket.destroy();
    };
    const ending = await run({ url: server.url() });

    expect(ending).toMatchObject({ kind: 'failed', failure: { class: 'network', code: 'connection-lost' } });
    expect(server.hits.map(({ method }) => method)).toEqual(['GET', 'HEAD', 'HEAD']);
  });

  test('of an unrepeatable request is looked into without repeating it', async () => {
    server.answer = (request, response) => {
      if (request.method === 'HEAD') response.end();
      else request.socket.destroy();
    };
    const ending = await run(
      { method: 'POST', url: server.url('/order?id=7'), body: 'secret', headers: { 'X-Token': 'secret' } },
      { markEffect: () => Promise.resolve() },
    );

    expect(ending).toMatchObject({
      kind: 'failed',
      failure: { message: expect.stringContaining('The request may have arrived all the same.') },
    });
    expect(server.hits.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/order?id=7', 'secret'],
      ['HEAD', '/', ''],
    ]);
    expect(server.hits[1]?.headers['x-token']).toBeUndefined();
  });

  test('to a port that browsers refuse is told before anything is tried', async () => {
    const ending = await run({ url: 'http://example.test:6000/' });
    expect(ending).toMatchObject({ failure: { class: 'denied', code: 'blocked-port' } });
    expect(ending.output).toBeUndefined();
  });

  test.each([...BAD_PORTS].filter((port) => port > 0))('to port %i is refused by fetch too', async (port) => {
    const refusal = await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error as Error);
    expect((refusal as Error).cause).toMatchObject({ message: 'bad port' });
  });
});

describe('a reachability check', () => {
  test('asks without leave to read, and says that something answered and how soon, whatever it said', async () => {
    server.answer = (_request, response) => {
      response.statusCode = 500;
      response.end('secret');
    };
    const asked: (RequestInit | undefined)[] = [];
    let clock = 1_000;
    const { ending, output } = await runSent(
      { url: server.url('/x'), reachability: true },
      {
        now: () => (clock += 42),
        fetch: (input, init) => {
          asked.push(init);
          return fetch(input, init);
        },
      },
    );
    expect(ending).toMatchObject({
      kind: 'succeeded',
      summary: 'Something answered in 42 ms; what it said cannot be read',
    });
    expect(output).toEqual({
      kind: 'http',
      request: { method: 'GET', url: server.url('/x'), headers: {}, mode: 'no-cors' },
      reached: true,
      timing: { sentAt: 1_042, totalMs: 42 },
    });
    expect(asked).toMatchObject([
      { method: 'GET', mode: 'no-cors', credentials: 'omit', referrerPolicy: 'no-referrer' },
    ]);
    expect(server.hits.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /x']);
  });

  test('that takes longer than expected fails, and something answered all the same', async () => {
    let clock = 0;
    const { ending, output } = await runSent(
      { url: server.url(), reachability: true, expect: { withinMs: 500 } },
      { now: () => (clock += 700) },
    );
    expect(ending).toMatchObject({ kind: 'failed', failure: { code: 'too-slow' } });
    expect(output.reached).toBe(true);
  });

  test('of a server that is gone says why, and that nothing was reached', async () => {
    const url = server.url();
    await server.close();
    const { ending, output } = await runSent({ url, reachability: true });
    expect(ending).toMatchObject({ kind: 'failed', failure: { class: 'network', code: 'unreachable' } });
    expect(output.reached).toBeUndefined();
    await server.open();
  });

  test('offline sends nothing, unless the server is on this device', async () => {
    const ending = await run(
      { url: 'https://example.test/', reachability: true },
      { online: () => false, fetch: () => Promise.reject(new Error('asked')) },
    );
    expect(ending).toMatchObject({ kind: 'failed', failure: { code: 'offline' } });
    expect(await run({ url: server.url(), reachability: true }, { online: () => false })).toMatchObject({
      kind: 'succeeded',
    });
  });
});

describe('what is refused before it is sent', () => {
  test.each([
    ['ftp://example.test/', 'bad-url'],
    ['{{ automation.name }}', 'bad-url'],
    ['http://[::1/', 'bad-url'],
    ['http://example.test:99999/', 'bad-url'],
    ['https://{{ "user:pass@example.test" }}/', 'bad-url'],
    ['https://example.test/{{ run.nope }}', 'template-missing'],
    ['https://example.test/{{ run.id | shout }}', 'template-syntax'],
  ])('the address %s', async (url, code) => {
    const context = contextOf({ url: server.url() });
    const { definition } = context.run;
    const action = { ...definition.action, url } as typeof definition.action;
    const ending = await perform({
      ...context,
      run: { ...context.run, definition: { ...definition, action } },
    });

    expect(ending).toMatchObject({ kind: 'failed', failure: { class: 'invalid', code } });
  });

  test.each([
    ['X-A', '{{ "a\nb" }}', 'The value of the header X-A must be a single line.'],
    ['X-A', '日本', 'The value of the header X-A holds "日", which headers cannot carry; encode it.'],
    [
      'X-HTTP-Method-Override',
      '{{ "trace" }}',
      'Browsers do not let the header X-HTTP-Method-Override ask for CONNECT, TRACE or TRACK.',
    ],
  ])('the header %s with the value %j', async (name, value, message) => {
    const definition = runOf({ kind: 'http', url: server.url() }).definition;
    const context = contextOf({ url: server.url() });
    const action = { ...definition.action, headers: { [name]: value } } as typeof definition.action;
    const ending = await perform({
      ...context,
      run: { ...context.run, definition: { ...definition, action } },
    });

    expect(ending).toEqual({ kind: 'failed', failure: { class: 'invalid', code: 'bad-header', message } });
    expect(server.hits).toEqual([]);
  });
});

describe('what a host needs', () => {
  const needs = (url: string) => needsOf(runOf({ kind: 'http', url }).definition.action);

  test('is a network for a server elsewhere, and nothing for one on this device', () => {
    expect(needs('https://example.test/')).toEqual(['network']);
    expect(needs('http://192.168.1.5/')).toEqual(['network']);
    expect(needs('http://localhost:11434/api?{{ run.id }}')).toEqual([]);
    expect(needs('http://127.0.0.1/')).toEqual([]);
    expect(needs('http://[::1]:80')).toEqual([]);
  });

  test('is a network where a template may name any server', () => {
    expect(needs('{{ automation.name }}')).toEqual(['network']);
    expect(needs('http://localhost{{ ".example.test" }}/')).toEqual(['network']);
  });

  test('is the permission to notify for a reminder', () => {
    expect(needsOf({ kind: 'remind', message: 'x' })).toEqual(['notification-permission']);
  });
});
