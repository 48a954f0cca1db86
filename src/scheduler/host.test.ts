import { expect, test } from 'vitest';
import { type TabId, hostLock } from '../domain/index.ts';
import { StorageUnavailable } from '../store/index.ts';
import { FakeBrowser, MONDAY, getting, posting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const HOUR = 3_600_000;
const hourly = { kind: 'every', everyMs: HOUR, anchor: MONDAY } as const;
const greeting = { tabId: '00000000-0000-4000-8000-000000000001' as TabId, build: 'one', protocol: 1 };
const USUALLY = 'this browser is usually closed or asleep then';
const once = (after: number) => ({ kind: 'once', at: MONDAY + after }) as const;

test('the start-up tick ends what a dead host left, accounts for what was missed and claims what is due', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const first = await browser.start();
  await save(first, getting(URL_A, { schedule: hourly }));
  await browser.advance(HOUR);
  first.kill();
  browser.clock.jump(4 * HOUR);

  browser.server.takes(0);
  await browser.start();
  await browser.advance(1);
  const rows = (await browser.runs()).map((row) => [row.status, (row.scheduledFor - MONDAY) / HOUR]);
  expect(rows).toEqual([
    ['interrupted', 1],
    ['missed', 4],
    ['succeeded', 5],
  ]);
  expect((await browser.runs())[1]).toMatchObject({ reason: 'closed', covers: { count: 3 } });
});

test('the trace of hosts tells sleep from a closed browser, also to a host that came later', async () => {
  const browser = new FakeBrowser();
  const first = await browser.start();
  await browser.advance(HOUR);
  browser.clock.jump(2 * HOUR);
  await browser.advance(60_000);
  first.kill();
  browser.clock.jump(5 * HOUR);
  const second = await browser.start();
  await browser.advance(60_000);
  const { items, knownFrom } = await second.calls.listGaps();
  expect(knownFrom).toBe(MONDAY);
  expect(items.map(({ why, from, until }) => [why, Math.round((until - from) / HOUR)])).toEqual([
    ['asleep', 2],
    ['closed', 5],
  ]);
  expect((await second.calls.listGaps({ from: MONDAY + 4 * HOUR })).items).toHaveLength(1);
});

test('a preview says at which of its instants this browser is usually closed', async () => {
  const browser = new FakeBrowser();
  let host = await browser.start();
  for (let day = 0; day < 4; day += 1) {
    await browser.advance(2 * HOUR);
    host.kill();
    browser.clock.jump(22 * HOUR);
    host = await browser.start();
  }
  await browser.advance(60_000);
  const schedule = { kind: 'every', everyMs: HOUR, anchor: MONDAY } as const;
  const preview = await host.calls.preview({ schedule, count: 4 });
  const remarks = preview.kind === 'ok' ? preview.at.map(({ remark }) => remark ?? '') : [];
  expect(remarks).toEqual(['', '', USUALLY, USUALLY]);
});

test('a host holds its lock before it answers hello', async () => {
  const browser = new FakeBrowser();
  const host = browser.open();
  const tab = browser.openTab(host);
  await tab;
  expect(browser.locks.isHeld(hostLock(host.id))).toBe(true);
});

test('two hosts that start together tell each other who they are, and come to rest', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [browser.open(), browser.open({ build: 'two', builtAt: 1 })];
  await browser.quiet();
  expect(a.host.peers.map(({ host }) => host.id)).toEqual([b.id]);
  expect(b.host.peers.map(({ host }) => host.id)).toEqual([a.id]);
  expect([a.host.newerBuild, b.host.newerBuild]).toEqual(['two', null]);
  expect(browser.posted).toBeLessThan(20);
});

test('a dead host is forgotten by the others at once', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start({ build: 'two', builtAt: 1 })];
  expect((await a.calls.status()).hosts.map(({ hostId }) => hostId)).toEqual([a.id, b.id]);
  b.kill();
  await browser.quiet();
  expect((await a.calls.status()).hosts.map(({ hostId }) => hostId)).toEqual([a.id]);
  expect(a.host.newerBuild).toBe(null);
});

test('tabs count for as long as they are open', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const [one] = [await browser.openTab(host), await browser.openTab(host)];
  expect((await host.calls.status()).tabs).toBe(2);
  one.close();
  await browser.quiet();
  expect((await host.calls.status()).tabs).toBe(1);
});

