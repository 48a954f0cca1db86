/**
 * A schedule as a sentence. The sentence is never wrong: a cron rule that it cannot say exactly is shown as the rule
 * itself. `text/schedule.test.ts` holds that by reading the sentences back and comparing instants.
 *
 * Field syntax is that of the schedule module of domain: 5 or 6 fields, names, lists, ranges, steps, `L`, `W`, `#`;
 * day of month and day of week both restricted mean *or*.
 */
import {
  CRON_NAMES,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type CalendarSchedule,
  type DurationMs,
  type EpochMs,
  type FollowOn,
  type Schedule,
  isRepeating,
  zoneOf,
} from '../../domain/index.ts';
import { DAYS, DAY_NAMES, MONTHS, MONTH_NAMES, dayNames } from './calendar-names.ts';
import { countText, listText, numberText } from './counts.ts';
import { clockTime, shortDate } from './dates.ts';
import { ordinalText } from './ordinals.ts';
import { activeText, boundsText, localText } from './schedule-bounds.ts';

/** A schedule in words. */
export interface ScheduleText {
  /** `Every weekday at 09:00`, or `Cron 7 4-9/2 * * 1#1` when it is not `phrased`. */
  readonly text: string;
  /** The zone whose clock it follows; `null` where the clock plays no part. */
  readonly zone: string | null;
  /** Whether `text` is a phrase and not the rule itself. */
  readonly phrased: boolean;
}

/** `schedule` in words, with its zone apart. `now` decides whether a date needs its year. */
export function scheduleText(schedule: Schedule, now: EpochMs): ScheduleText {
  const { text, zone, phrased } = ruleText(schedule, now);
  const bounds = boundsText(schedule, now);
  // A rule that is the same in every zone is not, once it has dates.
  return { text: text + bounds, zone: zone ?? (hasDates(schedule) ? zoneOf(schedule) : null), phrased };
}

function hasDates(schedule: Schedule): boolean {
  if (!isRepeating(schedule)) return false;
  return schedule.start !== undefined || schedule.end !== undefined || schedule.excluded !== undefined;
}

function ruleText(schedule: Schedule, now: EpochMs): ScheduleText {
  switch (schedule.kind) {
    case 'manual':
      return { text: 'Only by hand', zone: null, phrased: true };
    case 'once':
      return {
        text: `Once, ${shortDate(schedule.at, now)} at ${clockTime(schedule.at)}`,
        zone: null,
        phrased: true,
      };
    case 'date':
      return { text: `Once, ${localText(schedule.local, now)}`, zone: schedule.timeZone, phrased: true };
    case 'every': {
      const active = activeText(schedule);
      return {
        text: `Every ${intervalText(schedule.everyMs)}${active}`,
        zone: active === '' ? null : (schedule.timeZone ?? null),
        phrased: true,
      };
    }
    case 'calendar':
      return { text: calendarText(schedule, now), zone: schedule.timeZone, phrased: true };
    case 'after':
      return { text: `After another automation, ${AFTER[schedule.on]}`, zone: null, phrased: true };
    case 'cron': {
      const phrase = cronPhrase(schedule.expression);
      if (phrase === null) {
        return { text: `Cron ${schedule.expression}`, zone: schedule.timeZone, phrased: false };
      }
      return { text: phrase.text, zone: phrase.zoneMatters ? schedule.timeZone : null, phrased: true };
    }
  }
}

const AFTER: Readonly<Record<FollowOn, string>> = {
  success: 'when it succeeds',
  failure: 'when it fails',
  any: 'whether it succeeds or fails',
};

/** `Every 3 months from Sun 30 Nov 2025 at 02:30, on the last day of shorter months` */
function calendarText({ every, unit, first, overflow }: CalendarSchedule, now: EpochMs): string {
  const interval = every === 1 ? unit.slice(0, -1) : `${numberText(every)} ${unit}`;
  const text = `Every ${interval} from ${localText(first, now)}`;
  const day = Number(first.slice(8, 10));
  if (day <= 28 || unit === 'days' || unit === 'weeks') return text;
  if (unit === 'years' && !(day === 29 && first.slice(5, 7) === '02')) return text;
  return overflow === 'clamp'
    ? `${text}, on the last day of shorter months`
    : `${text}, in months that have that day`;
}

