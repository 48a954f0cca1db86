/** One request to a model and its answer, as far as it has come: words, thoughts and calls of tools. */
import {
  ANSWER_KEPT_MOST,
  type AnswerEnd,
  type Budget,
  type Failure,
  type PromptAction,
} from '../domain/index.ts';
import type { ActionContext } from './action-context.ts';
import type { OfferedTool } from './mcp/toolbox.ts';
import { openClient, type ModelClient } from './prompt-client.ts';
import {
  brokenStream,
  failureOf,
  jsonOf,
  knowsNoTools,
  limitReached,
  modelError,
} from './prompt-failures.ts';
import { bodyOf, PATHS, type Turn } from './prompt-messages.ts';
import type { ReadyPrompt } from './prompt-request.ts';
import {
  type CallPiece,
  type News,
  readAnthropicEvent,
  readOpenAiEvent,
  readProblem,
} from './prompt-wire.ts';

/** Anthropic wants to be told; this is enough for most answers. */
const ANTHROPIC_MAX_TOKENS = 4_096;
/** Longest arguments of all calls in one answer, in characters. */
const ARGUMENTS_MOST = 200_000;
/** Most calls in one answer. */
const CALLS_MOST = 64;

/** What one request is made of. */
export interface Question {
  readonly action: PromptAction;
  readonly ready: ReadyPrompt;
  /** What was said and called before. */
  readonly turns: readonly Turn[];
  readonly tools: readonly OfferedTool[];
  readonly budget: Budget;
  /** About how many tokens it sends. */
  readonly inputTokens: number;
}

/** A call as far as the model has written it. */
export interface WrittenCall {
  id: string;
  wireName: string;
  arguments: string;
}

/** What one request used. */
export interface AnswerUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly isEstimated: boolean;
}

/** About how many tokens `text` is: four bytes each, which is near for most languages and models. */
export function tokensIn(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).byteLength / 4);
}

export class Answering {
  readonly #question: Question;
  readonly #context: ActionContext;
  readonly #onNews: () => void;
  /** The longest answer that is asked for, in tokens. */
  readonly maxTokens: number | undefined;
  #text = '';
  #thought = 0;
  readonly #calls: WrittenCall[] = [];
  #argumentsLength = 0;
  #hasArrived = false;
  /** How many events had a piece of an answer in them; a piece is a token or more. */
  #pieces = 0;
  #news: Omit<News, 'text' | 'thought' | 'calls'> = {};

  /** @param onNews called when there is more of the answer. */
  constructor(question: Question, context: ActionContext, onNews: () => void) {
    this.#question = question;
    this.#context = context;
    this.#onNews = onNews;
    const { action, ready } = question;
    const asked = Math.min(
      action.maxTokens ?? (ready.endpoint.protocol === 'anthropic' ? ANTHROPIC_MAX_TOKENS : Infinity),
      this.#allowed,
    );
    this.maxTokens = asked === Infinity ? undefined : asked;
  }

  get text(): string {
    return this.#text;
  }

  /** How many characters the model has thought. */
  get thought(): number {
    return this.#thought;
  }

  get calls(): readonly Readonly<WrittenCall>[] {
    return this.#calls;
  }

  /** Why the model stopped; `complete` where it did not say. */
  get end(): AnswerEnd {
    return this.#news.end ?? 'complete';
  }

  /** The model as the endpoint names it. */
  get model(): string | undefined {
    return this.#news.model;
  }