test('an older host leaves what is due to a newer one, and takes it up again when that one is gone', async () => {
  const browser = new FakeBrowser();
  const old = await browser.start();
  const young = await browser.start({ build: 'two', builtAt: 1 });
  await save(old, getting(URL_A, { schedule: hourly }));
  await browser.advance(3 * HOUR);
  expect(browser.server.hits.map(({ host }) => host)).toEqual([young.id, young.id, young.id]);
  young.kill();
  await browser.advance(HOUR);
  expect(browser.server.hits.at(-1)).toMatchObject({ host: old.id, at: MONDAY + 4 * HOUR });
});

test('what a newer host in a frozen tab leaves lying is taken by the older one', async () => {
  const browser = new FakeBrowser();
  const old = await browser.start();
  const young = await browser.start({ build: 'two', builtAt: 1, kind: 'tab-worker' });
  await save(old, getting(URL_A, { schedule: once(60_000) }));
  await browser.quiet();
  young.storage.holds('listActive');
  await browser.advance(60_000 + 61_000);
  expect(browser.server.hits.map(({ host }) => host)).toEqual([old.id]);
});

test('hints go out after what they tell of is stored', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const settling = a.storage.holds('settle');
  const id = await save(a, getting(URL_A));
  await browser.quiet();
  await a.calls.runNow({ id });
  await settling.reached;
  await browser.quiet();
  const before = b.heard.filter(({ topic }) => topic === 'runs').length;
  await browser.quiet();
  expect(b.heard.filter(({ topic }) => topic === 'runs')).toHaveLength(before);
  settling.release();
  await browser.quiet();
  expect(b.heard.filter(({ topic }) => topic === 'runs').length).toBeGreaterThan(before);
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('lost hints only delay: another host sees a new automation on its next tick', async () => {
  const browser = new FakeBrowser();
  browser.loses = () => true;
  const [a, b] = [await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: once(100_000) }));
  await browser.quiet();
  a.kill();
  await browser.advance(100_000);
  expect(browser.server.hits.map(({ host, at }) => [host, at - MONDAY])).toEqual([[b.id, 100_000]]);
});

test('a round that fails is repeated within seconds, says so, and says when all is well again', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const tab = await browser.openTab(host);
  await save(host, getting(URL_A, { schedule: once(60_000) }));
  await browser.quiet();
  await browser.advance(59_000);
  host.storage.fails('listDue');
  await browser.advance(2_500);
  expect(host.host.trouble).toContain('The browser has no room left');
  expect(browser.server.hits).toEqual([]);
  host.storage.works();
  const before = tab.heard.length;
  await browser.advance(4_000);
  expect(browser.server.hits).toHaveLength(1);
  expect(host.host.trouble).toBe(null);
  expect(tab.heard.slice(before).map(({ topic }) => topic)).toContain('hosts');
});

test('storage that fails for long is asked ever more rarely, and the alarm is never lost', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.storage.fails('any');
  await host.host.tick();
  await browser.advance(600_000);
  const asked = host.storage.calls.get('listDue') ?? 0;
  expect(asked).toBeGreaterThan(20);
  expect(asked).toBeLessThan(40);
});

test('an automation that can never be claimed does not keep the others from running', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const broken = await save(host, getting(URL_A, { schedule: once(60_000) }));
  await save(host, getting('https://server.test/b', { schedule: once(60_000) }));
  host.storage.fails('tryClaim', {
    error: new Error('no plan'),
    when: ([request]) => JSON.stringify(request).includes(broken),
  });
  await browser.advance(60_000);
  expect(browser.server.hits.map(({ url }) => url)).toEqual(['https://server.test/b']);
  expect(host.host.trouble).toContain('no plan');
});

test('a host that cannot open its database says why, and ends so that the next call starts another', async () => {
  const browser = new FakeBrowser();
  const host = browser.open({ refuses: new StorageUnavailable('blocked', 'An older tab keeps it open.') });
  await expect(host.calls.hello(greeting)).rejects.toThrow('An older tab keeps it open.');
  await expect(host.calls.status()).rejects.toThrow('An older tab keeps it open.');
  expect(host.exited).toBe(false);
  await browser.advance(1_000);
  expect(host.exited).toBe(true);
  expect(browser.locks.held).toEqual([]);
});

