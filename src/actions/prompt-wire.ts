/** What endpoints send, read as foreign data: what is not of the form is passed over, and counts as nothing. */
import * as v from 'valibot';
import type { AnswerEnd } from '../domain/index.ts';

/** A piece of a call of a tool, as far as one event says. */
export interface CallPiece {
  /** Which call of the answer, where that is said. */
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  /** A piece of the arguments' JSON. */
  readonly arguments?: string;
}

/** What one event of a stream says. */
export interface News {
  readonly text?: string;
  /** What a model thinks before it answers; it is counted and not kept. */
  readonly thought?: string;
  readonly calls?: readonly CallPiece[];
  readonly end?: AnswerEnd;
  readonly model?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

const text = v.fallback(v.nullish(v.string()), null);
const count = v.fallback(v.nullish(v.pipe(v.number(), v.integer(), v.minValue(0))), null);

const openAiCall = v.looseObject({
  index: count,
  id: text,
  function: v.fallback(
    v.nullish(
      v.looseObject({
        name: text,
        // Some servers that do not stream give the object itself.
        arguments: v.fallback(v.nullish(v.union([v.string(), v.looseObject({})])), null),
      }),
    ),
    null,
  ),
});

const spoken = v.fallback(
  v.nullish(
    v.looseObject({
      content: text,
      reasoning_content: text,
      reasoning: text,
      tool_calls: v.fallback(v.nullish(v.array(openAiCall)), null),
    }),
  ),
  null,
);

const openAiEvent = v.looseObject({
  model: text,
  choices: v.fallback(
    v.nullish(v.array(v.looseObject({ delta: spoken, message: spoken, finish_reason: text }))),
    null,
  ),
  usage: v.fallback(v.nullish(v.looseObject({ prompt_tokens: count, completion_tokens: count })), null),
});

const anthropicUsage = v.fallback(
  v.nullish(
    v.looseObject({
      input_tokens: count,
      output_tokens: count,
      cache_creation_input_tokens: count,
      cache_read_input_tokens: count,
    }),
  ),
  null,
);

const anthropicEvent = v.looseObject({
  type: text,
  index: count,
  content_block: v.fallback(v.nullish(v.looseObject({ type: text, id: text, name: text })), null),
  message: v.fallback(v.nullish(v.looseObject({ model: text, usage: anthropicUsage })), null),
  delta: v.fallback(
    v.nullish(v.looseObject({ type: text, text, thinking: text, partial_json: text, stop_reason: text })),
    null,
  ),
  usage: anthropicUsage,
});

/** Reads a chunk of OpenAI's chat completions, or a whole completion from a server that does not stream. */
export function readOpenAiEvent(event: unknown): News {
  const parsed = v.safeParse(openAiEvent, event);
  if (!parsed.success) return {};
  const { model, choices, usage } = parsed.output;
  const choice = choices?.[0];
  const said = choice?.delta ?? choice?.message;
  return known({
    model,
    text: said?.content,
    thought: said?.reasoning_content ?? said?.reasoning,
    calls: (said?.tool_calls ?? null)?.map((call) => {
      const args = call.function?.arguments;
      return known<CallPiece>({
        index: call.index,
        id: call.id,
        name: call.function?.name,
        arguments: typeof args === 'object' && args !== null ? JSON.stringify(args) : args,
      });
    }),
    end: choice?.finish_reason == null ? null : endOf(choice.finish_reason),
    inputTokens: usage?.prompt_tokens,
    outputTokens: usage?.completion_tokens,
  });
}

/** Reads an event of Anthropic's messages. */
export function readAnthropicEvent(event: unknown): News {
  const parsed = v.safeParse(anthropicEvent, event);
  if (!parsed.success) return {};
  const { message, delta, index, content_block: block } = parsed.output;
  const call =
    block?.type === 'tool_use'
      ? known<CallPiece>({ index, id: block.id, name: block.name })
      : delta?.type === 'input_json_delta'
        ? known<CallPiece>({ index, arguments: delta.partial_json })
        : null;
  const usage = message?.usage ?? parsed.output.usage;
  const input =
    usage?.input_tokens == null
      ? null
      : usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
  return known({
    model: message?.model,
    text: delta?.text,
    thought: delta?.thinking,
    calls: call === null ? null : [call],
    end: delta?.stop_reason == null ? null : endOf(delta.stop_reason),
    // Later events of a message count its output alone.
    inputTokens: message == null ? null : input,
    outputTokens: usage?.output_tokens,
  });
}

function endOf(reason: string): AnswerEnd {
  switch (reason) {
    case 'length':
    case 'max_tokens':
      return 'length';
    case 'content_filter':
    case 'refusal':
      return 'filtered';
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      return 'tool';
    default:
      return 'complete';
  }
}

/** `facts` without what is not known. */
function known<Facts extends object = News>(facts: {
  readonly [Key in keyof Facts]: Facts[Key] | null | undefined;
}): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null)) as Facts;
}

const listed = v.looseObject({ data: v.array(v.looseObject({ id: v.string() })) });

/** The names in a list of models, or `null` for something else. */
export function readModelList(answer: unknown): readonly string[] | null {
  const parsed = v.safeParse(listed, answer);
  return parsed.success ? parsed.output.data.map(({ id }) => id) : null;
}

const problem = v.looseObject({
  error: v.union([v.string(), v.looseObject({ message: v.string() })]),
});

/** What an endpoint says went wrong, in its words; `null` when it says nothing. */
export function readProblem(answer: unknown): string | null {
  const parsed = v.safeParse(problem, answer);
  if (!parsed.success) return null;
  const { error } = parsed.output;
  return typeof error === 'string' ? error : error.message;
}
