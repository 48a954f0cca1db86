import { beforeAll, expect, test } from 'vitest';
import { type RunId, type RunLine, joinLines } from '../domain/index.ts';
import type { Run } from '../rpc/index.ts';
import { FakeBrowser, MONDAY, save } from './fake-world.testing.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const told = (lines: readonly RunLine<Run>[]) =>
  lines.map(({ run, count }) => `${run.automationName} ${count} × ${run.repeats ?? run.status}`);

/** Two reminders a minute for some time, and one that fails in between. */
async function history() {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const every = (everyMs: number, name: string, message: string, anchor = MONDAY) =>
    save(host, {
      name,
      schedule: { kind: 'every', everyMs, anchor },
      action: { kind: 'remind', message },
      rules: { retry: { attempts: 1 }, autoPause: { kind: 'never' } },
    });
  const a = await every(MINUTE, 'A', 'Stretch.');
  await every(MINUTE, 'B', 'Drink.', MONDAY + 10_000);
  await every(70 * MINUTE, 'C', '{% if false %}x{% endif %}', MONDAY + MINUTE / 2);
  await browser.advance(105 * MINUTE + 1);
  return { host, a };
}

let made: Awaited<ReturnType<typeof history>>;
beforeAll(async () => {
  made = await history();
}, 120_000);

test('lines are folded over as many rows as one answer looks at, and go on where it ended', async () => {
  const { host } = made;
  const pages: (readonly RunLine<Run>[])[] = [];
  let before: RunId | undefined;
  do {
    const page = await host.calls.listRunLines({ fold: {}, ...(before === undefined ? {} : { before }) });
    pages.push(page.lines);
    before = page.next;
  } while (before !== undefined);
  expect(pages.length).toBeLessThan(4);
  const lines = pages.reduce((newer, older) => joinLines(newer, older), []);
  expect(told(lines)).toEqual([
    'A 35 × Stretch.',
    'B 34 × Drink.',
    'C 1 × failed',
    'B 70 × Drink.',
    'A 70 × Stretch.',
    'C 1 × failed',
    'B 1 × Drink.',
  ]);
});

test('lines are read in both directions from anywhere, of one automation too, and one by one where they are wanted', async () => {
  const { host, a } = made;
  const all = await host.calls.listRuns({ automationId: a, limit: 1_000 });
  const middle = all.items[50]?.id;
  if (middle === undefined) throw new Error('There are more.');
  const older = await host.calls.listRunLines({ automationId: a, before: middle, fold: {} });
  const newer = await host.calls.listRunLines({ automationId: a, after: middle, fold: {} });
  expect([newer.lines.map(({ count }) => count), newer.next]).toEqual([[50], undefined]);
  expect(older.lines[0]?.run.id).toBe(all.items[51]?.id);
  expect(older.lines.reduce((sum, { count }) => sum + count, 0)).toBe(all.items.length - 51);
  const each = await host.calls.listRunLines({ automationId: a, after: middle });
  expect(each.lines.map(({ run }) => run.id)).toEqual(all.items.slice(0, 50).map(({ id }) => id));
});

test('a line ends at midnight in the zone that is asked for', async () => {
  const { host, a } = made;
  // The history begins at midnight in London, and reaches over that of the Azores at 01:00 UTC.
  const { lines } = await host.calls.listRunLines({ automationId: a, fold: { zone: 'Atlantic/Azores' } });
  const starts = lines.map(({ run }) => (run.claimedAt - MONDAY) / HOUR);
  expect(lines).toHaveLength(2);
  expect(starts[1]).toBeLessThan(1);
  expect(starts[1]).toBeGreaterThan(0.9);
});

test('a search goes through names, results and outputs, newest first, and says how far it has looked', async () => {
  const { host, a } = made;
  const first = await host.calls.searchRuns({ text: 'STRETCH' });
  expect(first.total).toBe(212);
  expect(first.items[0]).toMatchObject({
    run: { automationId: a },
    match: { in: 'result', before: '', match: 'Stretch', after: '.' },
  });
  const ids = first.items.map(({ run }) => run.id);
  expect(ids).toEqual(ids.toSorted().toReversed());
  const failed = await host.calls.searchRuns({ text: 'is empty', status: ['failed', 'timed-out'] });
  expect(failed).toMatchObject({ total: 2, looked: 2, items: [{ match: { in: 'result' } }, {}] });
  const of = await host.calls.searchRuns({ text: 'drink', automationId: a });
  expect(of).toMatchObject({ total: 105, looked: 105, items: [] });
});

test('a search that is asked again goes on where it ended, until it has looked through all', async () => {
  const { host, a } = made;
  const looked: number[] = [];
  const found: Run[] = [];
  let before: RunId | undefined;
  do {
    const page = await host.calls.searchRuns({
      text: 'stretch',
      ...(before === undefined ? {} : { before }),
    });
    looked.push(page.looked);
    found.push(...page.items.map(({ run }) => run));
    before = page.next;
  } while (before !== undefined);
  expect(looked.reduce((sum, count) => sum + count, 0)).toBe(212);
  const { items } = await host.calls.listRuns({ automationId: a, limit: 1_000 });
  expect(found.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
  expect(await host.calls.searchRuns({ text: '  ' })).toMatchObject({ items: [], looked: 0 });
});
