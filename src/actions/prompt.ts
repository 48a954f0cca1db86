/**
 * Asks a model and brings its answer back, within the limits that the person set. Where the model may call tools, it is asked
 * again with what they answered, until it answers with words alone.
 */
import {
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
  type ToolCall,
  type ToolRound,
} from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';
import { durationText, shortened } from './amounts.ts';
import { loadPart } from './load-part.ts';
import type { Toolbox } from './mcp/toolbox.ts';
import { Answering, tokensIn } from './prompt-answering.ts';
import { limitReached, roundsUsedUp, traceTooLong, whyOffline, withoutKey } from './prompt-failures.ts';
import { type AnsweredCall, bodyOf, PATHS, type Turn } from './prompt-messages.ts';
import { preparePrompt, type ReadyPrompt } from './prompt-request.ts';
import { scopeOf } from './template.ts';

const SUMMARY_MOST = 80;
/** How much of a run's rounds is kept, in characters; a longer one is ended. */
const TRACE_KEPT_MOST = 2_000_000;

/**
 * Sends the prompt and resolves with how it ended. The text so far is told as it comes. A prompt that must not be
 * repeated is marked `sending` before it leaves and `sent` once the endpoint answers, and so is each call of a tool that
 * must not be. Rejects with `signal.reason` on an abort, which ends the request.
 */
export async function askModel(action: PromptAction, context: ActionContext): Promise<ActionEnding> {
  const scope = scopeOf(context.run, context.now, context.secrets);
  const prepared = await preparePrompt(action, scope);
  if (prepared.kind === 'refused') return { kind: 'failed', failure: prepared.failure };
  const { ready } = prepared;
  const offline = whyOffline(ready.endpoint, context);
  if (offline !== null) return { kind: 'failed', failure: offline };

  const inputTokens = tokensIn(ready.system ?? '') + tokensIn(ready.prompt);
  const today = (await context.spentToday?.()) ?? null;
  const budget = budgetOf(action.limits, action.price, inputTokens, today ?? NOTHING_SPENT);
  if (budget.kind === 'reached')
    return { kind: 'failed', failure: limitReached(budget.by, action, 'before') };

  if (action.tools === undefined) return await new Conversation(action, ready, today, context, null).run();
  const loaded = await loadPart(() => import('./mcp/toolbox.ts'), 'calls tools');
  if (loaded.kind === 'failed') return loaded;
  const opened = await loaded.part.openTools(action.tools, scope, context);
  if (opened.kind === 'failed') return opened;
  try {
    return await new Conversation(action, ready, today, context, opened.toolbox).run();
  } finally {
    opened.toolbox.close();
  }
}

const NOTHING_SPENT = { tokens: 0, cost: 0 };

/** A round in the making. */
interface Round {
  readonly text: string;
  readonly calls: ToolCall[];
}

/** All requests of one run to a model, with their answers and what was called between them, as far as it has come. */
class Conversation {
  readonly #action: PromptAction;
  readonly #ready: ReadyPrompt;
  readonly #today: Spending | null;
  readonly #context: ActionContext;
  readonly #toolbox: Toolbox | null;
  readonly #turns: Turn[] = [];
  readonly #rounds: Round[] = [];
  /** What the answers before {@link #answering} used. */
  #used = { inputTokens: 0, outputTokens: 0, isEstimated: false };
  #hasUsed = false;
  /** The answer that comes now, or the last one. */
  #answering: Answering | null = null;
  #sent: SentPrompt;
  #sentAt = 0;
  #firstWordMs: number | null = null;
  #keptLength = 0;

