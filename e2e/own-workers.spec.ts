/** Where there is no SharedWorker, each tab is a host of its own. */
import { type Tab, byHand, expect, onceAt, soon, test } from './app.ts';

test.describe('Four tabs without SharedWorker', () => {
  test('are four hosts, dispatch what is due once, and recover the run of one that is closed', async ({
    app,
    server,
  }) => {
    await app.context.addInitScript(() => Reflect.deleteProperty(globalThis, 'SharedWorker'));
    const tabs = (await app.openTabs(4)) as [Tab, Tab, Tab, Tab];
    const [first] = tabs;
    await expect
      .poll(async () => (await first.rota.status()).hosts.map(({ kind }) => kind))
      .toEqual(['tab-worker', 'tab-worker', 'tab-worker', 'tab-worker']);
    const ids = await Promise.all(tabs.map(async (tab) => (await tab.rota.status()).hostId));
    expect(new Set(ids).size).toBe(4);

    const at = soon(1_500);
    const [slow] = await first.add(
      byHand('Slow', server.url('/slow?delay=3000')),
      ...Array.from({ length: 10 }, (_, n) => onceAt(`Due ${n}`, at, server.url(`/due/${n}`))),
    );
    if (slow === undefined) throw new Error('nothing was imported');
    const runs = await first.expectSettled(10);
    expect(runs.every((run) => run.status === 'succeeded' && run.host?.kind === 'tab-worker')).toBe(true);
    expect(server.hits).toHaveLength(10);
    expect(new Set(server.hits.map((hit) => hit.path)).size).toBe(10);

    const claim = await tabs[3].rota.runNow({ id: slow });
    if (claim.kind !== 'claimed') throw new Error(`not claimed: ${claim.kind}`);
    expect(claim.run.host?.id).toBe(ids[3]);
    await expect.poll(() => server.at('/slow').length).toBe(1);
    const closedAt = Date.now();
    await tabs[3].page.close();
    await first.expectSettled(12);
    const [again, interrupted] = await first.runs(slow);
    expect(interrupted).toMatchObject({ id: claim.run.id, status: 'interrupted', attempt: 1 });
    expect(Number(interrupted?.settledAt) - closedAt).toBeLessThan(1_000);
    expect(again).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(ids.slice(0, 3)).toContain(again?.host?.id);
    expect(app.complaints).toEqual([]);
  });
});

test('a person gives one tab an engine of its own by its address, beside the one that the others share', async ({
  app,
  server,
}) => {
  const shared = await app.openTab();
  const own = await app.newTab();
  await own.page.goto(`${own.url}?engine=tab#/engine`);
  const hosts = own.page.getByRole('table', { name: 'Hosts' });
  await expect(hosts.getByRole('row', { name: /Worker of a tab.*serves this tab/ })).toBeVisible();
  await expect(hosts.getByRole('row', { name: /Shared worker/ })).toBeVisible();
  const at = soon(1_500);
  await own.add(onceAt('Due', at, server.url('/due')));
  await shared.expectSettled(1);
  expect(server.hits).toHaveLength(1);
  // The address stays what it is when the screen changes, and so does the engine.
  await own.page.getByRole('link', { name: 'Automations' }).first().click();
  await own.page.reload();
  expect((await own.rota.status()).kind).toBe('tab-worker');
  expect(app.complaints).toEqual([]);
});
