import * as v from 'valibot';
import { wholeNumber } from './problem.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

/** Most missed occurrences that `missed: all` will run, and its default. */
export const CATCH_UP_MOST = 100;
/** An occurrence later than this is missed under `missed: skip`. */
export const SKIP_LATER_THAN_MS = 60 * SECOND_MS;
/** Most runs of one automation side by side under `overlap: parallel`. */
export const PARALLEL_MOST = 20;
/** How long a run may take when its automation does not say. */
const TIMEOUT_DEFAULT_MS = 30 * MINUTE_MS;

/** Most runs active at once, across all hosts, while nobody chose. */
export const MAX_CONCURRENT_DEFAULT = 8;
/** The most runs at once that may be chosen. */
export const MAX_CONCURRENT_MOST = 50;

/** The most days that a limit on history may be. */
export const KEPT_DAYS_MOST = 3_660;
/** The most rows that it may be. */
export const KEPT_ROWS_MOST = 1_000_000;
/** The fewest runs that it may be: so many are in the list's bar. */
export const KEPT_RUNS_LEAST = 30;

const maxAgeMs = v.exactOptional(wholeNumber(SECOND_MS, 366 * DAY_MS, 'The maximum age'));

const missedSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('once'), maxAgeMs }),
    v.strictObject({ kind: v.literal('skip'), maxAgeMs }),
    v.strictObject({
      kind: v.literal('all'),
      limit: v.exactOptional(wholeNumber(1, CATCH_UP_MOST, 'The limit'), CATCH_UP_MOST),
      maxAgeMs,
    }),
  ],
  'The rule for missed runs is one of "once", "skip" and "all".',
);

const overlapSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('skip') }),
    v.strictObject({ kind: v.literal('queue') }),
    v.strictObject({ kind: v.literal('replace') }),
    v.strictObject({ kind: v.literal('parallel'), limit: wholeNumber(2, PARALLEL_MOST, 'The limit') }),
  ],
  'The rule for overlaps is one of "skip", "queue", "replace" and "parallel".',
);

/** How an attempt can have gone wrong, as retry rules tell apart: the classes of a failure, and a timeout. */
export const RETRY_CLASSES = [
  'network',
  'action',
  'timeout',
  'storage',
  'limit',
  'denied',
  'invalid',
] as const;
export type RetryClass = (typeof RETRY_CLASSES)[number];

/** What is tried again where the rule does not say: what may well go better the next time. */
export const DEFAULT_RETRY_ON: readonly RetryClass[] = ['network', 'action', 'timeout', 'storage'];

const retrySchema = v.strictObject({
  attempts: wholeNumber(1, 10, 'Attempts'),
  firstDelayMs: v.exactOptional(wholeNumber(100, DAY_MS, 'The first delay'), SECOND_MS),
  factor: v.exactOptional(
    v.pipe(
      v.number('The factor must be a number.'),
      v.minValue(1, 'The factor must be at least 1.'),
      v.maxValue(10, 'The factor must be at most 10.'),
    ),
    2,
  ),
  maxDelayMs: v.exactOptional(wholeNumber(100, DAY_MS, 'The longest delay'), 5 * MINUTE_MS),
  jitter: v.exactOptional(v.picklist(['full', 'none'], 'The jitter of a retry is "full" or "none".')),
  on: v.exactOptional(
    v.pipe(
      v.array(
        v.picklist(
          RETRY_CLASSES,
          `What is tried again is one of ${RETRY_CLASSES.map((one) => `"${one}"`).join(', ')}.`,
        ),
        'What is tried again is a list, such as ["network", "timeout"].',
      ),
      v.minLength(1, 'Choose at least one failure to try again after, or use 1 attempt.'),
    ),
  ),
});

const autoPauseSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('after'), failures: wholeNumber(1, 1_000, 'The number of failures') }),
    v.strictObject({ kind: v.literal('never') }),
  ],
  'The rule for pausing after failures is one of "after" and "never".',
);

const failureNoticeSchema = v.variant(
  'kind',
  [
    v.strictObject({ kind: v.literal('after'), failures: wholeNumber(1, 1_000, 'The number of failures') }),
    v.strictObject({ kind: v.literal('always') }),
    v.strictObject({ kind: v.literal('never') }),
  ],
  'The rule for telling of failures is one of "after", "always" and "never".',
);

