/**
 * The cron rules that a form can show as choices, both ways: `recurrenceOf(cronOf(one))` is `one` again, and
 * `cronOf(recurrenceOf(rule))` is due at the same instants as `rule`. What a form cannot show is `null`, and stays a rule.
 */
import { readTime } from './local-time.ts';
import { HOUR_MS, MINUTE_MS } from './time.ts';

/** Which weekday of a month: the first to the fifth, or the last. */
export type NthOfMonth = 1 | 2 | 3 | 4 | 5 | 'last';

/** On which days. Weekdays are numbers, 0 for Sunday, in ascending order. */
export type RecurrenceDays =
  | { readonly kind: 'daily' }
  | { readonly kind: 'weekly'; readonly weekdays: readonly number[] }
  /** In a month without that day it is not due. */
  | { readonly kind: 'day-of-month'; readonly day: number }
  | { readonly kind: 'last-day' }
  | { readonly kind: 'weekday-of-month'; readonly nth: NthOfMonth; readonly weekday: number };

/** Days, and the times of each, as `09:00`, in ascending order. */
export interface Recurrence {
  readonly days: RecurrenceDays;
  readonly times: readonly string[];
}

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/**
 * The five-field cron rule for `recurrence`; `null` when one rule cannot say it: no day or no time, or times whose hours do
 * not all have the same minutes, which take two automations.
 */
export function cronOf({ days, times }: Recurrence): string | null {
  const read = times.map(readTime);
  if (read.length === 0 || read.includes(null)) return null;
  const hours = listOf(read.map((time) => Math.floor((time ?? 0) / HOUR_MS)));
  const minutes = listOf(read.map((time) => ((time ?? 0) % HOUR_MS) / MINUTE_MS));
  if (new Set(read).size !== hours.length * minutes.length) return null;
  const date = dateFields(days);
  return date === null ? null : `${minutes.join(',')} ${hours.join(',')} ${date}`;
}

function dateFields(days: RecurrenceDays): string | null {
  switch (days.kind) {
    case 'daily':
      return '* * *';
    case 'weekly':
      return days.weekdays.length === 0 ? null : `* * ${weekText(listOf(days.weekdays))}`;
    case 'day-of-month':
      return `${days.day} * *`;
    case 'last-day':
      return 'L * *';
    case 'weekday-of-month': {
      const name = NAMES[days.weekday] ?? '';
      return `* * ${days.nth === 'last' ? `${name}#L` : `${name}#${days.nth}`}`;
    }
  }
}

function weekText(weekdays: readonly number[]): string {
  if (weekdays.length === 7) return '0-6';
  if (weekdays.join() === '1,2,3,4,5') return 'mon-fri';
  return weekdays.map((day) => NAMES[day] ?? '').join(',');
}

/** `expression` as choices, or `null` when it says anything that they do not. */
export function recurrenceOf(expression: string): Recurrence | null {
  const [minute, hour, day, month, week, ...rest] = expression.trim().toLowerCase().split(/\s+/);
  if (minute === undefined || hour === undefined || day === undefined || week === undefined) return null;
  if (month !== '*' || rest.length > 0) return null;
  const minutes = numbersIn(minute, 59);
  const hours = numbersIn(hour, 23);
  const days = daysIn(day, week);
  if (minutes === null || hours === null || days === null) return null;
  const times = hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`));
  return { days, times };
}

function daysIn(day: string, week: string): RecurrenceDays | null {
  if (day !== '*' && week !== '*') return null;
  if (day === 'l') return { kind: 'last-day' };
  if (day !== '*') {
    const number = /^\d{1,2}$/.test(day) ? Number(day) : 0;
    return number >= 1 && number <= 31 ? { kind: 'day-of-month', day: number } : null;
  }
  if (week === '*') return { kind: 'daily' };
  const [, name = '', nth] = /^([a-z]{3}|[0-7])(?:#([1-5l])|l)$/.exec(week) ?? [];
  const weekday = name === '' ? null : weekdayIn(name);
  if (weekday !== null) {
    return { kind: 'weekday-of-month', nth: nth === undefined || nth === 'l' ? 'last' : nthOf(nth), weekday };
  }
  const weekdays = weekIn(week);
  return weekdays === null ? null : { kind: 'weekly', weekdays };
}

function nthOf(text: string): NthOfMonth {
  return Number(text) as NthOfMonth;
}

function weekIn(text: string): readonly number[] | null {
  const found: number[] = [];
  for (const item of text.split(',')) {
    const ends = item.split('-').map((end) => (end === '7' ? 7 : weekdayIn(end)));
    const [from, to = from] = ends;
    if (from === undefined || from === null || to === undefined || to === null || ends.length > 2)
      return null;
    // SAT-SUN is the weekend.
    const last = to === 0 && from > 0 && item.endsWith('sun') ? 7 : to;
    if (from > last) return null;
    for (let day = from; day <= last; day++) found.push(day % 7);
  }
  return listOf(found);
}

function weekdayIn(text: string): number | null {
  if (/^[0-7]$/.test(text)) return Number(text) % 7;
  const index = NAMES.indexOf(text);
  return index < 0 ? null : index;
}

/** The numbers of a list such as `0,30`; `null` for any other form of field. */
function numbersIn(text: string, most: number): readonly number[] | null {
  const items = text.split(',');
  if (!items.every((item) => /^\d{1,2}$/.test(item) && Number(item) <= most)) return null;
  return listOf(items.map(Number));
}

function listOf(values: readonly number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
