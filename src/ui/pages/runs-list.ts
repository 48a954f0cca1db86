/**
 * A long list of runs: the newest, which are watched one by one, and below them lines that are read as somebody scrolls
 * to them. It can begin anywhere, and then grows in both directions until it has reached the newest.
 */
import { type EpochMs, type RunId, type RunLine, joinLines, lineOf } from '../../domain/index.ts';
import type { Run, RunLinePage } from '../../rpc/index.ts';
import {
  type RunsFeed,
  type RunsPage,
  hasGap,
  inPlace,
  refreshFeed,
  releaseFeed,
  startFeed,
} from './runs-feed.ts';

/** More newest runs than this are not watched one by one: all but {@link WATCHED_LEAST} become lines like the others. */
const WATCHED_MOST = 200;
const WATCHED_LEAST = 100;

/** What the list holds. Newest first throughout. */
export interface RunsList {
  readonly feed: RunsFeed;
  readonly below: readonly RunLine<Run>[];
  /** Where what is older begins; `null` when all of it is here. */
  readonly older: RunId | null;
  /** Where what is newer begins; `null` when the newest are here. */
  readonly newer: RunId | null;
}

/** How lines are joined: folded or not. */
export type Join = (
  newer: readonly RunLine<Run>[],
  older: readonly RunLine<Run>[],
) => readonly RunLine<Run>[];

/** Joins without folding. */
export const oneByOne: Join = (newer, older) => [...newer, ...older];

/** Folds what says nothing new; with `dayOf`, each day by itself. */
export function folded(dayOf?: (at: EpochMs) => number): Join {
  return (newer, older) => joinLines(newer, older, dayOf);
}

const NOTHING: RunsFeed = { shown: [], held: [], gap: false, next: null };

/** The list that begins with the newest runs. */
export function startList(page: RunsPage): RunsList {
  return { feed: startFeed(page), below: [], older: page.next ?? null, newer: null };
}

/** The list that begins with what is older than `at`. */
export function startListAt(at: RunId, page: RunLinePage): RunsList {
  return { feed: NOTHING, below: page.lines, older: page.next ?? null, newer: at };
}

/** The lines that are shown. */
export function linesOf(list: RunsList, join: Join): readonly RunLine<Run>[] {
  return join(join([], list.feed.shown.map(lineOf)), list.below);
}

/** `list` after its newest page was read again, and rows below it that may have changed; see {@link refreshFeed}. */
export function refreshList(
  list: RunsList,
  page: RunsPage,
  others: readonly Run[],
  hold: boolean,
  join: Join,
): RunsList {
  const below = updateLines(list.below, others, hold, join);
  if (list.newer !== null) return { ...list, below };
  const floor = below[0]?.run.id ?? null;
  if (hasGap(list.feed, page, floor) && !hold) return startList(page);
  const feed = refreshFeed(withNewer(list.feed, others, hold), page, hold, floor);
  const older = below.length === 0 ? feed.next : list.older;
  const next = { ...list, feed, below, older };
  return hold ? next : trimmed(next, join);
}

/** `list` with what was held back in its place. */
export function releaseList(list: RunsList): RunsList {
  const feed = releaseFeed(list.feed);
  return list.feed.gap ? { feed, below: [], older: feed.next, newer: null } : { ...list, feed };
}

/** `list` with older lines at its end. */
export function extendOlder(list: RunsList, page: RunLinePage, join: Join): RunsList {
  return { ...list, below: join(list.below, page.lines), older: page.next ?? null };
}

/** `list` with newer lines at its top. */
export function extendNewer(list: RunsList, page: RunLinePage, join: Join): RunsList {
  return { ...list, below: join(page.lines, list.below), newer: page.next ?? null };
}

/** Those runs of `list` that may still change, newest first. */
export function changeable({ feed, below }: RunsList): readonly RunId[] {
  const single = below.filter(({ count }) => count === 1).map(({ run }) => run);
  return [...feed.shown, ...single].filter(mayChange).map(({ id }) => id);
}

function withNewer(feed: RunsFeed, runs: readonly Run[], hold: boolean): RunsFeed {
  if (runs.length === 0) return feed;
  const newer = new Map(runs.map((run) => [run.id, run]));
  const changed = (run: Run): Run => {
    const now = newer.get(run.id);
    if (now === undefined) return run;
    return hold ? inPlace(run, now) : now;
  };
  return { ...feed, shown: feed.shown.map(changed) };
}

function mayChange(run: Run): boolean {
  const isAsked = run.mayHaveHappened === true || run.asks === true;
  return run.status === 'running' || (run.status === 'interrupted' && isAsked && run.answer === undefined);
}

function updateLines(
  lines: readonly RunLine<Run>[],
  runs: readonly Run[],
  hold: boolean,
  join: Join,
): readonly RunLine<Run>[] {
  if (runs.length === 0) return lines;
  const newer = new Map(runs.map((run) => [run.id, run]));
  const now = lines.map((line) => {
    const run = newer.get(line.run.id);
    if (run === undefined || line.count > 1) return line;
    return lineOf(hold ? inPlace(line.run, run) : run);
  });
  return hold ? now : join([], now);
}

function trimmed(list: RunsList, join: Join): RunsList {
  const { shown } = list.feed;
  if (shown.length <= WATCHED_MOST) return list;
  const tail = shown.slice(WATCHED_LEAST);
  const below = join(join([], tail.map(lineOf)), list.below);
  return { ...list, feed: { ...list.feed, shown: shown.slice(0, WATCHED_LEAST) }, below };
}
