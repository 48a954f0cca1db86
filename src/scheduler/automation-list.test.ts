import { expect, test } from 'vitest';
import { FakeBrowser, getting, save } from './fake-world.testing.ts';

const URL_A = 'https://server.test/a';
const manual = { kind: 'manual' } as const;

test('a list is paged by ids, the order alone crosses once, and rows are asked for by id', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const names = ['Ash', 'Birch', 'Cedar'];
  const ids = [];
  for (const name of names.toReversed())
    ids.unshift(await save(host, getting(URL_A, { name, tags: [name.toLowerCase()], schedule: manual })));
  const first = await host.calls.listAutomations({ limit: 2 });
  expect(first.items.map(({ name }) => name)).toEqual(['Ash', 'Birch']);
  expect(first.next).toBe(ids[1]);
  const rest = await host.calls.listAutomations({
    limit: 2,
    ...(ids[1] === undefined ? {} : { after: ids[1] }),
  });
  expect(rest.items.map(({ name }) => name)).toEqual(['Cedar']);
  expect(rest.next).toBeUndefined();

  const order = await host.calls.orderAutomations();
  expect(order).toMatchObject({ ids, tags: ['ash', 'birch', 'cedar'], counts: { all: 3 } });
  expect((await host.calls.orderAutomations({ known: order.version })).ids).toBeNull();
  await host.calls.setEnabled({ ids: ids.slice(0, 1), enabled: false });
  const paused = await host.calls.orderAutomations({ view: 'paused', known: order.version });
  expect(paused).toMatchObject({ ids: ids.slice(0, 1), counts: { paused: 1 } });

  const absent = '00000000-0000-4000-8000-000000000009' as (typeof ids)[number];
  const { items } = await host.calls.getAutomations({ ids: [...ids.toReversed(), absent] });
  expect(items.map(({ name, enabled }) => [name, enabled])).toEqual([
    ['Cedar', true],
    ['Birch', true],
    ['Ash', false],
  ]);
});

test('what another host writes is in the list at once for a script, and by its hint for a screen', async () => {
  const browser = new FakeBrowser();
  const one = await browser.start();
  const two = await browser.start();
  expect((await two.calls.orderAutomations()).ids).toEqual([]);
  browser.loses = () => true;
  const id = await save(one, getting(URL_A, { schedule: manual }));
  expect((await two.calls.listAutomations()).items.map((item) => item.id)).toEqual([id]);
  browser.loses = () => false;
  const other = await save(one, getting(URL_A, { name: 'Another', schedule: manual }));
  await browser.advance(1);
  expect((await two.calls.orderAutomations()).ids).toEqual([other, id]);
});

test('what a host wrote and did not live to tell is in the list of the one that buries it', async () => {
  const browser = new FakeBrowser();
  const one = await browser.start();
  const two = await browser.start();
  await two.calls.orderAutomations();
  browser.loses = () => true;
  const id = await save(one, getting(URL_A, { schedule: manual }));
  one.kill();
  await browser.advance(1_000);
  expect((await two.calls.orderAutomations()).ids).toEqual([id]);
});
