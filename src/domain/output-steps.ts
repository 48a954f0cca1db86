import type { PlainAction } from './action-plain.ts';
import type { RunId } from './ids.ts';
import type { PlainOutput } from './output-plain.ts';
import type { Failure } from './run.ts';
import type { DurationMs, EpochMs } from './time.ts';

/** How much of a step's output later steps can use, and of a response's body a run of steps keeps, in characters. */
export const STEP_OUTPUT_MOST = 262_144;

interface StepBase {
  /** The place of the step, from 1. */
  readonly step: number;
  /** What it remembers belongs to this number. */
  readonly id: number;
  readonly name?: string;
  readonly kind: PlainAction['kind'];
}

interface StepRan extends StepBase {
  readonly startedAt: EpochMs;
  readonly totalMs: DurationMs;
}

/**
 * What became of one step. `stopped`: the run ended while it was under way. `taken`: an earlier run did it, and its
 * output was used again. `left-out`: its condition did not hold. `not-reached`: a step before it ended the run.
 */
export type StepTrace =
  | (StepRan & { readonly status: 'succeeded'; readonly summary: string; readonly output: PlainOutput })
  | (StepRan & { readonly status: 'failed'; readonly failure: Failure; readonly output?: PlainOutput })
  | (StepRan & { readonly status: 'stopped'; readonly output?: PlainOutput })
  | (StepBase & {
      readonly status: 'taken';
      readonly from: RunId;
      readonly summary: string;
      readonly output: PlainOutput;
    })
  | (StepBase & { readonly status: 'left-out' | 'not-reached' });

/** What a run of several steps brought back: a trace for each step, in their order. */
export interface StepsOutput {
  readonly kind: 'steps';
  readonly steps: readonly StepTrace[];
}

/** What templates of later steps can name of a step. */
export interface StepValues {
  /** What came of it, as text: the body, the answer, what is watched, the message, or what a script returned. */
  readonly output?: string;
  /** The same, read as JSON; only where it is JSON, and whole. */
  readonly json?: unknown;
  /** Of a request, what the server answered. */
  readonly status?: number;
  /** Of a watch: whether it found a change. */
  readonly changed?: boolean;
  readonly name?: string;
}

/**
 * What templates can name of a step that ended as `trace` says; `null` when it brought nothing back. `json` is read only
 * when it is `wanted`.
 */
export function stepValues(trace: StepTrace, wanted: { readonly json: boolean }): StepValues | null {
  if (trace.status !== 'succeeded' && trace.status !== 'taken') return null;
  const { output, name } = trace;
  const found = textOf(output);
  const json = wanted.json && found !== null && !found.cut ? jsonOf(found.text) : undefined;
  return {
    ...(found === null ? {} : { output: found.cut ? `${found.text}${CUT_MARK}` : found.text }),
    ...(json === undefined ? {} : { json }),
    ...(output.kind === 'http' && output.response !== undefined ? { status: output.response.status } : {}),
    ...(output.kind === 'watch' ? { changed: hasChanged(output) } : {}),
    ...(name === undefined ? {} : { name }),
  };
}

/** What ends a value that was cut, so that nobody takes it for whole. */
export const CUT_MARK = '\n[cut here by Rota]';

/** The text of what a step brought back, as far as later steps can use it; `null`: it has none, such as a picture. */
export function textOf(output: PlainOutput): { readonly text: string; readonly cut: boolean } | null {
  switch (output.kind) {
    case 'http': {
      const { response } = output;
      return typeof response?.text === 'string' ? bounded(response.text, response.truncated) : null;
    }
    case 'prompt':
      return output.answer === undefined ? null : bounded(output.answer.text, output.answer.end === 'length');
    case 'watch': {
      const { finding } = output;
      if (finding === undefined) return null;
      if (finding.kind === 'gone') return { text: '', cut: false };
      return finding.snapshot === undefined ? null : bounded(finding.snapshot.text, finding.snapshot.cut);
    }
    case 'remind':
      return bounded(output.message, false);
    case 'script':
      return output.value === undefined ? null : bounded(scriptText(output.value), false);
  }
}

function bounded(text: string, cut: boolean): { readonly text: string; readonly cut: boolean } {
  return text.length <= STEP_OUTPUT_MOST
    ? { text, cut }
    : { text: text.slice(0, STEP_OUTPUT_MOST), cut: true };
}

/** A text that a script returned is that text, and not its JSON. */
function scriptText(json: string): string {
  const value = jsonOf(json);
  return typeof value === 'string' ? value : json;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Whether a watch found that what is there is not what was there before. */
export function hasChanged({ finding }: Extract<PlainOutput, { kind: 'watch' }>): boolean {
  return finding !== undefined && finding.kind !== 'first' && finding.kind !== 'same';
}

/** `output` as small as a run of several steps keeps it. */
export function boundedOutput(output: PlainOutput): PlainOutput {
  if (output.kind !== 'http' || typeof output.response?.text !== 'string') return output;
  const { text, cut } = bounded(output.response.text, output.response.truncated);
  return cut === output.response.truncated
    ? output
    : { ...output, response: { ...output.response, text, truncated: true } };
}
