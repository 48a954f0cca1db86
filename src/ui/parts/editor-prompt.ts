/** The fields of a prompt in the editor. */
import { type TemplateResult, html, nothing } from 'lit';
import { PROMPT_LABELS, type PromptField } from '../pages/editor-prompt-form.ts';
import { PROMPT_HELP, PROTOCOLS } from '../text/help-actions.ts';
import type { ActionView } from './editor-view.ts';
import { toolFields } from './editor-tools.ts';
import './built-in-model.ts';
import './model-test.ts';
import type { ModelChosen } from './model-test.ts';
import './network-access.ts';
import { areaField, checkField, choiceField, textField } from './form-field.ts';

/** Where servers of models that people run themselves, and the best known hosted ones, have their API. */
const ENDPOINTS: readonly { readonly url: string; readonly name: string }[] = [
  { url: 'http://localhost:11434/v1', name: 'Ollama' },
  { url: 'http://localhost:1234/v1', name: 'LM Studio' },
  { url: 'http://localhost:8080/v1', name: 'llama.cpp' },
  { url: 'https://api.openai.com/v1', name: 'OpenAI' },
  { url: 'https://api.anthropic.com/v1', name: 'Anthropic' },
  { url: 'https://openrouter.ai/api/v1', name: 'OpenRouter' },
];

/** The endpoint and its model, what is asked, and the limits of it. */
export function promptFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${choiceField({
    id: view.id('protocol'),
    label: 'Speaks',
    value: form.promptProtocol,
    options: (['openai', 'anthropic', 'built-in'] as const).map((value) => ({
      value,
      label: PROTOCOLS[value],
    })),
    onChange: (promptProtocol) => {
      set({ promptProtocol });
    },
  })}
  ${form.promptProtocol === 'built-in' ? builtInFields(view) : endpointFields(view)}
  ${areaField({
    id: view.id('promptSystem'),
    label: PROMPT_LABELS.promptSystem,
    value: form.promptSystem,
    rows: 2,
    placeholder: 'Answer in three short points.',
    problem: view.problem('promptSystem'),
    insert: view.insert,
    onInput: (promptSystem) => {
      set({ promptSystem });
    },
  })}
  ${areaField({
    id: view.id('promptText'),
    label: PROMPT_LABELS.promptText,
    value: form.promptText,
    rows: 5,
    required: true,
    placeholder: 'Suggest what to cook tonight with what is in season.',
    problem: view.problem('promptText'),
    insert: view.insert,
    onInput: (promptText) => {
      set({ promptText });
    },
  })}
  ${toolFields(view)} ${limits(view)}`;
}

/** Whether the model is there; there is nothing to choose. */
function builtInFields(view: ActionView): TemplateResult {
  const problem = view.problem('promptUrl') ?? view.problem('promptModel');
  return html`<rota-built-in-model></rota-built-in-model>
    <p class="hint">${PROMPT_HELP.builtIn}</p>
    ${problem === null ? nothing : html`<p class="problem">${problem}</p>`}`;
}

function endpointFields(view: ActionView): TemplateResult {
  const { form, set } = view;
  return html`${line(view, 'promptUrl', {
      hint: PROMPT_HELP.url,
      list: view.id('endpoints'),
      placeholder: 'http://localhost:11434/v1',
      required: true,
      insert: view.insert,
    })}
    <datalist id=${view.id('endpoints')}>
      ${ENDPOINTS.map(({ url, name }) => html`<option value=${url}>${name}</option>`)}
    </datalist>
    <rota-network-access .address=${form.promptUrl}></rota-network-access>
    ${line(view, 'promptKey', {
      hint: PROMPT_HELP.key,
      insert: view.insert,
    })}
    <rota-model-test
      .host=${view.host}
      .endpoint=${{
        protocol: form.promptProtocol,
        baseUrl: form.promptUrl,
        ...(form.promptKey === '' ? {} : { apiKey: form.promptKey }),
      }}
      .model=${form.promptModel}
      @rota-model=${({ detail }: ModelChosen) => {
        set({ promptModel: detail.model });
      }}
    ></rota-model-test>
    ${line(view, 'promptModel', { placeholder: 'llama3.2', required: true })}`;
}

/** Folded while nothing is in it. */
function limits(view: ActionView): TemplateResult {
  const { form, set } = view;
  const fields: readonly PromptField[] = [
    'promptTemperature',
    'promptMaxTokens',
    'promptTokensPerRun',
    'promptTokensPerDay',
    'promptCostPerRun',
    'promptCostPerDay',
    'promptPriceInput',
    'promptPriceOutput',
  ];
  const isUsed = fields.some((field) => form[field] !== '' || view.problem(field) !== null);
  return html`<details class="prompt-limits" ?open=${isUsed || !form.promptRepeatable}>
    <summary>Length, limits and price</summary>
    <p class="hint">${PROMPT_HELP.limits}</p>
    ${fields.map((field) => line(view, field, { isNumber: true }))}
    ${line(view, 'promptCurrency', { isNumber: true, hint: 'Three letters, such as USD or EUR.' })}
    ${checkField({
      id: view.id('prompt-repeatable'),
      label: PROMPT_HELP.repeatable.label,
      hint: PROMPT_HELP.repeatable.does,
      checked: form.promptRepeatable,
      onChange: (promptRepeatable) => {
        set({ promptRepeatable });
      },
    })}
  </details>`;
}

interface LineOptions {
  readonly hint?: string;
  readonly placeholder?: string;
  readonly list?: string;
  readonly required?: boolean;
  readonly isNumber?: boolean;
  readonly insert?: ActionView['insert'];
}

function line(view: ActionView, field: PromptField, options: LineOptions): TemplateResult {
  const { isNumber = false, ...shown } = options;
  return textField({
    ...shown,
    id: view.id(field),
    label: PROMPT_LABELS[field],
    value: view.form[field],
    mono: true,
    ...(isNumber ? { width: 'medium', inputmode: 'text' } : {}),
    problem: view.problem(field),
    onInput: (value) => {
      view.set({ [field]: value });
    },
  });
}
