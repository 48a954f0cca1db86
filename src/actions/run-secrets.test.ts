import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AutomationId,
  type DefinitionInput,
  definitionSchema,
  type Occurrence,
  type RunId,
} from '../domain/index.ts';
import type { ActionContext } from './action-context.ts';
import { perform } from './registry.ts';
import { RunSecrets } from './run-secrets.ts';

const VALUE = 'se/s+a&me "ö" <1234>';

let server: Server;
let origin: string;
/** The requests that arrived: their method, address, headers and body. */
let hits: { readonly url: string; readonly headers: Record<string, unknown>; readonly body: string }[];
let answer: (hit: (typeof hits)[number]) => {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
};

beforeEach(async () => {
  hits = [];
  answer = () => ({});
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const hit = { url: request.url ?? '', headers: request.headers, body };
      hits.push(hit);
      const { status = 200, headers = {}, body: text = '' } = answer(hit);
      response.writeHead(status, headers).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

type Stored = Readonly<Record<string, { readonly value: string; readonly origins: readonly string[] }>>;

function run(
  action: DefinitionInput['action'],
  stored: Stored,
  memory: Readonly<Record<string, unknown>> = {},
) {
  const context: ActionContext = {
    run: {
      id: 'r1' as RunId,
      automationId: 'a1' as AutomationId,
      automationName: 'Call',
      occurrence: 'a1@0' as Occurrence,
      scheduledFor: 0,
      cause: 'schedule',
      attempt: 1,
      definition: v.parse(definitionSchema, { name: 'Call', schedule: { kind: 'manual' }, action }),
    },
    signal: new AbortController().signal,
    now: () => 0,
    fetch,
    online: () => true,
    origin: 'http://localhost:4173',
    markEffect: () => Promise.resolve(),
    recall: (key) => Promise.resolve(memory[key]),
    secrets: new RunSecrets((name) => Promise.resolve(stored[name] ?? null)),
  };
  return perform(context);
}

describe('a secret', () => {
  test('arrives where it is bound to, and only its name is kept of it', async () => {
    const ending = await run(
      {
        kind: 'http',
        method: 'POST',
        url: `${origin}/?key={{ secrets.KEY | url_encode }}`,
        headers: { Authorization: 'Basic {{ secrets.LOGIN | base64_encode }}' },
        body: '{{ secrets["KEY"] }}',
      },
      {
        KEY: { value: VALUE, origins: [origin] },
        LOGIN: { value: 'user:password', origins: [origin] },
      },
    );
    expect(ending.kind).toBe('succeeded');
    expect(new URL(hits[0]?.url ?? '', origin).searchParams.get('key')).toBe(VALUE);
    expect(hits[0]?.headers['authorization']).toBe(`Basic ${btoa('user:password')}`);
    expect(hits[0]?.body).toBe(VALUE);
    const kept = JSON.stringify(ending);
    for (const part of ['me "', 'se/s', 'password', btoa('user:password'), 'se%2Fs']) {
      expect(kept).not.toContain(part);
    }
    expect(ending.output).toMatchObject({ request: { body: '[secret KEY]' } });
  });

  test('that a server echoes is taken out again, in each way in which servers write', async () => {
    const echoes = [
      VALUE,
      encodeURIComponent(VALUE),
      JSON.stringify({ token: VALUE }),
      VALUE.replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;'),
      Buffer.from(VALUE).toString('base64'),
      Buffer.from(VALUE).toString('base64url'),
      `cut off in the middle: ${VALUE.slice(0, 9)}`,
    ];
    for (const body of echoes) {
      answer = () => ({ body, headers: { 'x-echo': encodeURIComponent(VALUE) } });
      const ending = await run(
        { kind: 'http', url: `${origin}/`, headers: { 'X-Key': '{{ secrets.KEY | url_encode }}' } },
        { KEY: { value: VALUE, origins: [origin] } },
      );
      if (ending.output?.kind !== 'http') throw new Error('nothing was sent');
      expect(ending.output.response?.text).toContain('[secret KEY]');
      expect(JSON.stringify(ending)).not.toMatch(/se\/s|se%2Fs|c2Uvcy/);
    }
  });

  test('leaves alone what only begins like an address or a header that it stands in', async () => {
    const body = `Bearer of news, see ${origin}/ and http`;
    answer = () => ({ body });
    const ending = await run(
      {
        kind: 'http',
        url: `${origin}/?key={{ secrets.KEY | url_encode }}`,
        headers: { Authorization: 'Bearer {{ secrets.KEY | url_encode }}' },
      },
      { KEY: { value: VALUE, origins: [origin] } },
    );
    expect(ending).toMatchObject({ kind: 'succeeded', output: { response: { text: body } } });
  });

  test('that a filter cuts in the middle of a character is sent all the same, and kept out', async () => {
    const value = 'sesame😀open';
    const ending = await run(
      { kind: 'http', method: 'POST', url: `${origin}/`, body: '{{ secrets.KEY | slice: 0, 7 }}' },
      { KEY: { value, origins: [origin] } },
    );
    expect(ending.kind).toBe('succeeded');
    expect(JSON.stringify(ending)).not.toContain('sesame');
  });

  test('goes to no origin that it is not bound to, by no way', async () => {
    const elsewhere = { KEY: { value: VALUE, origins: ['https://api.example.test'] } };
    const asks: DefinitionInput['action'][] = [
      { kind: 'http', url: `${origin}/`, headers: { 'X-Key': '{{ secrets.KEY | url_encode }}' } },
      { kind: 'http', url: `${origin}/{{ secrets.KEY | url_encode }}` },
      { kind: 'http', method: 'POST', url: `${origin}/`, body: '{% assign k = secrets.KEY %}{{ k }}' },
    ];
    for (const action of asks) {
      const ending = await run(action, elsewhere);
      expect(ending).toMatchObject({
        kind: 'failed',
        failure: {
          class: 'denied',
          code: 'secret-not-bound',
          message: expect.stringContaining('KEY') as string,
        },
      });
      expect(JSON.stringify(ending)).not.toContain('se/s');
    }
    expect(hits).toEqual([]);
  });

  test('is not sent on by a redirect, not even to an address of the same server', async () => {
    answer = ({ url }) => (url === '/' ? { status: 302, headers: { location: '/other' } } : {});
    const ending = await run(
      { kind: 'http', url: `${origin}/`, headers: { 'X-Key': '{{ secrets.KEY | url_encode }}' } },
      { KEY: { value: VALUE, origins: [origin] } },
    );
    expect(ending).toMatchObject({ kind: 'failed', failure: { code: 'redirect-with-secret' } });
    expect(hits.map(({ url }) => url)).toEqual(['/']);
  });

  test('that a watched page echoes is no change, and is not remembered', async () => {
    answer = ({ headers }) => ({ body: `hello, ${String(headers['x-key'])}` });
    const action = {
      kind: 'watch' as const,
      url: `${origin}/`,
      headers: { 'X-Key': '{{ secrets.KEY | url_encode }}' },
      part: { kind: 'text' as const },
    };
    const stored = { KEY: { value: VALUE, origins: [origin] } };
    const first = await run(action, stored);
    expect(first).toMatchObject({
      kind: 'succeeded',
      summary: expect.stringContaining('First look') as string,
    });
    const second = await run(action, stored, first.remember ?? {});
    expect(second).toMatchObject({
      kind: 'succeeded',
      summary: expect.stringContaining('No change') as string,
    });
    expect(JSON.stringify([first, second])).not.toMatch(/se\/s|se%2Fs/);
    expect(hits).toHaveLength(2);
  });

  test('that is not stored, or named where nothing is sent, fails the run by its name', async () => {
    expect(await run({ kind: 'http', url: `${origin}/{{ secrets.NONE }}` }, {})).toMatchObject({
      failure: {
        code: 'secret-missing',
        message: 'The URL names the secret NONE, and there is none of that name.',
      },
    });
    expect(
      await run(
        { kind: 'remind', message: '{{ secrets.KEY }}' },
        { KEY: { value: VALUE, origins: [origin] } },
      ),
    ).toMatchObject({ failure: { code: 'secret-not-here' } });
    expect(hits).toEqual([]);
  });

  test('that a filter stumbles over is not quoted by the failure', async () => {
    const ending = await run(
      { kind: 'http', url: `${origin}/{{ secrets.KEY | date: "%F" }}` },
      { KEY: { value: VALUE, origins: [origin] } },
    );
    expect(ending.kind).toBe('failed');
    expect(JSON.stringify(ending)).not.toMatch(/se\/s|1234/);
  });
});
