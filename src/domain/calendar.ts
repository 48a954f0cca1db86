import { assert } from './assert.ts';
import { readDateTime } from './local-time.ts';
import type { CalendarSchedule } from './schedule.ts';
import { DAY_MS } from './time.ts';
import type { WallClockRule } from './wall-next.ts';
import type { LocalMs } from './zone.ts';

/** In so many steps any day of any month has come; a date that has not is in no calendar. */
const STEPS_MOST = 60;
/** Past every time that a schedule may name, in any zone. */
const AFTER_ALL: LocalMs = Date.UTC(2201, 0, 1);

/** The times that a calendar interval names: every n units from its first, at the same time of day. */
export function calendarRule(schedule: CalendarSchedule): WallClockRule {
  const first = timeIn(schedule.first);
  return { fixedTime: true, nextLocal: (after) => (after < first ? first : nextIn(schedule, first, after)) };
}

/** The one time that `local` is. */
export function singleRule(local: string): WallClockRule {
  const only = timeIn(local);
  return { fixedTime: true, nextLocal: (after) => (after < only ? only : null) };
}

function timeIn(text: string): LocalMs {
  const local = readDateTime(text);
  assert(local !== null, `a stored date and time must be readable: ${text}`);
  return local;
}

function nextIn(schedule: CalendarSchedule, first: LocalMs, after: LocalMs): LocalMs | null {
  const { every, unit } = schedule;
  if (unit === 'days' || unit === 'weeks') {
    const step = every * (unit === 'weeks' ? 7 : 1) * DAY_MS;
    return within(first + (Math.floor((after - first) / step) + 1) * step);
  }
  const months = every * (unit === 'years' ? 12 : 1);
  // One too early at most: the month of `after` may have its day before or after it.
  const start = Math.floor(monthsBetween(first, after) / months);
  for (let n = start; n < start + STEPS_MOST; n++) {
    const local = inMonth(first, n * months, schedule.overflow === 'clamp');
    if (local !== null && local > after) return within(local);
  }
  return null;
}

function within(local: LocalMs): LocalMs | null {
  return local < AFTER_ALL ? local : null;
}

function monthsBetween(from: LocalMs, to: LocalMs): number {
  const [a, b] = [new Date(from), new Date(to)];
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth();
}

/** The day and time of `first`, `months` later; `null` in a month without that day, unless its last day will do. */
function inMonth(first: LocalMs, months: number, clamps: boolean): LocalMs | null {
  const date = new Date(first);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + months, date.getUTCDate()];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  if (day > last && !clamps) return null;
  return Date.UTC(year, month, Math.min(day, last)) + (first % DAY_MS);
}
