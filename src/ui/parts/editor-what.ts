/** The part *What* of the editor: a name, and what is done when it is due. */
import { type TemplateResult, html, nothing } from 'lit';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { httpFields } from './editor-http.ts';
import { remindFields } from './editor-remind.ts';
import { choiceField, textField } from './form-field.ts';

/** The fields of *What*. */
export function whatFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${textField({
    id: fieldDomId('name'),
    label: 'Name',
    value: form.name,
    required: true,
    placeholder: form.actionKind === 'http' ? 'Check the API' : 'Stand up and stretch',
    problem: view.problem('name'),
    onInput: (name) => {
      set({ name });
    },
  })}
  ${choiceField({
    id: 'f-kind',
    label: 'Does',
    value: form.actionKind,
    options: [
      { value: 'http', label: 'HTTP request' },
      { value: 'remind', label: 'Reminder' },
    ],
    onChange: (actionKind) => {
      set({ actionKind });
    },
  })}
  ${form.actionKind === 'http' ? httpFields(view) : remindFields(view)} ${templateValues(view)}
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

const VALUES: readonly { readonly text: string; readonly what: string }[] = [
  { text: '{{ run.scheduledFor }}', what: 'when it was due, in epoch milliseconds' },
  { text: '{{ run.scheduledFor | date: "%Y-%m-%d" }}', what: 'the date it was due' },
  { text: '{{ run.scheduledFor | date: "%H:%M" }}', what: 'the time it was due' },
  { text: '{{ run.attempt }}', what: 'which attempt it is, from 1' },
  { text: '{{ run.cause }}', what: 'schedule, manual or retry' },
  { text: '{{ run.id }}', what: 'the id of the run' },
  { text: '{{ automation.name }}', what: 'this automation’s name' },
];

function templateValues({ form, insert }: EditorView): TemplateResult {
  const where = form.actionKind === 'http' ? 'the URL, header values and the body' : 'the message';
  return html`<details class="values">
    <summary>Values you can insert</summary>
    <p class="hint">
      They are filled in for each run, in ${where}. Press one to insert it where you last typed.
      ${form.actionKind === 'http' ? html`In a URL, add <code>| url_encode</code> to what may hold spaces.` : nothing}
    </p>
    <ul>
      ${VALUES.map(
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
