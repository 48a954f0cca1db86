/** Recovery: how the run of a host that died or hung is ended by another (protocol, section 6). Age alone proves nothing. */
import type { Automation } from './automation.ts';
import type { EndState } from './ending.ts';
import { endRun } from './ending.ts';
import type { RunId } from './ids.ts';
import { type RunRow, type SettledRun, isActive } from './run.ts';
import type { EpochMs } from './time.ts';
import type { Decision } from './writes.ts';

export interface RecoverRequest {
  readonly runId: RunId;
  /** The fence of the row that was looked at; a later claim's run is another's business. */
  readonly fence: number;
  /**
   * What proves that the run may be ended: its lease was granted to us, so its host is gone; or its host lives but is
   * past the lease deadline, so it is hung and is fenced out.
   */
  readonly proof: 'lease-granted' | 'past-deadline';
  readonly now: EpochMs;
  /** In [0, 1), for the jitter of a retry. */
  readonly chance: number;
}

export interface RecoverState extends EndState {
  readonly run: RunRow | null;
}

/** `not-active`: somebody settled it first; nothing was written. */
export type RecoverResult =
  { readonly kind: 'recovered'; readonly run: SettledRun } | { readonly kind: 'not-active' };

/** Decides a recovery. */
export function decideRecovery(state: RecoverState, request: RecoverRequest): Decision<RecoverResult> {
  const { run } = state;
  if (run === null || !isActive(run) || run.fence !== request.fence) {
    return { result: { kind: 'not-active' }, writes: [] };
  }
  if (request.proof === 'lease-granted') {
    const end = endRun(run, { kind: 'interrupted' }, state, request.now, request.chance);
    return { result: { kind: 'recovered', run: end.run }, writes: end.writes };
  }
  if (request.now <= run.leaseDeadline) return { result: { kind: 'not-active' }, writes: [] };
  const automation: Automation | null =
    state.automation === null ? null : { ...state.automation, epoch: state.automation.epoch + 1 };
  const end = endRun(
    run,
    { kind: 'timed-out', hung: true },
    { ...state, automation },
    request.now,
    request.chance,
  );
  return { result: { kind: 'recovered', run: end.run }, writes: end.writes };
}
