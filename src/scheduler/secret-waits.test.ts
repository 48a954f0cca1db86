import { expect, test } from 'vitest';
import { FakeBrowser, MONDAY, getting, save, statuses } from './fake-world.testing.ts';

const ORIGIN = 'https://server.test';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const once = { kind: 'once', at: MONDAY + MINUTE } as const;
const keyed = (schedule: Parameters<typeof getting>[1]) =>
  getting(`${ORIGIN}/?key={{ secrets.API_KEY }}`, schedule);
const secret = { name: 'API_KEY', value: 'sesame-1234-open', origins: [ORIGIN] };

test('what names a secret that is not stored is not claimed, says what it waits for, and runs when it is there', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, keyed({ schedule: once }));
  await browser.advance(MINUTE + 10_000);
  expect(await browser.runs()).toEqual([]);
  expect(host.storage.calls.get('tryClaim')).toBe(undefined);
  const waits = { for: 'secret', secret: 'API_KEY' };
  expect((await host.calls.status()).waiting).toMatchObject([{ automationId: id, ...waits }]);
  const view = { waitingFor: 'secret', waitingForSecret: 'API_KEY' };
  expect(await host.calls.getAutomation(id)).toMatchObject(view);
  const asking = await host.calls.listAutomations({ view: 'needs-you' });
  expect(asking).toMatchObject({ items: [view], counts: { 'needs-you': 1 } });

  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([`${ORIGIN}/?key=sesame-1234-open`]);
  expect((await host.calls.listAutomations()).counts['needs-you']).toBe(0);
});

test('it waits for one secret after the other, each by its name', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const url = `${ORIGIN}/{{ secrets.API_KEY }}/{{ secrets.OTHER }}`;
  const id = await save(host, getting(url, { schedule: once }));
  await browser.advance(2 * MINUTE);
  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await host.calls.getAutomation(id)).toMatchObject({ waitingForSecret: 'OTHER' });
  await host.calls.saveSecret({ ...secret, name: 'OTHER' });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('Run now without the secret is kept, says what it waits for, and runs once it is stored through another host', async () => {
  const browser = new FakeBrowser();
  const [host, other] = [await browser.start(), await browser.start()];
  const id = await save(host, keyed({}));
  expect(await host.calls.runNow({ id })).toEqual({ kind: 'waiting', for: 'secret', secret: 'API_KEY' });
  await browser.quiet();
  await other.calls.saveSecret(secret);
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'succeeded', cause: 'manual' }]);
});

test('a retry waits too, and what falls due meanwhile follows the rule for missed runs', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await host.calls.saveSecret(secret);
  await save(host, keyed({ schedule: { kind: 'every', everyMs: HOUR, anchor: MONDAY } }));
  await host.calls.removeSecret({ name: 'API_KEY' });
  await browser.advance(3 * HOUR + 1_000);
  expect(await browser.runs()).toEqual([]);
  await host.calls.saveSecret(secret);
  await browser.quiet();
  const rows = await browser.runs();
  expect(rows.map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / HOUR])).toEqual([
    ['missed', 2],
    ['succeeded', 3],
  ]);
  expect(rows[0]).toMatchObject({ reason: 'waiting', covers: { count: 2 } });
});

test('a secret that is removed while a failed run waits for its retry keeps the retry waiting', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await host.calls.saveSecret(secret);
  browser.server.respond = () => Promise.resolve(new Response('', { status: 500 }));
  const id = await save(host, keyed({ rules: { retry: { attempts: 2, firstDelayMs: 1_000, factor: 1 } } }));
  await host.calls.runNow({ id });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['failed']);
  await host.calls.removeSecret({ name: 'API_KEY' });
  await browser.advance(MINUTE);
  expect(await host.calls.getAutomation(id)).toMatchObject({ waitingForSecret: 'API_KEY' });
  browser.server.respond = () => Promise.resolve(new Response(''));
  await host.calls.saveSecret(secret);
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ attempt: 1 }, { attempt: 2, status: 'succeeded' }]);
});

test('one that waits keeps no other from running', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, keyed({ schedule: once }));
  await save(host, getting(`${ORIGIN}/plain`, { schedule: once }));
  await browser.advance(MINUTE);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([`${ORIGIN}/plain`]);
});
