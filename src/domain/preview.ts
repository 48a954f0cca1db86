import { nextAfter, ruleOf } from './instants.ts';
import { dateAt, firstInstantOf, lastInstantOf } from './local-time.ts';
import {
  type CalendarSchedule,
  type DstChoice,
  type Repeating,
  type Schedule,
  dstOf,
  isRepeating,
  zoneOf,
} from './schedule.ts';
import { temporal } from './temporal.ts';
import { DAY_MS, type DurationMs, type EpochMs, MINUTE_MS } from './time.ts';
import type { WallClockRule } from './wall-next.ts';
import { type LocalMs, resolveLocal, spanAt } from './zone.ts';

/** One of the next instants of a schedule. */
export interface PreviewInstant {
  readonly at: EpochMs;
  /** RFC 9557 text with offset and zone, such as `2026-03-29T03:00:00+02:00[Europe/Berlin]`. */
  readonly local: string;
  /** What daylight saving does to it: `moved from 02:30, clocks go forward`. */
  readonly remark?: string;
}

/**
 * The next `count` instants of `schedule` strictly after `from`; fewer when it ends before. What is said of an instant
 * depends on nothing but the instant, so that a later preview says the same. The same conditions as {@link nextAfter}.
 *
 * @param timeZone the zone to show a schedule in that has none of its own (`once`, `every`).
 */
export function previewSchedule(
  schedule: Schedule,
  from: EpochMs,
  count: number,
  timeZone: string,
): readonly PreviewInstant[] {
  const zone = zoneOf(schedule) ?? timeZone;
  const instants: PreviewInstant[] = [];
  let at = nextAfter(schedule, from);
  while (at !== null && instants.length < count) {
    const remark = remarkOn(schedule, zone, at);
    instants.push({ at, local: localText(zone, at), ...(remark === null ? {} : { remark }) });
    at = nextAfter(schedule, at);
  }
  return instants;
}

/** `at` as RFC 9557 text, with the zone's name as it was typed. */
function localText(timeZone: string, at: EpochMs): string {
  const zoned = temporal().Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  return `${zoned.toString({ timeZoneName: 'never' })}[${timeZone}]`;
}

function remarkOn(schedule: Schedule, timeZone: string, at: EpochMs): string | null {
  const remarks = [
    remarkOnClocks(schedule, timeZone, at),
    schedule.kind === 'calendar' ? remarkOnShortMonth(schedule, timeZone, at) : null,
    isRepeating(schedule) ? remarkOnExcluded(schedule, timeZone, at) : null,
  ].filter((remark) => remark !== null);
  return remarks.length === 0 ? null : remarks.join('; ');
}

function remarkOnClocks(schedule: Schedule, timeZone: string, at: EpochMs): string | null {
  const local = at + spanAt(timeZone, at).offsetMs;
  const resolved = resolveLocal(timeZone, local);
  if (resolved.kind === 'overlap') {
    return `clocks go back, ${at === resolved.at ? 'first' : 'second'} ${timeText(local)}`;
  }
  if (schedule.kind !== 'cron' && schedule.kind !== 'calendar' && schedule.kind !== 'date') return null;
  return remarkOnGap(ruleOf(schedule), dstOf(schedule).gap, timeZone, at);
}

/** That the day of the first time is not in this month, and its last day stands for it. */
function remarkOnShortMonth(
  { first, overflow }: CalendarSchedule,
  timeZone: string,
  at: EpochMs,
): string | null {
  const day = Number(first.slice(8, 10));
  const shown = Number(dateAt(timeZone, at).slice(8, 10));
  return overflow === 'clamp' && day > 28 && shown >= 28 && shown < day
    ? `this month has no day ${day}`
    : null;
}

/** How many excluded dates a remark names. */
const EXCLUDED_TOLD_MOST = 3;

