/** The part *What* of the editor: a name, and what is done when it is due. */
import { type TemplateResult, html, nothing } from 'lit';
import type { PlainAction } from '../../domain/index.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { httpFields } from './editor-http.ts';
import { promptFields } from './editor-prompt.ts';
import { remindFields } from './editor-remind.ts';
import { watchFields } from './editor-watch.ts';
import { scriptFields } from './editor-script.ts';
import { readSteps, type StepForm } from '../pages/editor-steps-form.ts';
import { stepText } from '../pages/editor-words.ts';
import { countText } from '../text/counts.ts';
import { ACTIONS, TEMPLATED, TEMPLATE_VALUES } from '../text/help-actions.ts';
import { choiceField, textField } from './form-field.ts';

/** The fields of *What*. */
export function whatFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${textField({
    id: fieldDomId('name'),
    label: 'Name',
    value: form.name,
    required: true,
    placeholder: NAMES[form.actionKind],
    problem: view.problem('name'),
    onInput: (name) => {
      set({ name });
    },
  })}
  ${form.steps.length > 0 ? stepList(form.steps) : actionAlone(view)}
  ${textField({
    id: fieldDomId('tags'),
    label: 'Tags',
    value: form.tags,
    hint: 'Separated by commas.',
    problem: view.problem('tags'),
    onInput: (tags) => {
      set({ tags });
    },
  })}`;
}

/** What is done, where it is one thing. */
function actionAlone(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: 'f-kind',
    label: 'Does',
    value: form.actionKind,
    options: (['http', 'watch', 'prompt', 'script', 'remind'] as const).map((value) => ({
      value,
      label: ACTIONS[value].label,
    })),
    onChange: (actionKind) => {
      set({ actionKind });
    },
  })}
  ${actionFields(view)} ${templateValues(view)}`;
}

/** Several steps, in words. */
function stepList(steps: readonly StepForm[]): TemplateResult {
  const { steps: said } = readSteps(steps, []);
  return html`<div role="group" aria-labelledby="steps-label">
    <p id="steps-label"><b>${countText(steps.length, 'step')}, one after another</b></p>
    <ol>
      ${said.map((step) => html`<li>${stepText(step)}</li>`)}
    </ol>
    <p class="hint">
      Steps are edited in a file: export the automation in Settings, change them there, and import it again.
    </p>
  </div>`;
}

/** What one might be called. */
const NAMES: Readonly<Record<PlainAction['kind'], string>> = {
  http: 'Check the API',
  watch: 'Prices of the shop',
  prompt: 'What to cook tonight',
  remind: 'Stand up and stretch',
  script: 'Add up the day',
};

function actionFields(view: EditorView): TemplateResult {
  switch (view.form.actionKind) {
    case 'http':
      return httpFields(view);
    case 'watch':
      return watchFields(view);
    case 'prompt':
      return promptFields(view);
    case 'remind':
      return remindFields(view);
    case 'script':
      return scriptFields(view);
  }
}

function templateValues({ form, insert }: EditorView): TemplateResult | typeof nothing {
  if (form.actionKind === 'script') return nothing;
  return html`<details class="values">
    <summary>Values you can insert</summary>
    <p class="hint">
      They are filled in for each run, in ${TEMPLATED[form.actionKind]}. Press one to insert it where you last
      typed.
      ${form.actionKind === 'http' || form.actionKind === 'watch' ? html`In a URL, add <code>| url_encode</code> to what may hold spaces.` : nothing}
    </p>
    <ul>
      ${TEMPLATE_VALUES.map(
        ({ text, what }) =>
          html`<li>
            <button
              type="button"
              class="btn mono"
              @click=${() => {
                insert(text);
              }}
            >
              ${text}
            </button>
            <span class="quiet small">${what}</span>
          </li>`,
      )}
    </ul>
  </details>`;
}
