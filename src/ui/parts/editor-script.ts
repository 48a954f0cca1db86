/** The fields of a script in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import { SCRIPT_CAPABILITIES, type ScriptCapability } from '../../domain/index.ts';
import { SCRIPT_LABELS } from '../pages/editor-script-form.ts';
import { type EditorView, fieldDomId } from './editor-view.ts';
import { areaField, checkField, manyField, textField } from './form-field.ts';

/** What each capability is called, and how it is used. */
const CAPABILITIES: Readonly<
  Record<
    ScriptCapability,
    { readonly label: string; readonly name: string; readonly use: string; readonly what: string }
  >
> = {
  log: { label: 'log', name: 'log', use: 'log(value, …)', what: 'writes a line into the run' },
  previous: {
    label: 'previous',
    name: 'previous output',
    use: 'previous',
    what: 'is what the last run that succeeded returned',
  },
  remember: {
    label: 'remember',
    name: 'remember and recall',
    use: 'remember(key, value), await recall(key)',
    what: 'keeps values for later runs',
  },
  notify: {
    label: 'notify',
    name: 'notify',
    use: 'notify(title, body)',
    what: 'shows a notification when the run succeeds',
  },
  fetch: {
    label: 'fetch',
    name: 'fetch',
    use: 'await fetch(url, { method, headers, body })',
    what: 'sends a request to a listed origin, without cookies; the answer has status, text() and json()',
  },
};

const EXAMPLE = `// The body of an async function: await and return work here.
const count = ((await recall('count')) ?? 0) + 1;
remember('count', count);
log('This is run number', count);
return { count, before: previous };
`;

/** The source, what it may use, and for how long. */
export function scriptFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`<div @keydown=${keepIndent}>
      ${areaField({
        id: fieldDomId('scriptSource'),
        label: SCRIPT_LABELS.scriptSource,
        value: form.scriptSource,
        rows: 12,
        mono: true,
        required: true,
        placeholder: 'return 6 * 7;',
        hint: html`JavaScript, in a sandbox of its own: no page, no storage, no modules. What it returns is
        kept as JSON.`,
        problem: view.problem('scriptSource'),
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
                  scriptSource: EXAMPLE,
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
      id: fieldDomId('scriptAllow'),
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
      id: fieldDomId('scriptComputes'),
      label: SCRIPT_LABELS.scriptComputes,
      value: form.scriptComputes,
      width: 'narrow',
      inputmode: 'decimal',
      hint: 'In seconds, waiting not counted. With every tab closed, at most 50 ms at a stretch: others wait meanwhile.',
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

function fetchFields(view: EditorView): TemplateResult {
  const { form, set } = view;
  return html`${areaField({
    id: fieldDomId('scriptOrigins'),
    label: SCRIPT_LABELS.scriptOrigins,
    value: form.scriptOrigins,
    rows: 2,
    mono: true,
    required: true,
    placeholder: 'https://api.example.com',
    hint: 'One a line: scheme, host and port. Redirects are not followed.',
    problem: view.problem('scriptOrigins'),
    onInput: (scriptOrigins) => {
      set({ scriptOrigins });
    },
  })}
  ${checkField({
    id: 'f-script-repeatable',
    label: 'Running it again does no harm',
    hint: 'Then a failed or interrupted run is tried again by itself. Without it, one whose request may have arrived asks you.',
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
