import { expect, test } from 'vitest';
import { StorageUnavailable } from '../store/index.ts';
import { CLAIMS_FOR_MS, FINISHES_FOR_MS, attend } from './attend.ts';
import {
  FakeBrowser,
  type FakeHost,
  MONDAY,
  getting,
  posting,
  save,
  statuses,
} from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const HOUR = 3_600_000;
const hourly = { kind: 'every', everyMs: HOUR, anchor: MONDAY } as const;

/** A service worker is woken: its host, and whether its event may end. */
function wake(browser: FakeBrowser, options: Parameters<FakeBrowser['open']>[0] = {}) {
  const host = browser.open({ kind: 'service-worker', ...options });
  const state = { host, isOver: false };
  void attend(host.host, host.world).then(() => (state.isOver = true));
  return state;
}

/** A browser in which `definitions` were saved and every page was then closed. */
async function closed(...definitions: readonly Parameters<typeof save>[1][]): Promise<FakeBrowser> {
  const browser = new FakeBrowser();
  const page = await browser.start();
  for (const definition of definitions) await save(page, definition);
  await browser.quiet();
  page.kill();
  return browser;
}

const isGone = (host: FakeHost): boolean => host.exited && !host.alive;

test('with every page closed it ends what was left, accounts for what was missed, runs what is due, and goes', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const page = await browser.start();
  await save(page, getting(URL_A, { schedule: hourly }));
  await browser.advance(HOUR);
  page.kill();
  browser.clock.jump(4 * HOUR);

  browser.server.takes(2_000);
  const { host } = wake(browser);
  await browser.advance(2_500);
  expect((await browser.runs()).map((row) => [row.status, (row.scheduledFor - MONDAY) / HOUR])).toEqual([
    ['interrupted', 1],
    ['missed', 4],
    ['succeeded', 5],
  ]);
  expect((await browser.runs()).at(-1)).toMatchObject({ host: { id: host.id, kind: 'service-worker' } });
  await browser.advance(CLAIMS_FOR_MS);
  expect(isGone(host)).toBe(true);
  expect(browser.locks.held).toEqual([]);
  expect(host.complaints).toEqual([]);
});

test('with nothing to do it goes at once', async () => {
  const browser = await closed(getting(URL_A, { schedule: hourly }));
  const woken = wake(browser);
  await browser.quiet();
  expect(isGone(woken.host)).toBe(true);
  expect(browser.locks.held).toEqual([]);
});

test('beside a host that stays, what is due is run once', async () => {
  const browser = new FakeBrowser();
  const page = await browser.start();
  await save(page, getting(URL_A, { schedule: hourly, action: posting(URL_A) }));
  await browser.advance(HOUR - 10);
  const woken = wake(browser);
  await browser.advance(10 + CLAIMS_FOR_MS);
  expect(browser.server.hits.map(({ host, at }) => [host, at - MONDAY])).toEqual([[page.id, HOUR]]);
  expect(isGone(woken.host)).toBe(true);
});

test('it waits for the retry of what fails under its eyes', async () => {
  const browser = await closed(
    getting(URL_A, { schedule: hourly, rules: { retry: { attempts: 2, firstDelayMs: 1_000, factor: 1 } } }),
  );
  browser.clock.jump(HOUR);
  browser.server.respond = () =>
    Promise.resolve(new Response(null, { status: browser.server.hits.length === 1 ? 500 : 204 }));
  const woken = wake(browser);
  await browser.advance(10_000);
  expect(await statuses(browser)).toEqual(['failed', 'succeeded']);
  expect(isGone(woken.host)).toBe(true);
});

test('what takes too long is ended as interrupted before the browser ends the worker, and it lets everything go', async () => {
  const rules = { timeoutMs: HOUR };
  const browser = await closed(getting(URL_A, { schedule: hourly, rules }));
  browser.clock.jump(HOUR);
  browser.server.holds();
  const woken = wake(browser);
  await browser.advance(CLAIMS_FOR_MS + FINISHES_FOR_MS - 1);
  expect([woken.isOver, await statuses(browser)]).toEqual([false, ['running']]);
  await browser.advance(1);
  expect(isGone(woken.host)).toBe(true);
  expect(await statuses(browser)).toEqual(['interrupted']);
  expect(browser.server.open).toEqual([]);
  expect(browser.locks.held).toEqual([]);
});

test('an automation that is due all the time does not keep it for longer than it may claim', async () => {
  const browser = await closed(
    getting(URL_A, { schedule: { kind: 'every', everyMs: 1_000, anchor: MONDAY } }),
  );
  const woken = wake(browser);
  await browser.advance(CLAIMS_FOR_MS + 1_000);
  expect(isGone(woken.host)).toBe(true);
  expect(browser.server.hits.length).toBeGreaterThan(25);
});

test('without a database it goes, and what was due is left to the next', async () => {
  const browser = await closed(getting(URL_A, { schedule: hourly }));
  browser.clock.jump(HOUR);
  const woken = wake(browser, { refuses: new StorageUnavailable('blocked', 'An older tab keeps it open.') });
  await browser.advance(1_000);
  expect(isGone(woken.host)).toBe(true);
  expect(await statuses(browser)).toEqual([]);
  expect(browser.locks.held).toEqual([]);
});
