import {
  type Definition,
  type HttpAction,
  pathText,
  type PlainAction,
  type Problem,
  stepTitle,
  type ToolServer,
} from '../domain/index.ts';
import type { RunFacts } from './action-context.ts';
import { prepare } from './http.ts';
import { loadPart } from './load-part.ts';
import { SAMPLE_INSTANT, sampleRun } from './sample-run.ts';
import { RunSecrets } from './run-secrets.ts';
import { fillTemplate, scopeOf } from './template.ts';
import type { TemplateScope } from './template-scope.ts';

/** Any secret: which there are is for the run to find out, and where they may go too. */
const sampleSecrets = (): RunSecrets =>
  new RunSecrets(() => Promise.resolve({ value: 'sample-secret', origins: 'any' }));

/**
 * What is wrong with the action of `definition` that its schema cannot see: a template that does not parse or names
 * what does not exist, and an address or header that no browser would send once its templates are filled in. The
 * templates are filled in for a sample run and nothing is sent, so what depends on the run may still fail later; what
 * is told here would. Empty when it may be saved. Never rejects.
 *
 * @param at the keys that lead to the definition.
 */
export async function checkAction(
  definition: Definition,
  at: readonly (string | number)[] = [],
): Promise<readonly Problem[]> {
  const { action } = definition;
  const run = sampleRun(definition);
  if (action.kind !== 'steps') return await checkPlain(action, run, [...at, 'action']);
  const problems: Problem[] = [];
  for (const [index, step] of action.steps.entries()) {
    const place = index + 1;
    const inStep = { ...run, step: { place, before: 'unknown' } } as const;
    const found = await checkPlain(step.action, inStep, [...at, 'action', 'steps', index, 'action']);
    for (const { path, message } of found)
      problems.push({ path, message: `${stepTitle(place, step.name)}: ${message}` });
  }
  return problems;
}

/** @param at the keys that lead to the action. */
async function checkPlain(
  action: PlainAction,
  run: RunFacts,
  at: readonly (string | number)[],
): Promise<readonly Problem[]> {
  const scope = scopeOf(run, () => SAMPLE_INSTANT, action.kind === 'remind' ? undefined : sampleSecrets());
  switch (action.kind) {
    case 'http': {
      const prepared = await prepare(action, scope, scope.values.run.occurrence);
      if (prepared.kind === 'ready') return await checkExpectations(action, at);
      return [{ path: pathText([...at, ...prepared.field]), message: sentences(prepared.failure) }];
    }
    case 'prompt': {
      const loaded = await loadPart(() => import('./prompt-request.ts'), 'asks models');
      const prepared = loaded.kind === 'failed' ? null : await loaded.part.preparePrompt(action, scope);
      // What cannot be checked now is checked when it runs.
      if (prepared?.kind === 'refused')
        return [{ path: pathText([...at, ...prepared.field]), message: sentences(prepared.failure) }];
      return await checkTools(action.tools?.servers ?? [], scope, [...at, 'tools', 'servers']);
    }
    case 'watch': {
      const part = await loadPart(() => import('./watch/check-watch.ts'), 'watches for changes');
      const found = part.kind === 'failed' ? [] : await part.part.checkWatch(action, scope);
      return found.map(({ field, failure }) => ({
        path: pathText([...at, ...field]),
        message: sentences(failure),
      }));
    }
    case 'remind': {
      const filled = await fillTemplate(action.message, 'The message', scope);
      if (filled.kind === 'filled') return [];
      return [{ path: pathText([...at, 'message']), message: sentences(filled.failure) }];
    }
    case 'script': {
      const loaded = await loadPart(() => import('./script/check-script.ts'), 'reads scripts');
      // What cannot be read now is read, and told of, when it runs.
      if (loaded.kind === 'failed') return [];
      return (await loaded.part.checkScript(action, run.step)).map(({ field, message }) => ({
        path: pathText([...at, ...field]),
        message,
      }));
    }
  }
}

async function checkTools(
  servers: readonly ToolServer[],
  scope: TemplateScope,
  at: readonly (string | number)[],
): Promise<readonly Problem[]> {
  if (servers.length === 0) return [];
  const loaded = await loadPart(() => import('./mcp/prepare-server.ts'), 'calls tools');
  if (loaded.kind === 'failed') return [];
  const { prepareServer } = loaded.part;
  const prepared = await Promise.all(servers.map((server) => prepareServer(server, scope)));
  return prepared.flatMap((one, index) =>
    one.kind === 'refused'
      ? [{ path: pathText([...at, index, ...one.field]), message: sentences(one.failure) }]
      : [],
  );
}

async function checkExpectations(
  { expect }: HttpAction,
  at: readonly (string | number)[],
): Promise<readonly Problem[]> {
  if (expect?.text === undefined && (expect?.json ?? []).length === 0) return [];
  const part = await loadPart(() => import('./expectations.ts'), 'checks what a server answered');
  // Saving does not hang on it: the run says the same when it cannot be loaded then.
  if (part.kind === 'failed') return [];
  const problems = await part.part.findExpectationProblems(expect);
  return problems.map(({ field, failure }) => ({
    path: pathText([...at, 'expect', ...field]),
    message: sentences(failure),
  }));
}

function sentences({ message, advice }: { readonly message: string; readonly advice?: string }): string {
  return advice === undefined ? message : `${message} ${advice}`;
}
