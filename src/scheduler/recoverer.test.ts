import { expect, test } from 'vitest';
import { hostLock, leaseName } from '../domain/index.ts';
import { FakeBrowser, MONDAY, getting, posting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const URL_B = 'https://server.test/b';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const once = (after: number) => ({ kind: 'once', at: MONDAY + after }) as const;

test('a run whose host dies is ended by another at once, without a clock, and tried again by its rule', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  await a.calls.runNow({ id });
  await browser.quiet();
  a.kill();
  await browser.quiet();
  expect(browser.clock.now()).toBe(MONDAY);
  expect(await browser.runs()).toMatchObject([{ status: 'interrupted', retryAt: expect.any(Number) }]);
  await browser.advance(1_000);
  expect(await statuses(browser)).toEqual(['interrupted', 'running']);
  expect(browser.server.hits.map(({ host }) => host)).toEqual([a.id, b.id]);
});

test('of four hosts that see a death, one ends the run and the others find it ended', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const hosts = [await browser.start(), await browser.start(), await browser.start(), await browser.start()];
  const [a] = hosts;
  if (a === undefined) throw new Error('no host');
  const id = await save(a, getting(URL_A, { rules: { retry: { attempts: 1 } } }));
  await a.calls.runNow({ id });
  a.kill();
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['interrupted']);
  expect(hosts.flatMap(({ complaints }) => complaints)).toEqual([]);
});

test('a host in the middle of claiming ends the run of one that dies meanwhile, and not only after its round', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  // The first is on duty.
  const [b, a] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  await a.calls.runNow({ id });
  await save(b, getting(URL_B, { schedule: once(MINUTE) }));
  await browser.quiet();
  const claim = b.storage.holds('tryClaim');
  await browser.advance(MINUTE);
  await claim.reached;
  a.kill();
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['interrupted']);
  claim.release();
  await browser.advance(1_000);
  expect((await statuses(browser)).filter((status) => status === 'running')).toHaveLength(2);
});

test('the runs of a dead host are ended beside each other: none waits for the transaction of another', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  for (const url of [URL_A, URL_B]) await a.calls.runNow({ id: await save(a, getting(url)) });
  const recovery = b.storage.holds('recover');
  a.kill();
  await recovery.reached;
  await browser.quiet();
  expect([...(await statuses(browser))].sort()).toEqual(['interrupted', 'running']);
});

test('a run that was known when its host died is ended without being looked for first', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  await a.calls.runNow({ id: await save(a, getting(URL_A, { rules: { retry: { attempts: 1 } } })) });
  await browser.quiet();
  const looking = b.storage.holds('listActive');
  a.kill();
  await looking.reached;
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['interrupted']);
  looking.release();
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['interrupted']);
  expect(b.complaints).toEqual([]);
});

test('a host that never heard of the dead one recovers its run at the start', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const a = await browser.start();
  const id = await save(a, getting(URL_A));
  await a.calls.runNow({ id });
  a.kill();
  browser.server.takes(0);
  await browser.start();
  await browser.advance(2_000);
  expect(await statuses(browser)).toEqual(['interrupted', 'succeeded']);
});

test('an unrepeatable effect found dead while it was sent may have happened, and is not repeated', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const rules = { retry: { attempts: 3 } };
  const id = await save(a, getting(URL_A, { action: posting(URL_A), rules }));
  await a.calls.runNow({ id });
  await browser.quiet();
  expect(browser.server.hits).toHaveLength(1);
  a.kill();
  await browser.advance(HOUR);
  expect(browser.server.hits).toHaveLength(1);
  expect(await browser.runs()).toMatchObject([
    { status: 'interrupted', mayHaveHappened: true, effect: 'sending' },
  ]);
  expect((await b.calls.listAutomations({ view: 'needs-you' })).items).toHaveLength(1);
});

test('an unrepeatable run that died before its effect left is tried again by its rule', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start()];
  const rules = { retry: { attempts: 3 } };
  const id = await save(a, getting(URL_A, { action: posting(URL_A), rules }));
  const marking = a.storage.holds('markEffect');
  await a.calls.runNow({ id });
  await marking.reached;
  a.kill();
  await browser.advance(HOUR);
  expect(browser.server.hits).toHaveLength(1);
  expect(await statuses(browser)).toEqual(['interrupted', 'succeeded']);
});

