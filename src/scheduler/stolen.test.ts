/** Locks that code which is none of Rota's takes with `steal`: what they stood for is not proven any more. */
import { expect, test } from 'vitest';
import { hostLock, leaseName } from '../domain/index.ts';
import { FakeBrowser, type FakeHost, getting, posting, save } from './fake-world.testing.ts';

const URL_A = 'https://api.test/a';

const statuses = async (browser: FakeBrowser): Promise<readonly string[]> =>
  (await browser.runs()).map(({ status }) => status);

const complaints = (...hosts: readonly FakeHost[]): readonly unknown[] =>
  hosts.flatMap((host) => host.complaints);

test('a host whose lease is stolen stops what it did under it, and writes nothing of it', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { action: posting(URL_A) }));
  await a.calls.runNow({ id });
  await expect.poll(() => browser.server.open).toHaveLength(1);
  const thief = browser.locks.rob(leaseName(id, 0));
  await browser.quiet();
  expect(browser.server.open).toEqual([]);
  expect(await statuses(browser)).toEqual(['running']);
  // Who has the lease may be running it too, for all that anybody knows.
  expect(await b.calls.runNow({ id })).toMatchObject({ kind: 'already-active' });
  await answers.answer();
  expect(await statuses(browser)).toEqual(['running']);

  thief.free();
  await b.host.tick();
  expect(await browser.runs()).toMatchObject([{ status: 'interrupted', mayHaveHappened: true }]);
  expect(browser.server.hits).toHaveLength(1);
  expect(complaints(a, b)).toEqual([]);
});

test('with one host alone, a run whose lease was stolen is ended and tried again when the lease is free', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  const thief = browser.locks.rob(leaseName(id, 0));
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['running']);
  thief.free();
  // Nobody tells it that the lease is free, and it does not wait for its next look.
  await browser.quiet();
  expect(await statuses(browser)).toContain('interrupted');
  await browser.advance(60_000);
  expect(await browser.runs()).toMatchObject([
    { status: 'interrupted', attempt: 1 },
    { status: 'running', attempt: 2 },
  ]);
  expect(complaints(host)).toEqual([]);
});

test('a lease that is stolen while the run settles is too late to matter: the fence decides', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  const settling = host.storage.holds('settle');
  await host.calls.runNow({ id });
  await settling.reached;
  browser.locks.rob(leaseName(id, 0));
  settling.release();
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(complaints(host)).toEqual([]);
});

test('a host that is robbed of the lock that says that it lives goes, and the next one ends what it ran', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  await a.calls.runNow({ id });
  const thief = browser.locks.rob(hostLock(a.id));
  await browser.advance(1);
  expect(a.exited).toBe(true);
  thief.free();
  await browser.quiet();
  expect((await browser.runs())[0]).toMatchObject({ status: 'interrupted' });
  expect(complaints(a, b)).toEqual([]);
});
