/** Follow-ups, pauses, jitter and limits as a host lives them: nobody has to look for something to happen. */
import { expect, test, vi } from 'vitest';
import { LAST_INSTANT_MS } from '../domain/index.ts';
import { temporalWithZone } from '../domain/zone-database.testing.ts';
import { FakeBrowser, type FakeHost, MONDAY, getting, save, statuses } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const URL_B = 'https://server.test/b';
const URL_C = 'https://server.test/c';
const MINUTE = 60_000;
const minutely = { kind: 'every', everyMs: MINUTE, anchor: MONDAY } as const;
const once = (after: number) => ({ kind: 'once', at: MONDAY + after }) as const;
const hits = (browser: FakeBrowser): (string | number)[][] =>
  browser.server.hits.map(({ url, at }) => [url.slice(-1), Math.floor((at - MONDAY) / MINUTE)]);

test('a chain runs to its end once, with two hosts at it, as soon as each run has ended', async () => {
  const browser = new FakeBrowser();
  const [host] = [await browser.start(), await browser.start()];
  const a = await save(host, getting(URL_A, { schedule: once(MINUTE) }));
  const b = await save(host, getting(URL_B, { schedule: { kind: 'after', automation: a, on: 'success' } }));
  await save(host, getting(URL_C, { schedule: { kind: 'after', automation: b, on: 'any' } }));
  await browser.advance(2 * MINUTE);
  expect(hits(browser)).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ]);
  const runs = await browser.runs();
  expect(runs.map(({ cause, status }) => [cause, status])).toEqual([
    ['schedule', 'succeeded'],
    ['follow-up', 'succeeded'],
    ['follow-up', 'succeeded'],
  ]);
  expect(runs[1]?.occurrence).toBe(`${b}<${runs[0]?.id ?? ''}`);
});

test('a pause of everything ends by itself, and the first occurrence after it is on time', async () => {
  const browser = new FakeBrowser();
  const [host, other] = [await browser.start(), await browser.start()];
  const id = await save(host, getting(URL_A, { schedule: minutely }));
  const until = MONDAY + 3.5 * MINUTE;
  expect(await host.calls.pauseAll({ until })).toEqual({ kind: 'done', pausedUntil: until });
  expect((await other.calls.status()).pausedUntil).toBe(until);
  await browser.advance(2 * MINUTE);
  expect(hits(browser)).toEqual([]);
  await other.calls.runNow({ id });
  await browser.advance(2 * MINUTE);
  expect(hits(browser)).toEqual([
    ['a', 2],
    ['a', 4],
  ]);
  expect((await host.calls.status()).pausedUntil).toBeNull();
  const [missed] = (await browser.runs()).filter(({ status }) => status === 'missed');
  expect(missed).toMatchObject({ reason: 'paused', covers: { from: MONDAY + MINUTE, count: 3 } });
});

test('a pause of everything is told of each automation whose next occurrence it holds', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: minutely }));
  const later = await save(host, getting(URL_B, { schedule: { kind: 'once', at: MONDAY + 10 * MINUTE } }));
  const until = MONDAY + 5.5 * MINUTE;
  await host.calls.pauseAll({ until });
  expect(await host.calls.getAutomation(id)).toMatchObject({ heldUntil: until });
  expect(await host.calls.getAutomation(later)).not.toHaveProperty('heldUntil');
  const { items } = await host.calls.listAutomations();
  expect(items.flatMap(({ id: one, heldUntil }) => (heldUntil === undefined ? [] : [one]))).toEqual([id]);
  await browser.advance(6 * MINUTE);
  expect(await host.calls.getAutomation(id)).not.toHaveProperty('heldUntil');
});

test('a pause of everything without an end lasts until it is ended', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: minutely }));
  await host.calls.pauseAll({ until: LAST_INSTANT_MS });
  await browser.advance(180.5 * MINUTE);
  expect(hits(browser)).toEqual([]);
  await host.calls.pauseAll({ until: null });
  await browser.advance(MINUTE);
  expect(hits(browser)).toEqual([['a', 181]]);
});

test('a pause of one automation ends by itself, and the others never noticed', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: minutely }));
  await save(host, getting(URL_B, { schedule: minutely }));
  await host.calls.setEnabled({ ids: [id], enabled: false, until: MONDAY + 2.5 * MINUTE });
  expect(await host.calls.getAutomation(id)).toMatchObject({
    enabled: false,
    pausedUntil: MONDAY + 2.5 * MINUTE,
  });
  await browser.advance(3 * MINUTE);
  expect(hits(browser).filter(([url]) => url === 'a')).toEqual([['a', 3]]);
  expect(hits(browser).filter(([url]) => url === 'b')).toHaveLength(3);
});

