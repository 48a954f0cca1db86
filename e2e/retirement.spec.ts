/** How an older build gives way to a newer one that is open beside it. */
import { type Tab, byHand, every, expect, test } from './app.ts';

test('an older host finishes what runs and leaves the rest to the newer one, serves its tab, and goes with it', async ({
  app,
  server,
}) => {
  const old = await app.openTab();
  const { build } = await old.rota.version();
  const [slow] = await old.add(
    byHand('Slow', server.url('/slow?delay=3000')),
    every('Beat', 1_000, server.url('/beat?at={{ run.scheduledFor }}')),
  );
  if (slow === undefined) throw new Error('nothing was imported');
  await expect.poll(() => server.at('/beat').length).toBeGreaterThan(0);
  expect((await old.rota.runNow({ id: slow })).kind).toBe('claimed');

  const young = await app.openTab('/next/');
  const openedAt = Date.now();
  await expect(old.page.getByRole('region', { name: 'Engine' })).toContainText('A newer version of Rota');
  await expect
    .poll(async () => (await old.runs(slow)).map((run) => run.status), { timeout: 10_000 })
    .toEqual(['succeeded']);
  await expect
    .poll(() => server.at('/beat').filter((hit) => hit.startedAt > openedAt + 500).length)
    .toBeGreaterThan(2);
  const beats = (await young.runs()).filter((run) => run.automationName === 'Beat');
  // One that fell due in the very moment may still be the older one's.
  const after = beats.filter((run) => run.scheduledFor > openedAt + 500);
  expect(new Set(after.map((run) => run.host?.build))).toEqual(new Set(['next']));
  expect(new Set(server.at('/beat').map((hit) => hit.search.get('at'))).size).toBe(server.at('/beat').length);

  // Its tab still shows and saves; a person who has typed something there loses nothing.
  const current = await old.rota.getAutomation(slow);
  const saved = await old.rota.saveAutomation({
    id: slow,
    ...(current === null ? {} : { expectedRevision: current.revision }),
    automation: byHand('Renamed in the old tab', server.url('/slow')),
  });
  expect(saved.kind).toBe('saved');
  const builds = async (): Promise<readonly string[]> =>
    (await young.rota.status()).hosts.map((host) => host.build).sort();
  expect(await builds()).toEqual([build, 'next'].sort());
  await old.page.close();
  await expect.poll(builds).toEqual(['next']);
  expect((await young.rota.getAutomation(slow))?.name).toBe('Renamed in the old tab');
});

test('a build that changes the database gets it when what runs has finished, and the older tab says so', async ({
  app,
  server,
}) => {
  const old = await app.openTab();
  const other = await app.newTab();
  await other.page.goto(`${other.url}favicon.svg`);
  const [slow] = await old.add(byHand('Slow', server.url('/slow?delay=1500')));
  if (slow === undefined) throw new Error('nothing was imported');
  expect((await old.rota.runNow({ id: slow })).kind).toBe('claimed');
  await expect.poll(() => server.at('/slow').length).toBe(1);
  expect(await upgrade(other)).toEqual(['succeeded']);
  await expect(old.page.getByRole('heading', { level: 1 })).toHaveText(
    'A newer version of Rota has changed the storage.',
  );
  expect(server.at('/slow')).toHaveLength(1);
});

/** Does what such a build does first, and answers with the status of each run that it finds. */
function upgrade(tab: Tab): Promise<readonly string[]> {
  return tab.page.evaluate(
    () =>
      new Promise<string[]>((resolve, reject) => {
        const request = indexedDB.open('rota', 99);
        request.onerror = () => reject(new Error('not opened'));
        request.onsuccess = () => {
          const rows = request.result.transaction('runs').objectStore('runs').getAll();
          rows.onsuccess = () => {
            request.result.close();
            resolve(rows.result.map((row: { status: string }) => row.status));
          };
        };
      }),
  );
}
