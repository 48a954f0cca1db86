/** The rules, as a person types them. `readRules(rulesOf(rules))` is `rules` again, also for what the form does not show. */
import {
  DAY_MS,
  DEFAULT_RETRY,
  DEFAULT_RETRY_ON,
  type Definition,
  type Problem,
  RETRY_CLASSES,
  type RetryClass,
} from '../../domain/index.ts';
import { type KeepForm, keepOf, readKeep } from './editor-keep-form.ts';
import { type NotifyForm, notifyOf, readNotify } from './editor-notify-form.ts';
import { type Amount, amountOf, decimal, wholeCount, wholeMs } from './editor-amount.ts';

type Rules = Definition['rules'];

/** `default` is what applies to an automation that states no retry rule. */
export type RetryChoice = 'default' | 'never' | 'own';

export interface RulesForm extends NotifyForm, KeepForm {
  readonly missed: Rules['missed']['kind'];
  readonly missedLimit: string;
  readonly missedHasMaxAge: boolean;
  readonly missedMaxAge: Amount;
  readonly overlap: Rules['overlap']['kind'];
  readonly overlapLimit: string;
  /** `default`: ask only about what may have happened. */
  readonly interrupted: 'default' | NonNullable<Rules['interrupted']>;
  readonly timeout: Amount;
  readonly retry: RetryChoice;
  /** All attempts, the first among them. */
  readonly retryAttempts: string;
  readonly retryFirstDelay: Amount;
  readonly retryFactor: string;
  readonly retryMaxDelay: Amount;
  readonly retryOn: readonly RetryClass[];
  /** Whether each wait is drawn between nothing and its bound. */
  readonly retryJitter: boolean;
  readonly autoPause: 'after' | 'never';
  readonly autoPauseFailures: string;
  /** Empty for no limit. */
  readonly runsPerDay: string;
}

/** Failures in a row after which an automation is paused that says nothing about it (design, "Rules and defaults"). */
const AUTO_PAUSE_DEFAULT = 10;

/** The form for `rules`. */
export function rulesOf(rules: Rules): RulesForm {
  const { missed, overlap, timeoutMs, retry, interrupted, autoPause, runsPerDay, notify, keep } = rules;
  const delays = retry ?? DEFAULT_RETRY;
  return {
    missed: missed.kind,
    missedLimit: String(missed.kind === 'all' ? missed.limit : 10),
    missedHasMaxAge: missed.maxAgeMs !== undefined,
    missedMaxAge: amountOf(missed.maxAgeMs ?? DAY_MS),
    overlap: overlap.kind,
    overlapLimit: String(overlap.kind === 'parallel' ? overlap.limit : 2),
    interrupted: interrupted ?? 'default',
    timeout: amountOf(timeoutMs),
    retry: retry === undefined ? 'default' : retry.attempts === 1 ? 'never' : 'own',
    retryAttempts: String(delays.attempts === 1 ? DEFAULT_RETRY.attempts : delays.attempts),
    retryFirstDelay: amountOf(delays.firstDelayMs),
    retryFactor: String(delays.factor),
    retryMaxDelay: amountOf(delays.maxDelayMs),
    retryOn: inOrder(retry?.on ?? DEFAULT_RETRY_ON),
    retryJitter: retry?.jitter !== 'none',
    autoPause: autoPause?.kind ?? 'after',
    autoPauseFailures: String(autoPause?.kind === 'after' ? autoPause.failures : AUTO_PAUSE_DEFAULT),
    runsPerDay: runsPerDay === undefined ? '' : String(runsPerDay),
    ...notifyOf(notify),
    ...keepOf(keep),
  };
}

function inOrder(classes: readonly RetryClass[]): readonly RetryClass[] {
  return RETRY_CLASSES.filter((one) => classes.includes(one));
}

