import { once } from 'node:events';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AutomationId,
  type Brought,
  type DefinitionInput,
  definitionSchema,
  modelEndpointSchema,
  type PromptOutput,
  type RunId,
  scheduledOccurrence,
  type Spending,
} from '../domain/index.ts';
import type { ActionContext, EffectMark, NetworkContext, Progress } from './action-context.ts';
import { checkAction } from './check-action.ts';
import { listModels } from './list-models.ts';
import { begins, chunk, ModelServer, says, sse } from './model-server.testing.ts';
import { needsOf, perform } from './registry.ts';

const automationId = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11' as AutomationId;
const scheduledFor = 1_767_225_600_000;

let server: ModelServer;
beforeEach(async () => {
  server = new ModelServer();
  await server.open();
});
afterEach(() => server.close());

type PromptInput = Extract<DefinitionInput['action'], { kind: 'prompt' }>;
type Changes = Partial<Omit<PromptInput, 'endpoint'>> & {
  readonly endpoint?: Partial<PromptInput['endpoint']>;
};

function definitionOf({ endpoint, ...changes }: Changes): v.InferOutput<typeof definitionSchema> {
  return v.parse(definitionSchema, {
    name: 'Morning words',
    schedule: { kind: 'manual' },
    action: {
      kind: 'prompt',
      model: 'llama3.2:3b',
      prompt: 'Say hello.',
      ...changes,
      endpoint: { baseUrl: server.url, ...endpoint },
    },
  });
}

function contextOf(changes: Changes, more: Partial<ActionContext> = {}): ActionContext {
  return {
    run: {
      id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as RunId,
      automationId,
      automationName: 'Morning words',
      occurrence: scheduledOccurrence(automationId, scheduledFor),
      scheduledFor,
      cause: 'schedule',
      attempt: 1,
      definition: definitionOf(changes),
    },
    signal: new AbortController().signal,
    now: Date.now,
    fetch,
    online: () => true,
    origin: 'http://localhost:4173',
    markEffect: () => Promise.reject(new Error('this effect needs no mark')),
    recall: () => Promise.reject(new Error('a prompt remembers nothing')),
    ...more,
  };
}

/** How a prompt ended, with its output, which all have that were sent. */
async function ask(changes: Changes = {}, more?: Partial<ActionContext>) {
  const ending = await perform(contextOf(changes, more));
  const output = ending.output as PromptOutput | undefined;
  return { ending, output, failure: ending.kind === 'failed' ? ending.failure : null };
}

const day = (used: Partial<Spending> = {}): Partial<ActionContext> => ({
  spentToday: () => Promise.resolve({ until: scheduledFor, tokens: 0, cost: 0, ...used }),
});

