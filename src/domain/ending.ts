/**
 * How an active run ends: the settlement of its own host and the recovery by another share this, so that a run ends
 * the same way whoever writes it (protocol, sections 5 and 6).
 */
import { isRepeatable } from './action.ts';
import { isRepeatablePlain } from './action-plain.ts';
import { assert, assertNever } from './assert.ts';
import { type Automation, type RecentRun, withRecent } from './automation.ts';
import { SCHEMA } from './schema.ts';
import { nextAttemptRow } from './due.ts';
import { followUps, outcomeOf } from './follow.ts';
import { type AgendaRow, isAskedFor } from './occurrence.ts';
import { noticesOf } from './end-notices.ts';
import type { NotificationText } from './notification.ts';
import type { RunOutput } from './output.ts';
import { DEFAULT_RETRY, DEFAULT_RETRY_ON, type RetryRule, autoPauseAfter } from './rules.ts';
import { type ActiveRun, type CancelledBy, type Failure, type SettledRun, mayBecome } from './run.ts';
import { withSpending } from './spending.ts';
import { actionsOf } from './steps.ts';
import { DAY_MS, type DurationMs, type EpochMs } from './time.ts';
import type { Write } from './writes.ts';
import type { Spending } from './spent.ts';

/** What an action has brought back, whether it succeeded or not. */
export interface Brought {
  readonly output?: RunOutput;
  readonly notifications?: readonly NotificationText[];
  /** A mark of its result, where its rule tells of results that are another than the last. */
  readonly mark?: string;
  /** What its automation is to remember, by name; `null` forgets. Cloneable by the structured clone algorithm. */
  readonly remember?: Readonly<Record<string, unknown>>;
  /** What it used, and the day that it counts on. */
  readonly spent?: Spending;
}

/** What a run's host, or the host that recovers it, knows of its end. */
export type Ending =
  | (Brought & { readonly kind: 'succeeded'; readonly summary: string })
  | (Brought & { readonly kind: 'failed'; readonly failure: Failure })
  /** `hung` when its own host did not end it in time and another did, so that what it had begun may go on. */
  | (Brought & { readonly kind: 'timed-out'; readonly hung?: true })
  | (Brought & { readonly kind: 'cancelled'; readonly by: CancelledBy })
  | { readonly kind: 'interrupted' };

/** What is read in the same transaction to end a run. */
export interface EndState {
  /** `null` when it was removed while the run was active. */
  readonly automation: Automation | null;
  /** When the automation's next scheduled occurrence is due; `null` when none is pending. */
  readonly nextScheduledAt: EpochMs | null;
  /** All agenda rows of the automation, for one that pauses itself. */
  readonly agenda: readonly AgendaRow[];
  /** What may run after it. */
  readonly followers?: readonly Automation[];
  /** The machine is offline, so that a failure of the network says nothing of the automation. */
  readonly offline?: boolean;
}

/** The row of `run` after `ending`, and all else that the same transaction writes. `chance` is in [0, 1). */
export function endRun(
  run: ActiveRun,
  ending: Ending,
  { automation, nextScheduledAt, agenda, followers = [], offline = false }: EndState,
  now: EpochMs,
  chance: number,
): { readonly run: SettledRun; readonly automation: Automation | null; readonly writes: readonly Write[] } {
  assert(mayBecome(run.status, ending.kind), `illegal-transition: ${run.status} to ${ending.kind}`);
  const retryAt =
    automation === null ? null : retryDueAt(run, ending, automation, nextScheduledAt, now, chance);
  const settled = settledRow(run, ending, now, retryAt);
  const writes: Write[] = [{ op: 'put', store: 'runs', row: settled }];
  if (retryAt !== null) {
    writes.push({
      op: 'put',
      store: 'agenda',
      row: nextAttemptRow(continued(run, ending), retryAt, 'retry'),
    });
  }
  const brought: Brought = ending.kind === 'interrupted' ? {} : ending;
  writes.push(...broughtWrites(run, brought, automation !== null, now));
  let after: Automation | null = null;
  if (automation !== null) {
    const failuresInARow = failuresAfter(automation, settled, offline);
    after = withRecent({ ...automation, failuresInARow }, recentOf(settled));
    const spent = spentBy(run, ending);
    if (spent !== undefined) after = { ...after, spent: withSpending(automation.spent, spent) };
    if (automation.enabled && failuresInARow > automation.failuresInARow) {
      const scheduled = agenda.find(({ cause }) => cause === 'schedule');
      const paused = pausedAfter(after, settled, scheduled, now);
      if (paused !== after && scheduled !== undefined) {
        writes.push({ op: 'delete', store: 'agenda', key: scheduled.key });
      }
      after = paused;
    }
  }
  const notices = noticesOf(automation, after, settled, brought, now);
  writes.push(...notices.writes);
  if (notices.automation !== null) writes.push({ op: 'put', store: 'automations', row: notices.automation });
  writes.push(...followUps(settled, outcomeOf(settled), followers, now));
  return { run: settled, automation: notices.automation, writes };
}

