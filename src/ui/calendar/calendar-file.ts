/**
 * An automation's times as an iCalendar file (RFC 5545), for what must ring with the browser closed. Loaded when it is
 * first asked for.
 */
import {
  DAY_MS,
  type EpochMs,
  type Schedule,
  dstOf,
  isRepeating,
  jitterOf,
  zoneOf,
} from '../../domain/index.ts';
import { type Recurrence, recurrenceOf } from './recurrence.ts';
import { offsetMs } from '../pages/editor-zone-time.ts';
import { localText, transitionsOf, utcText, zoneLines } from './zone-component.ts';

/** What a calendar is told. */
export interface CalendarEntry {
  readonly id: string;
  readonly name: string;
  /** What the event says below its name. */
  readonly description: string;
  /** Grows with each edit, so that a calendar takes the newer of two. */
  readonly revision: number;
  readonly schedule: Schedule;
  /** How often it still runs; `Infinity` without a limit. */
  readonly runsLeft: number;
  /** The next instants, {@link SINGLE_MOST} at most, in order. */
  readonly next: readonly EpochMs[];
}

/** A file, and what is to be said of it; `null` when the automation has no time of its own, or none is left. */
export type CalendarFile = { readonly text: string; readonly notes: readonly string[] } | null;

/** Most events that stand for a rule that no calendar can express. */
export const SINGLE_MOST = 50;

/** Most times of a day for which an excluded date is told. */
const EXCEPTIONS_MOST = 48;
/** How far ahead clocks are looked at that jump over a time. */
const CLOCKS_MS = 3 * 366 * DAY_MS;

/** Writes the file for `entry`. */
export function calendarFile(entry: CalendarEntry, now: EpochMs): CalendarFile {
  const { schedule, next } = entry;
  const [first] = next;
  if (first === undefined) return null;
  const repeating = repeatingEvent(entry, first, now);
  const jitter = jitterOf(schedule) > 0 ? ['It is told without the time over which it is spread.'] : [];
  if (repeating !== null) {
    return { text: fileOf([...repeating.zone, ...repeating.event]), notes: [...repeating.notes, ...jitter] };
  }
  const events = next.slice(0, SINGLE_MOST);
  const isWhole = !isRepeating(schedule) || (next.length < SINGLE_MOST && entry.runsLeft >= next.length);
  const notes =
    isWhole && !isRepeating(schedule)
      ? []
      : [
          `No calendar rule says the same, so ${events.length === 1 ? 'its next time is a single event' : `its next ${events.length} times are single events`}${isWhole ? '' : '; export it again later for more'}.`,
        ];
  const single = isRepeating(schedule);
  return {
    text: fileOf(
      events.flatMap((at) =>
        eventOf(entry, now, single ? `${entry.id}-${utcText(at)}` : entry.id, [`DTSTART:${utcText(at)}`]),
      ),
    ),
    notes: [...notes, ...jitter],
  };
}

