import { expect, test } from 'vitest';
import type { AutomationId, BulkChange, CommandId, DefinitionInput } from '../domain/index.ts';
// What is loaded with the first change takes turns that nobody counts.
import '../store/bulk.ts';
import './bulk.ts';
import { FakeBrowser, type FakeHost, MONDAY, getting, save } from './fake-world.testing.ts';

const MINUTE = 60_000;
const URL_A = 'https://server.test/a';

const everyMinutes = (minutes: number): DefinitionInput['schedule'] => ({
  kind: 'every',
  everyMs: minutes * MINUTE,
  anchor: MONDAY,
});

/** An automation and all that is pending of it, but for what counts edits. */
async function stateOf(browser: FakeBrowser, id: AutomationId): Promise<unknown> {
  const ledger = await browser.reader();
  const found = await ledger.findAutomation(id);
  if (found === null) return null;
  const { revision: _revision, updatedAt: _at, ...automation } = found.automation;
  return { automation, agenda: await ledger.listAgenda(id) };
}

async function change(host: FakeHost, ids: readonly AutomationId[], what: BulkChange, commandId?: CommandId) {
  const result = await host.calls.changeAutomations({
    ids,
    change: what,
    ...(commandId === undefined ? {} : { commandId }),
  });
  if (result.kind !== 'changed') throw new Error(JSON.stringify(result));
  return result;
}

async function undo(host: FakeHost, of: CommandId) {
  const result = await host.calls.undoChange({ of });
  if (result.kind !== 'undone') throw new Error(result.kind);
  return result;
}

async function severalOf(host: FakeHost, rest: Partial<DefinitionInput> = {}): Promise<AutomationId[]> {
  const ids = [];
  for (const name of ['Ash', 'Birch', 'Cedar'])
    ids.push(await save(host, getting(`https://server.test/${name}`, { name, ...rest })));
  return ids;
}

test('many are paused in one step, and undoing that puts back all of it: the next instant, a retry that waited, the failures', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  browser.server.respond = ({ url }) =>
    Promise.resolve(new Response(null, { status: url.endsWith('Cedar') ? 500 : 204 }));
  const retry = { attempts: 3, firstDelayMs: MINUTE, factor: 1, jitter: 'none' } as const;
  const ids = await severalOf(host, { schedule: everyMinutes(60), rules: { retry } });
  await browser.advance(60.5 * MINUTE);
  const before = await Promise.all(ids.map((id) => stateOf(browser, id)));
  expect(before[2]).toMatchObject({ agenda: [{ cause: 'retry' }, { cause: 'schedule' }] });

  const paused = await change(host, ids, { kind: 'pause', until: MONDAY + 900 * MINUTE });
  expect(paused).toMatchObject({ ids, same: 0, refused: [] });
  expect((await host.calls.orderAutomations({ view: 'paused' })).ids).toEqual(ids);
  expect(await undo(host, paused.undo)).toMatchObject({ ids, refused: [] });
  expect(await Promise.all(ids.map((id) => stateOf(browser, id)))).toEqual(before);
  await browser.advance(60 * MINUTE);
  // The retry that waited has run when it was to, and so has what was due by the hour.
  const rows = (await browser.runs()).filter(({ automationId }) => automationId === ids[2]);
  expect(
    rows.map(({ cause, attempt, claimedAt }) => [cause, attempt, (claimedAt - MONDAY) / MINUTE]),
  ).toEqual([
    ['schedule', 1, 60],
    ['retry', 2, 61],
    ['retry', 3, 62],
    ['schedule', 1, 120],
  ]);
});

test('what fell due while many were paused by mistake is for the rule for missed runs once that is undone', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const [id, ...others] = await severalOf(host, { schedule: everyMinutes(10) });
  if (id === undefined) throw new Error('none');
  const paused = await change(host, [id, ...others], { kind: 'pause' });
  await browser.advance(25 * MINUTE);
  expect(await browser.runs()).toEqual([]);
  await undo(host, paused.undo);
  await browser.quiet();
  const rows = (await browser.runs()).filter(({ automationId }) => automationId === id);
  expect(rows.map(({ status, scheduledFor }) => [status, (scheduledFor - MONDAY) / MINUTE])).toEqual([
    ['missed', 10],
    ['succeeded', 20],
  ]);
});

