/** Where in an action of the editor a key stands that should be a secret. */
import { findKeys, pathText } from '../../domain/index.ts';
import { ACTION_LABELS, actionField } from './editor-action-fields.ts';
import { type ActionForm, readAction } from './editor-action-form.ts';

/**
 * What the fields are called in which something looks like a key that was typed, each once: `Body`, `Header Authorization`.
 * Empty for what takes no secrets: a reminder, which stays here, and a script.
 */
export function fieldsWithKeys(form: ActionForm): readonly string[] {
  if (form.actionKind === 'remind' || form.actionKind === 'script') return [];
  const found = findKeys(readAction(form, undefined, [])).map(({ path }) => {
    const [key, name] = path;
    if (key === 'headers' && typeof name === 'string') return `Header ${name}`;
    const field = actionField(pathText(['action', ...path]), form)?.split('.')[0];
    const labels: Readonly<Record<string, string>> = ACTION_LABELS;
    // What is found in a field that is not shown cannot be mended there; the question before an export names it.
    return field === undefined ? undefined : labels[field];
  });
  return [...new Set(found.filter((label) => label !== undefined))];
}
