/** The stories of claims.spec.ts, kills.spec.ts and own-workers.spec.ts that an engine decides, in those engines that the others do not run in. */
import { byHand, expect, onceAt, soon } from './app.ts';
import type { Run } from './contract.ts';
import { mostOpen } from './http-server.ts';
import { type RotaTab, unlessLost } from './installation.ts';
import { PATH, arm, killHost } from './pause-points.ts';
import { openInTurn, test } from './place.ts';

const TABS = 6;

const byAttempt = (runs: readonly Run[]): readonly Run[] => [...runs].sort((a, b) => a.attempt - b.attempt);

test('A request that is run by hand is on the screen of each tab, and no page complains', async ({
  place,
  server,
}) => {
  const [seen, hidden] = (await openInTurn(place, 2)) as [RotaTab, RotaTab];
  const id = await seen.addOne(byHand('Ask the server', server.url('/asked')));
  expect((await hidden.rota.runNow({ id })).kind).toBe('claimed');
  const [run] = await seen.expectSettled(1);
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1, host: { kind: 'shared-worker' } });
  expect(server.at('/asked')).toHaveLength(1);
  for (const tab of [seen, hidden]) {
    await expect.poll(() => tab.shown()).toMatch(/Ask the server.*Succeeded/);
  }
  expect((await seen.rota.getRun(run?.id as never))?.output).toMatchObject({
    kind: 'http',
    response: { status: 200 },
  });
  expect(place.complaints).toEqual([]);
});

test(`${TABS} tabs that start cold at the same instant, after the browser was killed, dispatch what is due once each`, async ({
  place,
  server,
}) => {
  test.setTimeout(150_000);
  const ROUNDS = 2;
  const DUE = 12;
  for (let round = 1; round <= ROUNDS; round++) {
    const first = await place.openTab();
    const at = soon(6_000);
    await first.add(
      ...Array.from({ length: DUE }, (_, n) =>
        onceAt(`Round ${round}, ${n}`, at, server.url(`/${round}/${n}`)),
      ),
    );
    await place.kill();
    expect(Date.now(), 'the browser was gone before they were due').toBeLessThan(at);
    await new Promise((resolve) => setTimeout(resolve, at + 100 - Date.now()));
    await place.launch();
    const tabs = await place.openTabs(TABS);
    const runs = await (tabs[TABS - 1] as RotaTab).expectSettled(round * DUE);
    const hits = server.hits.filter((hit) => hit.path.startsWith(`/${round}/`));
    expect(hits.map((hit) => hit.path).sort()).toEqual(
      Array.from({ length: DUE }, (_, n) => `/${round}/${n}`).sort(),
    );
    expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
  }
  expect(place.complaints).toEqual([]);
});

test('Run now in every tab at once never runs an automation twice at a moment', async ({ place, server }) => {
  const tabs = await place.openTabs(TABS);
  const id = await (tabs[0] as RotaTab).addOne(byHand('Press me', server.url('/press?delay=500')));
  const answers = await Promise.all(tabs.map((tab) => tab.rota.runNow({ id })));
  const claimed = answers.filter((answer) => answer.kind === 'claimed').length;
  const runs = await (tabs[1] as RotaTab).expectSettled(claimed);
  expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
  expect(server.at('/press')).toHaveLength(claimed);
  expect(mostOpen(server.hits)).toBe(1);
});

