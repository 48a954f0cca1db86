/** What a server must answer, in the editor: status, texts, values of its JSON and time. */
import { type TemplateResult, html, nothing } from 'lit';
import type { ActionField } from '../pages/editor-action-fields.ts';
import { type JsonCheckRow, type JsonCondition, emptyCheck } from '../pages/editor-expect-form.ts';
import { addButton, groupProblem, removeButton } from './editor-rows.ts';
import type { ActionView } from './editor-view.ts';
import { selectField, textField } from './form-field.ts';
import { HTTP_HELP } from '../text/help-actions.ts';
import { neverClosing } from './never-closing.ts';

/** The status, and below a fold what else is expected. It is open as soon as anything in it is. */
export function expectFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${textField({
      id: view.id('status'),
      label: 'Expected status',
      value: form.status,
      width: 'medium',
      mono: true,
      inputmode: 'text',
      placeholder: 'any 2xx',
      hint: HTTP_HELP.status,
      problem: view.problem('status'),
      onInput: (status) => {
        set({ status });
      },
    })}
    <details class="more" ?open=${neverClosing(hasMore(view))}>
      <summary>What the answer must hold</summary>
      <div class="fields">${moreFields(view)}</div>
    </details>`;
}

function hasMore({ form, problem }: ActionView): boolean {
  const { textContains, textLacks, jsonChecks, within } = form;
  const isFilled = textContains !== '' || textLacks !== '' || jsonChecks.length > 0 || within !== '';
  return isFilled || FOLDED.some((field) => problem(field) !== null);
}

const FOLDED: readonly ActionField[] = ['textContains', 'textLacks', 'jsonChecks', 'within'];

function moreFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`<p class="hint">
      An answer that is not as you say here is a failure, and the run shows what came instead.
    </p>
    ${textField({
      id: view.id('textContains'),
      label: 'Must contain',
      value: form.textContains,
      mono: true,
      placeholder: 'In stock',
      hint: HTTP_HELP.text,
      problem: view.problem('textContains'),
      onInput: (textContains) => {
        set({ textContains });
      },
    })}
    ${textField({
      id: view.id('textLacks'),
      label: 'Must not contain',
      value: form.textLacks,
      mono: true,
      placeholder: 'error',
      problem: view.problem('textLacks'),
      onInput: (textLacks) => {
        set({ textLacks });
      },
    })}
    ${checkRows(view)} ${withinField(view)}`;
}

/** How long an answer may take. */
export function withinField({ form, set, problem, id }: ActionView): TemplateResult {
  return textField({
    id: id('within'),
    label: 'Answers within (seconds)',
    value: form.within,
    width: 'narrow',
    inputmode: 'decimal',
    placeholder: 'no limit',
    problem: problem('within'),
    onInput: (within) => {
      set({ within });
    },
  });
}

const CONDITIONS: readonly { readonly value: JsonCondition; readonly label: string }[] = [
  { value: 'equals', label: 'is' },
  { value: 'above', label: 'is above' },
  { value: 'below', label: 'is below' },
  { value: 'between', label: 'is between' },
  { value: 'there', label: 'is there' },
  { value: 'absent', label: 'is not there' },
];

function checkRows(view: ActionView): TemplateResult {
  const { form, set } = view;
  const problem = view.problem('jsonChecks');
  return html`<fieldset class="form-field headers" id=${view.id('jsonChecks')} tabindex="-1">
    <legend>Values of its JSON</legend>
    <p class="hint">
      Where a value stands, as JSONPath: <code>$.status</code>, <code>$.items[*].price</code>.
    </p>
    ${form.jsonChecks.map((row, index) => checkRow(view, row, index))}
    ${groupProblem(view.id('jsonChecks'), problem)}
    ${addButton('Add a check', () => {
      set({ jsonChecks: [...form.jsonChecks, emptyCheck()] });
    })}
  </fieldset>`;
}

function checkRow(view: ActionView, row: JsonCheckRow, index: number): TemplateResult {
  const { form, set } = view;
  const number = index + 1;
  const field: ActionField = `jsonChecks.${index}`;
  const id = view.id(field);
  const change = (part: Partial<JsonCheckRow>): void => {
    set({ jsonChecks: form.jsonChecks.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  };
  const valueField = (key: 'value' | 'most', label: string): TemplateResult =>
    textField({
      id: `${id}-${key}`,
      label: `${label} of check ${number}`,
      labelHidden: true,
      value: row[key],
      mono: true,
      placeholder: row.is === 'equals' ? 'ok' : key === 'value' ? '0' : '100',
      onInput: (value) => {
        change({ [key]: value });
      },
    });
  return html`<div class="check-row">
    ${textField({
      id,
      label: `Path of check ${number}`,
      labelHidden: true,
      value: row.path,
      mono: true,
      placeholder: '$.status',
      problem: view.problem(field),
      onInput: (path) => {
        change({ path });
      },
    })}
    ${selectField({
      id: `${id}-is`,
      label: `Condition of check ${number}`,
      labelHidden: true,
      value: row.is,
      options: CONDITIONS,
      onChange: (is) => {
        change({ is });
      },
    })}
    ${row.is === 'there' || row.is === 'absent' ? html`<span></span>` : valueField('value', row.is === 'between' ? 'Lower end' : 'Value')}
    ${row.is === 'between' ? valueField('most', 'Upper end') : nothing}
    ${removeButton(`check ${row.path.trim() === '' ? number : row.path}`, () => {
      set({ jsonChecks: form.jsonChecks.filter((_row, at) => at !== index) });
    })}
  </div>`;
}
