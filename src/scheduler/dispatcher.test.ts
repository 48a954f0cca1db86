import { expect, test } from 'vitest';
import { leaseName } from '../domain/index.ts';
import { STAND_BY_MS } from './courtesy.ts';
import { FakeBrowser, MONDAY, getting, posting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const URL_B = 'https://server.test/b';
const URL_C = 'https://server.test/c';
const MINUTE = 60_000;
const HOUR = 3_600_000;
const hourly = { kind: 'every', everyMs: HOUR, anchor: MONDAY } as const;
const minutely = { kind: 'every', everyMs: MINUTE, anchor: MONDAY } as const;
const once = (after: number) => ({ kind: 'once', at: MONDAY + after }) as const;

test('two hosts with twenty due occurrences make twenty runs and twenty requests', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start()];
  await a.calls.saveSettings({ settings: { maxConcurrent: 50 } });
  for (let n = 0; n < 20; n++) await save(a, getting(`https://server.test/${n}`, { schedule: once(MINUTE) }));
  await browser.advance(MINUTE);
  expect(new Set(browser.server.hits.map(({ url }) => url)).size).toBe(20);
  expect(browser.server.hits).toHaveLength(20);
  expect(await statuses(browser)).toEqual(Array.from({ length: 20 }, () => 'succeeded'));
});

test('hosts that are told of a run tell nobody else: hints die out', async () => {
  const browser = new FakeBrowser();
  const [a] = [await browser.start(), await browser.start(), await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A));
  await browser.quiet();
  const before = browser.posted;
  await a.calls.runNow({ id });
  await browser.quiet();
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.posted - before).toBeLessThanOrEqual(4);
});

test('hosts that both see an occurrence wait for the run before it do not answer each other for ever', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const [a] = [await browser.start(), await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: minutely, rules: { overlap: { kind: 'queue' } } }));
  await browser.advance(2 * MINUTE);
  const before = browser.posted;
  await browser.advance(2 * MINUTE);
  expect(browser.posted - before).toBeLessThan(20);
  expect((await a.calls.status()).waiting).toMatchObject([{ for: 'previous-run' }]);
  await answers.answer();
  // Of the three that fell due meanwhile the latest runs, the others are accounted for.
  expect(browser.server.hits).toHaveLength(2);
  expect(
    (await browser.runs()).map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / MINUTE]),
  ).toEqual([
    ['succeeded', 1],
    ['skipped', 3],
    ['running', 4],
  ]);
});

test('with the rule skip, an occurrence that falls due during a run is skipped and says why', async () => {
  const browser = new FakeBrowser();
  const answers = browser.server.holds();
  const [a] = [await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: minutely }));
  await browser.advance(2 * MINUTE);
  await answers.answer();
  await browser.advance(MINUTE);
  const rows = (await browser.runs()).map((row) => [row.status, (row.scheduledFor - MONDAY) / MINUTE]);
  expect(rows).toEqual([
    ['succeeded', 1],
    ['skipped', 2],
    ['running', 3],
  ]);
  expect((await browser.runs())[1]).toMatchObject({ reason: 'overlap' });
});

test('with the rule queue, the occurrence that waited runs as soon as the run before it has settled', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(90_000);
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: minutely, rules: { overlap: { kind: 'queue' } } }));
  await browser.advance(3 * MINUTE);
  expect(browser.server.hits.map(({ at }) => at - MONDAY)).toEqual([MINUTE, MINUTE + 90_000]);
  expect(browser.server.most.get(URL_A)).toBe(1);
});

