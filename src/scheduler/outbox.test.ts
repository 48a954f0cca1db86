import { expect, test } from 'vitest';
import { type TabId, tabLock } from '../domain/index.ts';
import { NOTIFIER_LOCK } from '../rpc/index.ts';
import { FakeBrowser, type FakeHost, MONDAY, save } from './fake-world.testing.ts';

const tea = {
  name: 'Tea',
  schedule: { kind: 'once', at: MONDAY + 60_000 },
  action: { kind: 'remind', message: 'The tea is ready.' },
} as const;

/** A host that stopped with a reminder settled and not shown, and can be killed there. */
async function stoppedBeforeShowing(): Promise<{ readonly browser: FakeBrowser; readonly first: FakeHost }> {
  const browser = new FakeBrowser();
  const first = await browser.start();
  await save(first, tea);
  await browser.quiet();
  first.storage.holds('listOutbox');
  await browser.advance(60_000);
  return { browser, first };
}

test('with no tab open the host shows a reminder itself, once, however many hosts there are', async () => {
  const browser = new FakeBrowser();
  const hosts = [await browser.start(), await browser.start(), await browser.start()];
  await save(hosts[0] ?? (await browser.start()), tea);
  await browser.advance(120_000);
  expect(hosts.flatMap(({ shown }) => shown.map(({ body }) => body))).toEqual(['The tea is ready.']);
});

test('with a tab open the host asks the tabs, after the settlement, and shows nothing itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const tab = await browser.openTab(host);
  await save(host, tea);
  await browser.advance(60_000);
  expect(tab.heard.map(({ topic }) => topic)).toContain('notifications');
  expect(host.shown).toEqual([]);
  const { items } = await host.calls.listShowings();
  expect(items).toMatchObject([{ title: 'Tea', body: 'The tea is ready.' }]);
  await host.calls.confirmNotification({ id: items[0]?.id ?? '' });
  expect((await host.calls.listShowings()).items).toEqual([]);
});

test('a reminder that died with its host before it was shown is shown by the next', async () => {
  const { browser, first } = await stoppedBeforeShowing();
  first.kill();
  const second = await browser.start();
  expect(second.shown.map(({ body }) => body)).toEqual(['The tea is ready.']);
});

test('a host that was just started leaves what waits to a tab that has yet to say hello to it', async () => {
  const { browser, first } = await stoppedBeforeShowing();
  const tab = {};
  void browser.locks.request(tab, tabLock('tab' as TabId), {}, () => new Promise<never>(() => undefined));
  first.kill();
  const second = await browser.start();
  await browser.advance(5_000);
  expect(second.shown).toEqual([]);
  browser.locks.free(tab);
  await browser.advance(5_000);
  expect(second.shown.map(({ body }) => body)).toEqual(['The tea is ready.']);
});

test('what tabs do not show though they were asked again and again, as frozen ones, the host shows itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await browser.openTab(host);
  await save(host, tea);
  await browser.advance(70_000);
  expect(host.shown).toEqual([]);
  await browser.advance(20_000);
  expect(host.shown.map(({ body }) => body)).toEqual(['The tea is ready.']);
  expect((await host.calls.listShowings()).items).toEqual([]);
});

test('what this host cannot show waits for a window, and another round tries again', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.mayShow = false;
  await save(host, tea);
  await browser.advance(60_000);
  expect((await host.calls.listShowings()).items).toHaveLength(1);
  const tab = await browser.openTab(host);
  expect(tab.heard.map(({ topic }) => topic)).toContain('notifications');
});

test('while a window shows what is pending, the host does not', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, tea);
  void browser.locks.request({}, NOTIFIER_LOCK, {}, () => new Promise<never>(() => undefined));
  await browser.advance(60_000);
  expect(host.shown).toEqual([]);
});

test('tabs that have not shown what waits are asked again, ever more rarely, and no longer once they have', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.mayShow = false;
  const tab = await browser.openTab(host);
  await save(host, tea);
  await browser.advance(60_000);
  const asked = (): number => tab.heard.filter(({ topic }) => topic === 'notifications').length;
  const first = asked();
  await browser.advance(5_000);
  expect(asked()).toBeGreaterThan(first);
  await browser.advance(600_000);
  expect(asked()).toBeLessThan(40);
  const { items } = await host.calls.listShowings();
  await host.calls.confirmNotification({ id: items[0]?.id ?? '' });
  const last = asked();
  await browser.advance(600_000);
  expect(asked()).toBe(last);
});

/** Automations that fail at the same time, each on a site of its own. */
async function failTogether(host: FakeHost, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) {
    await save(host, {
      name: `Check ${n}`,
      schedule: { kind: 'once', at: MONDAY + 60_000 },
      action: { kind: 'http', url: `https://site-${n}.com/` },
      rules: { retry: { attempts: 1 } },
    });
  }
}

test('many that fail together are one notification, and the list has each of them', async () => {
  const browser = new FakeBrowser();
  const hosts = [await browser.start(), await browser.start()];
  const [host] = hosts;
  if (host === undefined) throw new Error('there are two');
  browser.server.respond = () => Promise.resolve(new Response(null, { status: 500 }));
  await failTogether(host, 5);
  await browser.advance(120_000);
  expect(hosts.flatMap(({ shown }) => shown.map(({ title, hash }) => [title, hash]))).toEqual([
    ['5 automations failed', '#/?view=needs-you'],
  ]);
  const { items, unread } = await host.calls.listNotifications();
  expect(unread).toBe(5);
  expect(items.map(({ state, others }) => [state, others])).toEqual(
    Array.from({ length: 5 }, () => ['shown', 4]),
  );
  const [first] = items;
  if (first === undefined) throw new Error('there are five');
  expect(await host.calls.readNotifications({ runId: first.runId })).toEqual({ kind: 'done', count: 1 });
  expect((await host.calls.listNotifications({ limit: 1 })).unread).toBe(4);
});

test('quiet hours hold back what comes in them until they end', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const quiet = { from: '00:00', until: '00:10', timeZone: 'UTC', held: 'digest' } as const;
  expect(await host.calls.saveSettings({ settings: { quiet } })).toMatchObject({ settings: { quiet } });
  expect(await host.calls.saveSettings({ settings: { quiet: { ...quiet, until: '00:00' } } })).toMatchObject({
    kind: 'invalid',
    problems: [{ path: 'quiet.until' }],
  });
  await save(host, tea);
  await browser.advance(300_000);
  expect(host.shown).toEqual([]);
  expect((await host.calls.listNotifications()).items).toMatchObject([{ state: 'quiet-hours' }]);
  await browser.advance(300_000);
  expect(host.shown.map(({ body }) => body)).toEqual(['The tea is ready.']);
});
