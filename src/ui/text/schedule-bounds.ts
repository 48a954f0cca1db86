/** What bounds a schedule, as the end of its sentence: active hours, dates, a number of runs, jitter. */
import type { EpochMs, EverySchedule, Schedule } from '../../domain/index.ts';
import { isRepeating, jitterOf } from '../../domain/index.ts';
import { dayNames } from './calendar-names.ts';
import { countText, listText } from './counts.ts';
import { clockTime, shortDate } from './dates.ts';
import { durationText } from './durations.ts';

/** A date, or a date and time, of the wall clock: `Fri 5 Jun`, `Fri 5 Jun at 09:00`. */
export function localText(text: string, now: EpochMs): string {
  const at = Date.parse(text.includes('T') ? `${text}Z` : `${text}T00:00Z`);
  const date = shortDate(at, now, 'UTC');
  return text.includes('T') ? `${date} at ${clockTime(at, 'UTC')}` : date;
}

/** `, 09:00 to 17:00, weekdays`; empty for an interval that is always active. */
export function activeText({ hours, days }: EverySchedule): string {
  const parts: string[] = [];
  if (hours !== undefined) parts.push(`${hours.from} to ${hours.until}`);
  if (days !== undefined) parts.push(daysText(days));
  return parts.map((part) => `, ${part}`).join('');
}

function daysText(days: readonly number[]): string {
  if ([...days].sort().join() === '1,2,3,4,5') return 'weekdays';
  return listText(dayNames(days).map((name) => `${name}s`));
}

/** `, from Mon 1 Jun, until Tue 30 Jun, 5 times at most, except Fri 5 Jun, up to 10 min later`; empty without bounds. */
export function boundsText(schedule: Schedule, now: EpochMs): string {
  const parts: string[] = [];
  if (isRepeating(schedule)) {
    const { start, end, maxRuns, excluded = [] } = schedule;
    if (start !== undefined) parts.push(`from ${localText(start, now)}`);
    if (end !== undefined) parts.push(`until ${localText(end, now)}`);
    if (maxRuns !== undefined) parts.push(maxRuns === 1 ? 'once' : `${countText(maxRuns, 'time')} at most`);
    if (excluded.length > 3) parts.push(`except ${countText(excluded.length, 'date')}`);
    else if (excluded.length > 0)
      parts.push(`except ${listText(excluded.map((date) => localText(date, now)))}`);
  }
  const jitter = jitterOf(schedule);
  if (jitter > 0) parts.push(`up to ${durationText(jitter)} later`);
  return parts.map((part) => `, ${part}`).join('');
}
