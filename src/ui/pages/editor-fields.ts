/** Which field of the editor a problem belongs to, so that it is said where it can be mended. */
import type { Problem } from '../../domain/index.ts';
import type { EditorForm } from './editor-form.ts';
import { isDateOfMonth } from './editor-month.ts';
import { rowOfCheck } from './editor-expect-form.ts';
import { takesBody } from './editor-http-form.ts';
import { PROMPT_FIELDS, PROMPT_LABELS, type PromptField } from './editor-prompt-form.ts';
import { TOOLS_LABELS } from './editor-tools-form.ts';
import { SCRIPT_FIELDS, SCRIPT_LABELS, type ScriptField } from './editor-script-form.ts';

type WatchField =
  | 'watchSelect'
  | 'watchPath'
  | 'watchWithout'
  | 'watchAttribute'
  | 'watchErase'
  | 'watchKeep'
  | 'watchDrop'
  | 'watchMinimum'
  | 'watchQuiet';

/** Every place in the editor at which a problem can be shown. `header` rows are named by their index. */
export type FieldId =
  | 'name'
  | 'tags'
  | 'url'
  | 'headers'
  | `headers.${number}`
  | 'body'
  | 'status'
  | 'textContains'
  | 'textLacks'
  | 'jsonChecks'
  | `jsonChecks.${number}`
  | 'within'
  | 'message'
  | WatchField
  | PromptField
  | keyof typeof TOOLS_LABELS
  | `toolServers.${number}`
  | ScriptField
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
  | 'runsPerDay';

/** A problem with the field that shows it; `null` when none does, and the summary is its only place. */
export interface PlacedProblem extends Problem {
  readonly field: FieldId | null;
}

/** What the summary calls each field: the words of its label. */
export function labelOf(field: FieldId): string {
  return LABELS[(field.split('.')[0] ?? field) as Exclude<FieldId, RowFieldId>];
}

type RowFieldId = `headers.${number}` | `jsonChecks.${number}` | `toolServers.${number}`;

const LABELS: Readonly<Record<Exclude<FieldId, RowFieldId>, string>> = {
  name: 'Name',
  tags: 'Tags',
  url: 'URL',
  headers: 'Headers',
  body: 'Body',
  status: 'Expected status',
  textContains: 'Must contain',
  textLacks: 'Must not contain',
  jsonChecks: 'Values of its JSON',
  within: 'Answers within',
  message: 'Message',
  watchSelect: 'CSS selector',
  watchPath: 'JSONPath',
  watchWithout: 'Leave out',
  watchAttribute: 'Attribute',
  watchErase: 'Take out of lines',
  watchKeep: 'Only lines with',
  watchDrop: 'No lines with',
  watchMinimum: 'Lines that must differ',
  watchQuiet: 'Days without a change',
  ...PROMPT_LABELS,
  ...TOOLS_LABELS,
  ...SCRIPT_LABELS,
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
};

/** The key of the form that `field` changes. */
export function formKeyOf(field: FieldId): keyof EditorForm {
  if (field.startsWith('headers')) return 'headers';
  if (isWatchField(field)) return 'watch';
  if (field.startsWith('jsonChecks')) return 'jsonChecks';
  if (field.startsWith('toolServers')) return 'toolServers';
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
      return field as Exclude<
        FieldId,
        | WatchField
        | `headers${string}`
        | `jsonChecks${string}`
        | `toolServers${string}`
        | 'once'
        | 'anchor'
        | 'activeHours'
        | 'time'
      >;
  }
}

/** `problems` with their fields as `form` shows them now, in the order of the form. */
export function place(problems: readonly Problem[], form: EditorForm): readonly PlacedProblem[] {
  const placed = problems.map((problem) => ({ ...problem, field: fieldOf(problem.path, form) }));
  const order = Object.keys(LABELS);
  const rank = ({ field }: PlacedProblem): number =>
    field === null ? order.length : order.indexOf(field.split('.')[0] ?? field);
  return placed.sort((a, b) => rank(a) - rank(b));
}