test('what is due at the start is claimed before the agenda is looked through', async () => {
  const browser = new FakeBrowser();
  const first = await browser.start();
  await save(first, getting(URL_A, { schedule: once(60_000) }));
  first.kill();
  browser.clock.jump(60_000);
  const host = browser.open();
  const { reached, release } = host.storage.holds('repairAgenda');
  await reached;
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  release();
  await browser.quiet();
  expect(host.host.trouble).toBe(null);
});

test('an agenda that cannot be looked through at the start is told of, keeps nothing from running, and is tried again', async () => {
  const browser = new FakeBrowser();
  const first = await browser.start();
  await save(first, getting(URL_A, { schedule: once(60_000) }));
  first.kill();
  browser.clock.jump(60_000);
  const host = browser.open();
  host.storage.fails('repairAgenda');
  await browser.quiet();
  expect(host.host.trouble).toContain('could not be looked through');
  expect(await statuses(browser)).toEqual(['succeeded']);
  host.storage.works();
  await browser.advance(30_000);
  expect(host.host.trouble).toBe(null);
  const calls = host.storage.calls.get('repairAgenda');
  await browser.advance(60_000);
  expect(host.storage.calls.get('repairAgenda')).toBe(calls);
});

test('a database that takes long to open is told as such, long before the tab would think the host dead', async () => {
  const browser = new FakeBrowser();
  const host = browser.open({ opensAfter: 20_000 });
  const hello = host.calls.hello(greeting);
  const told = expect(hello).rejects.toThrow('not opened the database yet');
  await browser.advance(2_500);
  await told;
  await browser.advance(20_000);
  await expect(host.calls.hello(greeting)).resolves.toMatchObject({ host: { id: host.id } });
});

test('a lost connection ends the host at once, and what it ran is taken over by the next', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  host.ledgerEvents?.onLost();
  await browser.advance(0);
  expect(host.exited).toBe(true);
  await browser.start();
  expect(await statuses(browser)).toEqual(['interrupted']);
  await browser.advance(1_000);
  await answers.answer();
  await answers.answer();
  expect(await statuses(browser)).toEqual(['interrupted', 'succeeded']);
});

test('a newer version of the database waits for what runs, but not for ever', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  host.ledgerEvents?.onVersionChange();
  await browser.advance(9_999);
  expect(host.exited).toBe(false);
  await browser.advance(1);
  expect(host.exited).toBe(true);
  // It has ended what it could not finish, and not left that to whoever comes.
  expect(await statuses(browser)).toEqual(['interrupted']);
});

test('a build that changes the database gets it as soon as what the older one runs has finished', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const host = await browser.start();
  const tab = await browser.openTab(host);
  await host.calls.runNow({ id: await save(host, getting(URL_A)) });
  await save(host, getting('https://server.test/b', { schedule: once(1_000) }));
  await browser.quiet();
  const upgrade = browser.upgrade();
  await browser.advance(2_000);
  // It takes nothing new on, and turns tabs away, which then say why.
  expect(browser.server.hits).toHaveLength(1);
  await expect(host.calls.hello({ ...greeting, tabId: tab.id })).rejects.toMatchObject({ name: 'Retired' });
  expect(upgrade.isDone()).toBe(false);
  await answers.answer();
  await browser.quiet();
  expect([host.exited, upgrade.isDone()]).toEqual([true, true]);
  // The next host of the old build cannot read it any more, and says so.
  const late = browser.open();
  await expect(late.calls.hello(greeting)).rejects.toMatchObject({ code: 'newer-database' });
  expect(await upgrade.statuses()).toEqual(['succeeded']);
});

test('a host that an older build keeps from the database says so, and not that the browser is slow', async () => {
  const browser = new FakeBrowser();
  const host = browser.open({ opensAfter: 20_000, isBlocked: true });
  const told = expect(host.calls.hello(greeting)).rejects.toMatchObject({ code: 'blocked' });
  await browser.advance(2_500);
  await told;
});