describe('a prompt', () => {
  test('is asked as it was written, and its answer is brought back with what it used', async () => {
    const { ending, output } = await ask({
      system: 'Be brief.',
      prompt: 'Say hello to {{ automation.name }}.',
      temperature: 0.2,
      maxTokens: 50,
    });

    expect(server.hits).toMatchObject([
      {
        method: 'POST',
        url: '/v1/chat/completions',
        body: {
          model: 'llama3.2:3b',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Say hello to Morning words.' },
          ],
          temperature: 0.2,
          max_tokens: 50,
          stream: true,
          stream_options: { include_usage: true },
        },
      },
    ]);
    expect(ending).toMatchObject({ kind: 'succeeded' });
    expect(ending.kind === 'succeeded' && ending.summary).toMatch(/^Hello, world\. · 14 tokens in \d+ ms$/);
    expect(output).toMatchObject({
      kind: 'prompt',
      request: {
        protocol: 'openai',
        url: `${server.url}/chat/completions`,
        prompt: 'Say hello to Morning words.',
      },
      answer: { text: 'Hello, world.', end: 'complete', model: 'llama3.2:3b' },
      usage: { inputTokens: 11, outputTokens: 3 },
    });
    expect(output?.usage).not.toHaveProperty('estimated');
  });

  test('sends no header that the endpoint did not ask for, no cookie and no referrer', async () => {
    const inits: RequestInit[] = [];
    await ask(
      {},
      {
        fetch: (input, init) => {
          inits.push(init ?? {});
          return fetch(input, init);
        },
      },
    );
    expect(inits).toMatchObject([
      {
        headers: { accept: 'application/json', 'content-type': 'application/json' },
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      },
    ]);
    expect(Object.keys(inits[0]?.headers ?? {})).toEqual(['accept', 'content-type']);
  });

  test('carries the key where the protocol wants it, and it is nowhere in what is brought back', async () => {
    const key = 'sk-test-4711';
    server.answer = (response) => says(response, ['You sent ', key]);
    const { ending } = await ask({ endpoint: { apiKey: `{{ "${key}" }}` }, prompt: `Repeat ${key}` });
    expect(server.hits[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(ending).toMatchObject({ kind: 'succeeded', output: { answer: { text: 'You sent (key)' } } });
    expect(JSON.stringify(ending)).not.toContain(key);
  });

  test('is told as it comes, and what it brought so far is there to be kept', async () => {
    const told: [Progress, Brought][] = [];
    await ask({}, { ...day(), tell: (progress, brought) => void told.push([progress, brought()]) });
    expect(told.map(([{ text }]) => text)).toEqual(['', 'Hello', 'Hello, ', 'Hello, world.']);
    expect(told[2]?.[1]).toMatchObject({
      output: { answer: { text: 'Hello, ', end: 'cut' }, usage: { estimated: true } },
      spent: { until: scheduledFor },
    });
  });

  test('counts what a model thinks and keeps only what it answers', async () => {
    const told: Progress[] = [];
    server.answer = (response) => {
      begins(response);
      response.end(
        sse(
          chunk({ reasoning_content: 'Let me see. ' }),
          chunk({ reasoning: 'Yes.' }),
          chunk({ content: 'Four' }, 'stop'),
          '[DONE]',
        ),
      );
    };
    const { output } = await ask({}, { tell: (progress) => void told.push(progress) });
    expect(output?.answer?.text).toBe('Four');
    expect(output?.usage).toEqual({ inputTokens: 3, outputTokens: 5, estimated: true });
    expect(told.at(-1)).toEqual({ text: 'Four', thought: 16 });
  });

  test('is asked again without what a server does not know', async () => {
    server.answer = (response, { body }) => {
      if (!('stream_options' in body)) {
        says(response, ['Yes']);
        return;
      }
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"stream_options: Extra inputs are not permitted"}}');
    };
    expect((await ask()).output?.answer?.text).toBe('Yes');
    expect(server.hits).toHaveLength(2);
  });

  test('takes the answer of a server that does not stream', async () => {
    server.answer = (response) => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          choices: [{ message: { role: 'assistant', content: 'Whole.' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 4, completion_tokens: 2 },
        }),
      );
    };
    const { output } = await ask();
    expect(output).toMatchObject({ answer: { text: 'Whole.' }, usage: { inputTokens: 4, outputTokens: 2 } });
  });

  test('goes to the API of a bare host', async () => {
    await ask({ endpoint: { baseUrl: `http://${server.host}/` } });
    expect(server.hits[0]?.url).toBe('/v1/chat/completions');
  });

  test('is marked before it leaves and when it arrives, where it must not be repeated', async () => {
    const marks: EffectMark[] = [];
    const more = { markEffect: (mark: EffectMark) => Promise.resolve(void marks.push(mark)) };
    await ask({ repeatable: false }, more);
    expect(marks).toEqual(['sending', 'sent']);
  });

  test('costs what the stated price says', async () => {
    const { output, ending } = await ask(
      { price: { inputPerMillion: 2, outputPerMillion: 10, currency: 'EUR' } },
      day(),
    );
    expect(output?.usage?.cost).toEqual({ amount: expect.closeTo(52e-6, 10) as number, currency: 'EUR' });
    expect(ending).toMatchObject({ spent: { until: scheduledFor, tokens: 14 } });
  });

  test('needs no network for a model on this device', () => {
    const local = definitionOf({}).action;
    const hosted = definitionOf({ endpoint: { baseUrl: 'https://models.example/v1' } }).action;
    expect([needsOf(local), needsOf(hosted)]).toEqual([[], ['network']]);
  });
});

