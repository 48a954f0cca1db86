import { expect, test } from 'vitest';
import { DAY_MS, type DefinitionInput, HOUR_MS } from '../domain/index.ts';
import { FakeBrowser, MONDAY, save } from './fake-world.testing.ts';
import { UPKEEP_LOCK } from './upkeep.ts';

const quarterHourly: DefinitionInput = {
  name: 'Quarter hourly',
  schedule: { kind: 'every', everyMs: 15 * 60_000, anchor: MONDAY },
  action: { kind: 'remind', message: 'Stretch.' },
};

/** Lets the clock go on by so many days at a time, and a host look after each, as each does some time after its start. */
async function lookAfter(browser: FakeBrowser, days: readonly number[]): Promise<void> {
  for (const day of days) {
    browser.clock.jump(day * DAY_MS);
    const host = await browser.start();
    await browser.advance(3 * 60_000);
    host.kill();
  }
}

const LITTLE = { runs: { days: 1, most: 30 }, outputs: { days: 1, most: 1 } };

test('a host forgets by itself what the rules let go, one host at a time, and says when it did', async () => {
  const browser = new FakeBrowser();
  const [first] = [await browser.start(), await browser.start()];
  const result = await first.calls.saveSettings({ settings: { keep: LITTLE } });
  expect(result).toMatchObject({ kind: 'saved', settings: { keep: LITTLE } });
  await browser.advance(60_000);
  await lookAfter(browser, [1, 1]);
  expect((await first.calls.upkeep()).swept).toBeNull();
  await lookAfter(browser, [1]);
  const { swept } = await first.calls.upkeep();
  expect(swept).toMatchObject({ runs: 0 });
  expect(swept?.at).toBeGreaterThan(MONDAY);
  expect(browser.locks.isHeld(UPKEEP_LOCK)).toBe(false);
});

test('nothing is forgotten by a clock that leapt ahead until it has gone on for days, nor once it was set right', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await browser.advance(60_000);
  await lookAfter(browser, [1, 2, 3]);
  const before = (await host.calls.upkeep()).swept?.at;
  expect(before).toBeGreaterThan(MONDAY);
  await lookAfter(browser, [400]);
  await lookAfter(browser, [1, 1]);
  expect((await host.calls.upkeep()).swept?.at).toBe(before);
  await lookAfter(browser, [-400]);
  await lookAfter(browser, [1]);
  expect((await host.calls.upkeep()).swept?.at).toBe(before);
});

test('what is asked for beyond what may be chosen is refused by its field', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const keep = { ...LITTLE, runs: { days: 0, most: 1 } };
  expect(await host.calls.saveSettings({ settings: { keep } })).toMatchObject({
    kind: 'invalid',
    problems: [{ path: 'keep.runs.days' }, { path: 'keep.runs.most' }],
  });
});

test('a full disk ends a sweep, which says so, and claims go on', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(host, quarterHourly);
  host.storage.fails('forgetCommands', { times: 1 });
  await host.calls.sweep();
  await browser.advance(60_000);
  expect((await host.calls.upkeep()).swept).toMatchObject({
    trouble: expect.stringContaining('no room') as string,
  });
  await browser.advance(HOUR_MS);
  await host.calls.sweep();
  await browser.advance(60_000);
  expect((await host.calls.listRuns()).items.length).toBeGreaterThan(0);
  expect((await host.calls.upkeep()).swept).not.toHaveProperty('trouble');
});

test('a check that was asked for says that all fits together, or what did not and was put right', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const id = await save(host, quarterHourly);
  const checked = async (): Promise<unknown> => {
    expect(await host.calls.checkIntegrity()).toEqual({ kind: 'started' });
    await browser.advance(5_000);
    return await host.calls.upkeep();
  };
  expect(await checked()).toMatchObject({
    checking: false,
    checked: { wholly: true, findings: [], count: 0 },
  });
  const run = await host.calls.runNow({ id });
  if (run.kind !== 'claimed') throw new Error(run.kind);
  await browser.quiet();
  await browser.replant('runs', run.run.id, (row) => ({ ...row, active: 1 }));
  expect(await checked()).toMatchObject({
    checked: { findings: [{ what: 'ended-run-marked-active', key: run.run.id, did: 'corrected' }], count: 1 },
  });
  expect(await host.calls.getRun(run.run.id)).not.toHaveProperty('active');
});
