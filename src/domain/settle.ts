/** The settlement: one transaction that records how a run ended (protocol, section 5). */
import type { EndState, Ending } from './ending.ts';
import { endRun } from './ending.ts';
import type { HostId, RunId } from './ids.ts';
import { type CancelledBy, type RunRow, type SettledRun, isActive } from './run.ts';
import type { EpochMs } from './time.ts';
import type { Decision } from './writes.ts';
import type { Spending } from './spent.ts';

export interface SettleRequest {
  readonly runId: RunId;
  readonly hostId: HostId;
  /** The fence that the claim gave; a run that was ended by someone else no longer takes it. */
  readonly fence: number;
  readonly ending: Ending;
  readonly now: EpochMs;
  /** In [0, 1), for the jitter of a retry. */
  readonly chance: number;
  /** The host is offline now. */
  readonly offline?: boolean;
}

export interface SettleState extends EndState {
  readonly run: RunRow | null;
}

/** `lease-lost`: the run is not this host's any more, and nothing was written. */
export type SettleResult =
  { readonly kind: 'settled'; readonly run: SettledRun } | { readonly kind: 'lease-lost' };

/** Whether the run is active and still belongs to the host and fence that ask. Every later write of a run checks it. */
export function holds(
  run: RunRow | null,
  by: { readonly hostId: HostId; readonly fence: number },
): run is Extract<RunRow, { status: 'running' }> {
  return run !== null && isActive(run) && run.host.id === by.hostId && run.fence === by.fence;
}

/** Decides a settlement. A run that someone asked to cancel, and that was stopped for it, says who asked. */
export function decideSettle(state: SettleState, request: SettleRequest): Decision<SettleResult> {
  if (!holds(state.run, request)) return { result: { kind: 'lease-lost' }, writes: [] };
  const offline = request.offline ?? false;
  const end = endRun(state.run, request.ending, { ...state, offline }, request.now, request.chance);
  return { result: { kind: 'settled', run: end.run }, writes: end.writes };
}

/** What became of asking for an end. `too-late`: it had ended, as `run` says. */
export type CancelDecision =
  | { readonly kind: 'cancelling' }
  | { readonly kind: 'too-late'; readonly run: RunRow }
  | { readonly kind: 'not-found' };

/** Marks an active run for cancelling. Its own host sees the mark and ends it; a dead host's run is recovered as such. */
export function decideCancel(run: RunRow | null, by: CancelledBy, now: EpochMs): Decision<CancelDecision> {
  if (run === null) return { result: { kind: 'not-found' }, writes: [] };
  if (!isActive(run)) return { result: { kind: 'too-late', run }, writes: [] };
  if (run.cancelRequested !== undefined) return { result: { kind: 'cancelling' }, writes: [] };
  return {
    result: { kind: 'cancelling' },
    writes: [{ op: 'put', store: 'runs', row: { ...run, cancelRequested: { at: now, by } } }],
  };
}

/** Marks how far an unrepeatable effect got, before it leaves and when it is known to have arrived; of `step`, where there are several. */
export function decideMark(
  run: RunRow | null,
  by: { readonly hostId: HostId; readonly fence: number },
  effect: 'sending' | 'sent' | undefined,
  step?: number,
  mayUse?: Spending,
): Decision<{ readonly kind: 'marked' } | { readonly kind: 'lease-lost' }> {
  if (!holds(run, by)) return { result: { kind: 'lease-lost' }, writes: [] };
  const { effectSteps = [] } = run;
  const others = effectSteps.filter((one) => one.step !== step);
  const marked =
    effect === undefined
      ? {}
      : { effect, ...(step === undefined ? {} : { effectSteps: [...others, { step, effect }] }) };
  const row = { ...run, ...marked, ...(mayUse === undefined ? {} : { mayUse }) };
  return { result: { kind: 'marked' }, writes: [{ op: 'put', store: 'runs', row }] };
}
