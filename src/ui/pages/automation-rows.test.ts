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
  await rows.read([id('a'), id('b')]);
  const [a, b] = [rows.get(id('a')), rows.get(id('b'))];
  stored = [row('a'), row('b', 2)];
  await rows.read([id('a'), id('b')]);
  expect(rows.get(id('a'))).toBe(a);
  expect(rows.get(id('b'))).toEqual(row('b', 2));
  expect(rows.get(id('b'))).not.toBe(b);
  stored = [];
  await rows.read([id('a')]);
  expect(rows.get(id('a'))).toBe(a);
  expect(rows.get(id('c'))).toBeNull();
});

test('what is there, or on its way, is not asked for again, and what failed is', async () => {
  const asked: string[] = [];
  let answer: (items: readonly AutomationView[]) => void = () => undefined;
  let fails = true;
  const rows = new KeptRows(async (ids) => {
    asked.push(ids.join());
    if (fails) throw new Error('The engine ended.');
    return await new Promise((resolve) => {
      answer = (items) => resolve({ items });
    });
  });
  await expect(rows.fill([id('a')])).rejects.toThrow('The engine ended.');
  fails = false;
  const first = rows.fill([id('a'), id('b')]);
  expect(await rows.fill([id('a')])).toBe(false);
  const second = rows.fill([id('b'), id('c')]);
  expect(asked).toEqual(['a', 'a,b', 'c']);
  answer([row('c')]);
  expect(await second).toBe(true);
  void first;
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
