/**
 * The newest runs, which stay live without moving under the reader: rows change in place, and new ones are held back
 * while somebody reads.
 */
import type { RunId } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';

/** One page of the ledger, newest first, as the host gives it. */
export interface RunsPage {
  readonly items: readonly Run[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: RunId;
}

/** What the list holds. Newest first throughout. */
export interface RunsFeed {
  readonly shown: readonly Run[];
  /** Newer rows that are held back. */
  readonly held: readonly Run[];
  /** So many new rows came that those between them and what is shown are not known. */
  readonly gap: boolean;
  /** Where what is older begins; `null` when all is shown. */
  readonly next: RunId | null;
}

/** The feed that shows `page` and nothing else. */
export function startFeed(page: RunsPage): RunsFeed {
  return { shown: page.items, held: [], gap: false, next: page.next ?? null };
}

/**
 * `feed` after its first page was read again. Rows that are on it change in place; rows that should be on it and are
 * not no longer belong to the list. New rows are held back when `hold`, else shown. While held, a row that has come to
 * say nothing new stays a line of its own.
 *
 * @param floor rows up to this one are not the feed's.
 */
export function refreshFeed(
  feed: RunsFeed,
  page: RunsPage,
  hold: boolean,
  floor: RunId | null = null,
): RunsFeed {
  const edge = feed.shown[0]?.id ?? floor;
  const gap = hasGap(feed, page, floor);
  if (edge === null || (gap && !hold)) return startFeed(page);
  const items = page.items.filter(({ id }) => floor === null || id > floor);
  const oldest = items.at(-1);
  const fresh = items.filter(({ id }) => id > edge);
  const complete = page.next === undefined || items.length < page.items.length;
  const known = new Map(items.map((run) => [run.id, run]));
  const shown = feed.shown.flatMap((run) => {
    const now = known.get(run.id);
    if (now !== undefined) return [hold ? inPlace(run, now) : now];
    const belongs = complete || (oldest !== undefined && run.id > oldest.id);
    return belongs && !gap ? [] : [run];
  });
  const next = complete ? null : feed.next;
  return hold
    ? { shown, held: fresh, gap, next }
    : { shown: [...fresh, ...shown], held: [], gap: false, next };
}

/** Whether there may be rows between what `feed` shows, or `floor` below it, and `page`. */
export function hasGap(feed: RunsFeed, page: RunsPage, floor: RunId | null): boolean {
  const edge = feed.shown[0]?.id ?? floor;
  const oldest = page.items.at(-1);
  return edge !== null && oldest !== undefined && page.next !== undefined && oldest.id > edge;
}

/** `now`, which is not folded with others for as long as it was not before. */
export function inPlace(before: Run, now: Run): Run {
  if (before.repeats !== undefined || now.repeats === undefined) return now;
  const alone = { ...now };
  Reflect.deleteProperty(alone, 'repeats');
  return alone;
}

/** `feed` with what was held back in its place. After a gap only the new rows are left, and older ones are read again. */
export function releaseFeed(feed: RunsFeed): RunsFeed {
  if (feed.gap) return { shown: feed.held, held: [], gap: false, next: feed.held.at(-1)?.id ?? feed.next };
  return { ...feed, shown: [...feed.held, ...feed.shown], held: [] };
}
