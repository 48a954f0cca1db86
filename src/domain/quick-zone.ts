/**
 * The spans of zones, read more cheaply than Temporal reads them. A browser's own and the polyfill both take a quarter of a
 * millisecond or more to find a change of the clocks (the polyfill asks a formatter for the parts of thirty dates), and to
 * refuse a rule that can never run every change until the year 2200 has to be looked at. Here a formatter is asked for
 * text, and a change is tried a year after a known one before it is searched for. What is answered is exact either way: an
 * instant is a change only if the clock was seen to differ across it.
 */
import { DAY_MS, type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import type { SpanReader } from './zone-span.ts';

/** Before, there were zones that changed their clocks twice in a week; that is left to Temporal. */
export const QUICK_FROM_MS: EpochMs = Date.UTC(2026, 0);
const LAST_MS: EpochMs = Date.UTC(2201, 0);
/**
 * How far apart the clock is looked at. The shortest time between two changes to come is seven days less an hour, from a
 * Saturday to a Friday (Gaza, around Ramadan); these weeks begin on Thursdays, so that no two are in one.
 */
const WEEK_MS: DurationMs = 7 * DAY_MS;
/** How far a change is looked for: three years. Whether a zone changes its clocks after so long, Temporal decides. */
const WEEKS_MOST = 157;
/** A rule such as "the last Sunday of March" comes so many weeks after the year before. */
const WEEKS_OF_A_YEAR = [52, 53];
/** Two years of changes, for most zones. */
const CHANGES_REMEMBERED = 4;
const SAMPLES_MOST = 500;

const SHOWN = /^(\d\d)\/(\d\d)\/(\d{4}), (\d\d):(\d\d):(\d\d)$/;

interface Clock {
  /** Wall clock minus UTC at an instant; `NaN` where this browser writes dates in a way that was not foreseen. */
  readonly offsetAt: (at: EpochMs) => number;
  /** What a clock with the days of the week shows: the same a week later unless it was changed. */
  readonly face: (at: EpochMs) => string;
  /** The faces that were looked at, by the week. */
  readonly samples: Map<number, string>;
  /** The changes that were found last. */
  readonly changes: EpochMs[];
}

const ZONES_CACHED_MOST = 100;

/**
 * A reader of spans from `first`, which is not before {@link QUICK_FROM_MS}, to 2200, as the formatters of this browser show
 * them. It wants zones that the browser knows, and remembers what it saw.
 */
export function makeQuickReader(first: EpochMs): SpanReader {
  const clocks = new Map<string, Clock>();
  return (timeZone, at, isStart) => {
    if (at < first || at >= LAST_MS) return null;
    const clock = clockOf(clocks, timeZone);
    const offsetMs = clock.offsetAt(at);
    if (Number.isNaN(offsetMs)) return null;
    const until = changeAfter(clock, at, offsetMs);
    const from = until === null || isStart ? at : changeUpTo(clock, at, offsetMs);
    return until === null || from === null ? null : { from, until, offsetMs };
  };
}

function clockOf(clocks: Map<string, Clock>, timeZone: string): Clock {
  let clock = clocks.get(timeZone);
  if (clock === undefined) {
    if (clocks.size >= ZONES_CACHED_MOST) clocks.clear();
    clock = newClock(timeZone);
    clocks.set(timeZone, clock);
  }
  return clock;
}

function newClock(timeZone: string): Clock {
  const time = {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const;
  const face = new Intl.DateTimeFormat('en-US', { ...time, weekday: 'short' });
  const date = new Intl.DateTimeFormat('en-US', {
    ...time,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const offsetAt = (at: EpochMs): number => {
    const [, month, day, year, hour, minute, second] = SHOWN.exec(date.format(at)) ?? [];
    const local =
      Date.UTC(Number(year), Number(month) - 1, Number(day)) +
      Number(hour) * HOUR_MS +
      Number(minute) * MINUTE_MS +
      Number(second) * SECOND_MS;
    return local - wholeSecond(at);
  };
  return { offsetAt, face: (at) => face.format(at), samples: new Map(), changes: [] };
}

/** The first change after `at`. */
function changeAfter(clock: Clock, at: EpochMs, offset: number): EpochMs | null {
  const first = Math.floor(at / WEEK_MS) + 1;
  const next = clock.offsetAt(first * WEEK_MS);
  if (next !== offset) return changeBetween(clock, wholeSecond(at), first * WEEK_MS, offset, next);
  for (let week = first; week < first + WEEKS_MOST; week++) {
    if (sampleOf(clock, week) === sampleOf(clock, week + 1)) continue;
    const [low, high] = [week * WEEK_MS, (week + 1) * WEEK_MS];
    return changeBetween(clock, low, high, offset, clock.offsetAt(high));
  }
  return null;
}

/** The last change that is not after `at`. */
function changeUpTo(clock: Clock, at: EpochMs, offset: number): EpochMs | null {
  const last = Math.ceil(at / WEEK_MS) - 1;
  const before = clock.offsetAt(last * WEEK_MS);
  if (before !== offset) return changeBetween(clock, last * WEEK_MS, wholeSecond(at), before, offset);
  for (let week = last; week > last - WEEKS_MOST && week * WEEK_MS > QUICK_FROM_MS; week--) {
    if (sampleOf(clock, week) === sampleOf(clock, week - 1)) continue;
    const [low, high] = [(week - 1) * WEEK_MS, week * WEEK_MS];
    return changeBetween(clock, low, high, clock.offsetAt(low), offset);
  }
  return null;
}

function sampleOf({ samples, face }: Clock, week: number): string {
  let shown = samples.get(week);
  if (shown === undefined) {
    if (samples.size >= SAMPLES_MOST) samples.clear();
    shown = face(week * WEEK_MS);
    samples.set(week, shown);
  }
  return shown;
}

/** The change after `low` and not after `high`, where the offsets are `before` and `after`. */
function changeBetween(
  { offsetAt, changes }: Clock,
  low: EpochMs,
  high: EpochMs,
  before: number,
  after: number,
): EpochMs {
  for (const change of changes) {
    for (const weeks of WEEKS_OF_A_YEAR) {
      const like = change + weeks * WEEK_MS;
      const isIn = like > low && like <= high;
      if (isIn && offsetAt(like) === after && offsetAt(like - SECOND_MS) === before)
        return remember(changes, like);
    }
  }
  let [from, until] = [low, high];
  while (until - from > SECOND_MS) {
    const middle = wholeSecond((from + until) / 2);
    if (offsetAt(middle) === before) from = middle;
    else until = middle;
  }
  return remember(changes, until);
}

function remember(changes: EpochMs[], change: EpochMs): EpochMs {
  if (!changes.includes(change) && changes.push(change) > CHANGES_REMEMBERED) changes.shift();
  return change;
}

/** Clocks change at whole seconds, and are shown in them. */
function wholeSecond(at: EpochMs): EpochMs {
  return Math.floor(at / SECOND_MS) * SECOND_MS;
}