test('those that are so already are counted, those that are gone or of a newer version are named, and the others change', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const ids = await severalOf(host, { schedule: everyMinutes(10) });
  const [ash, birch, cedar] = ids;
  if (ash === undefined || birch === undefined || cedar === undefined) throw new Error('too few');
  const gone = '00000000-0000-4000-8000-000000000009' as AutomationId;
  await host.calls.setEnabled({ ids: [ash], enabled: false });
  await browser.rewrite('automations', birch, (row) => ({ ...row, schema: 999 }));
  const paused = await change(host, [gone, ...ids], { kind: 'pause' });
  expect(paused).toMatchObject({
    ids: [cedar],
    same: 1,
    refused: [
      { id: gone, why: 'not-found' },
      { id: birch, name: 'Birch', why: 'newer-data' },
    ],
  });
  expect(await browser.row('automations', birch)).toMatchObject({ schema: 999, enabled: true });
  // Undoing it resumes what it has paused and no other.
  await undo(host, paused.undo);
  expect((await host.calls.orderAutomations({ view: 'paused' })).ids).toEqual([ash]);
});

test('an undo leaves alone what somebody has changed, deleted or brought back since, and names it', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const ids = await severalOf(host, { schedule: everyMinutes(10) });
  const [ash, birch, cedar] = ids;
  if (ash === undefined || birch === undefined || cedar === undefined) throw new Error('too few');
  const paused = await change(host, ids, { kind: 'pause' });
  await save(host, getting(URL_A, { name: 'Ash tree', enabled: false, schedule: everyMinutes(20) }), ash);
  await host.calls.removeAutomation({ id: birch });
  expect(await undo(host, paused.undo)).toMatchObject({
    ids: [cedar],
    refused: [
      { id: ash, name: 'Ash tree', why: 'changed' },
      { id: birch, why: 'not-found' },
    ],
  });
  expect(await host.calls.getAutomation(ash)).toMatchObject({ enabled: false, name: 'Ash tree' });
  expect(await host.calls.getAutomation(birch)).toBe(null);

  const removed = await change(host, [ash, cedar], { kind: 'remove' });
  await save(host, getting(URL_A, { name: 'Another Ash' }), ash);
  expect(await undo(host, removed.undo)).toMatchObject({
    ids: [cedar],
    refused: [{ id: ash, name: 'Another Ash', why: 'there-again' }],
  });
  // There is no second time.
  expect(await undo(host, removed.undo)).toMatchObject({
    ids: [],
    refused: [
      { id: ash, why: 'there-again' },
      { id: cedar, why: 'there-again' },
    ],
  });
});

test('an undo does not resume what its own failures have paused since, nor pause again what resumed by itself', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  browser.server.respond = () => Promise.resolve(new Response(null, { status: 500 }));
  const rules = { autoPause: { kind: 'after', failures: 2 } } as const;
  const id = await save(host, getting(URL_A, { schedule: everyMinutes(10), rules, enabled: false }));
  const resumed = await change(host, [id], { kind: 'resume' });
  await browser.advance(25 * MINUTE);
  expect(await host.calls.getAutomation(id)).toMatchObject({ pausedBecause: { kind: 'failures' } });
  expect(await undo(host, resumed.undo)).toMatchObject({ ids: [], refused: [{ why: 'changed' }] });

  const other = await save(host, getting('https://server.test/b', { schedule: everyMinutes(60) }));
  const paused = await change(host, [other], { kind: 'pause', until: MONDAY + 30 * MINUTE });
  await browser.advance(10 * MINUTE);
  expect(await host.calls.getAutomation(other)).toMatchObject({ enabled: true });
  expect(await undo(host, paused.undo)).toMatchObject({ ids: [], refused: [{ why: 'changed' }] });
});