function isWatchField(field: FieldId): field is WatchField {
  return field.startsWith('watch');
}

/** The problem to show at `field`: the first one, since mending it often mends the others. */
export function problemAt(placed: readonly PlacedProblem[], field: FieldId): string | null {
  return placed.find((problem) => problem.field === field)?.message ?? null;
}

/** The field of a definition's `path` (`action.url`, also below `automation.`), or `null` if `form` does not show it. */
export function fieldOf(path: string, form: EditorForm): FieldId | null {
  const inside = path.replace(/^automation\./, '');
  const [top = '', second = '', third = ''] = inside.split(/[.[]/);
  switch (top) {
    case 'name':
    case 'tags':
      return top;
    case 'action':
      return actionField(inside, second, form);
    case 'schedule':
      return scheduleField(second, third, form);
    case 'rules':
      return rulesField(second, third, form);
    default:
      return null;
  }
}

function actionField(path: string, key: string, form: EditorForm): FieldId | null {
  if (form.actionKind === 'prompt') {
    const fields: Readonly<Record<string, PromptField>> = PROMPT_FIELDS;
    return key === 'tools' ? toolsField(path) : (fields[path.replace(/^action\./, '')] ?? null);
  }
  if (form.actionKind === 'script') return SCRIPT_FIELDS[key] ?? null;
  if (form.actionKind === 'remind') return key === 'message' ? 'message' : null;
  switch (key) {
    case 'url':
      return 'url';
    case 'headers': {
      const row = form.headers.findIndex(({ name }) => headerPaths(name.trim()).includes(path));
      return row === -1 ? 'headers' : `headers.${row}`;
    }
    case 'part':
    case 'filter':
    case 'minimumLines':
    case 'notify':
      return watchField(path, form);
    case 'body':
      return takesBody(form.method) ? 'body' : null;
    case 'expect':
      return expectField(path, form);
    default:
      return null;
  }
}

function toolsField(path: string): FieldId {
  const row = /^action\.tools\.servers\[(\d+)\]/.exec(path)?.[1];
  if (row !== undefined) return `toolServers.${Number(row)}`;
  if (path === 'action.tools.maxRounds') return 'toolRounds';
  return path === 'action.tools.callMs' ? 'toolSeconds' : 'toolServers';
}

function expectField(path: string, form: EditorForm): FieldId {
  const [, key = '', rest = ''] = /^action\.expect\.?(\w*)(.*)$/.exec(path) ?? [];
  switch (key) {
    case 'text':
      return rest === '.lacks' ? 'textLacks' : 'textContains';
    case 'json': {
      const index = /^\[(\d+)\]/.exec(rest)?.[1];
      const row = index === undefined ? -1 : rowOfCheck(form, Number(index));
      return row === -1 ? 'jsonChecks' : `jsonChecks.${row}`;
    }
    case 'withinMs':
      return 'within';
    default:
      return 'status';
  }
}

function watchField(path: string, { watch }: EditorForm): FieldId | null {
  switch (path.replace(/^action\.|\[\d+\]$/g, '')) {
    case 'part':
    case 'part.select':
      if (watch.part === 'json') return 'watchPath';
      return watch.part === 'page' ? 'watchSelect' : null;
    case 'part.without':
      return 'watchWithout';
    case 'part.attribute':
      return 'watchAttribute';
    case 'filter.erase':
      return 'watchErase';
    case 'filter.keep':
      return 'watchKeep';
    case 'filter.drop':
      return 'watchDrop';
    case 'minimumLines':
      return 'watchMinimum';
    case 'notify.unchangedDays':
      return 'watchQuiet';
    default:
      return null;
  }
}

/** Both ways in which a path may name a header. */
function headerPaths(name: string): readonly string[] {
  return name === '' ? [] : [`action.headers.${name}`, `action.headers[${JSON.stringify(name)}]`];
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

function rulesField(rule: string, key: string, form: EditorForm): FieldId | null {
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
