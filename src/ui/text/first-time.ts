/** The first time of a calendar interval that was told in words: the day that was named, or the next that fits. Pure. */
import { DAY_MS } from '../../domain/index.ts';

/** A time on the clock. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

/** The day that an interval counts from. */
export type FirstDay =
  /** A date; `year` is `null` where none was written, and is then the one that it is now. */
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number; readonly day: number }
  /** The next day that is so: 0 is Sunday, months begin at 1. */
  | {
      readonly kind: 'next';
      readonly weekday?: number;
      readonly day?: number;
      readonly months?: readonly number[];
    };

/** Twelve years: 29 February comes within them, also over a year 2100 that has none. */
const DAYS_MOST = 12 * 366;

/**
 * The first time as `YYYY-MM-DDTHH:MM`, or `null` when there is no such date.
 *
 * @param now what the clock shows, in the same form; the next day that fits is that of a time later than this.
 */
export function firstTime(first: FirstDay, { hour, minute }: TimeOfDay, now: string): string | null {
  const time = `T${two(hour)}:${two(minute)}`;
  if (first.kind === 'date') {
    const date = `${first.year ?? now.slice(0, 4)}-${two(first.month)}-${two(first.day)}`;
    const at = Date.parse(`${date}T00:00Z`);
    // The 30th of February would pass for the 2nd of March.
    return Number.isFinite(at) && dateText(at) === date ? date + time : null;
  }
  const today = Date.parse(`${now.slice(0, 10)}T00:00Z`);
  for (let ahead = 0; ahead <= DAYS_MOST; ahead += 1) {
    const at = today + ahead * DAY_MS;
    const text = dateText(at) + time;
    if (text > now && fits(first, new Date(at))) return text;
  }
  return null;
}

function fits({ weekday, day, months }: Extract<FirstDay, { kind: 'next' }>, date: Date): boolean {
  if (weekday !== undefined && date.getUTCDay() !== weekday) return false;
  if (day !== undefined && date.getUTCDate() !== day) return false;
  return months === undefined || months.includes(date.getUTCMonth() + 1);
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