function broughtWrites(
  { id, automationId }: ActiveRun,
  { output, remember = {} }: Brought,
  isThere: boolean,
  now: EpochMs,
): readonly Write[] {
  const writes: Write[] = [];
  if (output !== undefined) {
    writes.push({ op: 'put', store: 'outputs', row: { id, schema: SCHEMA, output } });
  }
  // What was removed while it ran leaves nothing behind but its history.
  if (!isThere) return writes;
  for (const [key, value] of Object.entries(remember)) {
    writes.push(
      value === null
        ? { op: 'delete', store: 'values', key: [automationId, key] }
        : { op: 'put', store: 'values', row: { automationId, key, schema: SCHEMA, at: now, value } },
    );
  }
  return writes;
}

/** `automation`, paused with its reason when this was the last failure in a row that its rule allows. */
function pausedAfter(
  automation: Automation,
  run: SettledRun,
  scheduled: AgendaRow | undefined,
  now: EpochMs,
): Automation {
  const count = automation.failuresInARow;
  if (count < autoPauseAfter(automation.rules)) return automation;
  return {
    ...automation,
    enabled: false,
    pausedBecause: { kind: 'failures', count, at: now, runId: run.id },
    ...(scheduled === undefined ? {} : { pausedFrom: scheduled.scheduledFor }),
  };
}

function failuresAfter(automation: Automation, run: SettledRun, offline: boolean): number {
  switch (run.status) {
    case 'succeeded':
      return 0;
    case 'cancelled':
      return automation.failuresInARow;
    case 'failed':
    case 'timed-out':
    case 'interrupted':
      if (offline && run.status === 'failed' && run.reason === 'network') return automation.failuresInARow;
      // A limit that a person set has done what it is for.
      if (run.status === 'failed' && run.reason === 'limit') return automation.failuresInARow;
      // An attempt that will be repeated has not failed yet.
      return run.retryAt === undefined ? automation.failuresInARow + 1 : automation.failuresInARow;
    default:
      return assertNever(run);
  }
}

/** What `run` used; where its host cannot say, the most that it may have, or caps would not hold over crashes. */
function spentBy(run: ActiveRun, ending: Ending): Spending | undefined {
  if (ending.kind === 'interrupted') return run.mayUse;
  return ending.spent ?? (ending.kind === 'timed-out' && ending.hung === true ? run.mayUse : undefined);
}

/** Says of a run whose host cannot say what it used, what counts. */
function countedText({ mayUse }: ActiveRun): string {
  return mayUse === undefined
    ? ''
    : ` Up to ${mayUse.tokens} tokens may have been used, and count towards the limits of the day.`;
}

