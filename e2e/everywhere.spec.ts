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

test('A secret is still sent to its origin after the browser was killed, and nowhere to be read', async ({
  engine,
  place,
  server,
}) => {
  test.setTimeout(150_000);
  const value = 'sesame-1234-open';
  const passphrase = 'correct horse battery';
  const before = await place.openTab();
  const secret = { name: 'API_KEY', value, origins: [new URL(server.url('/')).origin] };
  let saved = await before.rota.saveSecret(secret);
  const keepsKeys = engine !== 'webkit';
  if (!keepsKeys) {
    // WebKitGTK stores no key that nobody can read. It says so, and that a passphrase does without.
    expect(saved).toMatchObject({ kind: 'invalid', problems: [{ path: 'value' }] });
    expect(JSON.stringify(saved)).toContain('cannot keep a key');
    expect(await before.rota.setPassphrase({ next: passphrase })).toEqual({ kind: 'done' });
    saved = await before.rota.saveSecret(secret);
  }
  expect(saved).toMatchObject({ kind: 'saved' });
  const action = {
    kind: 'http' as const,
    url: server.url('/keyed'),
    headers: { 'X-Key': '{{ secrets.API_KEY }}' },
  };
  const id = await before.addOne(byHand('Keyed', '', { action }));
  await place.kill();
  await place.launch();
  const after = await place.openTab();
  if (keepsKeys) {
    expect((await after.rota.runNow({ id })).kind).toBe('claimed');
  } else {
    expect(await after.rota.runNow({ id })).toEqual({ kind: 'waiting', for: 'unlock' });
    expect(await after.rota.unlockSecrets({ passphrase })).toEqual({ kind: 'unlocked' });
  }
  const [run] = await after.expectSettled(1);
  expect(run).toMatchObject({ status: 'succeeded' });
  expect(server.at('/keyed').map((hit) => hit.headers['x-key'])).toEqual([value]);
  expect(JSON.stringify([await after.rota.listSecrets(), run])).not.toContain(value);
});
