import type { PromptProtocol } from './action-prompt.ts';
import type { ToolRound } from './output-prompt-tools.ts';
import type { Failure } from './run.ts';
import type { DurationMs, EpochMs } from './time.ts';

/** How long an answer may be, in characters. One that goes on past that is ended there, and its run fails. */
export const ANSWER_KEPT_MOST = 500_000;

/** What was asked, after its templates were filled in. The key is not in it. */
export interface SentPrompt {
  readonly protocol: PromptProtocol;
  /** The address that the request went to. */
  readonly url: string;
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly temperature?: number;
  /** The longest answer that was asked for, in tokens. */
  readonly maxTokens?: number;
  /** What the model was told that it may call. */
  readonly tools?: readonly { readonly host: string; readonly name: string }[];
}

/**
 * Why a model stopped: `complete` by itself, `length` at the longest answer that was asked for, `filtered` by the
 * endpoint's rules, `tool` because it wants to call a tool. `cut`: it did not stop; the run ended or the connection did.
 */
export type AnswerEnd = 'complete' | 'length' | 'filtered' | 'tool' | 'cut';

/** What a model answered, as text that nothing may be believed of. */
export interface ModelAnswer {
  readonly text: string;
  readonly end: AnswerEnd;
  /** The model as the endpoint names it, where it does. */
  readonly model?: string;
}

/** What a run used, in all its rounds. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The endpoint did not count, or the run ended before it said: reckoned by the length of the texts. */
  readonly estimated?: true;
  /** By the price that the definition states. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** Which models an endpoint says that it has, in the order of their names, or why it could not be asked. */
export type ModelList =
  | { readonly kind: 'models'; readonly models: readonly string[]; readonly tookMs: DurationMs }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What a prompt brought back. */
export interface PromptOutput {
  readonly kind: 'prompt';
  readonly request: SentPrompt;
  /** The answers with which the model called tools, before the last one. Absent where it called none. */
  readonly rounds?: readonly ToolRound[];
  /** The last answer. Absent when nothing came. */
  readonly answer?: ModelAnswer;
  readonly usage?: TokenUsage;
  readonly timing: {
    readonly sentAt: EpochMs;
    /** From sending to the first word of the answer. */
    readonly firstWordMs?: DurationMs;
    /** From sending to the end of the answer, or to the failure. */
    readonly totalMs: DurationMs;
  };
}