describe('Anthropic', () => {
  const event = (data: { readonly type: string; readonly [key: string]: unknown }): string =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

  test('is asked by its own protocol, with the header that lets a page ask', async () => {
    server.answer = (response) => {
      begins(response);
      response.write(
        event({
          type: 'message_start',
          message: {
            id: 'm',
            model: 'claude-x',
            usage: { input_tokens: 9, cache_read_input_tokens: 3, output_tokens: 1 },
          },
        }),
      );
      response.write(
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      );
      response.write(event({ type: 'ping' }));
      for (const text of ['Good ', 'morning'])
        response.write(event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }));
      response.write(
        event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 4 } }),
      );
      response.end(event({ type: 'message_stop' }));
    };
    const { output } = await ask({
      endpoint: { protocol: 'anthropic', baseUrl: `http://${server.host}`, apiKey: 'sk-ant-1' },
      system: 'Be kind.',
    });
    expect(server.hits).toMatchObject([
      {
        url: '/v1/messages',
        headers: {
          'x-api-key': 'sk-ant-1',
          'anthropic-version': '2023-06-01',
          'anthropic-dangerous-direct-browser-access': 'true',
        },
        body: { system: 'Be kind.', max_tokens: 4096, messages: [{ role: 'user', content: 'Say hello.' }] },
      },
    ]);
    expect(server.hits[0]?.headers.authorization).toBeUndefined();
    expect(output).toMatchObject({
      answer: { text: 'Good morning', end: 'complete', model: 'claude-x' },
      usage: { inputTokens: 12, outputTokens: 4 },
    });
  });

  test('says in its stream that it is overloaded, and so does the run', async () => {
    server.answer = (response) => {
      begins(response);
      response.end(event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }));
    };
    const { failure } = await ask({ endpoint: { protocol: 'anthropic' } });
    expect(failure).toMatchObject({ class: 'action', code: 'model-error' });
    expect(failure?.message).toContain('Overloaded');
  });
});

