/**
 * The hosts' clock against the machine's, where it was set on or back. What happened when, and in which order, is judged by
 * the machine's clock; what was due, by the hosts'.
 */
import { Pace } from './pace.ts';
import type { AutomationRow, CommandRow, EpochMs, History, Jump, RunRow } from './record.ts';

/** A clock that was set back by about so much has the agenda planned anew: three hours, less what hosts may not notice. */
export const RESTART_MS = 3 * 3_600_000 - 120_000;

/** A row whose times are the machine's, with those that are stored beside it. */
export interface TimedRow extends RunRow {
  /** When it was made, by the machine's clock. */
  readonly madeAt: EpochMs;
  /**
   * `settledAt` is when it can have settled first, and this when at the latest: a clock that was set back showed the same
   * time twice.
   */
  readonly settledBy: EpochMs;
  /** As it is in the ledger, by the hosts' clock. */
  readonly stored: RunRow;
}

/** A command whose time is the machine's. */
export interface TimedCommand extends CommandRow {
  /** By the hosts' clock. */
  readonly storedAt: EpochMs;
}

/** The record with the times of all that is in the ledger by the machine's clock. */
export interface TimedHistory extends Omit<History, 'ledger'> {
  readonly ledger: Omit<History['ledger'], 'runs' | 'commands' | 'automations'> & {
    readonly runs: readonly TimedRow[];
    readonly commands: readonly TimedCommand[];
    /** As stored: what is in them is by the hosts' clock. */
    readonly automations: readonly AutomationRow[];
  };
  readonly clock: HostClock;
  readonly pace: Pace;
}

/** How far the hosts' clock was ahead, and when it can have been so. */
interface Stretch {
  readonly aheadMs: number;
  /** While some hosts had heard of a jump and others not, both stretches count. */
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** What the hosts' clock showed when. */
export class HostClock {
  readonly #stretches: readonly Stretch[];

  constructor(jumps: readonly Jump[]) {
    const starts = [{ at: -Infinity, doneBy: -Infinity, aheadMs: 0 }, ...jumps];
    this.#stretches = starts.map(({ at, aheadMs }, index) => ({
      aheadMs,
      from: at,
      until: starts[index + 1]?.doneBy ?? Infinity,
    }));
  }

  /** What the clock showed at `at`, by the newest setting of it. */
  hostAt(at: EpochMs): EpochMs {
    return at + (this.#stretches.findLast(({ from }) => from <= at)?.aheadMs ?? 0);
  }

  /** The latest time that the clock had shown up to `at`, or since `since`. */
  latestBy(at: EpochMs, since: EpochMs = -Infinity): EpochMs {
    return Math.max(
      ...this.#stretches.flatMap(({ from, until, aheadMs }) =>
        from <= at && until > since ? [Math.min(at, until) + aheadMs] : [],
      ),
    );
  }

  /** The first moment, not before `notBefore`, at which the clock showed `host`; `notBefore` when there was none. */
  firstAt(host: EpochMs, notBefore: EpochMs): EpochMs {
    const moments = this.#moments(host).filter((at) => at >= notBefore);
    return moments.length === 0 ? notBefore : Math.min(...moments);
  }

  /** The last moment, not after `notAfter`, at which the clock showed `host`; `notAfter` when there was none. */
  lastAt(host: EpochMs, notAfter: EpochMs): EpochMs {
    const moments = this.#moments(host).filter((at) => at <= notAfter);
    return moments.length === 0 ? notAfter : Math.max(...moments);
  }

  #moments(host: EpochMs): readonly EpochMs[] {
    return this.#stretches.flatMap(({ from, until, aheadMs }) => {
      const at = host - aheadMs;
      return at >= from && at <= until ? [at] : [];
    });
  }
}

/** `history` with the times of its ledger by the machine's clock. */
export function timed(history: History): TimedHistory {
  const { jumps, ledger, operations } = history;
  const clock = new HostClock(jumps);
  const settledSeen = new Map<string, EpochMs>();
  for (const { at, row } of history.sightings) {
    if (row.status === 'running') continue;
    settledSeen.set(row.id, Math.min(at, settledSeen.get(row.id) ?? Infinity));
  }
  const sentAt = new Map(operations.map((operation) => [operation.commandId, operation.sentAt]));
  return {
    ...history,
    clock,
    pace: new Pace(history.slow),
    ledger: {
      ...ledger,
      runs: ledger.runs.map((row) =>
        jumps.length === 0 ? plainRow(row) : timedRow(row, clock, settledSeen.get(row.id) ?? Infinity),
      ),
      commands: ledger.commands.map((row) => ({
        ...row,
        at: jumps.length === 0 ? row.at : clock.firstAt(row.at, sentAt.get(row.id) ?? row.at),
        storedAt: row.at,
      })),
    },
  };
}

/** Without jumps all times are of one clock, and an id begins with the time when it was made. */
function plainRow(row: RunRow): TimedRow {
  const { id, settledAt = Infinity } = row;
  return {
    ...row,
    madeAt: parseInt(id.slice(0, 8) + id.slice(9, 13), 16),
    settledBy: settledAt,
    stored: row,
  };
}

/** @param seenAt when it was seen that it had settled. */
function timedRow(row: RunRow, clock: HostClock, seenAt: EpochMs): TimedRow {
  const { claimedAt, startedAt, settledAt } = row;
  const madeAt = parseInt(row.id.slice(-12), 16);
  // A run whose clock was set back under it says that it settled as soon as it began.
  const isHeld = settledAt !== undefined && settledAt <= (startedAt ?? -Infinity);
  return {
    ...row,
    madeAt,
    stored: row,
    claimedAt: clock.lastAt(claimedAt, madeAt),
    ...(startedAt === undefined ? {} : { startedAt: clock.lastAt(startedAt, madeAt) }),
    ...(settledAt === undefined ? {} : { settledAt: isHeld ? madeAt : clock.firstAt(settledAt, madeAt) }),
    settledBy: settledAt === undefined || isHeld ? seenAt : clock.lastAt(settledAt, seenAt),
  };
}
