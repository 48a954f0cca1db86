import { expect, test } from 'vitest';
import type { AutomationId } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import { KeptRows } from './automation-rows.ts';

const id = (name: string): AutomationId => name as AutomationId;
const row = (name: string, revision = 1): AutomationView =>
  ({ id: id(name), name, revision }) as unknown as AutomationView;

test('a row that did not change stays the object that it was, and one that is gone keeps what it was', async () => {
  let stored = [row('a'), row('b')];
  const rows = new KeptRows((ids) =>
    Promise.resolve({ items: stored.filter((one) => ids.includes(one.id)) }),
  );
  await rows.refresh([id('a'), id('b')]);
  const [a, b] = [rows.get(id('a')), rows.get(id('b'))];
  stored = [row('a'), row('b', 2)];
  await rows.refresh([id('a'), id('b')]);
  expect(rows.get(id('a'))).toBe(a);
  expect(rows.get(id('b'))).toEqual(row('b', 2));
  expect(rows.get(id('b'))).not.toBe(b);
  stored = [];
  await rows.refresh([id('a')]);
  expect(rows.get(id('a'))).toBe(a);
  expect(rows.get(id('c'))).toBeNull();
});

test('what is there, or on its way, is not asked for again, and what failed is', async () => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  let fails = true;
  const rows = new KeptRows(async (ids) => {
    asked.push(ids.join());
    if (fails) throw new Error('The engine ended.');
    return await new Promise((resolve) => {
      answers.push(() => resolve({ items: ids.map((one) => row(one)) }));
    });
  });
  await expect(rows.fill([id('a')])).rejects.toThrow('The engine ended.');
  fails = false;
  const first = rows.fill([id('a'), id('b')]);
  const again = rows.fill([id('a')]);
  const second = rows.fill([id('b'), id('c')]);
  expect(asked).toEqual(['a', 'a,b', 'c']);
  for (const answer of answers) answer();
  expect(await Promise.all([first, again, second])).toEqual(['filled', 'filled', 'filled']);
  expect(rows.get(id('a'))).toEqual(row('a'));
  expect(await rows.fill([id('a'), id('b'), id('c')])).toBe('whole');
});

test('a row that was out of view while something changed is read anew when it is back, and shows what it was till then', async () => {
  let revision = 1;
  const rows = new KeptRows((ids) => Promise.resolve({ items: ids.map((one) => row(one, revision)) }));
  await rows.fill([id('a'), id('b')]);
  revision = 2;
  await rows.refresh([id('b')]);
  const filling = rows.fill([id('a'), id('b')]);
  expect(rows.get(id('a'))).toEqual(row('a', 1));
  expect(await filling).toBe('filled');
  expect(rows.get(id('a'))).toEqual(row('a', 2));
});

test('an answer that a later one has overtaken changes nothing', async () => {
  const answers: ((revision: number) => void)[] = [];
  const rows = new KeptRows(
    (ids) =>
      new Promise((resolve) => {
        answers.push((revision) => resolve({ items: ids.map((one) => row(one, revision)) }));
      }),
  );
  const early = rows.refresh([id('a')]);
  const late = rows.refresh([id('a')]);
  answers[1]?.(2);
  await late;
  answers[0]?.(1);
  await early;
  expect(rows.get(id('a'))).toEqual(row('a', 2));
});

test('one that the host does not have is told once, and asked for again only when something has changed', async () => {
  const asked: string[] = [];
  const rows = new KeptRows((ids) => {
    asked.push(ids.join());
    return Promise.resolve({ items: ids.filter((one) => one !== 'gone').map((one) => row(one)) });
  });
  const seen = [id('a'), id('gone')];
  expect(await rows.fill(seen)).toBe('lacking');
  expect(await rows.fill(seen)).toBe('whole');
  const refreshing = rows.refresh(seen);
  expect(await rows.fill(seen)).toBe('filled');
  await refreshing;
  expect(await rows.fill(seen)).toBe('whole');
  expect(asked).toEqual(['a,gone', 'a,gone']);
});

test('of ten thousand rows that came by, only some hundred are kept, and those in view are among them', async () => {
  const rows = new KeptRows((ids) => Promise.resolve({ items: ids.map((one) => row(one)) }));
  for (let n = 0; n < 10_000; n += 50)
    await rows.fill(Array.from({ length: 50 }, (_, index) => id(String(n + index))));
  const kept = Array.from({ length: 10_000 }, (_, n) => rows.get(id(String(n)))).filter(
    (one) => one !== null,
  );
  expect(kept).toHaveLength(400);
  expect(rows.get(id('9999'))).not.toBeNull();
});