describe('a limit', () => {
  test('lets nothing leave when the prompt alone is over it', async () => {
    const { failure, output } = await ask({ prompt: 'word '.repeat(100), limits: { tokensPerRun: 50 } });
    expect(failure).toMatchObject({ class: 'limit', code: 'run-limit' });
    expect(failure?.message).toBe('Not asked, because of your limit of 50 tokens a run.');
    expect([output, server.hits]).toEqual([undefined, []]);
  });

  test('of a day counts what ran before', async () => {
    const { failure } = await ask({ limits: { tokensPerDay: 1_000 } }, day({ tokens: 998 }));
    expect(failure).toMatchObject({ class: 'limit', code: 'daily-limit' });
    expect(server.hits).toEqual([]);
  });

  test('of a day has what the prompt may use written down before it leaves, and one of a run has not', async () => {
    const told: [Spending, number][] = [];
    const mayUse = (spending: Spending): Promise<void> => {
      told.push([spending, server.hits.length]);
      return Promise.resolve();
    };
    const price = { inputPerMillion: 1_000, outputPerMillion: 2_000, currency: 'USD' };
    const used = { ...day({ tokens: 900 }), mayUse };
    await ask({ limits: { tokensPerDay: 1_000 }, price, maxTokens: 20 }, used);
    await ask({ limits: { tokensPerDay: 1_000 }, price }, used);
    const [few, all] = told.map(([spending]) => spending);
    const input = (few?.tokens ?? 0) - 20;
    expect(input).toBeGreaterThan(0);
    expect(few).toEqual({ until: scheduledFor, tokens: input + 20, cost: (input + 40) / 1e3 });
    // Without a bound of its own, the answer may take all that the day has left.
    expect(all?.tokens).toBe(100);
    expect(told.map(([, hits]) => hits)).toEqual([0, 1]);
    await ask({ limits: { tokensPerRun: 500 } }, used);
    expect(told).toHaveLength(2);
    await expect(
      ask({ limits: { tokensPerDay: 1_000 } }, { ...day(), mayUse: () => Promise.reject(new Error('full')) }),
    ).rejects.toThrow('full');
    expect(server.hits).toHaveLength(3);
  });

  test('is told to the server, and an answer that reaches it ends as stopped by it', async () => {
    server.answer = (response) => says(response, ['a', 'b'], 'length');
    const { failure, output } = await ask({ limits: { tokensPerRun: 20 }, maxTokens: 100 }, day());
    expect(server.hits[0]?.body['max_tokens']).toBe(17);
    expect(failure).toMatchObject({ class: 'limit', code: 'run-limit' });
    expect(output).toMatchObject({ answer: { text: 'ab', end: 'cut' }, usage: { outputTokens: 2 } });
  });

  test('ends the request to a server that pays no heed to it', async () => {
    let stop = false;
    server.answer = async (response) => {
      begins(response);
      response.on('close', () => (stop = true));
      while (!stop) {
        response.write(sse(chunk({ content: 'more ' })));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const { failure, ending } = await ask({ limits: { tokensPerRun: 23 } }, day());
    await server.closed;
    expect(failure).toMatchObject({ class: 'limit', code: 'run-limit' });
    expect(ending.spent?.tokens).toBeGreaterThanOrEqual(23);
  });

  test('of cost is reckoned by the stated price', async () => {
    const price = { inputPerMillion: 0, outputPerMillion: 1_000 };
    await ask({ price, limits: { costPerRun: 0.5, costPerDay: 1 } }, day({ cost: 0.75 }));
    expect(server.hits[0]?.body['max_tokens']).toBe(250);
  });

  test('is no longest answer: one that was asked for cuts the answer and the run succeeds', async () => {
    server.answer = (response) => says(response, ['a', 'b'], 'length');
    const { ending } = await ask({ maxTokens: 2, limits: { tokensPerRun: 1_000 } });
    expect(ending).toMatchObject({ kind: 'succeeded', output: { answer: { end: 'length' } } });
    expect(ending.kind === 'succeeded' && ending.summary).toContain('cut at the longest answer');
  });
});

describe('an endpoint that refuses', () => {
  const refuses = (status: number, message: string, headers: Record<string, string> = {}): void => {
    server.answer = (response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message, type: 'x', code: null } }));
    };
  };

  test('for want of a key, or because of it, is told apart, and the key is not shown', async () => {
    refuses(401, 'Incorrect API key provided: sk-wrong-1');
    expect((await ask()).failure).toMatchObject({ class: 'action', code: 'key-needed' });
    const { failure } = await ask({ endpoint: { apiKey: 'sk-wrong-1' } });
    expect(failure?.code).toBe('key-refused');
    expect(failure?.message).toMatch(
      /refused the key \(401\)\. It says: Incorrect API key provided: \(key\)\.$/,
    );
  });

  test('because it has no such model says so with its own words', async () => {
    refuses(404, 'model "llama3.2:3b" not found, try pulling it first');
    const { failure } = await ask();
    expect(failure).toMatchObject({ class: 'action', code: 'no-such-model' });
    expect(failure?.message).toContain('try pulling it first');
  });

  test('and asks to wait is left alone for so long', async () => {
    refuses(429, 'Rate limit reached', { 'retry-after': '20' });
    const { failure, ending } = await ask({}, day());
    expect(failure).toMatchObject({ class: 'action', code: 'rate-limited', retryAfterMs: 20_000 });
    expect(failure?.message).toContain('to wait 20 s');
    expect(ending.spent).toBeUndefined();
    expect(server.hits).toHaveLength(1);
  });

  test('with a fault of its own is told, with what it says', async () => {
    refuses(503, 'loading model');
    expect((await ask()).failure).toMatchObject({ class: 'action', code: 'model-error' });
    expect(server.hits).toHaveLength(1);
  });

  test('in the middle of the answer leaves what it had said', async () => {
    server.answer = (response) => {
      begins(response);
      response.write(sse(chunk({ content: 'Half of' })));
      response.end(sse({ error: { message: 'out of memory' } }));
    };
    const { failure, output } = await ask();
    expect(failure).toMatchObject({ class: 'action', code: 'model-error' });
    expect(failure?.message).toContain('out of memory');
    expect(output?.answer).toMatchObject({ text: 'Half of', end: 'cut' });
  });
});

