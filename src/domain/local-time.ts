/** Dates and times of the wall clock as text, the way forms and files write them. */
import { spanAt, type LocalMs, resolveLocal } from './zone.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** The start of the day that `text` names as `2026-12-24`; `null` when no calendar from 1970 to 2199 has it. */
export function readDate(text: string): LocalMs | null {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined || Number(year) < 1970 || Number(year) > 2199) return null;
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day));
  return dateText(local) === text ? local : null;
}

/** The wall-clock time that `text` names as `2026-12-24T09:00`, seconds at will; `null` when there is none. */
export function readDateTime(text: string): LocalMs | null {
  const [, date = '', hour, minute, second = '00'] = DATE_TIME.exec(text) ?? [];
  const day = readDate(date);
  if (day === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  return day + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * 1_000;
}

/** How long after the start of a day `text` comes, written as `09:00`; `null` when it is no time of day. */
export function readTime(text: string): number | null {
  const [, hour, minute] = TIME.exec(text) ?? [];
  return hour === undefined ? null : Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS;
}

/** `2026-12-24` */
function dateText(local: LocalMs): string {
  return new Date(local).toISOString().slice(0, 10);
}

/** The date that the wall clock of `timeZone` shows at `at`. */
export function dateAt(timeZone: string, at: EpochMs): string {
  return dateText(at + spanAt(timeZone, at).offsetMs);
}

/** The first instant after the date that the wall clock of `timeZone` shows at `at`. */
export function endOfDay(timeZone: string, at: EpochMs): EpochMs {
  return Math.max(at, lastInstantOf(dateAt(timeZone, at), timeZone) ?? at) + 1;
}

/** The first instant of the date, or of the date and time, in `text`. Asserts nothing: `null` for any other text. */
export function firstInstantOf(text: string, timeZone: string): EpochMs | null {
  const local = readDate(text) ?? readDateTime(text);
  return local === null ? null : resolveLocal(timeZone, local).at;
}

/** The last instant of the date in `text`, or the later one that shows its date and time; `null` for any other text. */
export function lastInstantOf(text: string, timeZone: string): EpochMs | null {
  const day = readDate(text);
  if (day !== null) return resolveLocal(timeZone, day + DAY_MS).at - 1;
  const local = readDateTime(text);
  if (local === null) return null;
  const resolved = resolveLocal(timeZone, local);
  return resolved.kind === 'overlap' ? resolved.second : resolved.at;
}