test.each([['its own host', 1] as const, ['another host', 2] as const])(
  'with the rule replace, the run is ended at once, by %s, and the next one takes its place',
  async (_, hosts) => {
    const browser = new FakeBrowser();
    browser.server.holds();
    for (let n = 0; n < hosts; n++) await browser.start();
    const [a] = browser.hosts;
    if (a === undefined) throw new Error('no host');
    await save(a, getting(URL_A, { schedule: minutely, rules: { overlap: { kind: 'replace' } } }));
    await browser.advance(2 * MINUTE - 1);
    // The host on duty, which runs the first occurrence, does not see the second; the other stands by.
    if (hosts === 2) a.storage.fails('listDue', { times: 5 });
    const late = hosts === 2 ? STAND_BY_MS : 0;
    await browser.advance(1 + late);
    expect(browser.server.hits.map(({ at }) => at - MONDAY)).toEqual([MINUTE, 2 * MINUTE + late]);
    expect(browser.server.most.get(URL_A)).toBe(1);
    expect(await browser.runs()).toMatchObject([
      { status: 'cancelled', reason: 'replaced' },
      { status: 'running' },
    ]);
  },
);

test('an automation that may run side by side does so, over two hosts, up to its limit', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(150_000);
  const [a] = [await browser.start(), await browser.start()];
  await save(a, getting(URL_A, { schedule: minutely, rules: { overlap: { kind: 'parallel', limit: 2 } } }));
  await browser.advance(4 * MINUTE);
  expect(browser.server.most.get(URL_A)).toBe(2);
  expect(await statuses(browser)).toEqual(['succeeded', 'running', 'skipped', 'running']);
});

test('every missed occurrence that is wanted runs, one after the other', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(1_000);
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: hourly, rules: { missed: { kind: 'all', limit: 100 } } }));
  host.kill();
  browser.clock.jump(5 * HOUR);
  await browser.start();
  await browser.advance(MINUTE);
  expect(
    (await browser.runs()).map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / HOUR]),
  ).toEqual([
    ['succeeded', 1],
    ['succeeded', 2],
    ['succeeded', 3],
    ['succeeded', 4],
    ['succeeded', 5],
  ]);
  expect(browser.server.most.get(URL_A)).toBe(1);
});

test('offline, a row stays due, nothing is written, and the status says that it waits for the network', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: hourly }));
  host.setOnline(false);
  const tab = await browser.openTab(host);
  await browser.advance(HOUR);
  expect(await browser.runs()).toEqual([]);
  expect(host.storage.calls.get('tryClaim')).toBe(undefined);
  expect((await host.calls.status()).waiting).toMatchObject([{ automationId: id, for: 'network' }]);
  expect((await host.calls.getAutomation(id))?.waitingFor).toBe('network');
  expect(tab.heard.map(({ topic }) => topic)).toContain('hosts');
});

test('however much begins to wait at once, the tabs are told once', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const tab = await browser.openTab(host);
  for (let n = 0; n < 20; n++)
    await save(host, getting(`https://server.test/${n}`, { schedule: once(MINUTE) }));
  await browser.quiet();
  host.setOnline(false);
  const before = tab.heard.length;
  await browser.advance(MINUTE + 10_000);
  expect(tab.heard.slice(before).map(({ topic }) => topic)).toEqual(['hosts']);
});

test('back online, it is claimed at once, and what was missed meanwhile says that it was offline', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: minutely }));
  host.setOnline(false);
  await browser.advance(3 * MINUTE + 1_000);
  host.setOnline(true);
  await browser.quiet();
  const rows = await browser.runs();
  expect(rows.map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / MINUTE])).toEqual([
    ['missed', 2],
    ['succeeded', 3],
  ]);
  expect(rows[0]).toMatchObject({ reason: 'offline', covers: { count: 2 } });
});

test('back online while the lease is busy, what was missed still says that it was offline', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: minutely }));
  host.setOnline(false);
  await browser.advance(3 * MINUTE);
  let release: () => void = () => undefined;
  const busy = new Promise<void>((resolve) => {
    release = resolve;
  });
  void browser.locks.request({}, leaseName(id, 0), {}, () => busy);
  await browser.quiet();
  host.setOnline(true);
  await browser.advance(50);
  release();
  await browser.advance(1_000);
  expect((await browser.runs())[0]).toMatchObject({ status: 'missed', reason: 'offline' });
  expect(browser.server.hits).toHaveLength(1);
});

