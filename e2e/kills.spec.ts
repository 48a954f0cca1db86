/** Every row of "what happens when it dies here" (protocol, section 10), each with a real kill at that point. */
import { type App, type Tab, byHand, expect, onceAt, soon, test } from './app.ts';
import type { AutomationId, DefinitionInput, Run } from './contract.ts';
import type { HttpServer } from './http-server.ts';
import { PATH, arm, killHost } from './pause-points.ts';

/** Two tabs of one host, which lives in the process of the first; the second sees it die. */
async function openPair(app: App): Promise<{ readonly doomed: Tab; readonly witness: Tab }> {
  const doomed = await app.openTab(PATH);
  const witness = await app.openTab(PATH);
  return { doomed, witness };
}

/** An automation whose effect must not be repeated. */
const post = (name: string, url: string): DefinitionInput => ({
  name,
  schedule: { kind: 'manual' },
  action: { kind: 'http', method: 'POST', url, body: 'once' },
});

/** Presses Run now without waiting for an answer, which a killed host never gives. */
function press(tab: Tab, id: AutomationId): void {
  tab.rota.runNow({ id }).catch(() => undefined);
}

const byAttempt = (runs: readonly Run[]): readonly Run[] => [...runs].sort((a, b) => a.attempt - b.attempt);

async function hit(server: HttpServer, path: string, count = 1): Promise<void> {
  await expect.poll(() => server.at(path).length).toBe(count);
}

test.describe('The host is killed', () => {
  test("before its claim's transaction is complete: nothing is left behind, and the next host claims it", async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    await doomed.add(onceAt('Due', soon(1_500), server.url('/due')));
    const { reached } = await arm(witness, 'claim-commit');
    await reached;
    await killHost(app, witness);
    const runs = await witness.expectSettled(1);
    expect(runs).toMatchObject([{ status: 'succeeded', attempt: 1, fence: 1 }]);
    expect(server.at('/due')).toHaveLength(1);
  });

  test('after the claim and before the action: the run is interrupted and tried again', async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    await doomed.add(onceAt('Due', soon(1_500), server.url('/due')));
    const { reached } = await arm(witness, 'claimed');
    await reached;
    const killedAt = await killHost(app, witness);
    const runs = byAttempt(await witness.expectSettled(2));
    expect(runs).toMatchObject([
      { status: 'interrupted', attempt: 1 },
      { status: 'succeeded', attempt: 2, cause: 'retry' },
    ]);
    expect(Number(runs[0]?.settledAt) - killedAt).toBeLessThan(10_000);
    expect(server.at('/due')).toHaveLength(1);
  });

  test('in the middle of an action that is safe to repeat: interrupted, and tried again', async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    const id = await doomed.addOne(byHand('Slow', server.url('/slow?delay=2500')));
    press(doomed, id);
    await hit(server, '/slow');
    await (
      await arm(witness, 'now')
    ).reached;
    await killHost(app, witness);
    const runs = byAttempt(await witness.expectSettled(2));
    expect(runs).toMatchObject([
      { status: 'interrupted', attempt: 1 },
      { status: 'succeeded', attempt: 2 },
    ]);
    expect(runs[0]).not.toHaveProperty('mayHaveHappened');
    expect(server.at('/slow')).toHaveLength(2);
  });

  test('in the middle of an action that must not be repeated: it may have happened, and a person decides', async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    const id = await doomed.addOne(post('Pay', server.url('/pay?delay=2500')));
    press(doomed, id);
    await hit(server, '/pay');
    await (
      await arm(witness, 'now')
    ).reached;
    await killHost(app, witness);
    const [run] = await witness.expectSettled(1);
    expect(run).toMatchObject({ status: 'interrupted', mayHaveHappened: true, effect: 'sending' });
    expect((await witness.rota.listAutomations({ view: 'needs-you' })).items).toHaveLength(1);

    const runId = run?.id;
    if (runId === undefined) throw new Error('there is no run');
    await witness.page.goto(`${witness.url}#/runs/${runId}`);
    await expect(witness.page.getByText('it may have happened')).toBeVisible();
    await witness.page.getByRole('button', { name: 'It did not: run it again' }).click();
    await expect(witness.page.getByText('You had it run again')).toBeVisible();
    expect((await witness.rota.answerRun({ runId, answer: 'happened' })).kind).toBe('not-open');
    const runs = byAttempt(await witness.expectSettled(2));
    expect(runs).toMatchObject([
      { status: 'interrupted', answer: { said: 'run-again' } },
      { status: 'succeeded', attempt: 2 },
    ]);
    expect(server.at('/pay')).toHaveLength(2);
    expect((await witness.rota.listAutomations({ view: 'needs-you' })).items).toHaveLength(0);
  });

  test('after the effect and before the settlement is complete: the row says that it happened and is not repeated', async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    const id = await doomed.addOne(post('Pay', server.url('/pay')));
    const { reached } = await arm(witness, 'settle-commit');
    press(doomed, id);
    await reached;
    await killHost(app, witness);
    const [run] = await witness.expectSettled(1);
    expect(run).toMatchObject({ status: 'interrupted', mayHaveHappened: true, effect: 'sent' });
    expect(server.at('/pay')).toHaveLength(1);
  });

  test('after the settlement and before the lease is released: nothing is left to do', async ({
    app,
    server,
  }) => {
    const { doomed, witness } = await openPair(app);
    const id = await doomed.addOne(post('Pay', server.url('/pay')));
    const { reached } = await arm(witness, 'settled');
    press(doomed, id);
    await reached;
    await killHost(app, witness);
    await expect.poll(async () => (await witness.rota.runNow({ id })).kind).toBe('claimed');
    const runs = await witness.expectSettled(2);
    expect(runs.map((run) => run.status)).toEqual(['succeeded', 'succeeded']);
    expect(server.at('/pay')).toHaveLength(2);
  });

  test('after the settlement and before its notification is delivered: the next host delivers it, once', async ({
    app,
  }) => {
    await app.context.grantPermissions(['notifications']);
    const { doomed, witness } = await openPair(app);
    // Noted as it is shown: to ask the browser what it shows, while it is about to, can make it forget it.
    await witness.page.evaluate(async () => {
      const shown: string[] = [];
      Object.assign(globalThis, { shown });
      const registration = await navigator.serviceWorker.ready;
      const show = registration.showNotification.bind(registration);
      registration.showNotification = async (title, options) => {
        await show(title, options);
        shown.push(options?.body ?? '');
      };
    });
    const id = await doomed.addOne({
      name: 'Ring',
      schedule: { kind: 'manual' },
      action: { kind: 'remind', message: 'It rings' },
    });
    const { reached } = await arm(witness, 'outbox');
    press(doomed, id);
    await reached;
    await killHost(app, witness);
    await witness.expectSettled(1);
    const shown = (): Promise<string[]> =>
      witness.page.evaluate(() => Reflect.get(globalThis, 'shown') as string[]);
    await expect.poll(shown).toEqual(['It rings']);
  });
});

