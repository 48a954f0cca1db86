import { expect, test } from 'vitest';
import { ALARM_MOST_MS, Alarm } from './alarm.ts';
import { FakeBrowser, MONDAY, getting, save } from './fake-world.testing.ts';

function alarmAt(browser: FakeBrowser): { readonly alarm: Alarm; readonly rings: number[] } {
  const rings: number[] = [];
  const { clock } = browser;
  const alarm = new Alarm(
    { now: () => clock.now(), setTimer: (delay, fire) => clock.setTimer({}, delay, fire) },
    () => rings.push(clock.now() - MONDAY),
  );
  return { alarm, rings };
}

test('it rings when the row is due, and after 30 s at the latest', async () => {
  const browser = new FakeBrowser();
  const { alarm, rings } = alarmAt(browser);
  alarm.set(MONDAY + 12_345);
  await browser.advance(60_000);
  alarm.set(MONDAY + 86_400_000);
  await browser.advance(60_000);
  alarm.set(null);
  await browser.advance(60_000);
  expect(rings).toEqual([12_345, 60_000 + ALARM_MOST_MS, 120_000 + ALARM_MOST_MS]);
});

test('it rings at once for what is overdue', async () => {
  const browser = new FakeBrowser();
  const { alarm, rings } = alarmAt(browser);
  alarm.set(MONDAY - 5_000);
  await browser.advance(0);
  expect(rings).toEqual([0]);
});

test('what is set replaces what was set, and a stopped one is silent', async () => {
  const browser = new FakeBrowser();
  const { alarm, rings } = alarmAt(browser);
  alarm.set(MONDAY + 1_000);
  alarm.set(MONDAY + 2_000);
  await browser.advance(10_000);
  alarm.set(MONDAY + 11_000);
  alarm.stop();
  await browser.advance(60_000);
  expect(rings).toEqual([2_000]);
});

const every = { kind: 'every', everyMs: 3_600_000, anchor: MONDAY } as const;

test('a timer that fires early claims nothing, and the row is claimed when the wall clock says so', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting('https://server.test/a', { schedule: { kind: 'once', at: MONDAY + 10_000 } }));
  await browser.quiet();
  // The clock is set back while the timer runs: it fires six seconds before the row is due.
  browser.clock.jump(-6_000);
  await browser.advance(10_000);
  expect(browser.server.hits).toEqual([]);
  await browser.advance(6_000);
  expect(browser.server.hits.map(({ at }) => at)).toEqual([MONDAY + 10_000]);
});

test('after a sleep what became due is claimed within 30 s of waking, whatever its timer counted', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting('https://server.test/a', { schedule: every }));
  await browser.advance(1_000);
  browser.clock.jump(5 * 3_600_000);
  await browser.advance(30_000);
  expect(browser.server.hits).toHaveLength(1);
  const rows = await browser.runs();
  expect(rows.map(({ status, scheduledFor }) => [status, scheduledFor - MONDAY])).toEqual([
    ['missed', 4 * 3_600_000],
    ['succeeded', 5 * 3_600_000],
  ]);
  expect(rows[0]).toMatchObject({ reason: 'asleep', covers: { count: 4 } });
});

test('a clock set back by an hour repeats nothing that ran', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, getting('https://server.test/a', { schedule: every }));
  await browser.advance(3_600_000);
  expect(browser.server.hits).toHaveLength(1);
  browser.clock.jump(-3_600_000);
  await browser.advance(2 * 3_600_000 - 1);
  expect(browser.server.hits).toHaveLength(1);
  await browser.advance(1);
  const rows = await browser.runs();
  expect(rows.map(({ scheduledFor }) => scheduledFor - MONDAY)).toEqual([3_600_000, 7_200_000]);
});

test('a clock that was a day ahead and is put right goes on with the hours of today, and repeats nothing', async () => {
  const browser = new FakeBrowser();
  const [host] = [await browser.start(), await browser.start()];
  await save(host, getting('https://server.test/a', { schedule: every }));
  await browser.advance(3_600_000 + 60_000);
  browser.clock.jump(86_400_000);
  await browser.advance(60_000);
  expect(browser.server.hits.map(({ at }) => Math.floor((at - MONDAY) / 3_600_000))).toEqual([1, 25]);
  browser.clock.jump(-86_400_000);
  await browser.advance(2 * 3_600_000);
  expect(browser.server.hits.map(({ at }) => Math.floor((at - MONDAY) / 3_600_000))).toEqual([1, 25, 2, 3]);
  expect(browser.posted).toBeLessThan(50);
});

test('a row that falls due between a look at the agenda and the alarm is claimed at once, not 30 s later', async () => {
  const browser = new FakeBrowser();
  browser.server.takes(60_000);
  const host = await browser.start();
  await save(host, getting('https://server.test/a', { schedule: { kind: 'once', at: MONDAY + 10_000 } }));
  await save(host, getting('https://server.test/b', { schedule: { kind: 'once', at: MONDAY + 10_003 } }));
  await browser.advance(9_999);
  // The round that claims the first row is still at work when the second falls due.
  const stall = host.storage.holds('listOutbox');
  await browser.advance(1);
  await stall.reached;
  await browser.advance(5);
  stall.release();
  await browser.advance(100);
  expect(browser.server.hits.map(({ url }) => url)).toEqual([
    'https://server.test/a',
    'https://server.test/b',
  ]);
});