test('where no event tells that the network is back, the host finds out by itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: hourly }));
  host.online = false;
  await browser.advance(HOUR);
  expect(browser.server.hits).toEqual([]);
  host.online = true;
  await browser.advance(2_000);
  expect(browser.server.hits).toHaveLength(1);
});

test('what needs no network runs offline', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.setOnline(false);
  await save(host, getting('http://localhost:11434/api', { schedule: hourly }));
  await browser.advance(HOUR);
  expect(browser.server.hits).toHaveLength(1);
});

test('a reminder without permission waits, is shown when there is permission, and is late rather than lost', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  host.mayNotify = false;
  await save(host, {
    name: 'Tea',
    schedule: { kind: 'once', at: MONDAY + MINUTE },
    action: { kind: 'remind', message: 'The tea is ready.' },
  });
  await browser.advance(2 * MINUTE);
  expect(await browser.runs()).toEqual([]);
  expect((await host.calls.status()).waiting).toMatchObject([{ for: 'notification-permission' }]);
  host.mayNotify = true;
  await browser.advance(30_000);
  expect(await browser.runs()).toMatchObject([{ status: 'succeeded', latenessMs: expect.any(Number) }]);
  expect(host.shown).toMatchObject([{ title: 'Tea', body: 'The tea is ready.' }]);
});

test('with room for one run, two hosts never have two requests open', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(1_000);
  const [a] = [await browser.start(), await browser.start()];
  await a.calls.saveSettings({ settings: { maxConcurrent: 1 } });
  for (let n = 0; n < 6; n++) await save(a, getting(`https://server.test/${n}`, { schedule: once(MINUTE) }));
  await browser.advance(MINUTE + 500);
  expect((await a.calls.status()).waiting.map(({ for: what }) => what)).toContain('capacity');
  await browser.advance(6_000);
  expect(browser.server.hits).toHaveLength(6);
  expect(browser.server.most.get('all')).toBe(1);
});

test('room that another host makes by dying is used at once', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const [a, b] = [await browser.start(), await browser.start()];
  await a.calls.saveSettings({ settings: { maxConcurrent: 1 } });
  const [first, second] = [
    await save(a, getting(URL_A, { action: posting(URL_A) })),
    await save(a, getting(URL_B)),
  ];
  await a.calls.runNow({ id: first });
  expect(await b.calls.runNow({ id: second })).toEqual({ kind: 'at-capacity' });
  a.kill();
  await browser.quiet();
  expect(browser.server.hits.map(({ url, host }) => [url, host])).toEqual([
    [URL_A, a.id],
    [URL_B, b.id],
  ]);
});

test('the same command twice starts one run, and is answered with it', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  const commandId = browser.commandId();
  const [first, second] = await Promise.all([
    host.calls.runNow({ commandId, id }),
    host.calls.runNow({ commandId, id }),
  ]);
  await browser.quiet();
  const third = await host.calls.runNow({ commandId, id });
  await browser.quiet();
  expect(browser.server.hits).toHaveLength(1);
  expect(await statuses(browser)).toEqual(['succeeded']);
  const runs = [first, second, third].map((result) =>
    result.kind === 'claimed' ? result.run.id : result.kind,
  );
  expect(new Set(runs).size).toBe(1);
});

test('a command that is repeated at the next host, after its own died, is answered and not run again', async () => {
  const browser = new FakeBrowser();
  const first = await browser.start();
  const id = await save(first, getting(URL_A));
  const commandId = browser.commandId();
  const before = await first.calls.runNow({ commandId, id });
  await browser.quiet();
  first.kill();
  const second = await browser.start();
  expect(await second.calls.runNow({ commandId, id })).toMatchObject({ kind: before.kind });
  await browser.advance(MINUTE);
  expect(browser.server.hits).toHaveLength(1);
  expect(await statuses(browser)).toEqual(['succeeded']);
});

