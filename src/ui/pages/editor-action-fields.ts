/** The fields of an action in the editor, whether it stands alone or is a step: their names, and which shows a problem. */
import { type ActionForm } from './editor-action-form.ts';
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

type RowField = `headers.${number}` | `jsonChecks.${number}` | `toolServers.${number}`;

type OneField =
  | 'url'
  | 'headers'
  | 'body'
  | 'status'
  | 'textContains'
  | 'textLacks'
  | 'jsonChecks'
  | 'within'
  | 'message'
  | WatchField
  | PromptField
  | keyof typeof TOOLS_LABELS
  | ScriptField;

/** Every field of an action at which a problem can be shown. Rows are named by their index. */
export type ActionField = OneField | RowField;

/** The words of their labels, in the order in which they are shown. */
export const ACTION_LABELS: Readonly<Record<OneField, string>> = {
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
};

/** The key of the form of an action that `field` changes. */
export function actionKeyOf(field: ActionField): keyof ActionForm {
  if (field.startsWith('watch')) return 'watch';
  return field.split('.')[0] as keyof ActionForm;
}

/**
 * The field of a problem's `path` in an action (`action.url`), or `null` if `form` does not show it.
 */
export function actionField(path: string, form: ActionForm): ActionField | null {
  const [, key = ''] = path.split(/[.[]/);
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

function toolsField(path: string): ActionField {
  const row = /^action\.tools\.servers\[(\d+)\]/.exec(path)?.[1];
  if (row !== undefined) return `toolServers.${Number(row)}`;
  if (path === 'action.tools.maxRounds') return 'toolRounds';
  return path === 'action.tools.callMs' ? 'toolSeconds' : 'toolServers';
}

function expectField(path: string, form: ActionForm): ActionField {
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

function watchField(path: string, { watch }: ActionForm): ActionField | null {
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
