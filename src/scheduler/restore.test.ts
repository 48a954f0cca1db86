import { expect, test } from 'vitest';
import { type CommandId, type DefinitionInput, formatBackup } from '../domain/index.ts';
import type { RestoreChoice, RestorePlan } from '../rpc/index.ts';
import { FakeBrowser, type FakeHost, MONDAY, save } from './fake-world.testing.ts';

const quarterHourly: DefinitionInput = {
  name: 'Quarter hourly',
  schedule: { kind: 'every', everyMs: 15 * 60_000, anchor: MONDAY },
  action: { kind: 'remind', message: 'Stretch.' },
};
const COMMAND = '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66' as string as CommandId;

async function planOf(host: FakeHost, text: string): Promise<RestorePlan> {
  const plan = await host.calls.previewRestore({ text });
  if (plan.kind !== 'plan') throw new Error(JSON.stringify(plan.problems));
  return plan;
}

const choose = (plan: RestorePlan, how: RestoreChoice['how']): readonly RestoreChoice[] =>
  plan.items.map(({ index }) => ({ index, how }));

test('the same backup restored twice adds nothing, and what was deleted since stays deleted unless it is chosen', async () => {
  const host = await new FakeBrowser().start();
  const kept = await save(host, quarterHourly);
  const deleted = await save(host, { ...quarterHourly, name: 'Deleted' });
  const { text, automations } = await host.calls.backup();
  expect(automations).toBe(2);
  const before = await planOf(host, text);
  expect(before.items.map(({ state }) => state)).toEqual(['same', 'same']);
  const nothing = { kind: 'restored', ids: [], added: 0, replaced: 0 };
  expect(await host.calls.restore({ text, choices: choose(before, 'add') })).toEqual(nothing);
  await host.calls.removeAutomation({ id: deleted });
  const plan = await planOf(host, text);
  expect(new Map(plan.items.map(({ id, state }) => [id, state]))).toEqual(
    new Map([
      [kept, 'same'],
      [deleted, 'deleted'],
    ]),
  );
  // Nothing is chosen, and nothing is brought back.
  expect(await host.calls.restore({ text, choices: [] })).toEqual(nothing);
  expect(await host.calls.getAutomation(deleted)).toBeNull();
  const first = await host.calls.restore({ text, choices: choose(plan, 'add') });
  expect(first).toEqual({ kind: 'restored', ids: [deleted], added: 1, replaced: 0 });
  expect(await host.calls.restore({ text, choices: choose(plan, 'add') })).toEqual(nothing);
  expect((await host.calls.listAutomations()).items).toHaveLength(2);
  expect(await host.calls.getAutomation(deleted)).toMatchObject({ enabled: false, nextDueAt: null });
});

test('a restore that is asked for again after its host was killed is answered as it was the first time', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const [removed, edited] = [
    await save(host, quarterHourly),
    await save(host, { ...quarterHourly, name: 'Edited' }),
  ];
  const { text } = await host.calls.backup();
  await host.calls.removeAutomation({ id: removed });
  await save(host, { ...quarterHourly, name: 'Edited since' }, edited);
  const { items } = await planOf(host, text);
  const choices = items.map(({ index, state }): RestoreChoice => ({
    index,
    how: state === 'deleted' ? 'add' : 'replace',
  }));
  const first = await host.calls.restore({ commandId: COMMAND, text, choices });
  expect(first).toMatchObject({ kind: 'restored', added: 1, replaced: 1 });
  host.kill();
  const next = await browser.start();
  expect(await next.calls.restore({ commandId: COMMAND, text, choices })).toEqual(first);
  expect((await next.calls.listAutomations()).items).toHaveLength(2);
});

test('what a restore replaces is paused afterwards, whatever it and the backup say', async () => {
  const host = await new FakeBrowser().start();
  const id = await save(host, quarterHourly);
  const { text } = await host.calls.backup();
  await save(host, { ...quarterHourly, name: 'Renamed' }, id);
  const plan = await planOf(host, text);
  expect(plan).toMatchObject({ isOwn: true, items: [{ state: 'changed', nameHere: 'Renamed' }] });
  // It is here, so adding it adds nothing.
  expect(await host.calls.restore({ text, choices: choose(plan, 'add') })).toMatchObject({ ids: [] });
  expect(await host.calls.restore({ text, choices: choose(plan, 'replace') })).toMatchObject({ replaced: 1 });
  expect(await host.calls.getAutomation(id)).toMatchObject({
    name: 'Quarter hourly',
    enabled: false,
    nextDueAt: null,
  });
});