const notifySchema = v.strictObject({
  failure: v.exactOptional(failureNoticeSchema),
  recovery: v.exactOptional(
    v.picklist(['once', 'never'], 'The rule for telling of a recovery is "once" or "never".'),
  ),
  result: v.exactOptional(
    v.picklist(
      ['always', 'change', 'never'],
      'The rule for telling of results is "always", "change" or "never".',
    ),
  ),
  urgent: v.exactOptional(v.boolean('urgent is true or false.')),
});

const limit = (least: number, most: number) =>
  v.exactOptional(v.union([wholeNumber(least, most, 'A limit'), v.null()], 'A limit is a number or null.'));

const keptSchema = (least: number) =>
  v.strictObject({
    days: limit(1, KEPT_DAYS_MOST),
    most: limit(least, KEPT_ROWS_MOST),
  });

const keepSchema = v.strictObject({
  runs: v.exactOptional(keptSchema(KEPT_RUNS_LEAST)),
  outputs: v.exactOptional(keptSchema(1)),
});

/** After how many failures in a row an automation is paused that does not say. */
const AUTO_PAUSE_DEFAULT = 10;

/**
 * The rules of an automation, for when it cannot run or goes wrong. What is absent has a default:
 *
 * - `retry`: three attempts for what can be repeated safely, one for what cannot. `attempts` counts all of them, the first
 *   among them; `on` says after which failures ({@link DEFAULT_RETRY_ON}), and `jitter: full` (default) draws each delay
 *   between nothing and its backoff.
 * - `interrupted`, for a run whose host died: `ask` a person in each case, or `retry`, also when its effect may have
 *   happened. Absent: ask when it may have happened, else as `retry`.
 * - `autoPause`: after ten failures in a row.
 * - `runsPerDay`: no limit. Counts runs by the schedule or after another automation, on a calendar day of the schedule's
 *   zone; what is over it is skipped with the reason `limit`. What a person runs by hand is neither counted nor stopped.
 * - `keep`: how long its `runs` stay in the ledger and the `outputs` that they brought back, by age (`days`) and by number
 *   (`most`); `null` is without that limit. Absent: as the settings say for all.
 * - `notify`: of `failure`, the first of an outage (`after` so many failures in a row; default 1), each one (`always`) or
 *   none; of a `recovery` from an outage that was told, `once` (default) or never; of a `result`, each (`always`), one that
 *   is another than the last (`change`), or none (default). `urgent` ones are shown in quiet hours too (default: not). What
 *   an action says itself, as a reminder does, is not ruled here.
 */
export const rulesSchema = v.strictObject({
  missed: v.exactOptional(missedSchema, { kind: 'once' }),
  overlap: v.exactOptional(overlapSchema, { kind: 'skip' }),
  timeoutMs: v.exactOptional(wholeNumber(SECOND_MS, 24 * HOUR_MS, 'The timeout'), TIMEOUT_DEFAULT_MS),
  retry: v.exactOptional(retrySchema),
  interrupted: v.exactOptional(
    v.picklist(['ask', 'retry'], 'The rule for interrupted runs is "ask" or "retry".'),
  ),
  autoPause: v.exactOptional(autoPauseSchema),
  runsPerDay: v.exactOptional(wholeNumber(1, 100_000, 'The number of runs a day')),
  notify: v.exactOptional(notifySchema),
  keep: v.exactOptional(keepSchema),
});

export type Rules = v.InferOutput<typeof rulesSchema>;
export type MissedRule = Rules['missed'];
export type OverlapRule = Rules['overlap'];
export type RetryRule = NonNullable<Rules['retry']>;
export type NotifyRule = Required<NonNullable<Rules['notify']>>;

/** What applies to an automation that states no rules. */
export const DEFAULT_RULES: Rules = v.parse(rulesSchema, {});

/** The retry rule for an effect that is safe to repeat, where the automation states none. */
export const DEFAULT_RETRY: RetryRule = v.parse(retrySchema, { attempts: 3 });

/** After how many failures in a row an automation with `rules` is paused; `Infinity` for never. */
export function autoPauseAfter({ autoPause }: Pick<Rules, 'autoPause'>): number {
  if (autoPause === undefined) return AUTO_PAUSE_DEFAULT;
  return autoPause.kind === 'never' ? Infinity : autoPause.failures;
}

/** What is told of runs where the rules do not say: an outage once, and its end. */
export const DEFAULT_NOTIFY: NotifyRule = {
  failure: { kind: 'after', failures: 1 },
  recovery: 'once',
  result: 'never',
  urgent: false,
};

/** What is told of the runs of an automation with `rules`. */
export function notifyRuleOf({ notify }: Pick<Rules, 'notify'>): NotifyRule {
  return { ...DEFAULT_NOTIFY, ...notify };
}