  constructor(
    action: PromptAction,
    ready: ReadyPrompt,
    today: Spending | null,
    context: ActionContext,
    toolbox: Toolbox | null,
  ) {
    this.#action = action;
    this.#ready = ready;
    this.#today = today;
    this.#context = context;
    this.#toolbox = toolbox;
    const { endpoint, model, system, prompt } = ready;
    const tools = (toolbox?.offered ?? []).map(({ host, name }) => ({ host, name }));
    this.#sent = {
      protocol: endpoint.protocol,
      url: `${endpoint.base.href}${PATHS[endpoint.protocol]}`,
      model,
      ...(system === null ? {} : { system: withoutKey(system, endpoint) }),
      prompt: withoutKey(prompt, endpoint),
      ...(action.temperature === undefined ? {} : { temperature: action.temperature }),
      ...(tools.length === 0 ? {} : { tools }),
    };
  }

  async run(): Promise<ActionEnding> {
    const { signal, now } = this.#context;
    const mark = this.#action.repeatable ? () => Promise.resolve() : this.#context.markEffect;
    for (;;) {
      const inputTokens = this.#inputTokens();
      const budget = this.#budgetFor(inputTokens);
      const isFirst = this.#rounds.length === 0;
      if (budget.kind === 'reached') {
        const failure = limitReached(budget.by, this.#action, isFirst ? 'before' : 'between');
        return isFirst ? { kind: 'failed', failure } : this.#failed(failure);
      }
      const answering = new Answering(
        {
          action: this.#action,
          ready: this.#ready,
          turns: this.#turns,
          tools: this.#toolbox?.offered ?? [],
          budget,
          inputTokens,
        },
        this.#context,
        () => {
          if (answering.text !== '' && this.#firstWordMs === null) this.#firstWordMs = this.#sinceSent();
          this.#tell();
        },
      );
      this.#answering = answering;
      if (isFirst) {
        const { maxTokens } = answering;
        this.#sent = { ...this.#sent, ...(maxTokens === undefined ? {} : { maxTokens }) };
      }
      await this.#tellMayUse(inputTokens, budget, answering.maxTokens);
      if (isFirst) {
        await mark('sending');
        this.#sentAt = now();
      }
      this.#tell();
      const failure = await answering.ask(() => (isFirst ? mark('sent') : Promise.resolve()));
      signal.throwIfAborted();
      if (failure !== null) return this.#failed(failure);
      if (this.#toolbox === null || answering.calls.length === 0) return this.#succeeded();
      const { maxRounds } = this.#action.tools ?? { maxRounds: 0 };
      if (this.#rounds.length >= maxRounds) return this.#failed(roundsUsedUp(maxRounds));
      const stopped = await this.#callTools(answering, this.#toolbox);
      if (stopped !== null) return this.#failed(stopped);
    }
  }

  /** Where the day has a limit, what the next request may use is written down first: a host that dies cannot say it. */
  async #tellMayUse(inputTokens: number, budget: Budget, maxTokens = Infinity): Promise<void> {
    const { limits, price } = this.#action;
    const { tokensPerDay, costPerDay } = limits ?? {};
    if (this.#today === null || (tokensPerDay === undefined && costPerDay === undefined)) return;
    const most = Math.min(maxTokens, budget.kind === 'limited' ? budget.outputTokens : Infinity);
    const may = {
      inputTokens: this.#used.inputTokens + inputTokens,
      // Without a bound it costs nothing, or there would be one.
      outputTokens: this.#used.outputTokens + (Number.isFinite(most) ? most : 0),
    };
    await this.#context.mayUse?.({
      until: this.#today.until,
      tokens: may.inputTokens + may.outputTokens,
      cost: price === undefined ? 0 : costOf(may, price),
    });
  }

  /** About how many tokens the next request sends. */
  #inputTokens(): number {
    const { system, prompt } = this.#ready;
    const said = tokensIn(system ?? '') + tokensIn(prompt);
    if (this.#toolbox === null) return said;
    const manner = { temperature: undefined, maxTokens: undefined, countsTokens: false };
    return Math.max(
      said,
      tokensIn(JSON.stringify(bodyOf(this.#ready, this.#turns, this.#toolbox.offered, manner))),
    );
  }

  #budgetFor(inputTokens: number): Budget {
    const { limits, price } = this.#action;
    const { inputTokens: sent, outputTokens: answered } = this.#used;
    const thisRun = {
      tokens: sent + answered,
      cost: price === undefined ? 0 : costOf(this.#used, price),
    };
    return budgetOf(limits, price, inputTokens, this.#today ?? NOTHING_SPENT, thisRun);
  }

  /** Calls what the answer calls, one after another; resolves with why the run must end, if it must. */
  async #callTools(answering: Answering, toolbox: Toolbox): Promise<Failure | null> {
    const { endpoint } = this.#ready;
    const shown = (text: string): string => withoutKey(text, endpoint);
    // What is kept of it from here on, is kept in its round.
    this.#takeUsage();
    this.#answering = null;
    const round: Round = { text: shown(answering.text), calls: [] };
    this.#rounds.push(round);
    this.#keptLength += round.text.length;
    const answered: AnsweredCall[] = [];
    for (const { id, wireName, arguments: written } of answering.calls) {
      const at = round.calls.length;
      round.calls.push(withoutKeyIn(toolbox.begun(wireName, written), shown));
      this.#tell();
      const { call, answer, failure } = await toolbox.call(wireName, written);
      const kept = withoutKeyIn(call, shown);
      round.calls[at] = kept;
      this.#keptLength += JSON.stringify(kept).length;
      this.#tell();
      if (failure !== null) return failure;
      if (this.#keptLength > TRACE_KEPT_MOST) return traceTooLong(TRACE_KEPT_MOST);
      answered.push({ id, wireName, arguments: objectIn(written), answer });
    }
    this.#turns.push({ text: answering.text, calls: answered });
    return null;
  }

  #takeUsage(): void {
    const usage = this.#answering?.usage ?? null;
    if (usage === null) return;
    this.#hasUsed = true;
    this.#used = {
      inputTokens: this.#used.inputTokens + usage.inputTokens,
      outputTokens: this.#used.outputTokens + usage.outputTokens,
      isEstimated: this.#used.isEstimated || usage.isEstimated,
    };
  }

  #sinceSent(): number {
    // Clocks can be set back while a request is under way.
    return Math.max(0, this.#context.now() - this.#sentAt);
  }

  #tell(): void {
    const { endpoint } = this.#ready;
    const answering = this.#answering;
    const lines = this.#rounds.flatMap(({ text, calls }) => [
      ...(text.trim() === '' ? [] : [text.trim()]),
      ...calls.map(({ tool, result }) => `[${shortened(tool, 80)}: ${RESULT_WORDS[result.kind]}]`),
    ]);
    const text = answering === null ? '' : withoutKey(answering.text, endpoint);
    this.#context.tell?.(
      {
        text: lines.length === 0 ? text : [...lines, text].join('\n\n'),
        thought: answering?.thought ?? 0,
      },
      () => this.#brought('cut'),
    );
  }

  #succeeded(): ActionEnding {
    const end = this.#answering?.end ?? 'complete';
    const brought = this.#brought(end);
    const answer = shortened(withoutMarks(brought.output.answer?.text ?? ''), SUMMARY_MOST);
    const cut = end === 'length' ? ' (cut at the longest answer)' : '';
    const took = durationText(this.#sinceSent());
    const usage = usageText(brought.output.usage);
    const calls = this.#rounds
      .flatMap((round) => round.calls)
      .filter(({ result }) => result.kind !== 'refused').length;
    const called = calls === 0 ? '' : ` · ${calls} tool ${calls === 1 ? 'call' : 'calls'}`;
    return { kind: 'succeeded', summary: `${answer}${cut}${called} · ${usage}${took}`, ...brought };
  }

  #failed(failure: Failure): ActionEnding {
    return { kind: 'failed', failure, ...this.#brought('cut') };
  }

  #brought(end: AnswerEnd): Brought & { readonly output: PromptOutput } {
    const { endpoint } = this.#ready;
    const answering = this.#answering;
    const usage = this.#usage();
    const model = answering?.model;
    const rounds: readonly ToolRound[] = this.#rounds.map(({ text, calls }) => ({ text, calls: [...calls] }));
    const output: PromptOutput = {
      kind: 'prompt',
      request: this.#sent,
      ...(rounds.length === 0 ? {} : { rounds }),
      ...(answering === null || answering.text === ''
        ? {}
        : {
            answer: {
              text: withoutKey(answering.text, endpoint),
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

  /** What all rounds used so far. */
  #usage(): TokenUsage | null {
    const last = this.#answering?.usage ?? null;
    if (last === null && !this.#hasUsed) return null;
    const counts = {
      inputTokens: this.#used.inputTokens + (last?.inputTokens ?? 0),
      outputTokens: this.#used.outputTokens + (last?.outputTokens ?? 0),
    };
    const isEstimated = this.#used.isEstimated || (last?.isEstimated ?? false);
    const { price } = this.#action;
    return {
      ...counts,
      ...(isEstimated ? { estimated: true } : {}),
      ...(price === undefined ? {} : { cost: { amount: costOf(counts, price), currency: price.currency } }),
    };
  }
}

const RESULT_WORDS: Readonly<Record<ToolCall['result']['kind'], string>> = {
  answered: 'answered',
  refused: 'not allowed',
  failed: 'failed',
  cut: 'called',
};

/** `call` with what `shown` takes out of texts taken out of its own. */
function withoutKeyIn(call: ToolCall, shown: (text: string) => string): ToolCall {
  const { result } = call;
  return {
    ...call,
    tool: shown(call.tool),
    arguments: shown(call.arguments),
    result:
      result.kind === 'answered'
        ? { ...result, text: shown(result.text) }
        : result.kind === 'cut'
          ? result
          : { ...result, message: shown(result.message) },
  };
}

/** The object that a model wrote, as it is repeated to it; an empty one where it is none. */
function objectIn(written: string): object {
  try {
    const value = JSON.parse(written) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}

/** Markdown without the marks that say nothing in a line: those of headings, of emphasis and of code. */
function withoutMarks(text: string): string {
  return text.replaceAll(/^ {0,3}#{1,6} +/gm, '').replaceAll(/(\*\*|__|`)(?=\S)(.*?\S)\1/g, '$2');
}

function usageText(usage: TokenUsage | undefined): string {
  if (usage === undefined) return '';
  const about = usage.estimated === true ? 'about ' : '';
  return `${about}${usage.inputTokens + usage.outputTokens} tokens in `;
}
