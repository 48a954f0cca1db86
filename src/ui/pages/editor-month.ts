/** A day of each month and one time, as a cron rule that most people need not see. */
import { type Weekday, weekdayName, weekdayOf } from './editor-days.ts';

/** Which day of a month: its date, its last day, its last weekday, or its nth or last of a day of the week. */
export type MonthDay = 'date' | 'last-day' | 'last-weekday' | 'nth';
export const NTHS = ['1', '2', '3', '4', 'L'] as const;
export type Nth = (typeof NTHS)[number];

/** A day of each month. Fields that `on` does not use keep what was chosen. */
export interface MonthRule {
  readonly on: MonthDay;
  /** As it is typed: `1` to `31`. */
  readonly date: string;
  readonly nth: Nth;
  readonly weekday: Weekday;
  /** `HH:MM` as `<input type="time">` gives it; empty while none is entered. */
  readonly time: string;
}

/** The first of each month at nine. */
export const FIRST_OF_MONTH: MonthRule = { on: 'date', date: '1', nth: '1', weekday: 1, time: '09:00' };

/** `expression` as a day of the month and a time, or `null` when it says anything else. */
export function monthOf(expression: string): MonthRule | null {
  const [minute, hour, date, month, week, ...rest] = expression.trim().toLowerCase().split(/\s+/);
  if (minute === undefined || hour === undefined || date === undefined || rest.length > 0) return null;
  if (month !== '*' || week === undefined) return null;
  if (!/^[0-5]?\d$/.test(minute) || !/^([01]?\d|2[0-3])$/.test(hour)) return null;
  const rule = { ...FIRST_OF_MONTH, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
  if (week === '*') {
    if (date === 'l') return { ...rule, on: 'last-day' };
    if (date === 'lw') return { ...rule, on: 'last-weekday' };
    return isDateOfMonth(date) ? { ...rule, on: 'date', date: String(Number(date)) } : null;
  }
  const match = date === '*' ? /^([a-z]{3}|[0-7])(?:#([1-4l])|(l))$/.exec(week) : null;
  const weekday = match === null ? null : weekdayOf(match[1] ?? '');
  if (match === null || weekday === null) return null;
  const nth = (match[2] ?? match[3] ?? '').toUpperCase() as Nth;
  return { ...rule, on: 'nth', nth, weekday };
}

/** The five-field cron rule for `rule`, or `null` while its date or its time is none. */
export function monthExpressionOf({ on, date, nth, weekday, time }: MonthRule): string | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)/.exec(time);
  if (match === null) return null;
  const at = `${Number(match[2])} ${Number(match[1])}`;
  switch (on) {
    case 'date':
      return isDateOfMonth(date.trim()) ? `${at} ${Number(date)} * *` : null;
    case 'last-day':
      return `${at} L * *`;
    case 'last-weekday':
      return `${at} LW * *`;
    case 'nth':
      return `${at} * * ${weekdayName(weekday)}#${nth}`;
  }
}

/** Whether `text` is a date that a month can have, without spaces around it. */
export function isDateOfMonth(text: string): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= 31;
}
