/** What days and months are called, in sentences and in cron rules. */

import { MONTHS } from '../../domain/index.ts';

export { MONTHS };

/** By number: 0 is Sunday. */
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** What cron calls the days, by number: `sun` to `sat`. */
export const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
/** What cron calls the months, from `jan` on. */
export const MONTH_NAMES: readonly string[] = MONTHS.map((name) => name.slice(0, 3).toLowerCase());

/** The names of `days`, Monday first, as a week is read. */
export function dayNames(days: readonly number[]): readonly string[] {
  return [...days].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7)).map((day) => DAYS[day] ?? '');
}
