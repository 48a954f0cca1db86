/** Asks a model and brings its answer back, within the limits that the person set. */
import {
  ANSWER_KEPT_MOST,
  type AnswerEnd,
  type Brought,
  type Budget,
  budgetOf,
  costOf,
  type Failure,
  type PromptAction,
  type PromptOutput,
  type SentPrompt,
  type Spending,
  type TokenUsage,
} from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';
import { durationText, shortened } from './amounts.ts';
import { openClient, type ModelClient } from './prompt-client.ts';
import {
  brokenStream,
  failureOf,
  jsonOf,
  limitReached,
  modelError,
  whyOffline,
  withoutKey,
} from './prompt-failures.ts';
import { preparePrompt, type ReadyPrompt } from './prompt-request.ts';
import { type News, readAnthropicEvent, readOpenAiEvent, readProblem } from './prompt-wire.ts';
import { scopeOf } from './template.ts';

/** Anthropic wants to be told; this is enough for most answers. */
const ANTHROPIC_MAX_TOKENS = 4_096;
const SUMMARY_MOST = 80;

/**
 * Sends the prompt and resolves with how it ended. The text so far is told as it comes. A prompt that must not be
 * repeated is marked `sending` before it leaves and `sent` once the endpoint answers. Rejects with `signal.reason` on an
 * abort, which ends the request.
 */
export async function askModel(action: PromptAction, context: ActionContext): Promise<ActionEnding> {
  const prepared = await preparePrompt(action, scopeOf(context.run, context.now, context.secrets));
  if (prepared.kind === 'refused') return { kind: 'failed', failure: prepared.failure };
  const { ready } = prepared;
  const offline = whyOffline(ready.endpoint, context);
  if (offline !== null) return { kind: 'failed', failure: offline };

  const inputTokens = tokensIn(ready.system ?? '') + tokensIn(ready.prompt);
  const today = (await context.spentToday?.()) ?? null;
  const budget = budgetOf(action.limits, action.price, inputTokens, today ?? { tokens: 0, cost: 0 });
  if (budget.kind === 'reached') return { kind: 'failed', failure: limitReached(budget.by, action, false) };

  const conversation = new Conversation(action, ready, budget, today, inputTokens, context);
  return await conversation.run();
}

/** About how many tokens `text` is: four bytes each, which is near for most languages and models. */
function tokensIn(text: string): number {
  return Math.ceil(new TextEncoder().encode(text).byteLength / 4);
}

/** One request to a model and its answer, as far as it has come. */
class Conversation {
  readonly #action: PromptAction;
  readonly #ready: ReadyPrompt;
  readonly #budget: Budget;
  readonly #today: Spending | null;
  readonly #inputEstimate: number;
  readonly #context: ActionContext;
  readonly #sent: SentPrompt;
  #sentAt = 0;
  #firstWordMs: number | null = null;
  #hasArrived = false;
  #text = '';
  #thought = 0;
  /** How many events had a piece of an answer in them; a piece is a token or more. */
  #pieces = 0;
  #news: News = {};

