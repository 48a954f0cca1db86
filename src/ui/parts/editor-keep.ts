/** The fields for how long the history of one automation is kept. */
import { type TemplateResult, html } from 'lit';
import type { KeepForm } from '../pages/editor-keep-form.ts';
import { KEEP_HELP } from '../text/help-rules.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { textField } from './form-field.ts';

/** The fields of `rules.keep`. */
export function keepFields(view: EditorView): TemplateResult {
  const field = (id: keyof KeepForm, hint?: string): TemplateResult =>
    textField({
      id: fieldDomId(id),
      label: KEEP_HELP.labels[id],
      width: 'narrow',
      value: view.form[id],
      placeholder: 'as for all',
      hint,
      problem: view.problem(id),
      onInput: (value) => {
        view.set({ [id]: value });
      },
    });
  return html`<div class="row-of-fields">${field('keepRunsDays')} ${field('keepRunsMost')}</div>
    <div class="row-of-fields">${field('keepOutputsDays')} ${field('keepOutputsMost')}</div>
    <p class="hint">${KEEP_HELP.does}</p>`;
}
