import { expect, test } from 'vitest';
import { leaseName } from '../domain/index.ts';
import { FakeBrowser, MONDAY, getting, posting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const URL_B = 'https://server.test/b';
const MINUTE = 60_000;
const minutely = { kind: 'every', everyMs: MINUTE, anchor: MONDAY } as const;

test('the lease is held until the settlement is stored, and a competitor is denied until then', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  const settling = a.storage.holds('settle');
  await a.calls.runNow({ id });
  await settling.reached;
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(true);
  expect(await b.calls.runNow({ id })).toMatchObject({ kind: 'already-active' });
  expect(browser.server.hits).toHaveLength(1);
  settling.release();
  await browser.quiet();
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(false);
  expect(await b.calls.runNow({ id })).toMatchObject({ kind: 'claimed' });
  await browser.quiet();
  expect(browser.server.hits).toHaveLength(2);
});

test('a timeout ends its own run and no other', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const slow = await save(host, getting(URL_A, { rules: { timeoutMs: 10 * MINUTE } }));
  const fast = await save(host, getting(URL_B, { rules: { timeoutMs: MINUTE, retry: { attempts: 1 } } }));
  await host.calls.runNow({ id: slow });
  await host.calls.runNow({ id: fast });
  await browser.advance(MINUTE);
  expect(await browser.runs()).toMatchObject([
    { automationId: slow, status: 'running' },
    { automationId: fast, status: 'timed-out', settledAt: MONDAY + MINUTE },
  ]);
});

test('the timeout of a run that ended in time does not end the next run of its automation', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { rules: { timeoutMs: MINUTE } }));
  await host.calls.runNow({ id });
  await browser.advance(MINUTE - 1);
  await answers.answer();
  await host.calls.runNow({ id });
  await browser.advance(MINUTE - 1);
  expect(await statuses(browser)).toEqual(['succeeded', 'running']);
});

test('an action that ignores its signal does not hold its run or its lease past the timeout', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  browser.server.hearsAborts = false;
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { rules: { timeoutMs: MINUTE, retry: { attempts: 1 } } }));
  await host.calls.runNow({ id });
  await browser.advance(MINUTE);
  expect(await statuses(browser)).toEqual(['timed-out']);
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(false);
});

test('an action that fails long after its run has ended is nobody’s unhandled rejection', async () => {
  const browser = new FakeBrowser();
  let fail: (error: Error) => void = () => undefined;
  browser.server.respond = () => new Promise((_, reject) => (fail = reject));
  browser.server.hearsAborts = false;
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { rules: { timeoutMs: MINUTE, retry: { attempts: 1 } } }));
  await host.calls.runNow({ id });
  await browser.advance(MINUTE);
  fail(new TypeError('Failed to fetch'));
  await browser.advance(MINUTE);
  expect(await statuses(browser)).toEqual(['timed-out']);
});

test('a person cancels a run at any host, and it ends at once', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  const answer = await a.calls.runNow({ id });
  if (answer.kind !== 'claimed') throw new Error(answer.kind);
  expect(await b.calls.cancelRun({ runId: answer.run.id })).toEqual({ kind: 'cancelling' });
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'cancelled', reason: 'person' }]);
  expect(browser.server.open).toEqual([]);
  expect(await b.calls.cancelRun({ runId: answer.run.id })).toMatchObject({ kind: 'too-late' });
});

test('a cancel whose hint is lost is seen on the next tick', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  const answer = await a.calls.runNow({ id });
  if (answer.kind !== 'claimed') throw new Error(answer.kind);
  browser.loses = () => true;
  await b.calls.cancelRun({ runId: answer.run.id });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['running']);
  await browser.advance(30_000);
  expect(await statuses(browser)).toEqual(['cancelled']);
});

test('a cancel while the run settles changes nothing: it ended by itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  const settling = host.storage.holds('settle');
  const answer = await host.calls.runNow({ id });
  if (answer.kind !== 'claimed') throw new Error(answer.kind);
  await settling.reached;
  expect(await host.calls.cancelRun({ runId: answer.run.id })).toEqual({ kind: 'cancelling' });
  settling.release();
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(host.complaints).toEqual([]);
});

test('a run that is claimed while the active ones are looked at is not taken for one that somebody ended', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const [first, second] = [await save(host, getting(URL_A)), await save(host, getting(URL_B))];
  await host.calls.runNow({ id: first });
  await browser.quiet();
  // The look is answered with what was there before the claim.
  const look = host.storage.answersLate('listActive');
  const [run] = await browser.runs();
  if (run === undefined) throw new Error('no run');
  const checked = host.calls.cancelRun({ runId: run.id });
  await look.reached;
  await host.calls.runNow({ id: second });
  look.release();
  await checked;
  await browser.quiet();
  expect((await browser.runs()).map(({ automationName, status }) => [automationName, status])).toEqual([
    [URL_A, 'cancelled'],
    [URL_B, 'running'],
  ]);
  expect(browser.server.open.map(({ url }) => url)).toEqual([URL_B]);
});

test('removing an automation cancels its run', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  await a.calls.runNow({ id });
  await b.calls.removeAutomation({ id });
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'cancelled', automationName: URL_A }]);
});

