/** Which field of the editor a problem belongs to, so that it is said where it can be mended. */
import { type Problem, stepTitle } from '../../domain/index.ts';
import { ACTION_LABELS, type ActionField, actionField, actionKeyOf } from './editor-action-fields.ts';
import type { EditorForm } from './editor-form.ts';
import type { KeepForm } from './editor-keep-form.ts';
import { isDateOfMonth } from './editor-month.ts';
import type { StepForm } from './editor-steps-form.ts';
import { KEEP_HELP } from '../text/help-rules.ts';

/** A place in a step: one of its action's fields, its name, or its condition. */
export type InStep = ActionField | 'stepName' | 'onlyIf';

/** A place in one of several steps, which is named by its id; without more, the step as a whole. */
export type StepField = `steps.${number}` | `steps.${number}.${InStep}`;

/** Every place in the editor at which a problem can be shown. */
export type FieldId =
  | 'name'
  | 'tags'
  | ActionField
  | 'steps'
  | StepField
  | 'once'
  | 'every'
  | 'anchor'
  | 'activeHours'
  | 'activeUntil'
  | 'activeDays'
  | 'days'
  | 'month'
  | 'time'
  | 'calendarEvery'
  | 'calendarFirst'
  | 'after'
  | 'expression'
  | 'zone'
  | 'start'
  | 'end'
  | 'maxRuns'
  | 'excluded'
  | 'jitter'
  | 'missedLimit'
  | 'missedMaxAge'
  | 'overlapLimit'
  | 'timeout'
  | 'retryAttempts'
  | 'retryFirstDelay'
  | 'retryFactor'
  | 'retryMaxDelay'
  | 'retryOn'
  | 'autoPauseFailures'
  | 'notifyFailures'
  | 'runsPerDay'
  | keyof KeepForm;

/** A problem with the field that shows it; `null` when none does, and the summary is its only place. */
export interface PlacedProblem extends Problem {
  readonly field: FieldId | null;
}

/** What the summary calls each field: the words of its label, after its step where it is in one. */
export function labelOf(field: FieldId, { steps }: Pick<EditorForm, 'steps'>): string {
  const inStep = stepFieldOf(field);
  if (inStep === null) return LABELS[baseOf(field)];
  const title = `Step ${steps.findIndex(({ id }) => id === inStep.id) + 1}`;
  return inStep.inner === null ? title : `${title}, ${LABELS[baseOf(inStep.inner)]}`;
}

/** The step that `field` is in, by its id, and where in it; `null` for what is in no step. */
export function stepFieldOf(field: FieldId): { readonly id: number; readonly inner: InStep | null } | null {
  const [, id, inner] = /^steps\.(\d+)(?:\.(.+))?$/.exec(field) ?? [];
  return id === undefined ? null : { id: Number(id), inner: (inner ?? null) as InStep | null };
}

type BaseField = Exclude<FieldId, `${string}.${string}`> | 'stepName' | 'onlyIf';

function baseOf(field: FieldId | InStep): BaseField {
  return (field.split('.')[0] ?? field) as BaseField;
}

const LABELS: Readonly<Record<BaseField, string>> = {
  name: 'Name',
  tags: 'Tags',
  steps: 'Steps',
  stepName: 'Name of the step',
  ...ACTION_LABELS,
  onlyIf: 'Only after a change',
  once: 'Date and time',
  every: 'Every',
  anchor: 'Counted from',
  activeHours: 'Active from',
  activeUntil: 'Active until',
  activeDays: 'Active days',
  days: 'Days and time',
  month: 'Day of the month',
  time: 'Time of day',
  calendarEvery: 'Every',
  calendarFirst: 'First time',
  after: 'After',
  expression: 'Cron rule',
  zone: 'Time zone',
  start: 'Not before',
  end: 'Not after',
  maxRuns: 'At most so many runs',
  excluded: 'Except on',
  jitter: 'Spread over',
  missedLimit: 'At most',
  missedMaxAge: 'Run it when it is less late than',
  overlapLimit: 'Side by side, at most',
  timeout: 'Timeout',
  retryAttempts: 'Attempts',
  retryFirstDelay: 'First wait',
  retryFactor: 'Then times',
  retryMaxDelay: 'Longest wait',
  retryOn: 'Try again after',
  autoPauseFailures: 'Failures in a row',
  notifyFailures: 'After so many failures in a row',
  runsPerDay: 'Runs a day, at most',
  ...KEEP_HELP.labels,
};