  /** What it used so far; `null` when the endpoint has not taken it. */
  get usage(): AnswerUsage | null {
    if (!this.#hasArrived) return null;
    const { inputTokens, outputTokens, end } = this.#news;
    const isCounted = inputTokens !== undefined && outputTokens !== undefined && end !== undefined;
    const written = this.#calls.map((call) => call.wireName + call.arguments).join('');
    const reckoned = Math.max(
      this.#pieces,
      tokensIn(this.#text) + tokensIn(written) + Math.ceil(this.#thought / 4),
    );
    return {
      inputTokens: inputTokens ?? this.#question.inputTokens,
      // What was counted before the end, was counted before the rest of the answer.
      outputTokens: isCounted ? outputTokens : Math.max(outputTokens ?? 0, reckoned),
      isEstimated: !isCounted,
    };
  }

  /** How many tokens of answer the limits leave. */
  get #allowed(): number {
    const { budget } = this.#question;
    return budget.kind === 'limited' ? budget.outputTokens : Infinity;
  }

  /**
   * Sends the request and reads the answer to its end; resolves with what went wrong, if anything did. Rejects with
   * `signal.reason` on an abort.
   *
   * @param onArrival called once the endpoint has answered, with whatever.
   */
  async ask(onArrival: () => Promise<void>): Promise<Failure | null> {
    const { client, events, error } = await this.#send();
    this.#context.signal.throwIfAborted();
    const { exchange } = client;
    if (exchange.response !== null) await onArrival();
    this.#hasArrived = exchange.response?.ok === true;
    if (events === null || !this.#hasArrived) {
      // What no answer explains is Rota's own fault, and must not look like the endpoint's.
      if (exchange.response === null && !exchange.unanswered) throw error;
      return this.#ofTools(await this.#failureOf(client));
    }
    const failure = await this.#read(events, client);
    this.#context.signal.throwIfAborted();
    return failure;
  }

  /** Sends the request, once more without what some servers do not know when one says that it does not. */
  async #send(): Promise<{ client: ModelClient; events: AsyncIterable<unknown> | null; error: unknown }> {
    const { ready, turns, tools, action } = this.#question;
    const { endpoint } = ready;
    for (let countsTokens = true; ; countsTokens = false) {
      const client = openClient(endpoint, this.#context);
      const manner = { temperature: action.temperature, maxTokens: this.maxTokens, countsTokens };
      try {
        const events = await client.stream(PATHS[endpoint.protocol], bodyOf(ready, turns, tools, manner));
        return { client, events, error: null };
      } catch (error) {
        const { response, body } = client.exchange;
        const isUnknown =
          (response?.status === 400 || response?.status === 422) && /stream_options/.test(body ?? '');
        if (!countsTokens || !isUnknown || this.#context.signal.aborted)
          return { client, events: null, error };
      }
    }
  }

  async #failureOf({ exchange }: ModelClient): Promise<Failure> {
    const { endpoint, model } = this.#question.ready;
    return await failureOf(exchange, endpoint, model, this.#context);
  }

  /** `failure`, told as what it is where the endpoint says that it knows no tools. */
  #ofTools(failure: Failure): Failure {
    const { tools, ready } = this.#question;
    return tools.length === 0 ? failure : knowsNoTools(failure, ready.endpoint);
  }

  async #read(events: AsyncIterable<unknown>, client: ModelClient): Promise<Failure | null> {
    const { exchange } = client;
    const { endpoint } = this.#question.ready;
    const read = endpoint.protocol === 'anthropic' ? readAnthropicEvent : readOpenAiEvent;
    try {
      for await (const event of events) {
        const words = readProblem(event);
        if (words !== null) return this.#ofTools(modelError(endpoint, words));
        const failure = this.#hear(read(event));
        if (failure !== null) return failure;
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      // What came after the last word was only to be counted.
      if (this.#news.end !== undefined) return this.#judge(this.#news.end);
      const words = readProblem(error);
      if (words !== null) return this.#ofTools(modelError(endpoint, words));
      if (exchange.tooLong || (this.#pieces === 0 && error instanceof SyntaxError))
        return await this.#failureOf(client);
      return brokenStream(endpoint, this.#pieces);
    }
    this.#context.signal.throwIfAborted();
    if (this.#pieces === 0 && exchange.body !== null) {
      // A server that does not stream answers whole.
      const failure = this.#hear(readOpenAiEvent(jsonOf(exchange.body)));
      if (failure !== null) return failure;
    }
    const { end } = this.#news;
    if (end === undefined && this.#pieces === 0) return this.#ofTools(await this.#failureOf(client));
    if (end === undefined) return brokenStream(endpoint, this.#pieces);
    return this.#judge(end);
  }

  /** Takes in what one event says; a failure when the answer must go no further. */
  #hear(news: News): Failure | null {
    const { text = '', thought = '', calls = [], ...facts } = news;
    this.#news = { ...this.#news, ...facts };
    for (const piece of calls) this.#write(piece);
    if (text !== '' || thought !== '' || calls.length > 0) {
      this.#pieces += 1;
      this.#thought += thought.length;
      this.#text += text;
      this.#onNews();
    }
    if (this.#text.length > ANSWER_KEPT_MOST) {
      this.#text = this.#text.slice(0, ANSWER_KEPT_MOST);
      return {
        class: 'limit',
        code: 'answer-too-long',
        message: `The answer is longer than ${ANSWER_KEPT_MOST} characters, which is as much as Rota keeps, and was ended.`,
        advice: 'Ask for a shorter answer, or set the longest answer.',
      };
    }
    if (this.#argumentsLength > ARGUMENTS_MOST || this.#calls.length > CALLS_MOST) {
      this.#calls.length = 0;
      return {
        class: 'limit',
        code: 'answer-too-long',
        message: `The model called tools more than ${CALLS_MOST} times in one answer, or with more than ${ARGUMENTS_MOST} characters, and was ended.`,
      };
    }
    // For servers that pay no heed to what they were told: a token is seldom longer than eight characters.
    const length = this.#text.length + this.#thought + this.#argumentsLength;
    const heard = Math.max(this.#pieces, length / 8);
    const { budget, action } = this.#question;
    return budget.kind === 'limited' && heard > this.#allowed && news.end === undefined
      ? limitReached(budget.by, action, 'answering')
      : null;
  }

  /** Takes in a piece of a call. Some servers number no calls, or all with 0: a name begins the next one. */
  #write(piece: CallPiece): void {
    const last = this.#calls.at(-1);
    const numbered = piece.index === undefined ? last : this.#byIndex.get(piece.index);
    const isNext =
      numbered === undefined ||
      (piece.id !== undefined && piece.id !== '' && piece.name !== undefined && piece.id !== numbered.id);
    let call = numbered;
    if (call === undefined || isNext) {
      const id = piece.id === undefined || piece.id === '' ? `call_${this.#calls.length + 1}` : piece.id;
      call = { id, wireName: '', arguments: '' };
      this.#calls.push(call);
      if (piece.index !== undefined) this.#byIndex.set(piece.index, call);
    }
    const { name = '', arguments: args = '' } = piece;
    // Some repeat the name with each piece.
    if (call.wireName !== name) call.wireName += name;
    call.arguments += args;
    this.#argumentsLength += name.length + args.length;
  }

  readonly #byIndex = new Map<number, WrittenCall>();

  #judge(end: AnswerEnd): Failure | null {
    const { ready, action, budget, tools } = this.#question;
    const { host } = ready.endpoint.base;
    const { maxTokens = Infinity } = action;
    if (end === 'length' && budget.kind === 'limited' && this.#allowed <= maxTokens)
      return limitReached(budget.by, action, 'answering');
    if (this.#calls.length > 0 && tools.length > 0) {
      if (end !== 'length') return null;
      return {
        class: 'action',
        code: 'empty-answer',
        message: 'The model used up its longest answer while it called a tool, which was not done.',
        advice: 'Allow a longer answer.',
      };
    }
    if (this.#text.trim() !== '') return null;
    if (end === 'length') {
      return {
        class: 'action',
        code: 'empty-answer',
        message: 'The model used up its longest answer before the first word of it.',
        advice: 'Allow a longer answer: models that think first need more.',
      };
    }
    return {
      class: 'action',
      code: 'empty-answer',
      message: end === 'filtered' ? `${host} filtered the answer out.` : 'The model answered nothing.',
    };
  }
}
