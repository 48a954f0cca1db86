/**
 * Times in templates. Liquid's own `date` takes numbers for seconds, and its display in another zone is an hour off
 * around the device's own change of clocks: 02:30 UTC on 2026-03-29 reads 01:30 on a device in Berlin (measured with
 * liquidjs 10.30). So Rota formats by `Intl`, with the same strftime directives.
 */
import { MINUTE_MS, type EpochMs } from '../domain/index.ts';

/** The years 1 to 9999: beyond them Intl counts by eras and no directive could say so. */
const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

/** How a time is shown where the format does not say. */
export interface InstantStyle {
  /** IANA name; the device's own zone when absent. */
  readonly timeZone?: string;
  /** BCP 47 tag for the names of days and months; the device's own language when absent. */
  readonly locale?: string;
}

interface WallTime {
  readonly at: EpochMs;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 for Sunday. */
  readonly weekday: number;
  readonly offsetMinutes: number;
  readonly style: InstantStyle;
}

const DIRECTIVE = /%([-_0^]?)(:?)([A-Za-z%])/g;

/**
 * `at` by the strftime directives of `format`: `%Y %y %m %d %e %j %H %k %I %l %M %S %L %p %P %A %a %B %b %h %u %w %G %V
 * %z %:z %Z %s %Q %F %D %T %R %n %t %%`, with `-` for no padding (`%-d`). Throws a `RangeError` on any other, on a time
 * outside the years 1 to 9999 and on an unknown zone.
 */
export function formatInstant(at: EpochMs, format: string, style: InstantStyle = {}): string {
  const wall = wallTime(at, style);
  return format.replaceAll(DIRECTIVE, (directive, flag: string, colon: string, letter: string) => {
    const text = colon === ':' ? (letter === 'z' ? offsetText(wall, ':') : null) : part(letter, wall);
    if (text === null) throw new RangeError(`there is no directive ${directive}`);
    if (flag === '-') return text.replace(/^[0 ]+(?=.)/, '');
    if (flag === '_') return text.replace(/^0+(?=.)/, (zeros) => ' '.repeat(zeros.length));
    if (flag === '^') return text.toUpperCase();
    return text;
  });
}

function part(letter: string, wall: WallTime): string | null {
  const { at, year, month, day, hour, minute, second, weekday, style } = wall;
  switch (letter) {
    case 'Y':
      return padded(year, 4);
    case 'y':
      return padded(year % 100, 2);
    case 'm':
      return padded(month, 2);
    case 'd':
      return padded(day, 2);
    case 'e':
      return padded(day, 2, ' ');
    case 'j':
      return padded(dayOfYear(wall), 3);
    case 'H':
      return padded(hour, 2);
    case 'k':
      return padded(hour, 2, ' ');
    case 'I':
      return padded(hour % 12 || 12, 2);
    case 'l':
      return padded(hour % 12 || 12, 2, ' ');
    case 'M':
      return padded(minute, 2);
    case 'S':
      return padded(second, 2);
    case 'L':
      return padded(((at % 1_000) + 1_000) % 1_000, 3);
    case 'p':
      return hour < 12 ? 'AM' : 'PM';
    case 'P':
      return hour < 12 ? 'am' : 'pm';
    case 'A':
      return nameOf(at, style, { weekday: 'long' });
    case 'a':
      return nameOf(at, style, { weekday: 'short' });
    case 'B':
      return nameOf(at, style, { month: 'long' });
    case 'b':
    case 'h':
      return nameOf(at, style, { month: 'short' });
    case 'u':
      return String(weekday || 7);
    case 'w':
      return String(weekday);
    case 'G':
      return padded(isoWeek(wall).year, 4);
    case 'V':
      return padded(isoWeek(wall).week, 2);
    case 'z':
      return offsetText(wall, '');
    case 'Z':
      return zoneName(at, style);
    case 's':
      return String(Math.floor(at / 1_000));
    case 'Q':
      return String(at);
    case 'F':
      return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
    case 'D':
      return `${padded(month, 2)}/${padded(day, 2)}/${padded(year % 100, 2)}`;
    case 'T':
      return `${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
    case 'R':
      return `${padded(hour, 2)}:${padded(minute, 2)}`;
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case '%':
      return '%';
    default:
      return null;
  }
}

function wallTime(at: EpochMs, style: InstantStyle): WallTime {
  if (!(at >= FIRST_MS && at <= LAST_MS)) throw new RangeError(`${at} is not a time that has a date`);
  const whole = Math.floor(at);
  const parts = intl(style, 'en-US', {
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(whole);
  const number = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((candidate) => candidate.type === type)?.value);
  const [year, month, day] = [number('year'), number('month'), number('day')];
  const [hour, minute, second] = [number('hour'), number('minute'), number('second')];
  const asUtc = utc(year, month, day, hour, minute, second);
  return {
    at: whole,
    year,
    month,
    day,
    hour,
    minute,
    second,
    weekday: new Date(asUtc).getUTCDay(),
    offsetMinutes: Math.round((asUtc - Math.floor(whole / 1_000) * 1_000) / MINUTE_MS),
    style,
  };
}

function intl(
  { timeZone }: InstantStyle,
  locale: string | undefined,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    calendar: 'gregory',
    numberingSystem: 'latn',
    ...options,
    ...(timeZone === undefined ? {} : { timeZone }),
  });
}

function nameOf(at: EpochMs, style: InstantStyle, options: Intl.DateTimeFormatOptions): string {
  return intl(style, style.locale, options).format(at);
}

function zoneName(at: EpochMs, style: InstantStyle): string {
  const parts = intl(style, 'en-US', { timeZoneName: 'short' }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function offsetText({ offsetMinutes }: WallTime, separator: string): string {
  const size = Math.abs(offsetMinutes);
  const sign = offsetMinutes < 0 ? '-' : '+';
  return `${sign}${padded(Math.floor(size / 60), 2)}${separator}${padded(size % 60, 2)}`;
}

function dayOfYear({ year, month, day }: WallTime): number {
  return Math.round((utc(year, month, day) - utc(year, 1, 1)) / 86_400_000) + 1;
}

/** ISO 8601 week: the week of a day is that of its Thursday. */
function isoWeek({ year, month, day, weekday }: WallTime): { readonly year: number; readonly week: number } {
  const thursday = new Date(utc(year, month, day + 4 - (weekday || 7)));
  const weekYear = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - utc(weekYear, 1, 1)) / (7 * 86_400_000)) + 1;
  return { year: weekYear, week };
}

/** `Date.UTC` takes the years 0 to 99 for 1900 to 1999; this takes them as they are. */
function utc(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute) * 60 + second) * 1_000;
}

function padded(value: number, width: number, fill = '0'): string {
  return String(value).padStart(width, fill);
}
