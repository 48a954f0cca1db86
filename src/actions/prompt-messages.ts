/** What is sent to a model, in the words of both protocols: the prompt, what was said and called since, and the tools. */
import type { OfferedTool } from './mcp/toolbox.ts';
import type { ReadyPrompt } from './prompt-request.ts';

/** One call as the model made it, and what it is answered. */
export interface AnsweredCall {
  readonly id: string;
  readonly wireName: string;
  /** As endpoints take it: what was no object of JSON is an empty one. */
  readonly arguments: object;
  readonly answer: { readonly text: string; readonly isError: boolean };
}

/** An answer that called tools, and all their answers. */
export interface Turn {
  readonly text: string;
  readonly calls: readonly AnsweredCall[];
}

/** What a request asks for besides the prompt. */
export interface Manner {
  readonly temperature: number | undefined;
  readonly maxTokens: number | undefined;
  /** Whether the endpoint is asked to count; some do not know that question. */
  readonly countsTokens: boolean;
}

/** Where each protocol takes a request. */
export const PATHS = {
  openai: '/chat/completions',
  anthropic: '/messages',
  'built-in': '/chat/completions',
} as const;

/** The body of the request that goes on after `turns`. */
export function bodyOf(
  ready: ReadyPrompt,
  turns: readonly Turn[],
  tools: readonly OfferedTool[],
  manner: Manner,
): object {
  return ready.endpoint.protocol === 'anthropic'
    ? anthropicBody(ready, turns, tools, manner)
    : openAiBody(ready, turns, tools, manner);
}

function anthropicBody(
  { model, system, prompt }: ReadyPrompt,
  turns: readonly Turn[],
  tools: readonly OfferedTool[],
  { temperature, maxTokens }: Manner,
): object {
  return {
    model,
    ...(system === null ? {} : { system }),
    messages: [
      { role: 'user', content: prompt },
      ...turns.flatMap(({ text, calls }) => [
        {
          role: 'assistant',
          content: [
            // An empty text is refused.
            ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
            ...calls.map((call) => ({
              type: 'tool_use',
              id: call.id,
              name: call.wireName,
              input: call.arguments,
            })),
          ],
        },
        {
          role: 'user',
          content: calls.map(({ id, answer }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: answer.text,
            ...(answer.isError ? { is_error: true } : {}),
          })),
        },
      ]),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ wireName, description, inputSchema }) => ({
            name: wireName,
            ...(description === '' ? {} : { description }),
            input_schema: inputSchema,
          })),
        }),
    max_tokens: maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    stream: true,
  };
}

function openAiBody(
  { model, system, prompt, endpoint }: ReadyPrompt,
  turns: readonly Turn[],
  tools: readonly OfferedTool[],
  { temperature, maxTokens, countsTokens }: Manner,
): object {
  // OpenAI's newer models refuse the name that all other servers know.
  const isOpenAi = /(?:^|\.)openai\.(?:com|azure\.com)$/.test(endpoint.base.hostname);
  return {
    model,
    messages: [
      ...(system === null ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
      ...turns.flatMap(({ text, calls }) => [
        {
          role: 'assistant',
          content: text,
          tool_calls: calls.map((call) => ({
            id: call.id,
            type: 'function',
            function: { name: call.wireName, arguments: JSON.stringify(call.arguments) },
          })),
        },
        ...calls.map(({ id, answer }) => ({
          role: 'tool',
          tool_call_id: id,
          // The protocol has no word for an error, so it is said.
          content: answer.isError ? `Error: ${answer.text}` : answer.text,
        })),
      ]),
    ],
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ wireName, description, inputSchema }) => ({
            type: 'function',
            function: {
              name: wireName,
              ...(description === '' ? {} : { description }),
              parameters: inputSchema,
            },
          })),
        }),
    ...(maxTokens === undefined ? {} : { [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    stream: true,
    ...(countsTokens ? { stream_options: { include_usage: true } } : {}),
  };
}
