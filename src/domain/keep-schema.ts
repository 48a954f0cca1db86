import * as v from 'valibot';
import { wholeNumber } from './problem.ts';
import { KEPT_DAYS_MOST, KEPT_ROWS_MOST, KEPT_RUNS_LEAST } from './rules.ts';

const limitSchema = (least: number, what: string) =>
  v.strictObject({
    days: v.nullable(wholeNumber(1, KEPT_DAYS_MOST, `The number of days for ${what}`)),
    most: v.nullable(wholeNumber(least, KEPT_ROWS_MOST, `The number of ${what}`)),
  });

/** How long history is kept, for all automations that do not say otherwise: runs, and apart from them what they brought back. */
export const keepSchema = v.strictObject({
  runs: limitSchema(KEPT_RUNS_LEAST, 'runs'),
  outputs: limitSchema(1, 'outputs'),
});
