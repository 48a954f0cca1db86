/**
 * The times of the wall clock that the fields of a cron rule name, one after the other, in a calendar without zones. What
 * days of a month they name depends on nothing but how long it is and the weekday that it begins on: 28 kinds of
 * month, each reckoned once, and then a rule that comes once in decades is found as fast as any.
 */
import { DAY_MS, SECOND_MS } from './time.ts';
import type { LocalMs } from './zone.ts';

/** A field that names values: ascending, none twice. `isAny` when it is `*` or `?`, which restrict nothing. */
export interface CronField {
  readonly values: readonly number[];
  readonly isAny: boolean;
}

/** The day-of-month field. */
export interface CronDays extends CronField {
  /** How many days before the last day of the month: 0 for `L`, n for `L-n`. */
  readonly beforeLast: readonly number[];
  /** For each `nW`: the days to which the nearest working day of the month is meant. */
  readonly nearest: readonly number[];
  /** `LW`: the last working day. */
  readonly lastWorking: boolean;
}

/** The weekday field; 0 is Sunday. */
export interface CronWeekdays extends CronField {
  /** For each `MON#2`: the weekday, and which of its month; 0 for the last. */
  readonly counted: readonly { readonly weekday: number; readonly which: number }[];
  /** Whether a day must fit the day-of-month field too (`+`), and not either of them. */
  readonly and: boolean;
}

/** A cron rule as read. */
export interface CronFields {
  readonly second: CronField;
  readonly minute: CronField;
  readonly hour: CronField;
  readonly day: CronDays;
  /** 1 is January. */
  readonly month: CronField;
  readonly weekday: CronWeekdays;
  readonly year: CronField;
}

/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4;
const SATURDAY = 6;

/** Answers with the first time strictly after another one that `fields` name, or with `null` when there is none. */
export function cronTimes(fields: CronFields): (after: LocalMs) => LocalMs | null {
  const { month, year } = fields;
  const years = new Set(year.values);
  const [firstYear = Infinity] = year.values;
  const lastYear = year.values.at(-1) ?? -Infinity;
  const kinds = new Map<number, readonly number[]>();
  /** The days of a month that the rule names, by the number of its first day since 1970 and its length. */
  const daysOf = (start: number, length: number): readonly number[] => {
    const first = weekdayOf(start);
    const kind = length * 7 + first;
    let days = kinds.get(kind);
    if (days === undefined) {
      days = daysOfMonth(fields, length, first);
      kinds.set(kind, days);
    }
    return days;
  };
  const opens = timeFrom(fields, 0);

  return (after) => {
    const from = (Math.floor(after / SECOND_MS) + 1) * SECOND_MS;
    const today = Math.floor(from / DAY_MS);
    const date = new Date(today * DAY_MS);
    const begin = { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1 };
    for (let inYear = Math.max(firstYear, begin.year); inYear <= lastYear; inYear++) {
      if (!years.has(inYear)) continue;
      for (const inMonth of month.values) {
        if (inYear === begin.year && inMonth < begin.month) continue;
        const start = Date.UTC(inYear, inMonth - 1) / DAY_MS;
        const length = Date.UTC(inYear, inMonth) / DAY_MS - start;
        for (const day of daysOf(start, length)) {
          const at = start + day - 1;
          if (at < today) continue;
          const time = at === today ? timeFrom(fields, (from - at * DAY_MS) / SECOND_MS) : opens;
          if (time !== null) return at * DAY_MS + time * SECOND_MS;
        }
      }
    }
    return null;
  };
}

/** The first time of day from `least` on, both in seconds since its start; `null` when there is none. */
function timeFrom({ hour, minute, second }: CronFields, least: number): number | null {
  for (const h of hour.values) {
    if (h * 3_600 + 3_599 < least) continue;
    for (const m of minute.values) {
      const start = h * 3_600 + m * 60;
      if (start + 59 < least) continue;
      for (const s of second.values) if (start + s >= least) return start + s;
    }
  }
  return null;
}

/** The days that the rule names of a month with `length` days that begins on the weekday `first`. */
function daysOfMonth({ day, weekday }: CronFields, length: number, first: number): readonly number[] {
  const weekdayIn = (one: number): number => (first + one - 1) % 7;
  const isWorking = (one: number): boolean => weekdayIn(one) !== 0 && weekdayIn(one) !== SATURDAY;
  const all = Array.from({ length }, (_, index) => index + 1);

  const named = new Set<number>(day.isAny ? all : day.values);
  for (const before of day.beforeLast) named.add(length - before);
  for (const one of day.nearest) if (one <= length) named.add(nearestWorking(one, length, isWorking));
  if (day.lastWorking) named.add(all.findLast(isWorking) ?? length);

  const isOnWeekday = (one: number): boolean =>
    weekday.isAny ||
    weekday.values.includes(weekdayIn(one)) ||
    weekday.counted.some(
      (counted) =>
        counted.weekday === weekdayIn(one) &&
        (counted.which === 0 ? one + 7 > length : Math.ceil(one / 7) === counted.which),
    );
  // Two that restrict mean either, unless the rule says both; one that restricts nothing leaves it to the other.
  const isBoth = weekday.and || weekday.isAny || day.isAny;
  return all.filter((one) =>
    isBoth ? named.has(one) && isOnWeekday(one) : named.has(one) || isOnWeekday(one),
  );
}

/** The working day nearest to `day` in the same month. */
function nearestWorking(day: number, length: number, isWorking: (day: number) => boolean): number {
  // Saturday's is the day before and Sunday's the day after, unless that is in another month.
  const candidates = [day, day - 1, day + 1, day - 2, day + 2];
  return candidates.find((one) => one >= 1 && one <= length && isWorking(one)) ?? day;
}

function weekdayOf(day: number): number {
  return (((day + FIRST_WEEKDAY) % 7) + 7) % 7;
}