test('many are resumed, and undoing that pauses them again for the reason and as long as they were', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  browser.server.respond = () => Promise.resolve(new Response(null, { status: 500 }));
  const rules = { autoPause: { kind: 'after', failures: 2 } } as const;
  const failing = await save(host, getting(URL_A, { schedule: everyMinutes(10), rules }));
  await browser.advance(25 * MINUTE);
  const until = MONDAY + 90 * MINUTE;
  const resting = await save(host, getting('https://server.test/b', { schedule: everyMinutes(60) }));
  await host.calls.setEnabled({ ids: [resting], enabled: false, until });
  const before = await Promise.all([failing, resting].map((id) => stateOf(browser, id)));
  expect(before[0]).toMatchObject({ automation: { enabled: false, failuresInARow: 2 } });

  const resumed = await change(host, [failing, resting], { kind: 'resume' });
  expect(await host.calls.getAutomation(failing)).toMatchObject({ enabled: true, failuresInARow: 0 });
  await undo(host, resumed.undo);
  expect(await Promise.all([failing, resting].map((id) => stateOf(browser, id)))).toEqual(before);
});

test('many are deleted with what they remember, and undoing that brings back their bars, what they remember and what is pending', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  browser.server.respond = () => Promise.resolve(new Response('<p>First</p>'));
  const action = { kind: 'watch', url: URL_A, part: { kind: 'text' } } as const;
  const watch = await save(host, { name: 'Watch', schedule: everyMinutes(10), action });
  const plain = await save(host, getting('https://server.test/b', { schedule: everyMinutes(10) }));
  await browser.advance(25 * MINUTE);
  const before = await Promise.all([watch, plain].map((id) => stateOf(browser, id)));
  expect(before[0]).toMatchObject({ automation: { recent: [{}, {}] } });
  const ledger = await browser.reader();
  const remembered = await ledger.recall(watch, 'watch');
  expect(remembered).not.toBe(undefined);

  const removed = await change(host, [watch, plain], { kind: 'remove' });
  expect(removed.ids).toEqual([watch, plain]);
  expect(await Promise.all([watch, plain].map((id) => stateOf(browser, id)))).toEqual([null, null]);
  expect(await ledger.recall(watch, 'watch')).toBe(undefined);
  await undo(host, removed.undo);
  expect(await Promise.all([watch, plain].map((id) => stateOf(browser, id)))).toEqual(before);
  expect(await ledger.recall(watch, 'watch')).toEqual(remembered);
  await browser.advance(10 * MINUTE);
  expect((await browser.runs()).filter(({ automationId }) => automationId === watch)).toHaveLength(3);
});

test('a run that a deletion has cancelled is in the bar of what is brought back', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  browser.server.respond = () => new Promise(() => undefined);
  const id = await save(host, getting(URL_A));
  await host.calls.runNow({ id });
  await browser.quiet();
  const removed = await change(host, [id], { kind: 'remove' });
  await browser.advance(1_000);
  await undo(host, removed.undo);
  const back = await host.calls.getAutomation(id);
  expect(back).toMatchObject({ active: [], recent: [{ status: 'cancelled' }] });
});

test('a tag is added to many and taken from many; undoing either gives each the tags that it had', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const full = Array.from({ length: 20 }, (_, index) => `tag ${index}`);
  const ids = [
    await save(host, getting(URL_A, { name: 'Has it', tags: ['ops', 'night'] })),
    await save(host, getting(URL_A, { name: 'Lacks it' })),
    await save(host, getting(URL_A, { name: 'Full', tags: full })),
  ];
  const tags = async () => (await host.calls.getAutomations({ ids })).items.map((item) => item.tags);
  const added = await change(host, ids, { kind: 'add-tag', tag: ' ops ' });
  expect(added).toMatchObject({
    ids: ids.slice(1, 2),
    same: 1,
    refused: [{ name: 'Full', why: 'too-many-tags' }],
  });
  expect(await tags()).toEqual([['ops', 'night'], ['ops'], full]);
  const taken = await change(host, ids, { kind: 'remove-tag', tag: 'ops' });
  expect(await tags()).toEqual([['night'], [], full]);
  await undo(host, taken.undo);
  expect(await tags()).toEqual([['ops', 'night'], ['ops'], full]);
  // The way back of the first change is gone with the second: its undo counts as a change too.
  expect(await undo(host, added.undo)).toMatchObject({ ids: [], refused: [{ why: 'changed' }] });
  expect(await host.calls.changeAutomations({ ids, change: { kind: 'add-tag', tag: ' ' } })).toMatchObject({
    kind: 'invalid',
    problems: [{ path: 'change.tag' }],
  });
});

