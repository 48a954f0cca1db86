/**
 * What the editor holds: a definition as a person types it. Every field is text or a choice, for all kinds at once, so
 * that half a number is a state and not an error, and switching a kind there and back loses nothing.
 *
 * `readForm(formOf(definition))` is `definition` again, also for what the form does not show: such fields travel in
 * {@link EditorForm.kept}, and an instant keeps its milliseconds and its pass of an overlap while its text is left alone.
 */
import {
  type Action,
  type Automation,
  DEFAULT_RULES,
  type Definition,
  type Parsed,
  type Problem,
  type Schedule,
  definitionOf,
  definitionSchema,
  isRepeatable,
  parseWith,
  scheduleSchema,
  withoutUnknown,
} from '../../domain/index.ts';
import { type ActionForm, actionOf, emptyAction, readAction } from './editor-action-form.ts';
import { type StepsForm, readSteps, stepsOf } from './editor-steps-form.ts';
import { type RulesForm, readRules, rulesOf } from './editor-rules-form.ts';
import { type FormContext, type WhenForm, emptyWhen, readWhen, whenOf } from './editor-when-form.ts';

export interface EditorForm extends ActionForm, StepsForm, WhenForm, RulesForm {
  readonly name: string;
  readonly enabled: boolean;
  /** Separated by commas. */
  readonly tags: string;

  /** The definition that the form was filled from; `null` for one that starts empty. */
  readonly kept: Definition | null;
}

/** An empty form: a GET request, every day at nine, the default rules. */
export function emptyForm(context: FormContext): EditorForm {
  return {
    name: '',
    enabled: true,
    tags: '',
    ...emptyAction(),
    steps: [],
    ...emptyWhen(context),
    ...rulesOf(DEFAULT_RULES),
    kept: null,
  };
}

/**
 * The definition in `automation` as this build knows it. Fields of a newer one stay in the store, which carries them
 * through a save itself: what is sent is strict.
 */
export function definitionIn(automation: Automation): Definition {
  return withoutUnknown(definitionSchema, definitionOf(automation));
}

/** The form for `definition`. Instants are shown in `context.zone`, cron rules in their own. */
export function formOf(definition: Definition, context: FormContext): EditorForm {
  const { name, enabled, tags, action, schedule, rules } = definition;
  return {
    ...emptyForm(context),
    name,
    enabled,
    tags: tags.join(', '),
    ...(action.kind === 'steps' ? stepsOf(action) : actionOf(action)),
    ...whenOf(schedule, context.zone),
    ...rulesOf(rules),
    kept: withoutUnknown(definitionSchema, definition),
  };
}

/** The definition that `form` says, or everything that is wrong with it, with the paths that the host uses too. */
export function readForm(form: EditorForm, context: FormContext): Parsed<Definition> {
  const problems: Problem[] = [];
  const candidate = {
    ...form.kept,
    name: form.name,
    enabled: form.enabled,
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
    action: readWhat(form, problems),
    schedule: readWhen(form, form.kept?.schedule, context, problems),
    rules: readRules(form, form.kept?.rules, problems),
  };
  return merged(problems, parseWith(definitionSchema, candidate));
}

/** The action that `form` says, or the steps. */
function readWhat(form: EditorForm, problems: Problem[]): Action {
  if (form.steps.length > 0) return readSteps(form.steps, problems);
  const kept = form.kept?.action;
  return readAction(form, kept?.kind === 'steps' ? undefined : kept, problems);
}

/** What the form found comes first: it speaks of what was typed, where the schema sees only a stand-in. */
function merged<Value>(problems: readonly Problem[], parsed: Parsed<Value>): Parsed<Value> {
  if (parsed.kind === 'ok') return problems.length === 0 ? parsed : { kind: 'invalid', problems };
  const named = new Set(problems.map(({ path }) => path));
  return {
    kind: 'invalid',
    problems: [...problems, ...parsed.problems.filter(({ path }) => !named.has(path))],
  };
}

/** Whether what `form` says is safe to repeat, as the host will judge it; half-typed forms count by what they have. */
export function formIsRepeatable(form: EditorForm): boolean {
  return isRepeatable(readWhat(form, []));
}

/** The schedule that `form` says, with paths as in a definition (`schedule.…`), so that it can be previewed alone. */
export function readSchedule(form: EditorForm, context: FormContext): Parsed<Schedule> {
  const problems: Problem[] = [];
  const candidate = readWhen(form, form.kept?.schedule, context, problems);
  return merged(problems, parseWith(scheduleSchema, candidate, ['schedule']));
}