const ORDER = Object.keys(LABELS);

/** Whether what stands in `field` is another in `after` than in `before`; where steps have moved, all of theirs are. */
export function isChanged(field: FieldId, before: EditorForm, after: EditorForm): boolean {
  const inStep = stepFieldOf(field);
  if (inStep !== null) {
    const order = ({ steps }: EditorForm): string => steps.map(({ id }) => id).join();
    if (order(before) !== order(after)) return true;
    const { id, inner } = inStep;
    const there = ({ steps }: EditorForm): unknown =>
      partOf(
        steps.find((step) => step.id === id),
        inner,
      );
    return there(before) !== there(after);
  }
  const key = formKeyOf(field);
  return before[key] !== after[key];
}

function partOf(step: StepForm | undefined, inner: InStep | null): unknown {
  switch (inner) {
    case null:
      return step;
    case 'stepName':
      return step?.name;
    case 'onlyIf':
      return step?.onlyIfChanged;
    default:
      return step?.action[actionKeyOf(inner)];
  }
}

/** The key of the form that `field`, which is in no step, changes. */
function formKeyOf(field: FieldId): keyof EditorForm {
  if (baseOf(field) in ACTION_LABELS) return actionKeyOf(field as ActionField);
  switch (field) {
    case 'once':
      return 'onceText';
    case 'anchor':
      return 'anchorText';
    case 'activeHours':
      return 'activeFrom';
    case 'time':
      // Only the form itself finds fault with it, and looks again at each change.
      return 'days';
    default:
      return field as keyof EditorForm;
  }
}

/** `problems` with their fields as `form` shows them now, in the order of the form. */
export function place(problems: readonly Problem[], form: EditorForm): readonly PlacedProblem[] {
  const placed = problems.map((problem): PlacedProblem => {
    const field = fieldOf(problem.path, form);
    return { ...problem, field, message: withoutStep(problem.message, field, form) };
  });
  const rank = ({ field }: PlacedProblem): number => (field === null ? ORDER.length : rankOf(field, form));
  return placed.sort((a, b) => rank(a) - rank(b));
}

/** Its place in the order of the form; what is in steps comes where the steps are, and in their order. */
function rankOf(field: FieldId, { steps }: EditorForm): number {
  const inStep = stepFieldOf(field);
  if (inStep === null) return ORDER.indexOf(baseOf(field));
  const at = steps.findIndex(({ id }) => id === inStep.id);
  const within = inStep.inner === null ? 0 : ORDER.indexOf(baseOf(inStep.inner)) / ORDER.length;
  return ORDER.indexOf('steps') + (at + within) / (steps.length + 1);
}

