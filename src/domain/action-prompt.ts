import * as v from 'valibot';
import { areRepeatableTools, promptToolsSchema } from './action-prompt-tools.ts';
import { BUILT_IN_MODEL_URL } from './built-in-model.ts';
import { boundedText, wholeNumber } from './problem.ts';

/**
 * What endpoints speak: `openai` is the chat completions API that Ollama, LM Studio, llama.cpp and most hosted models
 * have, `anthropic` is Anthropic's messages API. `built-in` is the model of the browser itself, which an open tab asks.
 */
export const PROMPT_PROTOCOLS = ['openai', 'anthropic', 'built-in'] as const;
export type PromptProtocol = (typeof PROMPT_PROTOCOLS)[number];

/** Longest prompt that a definition may hold. */
const TEXT_MOST = 100_000;
/** Most tokens that may be named, which is more than any model takes. */
const TOKENS_MOST = 1_000_000_000;

/** An address that can be asked: absolute http or https without a query, or a template that may become one. */
function isBaseUrl(url: string): boolean {
  if (/\{[{%]/.test(url)) return /^(https?:\/\/|\{[{%])/i.test(url);
  return /^https?:\/\/[^\s/?#@]+(?::\d+)?(\/[^\s?#]*)?$/i.test(url);
}

/** An endpoint by itself. `apiKey` is a template like a header's value, so that it can name a secret. */
const endpointFields = v.strictObject({
  protocol: v.exactOptional(
    v.picklist(PROMPT_PROTOCOLS, `The protocol is one of ${PROMPT_PROTOCOLS.join(', ')}.`),
    'openai',
  ),
  baseUrl: v.pipe(
    boundedText('The address', 10_000),
    v.trim(),
    v.nonEmpty('Enter the address of the endpoint, such as http://localhost:11434/v1.'),
    v.check(
      (url) => url === BUILT_IN_MODEL_URL || isBaseUrl(url),
      'The address must start with http:// or https://, name a host and have no query.',
    ),
  ),
  apiKey: v.exactOptional(
    v.pipe(
      boundedText('The key', 10_000),
      v.regex(/^[^\r\n\0]*$/, 'The key must be a single line.'),
      v.trim(),
    ),
  ),
});

/** Where a model is asked. */
export const modelEndpointSchema = v.pipe(
  endpointFields,
  v.forward(
    v.partialCheck(
      [['protocol'], ['baseUrl']],
      ({ protocol, baseUrl }) => (protocol === 'built-in') === (baseUrl === BUILT_IN_MODEL_URL),
      `The model of the browser itself is asked with the protocol built-in at ${BUILT_IN_MODEL_URL}, and nothing else is.`,
    ),
    ['baseUrl'],
  ),
);

export type ModelEndpoint = v.InferOutput<typeof modelEndpointSchema>;
/** An endpoint as a caller writes it. */
export type ModelEndpointInput = v.InferInput<typeof modelEndpointSchema>;

const money = (what: string) =>
  v.pipe(
    v.number(`${what} must be a number.`),
    v.minValue(0, `${what} must not be below 0.`),
    v.maxValue(1_000_000, `${what} must be at most 1000000.`),
  );

const positiveMoney = (what: string) => v.pipe(money(what), v.gtValue(0, `${what} must be above 0.`));

const promptFields = v.strictObject({
  kind: v.literal('prompt'),
  endpoint: modelEndpointSchema,
  model: v.pipe(boundedText('The model', 300), v.trim(), v.nonEmpty('Choose the model to ask.')),
  system: v.exactOptional(boundedText('The system prompt', TEXT_MOST)),
  prompt: v.pipe(
    boundedText('The prompt', TEXT_MOST),
    v.check((text) => text.trim() !== '', 'Enter what to ask.'),
  ),
  temperature: v.exactOptional(
    v.pipe(
      v.number('The temperature must be a number.'),
      v.minValue(0, 'The temperature must be at least 0.'),
      v.maxValue(2, 'The temperature must be at most 2.'),
    ),
  ),
  /** Longest answer, in tokens. Reaching it cuts the answer and is no failure. */
  maxTokens: v.exactOptional(wholeNumber(1, TOKENS_MOST, 'The longest answer')),
  /** Reaching one of these stops the run, or keeps it from asking at all; it then fails with the class `limit`. */
  limits: v.exactOptional(
    v.strictObject({
      tokensPerRun: v.exactOptional(wholeNumber(1, TOKENS_MOST, 'Tokens a run')),
      tokensPerDay: v.exactOptional(wholeNumber(1, TOKENS_MOST, 'Tokens a day')),
      costPerRun: v.exactOptional(positiveMoney('The cost of a run')),
      costPerDay: v.exactOptional(positiveMoney('The cost of a day')),
    }),
  ),
  /** What the endpoint asks for a million tokens, as the person states it: no price is built in, because they change. */
  price: v.exactOptional(
    v.strictObject({
      inputPerMillion: money('The price of what is sent'),
      outputPerMillion: money('The price of what is answered'),
      currency: v.exactOptional(
        v.pipe(
          v.string('The currency is text.'),
          v.regex(/^[A-Z]{3}$/, 'A currency is three capital letters, such as USD.'),
        ),
        'USD',
      ),
    }),
  ),
  /**
   * Whether Rota may ask again by itself after a failure or an interruption. It may, unless the person says no: asking
   * twice changes nothing anywhere, an answer that is missed in silence is worse than one paid twice, and what a repeat
   * can cost is bounded by `limits`.
   */
  repeatable: v.exactOptional(v.boolean('repeatable is true or false.'), true),
  /** What the model may call. */
  tools: v.exactOptional(promptToolsSchema),
});

type PromptFields = v.InferOutput<typeof promptFields>;

/** A limit of cost that has no price to be computed with. */
function unpricedLimit({ limits, price }: PromptFields): 'costPerRun' | 'costPerDay' | null {
  if (limits === undefined || price !== undefined) return null;
  if (limits.costPerRun !== undefined) return 'costPerRun';
  return limits.costPerDay === undefined ? null : 'costPerDay';
}

/** What the model of a browser has no way to be told, and must therefore not be set. */
function unknownToBuiltIn({ endpoint, ...set }: PromptFields): 'temperature' | 'maxTokens' | 'tools' | null {
  if (endpoint.protocol !== 'built-in') return null;
  return (['temperature', 'maxTokens', 'tools'] as const).find((key) => set[key] !== undefined) ?? null;
}

/** The schema of a prompt to a model. */
export const promptSchema = v.pipe(
  promptFields,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const key = unknownToBuiltIn(value);
    if (key === null) return;
    addIssue({
      message: 'The model of the browser takes no temperature, no longest answer and no tools.',
      path: [{ type: 'object', origin: 'value', input: value, key, value: value[key] }],
    });
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const limit = unpricedLimit(value);
    if (limit === null) return;
    addIssue({
      message: 'A limit of cost needs the price of a million tokens.',
      path: [
        { type: 'object', origin: 'value', input: value, key: 'limits', value: value.limits },
        {
          type: 'object',
          origin: 'value',
          input: { ...value.limits },
          key: limit,
          value: value.limits?.[limit],
        },
      ],
    });
  }),
);

export type PromptAction = v.InferOutput<typeof promptSchema>;
export type PromptPrice = NonNullable<PromptAction['price']>;
export type PromptLimits = NonNullable<PromptAction['limits']>;

/** Whether asking twice does no more than asking once: the person did not say otherwise, and no tool that may be called does. */
export function isRepeatablePrompt({
  repeatable,
  tools,
}: Pick<PromptAction, 'repeatable' | 'tools'>): boolean {
  return repeatable && areRepeatableTools(tools);
}
