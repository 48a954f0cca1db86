import * as v from 'valibot';
import { boundedText, wholeNumber } from './problem.ts';
import { DAY_MS, LAST_INSTANT_MS, SECOND_MS } from './time.ts';

const instant = (what: string) => wholeNumber(0, LAST_INSTANT_MS, what);

/**
 * When an automation is due. `every` is elapsed time from `anchor` (design, "Calendar": 24 hours is not "every day");
 * `cron` is wall-clock time in `timeZone`, an IANA name kept as typed. Shape only: see `problemsOf` for the meaning.
 */
export const scheduleSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('manual') }),
    v.strictObject({ kind: v.literal('once'), at: instant('The time') }),
    v.strictObject({
      kind: v.literal('every'),
      everyMs: wholeNumber(SECOND_MS, 366 * DAY_MS, 'The interval'),
      anchor: instant('The anchor'),
    }),
    v.strictObject({
      kind: v.literal('cron'),
      expression: v.pipe(
        boundedText('The cron rule', 200),
        v.trim(),
        v.nonEmpty('Enter a cron rule, such as 0 9 * * mon-fri.'),
      ),
      timeZone: v.pipe(boundedText('The time zone', 100), v.nonEmpty('Choose a time zone.')),
    }),
  ],
  'The schedule is one of "manual", "once", "every" and "cron".',
);

export type Schedule = v.InferOutput<typeof scheduleSchema>;