/** The rules that `form` says; what is wrong goes to `problems`, with paths as in a definition. */
export function readRules(form: RulesForm, kept: Rules | undefined, problems: Problem[]): Rules {
  const {
    retry: keptRetry,
    interrupted: _interrupted,
    autoPause: keptAutoPause,
    runsPerDay: _runsPerDay,
    notify: keptNotify,
    keep: keptKeep,
    ...others
  } = kept ?? {};
  const retry = retryFrom(form, keptRetry, problems);
  const autoPause = autoPauseFrom(form, keptAutoPause, problems);
  const notify = readNotify(form, keptNotify, problems);
  const keep = readKeep(form, keptKeep, problems);
  return {
    ...others,
    missed: missedFrom(form, kept?.missed, problems),
    overlap: overlapFrom(form, kept?.overlap, problems),
    timeoutMs: wholeMs(form.timeout, 'rules.timeoutMs', problems),
    ...(retry === undefined ? {} : { retry }),
    ...(form.interrupted === 'default' ? {} : { interrupted: form.interrupted }),
    ...(autoPause === undefined ? {} : { autoPause }),
    ...(form.runsPerDay.trim() === ''
      ? {}
      : { runsPerDay: wholeCount(form.runsPerDay, 'rules.runsPerDay', problems) }),
    ...(notify === undefined ? {} : { notify }),
    ...(keep === undefined ? {} : { keep }),
  };
}

function missedFrom(
  form: RulesForm,
  kept: Rules['missed'] | undefined,
  problems: Problem[],
): Rules['missed'] {
  // A maximum age means nothing beside `skip`, whose own is a minute; one that a file gave stays.
  if (form.missed === 'skip') return kept?.kind === 'skip' ? kept : { kind: 'skip' };
  const age = form.missedHasMaxAge
    ? { maxAgeMs: wholeMs(form.missedMaxAge, 'rules.missed.maxAgeMs', problems) }
    : {};
  if (form.missed === 'once') return { kind: 'once', ...age };
  return { kind: 'all', limit: wholeCount(form.missedLimit, 'rules.missed.limit', problems), ...age };
}

function overlapFrom(
  form: RulesForm,
  kept: Rules['overlap'] | undefined,
  problems: Problem[],
): Rules['overlap'] {
  const base = kept?.kind === form.overlap ? kept : {};
  if (form.overlap !== 'parallel') return { ...base, kind: form.overlap };
  return { ...base, kind: 'parallel', limit: wholeCount(form.overlapLimit, 'rules.overlap.limit', problems) };
}

function retryFrom(form: RulesForm, kept: Rules['retry'], problems: Problem[]): Rules['retry'] {
  switch (form.retry) {
    case 'default':
      return undefined;
    case 'never':
      return { ...DEFAULT_RETRY, ...kept, attempts: 1 };
    case 'own': {
      const { on: keptOn, jitter: keptJitter, ...others } = kept ?? {};
      const jitter = form.retryJitter ? 'full' : 'none';
      return {
        ...others,
        attempts: wholeCount(form.retryAttempts, 'rules.retry.attempts', problems),
        firstDelayMs: wholeMs(form.retryFirstDelay, 'rules.retry.firstDelayMs', problems),
        factor: decimal(form.retryFactor, 'rules.retry.factor', problems),
        maxDelayMs: wholeMs(form.retryMaxDelay, 'rules.retry.maxDelayMs', problems),
        ...(jitter === 'full' && keptJitter === undefined ? {} : { jitter }),
        ...onFrom(form.retryOn, keptOn),
      };
    }
  }
}

/** The classes in the words and the order that they were given in, as long as they are the same. */
function onFrom(
  chosen: readonly RetryClass[],
  kept: RetryClass[] | undefined,
): { readonly on?: RetryClass[] } {
  const isSame = inOrder(kept ?? DEFAULT_RETRY_ON).join() === chosen.join();
  if (isSame) return kept === undefined ? {} : { on: kept };
  return { on: [...chosen] };
}

function autoPauseFrom(form: RulesForm, kept: Rules['autoPause'], problems: Problem[]): Rules['autoPause'] {
  if (form.autoPause === 'never') return { ...(kept?.kind === 'never' ? kept : {}), kind: 'never' };
  const failures = wholeCount(form.autoPauseFailures, 'rules.autoPause.failures', problems);
  if (kept === undefined && failures === AUTO_PAUSE_DEFAULT) return undefined;
  return { ...(kept?.kind === 'after' ? kept : {}), kind: 'after', failures };
}
