/** What a run that continues an earlier one may take from it, and why it may not. */
import {
  type Action,
  type RunOutput,
  type StepStart,
  type StepTrace,
  sameStepsBefore,
} from '../../domain/index.ts';

/** What is known of the run that is continued; `null` when it is not there any more. */
export type Continued = {
  readonly action: Action;
  readonly output: RunOutput | null;
} | null;

/** What the steps before `from.step` brought back in `found`; `refused` with a sentence where `now` cannot use it. */
export function stepsTaken(
  found: Continued,
  now: Action,
  { runId, step }: StepStart,
):
  | { readonly kind: 'taken'; readonly traces: readonly StepTrace[] }
  | { readonly kind: 'refused'; readonly why: string } {
  const refused = (why: string) =>
    ({ kind: 'refused', why: `It cannot go on from step ${step}: ${why}.` }) as const;
  if (found?.output?.kind !== 'steps') return refused('the run that it continues is not there any more');
  if (!sameStepsBefore(found.action, now, step))
    return refused('the steps before it have been edited since the run that it continues');
  const traces: StepTrace[] = [];
  for (const trace of found.output.steps.slice(0, step - 1)) {
    if (trace.status === 'left-out' || trace.status === 'taken') traces.push(trace);
    else if (trace.status === 'succeeded') {
      const { startedAt: _at, totalMs: _ms, ...rest } = trace;
      traces.push({ ...rest, status: 'taken', from: runId });
    } else return refused(`step ${trace.step} did not succeed in the run that it continues`);
  }
  return { kind: 'taken', traces };
}
