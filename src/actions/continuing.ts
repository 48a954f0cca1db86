import type { Action, StepStart } from '../domain/index.ts';
import { loadPart } from './load-part.ts';
import type { Continued } from './steps/taken.ts';

/**
 * Why a run of `action` cannot go on from where `from` says in the run that is `found`, as a sentence; `null` when it can,
 * and when that cannot be told before it begins. Never rejects.
 */
export async function whyNotContinued(
  found: Continued,
  action: Action,
  from: StepStart,
): Promise<string | null> {
  const loaded = await loadPart(() => import('./steps/taken.ts'), 'runs steps');
  if (loaded.kind === 'failed') return null;
  const taken = loaded.part.stepsTaken(found, action, from);
  return taken.kind === 'refused' ? taken.why : null;
}
