/** What happened while nobody looked, a line for each automation and kind of thing. Pure: the panel only sets it. */
import { type AutomationId, type EpochMs, type Gap, MINUTE_MS } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { countText, listText } from './counts.ts';
import { namedDateTime, namedStretch } from './dates.ts';
import { durationText } from './durations.ts';
import { reasonText } from './status.ts';

/** What a line is about; it decides what is offered. */
export type AwayKind = 'may-have-happened' | 'failed' | 'missed' | 'late' | 'skipped';

/** One line. */
export interface AwayLine {
  readonly kind: AwayKind;
  readonly automationId: AutomationId;
  readonly name: string;
  /** Follows the name: `missed 7 times, today 00:30 to today 06:50: the browser was closed.` */
  readonly text: string;
  /** How many instants of the schedule it speaks of. */
  readonly count: number;
  /** The newest row. */
  readonly run: Run;
}

const ORDER: readonly AwayKind[] = ['may-have-happened', 'failed', 'missed', 'late', 'skipped'];
/** A scheduled run later than this is worth a line; less is what a busy machine does. */
const LATE_FROM_MS = MINUTE_MS;
/** Shorter gaps are no news. */
const GAP_TOLD_FROM_MS = 5 * MINUTE_MS;

/** The lines for `runs` (any order), what needs a person first. Runs that are tried again are not told of. */
export function awayLines(runs: readonly Run[], now: EpochMs): readonly AwayLine[] {
  const groups = new Map<string, { readonly kind: AwayKind; readonly rows: Run[] }>();
  for (const run of runs) {
    const kind = kindOf(run);
    if (kind === null) continue;
    // Each run that may have happened is a question of its own.
    const key = kind === 'may-have-happened' ? run.id : `${kind} ${run.automationId}`;
    const group = groups.get(key) ?? { kind, rows: [] };
    group.rows.push(run);
    groups.set(key, group);
  }
  return [...groups.values()]
    .map(({ kind, rows }) => lineOf(kind, rows, now))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.name.localeCompare(b.name));
}

function kindOf(run: Run): AwayKind | null {
  switch (run.status) {
    case 'interrupted':
      if (run.mayHaveHappened === true) return run.answer === undefined ? 'may-have-happened' : null;
      return run.retryAt === undefined ? 'failed' : null;
    case 'failed':
    case 'timed-out':
      return run.retryAt === undefined ? 'failed' : null;
    case 'missed':
      // What a person changed or paused is no news to them.
      return run.reason === 'edited' || run.reason === 'paused' ? null : 'missed';
    case 'skipped':
      return 'skipped';
    case 'succeeded':
    case 'running':
      return run.cause === 'schedule' && (run.latenessMs ?? 0) >= LATE_FROM_MS ? 'late' : null;
    case 'cancelled':
      return null;
  }
}

function lineOf(kind: AwayKind, rows: readonly Run[], now: EpochMs): AwayLine {
  const newest = rows.reduce((a, b) => (b.scheduledFor > a.scheduledFor ? b : a));
  const count = rows.reduce((sum, row) => sum + (row.covers?.count ?? 1), 0);
  return {
    kind,
    automationId: newest.automationId,
    name: newest.automationName,
    text: textOf(kind, rows, newest, count, now),
    count,
    run: newest,
  };
}

function textOf(kind: AwayKind, rows: readonly Run[], newest: Run, count: number, now: EpochMs): string {
  const at = (instant: EpochMs): string => namedDateTime(instant, now);
  switch (kind) {
    case 'may-have-happened':
      return `may have happened: it was interrupted after its request had left, due ${at(newest.scheduledFor)}.`;
    case 'failed': {
      const why = newest.failure?.message ?? whyEnded(newest);
      return `failed ${timesText(count)}${count === 1 ? '' : ', last'} ${at(newest.settledAt ?? newest.claimedAt)}: ${lowered(why)}`;
    }
    case 'missed': {
      const from = Math.min(...rows.map((row) => row.covers?.from ?? row.scheduledFor));
      return `missed ${timesText(count)}, ${namedStretch(from, newest.scheduledFor, now)}: ${reasonsText(rows)}.`;
    }
    case 'late':
      return `ran ${durationText(newest.latenessMs ?? 0)} late, ${at(newest.claimedAt)}${
        count === 1 ? '' : `, and ${countText(count - 1, 'other')} late`
      }.`;
    case 'skipped':
      return `was skipped ${timesText(count)} by its rule: ${reasonsText(rows)}.`;
  }
}

function whyEnded({ status }: Run): string {
  return status === 'timed-out' ? 'It took too long and was ended.' : 'It was interrupted.';
}

function reasonsText(rows: readonly Run[]): string {
  return listText([
    ...new Set(rows.flatMap(({ reason }) => (reason === undefined ? [] : [reasonText(reason)]))),
  ]);
}

function timesText(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : countText(count, 'time');
}

/** Inside a sentence. A name or an abbreviation keeps its capital. */
function lowered(sentence: string): string {
  const text = /^[A-Z][a-z]+(?![A-Za-z])/.test(sentence)
    ? sentence.charAt(0).toLowerCase() + sentence.slice(1)
    : sentence;
  return text.endsWith('.') ? text : `${text}.`;
}

/** `closed 23:10 to 06:50`: where the browser was meanwhile; empty when it was there. */
export function gapsText(gaps: readonly Gap[], now: EpochMs): string {
  const told = gaps.filter(({ from, until }) => until - from >= GAP_TOLD_FROM_MS);
  const [first] = told;
  if (first === undefined) return '';
  if (told.length === 1) {
    const stretch = namedStretch(first.from, first.until, now);
    return `${first.why === 'closed' ? 'This browser was closed' : 'This machine slept'} ${stretch}.`;
  }
  const total = (why: Gap['why']): number =>
    told.filter((gap) => gap.why === why).reduce((sum, { from, until }) => sum + until - from, 0);
  const parts = [
    ...(total('closed') > 0 ? [`this browser was closed for ${durationText(total('closed'))}`] : []),
    ...(total('asleep') > 0 ? [`this machine slept for ${durationText(total('asleep'))}`] : []),
  ];
  const text = listText(parts);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