/** The same in one line: `Every weekday at 09:00, Europe/Paris`. */
export function scheduleSentence(schedule: Schedule, now: EpochMs): string {
  const { text, zone } = scheduleText(schedule, now);
  return zone === null ? text : `${text}, ${zone}`;
}

/** An interval in the largest unit that it is a whole number of, days apart: 24 hours of elapsed time are no day. */
function intervalText(ms: DurationMs): string {
  for (const [unitMs, name] of [
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
    [SECOND_MS, 'second'],
  ] as const) {
    if (ms % unitMs === 0) return ms === unitMs ? name : countText(ms / unitMs, name);
  }
  return `${numberText(ms)} ms`;
}

type Field =
  | { readonly kind: 'any' }
  /** `*` over a step that divides the whole evenly. */
  | { readonly kind: 'step'; readonly by: number; readonly values: readonly number[] }
  | { readonly kind: 'values'; readonly values: readonly number[] }
  /** Days that move with the month: `L`, `15W`, `mon#2`; each as its phrase. */
  | { readonly kind: 'moving'; readonly phrases: readonly string[] };

interface CronPhrase {
  readonly text: string;
  readonly zoneMatters: boolean;
}

/** Most times of day, dates or months that a sentence lists. */
const LISTED_MOST = 6;

function cronPhrase(expression: string): CronPhrase | null {
  const rule = expression.trim().toLowerCase();
  const parts = (CRON_NAMES[rule] ?? rule).split(/\s+/);
  if (parts.length !== 5 && parts.length !== 6) return null;
  const [secondPart = '', minutePart = '', hourPart = '', datePart = '', monthPart = '', dayPart = ''] =
    parts.length === 6 ? parts : ['0', ...parts];

  const second = numbers(secondPart, 0, 59);
  const minute = numbers(minutePart, 0, 59);
  const hour = numbers(hourPart, 0, 23);
  const month = numbers(monthPart, 1, 12, MONTHS_BY_NUMBER);
  const date = dates(datePart);
  const week = days(dayPart);
  if (second === null || minute === null || hour === null || month === null) return null;
  if (date === null || week === null) return null;
  // All seven days say nothing, except beside a date: there either may fit, and that is every day.
  const day: Field = date.kind === 'any' && isWholeWeek(week) ? { kind: 'any' } : week;

  const everySecond = secondsText(second);
  if (everySecond !== null) {
    const rest = [minute, hour, date, month, day];
    return rest.every((field) => field.kind === 'any') ? { text: everySecond, zoneMatters: false } : null;
  }
  if (second.kind !== 'values' || !isOnly(second.values, 0)) return null;

  const months = monthsText(month);
  if (months === null) return null;
  const when = daysText(date, day, months);
  if (when === null) return null;

  const times = timesOfDay(minute, hour);
  if (times !== null) return { text: `${when.each} at ${listText(times)}`, zoneMatters: true };
  const rhythm = rhythmText(minute, hour);
  if (rhythm === null) return null;
  return {
    text: when.also === '' ? rhythm.text : `${rhythm.text}, ${when.also}`,
    zoneMatters: rhythm.zoneMatters || when.also !== '',
  };
}

function secondsText(second: Field): string | null {
  if (second.kind === 'any') return 'Every second';
  return second.kind === 'step' ? `Every ${second.by} seconds` : null;
}

/** The times of day that minute and hour name, when they are few; `null` when they are a rhythm. */
function timesOfDay(minute: Field, hour: Field): readonly string[] | null {
  if (minute.kind !== 'values' || hour.kind === 'any' || hour.kind === 'moving') return null;
  const times = hour.values.flatMap((h) => minute.values.map((m) => timeText(h, m)));
  return times.length <= (hour.kind === 'step' ? 3 : LISTED_MOST) ? times : null;
}

