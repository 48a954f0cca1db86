/**
 * A notification from the transaction that decided it until nobody needs to read it any more:
 *
 *     settle --> waiting --> told: shown | quiet | connection | read
 *
 * Both are rows of one store. Only a waiting row has `dueAt`, so only those are in the index of what is to be shown, also
 * for a build that knows of no others.
 */
import type { AutomationId, RunId } from './ids.ts';
import type { EpochMs } from './time.ts';

/**
 * What a notification tells of: `said` are an action's own words, as a reminder's, and all others can be told together.
 * `failed`, `paused` (itself, after failures), `asks` (waits for a person) and `recovered` are of an outage; `changed` is
 * another result, and `done` a result that was asked for each time.
 */
export type NotificationAbout = 'said' | 'failed' | 'paused' | 'asks' | 'recovered' | 'changed' | 'done';

/** What an action asks to be shown once its run is settled. */
export interface NotificationText {
  readonly title: string;
  readonly body: string;
}

/** Several notifications that are shown as one, or one that is shown alone. The id is the tag of what is shown. */
export interface ShownAs {
  readonly id: string;
  /** `quiet`: what quiet hours held back. `connection`: the machine's own seems to be down, and `reconnection` up again. */
  readonly as: 'alone' | 'digest' | 'quiet' | 'connection' | 'reconnection';
}

interface NotificationBase {
  readonly id: string;
  readonly schema: number;
  readonly kind: 'notification';
  readonly automationId: AutomationId;
  readonly runId: RunId;
  readonly title: string;
  readonly body: string;
  /** Absent, as all that follows, in the rows of a build that knew nothing of it: then they are an action's own words. */
  readonly about?: NotificationAbout;
  readonly automationName?: string;
  /** When it was decided. */
  readonly at?: EpochMs;
  /** Quiet hours do not hold it back. */
  readonly urgent?: true;
  /** The run failed because its server could not be reached. */
  readonly unreached?: true;
  /** The notification of the outage that this one ends. */
  readonly ends?: string;
  readonly readAt?: EpochMs;
}

/** It is still to be shown. */
export interface WaitingNotification extends NotificationBase {
  /** From when it may be shown. */
  readonly dueAt: EpochMs;
  /** With which others it is, or was about to be, shown. Never taken back: whoever decides anew could show it twice. */
  readonly shownAs?: ShownAs;
  /** Quiet hours hold it back. */
  readonly held?: 'quiet';
}

/**
 * It is done with. `shown`; `quiet`: it came in quiet hours, and the person wants to see nothing of those; `connection`:
 * the machine's own connection was down, and that was shown; `read`: in the list of notifications, before it was shown.
 */
export interface ToldNotification extends NotificationBase {
  readonly told: {
    readonly at: EpochMs;
    readonly as: 'shown' | 'quiet' | 'connection' | 'read';
    readonly shownAs?: ShownAs;
  };
}

export type OutboxRow = WaitingNotification | ToldNotification;

/** Whether `row` is still to be shown. */
export function isWaiting(row: OutboxRow): row is WaitingNotification {
  return 'dueAt' in row;
}

/** When `row` was decided, as far as it is known. */
export function decidedAt(row: OutboxRow): EpochMs {
  return row.at ?? (isWaiting(row) ? row.dueAt : row.told.at);
}

/** `row`, done with. */
export function withTold(row: WaitingNotification, told: ToldNotification['told']): ToldNotification {
  const { dueAt: _due, held: _held, shownAs: _shownAs, ...rest } = row;
  return { ...rest, at: decidedAt(row), told };
}
