import { expect, test } from 'vitest';
import type { DefinitionInput } from '../domain/index.ts';
import { FakeBrowser, MONDAY, save } from './fake-world.testing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = { from: MONDAY, until: MONDAY + 24 * HOUR };

const everyHalfHour: DefinitionInput = {
  name: 'Half hourly',
  schedule: { kind: 'every', everyMs: 30 * MINUTE, anchor: MONDAY },
  action: { kind: 'remind', message: 'Stretch.' },
};

test('a timeline has what ran, what was missed, what is to come, and when nobody was there', async () => {
  const browser = new FakeBrowser();
  const first = await browser.start();
  await save(first, everyHalfHour);
  await save(first, { ...everyHalfHour, name: 'Paused', enabled: false });
  await browser.advance(2 * HOUR + MINUTE);
  first.kill();
  browser.clock.jump(3 * HOUR);
  const host = await browser.start();
  await browser.advance(10 * MINUTE);

  const timeline = await host.calls.timeline(DAY);
  const [lane, ...others] = timeline.lanes;
  expect(others).toEqual([]);
  expect(lane).toMatchObject({ automationName: 'Half hourly', isGone: false, nextIsCut: false });
  const marks = lane?.marks.map(({ status, count, from }) => [status, count, (from - MONDAY) / MINUTE]) ?? [];
  expect(marks.filter(([status]) => status === 'succeeded').map(([, count]) => count)).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(marks.filter(([status]) => status === 'missed')).toEqual([['missed', 5, 150]]);
  // From 05:30 to 23:30.
  expect(lane?.next).toHaveLength(37);
  expect(lane?.next[0]).toBe(MONDAY + 5.5 * HOUR);
  expect(timeline.gaps).toMatchObject([{ why: 'closed' }]);
  expect(timeline.isCut).toBe(false);
});

test('a day that is over has nothing to come, and one that is far off nothing else', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, everyHalfHour);
  await browser.advance(25 * HOUR);
  const [past] = (await host.calls.timeline(DAY)).lanes;
  expect(past?.next).toEqual([]);
  expect(past?.marks.reduce((sum, { count }) => sum + count, 0)).toBe(47);
  const later = { from: DAY.from + 240 * HOUR, until: DAY.until + 240 * HOUR };
  const [future] = (await host.calls.timeline(later)).lanes;
  expect(future?.marks).toEqual([]);
  expect(future?.next).toHaveLength(48);
});

test('what a pause of everything holds back is not to come, and a deleted automation keeps its lane', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, everyHalfHour);
  await browser.advance(HOUR + MINUTE);
  await host.calls.pauseAll({ until: MONDAY + 20 * HOUR });
  const [held] = (await host.calls.timeline(DAY)).lanes;
  expect(held?.next[0]).toBe(MONDAY + 20 * HOUR);
  await host.calls.removeAutomation({ id });
  await browser.quiet();
  const [gone] = (await host.calls.timeline(DAY)).lanes;
  expect(gone).toMatchObject({ automationName: 'Half hourly', isGone: true, next: [] });
});

test('more instants to come than are told are said to be more', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, { ...everyHalfHour, schedule: { kind: 'every', everyMs: MINUTE, anchor: MONDAY } });
  const [lane] = (await host.calls.timeline(DAY)).lanes;
  expect(lane?.next).toHaveLength(200);
  expect(lane?.nextIsCut).toBe(true);
});

test('rows are counted by status between bounds, each in one place', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, everyHalfHour);
  await browser.advance(2 * HOUR + MINUTE);
  const bounds = [MONDAY - HOUR, MONDAY, MONDAY + HOUR, MONDAY + HOUR, MONDAY + 2 * HOUR, MONDAY + 9 * HOUR];
  const { items } = await host.calls.countRuns({ bounds });
  expect(items).toEqual([{}, { succeeded: 1 }, {}, { succeeded: 2 }, { succeeded: 1 }]);
  expect((await host.calls.countRuns({ bounds: [MONDAY] })).items).toEqual([]);
});
