/** Whether a run may go on from a step of an earlier one, told when it is asked for and not when it has begun. */
import { type AutomationId, type StepStart, stepsTaken } from '../domain/index.ts';
import type { Ledger } from '../store/index.ts';

/** Why a run of `id` cannot begin at `from`, as a sentence; `null` when it can, and when there is no such automation. */
export async function whyNotContinued(
  ledger: Pick<Ledger, 'findAutomation' | 'findRun'>,
  id: AutomationId,
  from: StepStart,
): Promise<string | null> {
  const [automation, found] = await Promise.all([ledger.findAutomation(id), ledger.findRun(from.runId)]);
  if (automation === null) return null;
  const run = found?.run;
  const continued =
    run?.automationId === id && 'definition' in run
      ? { action: run.definition.action, output: found?.output?.output ?? null }
      : null;
  const taken = stepsTaken(continued, automation.automation.action, from);
  return taken.kind === 'refused' ? taken.why : null;
}
