/** What happened in a run and what to do about it: the first thing that its page says. */
import {
  type EpochMs,
  type MissedReason,
  type SkippedReason,
  assertNever,
  isRepeatable,
  retryRuleOf,
} from '../../domain/index.ts';
import type { Run, RunDetail } from '../../rpc/index.ts';
import { countText } from '../text/counts.ts';
import { clockTimeSeconds, namedDateTime } from '../text/dates.ts';
import { durationText, elapsedText, latenessText } from '../text/durations.ts';
import { type Tone, statusOf, statusTone } from '../text/status.ts';

/** One sentence, and what follows from it. */
export interface Verdict {
  readonly tone: Tone;
  /** What happened, as a sentence. */
  readonly headline: string;
  /** What it means, what Rota will do, what the person can do; each a sentence. */
  readonly more: readonly string[];
}

/** The verdict on `run` as it stands at `now`. */
export function verdictOf(run: RunDetail, now: EpochMs): Verdict {
  const tone = statusTone(statusOf(run));
  const [headline, ...more] = sentences(run, now).filter((text) => text !== '');
  return { tone, headline: headline ?? '', more };
}

function sentences(run: RunDetail, now: EpochMs): readonly string[] {
  switch (run.status) {
    case 'running':
      return running(run, now);
    case 'succeeded':
      return [succeeded(run), lateness(run, now)];
    case 'failed':
      return [
        sentence(run.failure?.message ?? run.summary ?? 'It failed'),
        sentence(run.failure?.advice ?? ''),
        retry(run, now),
      ];
    case 'timed-out':
      return [
        `It took longer than ${allowed(run)} and was ended.`,
        retry(run, now),
        run.retryAt === undefined ? 'If it needs longer, raise its timeout.' : '',
      ];
    case 'cancelled':
      return cancelled(run);
    case 'interrupted':
      return interrupted(run, now);
    case 'missed':
      return missed(run, now);
    case 'skipped':
      return skipped(run, now);
    default:
      return assertNever(run.status);
  }
}

function running(run: RunDetail, now: EpochMs): readonly string[] {
  if (run.cancelling === true) return ['It is being cancelled.', sent(run)];
  const since = run.startedAt ?? run.claimedAt;
  const timeoutMs = run.definition?.rules.timeoutMs;
  return [
    `It has been running for ${elapsedText(now - since)}.`,
    sent(run),
    timeoutMs === undefined ? '' : `Rota ends it at ${clockTimeSeconds(since + timeoutMs)} at the latest.`,
  ];
}

function sent(run: Run): string {
  if (run.effect === undefined) return '';
  return run.effect === 'sent' ? 'Its request has arrived.' : 'Its request is on the way.';
}

function succeeded(run: Run): string {
  if (run.startedAt === null || run.settledAt === null) return sentence(run.summary ?? 'It succeeded');
  const took = durationText(run.settledAt - run.startedAt);
  return run.summary === undefined || run.summary === ''
    ? `It succeeded in ${took}.`
    : sentence(`It succeeded: ${run.summary}`);
}

function lateness(run: Run, now: EpochMs): string {
  const late = run.latenessMs === null || run.cause !== 'schedule' ? null : latenessText(run.latenessMs);
  return late === null ? '' : `It was due ${namedDateTime(run.scheduledFor, now)} and ran ${late}.`;
}

function cancelled(run: Run): readonly string[] {
  switch (run.reason) {
    case 'person':
      return ['You cancelled it.', afterEffect(run)];
    case 'replaced':
      return ['A newer run took its place, as its overlap rule says.', afterEffect(run)];
    default:
      return ['It was cancelled.', afterEffect(run)];
  }
}

/** What a request that had left may have done although its run ended early. */
function afterEffect(run: Run): string {
  return run.effect === undefined ? '' : 'Its request had already left, so it may have had its effect.';
}

