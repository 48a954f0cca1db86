/**
 * Wall-clock times in a zone, for the one-off time and the anchor that a person types. The host computes every schedule;
 * only these two are stored as instants, so the form must turn what is typed into one. The rule is the product's single
 * daylight-saving rule (design, "Time"): in a gap the first valid instant after it, in an overlap the first pass, and a
 * jump of more than three hours is a date that does not exist.
 *
 * `Intl` is enough for it, so the tab needs no time library.
 */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/index.ts';

/** What a typed local time means in a zone. `remark` is for a person and ends without a full stop. */
export type LocalTime =
  | { readonly kind: 'ok'; readonly at: EpochMs; readonly remark?: string }
  /** The text is not `YYYY-MM-DDTHH:MM[:SS[.mmm]]`, or names no such date. */
  | { readonly kind: 'unreadable' }
  /** The zone left out that whole date, as Samoa did on 2011-12-30. */
  | { readonly kind: 'no-such-date' };

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?$/;

/** A gap longer than this is a missing date and not a clock change (design, "Time"). */
const GAP_MOST_MS = 3 * HOUR_MS;

/** Whether this browser knows the IANA zone `zone`. */
export function isZone(zone: string): boolean {
  try {
    formatterOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** How far the wall clock of `zone` is ahead of UTC at `at`, in milliseconds. Throws `RangeError` for an unknown zone. */
export function offsetMs(at: EpochMs, zone: string): number {
  const whole = Math.floor(at / SECOND_MS) * SECOND_MS;
  const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatterOf(zone).formatToParts(whole)) part[type] = Number(value);
  const wall = Date.UTC(
    part.year ?? 0,
    (part.month ?? 1) - 1,
    part.day ?? 1,
    part.hour ?? 0,
    part.minute ?? 0,
    part.second ?? 0,
  );
  return wall - whole;
}

/** `+01:00`, `-03:30`: an offset as it stands behind a time. */
export function offsetText(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** The wall-clock time of `at` in `zone` as `<input type="datetime-local">` writes it; seconds only where there are any. */
export function localTextOf(at: EpochMs, zone: string): string {
  const wall = new Date(at + offsetMs(at, zone)).toISOString();
  const millis = wall.slice(20, 23);
  if (millis !== '000') return wall.slice(0, 23);
  return wall.slice(17, 19) === '00' ? wall.slice(0, 16) : wall.slice(0, 19);
}

/** The instant that the wall clock of `zone` shows as `text`, by the product's daylight-saving rule. */
export function readLocal(text: string, zone: string): LocalTime {
  const nominal = nominalOf(text);
  if (nominal === null) return { kind: 'unreadable' };
  const before = offsetMs(nominal - DAY_MS, zone);
  const after = offsetMs(nominal + DAY_MS, zone);
  const passes = [...new Set([nominal - before, nominal - after])]
    .filter((at) => at + offsetMs(at, zone) === nominal)
    .sort((a, b) => a - b);
  const [first] = passes;
  if (first !== undefined) {
    if (passes.length === 1) return { kind: 'ok', at: first };
    return { kind: 'ok', at: first, remark: `clocks go back, first ${clockOf(nominal)}` };
  }
  if (after - before > GAP_MOST_MS) return { kind: 'no-such-date' };
  return {
    kind: 'ok',
    at: transitionBetween(nominal - after - HOUR_MS, nominal - before + HOUR_MS, zone),
    remark: `moved from ${clockOf(nominal)}, clocks go forward`,
  };
}

/** The last local midnight of `zone` at or before `at`; what a day of "aligned to the clock" starts from. */
export function midnightBefore(at: EpochMs, zone: string): EpochMs {
  const read = readLocal(`${localTextOf(at, zone).slice(0, 10)}T00:00`, zone);
  return read.kind === 'ok' ? read.at : at;
}

/** Reads `text` as if it were UTC; `null` for what is no date, such as 30 February. */
function nominalOf(text: string): EpochMs | null {
  const match = LOCAL.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '0', fraction = '0'] = match;
  const at = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.padEnd(3, '0')),
  );
  // Date.UTC carries over: 30 February becomes 2 March, which is not what was typed.
  const same = new Date(at).toISOString().startsWith(`${text.slice(0, 16)}:${second.padStart(2, '0')}`);
  return same ? at : null;
}

function clockOf(nominal: EpochMs): string {
  const time = new Date(nominal).toISOString();
  return nominal % MINUTE_MS === 0 ? time.slice(11, 16) : time.slice(11, 19);
}

/** The first instant after `from` at which `zone` has the offset that it has at `to`; zones change on whole seconds. */
function transitionBetween(from: EpochMs, to: EpochMs, zone: string): EpochMs {
  const target = offsetMs(to, zone);
  let low = Math.floor(from / SECOND_MS);
  let high = Math.ceil(to / SECOND_MS);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetMs(middle * SECOND_MS, zone) === target) high = middle;
    else low = middle;
  }
  return high * SECOND_MS;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formatters.set(zone, made);
  return made;
}
