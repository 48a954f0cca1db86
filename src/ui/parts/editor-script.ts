/** The fields of a script in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import { SCRIPT_CAPABILITIES, type ScriptCapability } from '../../domain/index.ts';
import { SCRIPT_LABELS } from '../pages/editor-script-form.ts';
import { CAPABILITIES, SCRIPT_HELP } from '../text/help-actions.ts';
import type { ActionView } from './editor-view.ts';
import { areaField, checkField, manyField, textField } from './form-field.ts';

/** The source, what it may use, and for how long. */
export function scriptFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`<div @keydown=${keepIndent}>
      ${areaField({
        id: view.id('scriptSource'),
        label: SCRIPT_LABELS.scriptSource,
        value: form.scriptSource,
        rows: 12,
        mono: true,
        required: true,
        placeholder: 'return 6 * 7;',
        hint: SCRIPT_HELP.source,
        problem: view.problem('scriptSource'),
        ...(view.step === null || view.step === 1 ? {} : { insert: view.insert }),
        onInput: (scriptSource) => {
          set({ scriptSource });
        },
      })}
    </div>
    ${
      form.scriptSource.trim() === ''
        ? html`<div>
            <button
              type="button"
              class="btn"
              @click=${() => {
                set({
                  scriptSource: SCRIPT_HELP.example,
                  scriptAllow: SCRIPT_CAPABILITIES.filter(
                    (one) => form.scriptAllow.includes(one) || ['log', 'previous', 'remember'].includes(one),
                  ),
                });
              }}
            >
              Insert an example
            </button>
          </div>`
        : nothing
    }
    ${manyField({
      id: view.id('scriptAllow'),
      label: SCRIPT_LABELS.scriptAllow,
      chosen: form.scriptAllow,
      options: SCRIPT_CAPABILITIES.map((value) => ({ value, ...CAPABILITIES[value] })),
      problem: view.problem('scriptAllow'),
      hint: uses(form.scriptAllow),
      onToggle: (toggled) => {
        set({
          scriptAllow: SCRIPT_CAPABILITIES.filter(
            (one) => form.scriptAllow.includes(one) !== (one === toggled),
          ),
        });
      },
    })}
    ${form.scriptAllow.includes('fetch') ? fetchFields(view) : nothing}
    ${textField({
      id: view.id('scriptComputes'),
      label: SCRIPT_LABELS.scriptComputes,
      value: form.scriptComputes,
      width: 'narrow',
      inputmode: 'decimal',
      hint: SCRIPT_HELP.computes,
      problem: view.problem('scriptComputes'),
      onInput: (scriptComputes) => {
        set({ scriptComputes });
      },
    })}`;
}

function uses(allowed: readonly ScriptCapability[]): TemplateResult | undefined {
  if (allowed.length === 0) return undefined;
  return html`${allowed.map(
    (one, index) =>
      html`${index === 0 ? nothing : '; '}<code>${CAPABILITIES[one].use}</code> ${CAPABILITIES[one].what}`,
  )}.`;
}

function fetchFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${areaField({
    id: view.id('scriptOrigins'),
    label: SCRIPT_LABELS.scriptOrigins,
    value: form.scriptOrigins,
    rows: 2,
    mono: true,
    required: true,
    placeholder: 'https://api.example.com',
    hint: SCRIPT_HELP.origins,
    problem: view.problem('scriptOrigins'),
    onInput: (scriptOrigins) => {
      set({ scriptOrigins });
    },
  })}
  ${checkField({
    id: view.id('script-repeatable'),
    label: SCRIPT_HELP.repeatable.label,
    hint: SCRIPT_HELP.repeatable.does,
    checked: form.scriptRepeatable,
    onChange: (scriptRepeatable) => {
      set({ scriptRepeatable });
    },
  })}`;
}

/** Enter begins the next line where this one begins. Tab is left alone: it leads to the next field. */
function keepIndent(event: KeyboardEvent): void {
  const { target } = event;
  if (!(target instanceof HTMLTextAreaElement) || event.key !== 'Enter' || event.isComposing) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const before = target.value.slice(0, target.selectionStart);
  const indent = /(?:^|\n)([ \t]*)[^\n]*$/.exec(before)?.[1] ?? '';
  const deeper = /[{[(]\s*$/.test(before) ? '  ' : '';
  if (indent === '' && deeper === '') return;
  event.preventDefault();
  target.setRangeText(`\n${indent}${deeper}`, target.selectionStart, target.selectionEnd, 'end');
  target.dispatchEvent(new InputEvent('input', { bubbles: true }));
}
