import { describe, expect, test } from 'vitest';
import { actionSchema, isRepeatable } from './action.ts';
import { parseWith } from './problem.ts';

const http = (fields: object) =>
  parseWith(actionSchema, { kind: 'http', url: 'https://example.test/', ...fields });
const problemsOf = (fields: object) => {
  const parsed = http(fields);
  return parsed.kind === 'invalid' ? parsed.problems : [];
};

describe('a request', () => {
  test.each([
    ...[
      'Cookie',
      'cookie',
      'Host',
      'Content-Length',
      'Origin',
      'Referer',
      'User-Agent',
      'Date',
      'Set-Cookie',
    ],
    ...[
      'Proxy-Authorization',
      'Sec-Fetch-Mode',
      'Accept-Encoding',
      'Connection',
      'TE',
      'Access-Control-Request-Method',
    ],
  ])('with the header %s is refused: a browser would drop it without a word', (name) => {
    expect(problemsOf({ headers: { [name]: 'x' } })).toEqual([
      {
        path: /-/.test(name) ? `headers["${name}"]` : `headers.${name}`,
        message: `Browsers do not let a page set the header ${name}.`,
      },
    ]);
  });

  test.each(['Authorization', 'Accept', 'X-Sec', 'Proxied', 'Content-Type', 'Range', 'Hostess'])(
    'with the header %s is fine',
    (name) => {
      expect(problemsOf({ headers: { [name]: 'x' } })).toEqual([]);
    },
  );

  test.each([
    ['X-HTTP-Method-Override', 'TRACE', false],
    ['x-method-override', 'get, track', false],
    ['X-HTTP-Method', 'PATCH', true],
  ])('that overrides its method by %s: %s is fine: %s', (name, value, isFine) => {
    expect(problemsOf({ method: 'POST', headers: { [name]: value } }).length === 0).toBe(isFine);
  });

  test('with one header twice is refused, whatever the case', () => {
    expect(problemsOf({ headers: { 'X-A': '1', 'x-a': '2' } })).toEqual([
      { path: 'headers["x-a"]', message: 'x-a and X-A are the same header.' },
    ]);
  });

  test.each(['GET', 'HEAD'])('with %s has no body', (method) => {
    expect(problemsOf({ method, body: '' })).toEqual([
      { path: 'body', message: `A ${method} request has no body.` },
    ]);
    expect(problemsOf({ method: 'POST', body: '' })).toEqual([]);
  });

  test('that only asks whether something answers expects nothing but a time, and sends nothing along', () => {
    expect(problemsOf({ reachability: true, expect: { withinMs: 500 } })).toEqual([]);
    const fields = { method: 'POST', headers: { Accept: 'text/plain' }, idempotencyKey: true };
    const expectations = { status: [200], text: { contains: 'ok' }, json: [{ path: '$.ok' }] };
    expect(problemsOf({ reachability: true, ...fields, expect: expectations })).toEqual([
      { path: 'method', message: 'A reachability check is a GET.' },
      { path: 'headers.Accept', message: 'A reachability check sends no headers; remove Accept.' },
      { path: 'idempotencyKey', message: 'A reachability check sends no headers; switch the key off.' },
      ...(
        [
          ['status', 'the status'],
          ['text', 'the text'],
          ['json', 'the JSON'],
        ] as const
      ).map(([key, what]) => ({
        path: `expect.${key}`,
        message: `A reachability check cannot read ${what} of the answer; of what is expected it can only hold withinMs.`,
      })),
    ]);
    expect(problemsOf({ reachability: false })).toMatchObject([{ path: 'reachability' }]);
  });

  test("has one idempotency key: Rota's or the person's", () => {
    expect(
      problemsOf({ method: 'POST', idempotencyKey: true, headers: { 'idempotency-key': 'mine' } }),
    ).toEqual([
      {
        path: 'headers["idempotency-key"]',
        message: 'Rota sets idempotency-key itself; remove it or switch the key off.',
      },
    ]);
    expect(problemsOf({ method: 'POST', headers: { 'idempotency-key': 'mine' } })).toEqual([]);
  });

  test.each(['a\r\nb', 'a\nX-Injected: 1', 'a\0b'])('with the header value %j is refused', (value) => {
    expect(problemsOf({ headers: { 'X-A': value } })).toEqual([
      { path: 'headers["X-A"]', message: 'A header value must be a single line.' },
    ]);
  });

  test.each([
    ['ftp://example.test/', false],
    ['example.test', false],
    ['http:///x', false],
    ['https://user@example.test/', false],
    ['https://exa mple.test/', false],
    ['javascript:alert(1)', false],
    ['https://example.test', true],
    ['HTTP://[::1]:8080/x?y#z', true],
    ['https://example.test/{{ run.id }} and more', true],
    ['{{ "https://example.test" }}', true],
    ['x{{ run.id }}', false],
  ])('to %s is fine: %s', (url, isFine) => {
    expect(problemsOf({ url }).length === 0).toBe(isFine);
  });

  test('of an unknown kind names the kinds there are', () => {
    expect(parseWith(actionSchema, { kind: 'dance' })).toEqual({
      kind: 'invalid',
      problems: [
        {
          path: 'kind',
          message: 'The action is one of "http", "watch", "prompt", "remind", "script" and "steps".',
        },
      ],
    });
  });
});

describe('repeating', () => {
  test.each([
    [{ method: 'GET' }, true],
    [{ method: 'HEAD' }, true],
    [{ method: 'OPTIONS' }, false],
    [{ method: 'POST' }, false],
    [{ method: 'PUT' }, false],
    [{ method: 'DELETE' }, false],
    [{ method: 'POST', idempotencyKey: true }, true],
    [{ method: 'POST', repeatable: true }, true],
  ])('%j is safe: %s', (fields, isSafe) => {
    const parsed = http(fields);
    expect(parsed.kind === 'ok' && isRepeatable(parsed.value)).toBe(isSafe);
  });
});
