/** A stretch of the ledger as lanes: what a day looked like, automation by automation. */
import type { AutomationId, RunId } from './ids.ts';
import type { RunRow, RunStatus, SettledReason } from './run.ts';
import { type DurationMs, type EpochMs, MINUTE_MS } from './time.ts';

/** Runs that began within the same slot and went the same way are one mark: finer than that no screen shows. */
const TIMELINE_SLOT_MS: DurationMs = 5 * MINUTE_MS;

/** Runs, or times that got none, that stand at one place of a lane. */
export interface TimelineMark {
  readonly from: EpochMs;
  /** When the last of them ended; now, for what still runs. */
  readonly until: EpochMs;
  readonly count: number;
  readonly status: RunStatus;
  readonly mayHaveHappened?: true;
  readonly reason?: SettledReason;
  /** The newest of them. */
  readonly runId: RunId;
}

/** What there is of one automation, oldest first. */
export interface TimelineLane {
  readonly automationId: AutomationId;
  /** The name in its newest row. */
  readonly automationName: string;
  readonly marks: readonly TimelineMark[];
}

/**
 * The lanes of `rows` between `from` and `until`. A run stands where it began, whenever it was due; what was missed or
 * skipped stretches over the times that it stands for, as far as they lie between the two.
 *
 * @param rows oldest first.
 */
export function lanesOf(
  rows: readonly RunRow[],
  { from, until, now }: { readonly from: EpochMs; readonly until: EpochMs; readonly now: EpochMs },
): readonly TimelineLane[] {
  const lanes = new Map<AutomationId, { name: string; readonly marks: Map<string, TimelineMark> }>();
  for (const row of rows) {
    const mark = markOf(row, now);
    if (mark.until < from || mark.from >= until) continue;
    const lane = lanes.get(row.automationId) ?? { name: '', marks: new Map<string, TimelineMark>() };
    lanes.set(row.automationId, lane);
    lane.name = row.automationName;
    const slot = Math.floor((mark.from - from) / TIMELINE_SLOT_MS);
    const key = 'covers' in row ? row.id : [slot, mark.status, mark.reason, mark.mayHaveHappened].join();
    const before = lane.marks.get(key);
    lane.marks.set(
      key,
      before === undefined
        ? mark
        : {
            ...mark,
            from: Math.min(before.from, mark.from),
            until: Math.max(before.until, mark.until),
            count: before.count + mark.count,
          },
    );
  }
  return [...lanes].map(([automationId, { name, marks }]) => ({
    automationId,
    automationName: name,
    marks: [...marks.values()].sort((a, b) => a.from - b.from),
  }));
}

function markOf(row: RunRow, now: EpochMs): TimelineMark {
  const { id: runId, status } = row;
  if ('covers' in row) {
    const { from, to, count } = row.covers;
    return { from, until: to, count, status, reason: row.reason, runId };
  }
  return {
    from: row.startedAt,
    until: row.status === 'running' ? Math.max(now, row.startedAt) : row.settledAt,
    count: 1,
    status,
    // Of the reasons of failures only the one that has a word of its own tells runs apart.
    ...('reason' in row && row.reason === 'limit' ? { reason: row.reason } : {}),
    ...(row.status === 'interrupted' && row.mayHaveHappened === true
      ? { mayHaveHappened: true as const }
      : {}),
    runId,
  };
}