test('a change that a dying host has made is answered by the next one and not made again, and so is its undo', async () => {
  const browser = new FakeBrowser();
  const dying = await browser.start();
  const next = await browser.start();
  const ids = await severalOf(dying, { schedule: everyMinutes(10) });
  const commandId = browser.commandId();
  const late = dying.storage.answersLate('changeMany');
  void dying.calls.changeAutomations({ commandId, ids, change: { kind: 'pause' } });
  await late.reached;
  dying.kill();
  const revision = (await next.calls.getAutomation(ids[0] ?? ('' as AutomationId)))?.revision;
  // Somebody resumes one before the tab has asked again.
  await next.calls.setEnabled({ ids: ids.slice(0, 1), enabled: true });
  const repeated = await change(next, ids, { kind: 'pause' }, commandId);
  expect(repeated).toMatchObject({ ids, same: 0, refused: [], undo: commandId });
  expect(await next.calls.getAutomation(ids[0] ?? ('' as AutomationId))).toMatchObject({
    enabled: true,
    revision: (revision ?? 0) + 1,
  });
  const undoId = browser.commandId();
  const undone = await next.calls.undoChange({ commandId: undoId, of: commandId });
  expect(await next.calls.undoChange({ commandId: undoId, of: commandId })).toEqual(undone);
  expect(undone).toMatchObject({ ids: ids.slice(1), refused: [{ id: ids[0], why: 'changed' }] });
});

test('a change that fails changes nothing, and one whose way back is forgotten says so', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const ids = await severalOf(host, { schedule: everyMinutes(10) });
  host.storage.fails('changeMany', { times: 1 });
  await expect(change(host, ids, { kind: 'pause' })).rejects.toMatchObject({ name: 'QuotaExceededError' });
  expect((await host.calls.orderAutomations({ view: 'paused' })).ids).toEqual([]);
  expect(await host.calls.undoChange({ of: browser.commandId() })).toEqual({ kind: 'not-found' });
});

test('many are run by one command, each once however often it is repeated, within what may run at once', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const ids = await severalOf(host);
  await browser.rewrite('automations', ids[2] ?? '', (row) => ({ ...row, schema: 999 }));
  const commandId = browser.commandId();
  const held = browser.server.holds();
  const first = await host.calls.runAutomations({ commandId, ids });
  expect(first.items.map(({ result }) => result.kind)).toEqual(['claimed', 'claimed', 'newer-data']);
  await browser.quiet();
  await held.answer();
  await held.answer();
  expect(await host.calls.runAutomations({ commandId, ids })).toMatchObject({
    items: first.items.map(({ id, result }) => ({ id, result: { kind: result.kind } })),
  });
  await browser.quiet();
  expect((await browser.runs()).map(({ automationId }) => automationId).sort()).toEqual(
    ids.slice(0, 2).sort(),
  );
});

test('all tabs hear of a change of many', async () => {
  const browser = new FakeBrowser();
  const host = await browser.start();
  const ids = await severalOf(host);
  const tab = await browser.openTab(host);
  tab.heard.length = 0;
  const paused = await change(host, ids, { kind: 'pause' });
  await browser.quiet();
  expect(tab.heard).toContainEqual({ topic: 'automations', touched: ids });
  tab.heard.length = 0;
  await undo(host, paused.undo);
  await browser.quiet();
  expect(tab.heard).toContainEqual({ topic: 'automations', touched: ids });
});