test('an older host stays for the tabs that it serves, and goes when the last of them is closed and nothing runs', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const old = await browser.start();
  const tab = await browser.openTab(old);
  const young = await browser.start({ build: 'two', builtAt: 1 });
  const id = await save(old, getting(URL_A));
  await old.calls.runNow({ id });
  await browser.advance(60_000);
  expect(await old.calls.getAutomation(id)).toMatchObject({ id });
  tab.close();
  await browser.advance(60_000);
  expect(old.exited).toBe(false);
  await answers.answer();
  expect(old.exited).toBe(true);
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect((await young.calls.status()).hosts.map(({ hostId }) => hostId)).toEqual([young.id]);
});

test('what a newer version wrote is shown and not changed, run or dropped, and its neighbours go on', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { name: 'Newer', schedule: once(60_000) }));
  const other = await save(host, getting('https://server.test/b', { schedule: once(60_000) }));
  await browser.rewrite('automations', id, (row) => ({ ...row, schema: 999, from: 'the future' }));
  const { items } = await host.calls.listAutomations();
  expect(items.find((item) => item.id === id)).toMatchObject({ name: 'Newer', readOnly: 'newer-data' });
  const newer = { name: 'NewerData' };
  await expect(host.calls.saveAutomation({ id, automation: getting(URL_A) })).rejects.toMatchObject(newer);
  await expect(host.calls.setEnabled({ ids: [id], enabled: false })).rejects.toMatchObject(newer);
  await expect(host.calls.removeAutomation({ id })).rejects.toMatchObject(newer);
  await expect(host.calls.runNow({ id })).rejects.toMatchObject(newer);
  await browser.advance(120_000);
  expect(browser.server.hits.map(({ url }) => url)).toEqual(['https://server.test/b']);
  expect((await browser.runs()).map(({ automationId }) => automationId)).toEqual([other]);
  expect(await browser.row('automations', id)).toMatchObject({ schema: 999, from: 'the future' });
});

test('a restart lets what runs finish, claims nothing meanwhile, and then ends the host', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await save(host, getting('https://server.test/b', { schedule: once(1_000) }));
  await host.calls.runNow({ id });
  expect(await host.calls.restartEngine()).toEqual({ kind: 'restarting' });
  await browser.advance(2_000);
  expect(host.exited).toBe(false);
  await answers.answer();
  expect(host.exited).toBe(true);
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.server.hits).toHaveLength(1);
});

test('a restart waits for three seconds and no longer; the next host ends what was left', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  await host.calls.restartEngine();
  await browser.advance(2_999);
  expect(host.exited).toBe(false);
  await browser.advance(1);
  expect(host.exited).toBe(true);
  await browser.start();
  expect(await statuses(browser)).toEqual(['interrupted']);
});

test('a claim that is under way when the host retires runs to its end', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(500);
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: once(1_000), action: posting(URL_A) }));
  await save(host, getting('https://server.test/b', { schedule: once(1_001) }));
  await browser.quiet();
  const claim = host.storage.holds('tryClaim');
  await browser.advance(1_001);
  await claim.reached;
  void host.host.retire(10_000);
  await browser.advance(100);
  claim.release();
  await browser.advance(1_000);
  expect(host.exited).toBe(true);
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('a host that retires turns tabs and commands away, so that they ask the next one', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  void host.host.retire(5_000);
  await expect(host.calls.hello(greeting)).rejects.toMatchObject({ name: 'Retired' });
  await expect(host.calls.runNow({ id })).rejects.toMatchObject({ name: 'Retired' });
  await expect(host.calls.getAutomation(id)).resolves.toMatchObject({ id });
});

test('a host that is stopped before it has started closes the database that it opens after all', async () => {
  const browser = new FakeBrowser();
  const host = browser.open({ opensAfter: 1_000 });
  await host.calls.restartEngine();
  await browser.advance(0);
  expect(host.exited).toBe(true);
  expect(host.complaints).toEqual([]);
});

test('an idle host wakes every 30 s and writes nothing', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start()];
  const before = { listDue: a.storage.calls.get('listDue') ?? 0, posted: browser.posted };
  await browser.advance(600_000);
  expect(a.storage.calls.get('listDue')).toBe(before.listDue + 20);
  expect(browser.posted).toBe(before.posted);
});
