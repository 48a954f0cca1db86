import { describe, expect, test } from 'vitest';
import {
  type AutomationId,
  type Failure,
  type HttpMethod,
  type LocalNetworkPermission,
  nearnessOf,
  type RunId,
  type SentRequest,
} from '../domain/index.ts';
import type { ActionContext } from './action-context.ts';
import { findCause } from './find-cause.ts';
import { addressSpaceFor } from './target.ts';

const APP = 'https://rota.example';

interface Probe {
  readonly method: string;
  readonly url: string;
  readonly mode: string;
}

/**
 * A network in which a browser would reject the request with a bare `TypeError`. Node's fetch knows no CORS and no
 * mixed content, so what a browser would answer to each probe is told here.
 */
function network(answers: (probe: Probe) => boolean): {
  readonly probes: Probe[];
  readonly fetch: typeof fetch;
} {
  const probes: Probe[] = [];
  return {
    probes,
    fetch: (input, init) => {
      const probe = {
        method: init?.method ?? 'GET',
        url: input instanceof Request ? input.url : input.toString(),
        mode: init?.mode ?? 'cors',
      };
      probes.push(probe);
      return answers(probe)
        ? Promise.resolve(new Response(null, { status: 204 }))
        : Promise.reject(new TypeError('Failed to fetch'));
    },
  };
}

interface Situation {
  readonly request?: Partial<SentRequest>;
  readonly app?: string;
  readonly online?: boolean;
  readonly permission?: LocalNetworkPermission;
  readonly answers?: (probe: Probe) => boolean;
}

async function climb(situation: Situation): Promise<{ readonly failure: Failure; readonly probes: Probe[] }> {
  const { request, app = APP, online = true, permission, answers = () => false } = situation;
  const { probes, fetch } = network(answers);
  const context: ActionContext = {
    run: {
      id: 'run' as RunId,
      automationId: 'automation' as AutomationId,
    } as ActionContext['run'],
    signal: new AbortController().signal,
    now: () => 0,
    fetch,
    online: () => online,
    origin: app,
    recall: () => Promise.reject(new Error('a probe remembers nothing')),
    markEffect: () => Promise.reject(new Error('a probe is no effect')),
    ...(permission === undefined ? {} : { localNetworkPermission: () => Promise.resolve(permission) }),
  };
  const sent: SentRequest = {
    method: 'GET',
    url: 'https://api.example.test/v1?q=1',
    headers: {},
    ...request,
  };
  return { failure: await findCause(sent, context), probes };
}

const answersOpaquely = ({ mode }: Probe): boolean => mode === 'no-cors';