describe('an answer that breaks', () => {
  test('is a failure of the network that keeps what came and reckons what it used', async () => {
    server.answer = (response) => {
      begins(response);
      response.write(sse(chunk({ content: 'The first half' })));
      setImmediate(() => response.destroy());
    };
    const { failure, output, ending } = await ask({}, day());
    expect(failure).toMatchObject({ class: 'network', code: 'connection-lost' });
    expect(output).toMatchObject({
      answer: { text: 'The first half', end: 'cut' },
      usage: { estimated: true },
    });
    expect(ending.spent?.tokens).toBeGreaterThan(3);
  });

  test('is one too when the stream ends before the model says that it is done', async () => {
    server.answer = (response) => {
      begins(response);
      response.end(sse(chunk({ content: 'And then' })));
    };
    expect((await ask()).failure).toMatchObject({ class: 'network', code: 'connection-lost' });
  });

  test('after its last word is whole', async () => {
    server.answer = (response) => {
      begins(response);
      response.write(sse(chunk({ content: 'Done' }, 'stop')));
      setImmediate(() => response.destroy());
    };
    expect((await ask()).ending).toMatchObject({ kind: 'succeeded', output: { usage: { estimated: true } } });
  });

  test.each<[string, string, string]>([
    ['a page', 'text/html', '<!doctype html><title>Sign in</title>'],
    ['another JSON', 'application/json', '{"hello":"there"}'],
    ['a stream of no JSON', 'text/event-stream', 'data: {nope\n\ndata: [DONE]\n\n'],
    ['a stream of other events', 'text/event-stream', 'data: {"a":1}\n\ndata: [1]\n\ndata: 7\n\n'],
    ['nothing', 'text/event-stream', ''],
    ['bytes', 'application/octet-stream', '\0\u0001\u0002\n\n'],
    [
      'strange pieces',
      'text/event-stream',
      'data: {"choices":"x","usage":[]}\n\ndata: {"choices":[{"delta":{"content":[1]}}]}\n\n',
    ],
  ])('is none when it is %s', async (_what, type, body) => {
    server.answer = (response) => {
      response.setHeader('content-type', type);
      response.end(body);
    };
    const { failure } = await ask();
    expect(failure).toMatchObject({ class: 'action', code: 'not-a-model' });
  });

  test('off in a line without end is ended', async () => {
    server.answer = async (response) => {
      begins(response);
      const piece = `data: ${'x'.repeat(60_000)}`;
      const closed = once(response, 'close');
      let drained = once(response, 'drain');
      while (!response.destroyed) {
        if (response.write(piece)) continue;
        await Promise.race([drained, closed]);
        drained = once(response, 'drain');
      }
    };
    expect((await ask()).failure).toMatchObject({ class: 'action', code: 'answer-too-long' });
    await server.closed;
  });

  test('with nothing in it is a failure that says why', async () => {
    server.answer = (response) => says(response, [], 'stop');
    expect((await ask()).failure).toMatchObject({
      code: 'empty-answer',
      message: 'The model answered nothing.',
    });
    server.answer = (response) => says(response, [], 'length');
    expect((await ask({ maxTokens: 5 })).failure?.message).toMatch(/used up its longest answer/);
  });

  test('is over at once when the run is stopped, and so is the request', async () => {
    const controller = new AbortController();
    server.answer = (response) => {
      begins(response);
      response.write(sse(chunk({ content: 'Slowly' })));
    };
    const kept: Brought[] = [];
    const running = ask(
      {},
      {
        ...day(),
        signal: controller.signal,
        tell: ({ text }, brought) => {
          if (text === '') return;
          kept.push(brought());
          controller.abort(new Error('stopped'));
        },
      },
    );
    await expect(running).rejects.toThrow('stopped');
    await server.closed;
    expect(kept).toMatchObject([
      { output: { answer: { text: 'Slowly', end: 'cut' } }, spent: { tokens: 5 } },
    ]);
  });

  test('is never asked for by a run that was stopped before', async () => {
    await expect(ask({}, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow('stopped');
    expect(server.hits).toEqual([]);
  });
});

describe('an endpoint that cannot be reached', () => {
  test('is said to be silent', async () => {
    const gone = new ModelServer();
    await gone.open();
    const { url } = gone;
    await gone.close();
    const { failure } = await ask({ endpoint: { baseUrl: url } });
    expect(failure).toMatchObject({ class: 'network', code: 'unreachable' });
  });

  test.each<[string, string]>([
    [
      'http://localhost:11434',
      'If it is Ollama: set the environment variable OLLAMA_ORIGINS=https://rota.example',
    ],
    ['http://127.0.0.1:1234/v1', 'If it is LM Studio: switch on "Enable CORS"'],
    ['http://127.0.0.1:8081/v1', 'Ollama: set the environment variable OLLAMA_ORIGINS=https://rota.example'],
  ])('because it does not let pages ask is helped with what it needs: %s', async (baseUrl, help) => {
    const noCors: typeof fetch = (_input, init) =>
      init?.mode === 'no-cors'
        ? Promise.resolve(new Response(''))
        : Promise.reject(new TypeError('Failed to fetch'));
    const { failure } = await ask(
      { endpoint: { baseUrl } },
      { fetch: noCors, origin: 'https://rota.example' },
    );
    expect(failure).toMatchObject({ class: 'denied', code: 'blocked-by-cors' });
    expect(failure?.advice).toContain(help);
  });

  test('for want of a network is not asked', async () => {
    const { failure } = await ask(
      { endpoint: { baseUrl: 'https://models.example/v1' } },
      { online: () => false, fetch: () => Promise.reject(new Error('asked')) },
    );
    expect(failure).toMatchObject({ class: 'network', code: 'offline' });
  });
});

describe('a prompt that is saved', () => {
  test.each<[Changes, string, RegExp]>([
    [{ prompt: '{{ steps.1.output }}' }, 'action.prompt', /names \{\{ steps \}\}/],
    [{ prompt: '{% if false %}x{% endif %}' }, 'action.prompt', /is empty/],
    [{ system: '{% if %}' }, 'action.system', /line 1/],
    [{ endpoint: { baseUrl: 'http://example.test:22/' } }, 'action.endpoint.baseUrl', /port 22/],
    [{ endpoint: { apiKey: 'two words' } }, 'action.endpoint.apiKey', /a space or a character/],
    [{ endpoint: { apiKey: '{{ nowhere }}' } }, 'action.endpoint.apiKey', /names \{\{ nowhere \}\}/],
  ])('is refused with the field and the reason: %j', async (changes, path, message) => {
    const problems = await checkAction(definitionOf(changes));
    expect(problems).toEqual([{ path, message: expect.stringMatching(message) as string }]);
  });

  test('has no problems when it would run', async () => {
    expect(
      await checkAction(definitionOf({ prompt: 'Today is {{ run.scheduledFor | date: "%F" }}.' })),
    ).toEqual([]);
  });
});

describe('the models of an endpoint', () => {
  const list = (endpoint: Partial<PromptInput['endpoint']> = {}, more: Partial<NetworkContext> = {}) =>
    listModels(v.parse(modelEndpointSchema, { baseUrl: server.url, ...endpoint }), {
      now: Date.now,
      fetch,
      online: () => true,
      origin: 'http://localhost:4173',
      ...more,
    });

  test('are listed by name, each once, and the key goes with the question', async () => {
    server.answer = (response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"object":"list","data":[{"id":"b"},{"id":"a"},{"id":"b"}]}');
    };
    expect(await list({ apiKey: 'sk-1' })).toMatchObject({ kind: 'models', models: ['a', 'b'] });
    expect(server.hits).toMatchObject([
      { method: 'GET', url: '/v1/models', headers: { authorization: 'Bearer sk-1' } },
    ]);
  });

  test.each<[number, string, string]>([
    [401, '{"error":{"message":"no"}}', 'key-needed'],
    [404, 'nothing here', 'no-such-api'],
    [200, '<!doctype html>', 'not-a-model'],
    [200, '{"data":{}}', 'not-a-model'],
  ])('are not told by an answer of %d %s', async (status, body, code) => {
    server.answer = (response) => {
      response.writeHead(status, { 'content-type': body.startsWith('{') ? 'application/json' : 'text/html' });
      response.end(body);
    };
    expect(await list()).toMatchObject({ kind: 'failed', failure: { code } });
  });

  test('of a server that lets no page ask are not known, and the help is exact', async () => {
    const noCors: typeof fetch = (_input, init) =>
      init?.mode === 'no-cors'
        ? Promise.resolve(new Response(''))
        : Promise.reject(new TypeError('Failed to fetch'));
    const found = await list({ baseUrl: 'http://localhost:11434' }, { fetch: noCors });
    expect(found).toMatchObject({ kind: 'failed', failure: { code: 'blocked-by-cors' } });
    expect(JSON.stringify(found)).toContain('OLLAMA_ORIGINS=http://localhost:4173');
  });
});
