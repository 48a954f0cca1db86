import { type App, type Tab, byHand, every, expect, onceAt, soon, test } from './app.ts';
import { mostOpen } from './http-server.ts';

/** Fails when two runs of one occurrence and attempt exist. */
function expectEachOnce(runs: Awaited<ReturnType<Tab['runs']>>): void {
  const keys = runs.map((run) => `${run.occurrence}#${String(run.attempt)}`);
  expect(new Set(keys).size).toBe(keys.length);
}

async function waitUntil(at: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, at - Date.now())));
}

test.describe('Sixteen tabs that start cold at the same instant', () => {
  const ROUNDS = 10;
  const DUE = 20;

  test(`dispatch ${DUE} due occurrences once each, ${ROUNDS} times over`, async ({ app, server }) => {
    test.setTimeout(240_000);
    // As long as it takes this machine to write them down and to kill the browser, and long enough the first time.
    let lead = 6_000;
    for (let round = 1; round <= ROUNDS; round++) {
      const first = await app.openTab();
      const from = Date.now();
      const at = soon(lead);
      await first.add(
        ...Array.from({ length: DUE }, (_, n) =>
          onceAt(`Round ${round}, ${n}`, at, server.url(`/${round}/${n}?at={{ run.scheduledFor }}`)),
        ),
      );
      // The whole browser is killed before they are due: nobody is there until all come at once.
      await app.kill();
      expect(Date.now(), 'the browser was gone before they were due').toBeLessThan(at);
      lead = Math.max(2_000, 4 * (Date.now() - from));
      await waitUntil(at + 100);
      await app.launch();
      const tabs = await app.openTabs(16);
      const runs = await (tabs[15] as Tab).expectSettled(round * DUE);

      const hits = server.hits.filter((hit) => hit.path.startsWith(`/${round}/`));
      expect(hits).toHaveLength(DUE);
      expect(new Set(hits.map((hit) => hit.path)).size).toBe(DUE);
      expectEachOnce(runs);
      expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
    }
  });
});

test('Run now in eight tabs at once, while the occurrence falls due, never runs it twice at a moment', async ({
  app,
  server,
}) => {
  const tabs = await app.openTabs(8);
  const at = soon(1_500);
  const [id] = await (tabs[0] as Tab).add(onceAt('Press me', at, server.url('/press?delay=400')));
  if (id === undefined) throw new Error('nothing was imported');
  await waitUntil(at - 5);
  const answers = await Promise.all(tabs.map((tab) => tab.rota.runNow({ id })));
  // Whoever was first, the occurrence has its row; presses that were declined leave none.
  await expect
    .poll(async () => (await (tabs[7] as Tab).runs()).filter((run) => run.cause === 'schedule').length)
    .toBe(1);
  await expect
    .poll(() => (tabs[7] as Tab).runs().then((runs) => runs.some((run) => run.status === 'running')))
    .toBe(false);

  const runs = await (tabs[3] as Tab).runs();
  expectEachOnce(runs);
  const ran = runs.filter((run) => run.startedAt !== null);
  expect(answers.filter((answer) => answer.kind === 'claimed')).toHaveLength(
    ran.filter((run) => run.cause === 'manual').length,
  );
  expect(server.at('/press')).toHaveLength(ran.length);
  expect(mostOpen(server.hits)).toBe(1);
  // The scheduled occurrence has its row whatever became of it.
  expect(runs.filter((run) => run.cause === 'schedule')).toHaveLength(1);
});