function interrupted(run: RunDetail, now: EpochMs): readonly string[] {
  if (run.mayHaveHappened === true) {
    return [
      run.effect === 'sent'
        ? 'It happened, but the browser or its engine stopped before the answer was stored.'
        : 'The browser or its engine stopped in the middle of the request, so it may have happened.',
      answered(run, now),
    ];
  }
  return [
    'The browser or its engine stopped before it was done.',
    retry(run, now),
    run.retryAt === undefined ? 'Run it again if it matters; repeating it does no harm.' : '',
  ];
}

/** Whether the run waits for a person to say whether its effect happened. */
export function isUnanswered(run: Run): boolean {
  return run.status === 'interrupted' && run.mayHaveHappened === true && run.answer === undefined;
}

function answered(run: Run, now: EpochMs): string {
  switch (run.answer?.said) {
    case 'happened':
      return `You said ${namedDateTime(run.answer.at, now)} that it did happen.`;
    case 'run-again':
      return `You had it run again ${namedDateTime(run.answer.at, now)}.`;
    case undefined:
      return 'Rota does not repeat it by itself. Look at the other side, then say which it was.';
  }
}

const MISSED: Readonly<Record<MissedReason, { readonly why: string; readonly more: string }>> = {
  closed: {
    why: 'the browser was closed',
    more: 'Rota runs while a tab or the installed app is open.',
  },
  asleep: { why: 'the machine was asleep', more: '' },
  offline: { why: 'this machine was offline', more: '' },
  paused: { why: 'it was paused', more: 'Time that passes while it is paused is not caught up.' },
  edited: { why: 'it was edited meanwhile', more: 'An edit counts from the moment it is saved.' },
  'too-old': { why: 'it was later than its rule allows', more: '' },
  waiting: { why: 'nothing could run it in time', more: '' },
};

function missed(run: Run, now: EpochMs): readonly string[] {
  const { why, more } = MISSED[(run.reason ?? 'closed') as MissedReason];
  return [`It did not run: ${why}.`, covers(run, now), more];
}

const SKIPPED: Readonly<Record<SkippedReason, { readonly why: string; readonly more: string }>> = {
  overlap: {
    why: 'the run before was still active',
    more: 'To queue, replace or run side by side instead, change its overlap rule.',
  },
  limit: { why: 'a limit was reached', more: '' },
};

function skipped(run: Run, now: EpochMs): readonly string[] {
  const { why, more } = SKIPPED[(run.reason ?? 'overlap') as SkippedReason];
  return [`It was skipped: ${why}.`, covers(run, now), more];
}

function covers(run: Run, now: EpochMs): string {
  const { covers: row } = run;
  if (row === undefined || row.count < 2) return `It was due ${namedDateTime(run.scheduledFor, now)}.`;
  const times = countText(row.count, 'scheduled time');
  return `This row stands for ${times}, from ${namedDateTime(row.from, now)} to ${namedDateTime(row.to, now)}.`;
}

function retry(run: RunDetail, now: EpochMs): string {
  if (run.retryAt !== undefined) {
    return run.retryAt > now
      ? `Rota tries again at ${clockTimeSeconds(run.retryAt)}.`
      : `The next attempt was due at ${clockTimeSeconds(run.retryAt)}.`;
  }
  if (run.definition === null) return '';
  const { attempts } = retryRuleOf({ definition: run.definition });
  if (run.attempt < attempts) return 'No further attempt is planned.';
  if (attempts > 1) return `It was attempt ${run.attempt} of ${attempts}.`;
  return run.definition.rules.retry === undefined && !isRepeatable(run.definition.action)
    ? 'Rota does not try again by itself, because repeating it could do harm.'
    : '';
}

function allowed(run: RunDetail): string {
  return run.definition === null ? 'its rule allows' : durationText(run.definition.rules.timeoutMs);
}

/** `text` with a full stop, unless it ends in one or is empty. */
function sentence(text: string): string {
  return text === '' || /[.!?…]$/.test(text) ? text : `${text}.`;
}
