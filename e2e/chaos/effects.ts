/**
 * Invariant 7: each effect at the receiving server belongs to exactly one run, each succeeded run has its effect, and each
 * interrupted run whose effect may have happened says so.
 *
 * An effect belongs to a run when it names it, comes after its claim, and comes at most `abortMs` of the machine's
 * time after its end: what a dead sender had handed to the network may still be on its way. That of a hung host may come at any time (protocol,
 * section 6).
 */
import type { Pace } from './pace.ts';
import type { EpochMs, Hit, Violation } from './record.ts';
import { type ClaimedRow, endedBy, grouped, isRepeatable, wasHung } from './runs.ts';
import { at, the, theHit } from './words.ts';

export function judgeEffects(
  hits: readonly Hit[],
  claimed: readonly ClaimedRow[],
  server: string,
  exportedAt: EpochMs,
  abortMs: number,
  pace: Pace,
): readonly Violation[] {
  const runs = new Map(claimed.map((run) => [run.id, run]));
  const hitsOf = grouped(hits, (hit) => hit.runId);
  return [
    ...[...hitsOf].flatMap(([runId, ofRun]) =>
      // What was claimed after the export is not in it.
      runs.has(runId) || ofRun.some((hit) => hit.startedAt < exportedAt)
        ? judgeHits(runId, ofRun, runs.get(runId), abortMs, pace)
        : [],
    ),
    ...claimed
      .filter(({ definition }) => definition.action.url?.startsWith(server) === true)
      .flatMap((run) => judgeRun(run, hitsOf.get(run.id) ?? [], exportedAt)),
    ...judgeRepeats(claimed, hitsOf),
  ];
}

function judgeHits(
  runId: string,
  hits: readonly Hit[],
  run: ClaimedRow | undefined,
  abortMs: number,
  pace: Pace,
): readonly Violation[] {
  const [first, ...others] = hits;
  if (first === undefined) return [];
  if (run === undefined) return [violation(`There is no run ${runId}, but ${theHit(first)} was made.`)];
  const violations: Violation[] = [];
  if (others.length > 0) {
    const times = hits.map((hit) => at(hit.startedAt)).join(', ');
    violations.push(violation(`${the(run)} reached the server ${hits.length} times: ${times}.`));
  }
  for (const hit of hits) {
    const names = `${hit.automationId}, attempt ${hit.attempt} at ${hit.occurrence}`;
    const isItself =
      hit.automationId === run.automationId &&
      hit.occurrence === run.occurrence &&
      hit.attempt === run.attempt;
    if (!isItself) violations.push(violation(`${the(run)} sent a request that names ${names}.`));
    if (hit.startedAt < run.madeAt) {
      violations.push(violation(`${theHit(hit)} came before its claim at ${at(run.madeAt)}.`));
    }
    if (pace.between(endedBy(run), hit.startedAt) > abortMs && !wasHung(run)) {
      violations.push(violation(`${theHit(hit)} came after its end at ${at(endedBy(run))} (${run.status}).`));
    }
  }
  return violations;
}

function judgeRun(run: ClaimedRow, hits: readonly Hit[], exportedAt: EpochMs): readonly Violation[] {
  if (run.status === 'succeeded' && !hits.some((hit) => hit.answeredAt !== null)) {
    return [violation(`${the(run)} has no effect at the server that was answered.`)];
  }
  const [hit] = hits;
  if (hit === undefined || isRepeatable(run.definition)) return [];
  if (run.status === 'interrupted' && run.mayHaveHappened !== true) {
    return [violation(`${the(run)} does not say that it may have happened, but ${theHit(hit)} was made.`)];
  }
  // One that was active at the export may have been marked, and sent, after it.
  if (run.effect === undefined && hit.startedAt < exportedAt) {
    return [violation(`${the(run)} was not marked as sending, but ${theHit(hit)} was made.`)];
  }
  return [];
}

/** What must not be repeated, and may have happened, was not done again unless a person said so. */
function judgeRepeats(
  claimed: readonly ClaimedRow[],
  hitsOf: ReadonlyMap<string, readonly Hit[]>,
): readonly Violation[] {
  const violations: Violation[] = [];
  for (const attempts of grouped(claimed, (run) => run.occurrence).values()) {
    for (const run of attempts) {
      const isUnclear = run.status === 'interrupted' || run.status === 'timed-out';
      if (!isUnclear || isRepeatable(run.definition) || !hitsOf.has(run.id)) continue;
      if (run.answer?.said === 'run-again') continue;
      const again = attempts.find((other) => other.attempt > run.attempt && hitsOf.has(other.id));
      if (again !== undefined) {
        violations.push(violation(`${the(again)} was sent although ${the(run)} had reached the server.`));
      }
    }
  }
  return violations;
}

function violation(what: string): Violation {
  return { invariant: 7, what };
}
