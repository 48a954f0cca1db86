/** Several steps as the editor holds them. One action alone is none: it stands in the form itself. */
import { type PlainAction, type Problem, type Step, type StepsAction, stepId } from '../../domain/index.ts';
import { type ActionForm, actionOf, emptyAction, readAction } from './editor-action-form.ts';

/** A step as it is typed. */
export interface StepForm {
  /** What it remembers belongs to this number, and so does its place on the screen while it is moved. */
  readonly id: number;
  readonly name: string;
  /** It is left out when no watch before it found a change. */
  readonly onlyIfChanged: boolean;
  readonly action: ActionForm;
  /** The action that it was filled from. */
  readonly kept: PlainAction | null;
}

/** What the form holds of steps. */
export interface StepsForm {
  /** Empty for one action alone, which stands in the form itself. */
  readonly steps: readonly StepForm[];
}

/** The steps of `action`. */
export function stepsOf({ steps }: StepsAction): StepsForm {
  return { steps: steps.map((step, index) => stepOf(step, index + 1)) };
}

function stepOf(step: Step, place: number): StepForm {
  return {
    id: stepId(step, place),
    name: step.name ?? '',
    onlyIfChanged: step.onlyIf === 'changed',
    action: { ...emptyAction(), ...actionOf(step.action) },
    kept: step.action,
  };
}

/** The action that `steps` say; problems have the paths that the host uses too. */
export function readSteps(steps: readonly StepForm[], problems: Problem[]): StepsAction {
  const last = steps.length;
  // An id that says no more than the place is left out, unless another step would then have the same one.
  const isPlain = steps.every(({ id }, index) => id === index + 1);
  return {
    kind: 'steps',
    steps: steps.map((step, index) => {
      const own: Problem[] = [];
      const action = readAction(step.action, step.kept ?? undefined, own);
      for (const { path, message } of own)
        problems.push({ path: `action.steps[${index}].${path}`, message: `Step ${index + 1}: ${message}` });
      return {
        ...(isPlain || last === 0 ? {} : { id: step.id }),
        ...(step.name.trim() === '' ? {} : { name: step.name }),
        ...(step.onlyIfChanged ? { onlyIf: 'changed' as const } : {}),
        action,
      };
    }),
  };
}
