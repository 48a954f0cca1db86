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
  type HttpMethod,
  type Parsed,
  type Problem,
  type Schedule,
  definitionOf,
  definitionSchema,
  isRepeatable,
  parseWith,
  pathText,
  scheduleSchema,
  withoutUnknown,
} from '../../domain/index.ts';
import { type RulesForm, readRules, rulesOf } from './editor-rules-form.ts';
import { type FormContext, type WhenForm, emptyWhen, readWhen, whenOf } from './editor-when-form.ts';

/** A header as it is typed. Rows that are blank on both sides are left out. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

export interface EditorForm extends WhenForm, RulesForm {
  readonly name: string;
  readonly enabled: boolean;
  /** Separated by commas. */
  readonly tags: string;

  readonly actionKind: Action['kind'];
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: readonly HeaderRow[];
  readonly body: string;
  /** Separated by commas or spaces; empty for any 2xx. */
  readonly status: string;
  readonly idempotencyKey: boolean;
  readonly repeatable: boolean;
  readonly message: string;

  /** The definition that the form was filled from; `null` for one that starts empty. */
  readonly kept: Definition | null;
}

/** Whether a request with `method` may carry a body; browsers refuse one with GET and HEAD. */
export function takesBody(method: HttpMethod): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** An empty form: a GET request, every day at nine, the default rules. */
export function emptyForm(context: FormContext): EditorForm {
  return {
    name: '',
    enabled: true,
    tags: '',
    actionKind: 'http',
    method: 'GET',
    url: '',
    headers: [],
    body: '',
    status: '',
    idempotencyKey: false,
    repeatable: false,
    message: '',
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
    ...actionForm(action),
    ...whenOf(schedule, context.zone),
    ...rulesOf(rules),
    kept: withoutUnknown(definitionSchema, definition),
  };
}

function actionForm(action: Action): Partial<EditorForm> {
  switch (action.kind) {
    case 'http':
      return {
        actionKind: 'http',
        method: action.method,
        url: action.url,
        headers: Object.entries(action.headers).map(([name, value]) => ({ name, value })),
        body: action.body ?? '',
        status: (action.expect?.status ?? []).join(', '),
        idempotencyKey: action.idempotencyKey,
        repeatable: action.repeatable,
      };
    case 'remind':
      return { actionKind: 'remind', message: action.message };
  }
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
    action: actionFrom(form, problems),
    schedule: readWhen(form, form.kept?.schedule, context, problems),
    rules: readRules(form, form.kept?.rules, problems),
  };
  return merged(problems, parseWith(definitionSchema, candidate));
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
  return isRepeatable(actionFrom(form, []));
}

/** The schedule that `form` says, with paths as in a definition (`schedule.…`), so that it can be previewed alone. */
export function readSchedule(form: EditorForm, context: FormContext): Parsed<Schedule> {
  const problems: Problem[] = [];
  const candidate = readWhen(form, form.kept?.schedule, context, problems);
  return merged(problems, parseWith(scheduleSchema, candidate, ['schedule']));
}

function actionFrom(form: EditorForm, problems: Problem[]): Action {
  const kept = form.kept?.action;
  switch (form.actionKind) {
    case 'http': {
      const base = kept?.kind === 'http' ? kept : undefined;
      const { body: keptBody, expect: keptExpect, ...rest } = base ?? {};
      const body = bodyFrom(form, keptBody);
      const expect = expectFrom(form, keptExpect, problems);
      return {
        ...rest,
        kind: 'http',
        method: form.method,
        url: form.url,
        headers: headersFrom(form, problems),
        idempotencyKey: form.idempotencyKey,
        repeatable: form.repeatable,
        ...(body === undefined ? {} : { body }),
        ...(expect === undefined ? {} : { expect }),
      };
    }
    case 'remind':
      return { ...(kept?.kind === 'remind' ? kept : {}), kind: 'remind', message: form.message };
  }
}

type HttpAction = Extract<Action, { kind: 'http' }>;

/** An empty body is none, unless it was there. */
function bodyFrom(form: EditorForm, kept: string | undefined): string | undefined {
  if (!takesBody(form.method)) return undefined;
  return form.body === '' ? (kept === '' ? '' : undefined) : form.body;
}

function expectFrom(form: EditorForm, kept: HttpAction['expect'], problems: Problem[]): HttpAction['expect'] {
  const { status: _shown, ...others } = kept ?? {};
  const words = form.status.split(/[\s,;]+/).filter((word) => word !== '');
  const status = words.map(Number);
  if (words.some((word) => !/^\d+$/.test(word))) {
    problems.push({
      path: 'action.expect.status',
      message: 'List statuses as numbers, such as 200, 204. Leave it empty for any 2xx.',
    });
    return kept;
  }
  if (status.length > 0) return { ...others, status };
  return kept === undefined || (kept.status !== undefined && Object.keys(others).length === 0)
    ? undefined
    : others;
}

function headersFrom(form: EditorForm, problems: Problem[]): Record<string, string> {
  const seen = new Set<string>();
  const entries: [string, string][] = [];
  for (const { name, value } of form.headers) {
    const key = name.trim();
    if (key === '' && value.trim() === '') continue;
    if (key === '') {
      problems.push({ path: 'action.headers', message: `The value “${value}” has no header name.` });
    } else if (seen.has(key)) {
      const path = pathText(['action', 'headers', key]);
      problems.push({
        path,
        message: `${key} is there twice. Put both values in one row, with a comma between them.`,
      });
    }
    seen.add(key);
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}
