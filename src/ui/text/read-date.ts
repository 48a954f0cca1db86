/**
 * A date as a person writes it (`tomorrow at 5pm`, `3 June 17:00`, `in 20 minutes`), as a wall-clock time of a zone.
 * Reading dates is a library's work (chrono, 13 kB, loaded with the first text that is none of ours); what is ours is
 * that nothing of the text may be left over, and that the zone's own clock counts.
 */
import { type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/index.ts';

/** A date of the future. `timeAssumed`: no time of day was said, and 09:00 was put in its place. */
export type ReadDate =
  | { readonly kind: 'ok'; readonly localText: string; readonly timeAssumed: boolean }
  /** `message` is for a person, and ends with a full stop. */
  | { readonly kind: 'unread'; readonly message: string };

/** Where and when the text is read. */
export interface DateContext {
  readonly now: EpochMs;
  /** `at` on the wall clock, as `YYYY-MM-DDTHH:MM`. */
  readonly localTextOf: (at: EpochMs) => string;
  /** Whether `1/2` is the second of January, as in the United States. */
  readonly monthFirst: boolean;
}

/** Reads `text`. Rejects only when the library cannot be loaded. */
export async function readDate(text: string, context: DateContext): Promise<ReadDate> {
  const ahead = readAhead(text);
  if (ahead !== null)
    return { kind: 'ok', localText: context.localTextOf(context.now + ahead), timeAssumed: false };
  const { casual, GB } = await import('chrono-node/en');
  // The wall clock passes for UTC here, so that no zone but the form's has a say.
  const wallNow = new Date(`${context.localTextOf(context.now)}Z`);
  const results = (context.monthFirst ? casual : GB).parse(
    text,
    { instant: wallNow, timezone: 0 },
    { forwardDate: true },
  );
  const [result] = results;
  if (result === undefined || results.length > 1 || !isWhole(text, result.index, result.text)) {
    return unread(
      `“${text.trim()}” is not understood. Try “tomorrow at 5pm”, “every weekday at 9” or “every 15 minutes”.`,
    );
  }
  if (result.end) return unread('That is a stretch of time. Write when it begins.');
  const { start } = result;
  if (start.isCertain('timezoneOffset')) return unread('Choose the time zone in its own field.');
  const timeAssumed = !start.isCertain('hour');
  const localText = start.date().toISOString().slice(0, 16);
  return { kind: 'ok', localText: timeAssumed ? `${localText.slice(0, 10)}T09:00` : localText, timeAssumed };
}

const UNITS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS } as const;

/** `in 20 minutes`, as milliseconds: so much time, also when the clocks change meanwhile. */
function readAhead(text: string): number | null {
  const match = /^in (an?|\d{1,4}) (second|minute|hour)s?\.?$/i.exec(text.trim());
  if (match === null) return null;
  const n = /^a/i.test(match[1] ?? '') ? 1 : Number(match[1]);
  return n * UNITS[(match[2] ?? 'minute').toLowerCase() as keyof typeof UNITS];
}

/** Whether `found` is all that `text` says. */
function isWhole(text: string, index: number, found: string): boolean {
  const rest = text.slice(0, index) + text.slice(index + found.length);
  return /^(?:once|on|at|run|\W)*$/i.test(rest.replaceAll(/\s+/g, ' '));
}

/** Whether `locale` writes the month before the day. */
export function isMonthFirst(locale: string): boolean {
  const parts = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'numeric' }).formatToParts(0);
  const types = parts.map(({ type }) => type);
  return types.indexOf('month') < types.indexOf('day');
}

function unread(message: string): ReadDate {
  return { kind: 'unread', message };
}
