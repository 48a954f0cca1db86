/** From the previous release, really built, to the present build: on one origin, over the same data, with old tabs open. */
import { PREVIOUS_BUILD, WHY_ABSENT, buildPrevious } from '../scripts/previous.mjs';
import { byHand, every, expect, onceAt, soon, test } from './app.ts';

test('after the previous release all is there, nothing runs twice, an old tab goes on, and an update takes it along', async ({
  app,
  server,
}) => {
  test.setTimeout(120_000);
  const previous = buildPrevious();
  test.skip(previous === null, WHY_ABSENT);
  app.site.mount('/', previous ?? '');
  app.site.mount('/present/', 'dist');

  const old = await app.openTab();
  expect((await old.rota.version()).build).toBe(PREVIOUS_BUILD);
  const due = soon(3_000);
  const [slow, beat, , mine] = await old.add(
    byHand('Slow', server.url('/slow?delay=4000')),
    every('Beat', 1_000, server.url('/beat?at={{ run.scheduledFor }}')),
    onceAt('Once', due, server.url('/once')),
    byHand('Mine', server.url('/mine')),
    {
      name: 'Nightly',
      schedule: { kind: 'cron', expression: '30 2 * * *', timeZone: 'Europe/Paris' },
      action: { kind: 'http', url: server.url('/n') },
    },
  );
  if (slow === undefined || beat === undefined || mine === undefined) throw new Error('nothing was imported');
  expect((await old.rota.runNow({ id: mine })).kind).toBe('claimed');
  await expect.poll(() => server.at('/beat').length).toBeGreaterThan(1);
  expect((await old.rota.runNow({ id: slow })).kind).toBe('claimed');
  await expect.poll(() => server.at('/slow').length).toBe(1);
  const before = await old.runs();

  // The present build opens beside it while a run is on.
  const present = await app.openTab('/present/');
  const { build } = await present.rota.version();
  expect(build).not.toBe(PREVIOUS_BUILD);
  expect((await present.rota.listAutomations()).items.map(({ name }) => name)).toEqual([
    'Beat',
    'Mine',
    'Nightly',
    'Once',
    'Slow',
  ]);
  const seen = new Set((await present.runs()).map(({ id }) => id));
  expect(before.filter(({ id }) => !seen.has(id))).toEqual([]);
  await expect(old.page.getByRole('region', { name: 'Engine' })).toContainText(
    'A newer version of Rota is open',
  );

  // What ran goes on where it ran; what falls due is the newer one's.
  await expect
    .poll(async () => (await present.runs(slow)).map((run) => [run.status, run.host?.build]), {
      timeout: 15_000,
    })
    .toEqual([['succeeded', PREVIOUS_BUILD]]);
  await expect
    .poll(async () => (await present.runs(beat)).filter((run) => run.host?.build === build).length)
    .toBeGreaterThan(2);
  await expect.poll(() => server.at('/once').length).toBe(1);

  // The old tab still shows, also what it cannot change any more, and what it can change keeps what it does not know.
  expect((await old.rota.listAutomations()).items).toHaveLength(5);
  await present.page.evaluate(
    (id) =>
      new Promise<void>((resolve) => {
        const request = indexedDB.open('rota');
        request.onsuccess = () => {
          const rows = request.result.transaction('automations', 'readwrite').objectStore('automations');
          const read = rows.get(id);
          read.onsuccess = () => {
            rows.put({ ...(read.result as object), fromTheFuture: 'kept' }).onsuccess = () => {
              request.result.close();
              resolve();
            };
          };
        };
      }),
    slow,
  );
  const current = await old.rota.getAutomation(slow);
  if (current === null) throw new Error('the old tab does not see it');
  const saved = await old.rota.saveAutomation({
    id: slow,
    expectedRevision: current.revision,
    automation: byHand('Saved in the old tab', server.url('/slow')),
  });
  expect(saved.kind).toBe('saved');
  expect(await present.rota.getAutomation(slow)).toMatchObject({
    name: 'Saved in the old tab',
    fromTheFuture: 'kept',
  });

  // The deploy itself: the old tab is taken along, and its address has the present build.
  app.site.mount('/', 'dist');
  await old.page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await old.page.getByRole('button', { name: /Update Rota|Reload this tab/ }).click();
  const buildOfOld = (): Promise<string | null> =>
    old.rota.version().then(
      (version) => version.build,
      () => null,
    );
  await expect.poll(buildOfOld, { timeout: 15_000 }).toBe(build);
  await expect(old.page.getByRole('link', { name: 'Saved in the old tab', exact: true })).toBeVisible();

  await present.rota.setEnabled({ ids: [beat], enabled: false });
  const runs = await present.runs();
  const keys = runs.map(({ occurrence, attempt }) => `${occurrence} ${attempt}`);
  expect(new Set(keys).size).toBe(keys.length);
  // Each second from the first beat to the last is in one row, and in one request at most.
  const beats = runs.filter((run) => run.automationId === beat);
  const instants = beats.flatMap((run) =>
    run.covers === undefined
      ? [run.scheduledFor]
      : Array.from({ length: run.covers.count }, (_, n) => (run.covers?.from ?? 0) + n * 1_000),
  );
  instants.sort((a, b) => a - b);
  expect(instants).toEqual(instants.map((_, n) => (instants[0] ?? 0) + n * 1_000));
  const sent = server.at('/beat').map((hit) => hit.search.get('at'));
  expect(new Set(sent).size).toBe(sent.length);
  for (const path of ['/slow', '/once', '/mine']) expect(server.at(path)).toHaveLength(1);
  expect(app.complaints).toEqual([]);
});
