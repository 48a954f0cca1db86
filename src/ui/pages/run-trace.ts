/** The steps of a run in the order in which they happened, as far as they are known. */
import type {
  EpochMs,
  DurationMs,
  PromptOutput,
  ReceivedResponse,
  ScriptOutput,
  SentRequest,
  WatchOutput,
} from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';

type WatchResponse = NonNullable<WatchOutput['response']>;

/** One step. `tookMs` is how long it took until the next one. */
export type TraceStep = { readonly at: EpochMs | null; readonly tookMs?: DurationMs } & (
  | { readonly kind: 'claimed' }
  | { readonly kind: 'sent'; readonly request: SentRequest }
  | { readonly kind: 'answered'; readonly response: ReceivedResponse }
  /** Something answered, and nothing more can be known of it. */
  | { readonly kind: 'reached' }
  /** A watch has its answer; of that only what says why nothing was found is kept. */
  | { readonly kind: 'looked'; readonly response: WatchResponse }
  /** The request left, and nothing that a page may read came back. */
  | { readonly kind: 'unanswered' }
  | { readonly kind: 'shown'; readonly message: string }
  | { readonly kind: 'computed'; readonly output: ScriptOutput }
  /** A model was asked. */
  | { readonly kind: 'asked'; readonly output: PromptOutput }
  /** It has answered, or as far as it came. */
  | { readonly kind: 'replied'; readonly output: PromptOutput }
  /** It runs, and this is as far as it got. */
  | { readonly kind: 'running' }
  | { readonly kind: 'ended' }
  /** The request had left when its run ended or was last seen; what came of it is not known. */
  | { readonly kind: 'left' }
  /** It was due and never began. */
  | { readonly kind: 'due' }
  /** That it never began was written down. */
  | { readonly kind: 'recorded' }
);

/** The steps of `run`. */
export function traceOf(run: RunDetail): readonly TraceStep[] {
  if (run.startedAt === null) {
    return [
      { kind: 'due', at: run.covers?.from ?? run.scheduledFor },
      { kind: 'recorded', at: run.settledAt ?? run.claimedAt },
    ];
  }
  const steps: TraceStep[] = [{ kind: 'claimed', at: run.claimedAt }, ...outputSteps(run)];
  steps.push(run.settledAt === null ? { kind: 'running', at: null } : { kind: 'ended', at: run.settledAt });
  return steps.map((step, index) => withLength(step, steps[index + 1]));
}

/** What `run` did, without how it was claimed and ended. */
export function outputSteps(run: RunDetail): readonly TraceStep[] {
  const { output } = run;
  if (output === null) return run.effect === undefined ? [] : [{ kind: 'left', at: null }];
  switch (output.kind) {
    case 'steps':
      // Each of them has a trace of its own.
      return [];
    case 'remind':
      return [{ kind: 'shown', at: run.settledAt, message: output.message }];
    case 'script':
      return [{ kind: 'computed', at: run.settledAt, output }];
    case 'prompt': {
      const { sentAt, totalMs } = output.timing;
      const asked: TraceStep = { kind: 'asked', at: sentAt, output };
      return output.answer === undefined && output.usage === undefined
        ? [asked]
        : [asked, { kind: 'replied', at: sentAt + totalMs, output }];
    }
    case 'watch': {
      const { request, response, timing } = output;
      const sent: TraceStep = { kind: 'sent', at: timing.sentAt, request };
      if (response === undefined) {
        return [sent, { kind: 'unanswered', at: timing.sentAt + timing.totalMs }];
      }
      return [sent, { kind: 'looked', at: timing.sentAt + (timing.headersMs ?? timing.totalMs), response }];
    }
    case 'http': {
      const { request, response, reached, timing } = output;
      const sent: TraceStep = { kind: 'sent', at: timing.sentAt, request };
      if (response === undefined) {
        const kind = reached === true ? 'reached' : 'unanswered';
        return [sent, { kind, at: timing.sentAt + timing.totalMs }];
      }
      return [sent, { kind: 'answered', at: timing.sentAt + (timing.headersMs ?? timing.totalMs), response }];
    }
  }
}

function withLength(step: TraceStep, next: TraceStep | undefined): TraceStep {
  if (step.at === null || next?.at == null) return step;
  // Two clocks may have measured them: the host's wall clock and the request's own timer.
  return { ...step, tookMs: Math.max(0, next.at - step.at) };
}