test('Run now pressed at two hosts while the occurrence falls due makes one run at any moment', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(500);
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { schedule: once(MINUTE) }));
  await browser.advance(MINUTE - 1);
  const answers = Promise.all([a.calls.runNow({ id }), b.calls.runNow({ id })]);
  await browser.advance(1_000);
  const kinds = (await answers).map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['already-active', 'claimed']);
  expect(browser.server.most.get(URL_A)).toBe(1);
  await browser.advance(MINUTE);
  expect(browser.server.open).toEqual([]);
});

test('Run now while the lease is busy waits for what holds it, and gives up politely', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  void browser.locks.request({}, leaseName(id, 0), {}, () => new Promise<never>(() => undefined));
  const answer = host.calls.runNow({ id });
  await browser.advance(1_000);
  expect(await answer).toEqual({ kind: 'busy' });
  expect(await browser.runs()).toEqual([]);
});

test('an automation whose lease someone holds for a minute without a run, as a frozen host does, runs all the same', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: { kind: 'once', at: MONDAY + MINUTE } }));
  void browser.locks.request({}, leaseName(id, 0), {}, () => new Promise<never>(() => undefined));
  await browser.advance(MINUTE + 59_000);
  expect(await browser.runs()).toEqual([]);
  await browser.advance(2_000);
  expect(await statuses(browser)).toEqual(['succeeded']);
  expect(browser.server.hits).toHaveLength(1);
});

test('Run now while the lease is just being let go starts its run', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  let release: () => void = () => undefined;
  void browser.locks.request(
    {},
    leaseName(id, 0),
    {},
    () => new Promise<void>((resolve) => (release = resolve)),
  );
  await browser.quiet();
  const answer = host.calls.runNow({ id });
  await browser.advance(50);
  release();
  await browser.advance(100);
  expect(await answer).toMatchObject({ kind: 'claimed' });
});

test('Run now offline is kept, says what it waits for, and runs when the network is back', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  host.setOnline(false);
  expect(await host.calls.runNow({ id })).toEqual({ kind: 'waiting', for: 'network' });
  await browser.quiet();
  expect((await host.calls.status()).waiting).toMatchObject([{ automationId: id, for: 'network' }]);
  host.setOnline(true);
  await browser.quiet();
  expect(await browser.runs()).toMatchObject([{ status: 'succeeded', cause: 'manual' }]);
});

test('Run now of an automation that is not there says so', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  await host.calls.removeAutomation({ id });
  expect(await host.calls.runNow({ id })).toEqual({ kind: 'not-found' });
});

test('an edit between the look and the claim is what the run uses', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: once(MINUTE) }));
  await browser.quiet();
  const claim = host.storage.holds('tryClaim');
  await browser.advance(MINUTE);
  await claim.reached;
  const automation = getting(URL_B, { schedule: once(MINUTE) });
  await host.calls.saveAutomation({ id, automation });
  claim.release();
  await browser.quiet();
  expect(browser.server.hits.map(({ url }) => url)).toEqual([URL_B]);
});

test('an automation that is made parallel while its claim is under way is claimed under a lease of the new rule', async () => {
  const browser = new FakeBrowser();
  browser.server.holds();
  const host = await browser.start();
  const id = await save(host, getting(URL_A));
  const claim = host.storage.holds('tryClaim');
  const answer = host.calls.runNow({ id });
  await claim.reached;
  const rules = { overlap: { kind: 'parallel', limit: 2 } } as const;
  await host.calls.saveAutomation({ id, automation: getting(URL_A, { rules }) });
  claim.release();
  await browser.quiet();
  expect(await answer).toMatchObject({ kind: 'claimed' });
  expect(await browser.runs()).toMatchObject([{ lease: leaseName(id, 0, 0) }]);
});

test('a paused automation does not run, and one that is resumed by another host runs on time', async () => {
  const browser = new FakeBrowser();
  const [a, b] = [await browser.start(), await browser.start()];
  const id = await save(a, getting(URL_A, { schedule: hourly }));
  await b.calls.setEnabled({ ids: [id], enabled: false });
  await browser.advance(HOUR + MINUTE);
  expect(browser.server.hits).toEqual([]);
  await b.calls.setEnabled({ ids: [id], enabled: true });
  await browser.quiet();
  b.kill();
  await browser.advance(HOUR - MINUTE);
  expect(browser.server.hits.map(({ at }) => at - MONDAY)).toEqual([2 * HOUR]);
  expect((await browser.runs())[0]).toMatchObject({ status: 'missed', reason: 'paused' });
});