/** One event that repeats as the schedule does; `null` when none says the same. */
function repeatingEvent(
  entry: CalendarEntry,
  first: EpochMs,
  now: EpochMs,
): {
  readonly zone: readonly string[];
  readonly event: readonly string[];
  readonly notes: readonly string[];
} | null {
  const { schedule, runsLeft } = entry;
  if (!isRepeating(schedule)) return null;
  const recurrence = recurrenceOf(schedule);
  const zone = recurrence?.times.length === 0 ? 'UTC' : (zoneOf(schedule) ?? 'UTC');
  if (recurrence === null || (schedule.end !== undefined && runsLeft < Infinity)) return null;
  const isUtc = /^(?:etc\/)?(?:utc|gmt|zulu|universal|greenwich|uct)$/i.test(zone);
  const clocks = isUtc ? [] : transitionsOf(zone, first, first + CLOCKS_MS);
  // Both passes of an hour that comes twice are due, and a calendar has the first alone.
  if (recurrence.times.length > 0 && recurrence.isContinuous && clocks.length > 0) return null;
  const excluded = excludedTimes(schedule.excluded ?? [], recurrence, first, zone);
  if (excluded === null) return null;
  const start = first + offsetMs(first, zone);
  // The clocks jump over its first time, which so stands for another one than the rule says.
  if (recurrence.times.length > 0 && !recurrence.times.includes(((start % DAY_MS) + DAY_MS) % DAY_MS))
    return null;
  const jumped = clocks.some((clock) => isAffected(clock, recurrence.times));
  if (jumped && schedule.kind !== 'every' && dstOf(schedule).overlap !== 'first') return null;
  const until =
    schedule.end === undefined ? '' : `;UNTIL=${utcText(endOf(schedule.end, zoneOf(schedule) ?? 'UTC'))}`;
  const count = runsLeft < Infinity ? `;COUNT=${runsLeft}` : '';
  const stamp = (local: number): string => (isUtc ? `${localText(local)}Z` : localText(local));
  const parameter = isUtc ? '' : `;TZID=${zone}`;
  return {
    zone: isUtc ? [] : zoneLines(zone, first),
    event: eventOf(entry, now, entry.id, [
      `DTSTART${parameter}:${stamp(start)}`,
      `RRULE:${recurrence.rule}${until}${count}`,
      ...(excluded.length === 0 ? [] : [`EXDATE${parameter}:${excluded.map(stamp).join(',')}`]),
    ]),
    notes: jumped
      ? ['Where the clocks jump over one of its times, a calendar may show another time than Rota runs at.']
      : [],
  };
}

/** Whether a change of clocks jumps over one of `times`, or has it twice. */
function isAffected(
  { at, from, to }: { at: EpochMs; from: number; to: number },
  times: readonly number[],
): boolean {
  const [low, high] = [at + Math.min(from, to), at + Math.max(from, to)];
  const midnight = Math.floor(low / DAY_MS) * DAY_MS;
  return times.some((time) =>
    [midnight, midnight + DAY_MS].some((day) => day + time >= low && day + time < high),
  );
}

/** The wall-clock times that do not happen; `null` when they are too many to tell. */
function excludedTimes(
  dates: readonly string[],
  { times }: Recurrence,
  first: EpochMs,
  zone: string,
): readonly number[] | null {
  const from = first + offsetMs(first, zone);
  const days = dates.map((date) => Date.parse(`${date}T00:00:00Z`)).filter((day) => day + DAY_MS > from);
  if (days.length > 0 && times.length > EXCEPTIONS_MOST) return null;
  return days.flatMap((day) => times.map((time) => day + time)).sort((a, b) => a - b);
}

/** The last instant of a date, or of a minute, that bounds a schedule. */
function endOf(end: string, zone: string): EpochMs {
  const local = Date.parse(end.includes('T') ? `${end.slice(0, 16)}:59Z` : `${end}T23:59:59Z`);
  const guess = local - offsetMs(local, zone);
  return local - offsetMs(guess, zone);
}

function eventOf(
  entry: CalendarEntry,
  now: EpochMs,
  uid: string,
  when: readonly string[],
): readonly string[] {
  const { name, description, revision } = entry;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}@rota`,
    `DTSTAMP:${utcText(now)}`,
    `SEQUENCE:${revision}`,
    ...when,
    `SUMMARY:${escaped(name)}`,
    ...(description === '' ? [] : [`DESCRIPTION:${escaped(description)}`]),
    'TRANSP:TRANSPARENT',
    'BEGIN:VALARM',
    'ACTION:DISPLAY',
    'TRIGGER:PT0S',
    `DESCRIPTION:${escaped(name)}`,
    'END:VALARM',
    'END:VEVENT',
  ];
}

function fileOf(components: readonly string[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Rota//Rota//EN',
    'CALSCALE:GREGORIAN',
    ...components,
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** A text value (RFC 5545, section 3.3.11). Control characters have no place in one. */
function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\;,]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\n`)
    .replace(/\p{Cc}/gu, '');
}

/** A line of at most 75 octets, going on in others that begin with a space (section 3.1). No character is cut in two. */
function folded(line: string): string {
  const encoder = new TextEncoder();
  let [text, length] = ['', 0];
  for (const character of line) {
    const { length: size } = encoder.encode(character);
    if (length + size > 75) {
      text += '\r\n ';
      length = 1;
    }
    text += character;
    length += size;
  }
  return text;
}
