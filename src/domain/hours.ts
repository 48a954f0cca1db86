import { readTime } from './local-time.ts';
import type { EverySchedule } from './schedule.ts';
import { DAY_MS, type DurationMs, type EpochMs } from './time.ts';
import { type LocalMs, resolveLocal, spanAt } from './zone.ts';

/** The active hours and days of an interval, in its zone. */
export interface ActiveHours {
  /** From the start of the day to the first and to the last time that is active. */
  readonly opensMs: DurationMs;
  readonly closesMs: DurationMs;
  /** 0 is Sunday. */
  readonly days: ReadonlySet<number>;
  readonly timeZone: string;
}

const WEEK = [0, 1, 2, 3, 4, 5, 6];
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;
/** In so many days each weekday has come, also with one that the calendar left out. */
const LOOKED_AHEAD_DAYS = 15;

/** The active hours that `schedule` names; `null` when it is active at all times, or does not say in which zone. */
export function activeHours(schedule: EverySchedule): ActiveHours | null {
  const { hours, days, timeZone } = schedule;
  if ((hours === undefined && days === undefined) || timeZone === undefined) return null;
  const opensMs = hours === undefined ? 0 : (readTime(hours.from) ?? 0);
  const until = hours === undefined ? DAY_MS - 1 : (readTime(hours.until) ?? 0);
  // Hours that end before they begin go over midnight.
  return {
    opensMs,
    closesMs: until < opensMs ? until + DAY_MS : until,
    days: new Set(days ?? WEEK),
    timeZone,
  };
}

/** How long the active hours of one day are. */
export function lengthOf({ opensMs, closesMs }: ActiveHours): DurationMs {
  return closesMs - opensMs;
}

/** Whether `at` is in the active hours. */
function isActiveAt(hours: ActiveHours, at: EpochMs): boolean {
  const local = at + spanAt(hours.timeZone, at).offsetMs;
  const today = Math.floor(local / DAY_MS);
  return [today, today - 1].some((day) => {
    const since = local - day * DAY_MS;
    return hours.days.has(weekdayOf(day)) && since >= hours.opensMs && since <= hours.closesMs;
  });
}

/** The first instant from `at` on that is in the active hours; `null` when none comes in the next days. */
export function nextActive(hours: ActiveHours, at: EpochMs): EpochMs | null {
  if (isActiveAt(hours, at)) return at;
  const span = spanAt(hours.timeZone, at);
  const today = Math.floor((at + span.offsetMs) / DAY_MS);
  // Clocks that go back can lead into hours that were over.
  const returns = span.until - at < DAY_MS && isActiveAt(hours, span.until) ? span.until : Infinity;
  for (let day = today - 1; day < today + LOOKED_AHEAD_DAYS; day++) {
    if (!hours.days.has(weekdayOf(day))) continue;
    const opens: LocalMs = day * DAY_MS + hours.opensMs;
    const opening = resolveLocal(hours.timeZone, opens).at;
    // Hours that lie in a gap open when they are over.
    if (opening > at && isActiveAt(hours, opening)) return Math.min(opening, returns);
  }
  return Number.isFinite(returns) ? returns : null;
}

function weekdayOf(day: number): number {
  return (((day + FIRST_WEEKDAY) % 7) + 7) % 7;
}
