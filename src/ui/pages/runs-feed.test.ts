import { describe, expect, test } from 'vitest';
import type { RunId } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { type RunsPage, refreshFeed, releaseFeed, startFeed } from './runs-feed.ts';

const run = (id: number, status = 'succeeded'): Run =>
  ({ id: String(id).padStart(3, '0'), status }) as unknown as Run;
const page = (ids: readonly number[], next?: number): RunsPage => ({
  items: ids.map((id) => run(id)),
  ...(next === undefined ? {} : { next: String(next).padStart(3, '0') as RunId }),
});
const ids = (runs: readonly Run[]): readonly number[] => runs.map(({ id }) => Number(id));

describe('when the first page is read again', () => {
  test('rows change in place and new ones come on top', () => {
    const feed = refreshFeed(
      startFeed(page([3, 2, 1], 1)),
      { ...page([4], 3), items: [run(4), run(3, 'failed')] },
      false,
    );
    expect(ids(feed.shown)).toEqual([4, 3, 2, 1]);
    expect(feed.shown[1]?.status).toBe('failed');
    expect(feed.held).toEqual([]);
  });

  test('new rows are held back while somebody reads, and counted once however often it is read', () => {
    let feed = startFeed(page([3, 2, 1], 1));
    feed = refreshFeed(feed, page([4, 3, 2], 2), true);
    feed = refreshFeed(feed, page([5, 4, 3], 3), true);
    expect(ids(feed.shown)).toEqual([3, 2, 1]);
    expect(ids(feed.held)).toEqual([5, 4]);
    expect(ids(releaseFeed(feed).shown)).toEqual([5, 4, 3, 2, 1]);
  });

  test('rows that no longer belong to the list go, and older ones that were not read again stay', () => {
    const feed = refreshFeed(startFeed(page([5, 4, 3, 2, 1], 1)), page([5, 3], 3), false);
    expect(ids(feed.shown)).toEqual([5, 3, 2, 1]);
  });

  test('a list that became empty is empty', () => {
    expect(refreshFeed(startFeed(page([2, 1])), page([]), false).shown).toEqual([]);
  });

  test('a first row appears in a list that was empty', () => {
    expect(ids(refreshFeed(startFeed(page([])), page([1]), true).shown)).toEqual([1]);
  });

  test('more new rows than a page holds begin the list anew, so that no row is left out unseen', () => {
    const feed = startFeed(page([3, 2, 1], 1));
    expect(ids(refreshFeed(feed, page([9, 8, 7], 7), false).shown)).toEqual([9, 8, 7]);
    const held = refreshFeed(feed, page([9, 8, 7], 7), true);
    expect(ids(held.shown)).toEqual([3, 2, 1]);
    expect(held.gap).toBe(true);
    const released = releaseFeed(held);
    expect(ids(released.shown)).toEqual([9, 8, 7]);
    expect(released.next).toBe('007');
  });
});