test('a settlement is tried again while storage fails, with the lease held, and nothing is shown as stored', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  a.storage.fails('settle', { times: 8 });
  await a.calls.runNow({ id });
  await browser.advance(6_000);
  expect(await statuses(browser)).toEqual(['running']);
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(true);
  expect(await b.calls.runNow({ id })).toMatchObject({ kind: 'already-active' });
  expect((await a.calls.status()).trouble).toBe(
    'The result of a run cannot be stored yet, and it is tried again. The browser has no room left for what Rota stores: ' +
      'free some disk space, or let this site store more.',
  );
  await browser.advance(1_000);
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect((await a.calls.status()).trouble).toBe(null);
  expect(browser.locks.isHeld(leaseName(id, 0))).toBe(false);
  // 25, 50, 100 … ms: eight failures take 6.4 s.
  expect(a.storage.calls.get('settle')).toBe(9);
});

test('a run that cannot be settled for two minutes is given up loudly and ended by whoever looks next', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { action: posting(URL_A) }));
  a.storage.fails('settle');
  await a.calls.runNow({ id });
  await browser.advance(3 * MINUTE);
  expect(a.complaints.map(({ message }) => message)).toContain(
    'A run could not be settled; it is left to recovery.',
  );
  expect(await browser.runs()).toMatchObject([{ status: 'interrupted', mayHaveHappened: true }]);
  expect(b.complaints).toEqual([]);
});

test('with one host alone, a run that it could not settle does not stay active for ever', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  host.storage.fails('settle');
  await host.calls.runNow({ id });
  await browser.advance(3 * MINUTE);
  const [row] = await browser.runs();
  expect(row).toMatchObject({ status: 'interrupted' });
  expect((await host.calls.status()).active.filter(({ id: run }) => run === row?.id)).toEqual([]);
});

test('an unrepeatable effect is marked before it leaves, and does not leave when the mark is refused', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { action: posting(URL_A) }));
  const marking = host.storage.holds('markEffect');
  await host.calls.runNow({ id });
  await marking.reached;
  expect(browser.server.hits).toEqual([]);
  // Someone else ends the run meanwhile.
  const [run] = await browser.runs();
  if (run?.status !== 'running') throw new Error('not running');
  await (
    await host.host.ready
  ).ledger.recover({
    runId: run.id,
    fence: run.fence,
    proof: 'lease-granted',
    now: browser.clock.now(),
    chance: 0,
  });
  marking.release();
  await browser.quiet();
  expect(browser.server.hits).toEqual([]);
  expect(await statuses(browser)).toEqual(['interrupted']);
  expect(host.complaints).toEqual([]);
});

test('an effect that cannot be marked does not leave, fails for want of storage, and is tried again by its rule', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const rules = { retry: { attempts: 2 } };
  const id = await save(host, getting(URL_A, { action: posting(URL_A), rules }));
  host.storage.fails('markEffect', { times: 1 });
  await host.calls.runNow({ id });
  await browser.quiet();
  expect(browser.server.hits).toEqual([]);
  expect(await browser.runs()).toMatchObject([{ status: 'failed', reason: 'storage' }]);
  expect(host.complaints).toEqual([]);
  await browser.advance(MINUTE);
  expect(await statuses(browser)).toEqual(['failed', 'succeeded']);
});

test('an effect that has arrived is no failure because that could not be marked: the settlement says so', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { action: posting(URL_A) }));
  host.storage.fails('markEffect', { when: ([request]) => JSON.stringify(request).includes('"sent"') });
  await host.calls.runNow({ id });
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'succeeded' }]);
});

test('a run that failed is tried again by its rule, and the row says when', async () => {
  const browser = new FakeBrowser();
  browser.server.respond = () =>
    Promise.resolve(new Response(null, { status: browser.server.hits.length < 3 ? 500 : 204 }));
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  await browser.advance(MINUTE);
  expect(await browser.runs()).toMatchObject([
    { status: 'failed', attempt: 1, retryAt: expect.any(Number) },
    { status: 'failed', attempt: 2, retryAt: expect.any(Number) },
    { status: 'succeeded', attempt: 3 },
  ]);
});

test('a retry that a dead host left in the agenda is run by another host on time', async () => {
  const browser = new FakeBrowser();
  browser.server.respond = () =>
    Promise.resolve(new Response(null, { status: browser.server.hits.length < 2 ? 500 : 204 }));
  const [a] = [await browser.start(), await browser.start()];
  const rules = { retry: { attempts: 2, firstDelayMs: 20_000 } };
  const id = await save(a, getting(URL_A, { rules }));
  browser.loses = () => true;
  await a.calls.runNow({ id });
  await browser.quiet();
  a.kill();
  await browser.advance(20_000);
  expect(await statuses(browser)).toEqual(['failed', 'succeeded']);
});

test('a host that goes stops what it ran before it lets go: nothing leaves after that', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: minutely }));
  await host.calls.runNow({ id });
  void host.host.retire(1_000);
  await browser.advance(1_000);
  expect(browser.server.open).toEqual([]);
  expect(await statuses(browser)).toEqual(['interrupted']);
});
