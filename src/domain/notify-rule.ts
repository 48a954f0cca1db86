/**
 * What the end of a run tells the person, by the rule of its automation: one notification at most, decided in the
 * transaction that writes the end, as the count of failures in a row is. So each promise holds whichever host writes it:
 * an outage is told once, and its end once.
 */
import { assertNever } from './assert.ts';
import type { Automation } from './automation.ts';
import type { NotificationAbout } from './notification.ts';
import { notifyRuleOf } from './rules.ts';
import type { SettledRun } from './run.ts';
import { DAY_MS, type DurationMs, HOUR_MS, MINUTE_MS } from './time.ts';

/** What the rule has to say of an end. */
export interface Notice {
  readonly about: Exclude<NotificationAbout, 'said'>;
  readonly title: string;
  readonly body: string;
  readonly unreached?: true;
  readonly ends?: string;
}

/** The automation with what it remembers of what was told, and what is to be told now. */
export interface Noticed {
  readonly automation: Automation;
  readonly notice: Notice | null;
}

/**
 * Decides what is told of `run`.
 *
 * @param before the automation as it was before the end, `after` with the end counted.
 * @param id the id that the notification will have.
 * @param said whether the action has told of its result itself: then the rule for results adds nothing.
 */
export function decideNotice(
  before: Automation,
  after: Automation,
  run: SettledRun,
  { id, mark, said }: { readonly id: string; readonly mark?: string | undefined; readonly said: boolean },
): Noticed {
  const nothing = { automation: after, notice: null };
  if (run.status === 'cancelled' || run.retryAt !== undefined) return nothing;
  return run.status === 'succeeded'
    ? noticeOfSuccess(after, run, mark, said)
    : noticeOfFailure(before, after, run, id);
}

function noticeOfFailure(before: Automation, after: Automation, run: SettledRun, id: string): Noticed {
  const { failure } = notifyRuleOf(after.rules);
  const isCounted = after.failuresInARow > before.failuresInARow;
  // What is not counted is a limit that did what it is for, or a failure while the machine is offline.
  const isLimit = run.status === 'failed' && run.reason === 'limit';
  if (failure.kind === 'never' || (!isCounted && !(failure.kind === 'always' && isLimit)))
    return { automation: after, notice: null };
  const asks = run.status === 'interrupted' && (run.mayHaveHappened === true || run.asks === true);
  const isDue =
    failure.kind === 'always' || (after.outage === undefined && after.failuresInARow >= failure.failures);
  const about =
    after.pausedBecause !== undefined && before.pausedBecause === undefined
      ? 'paused'
      : asks
        ? 'asks'
        : isDue
          ? 'failed'
          : null;
  if (about === null) return { automation: after, notice: null };
  const outage = isCounted ? { outage: after.outage ?? { since: run.settledAt, notification: id } } : {};
  return {
    automation: { ...after, ...outage },
    notice: {
      about,
      ...(about === 'paused'
        ? pausedText(after, run)
        : about === 'asks'
          ? asksText(run)
          : failedText(after, run)),
      ...(run.status === 'failed' && run.reason === 'network' ? { unreached: true } : {}),
    },
  };
}

function noticeOfSuccess(
  automation: Automation,
  run: SettledRun,
  mark: string | undefined,
  said: boolean,
): Noticed {
  const { recovery, result } = notifyRuleOf(automation.rules);
  const { outage, ...rest } = automation;
  const name = run.automationName;
  const before = automation.lastResult;
  const lastResult = result === 'change' ? mark : undefined;
  const after: Automation = { ...rest, ...(lastResult === undefined ? {} : { lastResult }) };
  if (outage !== undefined && recovery === 'once') {
    const body = `${sentence(run.summary)} It did not work for ${lengthText(run.settledAt - outage.since)}. Nothing is left to do.`;
    return {
      automation: after,
      notice: { about: 'recovered', title: `${name} works again`, body, ends: outage.notification },
    };
  }
  if (said) return { automation: after, notice: null };
  if (result === 'always')
    return { automation: after, notice: { about: 'done', title: name, body: run.summary } };
  if (before !== undefined && lastResult !== undefined && before !== lastResult)
    return {
      automation: after,
      notice: { about: 'changed', title: `${name} has another result`, body: run.summary },
    };
  return { automation: after, notice: null };
}

type Text = Pick<Notice, 'title' | 'body'>;

function failedText({ failuresInARow }: Automation, run: SettledRun): Text {
  const often = failuresInARow > 1 ? ` It has failed ${failuresInARow} times in a row.` : '';
  return { title: `${run.automationName} failed`, body: `${whyText(run)}${often} ${adviceText(run)}` };
}

function pausedText({ failuresInARow }: Automation, run: SettledRun): Text {
  const times = failuresInARow === 1 ? 'once' : `${failuresInARow} times in a row`;
  return {
    title: `${run.automationName} is paused`,
    body: `It failed ${times}, so it paused itself. ${whyText(run)} Mend what is wrong and resume it; until then it does not run.`,
  };
}

function asksText(run: SettledRun): Text {
  const isOpen = run.status === 'interrupted' && run.mayHaveHappened === true;
  return {
    title: `${run.automationName} waits for you`,
    body: isOpen
      ? 'The engine ended before the answer came, so it may have happened. Open the run and say whether it did.'
      : 'The engine ended before it did anything. Open the run and say whether it is to run again.',
  };
}

function whyText(run: SettledRun): string {
  return sentence(run.status === 'failed' ? run.failure.message : run.summary);
}

/** A summary is a line of its own elsewhere, and has no full stop. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function adviceText(run: SettledRun): string {
  switch (run.status) {
    case 'failed':
      return run.failure.advice ?? 'Open the run to see what happened.';
    case 'timed-out':
      return 'Give it a longer timeout, or open the run to see how far it came.';
    case 'interrupted':
      return 'It runs again when it is next due, or when you run it.';
    case 'succeeded':
    case 'cancelled':
      return '';
    default:
      return assertNever(run);
  }
}

/** `5 minutes`, `3 hours`, `2 days`: how long an outage lasted, roughly. */
function lengthText(ms: DurationMs): string {
  const [unit, name] =
    ms < 90 * MINUTE_MS ? [MINUTE_MS, 'minute'] : ms < 36 * HOUR_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day'];
  const count = Math.max(1, Math.round(ms / unit));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
