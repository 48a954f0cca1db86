/** Stories that are told in every engine, Chromium among them. */
import { byHand, expect } from './app.ts';
import type { HostApi } from './contract.ts';
import type { RotaTab } from './installation.ts';
import { PATH, arm, killHost } from './pause-points.ts';
import { openInTurn, test } from './place.ts';

test('A command that a killed host has not answered is repeated to the next, and done once', async ({
  place,
  server,
}) => {
  const [doomed, witness] = (await openInTurn(place, 2, PATH)) as [RotaTab, RotaTab];
  const id = await doomed.addOne(byHand('Once', server.url('/once')));
  await (
    await arm(witness, 'now')
  ).reached;
  // The host hears nothing any more: this waits for whoever comes after it.
  const pressed: ReturnType<HostApi['runNow']>[] = [];
  await killHost(place, witness, () => {
    pressed.push(witness.rota.runNow({ id }));
  });
  expect(await Promise.all(pressed)).toMatchObject([{ kind: 'claimed' }]);
  expect(await witness.expectSettled(1)).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
  expect(server.at('/once')).toHaveLength(1);
});

test('A script that computes for longer than fits the engine does so in a worker that the tab lends', async ({
  place,
}) => {
  const tab = await place.openTab();
  const id = await tab.addOne({
    name: 'Computes',
    schedule: { kind: 'manual' },
    action: {
      kind: 'script',
      source: 'let n = 0;\nwhile (n < 1e6) n = Math.max(n, n + 1);\nreturn n;',
      computeMs: 120_000,
    },
  });
  await tab.rota.runNow({ id });
  const [run] = await tab.expectSettled(1);
  expect(run).toMatchObject({ status: 'succeeded', summary: 'Returned 1000000' });
});
