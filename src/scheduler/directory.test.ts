import { expect, test } from 'vitest';
import type { Automation, AutomationId } from '../domain/index.ts';
import { automation, automationId } from '../domain/samples.testing.ts';
import type { Ledger } from '../store/index.ts';
import { Directory } from './directory.ts';

const NOBODY: ReadonlySet<AutomationId> = new Set();

/** A ledger that counts what is read of it, and can be written between two reads. */
class Shelf implements Pick<Ledger, 'scanAutomations' | 'findAutomations'> {
  readonly rows = new Map<AutomationId, Automation>();
  scanned = 0;
  found = 0;
  fails = false;
  /** Called after each slice. */
  between = (): void => undefined;

  put(n: number, change: Partial<Automation> = {}): AutomationId {
    const id = automationId(n);
    this.rows.set(id, { ...automation(), name: `Automation ${String(n).padStart(4, '0')}`, ...change, id });
    return id;
  }

  async scanAutomations(after: AutomationId | null, limit: number): ReturnType<Ledger['scanAutomations']> {
    if (this.fails) throw new Error('The disk is gone.');
    const ids = [...this.rows.keys()].sort().filter((id) => after === null || id > after);
    const page = ids.slice(0, limit);
    const items = await this.findAutomations(page);
    this.found -= page.length;
    this.scanned += page.length;
    this.between();
    return { items, next: ids.length > limit ? (page.at(-1) ?? null) : null };
  }

  async findAutomations(ids: readonly AutomationId[]): ReturnType<Ledger['findAutomations']> {
    await Promise.resolve();
    this.found += ids.length;
    return ids.flatMap((id) => {
      const row = this.rows.get(id);
      return row === undefined ? [] : [{ automation: row }];
    });
  }
}

test('all automations are read once, in slices, and then only those that were written', async () => {
  const shelf = new Shelf();
  for (let n = 1; n <= 1_000; n++) shelf.put(n);
  const directory = new Directory(shelf);
  await directory.read();
  expect(shelf.scanned).toBe(1_000);
  expect(directory.order({}, NOBODY).ids).toHaveLength(1_000);
  const before = directory.order({}, NOBODY).version;
  await directory.read();
  directory.touch([shelf.put(7, { name: 'Zebra' }), shelf.put(9)]);
  await directory.read();
  expect([shelf.scanned, shelf.found]).toEqual([1_000, 2]);
  expect(directory.order({}, NOBODY).ids.at(-1)).toBe(automationId(7));
  expect(directory.order({}, NOBODY).version).not.toBe(before);
});

test('a run that changes nothing a list is ordered by leaves its version as it was', async () => {
  const shelf = new Shelf();
  const id = shelf.put(1);
  const directory = new Directory(shelf);
  await directory.read();
  const { version } = directory.order({}, NOBODY);
  directory.touch([shelf.put(1, { fence: 8, updatedAt: 9 })]);
  await directory.read();
  expect(directory.order({}, NOBODY).version).toBe(version);
  expect(directory.order({}, new Set([id])).version).not.toBe(version);
  directory.touch([shelf.put(1, { failuresInARow: 1 })]);
  await directory.read();
  expect(directory.order({}, NOBODY).version).not.toBe(version);
});

test('views, tags and a search over names, tags and addresses find what they say, and counts are of all', async () => {
  const shelf = new Shelf();
  const url = (address: string) => ({ ...automation().action, url: address }) as Automation['action'];
  const api = shelf.put(1, { name: 'the API', tags: ['ops'], action: url('https://one.test/Health') });
  const paused = shelf.put(2, { name: 'Bees', enabled: false, tags: ['garden'] });
  const failing = shelf.put(3, { name: 'Alps', failuresInARow: 2, tags: ['ops'] });
  const directory = new Directory(shelf);
  await directory.read();
  const ids = (query: Parameters<Directory['order']>[0]): readonly AutomationId[] =>
    directory.order(query, NOBODY).ids;
  expect(ids({})).toEqual([failing, paused, api]);
  expect(ids({ view: 'paused' })).toEqual([paused]);
  expect(ids({ view: 'needs-you' })).toEqual([failing]);
  expect(ids({ tag: 'ops' })).toEqual([failing, api]);
  expect(ids({ text: ' API ' })).toEqual([api]);
  expect(ids({ text: 'one.test/health' })).toEqual([api]);
  expect(ids({ text: '#garden' })).toEqual([paused]);
  expect(ids({ view: 'paused', text: 'api' })).toEqual([]);
  expect(directory.order({ text: 'api' }, NOBODY)).toMatchObject({
    counts: { all: 3, 'needs-you': 1, paused: 1 },
    tags: ['garden', 'ops'],
  });
  expect(directory.order({ view: 'needs-you' }, new Set([paused]))).toMatchObject({
    ids: [failing, paused],
    counts: { 'needs-you': 2 },
  });
});

test('what is written while all are read is read again, also where that slice was over', async () => {
  const shelf = new Shelf();
  for (let n = 1; n <= 500; n++) shelf.put(n);
  const directory = new Directory(shelf);
  shelf.between = () => {
    shelf.between = () => undefined;
    directory.touch([shelf.put(1, { name: 'Written meanwhile' })]);
    shelf.rows.delete(automationId(2));
    directory.touch([automationId(2)]);
  };
  await directory.read();
  await directory.read();
  const { ids } = directory.order({ text: 'written' }, NOBODY);
  expect(ids).toEqual([automationId(1)]);
  expect(directory.order({}, NOBODY).counts.all).toBe(499);
});

test('whoever asks while another reads has all that was written before, and not what the other has begun to read', async () => {
  const shelf = new Shelf();
  shelf.put(1);
  const directory = new Directory(shelf);
  const count = async (): Promise<number> => {
    await directory.read();
    return directory.order({}, NOBODY).counts.all;
  };
  expect(await Promise.all([count(), count(), count()])).toEqual([1, 1, 1]);
  directory.touch([shelf.put(2)]);
  const early = count();
  await Promise.resolve();
  directory.touch([shelf.put(3)]);
  expect(await Promise.all([count(), count(), early])).toEqual([3, 3, expect.any(Number)]);
  expect(shelf.scanned).toBe(1);
});

test('after a reading that failed, and when anything may have been written, all are read again', async () => {
  const shelf = new Shelf();
  shelf.put(1);
  const directory = new Directory(shelf);
  shelf.fails = true;
  await expect(directory.read()).rejects.toThrow('The disk is gone.');
  shelf.fails = false;
  await directory.read();
  expect(directory.order({}, NOBODY).counts.all).toBe(1);
  shelf.put(2);
  await directory.read();
  expect(directory.order({}, NOBODY).counts.all).toBe(1);
  directory.touch(null);
  await directory.read();
  expect(directory.order({}, NOBODY).counts.all).toBe(2);
});
