/**
 * A list of runs that stays live without moving under the reader: rows change in place, and new ones are held back
 * while somebody reads further down.
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
 * not no longer belong to the list. New rows are held back when `hold`, else shown.
 */
export function refreshFeed(feed: RunsFeed, page: RunsPage, hold: boolean): RunsFeed {
  const [newest] = feed.shown;
  const oldest = page.items.at(-1);
  if (newest === undefined) return startFeed(page);
  const fresh = page.items.filter(({ id }) => id > newest.id);
  const gap = oldest !== undefined && page.next !== undefined && oldest.id > newest.id;
  if (gap && !hold) return startFeed(page);
  const known = new Map(page.items.map((run) => [run.id, run]));
  const complete = page.next === undefined;
  const shown = feed.shown.flatMap((run) => {
    const now = known.get(run.id);
    if (now !== undefined) return [now];
    const belongs = complete || (oldest !== undefined && run.id > oldest.id);
    return belongs && !gap ? [] : [run];
  });
  const next = complete ? null : feed.next;
  return hold
    ? { shown, held: fresh, gap, next }
    : { shown: [...fresh, ...shown], held: [], gap: false, next };
}

/** `feed` with what was held back in its place. After a gap only the new rows are left, and older ones are read again. */
export function releaseFeed(feed: RunsFeed): RunsFeed {
  if (feed.gap) return { shown: feed.held, held: [], gap: false, next: feed.held.at(-1)?.id ?? feed.next };
  return { ...feed, shown: [...feed.held, ...feed.shown], held: [] };
}

/** `feed` with an older page at its end. */
export function extendFeed(feed: RunsFeed, page: RunsPage): RunsFeed {
  const known = new Set(feed.shown.map(({ id }) => id));
  return {
    ...feed,
    shown: [...feed.shown, ...page.items.filter(({ id }) => !known.has(id))],
    next: page.next ?? null,
  };
}

/** `feed` with newer versions of rows that are further down than its first page. */
export function updateFeed(feed: RunsFeed, runs: readonly Run[]): RunsFeed {
  if (runs.length === 0) return feed;
  const newer = new Map(runs.map((run) => [run.id, run]));
  return { ...feed, shown: feed.shown.map((run) => newer.get(run.id) ?? run) };
}
