import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { serve, type Served } from './serve.mjs';

/** What is worth packing. */
const LARGE = 'x'.repeat(5_000);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rota-serve-'));
  for (const build of ['one', 'two']) {
    mkdirSync(join(folder, build, 'assets'), { recursive: true });
    writeFileSync(join(folder, build, 'index.html'), `<p>${build}</p>`);
    writeFileSync(join(folder, build, 'assets/app.js'), `'${build}'`);
    for (const type of ['js', 'png']) writeFileSync(join(folder, build, `assets/large.${type}`), LARGE);
    writeFileSync(
      join(folder, build, '_headers'),
      `/*\n  X-Build: ${build}\n/assets/*\n  Cache-Control: kept\n`,
    );
    writeFileSync(join(folder, build, '.secret'), 'secret');
  }
  writeFileSync(join(folder, 'outside.txt'), 'outside');
  symlinkSync(join(folder, 'outside.txt'), join(folder, 'one/link.txt'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

let server: Served;
afterEach(() => server.close());
const serveOne = async (): Promise<void> => {
  server = await serve({ mounts: { '/': join(folder, 'one') } });
};

/** Sends a path as it is written: `fetch` would tidy `..` away before it leaves. */
function getRaw(path: string): Promise<{ status: number; body: string }> {
  return new Promise((done, failed) => {
    request({ host: '127.0.0.1', port: server.port, path }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => done({ status: response.statusCode ?? 0, body }));
    })
      .on('error', failed)
      .end();
  });
}

describe('the static server', () => {
  test('sends a file with its type and the headers that its folder asks for', async () => {
    await serveOne();
    const response = await fetch(`${server.origin}/assets/app.js?x=1`);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-build': 'one',
      'cache-control': 'kept',
    });
    expect(await response.text()).toBe("'one'");
  });

  test('answers both ways in which a browser may understand localhost', async () => {
    await serveOne();
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
    expect((await fetch(`${server.origin}/`)).status).toBe(200);
  });

  test('sends index.html for a folder, and 404 for what is not there', async () => {
    await serveOne();
    expect(await (await fetch(`${server.origin}/`)).text()).toBe('<p>one</p>');
    expect((await fetch(`${server.origin}/assets/`)).status).toBe(404);
    expect((await fetch(`${server.origin}/nothing`)).status).toBe(404);
  });

  test('answers 304 when the browser has the same content, and 200 after it changed', async () => {
    await serveOne();
    const etag = (await fetch(`${server.origin}/`)).headers.get('etag') ?? '';
    const again = { headers: { 'if-none-match': etag }, cache: 'no-store' } as const;
    expect((await fetch(`${server.origin}/`, again)).status).toBe(304);
    server.mount('/', join(folder, 'two'));
    expect((await fetch(`${server.origin}/`, again)).status).toBe(200);
  });

  test('packs what is large for who can unpack it, and no picture', async () => {
    await serveOne();
    const path = `${server.origin}/assets/large`;
    const packed = await fetch(`${path}.js`);
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toBe('accept-encoding');
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(100);
    expect(await packed.text()).toBe(LARGE);
    const plain = await fetch(`${path}.js`, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, LARGE]);
    // Whoever has it in either form is told that it did not change.
    for (const etag of [packed, plain].map(({ headers }) => headers.get('etag') ?? '')) {
      const again = await fetch(`${path}.js`, { headers: { 'if-none-match': etag }, cache: 'no-store' });
      expect(again.status).toBe(304);
    }
    expect((await fetch(`${path}.png`)).headers.get('content-encoding')).toBeNull();
  });

  test('serves several builds under one origin, each with its own headers relative to its path', async () => {
    server = await serve({ mounts: { '/a/': join(folder, 'one'), '/b/': join(folder, 'two') } });
    const [a, b] = await Promise.all([
      fetch(`${server.origin}/a/assets/app.js`),
      fetch(`${server.origin}/b/assets/app.js`),
    ]);
    expect([await a.text(), a.headers.get('x-build'), a.headers.get('cache-control')]).toEqual([
      "'one'",
      'one',
      'kept',
    ]);
    expect([await b.text(), b.headers.get('x-build')]).toEqual(["'two'", 'two']);
    expect((await fetch(`${server.origin}/`)).status).toBe(404);
  });

  test('sends a path without its last slash to the one with it, where relative addresses work', async () => {
    server = await serve({ mounts: { '/a/': join(folder, 'one') } });
    for (const path of ['/a', '/a/assets']) {
      const response = await fetch(`${server.origin}${path}?q=1`, { redirect: 'manual' });
      expect(response.status).toBe(301);
      expect(response.headers.get('location')).toBe(`${path}/?q=1`);
    }
  });

  test('shows the new build from the next request on when a mount is switched, as a deploy does', async () => {
    await serveOne();
    expect(await (await fetch(`${server.origin}/`)).text()).toBe('<p>one</p>');
    server.mount('/', join(folder, 'two'));
    expect(await (await fetch(`${server.origin}/`)).text()).toBe('<p>two</p>');
  });

  test.each([
    '/../outside.txt',
    '/assets/../../outside.txt',
    '/%2e%2e/outside.txt',
    '/..%2foutside.txt',
    '/..%5coutside.txt',
    '/link.txt',
    '/.secret',
    '/_headers',
    '/%00',
    '/%zz',
    '//etc/passwd',
  ])('gives nothing away for %s', async (path) => {
    await serveOne();
    const { status, body } = await getRaw(path);
    expect([400, 404]).toContain(status);
    expect(body).not.toMatch(/outside|secret|X-Build|root:/);
  });

  test('sends no body for HEAD, and refuses what would write', async () => {
    await serveOne();
    const head = await fetch(`${server.origin}/`, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '10']);
    expect((await fetch(`${server.origin}/`, { method: 'POST' })).status).toBe(405);
  });

  test('says so when the port is taken', async () => {
    await serveOne();
    await expect(serve({ mounts: { '/': folder }, port: server.port })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });
});