test('a long absence is accounted for in chunks, without a pause between them', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: { kind: 'every', everyMs: 1_000, anchor: MONDAY } }));
  host.kill();
  browser.clock.jump(25_000 * 1_000);
  browser.server.holds();
  await browser.start();
  const counts = (await browser.runs()).map((row) => ('covers' in row ? row.covers.count : 1));
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(25_000);
  expect((await statuses(browser)).at(-1)).toBe('running');
});

test('a host for which more falls due with each claim comes to the end of a round, and ends what was cancelled', async () => {
  const browser = new FakeBrowser();
  browser.server.respond = ({ url }) =>
    url === URL_C ? new Promise(() => undefined) : Promise.resolve(new Response(null, { status: 204 }));
  const [a, b] = [await browser.start(), await browser.start()];
  const secondly = { kind: 'every', everyMs: 1_000, anchor: MONDAY } as const;
  for (const url of [URL_A, URL_B]) await save(a, getting(url, { schedule: secondly }));
  const id = await save(a, getting(URL_C));
  const asked = await a.calls.runNow({ id });
  if (asked.kind !== 'claimed') throw new Error(asked.kind);
  await browser.advance(1_000);
  // From here on this host alone claims, and each of thirty claims takes a second.
  b.storage.fails('listDue');
  let slow = 0;
  let slowBefore = 0;
  a.storage.fails('tryClaim', {
    when: () => {
      if (browser.server.open.some(({ url }) => url === URL_C)) slowBefore = slow;
      if (slow++ < 30) browser.clock.jump(1_000);
      return false;
    },
  });
  const claim = a.storage.holds('tryClaim');
  const later = browser.advance(1_000);
  await claim.reached;
  await b.calls.cancelRun({ runId: asked.run.id });
  claim.release();
  await later;
  expect(slow).toBeGreaterThan(30);
  expect(slowBefore).toBeLessThan(10);
  expect((await browser.runs()).find((run) => run.id === asked.run.id)).toMatchObject({
    status: 'cancelled',
  });
});

test('a host that stands by loses one claim, and not one for each row, to a host that has had them all meanwhile', async () => {
  const browser = new FakeBrowser();
  const [first, second] = [await browser.start(), await browser.start()];
  const urls = Array.from({ length: 10 }, (_, n) => `https://server.test/${n}`);
  for (const url of urls) await save(first, getting(url, { schedule: once(MINUTE) }));
  await browser.quiet();
  browser.clock.jump(2 * MINUTE);
  const looking = second.storage.holds('findAutomation');
  const round = second.host.tick();
  await looking.reached;
  await first.host.tick();
  looking.release();
  await round;
  await browser.quiet();
  expect(browser.server.hits.map(({ url }) => url).sort()).toEqual(urls);
  const { claims } = await second.calls.engine();
  expect(claims.map(({ outcome }) => outcome)).toEqual(['taken']);
});

test('what a host that stands by has to itself it claims from anywhere on, and round', async () => {
  const browser = new FakeBrowser({ seed: 4 });
  const [first, second] = [await browser.start(), await browser.start()];
  await first.calls.saveSettings({ settings: { maxConcurrent: 50 } });
  const urls = Array.from({ length: 8 }, (_, n) => `https://server.test/${n}`);
  for (const [n, url] of urls.entries()) await save(first, getting(url, { schedule: once(MINUTE + n) }));
  await browser.quiet();
  first.storage.fails('listDue');
  browser.clock.jump(2 * MINUTE);
  await second.host.tick();
  await browser.quiet();
  const order = browser.server.hits.map(({ url }) => urls.indexOf(url));
  const from = order[0] ?? 0;
  expect(from).toBeGreaterThan(0);
  expect(order).toEqual(urls.map((_, n) => (from + n) % urls.length));
});