test('a restore does all that was chosen or nothing, and names what it cannot do', async () => {
  const host = await new FakeBrowser().start();
  const parent = await save(host, quarterHourly);
  const child = await save(host, {
    ...quarterHourly,
    name: 'After it',
    schedule: { kind: 'after', automation: parent, on: 'success' },
  });
  const { text } = await host.calls.backup();
  await host.calls.removeAutomation({ id: child });
  await host.calls.removeAutomation({ id: parent });
  const { items } = await planOf(host, text);
  const [ofChild] = items.filter(({ id }) => id === child);
  const alone = items.flatMap(({ index }): readonly RestoreChoice[] =>
    index === ofChild?.index ? [{ index, how: 'add' }] : [],
  );
  expect(await host.calls.restore({ text, choices: alone })).toEqual({
    kind: 'invalid',
    problems: [{ path: 'choices', message: 'What After it runs after is neither here nor chosen.' }],
  });
  expect(await host.calls.restore({ text, choices: [{ index: 9, how: 'add' }] })).toMatchObject({
    kind: 'invalid',
    problems: [{ path: 'choices.9' }],
  });
  expect((await host.calls.listAutomations()).items).toEqual([]);
  const both = items.map(({ index }): RestoreChoice => ({ index, how: 'add' }));
  const result = await host.calls.restore({ text, choices: both });
  // What is followed comes first.
  expect(result).toEqual({ kind: 'restored', ids: [parent, child], added: 2, replaced: 0 });
});

test('what one automation of a backup lacks is told of that one, and the others can be restored', async () => {
  const host = await new FakeBrowser().start();
  const id = await save(host, quarterHourly);
  const { text } = await host.calls.backup();
  await host.calls.removeAutomation({ id });
  const backup = JSON.parse(text) as { automations: Record<string, unknown>[] };
  const [good] = backup.automations;
  const broken = { ...good, id: crypto.randomUUID(), action: { kind: 'remind', message: '{{ nothing( }}' } };
  const mixed = JSON.stringify({ ...backup, automations: [broken, good] });
  const plan = await planOf(host, mixed);
  expect(plan.items).toMatchObject([
    { state: 'bad', id: null, problems: [{ path: expect.stringContaining('action.message') as string }] },
    { state: 'deleted', id },
  ]);
  expect(await host.calls.restore({ text: mixed, choices: [{ index: 0, how: 'add' }] })).toMatchObject({
    kind: 'invalid',
  });
  expect(await host.calls.restore({ text: mixed, choices: [{ index: 1, how: 'add' }] })).toMatchObject({
    kind: 'restored',
    ids: [id],
  });
});

test('a restore that the database refuses leaves everything as it was, and can be asked for again', async () => {
  const host = await new FakeBrowser().start();
  const id = await save(host, quarterHourly);
  const { text } = await host.calls.backup();
  await save(host, { ...quarterHourly, name: 'Renamed' }, id);
  const choices = choose(await planOf(host, text), 'replace');
  host.storage.fails('importSteps', { times: 1 });
  await expect(host.calls.restore({ text, choices })).rejects.toThrow();
  expect(await host.calls.getAutomation(id)).toMatchObject({ name: 'Renamed' });
  expect(await host.calls.restore({ text, choices })).toMatchObject({ kind: 'restored', replaced: 1 });
});

test('a backup of a database that was lost has what is new to this one', async () => {
  const host = await new FakeBrowser().start();
  await save(host, quarterHourly);
  const { text } = await host.calls.backup();
  const other = await new FakeBrowser().start();
  const plan = await planOf(other, text);
  expect(plan).toMatchObject({ isOwn: false, items: [{ state: 'new' }] });
  expect((await other.calls.upkeep()).ledger).not.toBe((await host.calls.upkeep()).ledger);
});

test('what is no backup is refused with what is wrong with it', async () => {
  const host = await new FakeBrowser().start();
  const at = MONDAY;
  const named = formatBackup([], { ledger: 'one', at }).replace('"one"', '1');
  for (const text of ['', '{}', named, '{"format":"rota","version":2}']) {
    expect(await host.calls.previewRestore({ text })).toMatchObject({ kind: 'invalid' });
    expect(await host.calls.restore({ text, choices: [] })).toMatchObject({ kind: 'invalid' });
  }
});
