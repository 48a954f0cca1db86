/** A server on the local network, asked from a page of the internet: only a person can let Rota reach it. */
import { expect, test } from 'vitest';
import { FakeBrowser, type FakeHost, MONDAY, getting, save } from './fake-world.testing.ts';

const NAS = 'http://nas.local:8080/status';
const MINUTE = 60_000;
const minutely = { kind: 'every', everyMs: MINUTE, anchor: MONDAY } as const;

/** The browser refuses what is not allowed at once, as Chromium does to a worker. */
function guard(browser: FakeBrowser, host: FakeHost): void {
  const { respond } = browser.server;
  browser.server.respond = (hit) =>
    hit.url.includes('nas.local') && host.localNetwork !== 'granted'
      ? Promise.reject(new TypeError('Failed to fetch'))
      : respond(hit);
}

test.each(['prompt', 'denied'] as const)(
  'with the permission %s a row stays due and says what it waits for, and runs once it is granted',
  async (permission) => {
    const browser = new FakeBrowser();
    const host = await browser.start();
    host.localNetwork = permission;
    guard(browser, host);
    const id = await save(host, getting(NAS, { schedule: minutely }));
    await browser.advance(2.5 * MINUTE);
    expect(await browser.runs()).toEqual([]);
    expect((await host.calls.getAutomation(id))?.waitingFor).toBe('local-network');
    // Only the harmless look, and not at each round.
    expect(
      browser.server.hits.every(({ method, url }) => method === 'HEAD' && url === 'http://nas.local:8080/'),
    ).toBe(true);
    expect(browser.server.hits.length).toBeLessThan(6);
    host.localNetwork = 'granted';
    await browser.advance(2_000);
    const runs = await browser.runs();
    expect(runs.find(({ status }) => status === 'succeeded')).toMatchObject({
      scheduledFor: MONDAY + 2 * MINUTE,
    });
    expect(runs.find(({ status }) => status === 'missed')).toMatchObject({
      reason: 'waiting',
      covers: { from: MONDAY + MINUTE, count: 1 },
    });
  },
);

test('by hand it waits too, and says so', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.localNetwork = 'prompt';
  guard(browser, host);
  const id = await save(host, getting('http://127.0.0.1:11434/', { schedule: { kind: 'manual' } }));
  browser.server.respond = () => Promise.reject(new TypeError('Failed to fetch'));
  expect(await host.calls.runNow({ id })).toEqual({ kind: 'waiting', for: 'loopback-network' });
});

test('a server that answers without the permission is asked: the page comes from that network itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.localNetwork = 'prompt';
  await save(host, getting(NAS, { schedule: minutely }));
  await browser.advance(2.5 * MINUTE);
  expect((await browser.runs()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
  expect(browser.server.hits.filter(({ method }) => method === 'HEAD')).toHaveLength(1);
});

test('a server that takes its time has not been refused, and keeps nobody waiting', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.localNetwork = 'prompt';
  browser.server.takes(5_000);
  await save(host, getting(NAS, { schedule: minutely }));
  await save(host, getting('https://server.test/', { schedule: minutely }));
  await browser.advance(MINUTE + 8_000);
  expect((await browser.runs()).map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
});

test('a browser without such a permission is not asked, and neither are servers elsewhere', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(NAS, { schedule: minutely }));
  await browser.advance(MINUTE + 2_000);
  host.localNetwork = 'denied';
  await save(host, getting('https://server.test/', { schedule: minutely }));
  expect(browser.server.hits.map(({ method }) => method)).toEqual(['GET']);
});
