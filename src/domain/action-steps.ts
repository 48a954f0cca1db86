import * as v from 'valibot';
import { PLAIN_ACTIONS } from './action-plain.ts';
import { boundedText, wholeNumber } from './problem.ts';
import { stepId } from './step-id.ts';

/** Most steps of one automation. */
export const STEPS_MOST = 20;

/** What an older step is asked: a step with `onlyIf: 'changed'` is left out when no watch before it found a change. */
const conditionSchema = v.literal('changed', 'onlyIf is "changed", or left out.');

const stepSchema = v.strictObject({
  /**
   * What the step remembers from run to run belongs to this number, so that it keeps it when steps are moved. Without
   * one it is the place of the step, from 1.
   */
  id: v.exactOptional(wholeNumber(1, 9_999, 'The id of a step')),
  name: v.exactOptional(
    v.pipe(boundedText('The name of a step', 100), v.trim(), v.nonEmpty('Name the step, or leave it out.')),
  ),
  /** Absent: it always runs. */
  onlyIf: v.exactOptional(conditionSchema),
  action: v.variant(
    'kind',
    [...PLAIN_ACTIONS],
    'The action of a step is one of "http", "watch", "prompt", "remind" and "script".',
  ),
});

/** One of several things that a run does. */
export type Step = v.InferOutput<typeof stepSchema>;

interface StepProblem {
  readonly place: number;
  readonly field: 'id' | 'onlyIf';
  readonly message: string;
}

/** What is wrong with steps together, though each is well-formed. */
function problemsOfSteps(steps: readonly Step[]): readonly StepProblem[] {
  const problems: StepProblem[] = [];
  const places = new Map<number, number>();
  let isWatched = false;
  for (const [index, step] of steps.entries()) {
    const place = index + 1;
    const id = stepId(step, place);
    const twin = places.get(id);
    if (twin !== undefined)
      problems.push({
        place,
        field: 'id',
        message: `Step ${place}: it has the id ${id}, like step ${twin}.`,
      });
    places.set(id, place);
    if (step.onlyIf === 'changed' && !isWatched)
      problems.push({
        place,
        field: 'onlyIf',
        message: `Step ${place}: no step before it is a watch, so there is no change that it could wait for.`,
      });
    if (step.action.kind === 'watch') isWatched = true;
  }
  return problems;
}

/** The schema of several things done one after another. */
export const stepsSchema = v.pipe(
  v.strictObject({
    kind: v.literal('steps'),
    steps: v.pipe(
      v.array(stepSchema, 'Steps are a list.'),
      v.minLength(1, 'Add at least one step.'),
      v.maxLength(STEPS_MOST, `At most ${STEPS_MOST} steps.`),
    ),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    for (const { place, field, message } of problemsOfSteps(value.steps)) {
      const step = value.steps[place - 1];
      addIssue({
        message,
        path: [
          { type: 'object', origin: 'value', input: value, key: 'steps', value: value.steps },
          { type: 'array', origin: 'value', input: value.steps, key: place - 1, value: step },
          { type: 'object', origin: 'value', input: { ...step }, key: field, value: step?.[field] },
        ],
      });
    }
  }),
);

export type StepsAction = v.InferOutput<typeof stepsSchema>;
