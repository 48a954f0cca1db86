/**
 * What a person says of a run that may have happened: that it did, or that it is to run again. The only change that a
 * terminal row ever sees, and it is made once (protocol, section 5).
 */
import { type Automation, withoutFailures } from './automation.ts';
import { nextAttemptRow } from './due.ts';
import { followUps } from './follow.ts';
import type { RunRow, SettledRun } from './run.ts';
import type { EpochMs } from './time.ts';
import type { Decision, Write } from './writes.ts';

/** `happened`: leave it at that. `run-again`: the next attempt at the same occurrence is due now. */
export type Answer = 'happened' | 'run-again';

/** `not-open`: the run does not wait for an answer, or has one already, as `run` says. */
export type AnswerResult =
  | { readonly kind: 'answered'; readonly run: SettledRun }
  | { readonly kind: 'not-open'; readonly run: RunRow }
  | { readonly kind: 'not-found' };

/** Whether a run waits for a person to say whether its effect happened. One that its rule repeats does not. */
export function isOpen(run: RunRow): run is Extract<RunRow, { status: 'interrupted' }> {
  if (run.status !== 'interrupted') return false;
  if (run.mayHaveHappened !== true && run.asks !== true) return false;
  return run.answer === undefined && run.retryAt === undefined;
}

/** Decides an answer. The automation no longer needs the person for this run, whichever the answer is. */
export function decideAnswer(
  run: RunRow | null,
  automation: Automation | null,
  answer: Answer,
  now: EpochMs,
  followers: readonly Automation[] = [],
): Decision<AnswerResult> {
  if (run === null) return { result: { kind: 'not-found' }, writes: [] };
  if (!isOpen(run)) return { result: { kind: 'not-open', run }, writes: [] };
  const answered: SettledRun = { ...run, answer: { said: answer, at: now } };
  const writes: Write[] = [{ op: 'put', store: 'runs', row: answered }];
  if (automation !== null) {
    const recent = automation.recent.map((one) => {
      if (one.id !== run.id) return one;
      const { mayHaveHappened: _, ...closed } = one;
      return closed;
    });
    const failuresInARow = automation.failuresInARow - 1;
    const row = failuresInARow > 0 ? { ...automation, failuresInARow } : withoutFailures(automation);
    writes.push({ op: 'put', store: 'automations', row: { ...row, recent } });
    if (answer === 'run-again') {
      // Asked for by a person: neither a pause nor a schedule that has come round meanwhile stands against it.
      writes.push({ op: 'put', store: 'agenda', row: nextAttemptRow(run, now, 'manual') });
    }
  }
  // What the person saw happen is a success to those that follow.
  if (answer === 'happened' && run.mayHaveHappened === true) {
    writes.push(...followUps(run, 'success', followers, now));
  }
  return { result: { kind: 'answered', run: answered }, writes };
}
