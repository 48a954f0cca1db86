import { expect, test } from 'vitest';
import { DUTY_LOCK } from '../domain/index.ts';
import { STAND_BY_MS } from './courtesy.ts';
import { FakeBrowser, MONDAY, getting, posting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const MINUTE = 60_000;
const minutely = { kind: 'every', everyMs: MINUTE, anchor: MONDAY } as const;

/** Who sent each request, and when. */
const told = (browser: FakeBrowser) =>
  browser.server.hits.map(({ host, at }) => [browser.hosts.find(({ id }) => id === host)?.name, at - MONDAY]);

test('the host on duty takes what falls due, and the others spare themselves the claims', async () => {
  const browser = new FakeBrowser();
  const [a, b, c] = [await browser.start(), await browser.start(), await browser.start()];
  await save(c, getting(URL_A, { schedule: minutely }));
  await browser.advance(5 * MINUTE);
  expect(told(browser)).toEqual([1, 2, 3, 4, 5].map((minute) => ['A', minute * MINUTE]));
  expect([a, b, c].map(({ storage }) => storage.calls.get('tryClaim') ?? 0)).toEqual([5, 0, 0]);
});

test('what the host on duty leaves lying because it hangs is taken a second late by another, once', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: minutely, action: posting(URL_A) }));
  await browser.quiet();
  const hung = a.storage.holds('listDue');
  await browser.advance(2 * MINUTE + STAND_BY_MS);
  await hung.reached;
  expect(told(browser).map(([, at]) => at)).toEqual([MINUTE + STAND_BY_MS, 2 * MINUTE + STAND_BY_MS]);
  // It wakes in the middle of its round, and finds that nothing is left to do.
  hung.release();
  await browser.advance(1);
  expect(await statuses(browser)).toEqual(['succeeded', 'succeeded']);
  expect(browser.locks.isHeld(DUTY_LOCK)).toBe(true);
  await browser.advance(MINUTE - STAND_BY_MS);
  expect(told(browser).at(-1)).toEqual(['A', 3 * MINUTE]);
});

test('the duty of a host that dies passes to another at once, and what is due then is not a moment late', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  await save(b, getting(URL_A, { schedule: minutely }));
  await browser.advance(MINUTE - 1);
  a.kill();
  await browser.advance(1);
  expect(told(browser)).toEqual([['B', MINUTE]]);
});

test('a host that dies in the moment in which an occurrence falls due makes it late by no more than its death takes', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  await save(b, getting(URL_A, { schedule: minutely }));
  await browser.quiet();
  const claim = a.storage.holds('tryClaim');
  await browser.advance(MINUTE);
  await claim.reached;
  a.kill();
  await browser.quiet();
  expect(told(browser)).toEqual([['B', MINUTE]]);
});

test('a host that retires gives up the duty at once, not only when what it runs has finished', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  await a.calls.runNow({ id: await save(a, getting(URL_A)) });
  await save(b, getting('https://server.test/b', { schedule: minutely }));
  await browser.advance(MINUTE - 1_000);
  void a.host.retire();
  await browser.advance(1_000);
  expect(told(browser).at(-1)).toEqual(['B', MINUTE]);
  await answers.answer();
});

test('foreign code that steals the duty makes occurrences a second late, and nothing else', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: minutely, action: posting(URL_A) }));
  await browser.quiet();
  browser.locks.rob(DUTY_LOCK);
  await browser.advance(2 * MINUTE + STAND_BY_MS);
  expect(told(browser).map(([, at]) => at)).toEqual([MINUTE + STAND_BY_MS, 2 * MINUTE + STAND_BY_MS]);
  expect(await statuses(browser)).toEqual(['succeeded', 'succeeded']);
  expect([a, b].flatMap(({ complaints }) => complaints)).toEqual([]);
});

test('an older host leaves the duty to a newer one, and has it again when that one is gone', async () => {
  const browser = new FakeBrowser();
  const old = await browser.start();
  await save(old, getting(URL_A, { schedule: minutely }));
  const young = await browser.start({ build: 'two', builtAt: 1 });
  await browser.advance(MINUTE);
  young.kill();
  await browser.advance(MINUTE);
  expect(told(browser)).toEqual([
    ['B', MINUTE],
    ['A', 2 * MINUTE],
  ]);
});

test('nobody gives way to the newer host of a service worker, which is there for one event', async () => {
  const browser = new FakeBrowser();
  const lasting = await browser.start();
  await browser.start({ kind: 'service-worker', build: 'two', builtAt: 1 });
  expect(lasting.host.newerBuild).toBe(null);
  await save(lasting, getting(URL_A, { schedule: minutely }));
  await browser.advance(MINUTE);
  expect(told(browser)).toEqual([['A', MINUTE]]);
});