test('the whole browser is killed in the middle: at the next start its runs are interrupted and what was missed is caught up', async ({
  app,
  server,
}) => {
  const tab = await app.openTab(PATH);
  const at = soon(5_000);
  const [, due] = await tab.add(
    byHand('Slow', server.url('/slow?delay=60000')),
    onceAt('Missed while dead', at, server.url('/late')),
  );
  const slow = (await tab.rota.listAutomations({ text: 'Slow' })).items[0];
  if (slow === undefined || due === undefined) throw new Error('nothing was imported');
  const claim = await tab.rota.runNow({ id: slow.id });
  expect(claim.kind).toBe('claimed');
  await hit(server, '/slow');
  const acknowledged = await tab.rota.saveAutomation({
    id: slow.id,
    expectedRevision: slow.revision,
    automation: byHand('Quick now', server.url('/slow')),
  });
  expect(acknowledged.kind).toBe('saved');
  await app.kill();
  await new Promise((resolve) => setTimeout(resolve, at + 500 - Date.now()));

  await app.launch();
  const after = await app.openTab(PATH);
  await expect
    .poll(async () => (await after.runs()).map((run) => run.status).sort())
    .toEqual(['interrupted', 'succeeded', 'succeeded']);
  const runs = await after.runs();
  // Acknowledged before the kill, so it is there after it.
  expect((await after.rota.getAutomation(slow.id))?.name).toBe('Quick now');
  expect(runs.filter((run) => run.automationId === slow.id).map((run) => [run.attempt, run.status])).toEqual(
    expect.arrayContaining([
      [1, 'interrupted'],
      [2, 'succeeded'],
    ]),
  );
  expect(runs.find((run) => run.automationId === due)?.latenessMs).toBeGreaterThan(0);
  expect(server.at('/late')).toHaveLength(1);
});
