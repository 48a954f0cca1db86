/** What a person looks for in the history: in the name, in what came of a run, and in what it brought back. */
import type { PlainOutput } from './output-plain.ts';
import type { RunOutput } from './output.ts';
import type { RunRow } from './run.ts';

/** Characters of an excerpt before what was found, and after it. */
const BEFORE_MOST = 40;
const AFTER_MOST = 120;

/** Where something was found. */
export type FoundIn =
  'name' | 'result' | 'error' | 'response' | 'answer' | 'page' | 'value' | 'log' | 'message';

/** What was found first in a run, with what stands around it, all of it text that nothing may be believed of. */
export interface RunMatch {
  readonly in: FoundIn;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

/** Looks for one thing in many runs. */
export type RunMatcher = (run: RunRow, output: RunOutput | null) => RunMatch | null;

/**
 * How `text` is looked for: as it stands, but for upper and lower case and for how much white space there is. `null` when
 * there is nothing to look for.
 */
export function matcherOf(text: string): RunMatcher | null {
  const words = text.trim().split(/\s+/u);
  if (words[0] === '') return null;
  const wanted = new RegExp(
    words.map((word) => word.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')).join('\\s+'),
    'iu',
  );
  return (run, output) => {
    for (const [place, content] of textsOf(run, output)) {
      const found = wanted.exec(content);
      if (found !== null) return excerptOf(place, content, found.index, found[0].length);
    }
    return null;
  };
}

function excerptOf(place: FoundIn, text: string, at: number, length: number): RunMatch {
  const line = (part: string): string => part.replace(/\s+/gu, ' ');
  const end = at + length;
  const before = line(text.slice(Math.max(0, at - BEFORE_MOST), at));
  const after = line(text.slice(end, end + AFTER_MOST));
  return {
    in: place,
    before: at > BEFORE_MOST ? `…${before}` : before.trimStart(),
    match: line(text.slice(at, end)),
    after: end + AFTER_MOST < text.length ? `${after}…` : after.trimEnd(),
  };
}

function* textsOf(run: RunRow, output: RunOutput | null): Generator<readonly [FoundIn, string]> {
  yield ['name', run.automationName];
  if ('summary' in run) yield ['result', run.summary];
  if ('failure' in run) {
    yield ['error', run.failure.message];
    yield ['error', `${run.failure.advice ?? ''} ${run.failure.code}`];
  }
  if (output === null) return;
  if (output.kind !== 'steps') {
    yield* textsOfOutput(output);
    return;
  }
  for (const step of output.steps) {
    if ('summary' in step) yield ['result', step.summary];
    if ('output' in step) yield* textsOfOutput(step.output);
  }
}

function* textsOfOutput(output: PlainOutput): Generator<readonly [FoundIn, string]> {
  switch (output.kind) {
    case 'http':
      yield ['response', output.response?.text ?? ''];
      break;
    case 'prompt':
      for (const { text, calls } of output.rounds ?? []) {
        yield ['answer', text];
        for (const { result } of calls) if (result.kind === 'answered') yield ['answer', result.text];
      }
      yield ['answer', output.answer?.text ?? ''];
      break;
    case 'watch': {
      const { finding, response } = output;
      if (finding !== undefined && 'snapshot' in finding) yield ['page', finding.snapshot.text];
      yield ['response', response?.text ?? ''];
      break;
    }
    case 'remind':
      yield ['message', output.message];
      break;
    case 'script':
      yield ['value', output.value ?? ''];
      yield ['error', output.error?.message ?? ''];
      yield ['log', output.log.map(({ text }) => text).join('\n')];
      break;
  }
}
