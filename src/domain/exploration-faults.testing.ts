/** What must never be in the explored world: the invariants of the protocol (section 9), in the small. */
import { parallelLimit } from './claim.ts';
import { mayHaveHappened } from './ending.ts';
import {
  type Fault,
  type FaultKind,
  PERIOD_MS,
  type Scope,
  type State,
  active,
  isPost,
  rowOf,
  runText,
} from './exploration-world.testing.ts';
import { instantOf, isByHand } from './occurrence.ts';
import { type ActiveRun, type RunRow, isActive } from './run.ts';

type Report = (kind: FaultKind, detail: string) => void;

/** The first invariant that does not hold in `state`, or `null`; only one of `kind`, where that is said. */
export function findFault(state: State, scope: Scope, kind?: FaultKind): Fault | null {
  let found = kind === undefined || state.fault?.kind === kind ? state.fault : null;
  const report: Report = (is, detail) => {
    if (kind === undefined || kind === is) found ??= { kind: is, detail };
  };
  checkRuns(state, report);
  checkLimits(state, scope, report);
  checkHands(state, scope, report);
  checkCover(state, report);
  return found;
}

/** What ended, ended as it says, was tried again only then, and did what must not be repeated once. */
function checkRuns(state: State, report: Report): void {
  const done = new Map<string, number>();
  for (const row of state.ledger) {
    if (row.status === 'missed' || row.status === 'skipped') continue;
    const effects = state.effects.get(row.id) ?? 0;
    if (row.status === 'succeeded' && effects !== 1)
      report('success-without-its-effect', `${runText(row)} succeeded with ${effects} effects`);
    if (row.attempt > 1) {
      const before = state.ledger.find(
        (one) => one.occurrence === row.occurrence && one.attempt === row.attempt - 1,
      );
      if (before === undefined || isActive(before) || before.status === 'succeeded')
        report('retried-without-need', `${runText(row)} after ${before?.status ?? 'nothing'}`);
    }
    if (!isPost(row)) continue;
    const total = (done.get(row.occurrence) ?? 0) + effects;
    done.set(row.occurrence, total);
    if (total > 1) report('effect-sent-twice', runText(row));
    const isSaid = isActive(row) ? mayHaveHappened(row) : row.status !== 'interrupted' || row.mayHaveHappened;
    if (effects > 0 && isSaid !== true) report('effect-unsaid', runText(row));
  }
}

function checkLimits(state: State, scope: Scope, report: Report): void {
  const runs = active(state);
  if (runs.length > scope.maxConcurrent)
    report('over-capacity', `${runs.map(runText).join(', ')} of ${scope.maxConcurrent}`);
  for (const { id, rules } of state.automations) {
    const own = runs.filter((run) => run.automationId === id);
    if (own.length > parallelLimit(rules.overlap)) report('overlap', own.map(runText).join(', '));
  }
}

/**
 * A run that a host has in hand is active, so that no more act than rows are active; or its host has hung and was shut out,
 * and what it had begun may overlap.
 */
function checkHands(state: State, scope: Scope, report: Report): void {
  const hasHung = state.left.hangs < scope.hangs;
  const inHand: ActiveRun[] = [];
  for (const host of state.hosts) {
    if (host.kind === 'dead') continue;
    for (const { run, at } of host.threads) {
      if (at === 'settled') continue;
      const status = rowOf(state, run.id)?.status ?? 'gone';
      if (status === 'timed-out' && hasHung) continue;
      inHand.push(run);
      if (status !== 'running')
        report('live-run-ended', `${runText(run)} is ${status} and its host has it in hand`);
    }
  }
  for (const { id, rules } of state.automations) {
    const own = inHand.filter((run) => run.automationId === id);
    if (own.length > parallelLimit(rules.overlap))
      report('overlap', `${own.map(runText).join(', ')} are in hand`);
  }
}

/** Each scheduled instant before the one on the agenda is in exactly one row, by run or as missed or skipped. */
function checkCover(state: State, report: Report): void {
  for (const { id } of state.automations) {
    const [next, ...others] = state.agenda.filter(
      (row) => row.automationId === id && row.cause === 'schedule',
    );
    if (next === undefined || others.length > 0) {
      report('left-out', `${next === undefined ? 'no' : 'more than one'} scheduled row on the agenda`);
      continue;
    }
    const rows = state.ledger.filter(
      (row) => row.automationId === id && row.attempt === 1 && !isByHand(row.occurrence),
    );
    for (let at = PERIOD_MS; at < next.scheduledFor; at += PERIOD_MS) {
      const count = rows.filter((row) => isOf(row, at)).length;
      if (count > 1) report('counted-twice', `${at / PERIOD_MS} is in ${count} rows`);
      if (count < 1) report('left-out', `${at / PERIOD_MS} is in no row`);
    }
  }
}

function isOf(row: RunRow, at: number): boolean {
  return 'covers' in row ? row.covers.from <= at && at <= row.covers.to : instantOf(row.occurrence) === at;
}

/** Whether all that was due is accounted for, and nothing is left to do for the hosts that do not hang. */
export function isAtRest(state: State, scope: Scope): boolean {
  return (
    state.now >= scope.occurrences * PERIOD_MS &&
    state.agenda.every((row) => row.dueAt > state.now && row.cause === 'schedule') &&
    active(state).length === 0 &&
    state.hosts.every(
      (host) =>
        host.kind === 'dead' || host.hung || (host.control.at === 'idle' && host.threads.length === 0),
    )
  );
}
