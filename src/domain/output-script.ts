import type { DurationMs, EpochMs } from './time.ts';

/** Most characters of a script's returned value, as JSON text. */
export const SCRIPT_VALUE_MOST = 262_144;
/** Most lines, and characters in all of them, that a script may log. */
export const SCRIPT_LOG_LINES_MOST = 1_000;
export const SCRIPT_LOG_MOST = 262_144;

/** What a script left behind, however it ended. All of its text is the script's own: foreign. */
export interface ScriptOutput {
  readonly kind: 'script';
  readonly log: readonly { readonly at: EpochMs; readonly text: string }[];
  /** What it returned, as JSON text; absent when it returned nothing or did not come to its end. */
  readonly value?: string;
  /** What went wrong in it, with its place in the source as far as that is known: lines and columns from 1. */
  readonly error?: {
    readonly name: string;
    readonly message: string;
    readonly line?: number;
    readonly column?: number;
  };
  /** The requests that left, in order. Without `status` nothing that can be read came back. */
  readonly requests: readonly {
    readonly method: string;
    readonly url: string;
    readonly status?: number;
    readonly totalMs: DurationMs;
  }[];
  /** How long it computed. */
  readonly computedMs: DurationMs;
}