function settledRow(run: ActiveRun, ending: Ending, now: EpochMs, retryAt: EpochMs | null): SettledRun {
  const {
    active: _active,
    lease: _lease,
    leaseDeadline: _deadline,
    cancelRequested: _cancel,
    mayUse: _mayUse,
    ...claimed
  } = run;
  const base = {
    ...claimed,
    // A clock that was set back must not make a run end before it began.
    settledAt: Math.max(now, run.startedAt),
    ...(retryAt === null ? {} : { retryAt }),
  };
  switch (ending.kind) {
    case 'succeeded':
      return { ...base, status: 'succeeded', summary: ending.summary };
    case 'failed':
      return {
        ...base,
        status: 'failed',
        reason: ending.failure.class,
        failure: ending.failure,
        summary: ending.failure.message,
      };
    case 'timed-out':
      return {
        ...base,
        status: 'timed-out',
        summary:
          ending.hung === true
            ? `Its engine stopped responding and was shut out. What it had begun may still happen.${countedText(run)}`
            : 'Took longer than its timeout.',
      };
    case 'cancelled':
      return { ...base, status: 'cancelled', reason: ending.by, summary: CANCELLED_SUMMARY[ending.by] };
    case 'interrupted':
      return mayHaveHappened(run)
        ? {
            ...base,
            status: 'interrupted',
            mayHaveHappened: true,
            summary: `${mayHaveHappenedSummary(run)}${countedText(run)}`,
          }
        : {
            ...base,
            status: 'interrupted',
            ...(run.definition.rules.interrupted === 'ask' && run.cancelRequested === undefined
              ? { asks: true }
              : {}),
            summary: `The engine ended before the run did.${countedText(run)}`,
          };
    default:
      return assertNever(ending);
  }
}

/** What is known of what was not to be repeated, of each step where there are several. */
function mayHaveHappenedSummary({ effectSteps = [] }: ActiveRun): string {
  const sent = effectSteps.filter(({ effect }) => effect === 'sent').map(({ step }) => step);
  const sending = effectSteps.find(({ effect }) => effect === 'sending');
  const done = `${sent.length === 1 ? 'Step' : 'Steps'} ${sent.join(', ')} ${sent.length === 1 ? 'was' : 'were'} sent`;
  if (sending === undefined && sent.length > 0) return `${done}; the engine ended before the run did.`;
  const open = `the engine ended before the answer${sending === undefined ? '' : ` to step ${sending.step}`}.`;
  return sent.length === 0 ? `May have happened: ${open}` : `${done}; more may have happened: ${open}`;
}

const CANCELLED_SUMMARY: Readonly<Record<CancelledBy, string>> = {
  person: 'Cancelled by you.',
  replaced: 'Replaced by the next run.',
};

/** Whether an effect of `run` that must not be repeated may have left the browser. */
export function mayHaveHappened(run: ActiveRun): boolean {
  return run.effect !== undefined && !isRepeatable(run.definition.action);
}

/** A settled run as small as the list's bar needs it. */
export function recentOf(run: SettledRun): RecentRun {
  return {
    id: run.id,
    status: run.status,
    at: run.settledAt,
    durationMs: run.settledAt - run.startedAt,
    latenessMs: run.latenessMs,
    summary: run.summary,
    ...('reason' in run ? { reason: run.reason } : {}),
    ...('mayHaveHappened' in run && run.retryAt === undefined ? { mayHaveHappened: true } : {}),
  };
}

/**
 * When the next attempt is due, or `null` when there is none. None for an automation that is paused, unless a person
 * asked by hand; for a run that was asked to end, however it ended; for an effect that may have happened and must not be
 * repeated; and when the next scheduled occurrence comes first (a failing automation must not pile retries up behind its
 * schedule), except where every missed occurrence is wanted.
 */
function retryDueAt(
  run: ActiveRun,
  ending: Ending,
  automation: Automation,
  nextScheduledAt: EpochMs | null,
  now: EpochMs,
  chance: number,
): EpochMs | null {
  if (!isRetryable(run, ending) || run.cancelRequested !== undefined) return null;
  if (!automation.enabled && !isAskedFor(run)) return null;
  const rule = retryRuleOf(run);
  if (run.attempt >= rule.attempts) return null;
  const dueAt = now + Math.max(retryDelay(rule, run.attempt, chance), askedDelay(ending));
  const comesFirst = nextScheduledAt !== null && nextScheduledAt <= dueAt;
  return comesFirst && run.definition.rules.missed.kind !== 'all' ? null : dueAt;
}