test('an edit while a run is being claimed: the run used the definition that was stored at its claim', async ({
  app,
  server,
}) => {
  const [editor, presser] = (await app.openTabs(2)) as [Tab, Tab];
  const [id] = await editor.add(byHand('Edited', server.url('/version/0')));
  if (id === undefined) throw new Error('nothing was imported');
  const EDITS = 25;
  const editing = (async () => {
    for (let n = 1; n <= EDITS; n++) {
      const saved = await editor.rota.saveAutomation({
        id,
        expectedRevision: n,
        automation: byHand('Edited', server.url(`/version/${n}`)),
      });
      expect(saved.kind).toBe('saved');
    }
  })();
  const claimed: string[] = [];
  while (claimed.length < 15) {
    const answer = await presser.rota.runNow({ id });
    if (answer.kind === 'claimed') claimed.push(answer.run.id);
    else await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await editing;
  await presser.expectSettled(claimed.length);

  const details = await Promise.all(claimed.map((runId) => presser.rota.getRun(runId as never)));
  const revisions = new Set(details.map((run) => run?.revision));
  expect(revisions.size).toBeGreaterThan(1);
  const sent = details.map((run) =>
    run?.output?.kind === 'http' ? new URL(run.output.request.url).pathname : null,
  );
  // Revision n + 1 requests /version/n; the run's own snapshot, its request and the server agree.
  expect(sent).toEqual(details.map((run) => `/version/${Number(run?.revision) - 1}`));
  expect(server.hits.map((hit) => hit.path).sort()).toEqual([...sent].sort());
});

test.describe('Two builds open on one origin', () => {
  async function openBoth(app: App, count: number): Promise<readonly Tab[]> {
    const [ours, next] = await Promise.all([app.openTabs(count), app.openTabs(count, '/next/')]);
    return [...ours, ...next];
  }

  test('have two hosts, and each occurrence still runs once', async ({ app, server }) => {
    const tabs = await openBoth(app, 3);
    const [old, next] = [tabs[0] as Tab, tabs[5] as Tab];
    const hosts = new Set(
      (await Promise.all(tabs.map((tab) => tab.rota.status()))).map((status) => status.hostId),
    );
    expect(hosts.size).toBe(2);
    const at = soon(1_500);
    const DUE = 20;
    await old.add(...Array.from({ length: DUE }, (_, n) => onceAt(`Due ${n}`, at, server.url(`/due/${n}`))));
    const runs = await next.expectSettled(DUE);
    expect(server.hits).toHaveLength(DUE);
    expect(new Set(server.hits.map((hit) => hit.path)).size).toBe(DUE);
    expectEachOnce(runs);
  });

  test('never have two requests open at the server when one run at a time is allowed', async ({
    app,
    server,
  }) => {
    const tabs = await openBoth(app, 2);
    const [old, next] = [tabs[0] as Tab, tabs[3] as Tab];
    await old.rota.saveSettings({ settings: { maxConcurrent: 1 } });
    const at = soon(1_500);
    const DUE = 12;
    await next.add(
      ...Array.from({ length: DUE }, (_, n) =>
        onceAt(`One at a time ${n}`, at, server.url(`/one/${n}?delay=60`)),
      ),
    );
    const runs = await old.expectSettled(DUE);
    expect(server.hits).toHaveLength(DUE);
    expect(mostOpen(server.hits)).toBe(1);
    expect(runs.every((run) => run.status === 'succeeded')).toBe(true);
  });
});

test('the tab that started a run closes in the middle, and the run ends in the view of the others', async ({
  app,
  server,
}) => {
  const [starter, other] = (await app.openTabs(2)) as [Tab, Tab];
  const [id] = await starter.add(byHand('Slow', server.url('/slow?delay=1500')));
  if (id === undefined) throw new Error('nothing was imported');
  expect((await starter.rota.runNow({ id })).kind).toBe('claimed');
  await expect.poll(() => server.at('/slow').length).toBe(1);
  await starter.page.close();
  const [run] = await other.expectSettled(1);
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1 });
  expect(server.at('/slow')).toHaveLength(1);
});

test('offline for three occurrences and back: the latest runs by the rule, and all have their rows', async ({
  app,
  server,
}) => {
  const tab = await app.openTab();
  await tab.add(every('Every second', 1_000, server.remoteUrl('/beat?for={{ run.scheduledFor }}')));
  await expect.poll(() => server.at('/beat').length).toBeGreaterThanOrEqual(1);
  await app.setOffline(true);
  const before = (await tab.rota.status()).now;
  await expect
    .poll(async () => (await tab.rota.status()).waiting.map((waiting) => waiting.for), { timeout: 5_000 })
    .toEqual(['network']);
  await waitUntil(before + 4_200);
  const hitsOffline = server.hits.length;
  await app.setOffline(false);
  await expect.poll(() => server.hits.length).toBeGreaterThan(hitsOffline);
  await expect.poll(async () => (await tab.runs()).some((run) => run.status === 'missed')).toBe(true);

  const runs = await tab.runs();
  const missed = runs.filter((run) => run.status === 'missed');
  expect(missed.map((run) => run.reason)).toEqual(['offline']);
  expect(missed[0]?.covers?.count).toBeGreaterThanOrEqual(3);
  // Every second from the first to the last is in exactly one row.
  const instants = runs
    .flatMap((run) => {
      const { from, to } = run.covers ?? { from: run.scheduledFor, to: run.scheduledFor };
      return Array.from({ length: (to - from) / 1_000 + 1 }, (_, n) => from + n * 1_000);
    })
    .sort((a, b) => a - b);
  expect(instants).toEqual(instants.map((_, n) => Number(instants[0]) + n * 1_000));
});
