/**
 * Schedules as recurrence rules of iCalendar (RFC 5545, section 3.3.10), where one says the same. What none says is left to
 * whoever asks: a rule that is nearly right is a wrong one.
 */
import { CRON_NAMES, DAY_MS, type Repeating, SECOND_MS } from '../../domain/index.ts';

/** A rule without its end, and the times of day that it names, as milliseconds from midnight. */
export interface Recurrence {
  readonly rule: string;
  /** Empty where it counts elapsed time, and is told in UTC. */
  readonly times: readonly number[];
  /** Whether it follows the instants of the clock through both passes of an hour that comes twice. */
  readonly isContinuous: boolean;
}

/** The rule that says the same as `schedule`; `null` when none does. */
export function recurrenceOf(schedule: Repeating): Recurrence | null {
  switch (schedule.kind) {
    case 'every': {
      const { everyMs, hours, days, excluded = [] } = schedule;
      if (hours !== undefined || days !== undefined || excluded.length > 0) return null;
      const unit = UNITS.find(({ ms }) => everyMs % ms === 0);
      if (unit === undefined) return null;
      const rule = `FREQ=${unit.name};INTERVAL=${everyMs / unit.ms}`;
      return { rule, times: [], isContinuous: true };
    }
    case 'calendar':
      return calendarRule(schedule);
    case 'cron':
      return cronRecurrence(schedule.expression);
  }
}

/** In UTC a day is 24 hours. */
const UNITS = [
  { name: 'DAILY', ms: DAY_MS },
  { name: 'HOURLY', ms: 3_600_000 },
  { name: 'MINUTELY', ms: 60_000 },
  { name: 'SECONDLY', ms: SECOND_MS },
] as const;

function calendarRule({
  every,
  unit,
  first,
  overflow,
}: Extract<Repeating, { kind: 'calendar' }>): Recurrence | null {
  const read = /^\d{4}-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/.exec(first);
  if (read === null) return null;
  const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = read
    .slice(1)
    .map((text: string | undefined) => Number(text ?? 0));
  const times = [((hour * 60 + minute) * 60 + second) * SECOND_MS];
  const isClamped = overflow === 'clamp' && day > 28;
  // The 30th or else the last day takes a rule that readers do not agree on.
  if (unit === 'months' && isClamped && day < 31) return null;
  const on = day <= 28 ? '' : `;BYMONTHDAY=${isClamped ? -1 : day}`;
  const rules = {
    days: `FREQ=DAILY;INTERVAL=${every}`,
    weeks: `FREQ=WEEKLY;INTERVAL=${every}`,
    months: `FREQ=MONTHLY;INTERVAL=${every}${on}`,
    years: `FREQ=YEARLY;INTERVAL=${every}${month === 2 && day === 29 ? `;BYMONTH=2${on}` : ''}`,
  } as const;
  return { rule: rules[unit], times, isContinuous: false };
}

const MONTH_NAMES = [
  'jan',
  'feb',
  'mar',
  'apr',
  'may',
  'jun',
  'jul',
  'aug',
  'sep',
  'oct',
  'nov',
  'dec',
] as const;
const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const BYDAY = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;

function cronRecurrence(expression: string): Recurrence | null {
  const text = expression.trim().toLowerCase();
  const fields = (CRON_NAMES[text] ?? text).split(/\s+/);
  if (fields.length === 5) fields.unshift('0');
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = '', ...year] = fields;
  if (year.length > 0) return null;
  const seconds = listOf(second, 0, 59);
  const minutes = listOf(minute, 0, 59);
  const hours = listOf(hour, 0, 23);
  const months = listOf(month, 1, 12, MONTH_NAMES);
  if (seconds === null || minutes === null || hours === null || months === null) return null;
  const times = hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => ((h * 60 + m) * 60 + s) * SECOND_MS)),
  );
  const days = daysOf(day, weekday, times.length);
  if (days === null) return null;
  const by = (name: string, values: readonly number[]): string =>
    values.length > 1 ? `;${name}=${values.join(',')}` : '';
  const rule = [
    days,
    months.length === 12 ? '' : `;BYMONTH=${months.join(',')}`,
    by('BYHOUR', hours),
    by('BYMINUTE', minutes),
    by('BYSECOND', seconds),
  ].join('');
  return { rule, times, isContinuous: /[*?/]/.test(`${second}${minute}${hour}`) };
}

/** The frequency and the days of a rule; `null` for what no rule says. */
function daysOf(day: string, weekday: string, times: number): string | null {
  const isAnd = weekday.startsWith('+');
  const week = isAnd ? weekday.slice(1) : weekday;
  const [anyDay, anyWeekday] = [/^[*?]$/.test(day), /^[*?]$/.test(week)];
  if (anyDay && anyWeekday) return 'FREQ=DAILY';
  if (anyDay) {
    const nth = nthOf(week);
    if (nth !== null) return `FREQ=MONTHLY;BYDAY=${nth}`;
    const days = weekdaysOf(week);
    return days === null ? null : `FREQ=WEEKLY;BYDAY=${days}`;
  }
  // Days of the month or weekdays, whichever fits: two rules that overlap.
  if (!anyWeekday && !isAnd) return null;
  const only = anyWeekday ? '' : weekdaysOf(week);
  if (only === null) return null;
  if (day === 'lw')
    return only === '' && times === 1 ? 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1' : null;
  const last = /^l(?:-(\d+))?$/.exec(day);
  const dates = last === null ? listOf(day, 1, 31) : [-1 - Number(last[1] ?? 0)];
  return dates === null
    ? null
    : `FREQ=MONTHLY;BYMONTHDAY=${dates.join(',')}${only === '' ? '' : `;BYDAY=${only}`}`;
}

/** `mon#2`, `5#l` and `5l` as `2MO`, `-1FR`. */
function nthOf(text: string): string | null {
  const read = /^(\w+?)(?:#([1-5l])|(l))$/.exec(text);
  const day = read === null ? null : valueOf(read[1] ?? '', DAY_NAMES, 0);
  if (read === null || day === null || day > 7) return null;
  const nth = read[2] === undefined || read[2] === 'l' ? -1 : Number(read[2]);
  return `${nth}${BYDAY[day % 7] ?? ''}`;
}

function weekdaysOf(text: string): string | null {
  const days = listOf(text, 0, 7, DAY_NAMES);
  return days === null
    ? null
    : [...new Set(days.map((day) => day % 7))].map((day) => BYDAY[day] ?? '').join(',');
}

/** The values that a field of lists, ranges and steps names, in order; `null` for anything else. */
function listOf(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): readonly number[] | null {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const read = /^([*?]|(\w+)(?:-(\w+))?)(?:\/(\d+))?$/.exec(item);
    if (read === null) return null;
    const [, , low, high, step = '1'] = read;
    const from = low === undefined ? least : valueOf(low, names, least);
    const to = low === undefined ? most : high === undefined ? from : valueOf(high, names, least);
    if (from === null || to === null || from < least || to > most || from > to || Number(step) < 1)
      return null;
    // Seven is Sunday again, and no day of its own in a step over all.
    const end = low === undefined && most === 7 ? 6 : to;
    for (let value = from; value <= end; value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

function valueOf(text: string, names: readonly string[], least: number): number | null {
  if (/^\d+$/.test(text)) return Number(text);
  const index = names.indexOf(text);
  return index === -1 ? null : index + least;
}
