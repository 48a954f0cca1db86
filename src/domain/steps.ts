/** What several steps have in common, without what parses them: screens load this alone. */
import type { PlainAction } from './action-plain.ts';
import type { StepsAction } from './action-steps.ts';
import type { RunId } from './ids.ts';
import { stepId } from './step-id.ts';

/** The step at `place` as sentences begin with it: `Step 2`, or `Step 2 (Post it)`. */
export function stepTitle(place: number, name?: string): string {
  return name === undefined ? `Step ${place}` : `Step ${place} (${name})`;
}

/** Where a run begins that continues an earlier one: what comes before `step` is taken from the output of `runId`. */
export interface StepStart {
  readonly runId: RunId;
  /** From 1. */
  readonly step: number;
}

/** How far the effect of a step got that must not be repeated. */
export interface StepEffect {
  readonly step: number;
  readonly effect: 'sending' | 'sent';
}

/** The things that `action` does, in their order. */
export function actionsOf(action: PlainAction | StepsAction): readonly PlainAction[] {
  return action.kind === 'steps' ? action.steps.map((step) => step.action) : [action];
}

/**
 * Whether what the steps before `place` brought back under `before` may be used under `now`: they do the same. Their
 * names may differ, and so may the steps from `place` on.
 */
export function sameStepsBefore(
  before: PlainAction | StepsAction,
  now: PlainAction | StepsAction,
  place: number,
): boolean {
  if (before.kind !== 'steps' || now.kind !== 'steps' || now.steps.length < place) return false;
  const earlier = (action: StepsAction): string =>
    inOrder(
      action.steps
        .slice(0, place - 1)
        .map((step, index) => [stepId(step, index + 1), step.onlyIf ?? null, step.action]),
    );
  return earlier(before) === earlier(now);
}

/** The JSON of `value`, the same whatever the order of its keys. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