/**
 * `run`, with where its next attempt begins: several steps go on at the one that failed, so that what is done is not done
 * again.
 */
function continued(run: ActiveRun, ending: Ending): ActiveRun {
  if (ending.kind !== 'failed' || ending.output === undefined) return run;
  const { step = 1 } = ending.failure;
  return step === 1 ? run : { ...run, from: { runId: run.id, step } };
}

function isRetryable(run: ActiveRun, ending: Ending): boolean {
  const { on = DEFAULT_RETRY_ON } = retryRuleOf(run);
  switch (ending.kind) {
    case 'succeeded':
    case 'cancelled':
      return false;
    case 'failed':
      return on.includes(ending.failure.class) && isSafe(run, ending.failure);
    case 'timed-out':
      return on.includes('timeout') && !mayHaveHappened(run);
    case 'interrupted':
      return isRetriedInterrupted(run);
    default:
      return assertNever(ending);
  }
}

/** Whether `failure` leaves no doubt that an effect which must not be repeated did not happen. */
function isSafe(run: ActiveRun, failure: Failure): boolean {
  switch (failure.class) {
    case 'action':
    case 'denied':
    case 'invalid':
    case 'limit':
      // What failed may be the model, long after a tool that must not be called twice was.
      if (hasTools(run, failure)) return isUnmarked(run, failure);
      // There was an answer, or nothing was sent; whoever states attempts for such a request means this.
      return true;
    case 'network':
    case 'storage':
      // A request that broke off says no more of its effect than a host that died. Steps before it are not done again.
      return isUnmarked(run, failure);
    default:
      return assertNever(failure.class);
  }
}

/** Whether nothing that must not be repeated was begun by what failed: the step, where it is one of several. */
function isUnmarked(run: ActiveRun, { step: failed }: Failure): boolean {
  if (failed === undefined) return !mayHaveHappened(run);
  const action = actionsOf(run.definition.action)[failed - 1];
  const isMarked = run.effectSteps?.some(({ step }) => step === failed) === true;
  return !isMarked || (action !== undefined && isRepeatablePlain(action));
}

/** Whether what failed is a prompt with tools. */
function hasTools({ definition: { action } }: ActiveRun, { step = 1 }: Failure): boolean {
  const failed = actionsOf(action)[step - 1];
  return failed?.kind === 'prompt' && failed.tools !== undefined;
}

/** By its rule; where it states none, a person is asked whenever the effect may have happened. */
function isRetriedInterrupted(run: ActiveRun): boolean {
  const { interrupted } = run.definition.rules;
  return interrupted === undefined ? !mayHaveHappened(run) : interrupted === 'retry';
}

/** The retry rule that `run` has: its own, or the default for what it does. */
export function retryRuleOf(run: Pick<ActiveRun, 'definition'>): RetryRule {
  const { rules, action } = run.definition;
  return rules.retry ?? (isRepeatable(action) ? DEFAULT_RETRY : { ...DEFAULT_RETRY, attempts: 1 });
}

/** How long whoever was asked wants to be left alone. A server that asks for ever is not obeyed. */
function askedDelay(ending: Ending): DurationMs {
  return ending.kind === 'failed' ? Math.min(ending.failure.retryAfterMs ?? 0, DAY_MS) : 0;
}

/** Exponential backoff, by default with full jitter: between nothing and the capped delay, but never at once. */
function retryDelay(rule: RetryRule, attempt: number, chance: number): DurationMs {
  const longest = Math.min(rule.maxDelayMs, rule.firstDelayMs * rule.factor ** (attempt - 1));
  if (rule.jitter === 'none') return Math.max(1, Math.round(longest));
  return Math.max(1, Math.round(longest * (1 - chance)));
}
