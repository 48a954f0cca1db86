import {
  CUT_MARK,
  type Failure,
  SCRIPT_VALUE_MOST,
  type ScriptAction,
  type ScriptOutput,
  assert,
  stepValues,
} from '../../domain/index.ts';
import type { ActionContext, ActionEnding, StepFacts } from '../action-context.ts';
import { durationText, shortened } from '../amounts.ts';
import { Interrupted } from '../interrupted.ts';
import { LimitReached } from '../limit-reached.ts';
import { loadPart } from '../load-part.ts';
import { Capabilities, PREVIOUS_KEY, TEXT_MOST } from './capabilities.ts';
import { loadQuickJs } from './quickjs.ts';
import { runInExecutor } from './run-in-executor.ts';
import { type SandboxEnding, type SandboxLimits, type SandboxScript, runInSandbox } from './sandbox.ts';

/** How long a script may compute at a stretch in the engine, where others wait for it. */
const STRETCH_MS = 50;
const MEMORY_BYTES = 64 * 1024 * 1024;
const SUMMARY_MOST = 80;

/** After so many workers were gone in the middle of it, a script is run in the engine, as if there were no tab. */
const LOSSES_MOST = 2;

/** What runs one script, and `lost` when that was gone before the end. */
type Sandbox = (
  script: SandboxScript,
  capabilities: Capabilities,
  signal: AbortSignal,
) => Promise<'lost' | (SandboxEnding & { readonly computedMs: number })>;

/**
 * Runs the script and resolves with how it ended: in a worker that a tab lends, where it keeps nobody waiting, and without
 * one in the engine, as far as it keeps nobody waiting there. A script whose worker is gone begins anew elsewhere as long as
 * nothing was sent that must not be repeated; after that it rejects with {@link Interrupted}.
 */
export async function runScript(action: ScriptAction, context: ActionContext): Promise<ActionEnding> {
  const limits: SandboxLimits = {
    stretchMs: null,
    totalMs: action.computeMs,
    memoryBytes: MEMORY_BYTES,
    textMost: TEXT_MOST,
  };
  for (let losses = 0; losses < LOSSES_MOST; losses += 1) {
    const executor = (await context.borrow?.('script', context.signal)) ?? null;
    if (executor === null) break;
    const ending = await attempt(action, context, (script, capabilities, signal) =>
      runInExecutor(executor, script, limits, capabilities, signal),
    );
    if (ending !== 'lost') return ending;
  }
  const loaded = await loadPart(loadQuickJs, 'runs scripts');
  if (loaded.kind === 'failed') return loaded;
  const ending = await attempt(action, context, (script, capabilities, signal) =>
    runInSandbox(loaded.part, script, { ...limits, stretchMs: STRETCH_MS }, capabilities, signal),
  );
  assert(ending !== 'lost', 'the engine is not lost to itself');
  return ending;
}

/** Runs the script once from its beginning. */
async function attempt(
  action: ScriptAction,
  context: ActionContext,
  sandbox: Sandbox,
): Promise<ActionEnding | 'lost'> {
  const previous = action.allow.includes('previous') ? await context.recall(PREVIOUS_KEY) : null;
  // What it did not await is not waited for: it ends with the script.
  const over = new AbortController();
  const effect = { isMarked: false };
  const capabilities = new Capabilities(action, {
    ...context,
    signal: AbortSignal.any([context.signal, over.signal]),
    markEffect: (mark, step) => {
      effect.isMarked = true;
      return context.markEffect(mark, step);
    },
  });
  const script: SandboxScript = {
    source: action.source,
    allow: action.allow,
    previous: typeof previous === 'string' ? previous : null,
    steps: stepsFor(action, context.run.step),
  };
  try {
    const ending = await sandbox(script, capabilities, context.signal);
    if (ending !== 'lost') return endingOf(action, capabilities, ending, ending.computedMs);
    if (effect.isMarked) throw new Interrupted('The tab that lent the worker is gone.');
    return 'lost';
  } catch (error) {
    if (error instanceof LimitReached)
      return { kind: 'failed', failure: error.failure, output: outputOf(capabilities, 0, {}) };
    throw error;
  } finally {
    over.abort();
  }
}

/** What a script that speaks of `steps` is given of them. One that brought nothing back is there, and has nothing. */
function stepsFor({ source }: ScriptAction, step: StepFacts | undefined): string | null {
  if (step === undefined || step.before === 'unknown') return null;
  if (!/\bsteps\b/.test(source)) return '{}';
  return JSON.stringify(
    Object.fromEntries(
      step.before.map((trace) => {
        const values = stepValues(trace, { json: false }) ?? {};
        return [trace.step, { ...values, whole: values.output?.endsWith(CUT_MARK) === false }];
      }),
    ),
  );
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
  // QuickJS knows the last place that it has noted, which for a loop that calls nothing is where its function begins.
  const near = ending.line === undefined ? '.' : ` (near line ${ending.line}).`;
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
        `The script computes for more than ${STRETCH_MS} ms at a stretch, and no open tab of Rota lent it a worker to do so${near}`,
        `In an open tab it may compute for ${durationText(action.computeMs)}: keep one open and run it again. Without one others would wait for it, so it must await something now and then, such as await null.`,
      );
    case 'total':
      return limit(
        'script-too-long',
        `The script was stopped after computing for ${durationText(action.computeMs)}${near}`,
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
