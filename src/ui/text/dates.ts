/**
 * Dates and times in words. The words are English, so dates are set in English too, in the reader's own variant of it;
 * the clock is always the 24-hour one, because the columns are a timetable and cron rules read the same way.
 *
 * `zone` is an IANA name; left out, it is the browser's own.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type EpochMs } from '../../domain/index.ts';

const languages = typeof navigator === 'undefined' ? [] : navigator.languages;
const LOCALE = languages.find((language) => /^en\b/i.test(language)) ?? 'en-GB';

const formats = new Map<string, Intl.DateTimeFormat>();

function format(options: Intl.DateTimeFormatOptions, at: EpochMs, zone: string | undefined): string {
  // By name also where it is the browser's own: that one can change while the tab is open.
  const timeZone = zone ?? ownZone();
  const key = `${timeZone} ${JSON.stringify(options)}`;
  let made = formats.get(key);
  if (made === undefined) {
    made = new Intl.DateTimeFormat(LOCALE, {
      hourCycle: 'h23',
      ...options,
      timeZone,
    });
    formats.set(key, made);
  }
  return made.format(at);
}

/** How long the browser's zone is not asked for again: it is asked for with each time that is set. */
const ZONE_KEPT_MS = 1_000;
let own = { zone: '', readAt: -Infinity };

/** The browser's own time zone, as an IANA name; a change of it is seen within a second. */
export function ownZone(): string {
  const now = Date.now();
  if (Math.abs(now - own.readAt) >= ZONE_KEPT_MS) {
    own = { zone: new Intl.DateTimeFormat().resolvedOptions().timeZone, readAt: now };
  }
  return own.zone;
}

/** `14:55` */
export function clockTime(at: EpochMs, zone?: string): string {
  return format({ hour: '2-digit', minute: '2-digit' }, at, zone);
}

/** `14:55:07` */
export function clockTimeSeconds(at: EpochMs, zone?: string): string {
  return format({ hour: '2-digit', minute: '2-digit', second: '2-digit' }, at, zone);
}

/** `14:55:07.042`, for what is measured. */
export function clockTimeMs(at: EpochMs, zone?: string): string {
  return `${clockTimeSeconds(at, zone)}.${String(((at % 1000) + 1000) % 1000).padStart(3, '0')}`;
}

/** `Fri 25 Dec`, with the year when it is not the year of `now`. */
export function shortDate(at: EpochMs, now: EpochMs, zone?: string): string {
  const sameYear = format({ year: 'numeric' }, at, zone) === format({ year: 'numeric' }, now, zone);
  const weekday = format({ weekday: 'short' }, at, zone);
  const date = format(
    { day: 'numeric', month: 'short', ...(sameYear ? {} : { year: 'numeric' as const }) },
    at,
    zone,
  );
  return `${weekday} ${date}`.replaceAll(',', '');
}

/** `Dec` */
export function monthText(at: EpochMs, zone?: string): string {
  return format({ month: 'short' }, at, zone);
}

