import { describe, expect, test } from 'vitest';
import type { RunId, RunRow } from '../domain/index.ts';
import { MONDAY as THEN, activeRun, automation } from '../domain/samples.testing.ts';
import type { Ledger, RunQuery } from '../store/index.ts';
import { FakeBrowser, MONDAY, getting, save } from './fake-world.testing.ts';
import { runListCalls } from './run-lists.ts';

const ORIGIN = 'https://server.test';
const MINUTE = 60_000;

test('no search finds a secret that a server echoed, and no excerpt shows one', async () => {
  const value = 'sesame-1234-open';
  const browser = new FakeBrowser();
  const host = await browser.start();
  await host.calls.saveSecret({ name: 'API_KEY', value, origins: [ORIGIN] });
  const echo = `you sent ${value}, which is ${btoa(value)}, or ${encodeURIComponent(value)}. Thank you.`;
  browser.server.respond = ({ url }) =>
    Promise.resolve(new Response(echo, { status: url.includes('broken') ? 500 : 200 }));
  for (const name of ['fine', 'broken'])
    await save(
      host,
      getting(`${ORIGIN}/${name}?key={{ secrets.API_KEY }}`, {
        name,
        schedule: { kind: 'once', at: MONDAY + MINUTE },
        rules: { retry: { attempts: 1 } },
      }),
    );
  await browser.advance(MINUTE + 1);
  expect(browser.server.hits.every(({ url }) => url.includes(value))).toBe(true);

  for (const text of [value, 'sesame', '1234-open', btoa(value), 'key=sesame'])
    expect(await host.calls.searchRuns({ text })).toMatchObject({ items: [], looked: 2 });
  for (const text of ['you sent', 'thank you', '[secret API_KEY]', 'broken', '500']) {
    const { items } = await host.calls.searchRuns({ text });
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toMatch(/sesame|1234-open|c2VzYW1l/);
  }
});

test('what falls due while a search reads is claimed, and does not wait for its end', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  await save(
    host,
    getting(`${ORIGIN}/`, { schedule: { kind: 'every', everyMs: MINUTE, anchor: MONDAY + 1_000 } }),
  );
  await browser.advance(2_000);
  const ran = browser.server.hits.length;
  expect(ran).toBeGreaterThan(0);
  const reading = host.storage.answersLate('scanRuns');
  const search = host.calls.searchRuns({ text: 'server' });
  await reading.reached;
  await browser.advance(3 * MINUTE);
  expect(browser.server.hits).toHaveLength(ran + 3);
  reading.release();
  expect(await search).toMatchObject({ looked: ran });
});

describe('one answer of a search through a long history', () => {
  /** `count` runs, of which each slice takes `sliceMs` to read; what was asked for is in `asked`. */
  function long(count: number, sliceMs: number) {
    const asked: RunQuery[] = [];
    let clock = 0;
    const rowAt = (n: number): RunRow =>
      ({
        ...activeRun(automation(), THEN),
        id: String(n).padStart(9, '0') as RunId,
        status: 'succeeded',
        settledAt: THEN,
        summary: 'Done.',
      }) as unknown as RunRow;
    const ledger = {
      countRuns: () => Promise.resolve([{ succeeded: count }]),
      scanRuns: ((query, look) => {
        asked.push(query);
        clock += sliceMs;
        const from = query.before === undefined ? count : Number(query.before);
        const rows = Array.from({ length: Math.min(query.limit, from) }, (_, at) => rowAt(from - 1 - at));
        const found = rows.map((row) => look(row, null)).filter((one) => one !== null);
        return Promise.resolve({ found, looked: rows.length, last: rows.at(-1) ?? null });
      }) satisfies Ledger['scanRuns'],
    };
    return { asked, calls: runListCalls(ledger as unknown as Ledger, () => clock) };
  }

  test('ends once it has taken its time, in slices between which others have their turn', async () => {
    const { asked, calls } = long(100_000, 90);
    const page = await calls.searchRuns({ text: 'nowhere' });
    expect(asked.map(({ limit }) => limit)).toEqual([100, 100, 100]);
    expect(page).toMatchObject({ items: [], looked: 300, total: 100_000, next: '000099700' });
  });

  test('ends with what was found once that is enough, and after so many runs however fast they are read', async () => {
    expect((await long(100_000, 0).calls.searchRuns({ text: 'done' })).items).toHaveLength(100);
    expect((await long(100_000, 0).calls.searchRuns({ text: 'nowhere' })).looked).toBe(5_000);
  });

  test('is followed by others until each run was looked at once', async () => {
    const { asked, calls } = long(12_345, 50);
    let looked = 0;
    let before: RunId | undefined;
    do {
      const page = await calls.searchRuns({ text: 'nowhere', ...(before === undefined ? {} : { before }) });
      looked += page.looked;
      before = page.next;
    } while (before !== undefined);
    expect(looked).toBe(12_345);
    expect(asked).toHaveLength(124);
  });
});