  constructor(
    action: PromptAction,
    ready: ReadyPrompt,
    budget: Budget,
    today: Spending | null,
    inputEstimate: number,
    context: ActionContext,
  ) {
    this.#action = action;
    this.#ready = ready;
    this.#budget = budget;
    this.#today = today;
    this.#inputEstimate = inputEstimate;
    this.#context = context;
    const { endpoint, model, system, prompt } = ready;
    const asked = Math.min(
      action.maxTokens ?? (endpoint.protocol === 'anthropic' ? ANTHROPIC_MAX_TOKENS : Infinity),
      this.#allowed,
    );
    this.#sent = {
      protocol: endpoint.protocol,
      url: `${endpoint.base.href}${PATHS[endpoint.protocol]}`,
      model,
      ...(system === null ? {} : { system: withoutKey(system, endpoint) }),
      prompt: withoutKey(prompt, endpoint),
      ...(action.temperature === undefined ? {} : { temperature: action.temperature }),
      ...(asked === Infinity ? {} : { maxTokens: asked }),
    };
  }

  /** How many tokens of answer the limits leave. */
  get #allowed(): number {
    return this.#budget.kind === 'limited' ? this.#budget.outputTokens : Infinity;
  }

  async run(): Promise<ActionEnding> {
    const { signal, now } = this.#context;
    const mark = this.#action.repeatable ? () => Promise.resolve() : this.#context.markEffect;
    await mark('sending');
    this.#sentAt = now();
    this.#tell();
    const { client, events, error } = await this.#send();
    signal.throwIfAborted();
    const { exchange } = client;
    if (exchange.response !== null) await mark('sent');
    this.#hasArrived = exchange.response?.ok === true;
    if (events === null || !this.#hasArrived) {
      // What no answer explains is Rota's own fault, and must not look like the endpoint's.
      if (exchange.response === null && !exchange.unanswered) throw error;
      return this.#failed(await failureOf(exchange, this.#ready.endpoint, this.#sent.model, this.#context));
    }
    const failure = await this.#read(events, client);
    signal.throwIfAborted();
    return failure === null ? this.#succeeded() : this.#failed(failure);
  }

  /** Sends the request, once more without what some servers do not know when one says that it does not. */
  async #send(): Promise<{ client: ModelClient; events: AsyncIterable<unknown> | null; error: unknown }> {
    const { endpoint } = this.#ready;
    for (let countsTokens = true; ; countsTokens = false) {
      const client = openClient(endpoint, this.#context);
      try {
        const events = await client.stream(PATHS[endpoint.protocol], this.#body(countsTokens));
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

  #body(countsTokens: boolean): object {
    const { model, system, prompt, endpoint } = this.#ready;
    const { temperature, maxTokens } = this.#sent;
    const sampling = temperature === undefined ? {} : { temperature };
    if (endpoint.protocol === 'anthropic') {
      return {
        model,
        ...(system === null ? {} : { system }),
        messages: [{ role: 'user', content: prompt }],
        max_tokens: maxTokens,
        ...sampling,
        stream: true,
      };
    }
    // OpenAI's newer models refuse the name that all other servers know.
    const isOpenAi = /(?:^|\.)openai\.(?:com|azure\.com)$/.test(endpoint.base.hostname);
    return {
      model,
      messages: [
        ...(system === null ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: prompt },
      ],
      ...(maxTokens === undefined ? {} : { [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
      ...sampling,
      stream: true,
      ...(countsTokens ? { stream_options: { include_usage: true } } : {}),
    };
  }

  /** Reads the answer to its end; resolves with what went wrong, if anything did. */
  async #read(events: AsyncIterable<unknown>, { exchange }: ModelClient): Promise<Failure | null> {
    const { endpoint } = this.#ready;
    const read = endpoint.protocol === 'anthropic' ? readAnthropicEvent : readOpenAiEvent;
    try {
      for await (const event of events) {
        const words = readProblem(event);
        if (words !== null) return modelError(endpoint, words);
        const failure = this.#hear(read(event));
        if (failure !== null) return failure;
      }
    } catch (error) {
      this.#context.signal.throwIfAborted();
      // What came after the last word was only to be counted.
      if (this.#news.end !== undefined) return this.#judge(this.#news.end);
      const words = readProblem(error);
      if (words !== null) return modelError(endpoint, words);
      if (exchange.tooLong || (this.#pieces === 0 && error instanceof SyntaxError))
        return await failureOf(exchange, endpoint, this.#sent.model, this.#context);
      return brokenStream(endpoint, this.#pieces);
    }
    this.#context.signal.throwIfAborted();
    if (this.#pieces === 0 && exchange.body !== null) {
      // A server that does not stream answers whole.
      const failure = this.#hear(readOpenAiEvent(jsonOf(exchange.body)));
      if (failure !== null) return failure;
    }
    const { end } = this.#news;
    if (end === undefined && this.#pieces === 0)
      return await failureOf(exchange, endpoint, this.#sent.model, this.#context);
    if (end === undefined) return brokenStream(endpoint, this.#pieces);
    return this.#judge(end);
  }

  /** Takes in what one event says; a failure when the answer must go no further. */
  #hear(news: News): Failure | null {
    const { text = '', thought = '', ...facts } = news;
    this.#news = { ...this.#news, ...facts };
    if (text !== '' || thought !== '') {
      this.#pieces += 1;
      this.#thought += thought.length;
      this.#text += text;
      if (text !== '' && this.#firstWordMs === null) this.#firstWordMs = this.#sinceSent();
      this.#tell();
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
    // For servers that pay no heed to what they were told: a token is seldom longer than eight characters.
    const heard = Math.max(this.#pieces, (this.#text.length + this.#thought) / 8);
    return this.#budget.kind === 'limited' && heard > this.#allowed && news.end === undefined
      ? limitReached(this.#budget.by, this.#action, true)
      : null;
  }

  #judge(end: AnswerEnd): Failure | null {
    const { host } = this.#ready.endpoint.base;
    const { maxTokens = Infinity } = this.#action;
    if (end === 'length' && this.#budget.kind === 'limited' && this.#allowed <= maxTokens)
      return limitReached(this.#budget.by, this.#action, true);
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

  #sinceSent(): number {
    // Clocks can be set back while a request is under way.
    return Math.max(0, this.#context.now() - this.#sentAt);
  }

  #tell(): void {
    const { endpoint } = this.#ready;
    this.#context.tell?.({ text: withoutKey(this.#text, endpoint), thought: this.#thought }, () =>
      this.#brought('cut'),
    );
  }

  #succeeded(): ActionEnding {
    const end = this.#news.end ?? 'complete';
    const brought = this.#brought(end);
    const answer = shortened(withoutKey(this.#text, this.#ready.endpoint), SUMMARY_MOST);
    const cut = end === 'length' ? ' (cut at the longest answer)' : '';
    const took = durationText(this.#sinceSent());
    const usage = usageText(brought.output.usage);
    return { kind: 'succeeded', summary: `${answer}${cut} · ${usage}${took}`, ...brought };
  }

  #failed(failure: Failure): ActionEnding {
    return { kind: 'failed', failure, ...this.#brought('cut') };
  }

  #brought(end: AnswerEnd): Brought & { readonly output: PromptOutput } {
    const usage = this.#hasArrived ? this.#usage() : null;
    const { model } = this.#news;
    const { endpoint } = this.#ready;
    const output: PromptOutput = {
      kind: 'prompt',
      request: this.#sent,
      ...(this.#text === ''
        ? {}
        : {
            answer: {
              text: withoutKey(this.#text, endpoint),
              end,
              ...(model === undefined ? {} : { model: shortened(withoutKey(model, endpoint), 200) }),
            },
          }),
      ...(usage === null ? {} : { usage }),
      timing: {
        sentAt: this.#sentAt,
        ...(this.#firstWordMs === null ? {} : { firstWordMs: this.#firstWordMs }),
        totalMs: this.#sinceSent(),
      },
    };
    if (usage === null || this.#today === null) return { output };
    const tokens = usage.inputTokens + usage.outputTokens;
    return { output, spent: { until: this.#today.until, tokens, cost: usage.cost?.amount ?? 0 } };
  }

  #usage(): TokenUsage {
    const { inputTokens, outputTokens, end } = this.#news;
    const isCounted = inputTokens !== undefined && outputTokens !== undefined && end !== undefined;
    const reckoned = Math.max(this.#pieces, tokensIn(this.#text) + Math.ceil(this.#thought / 4));
    const counts = {
      inputTokens: inputTokens ?? this.#inputEstimate,
      // What was counted before the end, was counted before the rest of the answer.
      outputTokens: isCounted ? outputTokens : Math.max(outputTokens ?? 0, reckoned),
    };
    const { price } = this.#action;
    return {
      ...counts,
      ...(isCounted ? {} : { estimated: true }),
      ...(price === undefined ? {} : { cost: { amount: costOf(counts, price), currency: price.currency } }),
    };
  }
}

const PATHS = { openai: '/chat/completions', anthropic: '/messages' } as const;

function usageText(usage: TokenUsage | undefined): string {
  if (usage === undefined) return '';
  const about = usage.estimated === true ? 'about ' : '';
  return `${about}${usage.inputTokens + usage.outputTokens} tokens in `;
}