describe('the ladder', () => {
  test('offline: asks nobody', async () => {
    const { failure, probes } = await climb({ online: false });
    expect(failure).toEqual({
      class: 'network',
      code: 'offline',
      message: 'This device is offline, so api.example.test could not be reached.',
    });
    expect(probes).toEqual([]);
  });

  test('offline does not matter to a server on this device', async () => {
    const { failure } = await climb({
      online: false,
      app: 'http://localhost:4173',
      request: { url: 'http://localhost:11434/api' },
      answers: answersOpaquely,
    });
    expect(failure.code).toBe('blocked-by-cors');
  });

  test('mixed content: asks nobody, and says what would work', async () => {
    const { failure, probes } = await climb({ request: { url: 'http://api.example.test:8080/' } });
    expect(failure).toEqual({
      class: 'denied',
      code: 'mixed-content',
      message: 'The browser does not let a page served over https:// ask api.example.test:8080 over http://.',
      advice:
        'Use https://api.example.test:8080 if the server has it, or open Rota over http:// on this machine.',
    });
    expect(probes).toEqual([]);
  });

  test('CORS: the server is there, and told exactly what to send', async () => {
    const { failure, probes } = await climb({ answers: answersOpaquely });
    expect(failure).toEqual({
      class: 'denied',
      code: 'blocked-by-cors',
      message: 'api.example.test is there, but does not let Rota read its answers (CORS).',
      advice:
        'The server must send "Access-Control-Allow-Origin: https://rota.example". If it is not yours: an API or a feed of the same may often be read.',
    });
    expect(probes).toEqual([
      { method: 'HEAD', url: 'https://api.example.test/v1?q=1', mode: 'no-cors' },
      { method: 'HEAD', url: 'https://api.example.test/v1?q=1', mode: 'cors' },
    ]);
  });

  test('CORS with a preflight: names the method and the headers that need permission, and no others', async () => {
    const { failure } = await climb({
      request: {
        method: 'PUT',
        headers: {
          Authorization: 'Bearer x',
          'Content-Type': 'application/json',
          Accept: 'application/json',
          'Accept-Language': 'en',
        },
      },
      answers: answersOpaquely,
    });
    expect(failure.advice).toBe(
      'The server must send "Access-Control-Allow-Origin: https://rota.example" and "Access-Control-Allow-Methods: PUT" and ' +
        '"Access-Control-Allow-Headers: authorization, content-type", also when it is asked with OPTIONS.',
    );
  });

  test.each([
    ['Content-Type', 'text/plain;charset=UTF-8', false],
    ['Content-Type', 'application/x-www-form-urlencoded', false],
    ['Range', 'bytes=0-99', false],
    ['Range', 'bytes=-99', true],
    ['Accept', 'text/html"', true],
    ['Accept', 'a'.repeat(129), true],
    ['Idempotency-Key', 'x', true],
  ])('CORS: %s: %s needs permission: %s', async (name, value, needsPermission) => {
    const { failure } = await climb({ request: { headers: { [name]: value } }, answers: answersOpaquely });
    expect(failure.advice?.includes('Access-Control-Allow-Headers')).toBe(needsPermission);
  });

  test('a server that can be read after all had only broken the connection', async () => {
    const { failure } = await climb({ answers: () => true });
    expect(failure).toMatchObject({
      class: 'network',
      code: 'connection-lost',
      message: 'The connection to api.example.test broke before it answered.',
    });
  });

  test("Rota's own server needs no CORS", async () => {
    const { failure } = await climb({ request: { url: `${APP}/feed` }, answers: answersOpaquely });
    expect(failure.code).toBe('connection-lost');
  });

  test('nothing answers, not even where Rota comes from: the network is down', async () => {
    const { failure, probes } = await climb({});
    expect(failure).toMatchObject({
      class: 'network',
      code: 'network-down',
      message:
        "Neither api.example.test nor Rota's own server rota.example can be reached, so the network seems to be down.",
    });
    expect(probes.at(-1)).toEqual({ method: 'HEAD', url: `${APP}/`, mode: 'same-origin' });
  });

  test('who only asked whether something answers is told of no CORS: a probe that is answered is an answer', async () => {
    const { failure, probes } = await climb({ request: { mode: 'no-cors' }, answers: answersOpaquely });
    expect(failure.code).toBe('connection-lost');
    expect(probes.map(({ mode }) => mode)).toEqual(['no-cors']);
  });

  test('http:// to a name on the local network is let through from https:// by naming where it is', () => {
    const spaces: unknown[] = [];
    const ask = (url: string, origin: string): void => {
      spaces.push(addressSpaceFor(new URL(url), origin));
    };
    ask('http://nas/', APP);
    ask('http://printer.local:631/', APP);
    ask('https://nas/', APP);
    ask('http://localhost:11434/', APP);
    ask('http://example.test/', APP);
    ask('http://nas/', 'http://rota.example');
    ask('http://nas/', 'https://rota.local');
    const local = { targetAddressSpace: 'local' };
    expect(spaces).toEqual([local, local, {}, {}, {}, {}, {}]);
  });

  test('only the target is silent', async () => {
    const { failure } = await climb({ answers: ({ url }) => url.startsWith(APP) });
    expect(failure).toMatchObject({
      class: 'network',
      code: 'unreachable',
      message: 'api.example.test could not be reached.',
    });
  });

  test.each(['prompt', 'denied'] as const)(
    'a silent local server, permission %s: blocked',
    async (permission) => {
      const { failure } = await climb({ request: { url: 'https://192.168.1.5:8443/' }, permission });
      expect(failure).toMatchObject({
        class: 'denied',
        code: 'local-network-blocked',
        message: 'The browser has not been allowed to reach 192.168.1.5:8443, which is on the local network.',
        advice:
          permission === 'denied'
            ? "In the browser's settings for https://rota.example, allow access to the local network, then run it again."
            : 'Let the browser ask you whether Rota may, then run it again.',
      });
    },
  );

  test.each(['granted', 'unknown', undefined] as const)(
    'a silent local server, permission %s: unreachable',
    async (permission) => {
      const { failure } = await climb({
        request: { url: 'https://nas.local/' },
        ...(permission === undefined ? {} : { permission }),
      });
      expect(failure).toMatchObject({
        class: 'network',
        code: 'unreachable',
        advice: 'Check that the server runs and listens on this port.',
      });
    },
  );

  test('a silent server on this device names this device', async () => {
    const { failure } = await climb({ request: { url: 'http://localhost:11434/' }, permission: 'prompt' });
    expect(failure.message).toBe(
      'The browser has not been allowed to reach localhost:11434, which is on this device.',
    );
  });

  test('no permission is asked for when Rota is as near as the target', async () => {
    const { failure } = await climb({
      app: 'http://localhost:4173',
      request: { url: 'http://127.0.0.1:9/' },
      permission: 'prompt',
    });
    expect(failure.code).toBe('unreachable');
  });

  test('http:// to the local network from https:// may be either, and says so', async () => {
    const { failure } = await climb({ request: { url: 'http://10.0.0.8/' }, permission: 'granted' });
    expect(failure).toMatchObject({ class: 'network', code: 'unreachable' });
    expect(failure.message).toContain('or the browser blocks http://');
  });

  test('a silent local server says nothing of the network as a whole, so nobody else is asked', async () => {
    const { probes } = await climb({ request: { url: 'https://nas.local/x' } });
    expect(probes.map(({ url }) => url)).toEqual(['https://nas.local/x']);
  });
});

