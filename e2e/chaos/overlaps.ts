/** Invariants 2 and 3: how many runs may be active at once, of one automation and of all. */
import type { TimedHistory } from './clock.ts';
import type { EpochMs, Hit, Violation } from './record.ts';
import { type ClaimedRow, byAutomation, endedAt, endedBy, grouped, parallelLimit, wasHung } from './runs.ts';
import { at, the, theHit } from './words.ts';

/**
 * Invariant 2 by the ledger: when a run was claimed, fewer others of its automation were active than its overlap rule
 * allows. Claims are ordered by their fences. A run that settled after the instant inside the claim's own transaction was
 * certainly still active for it.
 */
export function judgeOverlaps(claimed: readonly ClaimedRow[]): readonly Violation[] {
  const violations: Violation[] = [];
  for (const rows of byAutomation(claimed).values()) {
    const byFence = [...rows].sort((a, b) => a.fence - b.fence);
    let earlier: ClaimedRow[] = [];
    for (const run of byFence) {
      const made = run.madeAt;
      earlier = earlier.filter((other) => endedAt(other) > made);
      const limit = parallelLimit(run.definition);
      if (earlier.length >= limit) {
        violations.push({
          invariant: 2,
          what:
            `${the(run)} was claimed at ${at(made)} while ${earlier.map(spanOf).join(' and ')} ` +
            `${earlier.length === 1 ? 'was' : 'were'} active; ${limit} may be.`,
        });
      }
      earlier.push(run);
    }
  }
  return violations;
}

function spanOf(run: ClaimedRow): string {
  return `${the(run)}, which settled ${run.settledAt === undefined ? 'never' : `at ${at(run.settledAt)}`},`;
}

/**
 * Invariant 2 by the server's clock: when a request came in, fewer requests of other runs of its automation were open than
 * the overlap rule allows. A request of a run that succeeded or failed is over when it was answered. One of a run that
 * ended without its answer (interrupted, cancelled, timed out) may go on at the server until the network says that its
 * sender is gone, `abortMs` of the machine's time after the run's end at most; for any time in an engine that takes no request
 * back, and that of a hung host (protocol, section 6).
 */
export function judgeOverlapsAtServer(
  hits: readonly Hit[],
  runs: ReadonlyMap<string, ClaimedRow>,
  abortMs: number,
  engine: Pick<TimedHistory, 'pace' | 'takesRequestsBack'>,
): readonly Violation[] {
  const violations: Violation[] = [];
  for (const ofOne of grouped(hits, (hit) => hit.automationId).values()) {
    const inOrder = [...ofOne].sort((a, b) => a.startedAt - b.startedAt);
    let open: { readonly hit: Hit; readonly until: EpochMs }[] = [];
    for (const hit of inOrder) {
      const run = runs.get(hit.runId);
      if (run === undefined) continue; // An effect of no run is invariant 7's.
      open = open.filter(({ until }) => until > hit.startedAt);
      const others = open.filter((other) => other.hit.runId !== hit.runId);
      const offending = others.filter((other) => {
        const theirs = runs.get(other.hit.runId);
        return theirs !== undefined && countsAgainst(theirs, hit.startedAt, abortMs, engine);
      });
      const limit = allowedBeside(run, offending, runs);
      if (offending.length >= limit) {
        violations.push({
          invariant: 2,
          what:
            `When ${theHit(hit)} came in, the server had not yet answered ` +
            `${offending.map((other) => theHit(other.hit)).join(' and ')} of the same automation; ${limit} may be open.`,
        });
      }
      open.push({ hit, until: overAt(hit, run) });
    }
  }
  return violations;
}

/** The rule may have been widened, and others claimed by it, before the request of `run` got to the server. */
function allowedBeside(
  run: ClaimedRow,
  open: readonly { readonly hit: Hit }[],
  runs: ReadonlyMap<string, ClaimedRow>,
): number {
  const later = open.flatMap(({ hit }) => {
    const other = runs.get(hit.runId);
    return other !== undefined && other.fence > run.fence ? [parallelLimit(other.definition)] : [];
  });
  return Math.max(parallelLimit(run.definition), ...later);
}

function overAt(hit: Hit, run: ClaimedRow): EpochMs {
  const hadAnswer = run.status === 'succeeded' || run.status === 'failed';
  return (hadAnswer ? hit.answeredAt : null) ?? hit.closedAt ?? Infinity;
}

/** Whether a request of `run` that is open at `now` may not be. */
function countsAgainst(
  run: ClaimedRow,
  now: EpochMs,
  abortMs: number,
  { pace, takesRequestsBack }: Pick<TimedHistory, 'pace' | 'takesRequestsBack'>,
): boolean {
  if (run.status === 'succeeded' || run.status === 'failed') return true;
  if (wasHung(run)) return false;
  return now < endedAt(run) || (takesRequestsBack && pace.between(endedBy(run), now) > abortMs);
}

/**
 * Invariant 3: when a run was claimed, fewer runs of all automations were active than `maxConcurrent`. It binds claims: one
 * that lowers the limit ends nothing that runs. While a change of it was under way, either value may be in force.
 */
export function judgeCapacity(history: TimedHistory, claimed: readonly ClaimedRow[]): readonly Violation[] {
  const violations: Violation[] = [];
  const limitAt = limits(history);
  let active: ClaimedRow[] = [];
  for (const run of [...claimed].sort((a, b) => a.madeAt - b.madeAt)) {
    const made = run.madeAt;
    // Of two claims in the same millisecond the order is unknown, so the other may not have been there yet.
    active = active.filter((other) => endedAt(other) > made);
    const before = active.filter((other) => other.madeAt < made);
    const limit = limitAt(made);
    if (before.length >= limit) {
      violations.push({
        invariant: 3,
        what:
          `${the(run)} was claimed at ${at(made)} as the ${before.length + 1}th active run; ${limit} may be. ` +
          `Active were ${before.map(({ id }) => id).join(', ')}.`,
      });
    }
    active.push(run);
  }
  return violations;
}

/** The highest limit of active runs that may have been in force at a time. */
function limits({ operations, ledger, maxConcurrentAtFirst }: TimedHistory): (time: EpochMs) => number {
  const doneAt = new Map(ledger.commands.map(({ id, at: when }) => [id, when]));
  const changes = operations
    .flatMap((operation) => {
      const from = operation.kind === 'save-settings' ? doneAt.get(operation.commandId) : undefined;
      return operation.kind !== 'save-settings' || from === undefined
        ? []
        : [{ from, surelyFrom: operation.answeredAt ?? Infinity, value: operation.maxConcurrent }];
    })
    .sort((a, b) => a.from - b.from);
  const first = { from: -Infinity, surelyFrom: -Infinity, value: maxConcurrentAtFirst };
  const all = [first, ...changes];
  return (time) => {
    const begun = all.filter(({ from }) => from <= time);
    const sure = begun.findLastIndex(({ surelyFrom }) => surelyFrom <= time);
    return Math.max(...begun.slice(sure).map(({ value }) => value));
  };
}
