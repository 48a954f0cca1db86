/** A prompt as the editor holds it. */
import {
  BUILT_IN_MODEL,
  BUILT_IN_MODEL_URL,
  type Problem,
  type PromptAction,
  type PromptProtocol,
} from '../../domain/index.ts';
import { emptyTools, readTools, type ToolsForm, toolsOf } from './editor-tools-form.ts';

export interface PromptForm extends ToolsForm {
  readonly promptProtocol: PromptProtocol;
  readonly promptUrl: string;
  readonly promptKey: string;
  readonly promptModel: string;
  readonly promptSystem: string;
  readonly promptText: string;
  readonly promptTemperature: string;
  readonly promptMaxTokens: string;
  readonly promptTokensPerRun: string;
  readonly promptTokensPerDay: string;
  readonly promptCostPerRun: string;
  readonly promptCostPerDay: string;
  readonly promptPriceInput: string;
  readonly promptPriceOutput: string;
  readonly promptCurrency: string;
  readonly promptRepeatable: boolean;
}

/** The field of the form that a path in the action is typed in. */
export const PROMPT_FIELDS = {
  'endpoint.baseUrl': 'promptUrl',
  'endpoint.apiKey': 'promptKey',
  model: 'promptModel',
  system: 'promptSystem',
  prompt: 'promptText',
  temperature: 'promptTemperature',
  maxTokens: 'promptMaxTokens',
  'limits.tokensPerRun': 'promptTokensPerRun',
  'limits.tokensPerDay': 'promptTokensPerDay',
  'limits.costPerRun': 'promptCostPerRun',
  'limits.costPerDay': 'promptCostPerDay',
  'price.inputPerMillion': 'promptPriceInput',
  'price.outputPerMillion': 'promptPriceOutput',
  'price.currency': 'promptCurrency',
} as const satisfies Readonly<Record<string, keyof PromptForm>>;

export type PromptField = (typeof PROMPT_FIELDS)[keyof typeof PROMPT_FIELDS];

/** What each field is called. */
export const PROMPT_LABELS: Readonly<Record<PromptField, string>> = {
  promptUrl: 'Address of the endpoint',
  promptKey: 'Key',
  promptModel: 'Model',
  promptSystem: 'System prompt',
  promptText: 'Prompt',
  promptTemperature: 'Temperature',
  promptMaxTokens: 'Longest answer, in tokens',
  promptTokensPerRun: 'Tokens a run, at most',
  promptTokensPerDay: 'Tokens a day, at most',
  promptCostPerRun: 'Cost of a run, at most',
  promptCostPerDay: 'Cost of a day, at most',
  promptPriceInput: 'Price of a million tokens sent',
  promptPriceOutput: 'Price of a million tokens answered',
  promptCurrency: 'Currency',
};

/** A prompt to Ollama on this machine, which needs no key. */
export function emptyPrompt(): PromptForm {
  return {
    promptProtocol: 'openai',
    promptUrl: 'http://localhost:11434/v1',
    promptKey: '',
    promptModel: '',
    promptSystem: '',
    promptText: '',
    promptTemperature: '',
    promptMaxTokens: '',
    promptTokensPerRun: '',
    promptTokensPerDay: '',
    promptCostPerRun: '',
    promptCostPerDay: '',
    promptPriceInput: '',
    promptPriceOutput: '',
    promptCurrency: 'USD',
    promptRepeatable: true,
    ...emptyTools(),
  };
}

/** The fields for `action`. */
export function promptOf({ endpoint, limits, price, ...action }: PromptAction): PromptForm {
  const typed = (value: number | undefined): string => (value === undefined ? '' : String(value));
  return {
    promptProtocol: endpoint.protocol,
    promptUrl: endpoint.protocol === 'built-in' ? emptyPrompt().promptUrl : endpoint.baseUrl,
    promptKey: endpoint.apiKey ?? '',
    promptModel: endpoint.protocol === 'built-in' ? '' : action.model,
    promptSystem: action.system ?? '',
    promptText: action.prompt,
    promptTemperature: typed(action.temperature),
    promptMaxTokens: typed(action.maxTokens),
    promptTokensPerRun: typed(limits?.tokensPerRun),
    promptTokensPerDay: typed(limits?.tokensPerDay),
    promptCostPerRun: typed(limits?.costPerRun),
    promptCostPerDay: typed(limits?.costPerDay),
    promptPriceInput: typed(price?.inputPerMillion),
    promptPriceOutput: typed(price?.outputPerMillion),
    promptCurrency: price?.currency ?? 'USD',
    promptRepeatable: action.repeatable,
    ...toolsOf(action.tools),
  };
}

/** The prompt that `form` says; an optional part that is empty is one only where it is so in `kept`. */
export function readPrompt(
  form: PromptForm,
  kept: PromptAction | undefined,
  problems: Problem[],
): PromptAction {
  const number = (text: string, path: keyof typeof PROMPT_FIELDS): number | undefined => {
    const digits = text
      .trim()
      .replaceAll(/[\s_']/g, '')
      .replace(',', '.');
    if (digits === '') return undefined;
    if (/^\d*\.?\d+$|^\d+\.$/.test(digits)) return Number(digits);
    problems.push({
      path: `action.${path}`,
      message: `${PROMPT_LABELS[PROMPT_FIELDS[path]]} must be a number, or empty.`,
    });
    return undefined;
  };
  const temperature = number(form.promptTemperature, 'temperature');
  const maxTokens = number(form.promptMaxTokens, 'maxTokens');
  const limits = known({
    tokensPerRun: number(form.promptTokensPerRun, 'limits.tokensPerRun'),
    tokensPerDay: number(form.promptTokensPerDay, 'limits.tokensPerDay'),
    costPerRun: number(form.promptCostPerRun, 'limits.costPerRun'),
    costPerDay: number(form.promptCostPerDay, 'limits.costPerDay'),
  });
  const input = number(form.promptPriceInput, 'price.inputPerMillion');
  const output = number(form.promptPriceOutput, 'price.outputPerMillion');
  const hasPrice = input !== undefined || output !== undefined;
  const tools = readTools(form, problems);
  const hasLimits = Object.keys(limits).length > 0 || kept?.limits !== undefined;
  return {
    kind: 'prompt',
    ...(form.promptProtocol === 'built-in'
      ? { endpoint: { protocol: 'built-in', baseUrl: BUILT_IN_MODEL_URL }, model: BUILT_IN_MODEL }
      : {
          endpoint: {
            protocol: form.promptProtocol,
            baseUrl: form.promptUrl,
            ...optional('apiKey', form.promptKey, kept?.endpoint.apiKey),
          },
          model: form.promptModel,
        }),
    ...optional('system', form.promptSystem, kept?.system),
    prompt: form.promptText,
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(hasLimits ? { limits } : {}),
    ...(hasPrice
      ? {
          price: {
            inputPerMillion: input ?? 0,
            outputPerMillion: output ?? 0,
            currency: form.promptCurrency.trim().toUpperCase(),
          },
        }
      : {}),
    repeatable: form.promptRepeatable,
    ...(tools === undefined ? {} : { tools }),
  };
}

function optional<Key extends string>(
  key: Key,
  text: string,
  kept: string | undefined,
): Partial<Record<Key, string>> {
  if (text === '' && kept !== '') return {};
  return { [key]: text } as Record<Key, string>;
}

type Known<Values> = { readonly [Key in keyof Values]?: Exclude<Values[Key], undefined> };

function known<Values extends object>(values: Values): Known<Values> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Known<Values>;
}