test('an automation that has had its runs of the day waits for the next one, and says so once', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(
    host,
    getting(URL_A, {
      schedule: { kind: 'cron', expression: '* * * * *', timeZone: 'UTC' },
      rules: { runsPerDay: 2 },
    }),
  );
  await browser.advance(24 * 60 * MINUTE);
  expect(hits(browser)).toEqual([
    ['a', 1],
    ['a', 2],
    ['a', 1440],
  ]);
  expect(await statuses(browser)).toEqual(['succeeded', 'succeeded', 'skipped', 'succeeded']);
  expect((await browser.runs())[2]).toMatchObject({ reason: 'limit', covers: { count: 1437 } });
});

test('an occurrence with jitter runs when its own has passed, with the name of its time', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, getting(URL_A, { schedule: { ...minutely, jitterMs: 50_000 } }));
  const view = await host.calls.getAutomation(id);
  const dueAt = view?.nextDueAt ?? 0;
  expect(dueAt).toBeGreaterThan(MONDAY + MINUTE);
  await browser.advance(dueAt - MONDAY - 1);
  expect(browser.server.hits).toEqual([]);
  await browser.advance(1);
  expect(browser.server.hits).toHaveLength(1);
  expect((await browser.runs())[0]).toMatchObject({ scheduledFor: MONDAY + MINUTE, latenessMs: 0 });
});

test('what was missed says why, stretch by stretch: offline, asleep, and closed while no host lived', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: minutely }));
  await browser.advance(1.5 * MINUTE);
  host.setOnline(false);
  await browser.advance(1.4 * MINUTE);
  browser.clock.jump(10 * MINUTE);
  await browser.advance(MINUTE);
  host.kill();
  browser.clock.jump(10 * MINUTE);
  await browser.start();
  const rows = (await browser.runs()).map((row) =>
    'covers' in row
      ? [row.reason, (row.covers.from - MONDAY) / MINUTE, (row.covers.to - MONDAY) / MINUTE, row.covers.count]
      : [row.status, (row.scheduledFor - MONDAY) / MINUTE],
  );
  // The host that was offline took what it knew of that with it: the next one can only say that nothing could run it.
  expect(rows).toEqual([
    ['succeeded', 1],
    ['waiting', 2, 2, 1],
    ['asleep', 3, 12, 10],
    ['waiting', 13, 13, 1],
    ['closed', 14, 22, 9],
    ['succeeded', 23],
  ]);
});

test('what a host could not run while it was offline and slept is told apart when it is back', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting(URL_A, { schedule: minutely }));
  host.setOnline(false);
  await browser.advance(1.9 * MINUTE);
  browser.clock.jump(10 * MINUTE);
  await browser.advance(2 * MINUTE);
  host.setOnline(true);
  await browser.quiet();
  const rows = (await browser.runs()).map((row) =>
    'covers' in row ? [row.reason, row.covers.count] : [row.status],
  );
  expect(rows).toEqual([['offline', 1], ['asleep', 10], ['offline', 1], ['succeeded']]);
});

test('with another zone database the next occurrence is computed again, nothing runs twice and no row is lost', async () => {
  const HOUR = 60 * MINUTE;
  const hours = async (): Promise<unknown[]> =>
    (await browser.runs()).map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / HOUR]);
  /** The browser is closed until `hour`, then starts with Temporal as it is, or as given. */
  const startAt = async (hour: number, database: object | undefined): Promise<FakeHost> => {
    for (const host of browser.hosts) if (host.alive) host.kill();
    browser.clock.jump(MONDAY + hour * HOUR - browser.clock.now());
    vi.stubGlobal('Temporal', database);
    return browser.start();
  };
  const browser = new FakeBrowser();
  const host = await browser.start();
  const schedule = { kind: 'cron', expression: '0 9 * * *', timeZone: 'Europe/Berlin' } as const;
  const id = await save(host, getting(URL_A, { schedule }));
  expect((await host.calls.getAutomation(id))?.nextDueAt).toBe(MONDAY + 8 * HOUR);

  // Now the clocks of Berlin are said to be two hours ahead of UTC, and not one.
  const ahead = temporalWithZone('Europe/Berlin', 'Europe/Helsinki');
  const early = await startAt(6, ahead);
  expect((await early.calls.getAutomation(id))?.nextDueAt).toBe(MONDAY + 7 * HOUR);
  // What the new database has due while the browser was closed is late, and by its rule it runs.
  await startAt(7.5, ahead);
  expect(await hours()).toEqual([['succeeded', 7]]);
  // Back to the old one: nine o'clock is yet to come, and what ran keeps its row.
  await startAt(7.75, undefined);
  await startAt(8.25, undefined);
  expect(await hours()).toEqual([
    ['succeeded', 7],
    ['succeeded', 8],
  ]);
  const last = await startAt(8.5, ahead);
  expect((await last.calls.getAutomation(id))?.nextDueAt).toBe(MONDAY + 31 * HOUR);
  expect(await hours()).toHaveLength(2);
});

