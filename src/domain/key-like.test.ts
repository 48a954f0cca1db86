import { expect, test } from 'vitest';
import { findKeys, withoutKeys } from './key-like.ts';

const http = (rest: object): object => ({ kind: 'http', method: 'POST', url: 'https://api.test/', ...rest });
const of = (action: object): readonly string[] => findKeys(action).map(({ path }) => path.join('.'));

test.each<[string, object, string]>([
  ['a bearer token', { headers: { Authorization: 'Bearer abcdef123456' } }, 'headers.Authorization'],
  ['a login', { headers: { authorization: 'Basic dXNlcjpwYXNz' } }, 'headers.authorization'],
  ['an API key by its header', { headers: { 'X-API-Key': '0123456789' } }, 'headers.X-API-Key'],
  ['a parameter', { url: 'https://api.test/?q=1&api_key=0123456789' }, 'url'],
  ['a form', { body: 'user=me&password=hunter2hunter2' }, 'body'],
  ['a value in JSON', { body: '{"access_token": "0123456789"}' }, 'body'],
  ['a model’s key', { endpoint: { apiKey: 'local-0123456789' } }, 'endpoint.apiKey'],
  ['an issuer’s mark in a prompt', { prompt: `Use sk-${'a1'.repeat(12)} please` }, 'prompt'],
  ['an issuer’s mark in a script', { source: `const key = 'ghp_${'a1'.repeat(18)}'` }, 'source'],
  ['a private key', { body: '-----BEGIN RSA PRIVATE KEY-----\nMII' }, 'body'],
  [
    'one in a list',
    { tools: { servers: [{ headers: { Token: '0123456789' } }] } },
    'tools.servers.0.headers.Token',
  ],
])('%s is found, its place is named, and it can be taken out', (_what, rest, path) => {
  expect(of(http(rest))).toEqual([path]);
  const without = withoutKeys(http(rest)) as object;
  expect(JSON.stringify(without)).toContain('{{ secrets.TAKEN_OUT_1 }}');
  expect(of(without)).toEqual([]);
});

test.each<[string, object]>([
  ['a secret named in a template', { headers: { Authorization: 'Bearer {{ secrets.API_KEY }}' } }],
  ['a secret in a parameter', { url: 'https://api.test/?api_key={{ secrets.API_KEY }}' }],
  ['a secret as a model’s key', { endpoint: { apiKey: '{{ secrets.OPENAI_KEY }}' } }],
  ['an ordinary header', { headers: { Accept: 'application/json', 'X-Request': '0123456789abcdef' } }],
  ['an ordinary address', { url: 'https://api.test/tokens?page=2&sort=newest-first' }],
  ['a prompt about keys', { prompt: 'Write about the token, the password and the API key of a bank.' }],
  ['a key too short to be one', { headers: { 'X-API-Key': 'demo' } }],
])('%s is none', (_what, rest) => {
  expect(of(http(rest))).toEqual([]);
});

test('what is taken out leaves all around it, and the same key has the same name', () => {
  const key = `sk-${'a1'.repeat(12)}`;
  const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIabc+/=\n-----END RSA PRIVATE KEY-----';
  expect(
    withoutKeys({
      headers: { Authorization: 'Bearer abcdef123456', Accept: 'text/plain' },
      url: 'https://api.test/?q=1&api_key=0123456789&page=2#top',
      prompts: [`Use ${key}, not ${key}`, `${pem} is all`],
      retries: 2,
    }),
  ).toEqual({
    headers: { Authorization: 'Bearer {{ secrets.TAKEN_OUT_1 }}', Accept: 'text/plain' },
    url: 'https://api.test/?q=1&api_key={{ secrets.TAKEN_OUT_2 }}&page=2#top',
    prompts: [
      'Use {{ secrets.TAKEN_OUT_3 }}, not {{ secrets.TAKEN_OUT_3 }}',
      '{{ secrets.TAKEN_OUT_4 }} is all',
    ],
    retries: 2,
  });
});

// Each of these has made a pattern look at the whole rest again and again, which would take hours here.
test('long texts are read in one go, whatever is in them', () => {
  for (const part of ['sk-', 'eyJaaaaaaaa.', '-----BEGIN A ', '&api_key=', '"a":"', 'Bearer ', 'a'])
    findKeys(http({ body: part.repeat(1_000_000 / part.length) }));
});
