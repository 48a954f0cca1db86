/**
 * A history in lines: runs of one automation that say nothing new, one after the other, are one line of how many they
 * were. What says something (a failure, a missed time, a change, a question, what still runs) is a line of its own, and
 * nothing is folded across it: what stands above it is newer, what stands below is older.
 */
import type { AutomationId, RunId } from './ids.ts';
import { notifyRuleOf } from './rules.ts';
import type { RunRow, SettledRun } from './run.ts';
import { DAY_MS, type DurationMs, type EpochMs } from './time.ts';
import type { ZoneSpan } from './zone-span.ts';
import { spanAt } from './zone.ts';

/** A lateness worth telling a person of; below it, a schedule was simply kept. */
export const LATE_FROM_MS: DurationMs = 30_000;

/** A run as far as folding looks at it. */
export interface LinedRun {
  readonly id: RunId;
  readonly automationId: AutomationId;
  readonly automationName: string;
  readonly claimedAt: EpochMs;
  /** What came of it, where that is nothing new when it comes again: {@link repeatOf}. */
  readonly repeats?: string;
}

/** One line: a run, or so many that are all like it. */
export interface RunLine<Item extends LinedRun> {
  /** The newest of them. */
  readonly run: Item;
  readonly count: number;
  /** The oldest of them; of one run, the same. */
  readonly oldest: { readonly id: RunId; readonly claimedAt: EpochMs };
}

/** The line of `run` alone. */
export function lineOf<Item extends LinedRun>(run: Item): RunLine<Item> {
  return { run, count: 1, oldest: { id: run.id, claimedAt: run.claimedAt } };
}

/**
 * `newer` followed by `older`, both newest first, folded. It does not matter where a history is cut into pages: joined,
 * they are the same lines as the whole. Lines that can be folded stand where their newest run does.
 *
 * @param dayOf names the day of an instant, where a line is not to reach over several; absent: it may.
 */
export function joinLines<Item extends LinedRun>(
  newer: readonly RunLine<Item>[],
  older: readonly RunLine<Item>[],
  dayOf: (at: EpochMs) => number = () => 0,
): readonly RunLine<Item>[] {
  const lines = [...newer];
  /** The line of each automation that may still grow. */
  const open = openLines(lines);
  for (const line of older) {
    const { run } = line;
    if (run.repeats === undefined) open.clear();
    const at = open.get(run.automationId);
    const before = at === undefined ? undefined : lines[at];
    if (at !== undefined && before !== undefined && isAlike(before, line, dayOf)) {
      lines[at] = { run: before.run, count: before.count + line.count, oldest: line.oldest };
      continue;
    }
    if (run.repeats !== undefined) open.set(run.automationId, lines.length);
    lines.push(line);
  }
  return lines;
}

function openLines(lines: readonly RunLine<LinedRun>[]): Map<AutomationId, number> {
  const open = new Map<AutomationId, number>();
  for (let at = lines.length - 1; at >= 0; at--) {
    const run = lines[at]?.run;
    if (run?.repeats === undefined) break;
    if (!open.has(run.automationId)) open.set(run.automationId, at);
  }
  return open;
}

function isAlike(
  newer: RunLine<LinedRun>,
  older: RunLine<LinedRun>,
  dayOf: (at: EpochMs) => number,
): boolean {
  return (
    newer.run.repeats === older.run.repeats &&
    // After a rename the history still has the name of its time.
    newer.run.automationName === older.run.automationName &&
    dayOf(newer.oldest.claimedAt) === dayOf(older.run.claimedAt)
  );
}

/** Numbers the days of the wall clock in `timeZone`, quickly for instants that are near each other. */
export function daysIn(timeZone: string): (at: EpochMs) => number {
  let span: ZoneSpan | null = null;
  return (at) => {
    if (span === null || at < span.from || at >= span.until) span = spanAt(timeZone, at);
    return Math.floor((at + span.offsetMs) / DAY_MS);
  };
}

/**
 * What came of `row` in a few words, without times and sizes, if it is nothing new when the run before it said the same;
 * `null` for everything that a person may want to see by itself: what did not succeed, was started by hand, was tried
 * again or late, came in with a file, found a change, or said more than its line holds.
 */
export function repeatOf(row: RunRow): string | null {
  if (row.status !== 'succeeded' || row.cause === 'manual' || row.cause === 'retry' || 'imported' in row)
    return null;
  const { action, rules } = row.definition;
  // Its rule looks for results that differ in more than the line says.
  if (row.latenessMs >= LATE_FROM_MS || notifyRuleOf(rules).result === 'change') return null;
  if (action.kind !== 'steps') return gistOf(action.kind, row.summary);
  const kinds = action.steps.map((step) => step.action.kind);
  const last = kinds.at(-1);
  const [, count, rest] = /^(\d+) steps?: (.*)$/s.exec(row.summary) ?? [];
  // A change may have been found by a step whose words are not in the line.
  if (last === undefined || rest === undefined || kinds.includes('watch')) return null;
  return Number(count) === kinds.length ? gistOf(last, rest) : null;
}

type PlainKind = Exclude<SettledRun['definition']['action']['kind'], 'steps'>;

/** As `summary` is written in actions, by the kind of the action. */
function gistOf(kind: PlainKind, summary: string): string | null {
  switch (kind) {
    case 'http': {
      if (summary.startsWith('Something answered in ')) return 'something answered';
      const [, answer] = /^(.+), (?:more than )?[\d.]+ [kM]?B in [\d.]/.exec(summary) ?? [];
      return answer ?? null;
    }
    case 'watch':
      if (summary.startsWith('No change since ')) return 'no change';
      if (summary.startsWith('Still gone, since ')) return 'still gone';
      return / since .*, fewer than the \d+ that count$/.test(summary) ? 'no change that counts' : null;
    case 'prompt': {
      const [, answer] = /^(.+) · [^·]+$/s.exec(summary) ?? [];
      return answer === undefined ? null : whole(answer);
    }
    case 'script':
      return summary.startsWith('Done after ') ? 'done' : whole(summary);
    case 'remind':
      return whole(summary);
  }
}

/** Of what was cut nobody knows whether the rest is the same. */
function whole(text: string): string | null {
  return text.includes('…') ? null : text;
}