test('with another zone database an earlier occurrence is noticed, also where the one that was promised stays', async () => {
  const HOUR = 60 * MINUTE;
  const browser = new FakeBrowser();
  // Helsinki is two hours ahead of UTC: the rule is due at 8, 9 and 11.
  vi.stubGlobal('Temporal', temporalWithZone('Europe/Helsinki', 'Europe/Helsinki'));
  const first = await browser.start();
  await browser.advance(9.5 * HOUR);
  const schedule = { kind: 'cron', expression: '0 10,11,13 * * *', timeZone: 'Europe/Helsinki' } as const;
  const id = await save(first, getting(URL_A, { schedule }));
  expect((await first.calls.getAutomation(id))?.nextDueAt).toBe(MONDAY + 11 * HOUR);
  first.kill();
  // Here it has the clocks of London: the rule is due at 10, 11 and 13.
  vi.stubGlobal('Temporal', temporalWithZone('Europe/Helsinki', 'Europe/London'));
  const next = await browser.start();
  expect((await next.calls.getAutomation(id))?.nextDueAt).toBe(MONDAY + 10 * HOUR);
  await browser.advance(2 * HOUR);
  expect(hits(browser)).toEqual([
    ['a', 600],
    ['a', 660],
  ]);
});

test('an automation whose zone this browser does not know is paused and says so, and the others go on', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const schedule = (timeZone: string) => ({ kind: 'cron', expression: '* * * * *', timeZone }) as const;
  const lost = await save(host, getting(URL_A, { schedule: schedule('Europe/Kyiv') }));
  await save(host, getting(URL_B, { schedule: schedule('Europe/Berlin') }));
  host.kill();
  await browser.replant('automations', lost, (row) => ({ ...row, schedule: schedule('Europe/Atlantis') }));
  const next = await browser.start();
  await browser.advance(2 * MINUTE);
  expect(hits(browser)).toEqual([
    ['b', 1],
    ['b', 2],
  ]);
  expect(await next.calls.getAutomation(lost)).toMatchObject({
    enabled: false,
    pausedBecause: { kind: 'unreadable', message: expect.stringContaining('Europe/Atlantis') as string },
  });
  expect((await next.calls.status()).trouble ?? null).toBeNull();
  // By hand it runs all the same, and with a zone that is known it goes on from there.
  expect((await next.calls.runNow({ id: lost })).kind).toBe('claimed');
  await save(next, { ...getting(URL_A, { schedule: schedule('Europe/Kiev') }), enabled: true }, lost);
  await browser.advance(MINUTE);
  expect(hits(browser).filter(([url]) => url === 'a')).toEqual([
    ['a', 2],
    ['a', 3],
  ]);
});

test('a preview from now on shows no more than the runs that a schedule may have', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const at = async (from?: number): Promise<number> => {
    const preview = await host.calls.preview({
      schedule: { ...minutely, maxRuns: 3 },
      ...(from === undefined ? {} : { from }),
    });
    return preview.kind === 'ok' ? preview.at.length : NaN;
  };
  expect([await at(), await at(MONDAY + MINUTE)]).toEqual([3, 10]);
});

test('a file may hold an automation that runs after one that is here, and is refused for one that is nowhere', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const here = await save(host, getting(URL_A, { schedule: once(MINUTE) }));
  const following = (automation: string): string =>
    JSON.stringify({
      format: 'rota',
      version: 1,
      automations: [{ ...getting(URL_B), schedule: { kind: 'after', automation, on: 'success' } }],
    });
  const refused = await host.calls.importFile({
    text: following(here.replace(/.$/, (end) => (end === '0' ? '1' : '0'))),
  });
  expect(refused).toEqual({
    kind: 'invalid',
    problems: [
      {
        path: 'automations[0].schedule.automation',
        message:
          'There is no automation with this id, neither here nor in the file. Put it into the file too, or use the id of one that is here.',
      },
    ],
  });
  expect((await host.calls.importFile({ text: following(here), enable: true })).kind).toBe('imported');
  await browser.advance(MINUTE);
  expect(hits(browser)).toEqual([
    ['a', 1],
    ['b', 1],
  ]);
});

test('what would follow another automation while it is paused itself is not started then, nor afterwards', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const a = await save(host, getting(URL_A));
  const b = await save(host, getting(URL_B, { schedule: { kind: 'after', automation: a, on: 'any' } }));
  await host.calls.setEnabled({ ids: [b], enabled: false });
  await host.calls.runNow({ id: a });
  await browser.quiet();
  await host.calls.setEnabled({ ids: [b], enabled: true });
  await browser.advance(MINUTE);
  expect(hits(browser).map(([url]) => url)).toEqual(['a']);
  await host.calls.runNow({ id: a });
  await browser.quiet();
  expect(hits(browser).map(([url]) => url)).toEqual(['a', 'a', 'b']);
});
