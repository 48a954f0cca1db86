import { assert } from './assert.ts';
import { type TemporalApi, readQuickly, temporal } from './temporal.ts';
import { DAY_MS, type DurationMs, type EpochMs, HOUR_MS } from './time.ts';
import type { ZoneSpan } from './zone-span.ts';

/** A date and time of the wall clock with no zone, as the epoch milliseconds that it would have in UTC. */
export type LocalMs = number;

/** A jump of the clocks longer than this is a correction of the calendar, as in Samoa on 2011-12-30, not daylight saving. */
export const DAYLIGHT_SAVING_MOST_MS: DurationMs = 3 * HOUR_MS;

/** Offsets from UTC and jumps of daylight saving are shorter than this, in every zone and year. */
const OFFSET_MOST_MS: DurationMs = DAY_MS;

/** Whether this browser knows `name` as an IANA time zone. Links such as `Asia/Calcutta` count; offsets do not. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9+\-_/]*$/.test(name)) return false;
  try {
    temporal().Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

const ZONES_CACHED_MOST = 100;
const spansByZone = new Map<string, ZoneSpan[]>();
/** Whose spans these are: another Temporal may come with another zone database. */
let spansOf: TemporalApi | null = null;

/**
 * The span of `timeZone` that holds the instant `at`. Spans are remembered, because a browser's zone database does not
 * change while it runs. Asserts {@link isTimeZone}: no other zone is ever put in the place of an unknown one.
 */
export function spanAt(timeZone: string, at: EpochMs): ZoneSpan {
  if (spansOf !== temporal()) {
    spansOf = temporal();
    spansByZone.clear();
  }
  let spans = spansByZone.get(timeZone);
  if (spans === undefined) {
    assert(isTimeZone(timeZone), `a stored time zone must be known: ${timeZone}`);
    if (spansByZone.size >= ZONES_CACHED_MOST) spansByZone.clear();
    spans = [];
    spansByZone.set(timeZone, spans);
  }
  const known = spans.find((span) => at >= span.from && at < span.until);
  if (known !== undefined) return known;
  // A walk from span to span asks where one ends, and to look for what is known already is half of the work.
  const isStart = spans.some(({ until }) => until === at);
  const span = readQuickly(timeZone, at, isStart) ?? readSpan(timeZone, at, isStart);
  spans.push(span);
  return span;
}

function readSpan(timeZone: string, at: EpochMs, isStart: boolean): ZoneSpan {
  const zoned = temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  // "previous" leaves out a change at the very instant; a millisecond later it is included.
  const from = isStart
    ? at
    : (zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds ?? -Infinity);
  const until = zoned.getTimeZoneTransition('next');
  return {
    from,
    until: until === null ? Infinity : until.epochMilliseconds,
    offsetMs: zoned.offsetNanoseconds / 1e6,
  };
}

/**
 * What the clocks of a zone do at a time of day.
 *
 * - `exact`: it comes once.
 * - `overlap`: the clocks go back over it and it comes twice.
 * - `gap`: the clocks go forward over it; `at` is the first instant after the gap.
 * - `missing`: the calendar leaves it out, by a jump of more than three hours; `at` is the first instant after the jump.
 */
export type Resolution =
  | { readonly kind: 'exact'; readonly at: EpochMs }
  | { readonly kind: 'overlap'; readonly at: EpochMs; readonly second: EpochMs }
  | { readonly kind: 'gap' | 'missing'; readonly at: EpochMs; readonly jumpMs: DurationMs };

/**
 * Resolves the wall-clock time `local` in `timeZone`. The rule for daylight saving (design, "One rule", which is
 * cronie's) reads off it: a fixed time is due at `at` unless it is missing, and any other rule follows the instants whose
 * wall clock shows the time, which are none in a gap and both in an overlap.
 */
export function resolveLocal(timeZone: string, local: LocalMs): Resolution {
  let span = spanAt(timeZone, local - OFFSET_MOST_MS);
  while (local - span.offsetMs >= span.until) {
    const next = spanAt(timeZone, span.until);
    if (local - next.offsetMs < next.from) {
      const jumpMs = next.offsetMs - span.offsetMs;
      return { kind: jumpMs > DAYLIGHT_SAVING_MOST_MS ? 'missing' : 'gap', at: next.from, jumpMs };
    }
    span = next;
  }
  const at = local - span.offsetMs;
  assert(at >= span.from, 'a time of day is looked for from before its instant');
  if (at >= span.until - OFFSET_MOST_MS) {
    const second = local - spanAt(timeZone, span.until).offsetMs;
    if (second >= span.until) return { kind: 'overlap', at, second };
  }
  return { kind: 'exact', at };
}
