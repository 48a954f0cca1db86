import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { headersFor, metaPolicy, parseHeaders } from './headers.mjs';

describe('a _headers file', () => {
  test('gives a path the headers of every rule that matches it, names in lower case', () => {
    const rules = parseHeaders('/*\n  X-One: 1\n/assets/*\n  X-Two: a: b\n');
    expect(headersFor(rules, '/')).toEqual({ 'x-one': '1' });
    expect(headersFor(rules, '/assets/x.js')).toEqual({ 'x-one': '1', 'x-two': 'a: b' });
  });

  test('joins the values of a header that two rules give', () => {
    const rules = parseHeaders('/*\n  Vary: A\n/x\n  vary: B\n');
    expect(headersFor(rules, '/x')).toEqual({ vary: 'A, B' });
  });

  test('matches a star with any rest, a :name with one segment, and a dot with a dot', () => {
    const rules = parseHeaders('/a/:id/c\n  X-A: 1\n/file.js\n  X-B: 1\n');
    expect(headersFor(rules, '/a/b/c')).toEqual({ 'x-a': '1' });
    expect(headersFor(rules, '/a/b/b/c')).toEqual({});
    expect(headersFor(rules, '/fileXjs')).toEqual({});
  });

  test('passes over comments, empty lines and Windows line ends', () => {
    expect(parseHeaders('# one\r\n\r\n/x\r\n  # two\r\n  X-A: 1\r\n')).toEqual([
      { path: '/x', headers: [['x-a', '1']] },
    ]);
  });

  test.each([
    ['a header before any path', '  X-A: 1\n', 'line 1'],
    ['a line that is neither', '/x\nnonsense\n', 'line 2'],
    ['a header without a value', '/x\n  X-A:\n', 'line 2'],
  ])('refuses %s and names the line', (_what, text, line) => {
    expect(() => parseHeaders(text)).toThrow(line);
  });
});

test('a policy in a page leaves out what only a header may say', () => {
  expect(
    metaPolicy("default-src 'none'; frame-ancestors 'none'; report-uri /x; sandbox; img-src 'self'"),
  ).toBe("default-src 'none'; img-src 'self'");
});

describe("Rota's own headers", () => {
  const rules = parseHeaders(readFileSync(new URL('../public/_headers', import.meta.url), 'utf8'));

  test.each(['/', '/index.html', '/assets/index-x.js', '/service-worker.js'])(
    'send one strict policy with %s',
    (path) => {
      const directives = headersFor(rules, path)['content-security-policy']?.split('; ') ?? [];
      expect(directives).toContain("default-src 'none'");
      expect(directives).toContain("script-src 'self' 'wasm-unsafe-eval'");
      expect(directives).toContain("require-trusted-types-for 'script'");
      expect(directives.join()).not.toMatch(/unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')|\*/);
    },
  );

  test('keep for ever what is named by its content, and ask again for all that is not', () => {
    expect(headersFor(rules, '/assets/index-x.js')['cache-control']).toMatch(/immutable/);
    for (const path of [
      '/',
      '/index.html',
      '/service-worker.js',
      '/manifest.webmanifest',
      '/favicon.svg',
      '/third-party-notices.txt',
    ])
      expect(headersFor(rules, path)['cache-control']).toBe('no-cache');
  });
});
