/** Several steps as the editor holds them. One action alone is none: it stands in the form itself. */
import { type PlainAction, type Problem, type Step, type StepsAction, stepId } from '../../domain/index.ts';
import { type ActionForm, actionOf, emptyAction, readAction } from './editor-action-form.ts';
import { withReferences } from './editor-step-references.ts';

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
  // An id that says no more than the place is left out, unless another step would then have the same one.
  const isPlain = steps.every(({ id }, index) => id === index + 1);
  return {
    kind: 'steps',
    steps: steps.map((step, index) => {
      const own: Problem[] = [];
      const action = readAction(step.action, step.kept ?? undefined, own);
      for (const { path, message } of own) problems.push({ path: `action.steps[${index}].${path}`, message });
      return {
        ...(isPlain ? {} : { id: step.id }),
        ...(step.name.trim() === '' ? {} : { name: step.name }),
        ...(step.onlyIfChanged ? { onlyIf: 'changed' as const } : {}),
        action,
      };
    }),
  };
}

/** The steps of a form; one action alone is the first of them, and keeps what it remembers. */
export function stepsIn(form: ActionForm & StepsForm, kept: PlainAction | null): readonly StepForm[] {
  if (form.steps.length > 0) return form.steps;
  const keys = Object.keys(emptyAction()) as (keyof ActionForm)[];
  const action = Object.fromEntries(keys.map((key) => [key, form[key]])) as unknown as ActionForm;
  return [{ id: 1, name: '', onlyIfChanged: false, action, kept }];
}

/** A step that nothing is typed in, with an id that none of `taken` has. */
export function emptyStep(taken: readonly number[]): StepForm {
  const id = Math.max(0, ...taken) + 1;
  return { id, name: '', onlyIfChanged: false, action: emptyAction(), kept: null };
}

/** `steps` with `step` at `index`. What names those behind it by their number names them by their new one. */
export function withStepAt(steps: readonly StepForm[], index: number, step: StepForm): readonly StepForm[] {
  const moved = withReferences(steps, (place) => (place > index ? place + 1 : place));
  return [...moved.slice(0, index), step, ...moved.slice(index)];
}

/** `steps` without the one at `index`. What named it says so, and is refused when it is saved. */
export function withoutStepAt(steps: readonly StepForm[], index: number): readonly StepForm[] {
  const left = steps.filter((_step, at) => at !== index);
  return withReferences(left, (place) => (place === index + 1 ? null : place > index ? place - 1 : place));
}

/** `steps` with the one at `from` where the one at `to` is. Each goes on to name the same steps. */
export function withStepMoved(steps: readonly StepForm[], from: number, to: number): readonly StepForm[] {
  const order = steps.map((_step, index) => index);
  order.splice(to, 0, ...order.splice(from, 1));
  const moved = order.flatMap((index) => steps[index] ?? []);
  return withReferences(moved, (place) =>
    place > steps.length || place < 1 ? place : order.indexOf(place - 1) + 1,
  );
}

/** Whether `steps` are one that is no more than an action alone. */
export function isJustOne(steps: readonly StepForm[]): boolean {
  const [only, second] = steps;
  return (
    only !== undefined &&
    second === undefined &&
    only.id === 1 &&
    only.name.trim() === '' &&
    !only.onlyIfChanged
  );
}
