/** Weekdays and one time of day, as a cron rule that most people need not see. */
import { DAY_NAMES } from '../text/calendar-names.ts';

/** Days by their cron number: 0 is Sunday, 6 is Saturday. */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

const WEEK: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6];
/** Monday to Friday, what most people's working week is. */
export const WEEKDAYS_MON_FRI: readonly Weekday[] = [1, 2, 3, 4, 5];
/** The whole week. */
export const EVERY_DAY: readonly Weekday[] = WEEK;

/** The days of a week on which, and the time at which, something is due. */
export interface DaysRule {
  /** In ascending order. Empty while none is chosen. */
  readonly days: readonly Weekday[];
  /** `HH:MM` as `<input type="time">` gives it; empty while none is entered. */
  readonly time: string;
}

/** `expression` as days and a time, or `null` when it says anything else. */
export function daysOf(expression: string): DaysRule | null {
  const [minute, hour, dayOfMonth, month, week, ...rest] = expression.trim().toLowerCase().split(/\s+/);
  if (minute === undefined || hour === undefined || week === undefined || rest.length > 0) return null;
  if (dayOfMonth !== '*' || month !== '*') return null;
  if (!/^[0-5]?\d$/.test(minute) || !/^([01]?\d|2[0-3])$/.test(hour)) return null;
  const days = week === '*' ? EVERY_DAY : listed(week);
  return days === null ? null : { days, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

/** The five-field cron rule for `rule`, or `null` while no day is chosen or the time is no time. */
export function expressionOf({ days, time }: DaysRule): string | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)/.exec(time);
  if (match === null || days.length === 0) return null;
  return `${Number(match[2])} ${Number(match[1])} * * ${weekText(days)}`;
}

/** What cron calls `day`: `sun` to `sat`. */
export function weekdayName(day: Weekday): string {
  return DAY_NAMES[day];
}

/** The day that cron calls `text`, by name or number (7 is Sunday too); `null` for anything else. */
export function weekdayOf(text: string): Weekday | null {
  const day = numberOf(text) % 7;
  return WEEK.find((one) => one === day) ?? null;
}

/** `days` with `day` put in or taken out. */
export function toggled(days: readonly Weekday[], day: Weekday): readonly Weekday[] {
  return WEEK.filter((one) => days.includes(one) !== (one === day));
}

/** The days of the week, beginning with the one that `locale` begins with. */
export function weekOf(locale: string): readonly Weekday[] {
  const first = firstDay(locale) % 7;
  return [...WEEK.slice(first), ...WEEK.slice(0, first)];
}

/** 1 is Monday and 7 is Sunday; Monday where the browser does not say. */
function firstDay(locale: string): number {
  const info = new Intl.Locale(locale) as Intl.Locale & {
    getWeekInfo?: () => { readonly firstDay: number };
    weekInfo?: { readonly firstDay: number };
  };
  return (info.getWeekInfo?.() ?? info.weekInfo)?.firstDay ?? 1;
}

function weekText(days: readonly Weekday[]): string {
  if (days.length === WEEK.length) return '*';
  if (days.join() === WEEKDAYS_MON_FRI.join()) return 'mon-fri';
  return days.map((day) => DAY_NAMES[day]).join(',');
}

function listed(text: string): readonly Weekday[] | null {
  const days = new Set<number>();
  for (const item of text.split(',')) {
    const [from, to = from, ...rest] = item.split('-').map(numberOf);
    if (from === undefined || to === undefined || Number.isNaN(from + to) || rest.length > 0 || from > to)
      return null;
    for (let day = from; day <= to; day += 1) days.add(day % 7);
  }
  return WEEK.filter((day) => days.has(day));
}

function numberOf(text: string): number {
  if (/^[0-7]$/.test(text)) return Number(text);
  const index = DAY_NAMES.indexOf(text as (typeof DAY_NAMES)[number]);
  return index === -1 ? Number.NaN : index;
}
