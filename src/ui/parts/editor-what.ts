/** The part *What* of the editor: a name, and what is done when it is due. */
import { type TemplateResult, html } from 'lit';
import type { PlainAction } from '../../domain/index.ts';
import { type ActionView, type EditorView, fieldDomId } from './editor-view.ts';
import { httpFields } from './editor-http.ts';
import { keyNote } from './editor-key-note.ts';
import { promptFields } from './editor-prompt.ts';
import { remindFields } from './editor-remind.ts';
import { watchFields } from './editor-watch.ts';
import { scriptFields } from './editor-script.ts';
import { ACTIONS } from '../text/help-actions.ts';
import { addStep, stepList } from './editor-steps.ts';
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
  ${
    form.steps.length > 0
      ? stepList(view, oneAction)
      : html`${oneAction(view)}
        ${addStep(view, html`<span class="quiet small">It can use what comes of this one.</span>`)}`
  }
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

/** What one action does, and its fields. */
function oneAction(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: view.id('kind'),
    label: 'Does',
    value: form.actionKind,
    options: KINDS.map((value) => ({ value, label: ACTIONS[value].label })),
    onChange: (actionKind) => {
      set({ actionKind });
    },
  })}
  ${actionFields(view)} ${keyNote(view)}`;
}

const KINDS: readonly PlainAction['kind'][] = ['http', 'watch', 'prompt', 'script', 'remind'];

/** What one might be called. */
const NAMES: Readonly<Record<PlainAction['kind'], string>> = {
  http: 'Check the API',
  watch: 'Prices of the shop',
  prompt: 'What to cook tonight',
  remind: 'Stand up and stretch',
  script: 'Add up the day',
};

function actionFields(view: ActionView): TemplateResult {
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