/** `Monday 30 November`, with the year when it is not the year of `now`. */
export function longDate(at: EpochMs, now: EpochMs, zone?: string): string {
  const sameYear = format({ year: 'numeric' }, at, zone) === format({ year: 'numeric' }, now, zone);
  const date = format(
    { day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' as const }) },
    at,
    zone,
  );
  return `${format({ weekday: 'long' }, at, zone)} ${date}`;
}

/** The shortest that is clear beside a relative time: `14:55` today, tomorrow and yesterday, else `Fri 25 Dec 16:00`. */
export function shortDateTime(at: EpochMs, now: EpochMs, zone?: string): string {
  if (Math.abs(daysBetween(now, at, zone)) <= 1) return clockTime(at, zone);
  return `${shortDate(at, now, zone)} ${clockTime(at, zone)}`;
}

/** The same, but clear on its own: `today 14:55`, `yesterday 23:10`, `Fri 25 Dec 16:00`. */
export function namedDateTime(at: EpochMs, now: EpochMs, zone?: string): string {
  return `${dayName(at, now, zone) ?? shortDate(at, now, zone)} ${clockTime(at, zone)}`;
}

/** A stretch, clear on its own: `today 14:55`, `today 04:10 to 08:42`, `yesterday 23:10 to today 08:42`. */
export function namedStretch(from: EpochMs, until: EpochMs, now: EpochMs, zone?: string): string {
  const [start, end] = [namedDateTime(from, now, zone), namedDateTime(until, now, zone)];
  if (start === end) return start;
  return `${start} to ${daysBetween(from, until, zone) === 0 ? clockTime(until, zone) : end}`;
}

/** `Friday 25 December 2026, 16:00:00 Europe/Paris`: everything, for a title. */
export function fullDateTime(at: EpochMs, zone?: string): string {
  const weekday = format({ weekday: 'long' }, at, zone);
  const date = format({ day: 'numeric', month: 'long', year: 'numeric' }, at, zone);
  return `${weekday} ${date}, ${clockTimeSeconds(at, zone)} ${zone ?? ownZone()}`;
}

/** Machine-readable, for `<time datetime>`. */
export function isoDateTime(at: EpochMs): string {
  return new Date(at).toISOString();
}

/**
 * How far `at` is from `now`, in the largest unit that says enough: `in 42 s`, `in 2 min`, `in 1 h 20 min`, `tomorrow`,
 * `in 26 days`; `4 s ago`, `yesterday`. Rounds down: something is never said to be nearer than it is by a whole unit.
 */
export function relativeTime(at: EpochMs, now: EpochMs, zone?: string): string {
  const span = spanText(Math.abs(at - now), daysBetween(now, at, zone));
  if (span === null) return 'now';
  if (span.kind === 'day') return at > now ? 'tomorrow' : 'yesterday';
  return at > now ? `in ${span.text}` : `${span.text} ago`;
}

/** Calendar days from `from` to `to` in `zone`: 1 when `to` is on the next date, whatever the hours. */
export function daysBetween(from: EpochMs, to: EpochMs, zone?: string): number {
  return dayNumber(to, zone) - dayNumber(from, zone);
}

type Span = { readonly kind: 'span'; readonly text: string } | { readonly kind: 'day' };

function spanText(ms: number, days: number): Span | null {
  const away = Math.abs(days);
  if (ms < SECOND_MS) return null;
  if (ms < MINUTE_MS) return { kind: 'span', text: `${Math.floor(ms / SECOND_MS)} s` };
  if (ms < HOUR_MS) return { kind: 'span', text: `${Math.floor(ms / MINUTE_MS)} min` };
  if (ms < 12 * HOUR_MS || away === 0) {
    const hours = Math.floor(ms / HOUR_MS);
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    return { kind: 'span', text: hours < 3 && minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h` };
  }
  if (away === 1) return { kind: 'day' };
  if (away < 60) return { kind: 'span', text: `${away} days` };
  if (away < 730) return { kind: 'span', text: `${Math.floor(away / 30.44)} months` };
  return { kind: 'span', text: `${Math.floor(away / 365.25)} years` };
}

function dayName(at: EpochMs, now: EpochMs, zone: string | undefined): string | null {
  switch (daysBetween(now, at, zone)) {
    case 0:
      return 'today';
    case 1:
      return 'tomorrow';
    case -1:
      return 'yesterday';
    default:
      return null;
  }
}

/** Number of the calendar day that `at` falls on in `zone`. */
function dayNumber(at: EpochMs, zone: string | undefined): number {
  if (zone === undefined) {
    const date = new Date(at);
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
  }
  const part = (options: Intl.DateTimeFormatOptions): number => Number(format(options, at, zone));
  return (
    Date.UTC(part({ year: 'numeric' }), part({ month: 'numeric' }) - 1, part({ day: 'numeric' })) / DAY_MS
  );
}