test('The process of the host is killed in the middle of a run: it is tried again, and the other tabs go on', async ({
  engine,
  place,
  server,
}) => {
  const [doomed, ...others] = (await openInTurn(place, 3, PATH)) as [RotaTab, RotaTab, RotaTab];
  const [witness] = others;
  const before = (await witness.rota.status()).hostId;
  const id = await doomed.addOne(byHand('Slow', server.url('/slow?delay=2000')));
  expect((await doomed.rota.runNow({ id })).kind).toBe('claimed');
  await expect.poll(() => server.at('/slow').length).toBe(1);
  await (
    await arm(witness, 'now')
  ).reached;
  const killedAt = await killHost(place, witness);
  const runs = byAttempt(await witness.expectSettled(2));
  expect(runs).toMatchObject([
    { status: 'interrupted', attempt: 1 },
    { status: 'succeeded', attempt: 2, cause: 'retry' },
  ]);
  expect(Number(runs[0]?.settledAt) - killedAt).toBeLessThan(10_000);
  expect(server.at('/slow')).toHaveLength(2);

  // In WebKit no page was in that process. It runs the host's script again by itself, and the ports that pages have to it are
  // deaf; each must have noticed, and joined that same host anew.
  const left = engine === 'webkit' ? 3 : 2;
  await expect.poll(async () => (await unlessLost(witness.rota.status()))?.tabs).toBe(left);
  const quick = await witness.addOne(byHand('Quick', server.url('/quick')));
  for (const tab of others) {
    const { hostId, hosts } = await tab.rota.status();
    expect(hostId).not.toBe(before);
    expect(hosts).toHaveLength(1);
    await expect.poll(async () => (await tab.rota.runNow({ id: quick })).kind).toBe('claimed');
    await expect
      .poll(async () => (await tab.rota.listRuns({ automationId: quick, status: 'running' })).items)
      .toEqual([]);
  }
  expect(server.at('/quick')).toHaveLength(others.length);
});

test('A save that was acknowledged is there after the browser was killed, and what ran is accounted for', async ({
  place,
  server,
}) => {
  const tab = await place.openTab();
  const id = await tab.addOne(byHand('Slow', server.url('/slow?delay=60000')));
  expect((await tab.rota.runNow({ id })).kind).toBe('claimed');
  await expect.poll(() => server.at('/slow').length).toBe(1);
  const saved = await tab.rota.saveAutomation({
    id,
    expectedRevision: 1,
    automation: byHand('Quick now', server.url('/quick')),
  });
  await place.kill();
  expect(saved.kind).toBe('saved');

  await place.launch();
  const after = await place.openTab();
  expect((await after.rota.getAutomation(id))?.name).toBe('Quick now');
  expect(byAttempt(await after.expectSettled(2))).toMatchObject([
    { status: 'interrupted', attempt: 1 },
    { status: 'succeeded', attempt: 2 },
  ]);
  expect(server.at('/quick')).toHaveLength(1);
});

test('Two builds side by side have two hosts, and each occurrence runs once', async ({ place, server }) => {
  const DUE = 12;
  const tabs = [...(await place.openTabs(2)), ...(await place.openTabs(2, '/next/'))];
  const statuses = await Promise.all(tabs.map((tab) => tab.rota.status()));
  expect(new Set(statuses.map((status) => status.hostId)).size).toBe(2);
  const at = soon(1_500);
  await (tabs[0] as RotaTab).add(
    ...Array.from({ length: DUE }, (_, n) => onceAt(`Due ${n}`, at, server.url(`/due/${n}`))),
  );
  const runs = await (tabs[3] as RotaTab).expectSettled(DUE);
  expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
  expect(server.hits).toHaveLength(DUE);
  expect(new Set(server.hits.map((hit) => hit.path)).size).toBe(DUE);
});

test('Without a SharedWorker every tab is a host of its own, and each occurrence runs once', async ({
  place,
  server,
}) => {
  const DUE = 12;
  await place.quit();
  await place.launch('delete globalThis.SharedWorker');
  const tabs = await place.openTabs(3);
  const statuses = await Promise.all(tabs.map((tab) => tab.rota.status()));
  expect(new Set(statuses.map((status) => status.hostId)).size).toBe(3);
  expect(statuses.map((status) => status.kind)).toEqual(['tab-worker', 'tab-worker', 'tab-worker']);
  const at = soon(1_500);
  await (tabs[0] as RotaTab).add(
    ...Array.from({ length: DUE }, (_, n) => onceAt(`Due ${n}`, at, server.url(`/due/${n}`))),
  );
  const runs = await (tabs[2] as RotaTab).expectSettled(DUE);
  expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
  expect(server.hits).toHaveLength(DUE);
  expect(new Set(server.hits.map((hit) => hit.path)).size).toBe(DUE);
});
