import { type Failure, SCRIPT_VALUE_MOST, type ScriptAction, type ScriptOutput } from '../../domain/index.ts';
import type { ActionContext, ActionEnding } from '../action-context.ts';
import { durationText, shortened } from '../amounts.ts';
import { LimitReached } from '../limit-reached.ts';
import { loadPart } from '../load-part.ts';
import { Capabilities, PREVIOUS_KEY, TEXT_MOST } from './capabilities.ts';
import { loadQuickJs } from './quickjs.ts';
import { type SandboxEnding, runInSandbox } from './sandbox.ts';

/** How long a script may compute at a stretch in the engine, where others wait for it. */
const STRETCH_MS = 50;
const MEMORY_BYTES = 64 * 1024 * 1024;
const SUMMARY_MOST = 80;

/** Runs the script and resolves with how it ended: in the engine as far as that does not keep others waiting. */
export async function runScript(action: ScriptAction, context: ActionContext): Promise<ActionEnding> {
  const loaded = await loadPart(loadQuickJs, 'runs scripts');
  if (loaded.kind === 'failed') return loaded;
  const previous = action.allow.includes('previous') ? await context.recall(PREVIOUS_KEY) : null;
  // What it did not await is not waited for: it ends with the script.
  const over = new AbortController();
  const capabilities = new Capabilities(action, {
    ...context,
    signal: AbortSignal.any([context.signal, over.signal]),
  });
  try {
    const ending = await runInSandbox(
      loaded.part,
      {
        source: action.source,
        allow: action.allow,
        previous: typeof previous === 'string' ? previous : null,
      },
      {
        stretchMs: STRETCH_MS,
        totalMs: action.computeMs,
        memoryBytes: MEMORY_BYTES,
        textMost: TEXT_MOST,
      },
      capabilities,
      context.signal,
    );
    return endingOf(action, capabilities, ending, ending.computedMs);
  } catch (error) {
    if (error instanceof LimitReached)
      return { kind: 'failed', failure: error.failure, output: outputOf(capabilities, 0, {}) };
    throw error;
  } finally {
    over.abort();
  }
}

function endingOf(
  action: ScriptAction,
  capabilities: Capabilities,
  ending: SandboxEnding,
  computedMs: number,
): ActionEnding {
  const failed = (failure: Failure, more: Partial<ScriptOutput> = {}): ActionEnding => ({
    kind: 'failed',
    failure,
    output: outputOf(capabilities, computedMs, more),
  });
  switch (ending.kind) {
    case 'returned': {
      const { text } = ending;
      if (text !== null && text.length > SCRIPT_VALUE_MOST)
        return failed({
          class: 'limit',
          code: 'script-value-too-long',
          message: `The script returned ${text.length} characters as JSON, of which at most ${SCRIPT_VALUE_MOST} can be kept.`,
        });
      return {
        kind: 'succeeded',
        summary: summaryOf(text, computedMs),
        output: outputOf(capabilities, computedMs, text === null ? {} : { value: text }),
        notifications: capabilities.notifications,
        remember: { ...capabilities.remembered, [PREVIOUS_KEY]: text },
      };
    }
    case 'threw': {
      const { error } = ending;
      const what = [error.name, shortened(error.message, 500)].filter((part) => part !== '').join(': ');
      return failed(
        {
          class: error.name === 'SyntaxError' ? 'invalid' : 'action',
          code: 'script-threw',
          message: `${what === '' ? 'The script threw something without a message' : what}${placeText(error)}`,
        },
        { error },
      );
    }
    case 'stopped':
      return failed(stoppedFailure(action, ending), placeOf(ending));
  }
}

function stoppedFailure(action: ScriptAction, ending: Extract<SandboxEnding, { kind: 'stopped' }>): Failure {
  const at = placeText(ending);
  const limit = (code: string, message: string, advice: string): Failure => ({
    class: 'limit',
    code,
    message,
    advice,
  });
  switch (ending.why) {
    case 'stretch':
      return limit(
        'script-stretch',
        `The script needs more than ${STRETCH_MS} ms of computing at a stretch${at}`,
        'Others wait for it meanwhile: let it do less at once, or await something now and then, such as await null.',
      );
    case 'total':
      return limit(
        'script-too-long',
        `The script was stopped after computing for ${durationText(action.computeMs)}${at}`,
        'Look for a loop that does not end, or let it compute for longer.',
      );
    case 'memory':
      return limit(
        'script-memory',
        `The script needs more memory than the ${MEMORY_BYTES / 1024 / 1024} MB it has${at}`,
        'Let it keep less at once.',
      );
    case 'depth':
      return limit(
        'script-depth',
        `The script calls itself too deeply${at}`,
        'Look for a function that calls itself without end.',
      );
    case 'waits':
      return {
        class: 'action',
        code: 'script-waits',
        message: 'The script waits for a promise that nothing will ever settle.',
      };
  }
}

function placeText({ line, column }: { readonly line?: number; readonly column?: number }): string {
  if (line === undefined) return '.';
  return column === undefined ? ` (line ${line}).` : ` (line ${line}, column ${column}).`;
}

function placeOf({
  line,
  column,
}: {
  readonly line?: number;
  readonly column?: number;
}): Partial<ScriptOutput> {
  if (line === undefined) return {};
  return { error: { name: '', message: '', line, ...(column === undefined ? {} : { column }) } };
}

function outputOf(
  { log, requests }: Capabilities,
  computedMs: number,
  more: Partial<ScriptOutput>,
): ScriptOutput {
  return { kind: 'script', log, requests, computedMs, ...more };
}

function summaryOf(text: string | null, computedMs: number): string {
  return text === null
    ? `Done after ${durationText(computedMs)} of computing`
    : shortened(`Returned ${text}`, SUMMARY_MOST);
}
