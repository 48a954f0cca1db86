/**
 * What passes between a host and a worker that a tab lends it: data alone. `run` numbers the scripts, so that what is left
 * of one is never taken for the next one's.
 */
import type { SandboxEnding, SandboxLimits, SandboxScript } from './sandbox.ts';

/** From the host. */
export type ToExecutor =
  | {
      readonly kind: 'run';
      readonly run: number;
      readonly script: SandboxScript;
      readonly limits: SandboxLimits;
    }
  /** What came of an `ask`. */
  | {
      readonly kind: 'settle';
      readonly run: number;
      readonly id: number;
      readonly how: 'answer' | 'refusal';
      readonly text: string;
    };

/** From the worker. Names and texts are the script's own, and nothing of them is believed. */
export type FromExecutor =
  | { readonly kind: 'tell'; readonly run: number; readonly name: string; readonly text: string }
  | {
      readonly kind: 'ask';
      readonly run: number;
      readonly id: number;
      readonly name: string;
      readonly text: string;
    }
  | {
      readonly kind: 'ended';
      readonly run: number;
      readonly ending: SandboxEnding & { readonly computedMs: number };
    }
  /** The script said more than any may, before the host could say so. */
  | { readonly kind: 'overrun'; readonly run: number }
  /** QuickJS could not be loaded there. */
  | { readonly kind: 'unable'; readonly run: number };