function rhythmText(minute: Field, hour: Field): CronPhrase | null {
  if (minute.kind === 'values') {
    const past = minute.values.map((m) => `:${two(m)}`);
    if (hour.kind === 'any') {
      if (isOnly(minute.values, 0)) return { text: 'Every hour, on the hour', zoneMatters: true };
      return past.length > 4 ? null : { text: `Every hour at ${listText(past)}`, zoneMatters: true };
    }
    const [only] = minute.values;
    if (only === undefined || minute.values.length > 1 || hour.kind === 'moving') return null;
    const first = hour.values[0] ?? 0;
    const last = hour.values.at(-1) ?? 0;
    if (hour.kind === 'step') {
      return { text: `Every ${hour.by} hours from ${timeText(first, only)}`, zoneMatters: true };
    }
    if (!isRun(hour.values)) return null;
    return { text: `Every hour, ${timeText(first, only)} to ${timeText(last, only)}`, zoneMatters: true };
  }
  if (minute.kind === 'moving') return null;
  const by = minute.kind === 'any' ? 1 : minute.by;
  const every = by === 1 ? 'Every minute' : `Every ${by} minutes`;
  // Every zone's offset is a multiple of 15 minutes, so a rhythm that divides that is the same in all of them.
  if (hour.kind === 'any') return { text: every, zoneMatters: 15 % by !== 0 };
  if (hour.kind === 'moving' || !isRun(hour.values)) return null;
  const from = timeText(hour.values[0] ?? 0, 0);
  const to = timeText(hour.values.at(-1) ?? 0, 60 - by);
  return { text: `${every}, ${from} to ${to}`, zoneMatters: true };
}

interface DaysPhrase {
  /** Begins a sentence: `Every weekday`, `On the 1st of each month`. */
  readonly each: string;
  /** Follows a rhythm: `weekdays`; empty for every day. */
  readonly also: string;
}

function daysText(date: Field, day: Field, months: string): DaysPhrase | null {
  const inMonths = months === '' ? '' : ` in ${months}`;
  const ofMonths = months === '' ? 'each month' : months;
  const onDates = date.kind === 'any' ? null : datesText(date, ofMonths);
  const onDays = day.kind === 'any' ? null : weekdaysText(day, ofMonths, inMonths);
  if (date.kind !== 'any' && onDates === null) return null;
  if (day.kind !== 'any' && onDays === null) return null;
  if (onDates !== null && onDays !== null) {
    // Either may fit. The second comma gives the time to both.
    const both = `on ${onDates}, and also ${onDays.within}`;
    return { each: `${capital(both)},`, also: both };
  }
  if (onDates !== null) return { each: `On ${onDates}`, also: `on ${onDates}` };
  if (onDays !== null) return { each: onDays.each, also: onDays.also };
  return { each: `Every day${inMonths}`, also: inMonths.trimStart() };
}

function datesText(date: Exclude<Field, { kind: 'any' }>, ofMonths: string): string | null {
  if (date.kind === 'moving') return `${listText(date.phrases)} of ${ofMonths}`;
  if (date.values.length > LISTED_MOST) return null;
  const names = `the ${listText(date.values.map(ordinalText))}`;
  const rare = date.values.some((value) => value > 28);
  if (!rare) return `${names} of ${ofMonths}`;
  // Short months have no such date, and the schedule skips them.
  return ofMonths === 'each month' && date.values.length === 1 ? `${names} of each month that has one` : null;
}

function weekdaysText(
  day: Exclude<Field, { kind: 'any' }>,
  ofMonths: string,
  inMonths: string,
): { readonly each: string; readonly also: string; readonly within: string } | null {
  if (day.kind === 'moving') {
    const on = `on ${listText(day.phrases)} of ${ofMonths}`;
    return { each: capital(on), also: on, within: on };
  }
  const values = day.values;
  const is = (...wanted: number[]): boolean =>
    values.length === wanted.length && wanted.every((value) => values.includes(value));
  if (is(0, 1, 2, 3, 4, 5, 6)) return null;
  if (is(1, 2, 3, 4, 5)) {
    return {
      each: `Every weekday${inMonths}`,
      also: `weekdays${inMonths}`,
      within: `every weekday${inMonths}`,
    };
  }
  const names = dayNames(values);
  return {
    each: `Every ${listText(names)}${inMonths}`,
    also: `${listText(names.map((name) => `${name}s`))}${inMonths}`,
    within: `every ${listText(names)}${inMonths}`,
  };
}

