import type { Failure } from './run.ts';
import type { DurationMs } from './time.ts';

/** How much of what one tool answers is given to the model and kept, in characters. */
export const TOOL_RESULT_MOST = 30_000;

/**
 * What came of a call of a tool, all of it as text that nothing may be believed of. `answered`: by the tool, `isError`
 * where the tool itself says that it failed. `refused`: Rota did not call it, and told the model why. `failed`: it was
 * called, and no answer came. `cut`: the run ended before any of these.
 */
export type ToolResult =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly isError?: true;
      /** The answer had so many characters, and the rest of it was left out, for the model too. */
      readonly cutFrom?: number;
    }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'cut' };

/** One call that a model made. */
export interface ToolCall {
  /** The host of the tool's server; absent where no server has a tool of that name. */
  readonly host?: string;
  /** The tool as its server names it, or as the model did where no server has it. */
  readonly tool: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  readonly result: ToolResult;
  /** Absent where it was not called. */
  readonly tookMs?: DurationMs;
}

/** An answer of a model that called tools: what it said with that, and the calls in their order. */
export interface ToolRound {
  readonly text: string;
  readonly calls: readonly ToolCall[];
}

/** What a server says of one of its tools. The hints are its own claims, which nothing checks. */
export interface ToolInfo {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** `readOnly`: it changes nothing. `destructive`: it may delete or overwrite. `unknown`: nothing is said. */
  readonly claim: 'read-only' | 'destructive' | 'additive' | 'unknown';
  /** The server says that calling it twice with the same arguments does no more than once. */
  readonly claimsIdempotent?: true;
}

/** Which tools a server of tools says that it has, in its order, or why it could not be asked. */
export type ToolList =
  | {
      readonly kind: 'tools';
      readonly tools: readonly ToolInfo[];
      /** It has more than are listed. */
      readonly isCut?: true;
      /** What the server calls itself. */
      readonly server?: string;
      readonly tookMs: DurationMs;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };
