import type { Cause, RecentRun, RunStatus, SettledReason } from '../../domain/index.ts';
import type { WaitingFor } from '../../rpc/index.ts';
import { countText, numberText } from './counts.ts';

/** How a run goes or went, in the kinds that screens tell apart. */
export type RunKind = RunStatus | 'may-have-happened' | 'stopped';

/** A state that screens show: how a run went, or how an automation stands. Each has a word, a shape and a colour. */
export type StatusKind = RunKind | 'waiting' | 'paused' | 'not-run';

/** Which colour goes with it. */
export type Tone = 'ok' | 'bad' | 'warn' | 'now' | 'quiet';

interface StatusText {
  readonly word: string;
  readonly tone: Tone;
  /** As counted in a sentence: `28 ok, 1 failed`. */
  readonly counted: string;
}

const STATUS: Readonly<Record<StatusKind, StatusText>> = {
  running: { word: 'Running', tone: 'now', counted: 'running' },
  succeeded: { word: 'Succeeded', tone: 'ok', counted: 'ok' },
  failed: { word: 'Failed', tone: 'bad', counted: 'failed' },
  stopped: { word: 'Stopped: limit', tone: 'warn', counted: 'stopped at a limit' },
  'timed-out': { word: 'Timed out', tone: 'bad', counted: 'timed out' },
  cancelled: { word: 'Cancelled', tone: 'quiet', counted: 'cancelled' },
  interrupted: { word: 'Interrupted', tone: 'warn', counted: 'interrupted' },
  missed: { word: 'Missed', tone: 'warn', counted: 'missed' },
  skipped: { word: 'Skipped', tone: 'quiet', counted: 'skipped' },
  'may-have-happened': { word: 'May have happened', tone: 'warn', counted: 'may have happened' },
  waiting: { word: 'Waiting', tone: 'warn', counted: 'waiting' },
  paused: { word: 'Paused', tone: 'quiet', counted: 'paused' },
  'not-run': { word: 'Not run yet', tone: 'quiet', counted: 'not run' },
};

/** `Timed out` */
export function statusWord(kind: StatusKind): string {
  return STATUS[kind].word;
}

/** The colour that goes with a state. */
export function statusTone(kind: StatusKind): Tone {
  return STATUS[kind].tone;
}

/**
 * What to call the state of a run. An interrupted one whose effect may have happened has a word of its own, and so has one
 * that a limit stopped: the limit did what a person set it for, and nothing is broken.
 */
export function statusOf(run: {
  readonly status: RunStatus;
  readonly mayHaveHappened?: true;
  readonly reason?: SettledReason;
}): RunKind {
  if (run.status === 'failed' && run.reason === 'limit') return 'stopped';
  return run.status === 'interrupted' && run.mayHaveHappened === true ? 'may-have-happened' : run.status;
}

const REASON: Readonly<Record<SettledReason, string>> = {
  closed: 'the browser was closed',
  asleep: 'the machine was asleep',
  offline: 'this machine was offline',
  paused: 'it was paused',
  edited: 'it was edited meanwhile',
  'too-old': 'it was too late by its own rule',
  waiting: 'nothing could run it in time',
  overlap: 'the run before was still active',
  limit: 'a limit was reached',
  action: 'the action failed',
  network: 'the network failed',
  denied: 'it was not allowed',
  invalid: 'its definition is not valid',
  storage: 'the browser’s storage failed',
  person: 'by you',
  replaced: 'a newer run took its place',
};

/** All reasons, in the order in which the manual lists them. */
export const REASONS = Object.keys(REASON) as readonly SettledReason[];

/** Why it ended so, as the rest of a sentence: `Missed: the browser was closed`. */
export function reasonText(reason: SettledReason): string {
  return REASON[reason];
}

const CAUSE: Readonly<Record<Cause, string>> = {
  schedule: 'schedule',
  manual: 'started by hand',
  retry: 'retry',
  'follow-up': 'after another',
};

/** Why a run exists, in a word or two. */
export function causeText(cause: Cause): string {
  return CAUSE[cause];
}

const WAITING: Readonly<Record<WaitingFor, string>> = {
  network: 'Waiting for the network',
  'notification-permission': 'Waiting for permission to notify',
  'built-in-model': 'Waiting for an open tab with the model of the browser',
  secret: 'Waiting for a secret',
  'local-network': 'Waiting for permission to reach the local network',
  'loopback-network': 'Waiting for permission to reach this device',
  unlock: 'Waiting for the passphrase',
  capacity: 'Waiting for a free place',
  'previous-run': 'Waiting for the run before',
};

/** All that an occurrence may wait for. */
export const WAITINGS = Object.keys(WAITING) as readonly WaitingFor[];

/** What a due occurrence waits for; of a secret its name is said. */
export function waitingText(waitingFor: WaitingFor, secret?: string): string {
  return secret === undefined ? WAITING[waitingFor] : `Waiting for the secret ${secret}`;
}

/** One short line under the state of a finished run: what came of it, or why it is not more. */
export function resultText(run: Pick<RecentRun, 'status' | 'summary' | 'reason' | 'count'>): string {
  if (run.status === 'missed' || run.status === 'skipped') {
    const times = run.count !== undefined && run.count > 1 ? `${countText(run.count, 'time')}, ` : '';
    return `${times}${run.reason === undefined ? '' : REASON[run.reason]}`.replace(/, $/, '');
  }
  // It stands among other short things, where a full stop would end too much.
  if (run.summary !== undefined && run.summary !== '') return run.summary.replace(/\.$/, '');
  return run.reason === undefined ? '' : REASON[run.reason];
}

const COUNT_ORDER: readonly StatusKind[] = [
  'running',
  'succeeded',
  'failed',
  'timed-out',
  'stopped',
  'may-have-happened',
  'interrupted',
  'missed',
  'skipped',
  'cancelled',
];

/** `28 ok, 1 failed, 7 missed`: a missed row counts each instant it stands for. Empty without runs. */
export function tallyText(
  runs: readonly (Parameters<typeof statusOf>[0] & { readonly count?: number })[],
  running = 0,
): string {
  const tally = new Map<StatusKind, number>();
  if (running > 0) tally.set('running', running);
  for (const run of runs) {
    const kind = statusOf(run);
    tally.set(kind, (tally.get(kind) ?? 0) + (run.count ?? 1));
  }
  return COUNT_ORDER.flatMap((kind) => {
    const count = tally.get(kind);
    return count === undefined ? [] : [`${numberText(count)} ${STATUS[kind].counted}`];
  }).join(', ');
}