describe('probes', () => {
  test.each<HttpMethod>(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'after %s look only at the root of the server',
    async (method) => {
      const { probes } = await climb({ request: { method, body: 'x' }, answers: answersOpaquely });
      expect(probes).toEqual([{ method: 'HEAD', url: 'https://api.example.test/', mode: 'no-cors' }]);
    },
  );

  test.each<HttpMethod>(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'after %s leave open whether it arrived, and say so',
    async (method) => {
      for (const answers of [() => true, () => false, answersOpaquely]) {
        const { failure } = await climb({ request: { method }, answers });
        expect(failure.message).toMatch(/ The request may have arrived all the same\.$/);
      }
    },
  );
});

describe('how near a host is', () => {
  test.each([
    ['loopback', ['localhost', 'app.localhost', '127.0.0.1', '127.8.8.8', '[::1]', 'LOCALHOST.']],
    [
      'local',
      [
        ...['10.1.2.3', '172.16.0.1', '172.31.255.1', '192.168.0.1', '169.254.1.1', '100.64.0.1', '0.0.0.0'],
        ...['[fd00::1]', '[fe80::1]', 'nas', 'printer.local', 'git.internal', 'router.home.arpa', 'box.lan'],
      ],
    ],
    [
      'public',
      [
        ...[
          'example.test',
          '8.8.8.8',
          '172.32.0.1',
          '172.15.0.1',
          '100.128.0.1',
          '192.169.0.1',
          '[2001:db8::1]',
        ],
        ...['local.example.test', '127.example.test', 'localhost.example.test'],
      ],
    ],
  ] as const)('%s', (nearness, hosts) => {
    for (const host of hosts) expect([host, nearnessOf(host)]).toEqual([host, nearness]);
  });
});
