import { describe, expect, test } from 'vitest';
import { type AutomationId, type RunId, lineOf } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import type { RunsPage } from './runs-feed.ts';
import { LineIds, itemsOf } from './runs-items.ts';
import {
  type RunsList,
  changeable,
  extendNewer,
  extendOlder,
  folded,
  linesOf,
  oneByOne,
  refreshList,
  releaseList,
  startList,
  startListAt,
} from './runs-list.ts';

const idOf = (id: number): RunId => String(id).padStart(4, '0') as RunId;
const run = (id: number, more: Partial<Run> = { repeats: 'no change' }): Run =>
  ({
    id: idOf(id),
    automationId: 'a' as AutomationId,
    automationName: 'A',
    claimedAt: id * 60_000,
    status: 'succeeded',
    ...more,
  }) as Run;
const said = (id: number): Run => run(id, {});
const running = (id: number): Run => run(id, { status: 'running' });
const page = (items: readonly Run[], next?: number): RunsPage => ({
  items,
  ...(next === undefined ? {} : { next: idOf(next) }),
});
const lines = (runs: readonly Run[], next?: number) => ({
  lines: fold([], runs.map(lineOf)),
  ...(next === undefined ? {} : { next: idOf(next) }),
});
const fold = folded();
const told = (list: RunsList, join = fold): string =>
  linesOf(list, join)
    .map((line) =>
      line.count === 1 ? Number(line.run.id) : `${Number(line.run.id)}-${Number(line.oldest.id)}`,
    )
    .join(' ');
const start = (): RunsList =>
  extendOlder(startList(page([run(9), run(8)], 8)), lines([run(7), run(6), said(5), run(4)], 4), fold);

describe('a long list', () => {
  test('folds what is watched with what is below it, and what is older with that', () => {
    expect(told(start())).toBe('9-6 5 4');
    const all = extendOlder(start(), lines([run(3), said(2)]), fold);
    expect(told(all)).toBe('9-6 5 4-3 2');
    expect(all.older).toBeNull();
    expect(told(all, oneByOne)).toContain('9 8');
  });

  test('takes new runs into its first line, and holds them back while somebody reads', () => {
    const newest = page([run(11), run(10), run(9), run(8)], 8);
    expect(told(refreshList(start(), newest, [], false, fold))).toBe('11-6 5 4');
    const held = refreshList(start(), newest, [], true, fold);
    expect(told(held)).toBe('9-6 5 4');
    expect(held.feed.held).toHaveLength(2);
    expect(told(releaseList(held))).toBe('11-6 5 4');
  });

  test('folds a run that has ended only when nobody reads', () => {
    const list = refreshList(start(), page([running(10), run(9), run(8)], 8), [], false, fold);
    expect(told(list)).toBe('10 9-6 5 4');
    const ended = page([run(10), run(9), run(8)], 8);
    const read = refreshList(list, ended, [], true, fold);
    expect(told(read)).toBe('10 9-6 5 4');
    expect(linesOf(read, fold)[0]?.run.status).toBe('succeeded');
    expect(told(refreshList(read, ended, [], false, fold))).toBe('10-6 5 4');
  });

  test('looks again at those further down that may change, and folds them when they have ended', () => {
    const list = extendOlder(start(), lines([running(3), run(2)]), fold);
    expect(changeable(list)).toEqual([idOf(3)]);
    const newest = page([run(9), run(8)], 8);
    expect(told(refreshList(list, newest, [run(3)], true, fold))).toBe('9-6 5 4 3 2');
    expect(told(refreshList(list, newest, [run(3)], false, fold))).toBe('9-6 5 4-2');
  });

  test('begins anew when more has come than a page holds, at once or when what is held back is wanted', () => {
    const newest = page([said(30), said(29)], 29);
    const anew = refreshList(start(), newest, [], false, fold);
    expect([told(anew), anew.older]).toEqual(['30 29', idOf(29)]);
    const held = refreshList(start(), newest, [], true, fold);
    expect(told(held)).toBe('9-6 5 4');
    const released = releaseList(held);
    expect([told(released), released.older]).toEqual(['30 29', idOf(29)]);
  });

  test('that begins at a date grows both ways, and is live once it has reached the newest', () => {
    let list = startListAt(idOf(5), lines([run(4), run(3)], 3));
    expect(told(refreshList(list, page([run(9)], 9), [], false, fold))).toBe('4-3');
    list = extendNewer(list, lines([run(6), run(5)], 6), fold);
    expect(told(list)).toBe('6-3');
    list = extendNewer(list, lines([run(7)]), fold);
    expect(list.newer).toBeNull();
    expect(told(refreshList(list, page([run(9), run(8), run(7)], 7), [], false, fold))).toBe('9-3');
    expect(told(refreshList(list, page([run(9), run(8), run(7)], 7), [], true, fold))).toBe('7-3');
  });

  test('watches no more than some of its newest runs one by one', () => {
    const many = Array.from({ length: 201 }, (_, n) => said(300 - n));
    const list = refreshList(
      startList(page(many.slice(1), 100)),
      page(many.slice(0, 60), 241),
      [],
      false,
      fold,
    );
    expect(list.feed.shown).toHaveLength(100);
    expect(list.below).toHaveLength(101);
    expect(list.older).toBe(idOf(100));
    expect(linesOf(list, fold).map((line) => line.run)).toEqual(many);
  });
});

describe('what stands in it', () => {
  test('keeps its id while runs join it at either end', () => {
    const ids = new LineIds();
    const of = (runs: readonly Run[]) => ids.of(fold([], runs.map(lineOf)));
    const [first] = of([run(5), run(4)]);
    expect(of([run(6), run(5), run(4)])).toEqual([first]);
    expect(of([run(6), run(5), run(4), run(3)])).toEqual([first]);
    expect(of([said(7), run(6), run(5), run(4), run(3)])[1]).toBe(first);
  });

  test('is a line, the runs of an open one, and what is left of it; a new day begins with the first line of it', () => {
    const day = 86_400_000;
    const list = [run(9), run(8), run(7), said(6)].map((one, n) => ({
      ...one,
      claimedAt: 10 * day - n * 1_000 - (n === 3 ? 2 * day : 0),
    }));
    const made = fold([], list.map(lineOf));
    const open = new Map([
      ['one', { newest: idOf(9), runs: list.slice(0, 2), state: 'read' as const }],
      ['two', { newest: idOf(6), runs: [], state: 'read' as const }],
    ]);
    const items = itemsOf(made, ['one', 'two'], open);
    expect(items.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'line one',
      'run one/0009',
      'run one/0008',
      'rest one/rest',
      'line two',
    ]);
    expect(items.map((item) => item.day !== null)).toEqual([true, false, false, false, true]);
  });
});
