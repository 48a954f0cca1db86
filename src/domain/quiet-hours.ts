/** Quiet hours: when notifications are held back, by the wall clock of a zone, also over the nights when it jumps. */
import * as v from 'valibot';
import { readTime } from './local-time.ts';
import type { Problem } from './problem.ts';
import { DAY_MS, type EpochMs } from './time.ts';
import { isTimeZone, resolveLocal, spanAt } from './zone.ts';

const timeOfDay = (what: string): v.GenericSchema<string> =>
  v.pipe(
    v.string(`${what} is a time such as "22:00".`),
    v.check((text) => readTime(text) !== null, `${what} is a time such as "22:00".`),
  );

/**
 * From a time of day to another, which is on the next day where it is not later. `timeZone`: whose clock; absent: that of
 * the machine. `held`: what was held back is shown as one when they end (`digest`), or only listed (`never`).
 */
export const quietHoursSchema = v.strictObject({
  from: timeOfDay('The beginning of quiet hours'),
  until: timeOfDay('The end of quiet hours'),
  timeZone: v.exactOptional(v.string('A time zone is a name such as "Europe/Paris".')),
  held: v.exactOptional(
    v.picklist(['digest', 'never'], 'What quiet hours hold back is shown as a "digest" or "never".'),
    'digest',
  ),
});

export type QuietHours = v.InferOutput<typeof quietHoursSchema>;

/** What is wrong with hours that are of the right form. */
export function quietProblems({ from, until, timeZone }: QuietHours): readonly Problem[] {
  const problems: Problem[] = [];
  if (from === until)
    problems.push({ path: 'quiet.until', message: 'Quiet hours must not end at the time when they begin.' });
  if (timeZone !== undefined && !isTimeZone(timeZone))
    problems.push({ path: 'quiet.timeZone', message: `This browser knows no time zone “${timeZone}”.` });
  return problems;
}

/**
 * When the quiet hours end that `now` is in; `null` when it is in none. Where the clocks go over their beginning or their
 * end, it is the first instant after; where an end comes twice, it is the second, and a beginning the first. A zone that
 * this browser does not know is the machine's.
 */
export function quietUntil(quiet: QuietHours, now: EpochMs, machineZone: string): EpochMs | null {
  const zone = quiet.timeZone !== undefined && isTimeZone(quiet.timeZone) ? quiet.timeZone : machineZone;
  const from = readTime(quiet.from) ?? 0;
  const until = readTime(quiet.until) ?? 0;
  const today = Math.floor((now + spanAt(zone, now).offsetMs) / DAY_MS) * DAY_MS;
  for (const day of [today - DAY_MS, today]) {
    const begins = resolveLocal(zone, day + from).at;
    const end = resolveLocal(zone, day + (until > from ? until : until + DAY_MS));
    const ends = end.kind === 'overlap' ? end.second : end.at;
    if (begins <= now && now < ends) return ends;
  }
  return null;
}