function monthsText(month: Field): string | null {
  if (month.kind === 'any') return '';
  if (month.kind === 'moving' || month.values.length > LISTED_MOST) return null;
  return listText(month.values.map((value) => MONTHS[value - 1] ?? ''));
}

function dates(part: string): Field | null {
  const items = part.split(',');
  if (!items.some((item) => /[lw]/.test(item))) return numbers(part, 1, 31);
  const phrases = items.map((item) => {
    if (item === 'l') return 'the last day';
    if (item === 'lw') return 'the last weekday';
    const near = /^(\d{1,2})w$/.exec(item);
    const value = near === null ? 0 : Number(near[1]);
    return value >= 1 && value <= 28 ? `the weekday nearest the ${ordinalText(value)}` : null;
  });
  return allPhrases(phrases);
}

function days(part: string): Field | null {
  const items = part.split(',');
  if (!items.some((item) => /#|^[a-z]{3}l$|^\dl$|^l$/.test(item))) {
    const field = numbers(part, 0, 7, DAY_NAMES);
    if (field === null || field.kind === 'any') return field;
    // In the day field a step counts from Sunday, and 7 is Sunday again: as plain values there is no doubt.
    return { kind: 'values', values: unique(field.values.map((value) => value % 7)) };
  }
  const phrases = items.map((item) => {
    const match = /^(\d|[a-z]{3})(?:#([1-5l])|l)$/.exec(item);
    if (match === null) return null;
    const value = numberOf(match[1] ?? '', DAY_NAMES);
    const name = value === null ? undefined : DAYS[value % 7];
    if (name === undefined || (value ?? 8) > 7) return null;
    const which = match[2] ?? 'l';
    if (which === '5') return null;
    return `the ${which === 'l' ? 'last' : (NTH[Number(which) - 1] ?? '')} ${name}`;
  });
  return allPhrases(phrases);
}

function allPhrases(phrases: readonly (string | null)[]): Field | null {
  const known = phrases.filter((phrase) => phrase !== null);
  return known.length === phrases.length && known.length <= LISTED_MOST
    ? { kind: 'moving', phrases: known }
    : null;
}

/** A field of numbers or names; `null` for any form that is not surely understood. */
function numbers(
  part: string,
  least: number,
  most: number,
  names: readonly string[] = [],
): Exclude<Field, { kind: 'moving' }> | null {
  if (part === '*' || part === '?') return { kind: 'any' };
  const step = /^\*\/(\d{1,2})$/.exec(part);
  if (step !== null) {
    const by = Number(step[1]);
    if (by < 2 || by > most) return null;
    const values = range(least, most, by);
    const size = most - least + 1;
    return size % by === 0 && least === 0 && most !== 7
      ? { kind: 'step', by, values }
      : { kind: 'values', values };
  }
  const values: number[] = [];
  for (const item of part.split(',')) {
    const match = /^([a-z0-9]+)(?:-([a-z0-9]+)(?:\/(\d{1,2}))?)?$/.exec(item);
    if (match === null) return null;
    const from = numberOf(match[1] ?? '', names);
    const to = match[2] === undefined ? from : numberOf(match[2], names);
    const by = match[3] === undefined ? 1 : Number(match[3]);
    if (from === null || to === null || from < least || to > most || to < from || by < 1) return null;
    values.push(...range(from, to, by));
  }
  return { kind: 'values', values: unique(values) };
}

function numberOf(text: string, names: readonly string[]): number | null {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const at = names.indexOf(text);
  return at === -1 ? null : at;
}

const NTH = ['first', 'second', 'third', 'fourth'] as const;
/** By number: months begin at 1, and nothing is called by the empty name. */
const MONTHS_BY_NUMBER = ['', ...MONTH_NAMES];

function range(from: number, to: number, by: number): number[] {
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function unique(values: readonly number[]): readonly number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

function isOnly(values: readonly number[], value: number): boolean {
  return values.length === 1 && values[0] === value;
}

function isWholeWeek(field: Field): boolean {
  return field.kind === 'values' && field.values.length === 7;
}

/** Whether `values` are consecutive. */
function isRun(values: readonly number[]): boolean {
  return values.every((value, index) => index === 0 || value === (values[index - 1] ?? 0) + 1);
}

function timeText(hour: number, minute: number): string {
  return `${two(hour)}:${two(minute)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
