import type { DstChoice } from './schedule.ts';
import { DAY_MS, type EpochMs, LAST_INSTANT_MS } from './time.ts';
import { DAYLIGHT_SAVING_MOST_MS, type LocalMs, spanAt } from './zone.ts';
import type { ZoneSpan } from './zone-span.ts';

/** A rule that names times of the wall clock, in a calendar without zones. */
export interface WallClockRule {
  /** Whether its times are fixed. One with a wildcard is due whenever the clock shows one of its times. */
  readonly fixedTime: boolean;
  /** The first time strictly after `after` that the rule names; `null` when there is none. */
  nextLocal(after: LocalMs): LocalMs | null;
}

/**
 * The first instant strictly after `after` at which `rule` is due in `timeZone`, by the one rule for daylight saving
 * (design, "Time"). A fixed time in a gap is due as `dst.gap` says, by default when the clocks have jumped; in an overlap
 * as `dst.overlap` says, by default at the first pass. Any other rule is due whenever the wall clock matches. May be past
 * what a schedule may name; `null` when there is none at all.
 */
export function nextOfRule(
  rule: WallClockRule,
  timeZone: string,
  after: EpochMs,
  dst: DstChoice,
): EpochMs | null {
  return rule.fixedTime ? nextFixed(rule, timeZone, after, dst) : nextMatching(rule, timeZone, after);
}

/** Span by span, because within one the wall clock only goes on; what a change of the clocks does belongs to its end. */
function nextFixed(rule: WallClockRule, timeZone: string, after: EpochMs, dst: DstChoice): EpochMs | null {
  let at = after + 1;
  for (;;) {
    const span = spanAt(timeZone, at);
    const before = Number.isFinite(span.from) ? spanAt(timeZone, span.from - 1).offsetMs : span.offsetMs;
    const moved = nextMoved(rule, span, before, at, dst.gap);
    const shown = rule.nextLocal(firstShown(span, before, at, dst.overlap) - 1);
    const regular = shown === null ? Infinity : shown - span.offsetMs;
    const found = Math.min(moved, regular < endOfShown(timeZone, span, dst.overlap) ? regular : Infinity);
    if (found !== Infinity) return found;
    if (span.until === Infinity) return null;
    // Nothing now and nothing that a clock which goes back within a day could show again: nothing ever.
    if (shown === null && rule.nextLocal(at + span.offsetMs - DAY_MS) === null) return null;
    at = span.until - at > DAY_MS ? Math.max(span.until, later(regular, span)) : span.until;
  }
}

/** Well before the instant of a time that lies in a later span; its end when there is no such time. */
function later(next: EpochMs, span: ZoneSpan): EpochMs {
  return next === Infinity ? span.until : next - 2 * DAY_MS;
}

/** The first instant, not before `at`, of a time that the clocks left out where `span` begins; `Infinity` without one. */
function nextMoved(
  rule: WallClockRule,
  span: ZoneSpan,
  before: number,
  at: EpochMs,
  gap: DstChoice['gap'],
): EpochMs {
  const jump = span.offsetMs - before;
  if (jump <= 0 || jump > DAYLIGHT_SAVING_MOST_MS || gap === 'skip') return Infinity;
  const opens = span.from + before;
  if (gap === 'next-valid') {
    if (at > span.from) return Infinity;
    const named = rule.nextLocal(opens - 1);
    return named !== null && named < opens + jump ? span.from : Infinity;
  }
  const named = rule.nextLocal(Math.max(opens, at + before) - 1);
  return named !== null && named < opens + jump ? named - before : Infinity;
}

/** The earliest wall-clock time of `span`, from `at` on, that may be due: not a second pass where the first is meant. */
function firstShown(span: ZoneSpan, before: number, at: EpochMs, overlap: DstChoice['overlap']): LocalMs {
  const local = at + span.offsetMs;
  return overlap === 'first' && before > span.offsetMs ? Math.max(local, span.from + before) : local;
}

/** The instant of `span` from which nothing of it is due: its end, or before the first pass where the second is meant. */
function endOfShown(timeZone: string, span: ZoneSpan, overlap: DstChoice['overlap']): EpochMs {
  if (overlap !== 'second' || span.until === Infinity) return span.until;
  const back = span.offsetMs - spanAt(timeZone, span.until).offsetMs;
  return back > 0 ? span.until - back : span.until;
}

function nextMatching(rule: WallClockRule, timeZone: string, after: EpochMs): EpochMs | null {
  let at = after + 1;
  while (at <= LAST_INSTANT_MS) {
    const span = spanAt(timeZone, at);
    const local = rule.nextLocal(at + span.offsetMs - 1);
    const next = local === null ? Infinity : local - span.offsetMs;
    if (next < span.until) return next;
    if (span.until === Infinity) return null;
    // Only clocks that go back within a day can show again what is past; without them nothing comes before `next`.
    at = span.until - at > DAY_MS ? Math.max(span.until, next - 2 * DAY_MS) : span.until;
  }
  return null;
}