/** `message` without the step that it begins with: where it is shown says so already. */
function withoutStep(message: string, field: FieldId | null, { steps }: EditorForm): string {
  const inStep = field === null ? null : stepFieldOf(field);
  if (inStep === null) return message;
  const at = steps.findIndex(({ id }) => id === inStep.id);
  const name = steps[at]?.name.trim() ?? '';
  const titles = [stepTitle(at + 1, name === '' ? undefined : name), stepTitle(at + 1)].map(
    (one) => `${one}: `,
  );
  const title = titles.find((one) => message.startsWith(one)) ?? '';
  const rest = message.slice(title.length);
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

/** The problem to show at `field`: the first one, since mending it often mends the others. */
export function problemAt(placed: readonly PlacedProblem[], field: FieldId): string | null {
  return placed.find((problem) => problem.field === field)?.message ?? null;
}

/** The field of a definition's `path` (`action.url`, also below `automation.`), or `null` if `form` does not show it. */
export function fieldOf(path: string, form: EditorForm): FieldId | null {
  const inside = path.replace(/^automation\./, '');
  const [top = '', second = '', third = '', fourth = ''] = inside.split(/[.[]/);
  switch (top) {
    case 'name':
    case 'tags':
      return top;
    case 'action':
      return form.steps.length === 0 ? actionField(inside, form) : fieldInSteps(inside, form);
    case 'schedule':
      return scheduleField(second, third, form);
    case 'rules':
      return rulesField(second, third, fourth, form);
    default:
      return null;
  }
}

function fieldInSteps(path: string, { steps }: EditorForm): FieldId | null {
  const [, index, inner] = /^action\.steps\[(\d+)\](?:\.(.+))?$/.exec(path) ?? [];
  const step = index === undefined ? undefined : steps[Number(index)];
  if (step === undefined) return 'steps';
  const field =
    inner === 'name' ? 'stepName' : inner === 'onlyIf' ? inner : actionField(inner ?? '', step.action);
  return field === null ? `steps.${step.id}` : `steps.${step.id}.${field}`;
}

function isTime(text: string): boolean {
  return /^\d\d:\d\d/.test(text);
}

function scheduleField(key: string, part: string, form: EditorForm): FieldId | null {
  const bound =
    form.scheduleKind === 'manual' || form.scheduleKind === 'after' ? undefined : BOUND_FIELDS[key];
  if (bound !== undefined) return bound;
  switch (form.scheduleKind) {
    case 'manual':
      return null;
    case 'once':
      return 'once';
    case 'every':
      if (key === 'hours' && part === 'until') return 'activeUntil';
      return key === 'anchor' ? 'anchor' : (ACTIVE_FIELDS[key] ?? 'every');
    case 'calendar':
      return key === 'every' || key === 'unit' ? 'calendarEvery' : 'calendarFirst';
    case 'after':
      return 'after';
    case 'days':
      return form.days.days.length > 0 && !isTime(form.days.time) ? 'time' : 'days';
    case 'month': {
      const { on, date, time } = form.month;
      // The last day has no field but its time.
      if (on === 'last-day' || on === 'last-weekday') return 'time';
      return (on === 'nth' || isDateOfMonth(date.trim())) && !isTime(time) ? 'time' : 'month';
    }
    case 'cron':
      return 'expression';
  }
}

const BOUND_FIELDS: Readonly<Record<string, FieldId>> = {
  timeZone: 'zone',
  start: 'start',
  end: 'end',
  maxRuns: 'maxRuns',
  excluded: 'excluded',
  jitterMs: 'jitter',
};

const ACTIVE_FIELDS: Readonly<Record<string, FieldId>> = { hours: 'activeHours', days: 'activeDays' };

const KEEP_FIELDS: Readonly<Record<string, FieldId>> = {
  'runs.days': 'keepRunsDays',
  'runs.most': 'keepRunsMost',
  'outputs.days': 'keepOutputsDays',
  'outputs.most': 'keepOutputsMost',
};

function rulesField(rule: string, key: string, inner: string, form: EditorForm): FieldId | null {
  switch (rule) {
    case 'missed':
      if (key === 'maxAgeMs') return form.missedHasMaxAge && form.missed !== 'skip' ? 'missedMaxAge' : null;
      return key === 'limit' && form.missed === 'all' ? 'missedLimit' : null;
    case 'overlap':
      return key === 'limit' && form.overlap === 'parallel' ? 'overlapLimit' : null;
    case 'timeoutMs':
      return 'timeout';
    case 'retry':
      return form.retry === 'own' ? (RETRY_FIELDS[key] ?? null) : null;
    case 'autoPause':
      return form.autoPause === 'after' ? 'autoPauseFailures' : null;
    case 'runsPerDay':
      return 'runsPerDay';
    case 'keep':
      return KEEP_FIELDS[`${key}.${inner}`] ?? null;
    case 'notify':
      return key === 'failure' && form.notifyFailure === 'after' ? 'notifyFailures' : null;
    default:
      return null;
  }
}

const RETRY_FIELDS: Readonly<Record<string, FieldId>> = {
  attempts: 'retryAttempts',
  firstDelayMs: 'retryFirstDelay',
  factor: 'retryFactor',
  maxDelayMs: 'retryMaxDelay',
  on: 'retryOn',
};