test('a host that dies while its claim is under way leaves nothing, and another claims', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: once(MINUTE) }));
  await browser.quiet();
  const claim = a.storage.holds('tryClaim');
  await browser.advance(MINUTE - 1);
  browser.clock.step(1);
  await claim.reached;
  a.kill();
  await browser.advance(1_000);
  expect(browser.server.hits.map(({ host }) => host)).toEqual([b.id]);
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('a live host’s run is left alone whatever the clock says, until its deadline', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { rules: { timeoutMs: 10 * MINUTE } }));
  await a.calls.runNow({ id });
  browser.clock.jump(10 * MINUTE + 59_000);
  await browser.advance(0);
  await browser.hosts[1]?.host.tick();
  expect(await statuses(browser)).toEqual(['running']);
});

test('a hung host is fenced out: its automation runs under a new lease, and its own late settlement writes nothing', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { rules: { timeoutMs: 10_000, retry: { attempts: 1 } } }));
  const settling = a.storage.holds('settle');
  await a.calls.runNow({ id });
  await settling.reached;
  await browser.advance(10_000 + 60_000 + 31_000);
  expect(await statuses(browser)).toEqual(['timed-out']);
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(true);
  expect(await b.calls.runNow({ id })).toMatchObject({ kind: 'claimed' });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['timed-out', 'succeeded']);
  const before = await browser.runs();
  settling.release();
  await browser.quiet();
  expect(await browser.runs()).toEqual(before);
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(false);
  expect(a.complaints).toEqual([]);
});

test('a hung host that wakes finds its run ended and stops what it did', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { rules: { timeoutMs: HOUR, retry: { attempts: 1 } } }));
  await a.calls.runNow({ id });
  await browser.quiet();
  // Only b looks after the sleep; a is frozen until then.
  browser.clock.jump(2 * HOUR);
  await b.host.tick();
  expect(await statuses(browser)).toEqual(['timed-out']);
  await browser.quiet();
  expect(browser.server.open).toEqual([]);
});

test('a dead host’s run that cannot be read away does not keep others from being recovered, or anything from running', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const rules = { retry: { attempts: 1 } };
  const broken = await save(a, getting(URL_A, { rules }));
  const whole = await save(a, getting(URL_B, { rules }));
  await save(a, getting('https://server.test/c', { schedule: once(MINUTE) }));
  const answer = await a.calls.runNow({ id: broken });
  await a.calls.runNow({ id: whole });
  if (answer.kind !== 'claimed') throw new Error(answer.kind);
  b.storage.fails('recover', {
    error: new Error('newer'),
    when: ([request]) => JSON.stringify(request).includes(answer.run.id),
  });
  a.kill();
  await browser.quiet();
  expect((await browser.runs()).map(({ automationName, status }) => [automationName, status])).toEqual(
    expect.arrayContaining([
      [URL_A, 'running'],
      [URL_B, 'interrupted'],
    ]),
  );
  expect(b.host.trouble).toContain('newer');
  await browser.advance(MINUTE);
  expect(browser.server.hits.at(-1)).toMatchObject({ url: 'https://server.test/c', host: b.id });
  // It is asked for again, but not without a pause.
  expect(b.storage.calls.get('recover')).toBeLessThan(20);
});

test('where the lease of a dead host is freed a moment after its life-long lock, its run is still ended within a second', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { rules: { retry: { attempts: 1 } } }));
  await a.calls.runNow({ id });
  await browser.quiet();
  const lease = browser.locks.keepBehind(leaseName(id, 0));
  a.kill();
  await browser.quiet();
  expect(browser.locks.isHeld(hostLock(a.id))).toBe(false);
  expect(await statuses(browser)).toEqual(['running']);
  lease.free();
  await browser.advance(1_000);
  expect(await statuses(browser)).toEqual(['interrupted']);
});

test('each host waits for another’s lock once, however many of its runs it sees', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  for (let n = 0; n < 10; n++) {
    await a.calls.runNow({ id });
    await browser.quiet();
  }
  expect(browser.locks.waiting.filter(({ name }) => name === hostLock(a.id))).toHaveLength(1);
});