/** That the dates just before `at` had times of the schedule, and are excluded. */
function remarkOnExcluded(schedule: Repeating, timeZone: string, at: EpochMs): string | null {
  const { excluded, ...included } = schedule;
  const today = dateAt(timeZone, at);
  const before = (excluded ?? []).filter((date) => date < today).sort();
  const left: string[] = [];
  for (const date of before.reverse()) {
    const from = firstInstantOf(date, timeZone) ?? at;
    const until = lastInstantOf(date, timeZone) ?? at;
    if (nextAfter(schedule, until) !== at) break;
    const time = nextAfter(included, from - 1);
    if (time !== null && time <= until) left.unshift(date);
    if (left.length > EXCLUDED_TOLD_MOST) break;
  }
  const [only] = left;
  if (only === undefined) return null;
  if (left.length > EXCLUDED_TOLD_MOST) return 'the dates before it are excluded';
  return `${new Intl.ListFormat('en').format(left)} ${left.length === 1 ? 'is' : 'are'} excluded`;
}

/** What became of the times that the clocks left out, when `at` is the first instant of the rule after them. */
function remarkOnGap(
  rule: WallClockRule,
  choice: DstChoice['gap'],
  timeZone: string,
  at: EpochMs,
): string | null {
  const span = spanAt(timeZone, at);
  if (at - span.from > GAP_TOLD_WITHIN_MS) return null;
  const opens = span.from + spanAt(timeZone, span.from - 1).offsetMs;
  const closes = span.from + span.offsetMs;
  if (opens >= closes) return null;
  const skipped = skippedTimes(rule, opens, closes);
  const [first] = skipped;
  if (first === undefined) return null;

  const { kind } = resolveLocal(timeZone, first);
  const local = at + span.offsetMs;
  const what = listText(skipped) + dayText(first, local);
  if (rule.fixedTime && kind === 'gap' && choice === 'shift') {
    const meant = at + opens - span.from;
    const isMoved = meant < closes && rule.nextLocal(meant - 1) === meant;
    return isMoved ? `moved from ${timeText(meant)}${dayText(meant, local)}, clocks go forward` : null;
  }
  if (rule.fixedTime && kind === 'gap' && choice === 'next-valid') {
    return at === span.from ? `moved from ${what}, clocks go forward` : null;
  }
  if (rule.nextLocal(closes - 1) !== local) return null;
  return `${what} left out, ${kind === 'gap' ? 'clocks go forward' : 'the calendar skips that day'}`;
}

/** How long after a gap the next instant of a rule still tells of what fell into it: a leap year, for yearly rules. */
const GAP_TOLD_WITHIN_MS: DurationMs = 366 * DAY_MS;

/** How many times {@link listText} wants to know of. A rule may have thousands in one gap. */
const SKIPPED_TOLD_MOST = 4;

/** The first times of `rule` from `opens` until `closes`. */
function skippedTimes(rule: WallClockRule, opens: LocalMs, closes: LocalMs): readonly LocalMs[] {
  const times: LocalMs[] = [];
  let local = rule.nextLocal(opens - 1);
  while (local !== null && local < closes && times.length < SKIPPED_TOLD_MOST) {
    times.push(local);
    local = rule.nextLocal(local);
  }
  return times;
}

/** `02:00`, `02:00 and 02:30`, `02:00, 02:20 and 02:40`, `02:00, 02:01 and others`. */
function listText(times: readonly LocalMs[]): string {
  const words = times.map(timeText);
  if (words.length >= SKIPPED_TOLD_MOST) words.splice(2, Infinity, 'others');
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

/** Which day `skipped` belongs to, as seen from `shown`; nothing when it is the same. */
function dayText(skipped: LocalMs, shown: LocalMs): string {
  const days = Math.floor(shown / DAY_MS) - Math.floor(skipped / DAY_MS);
  if (days === 0) return '';
  return days === 1 ? ' the day before' : ` on ${new Date(skipped).toISOString().slice(0, 10)}`;
}

/** `02:30`, with the seconds where there are any. */
function timeText(local: LocalMs): string {
  return new Date(local).toISOString().slice(11, local % MINUTE_MS === 0 ? 16 : 19);
}
