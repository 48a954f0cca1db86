/** What only an import or an export needs. Loaded with the first. */
import * as v from 'valibot';
import { checkAction } from '../actions/index.ts';
import {
  type AutomationId,
  type Definition,
  type HostRef,
  IMPORT_SOURCES,
  LAST_INSTANT_MS,
  type Problem,
  boundedText,
  definitionOf,
  definitionSchema,
  formatFile,
  importedRow,
  isUuid,
  parseFile,
  parseWith,
  problemsOf,
  wholeNumber,
} from '../domain/index.ts';
import { type HostCalls, IMPORT_STEPS_MOST, IMPORT_STEP_RUNS_MOST } from '../rpc/index.ts';
import type { Command, Ledger, LedgerImportStep } from '../store/index.ts';

type Answer<Name extends keyof HostCalls> = Awaited<ReturnType<HostCalls[Name]>>;

/** Answers `importFile`. */
export async function importFile(
  ledger: Ledger,
  command: Command,
  { text, enable, freshId }: { text: string; enable: boolean; freshId: () => AutomationId },
): Promise<Answer<'importFile'>> {
  const parsed = parseFile(text);
  if (parsed.kind === 'invalid') return parsed;
  const problems: Problem[] = [];
  for (const [index, definition] of parsed.value.entries()) {
    problems.push(...(await checkAction(definition, ['automations', index])));
  }
  if (problems.length > 0) return { kind: 'invalid', problems };
  return await ledger.importAll({
    ...command,
    automations: parsed.value.map(({ id, ...definition }) => ({
      id: id ?? freshId(),
      definition: { ...definition, enabled: enable && definition.enabled },
    })),
    freshId,
  });
}

/** Answers `exportFile`. */
export async function exportFile(ledger: Ledger, ids: readonly AutomationId[] | undefined): Promise<string> {
  const wanted = ids === undefined ? null : new Set(ids);
  const stored = await ledger.listAutomations();
  return formatFile(
    stored
      .filter(({ automation }) => wanted === null || wanted.has(automation.id))
      .map(({ automation }) => ({ id: automation.id, ...definitionOf(automation) })),
  );
}

const id = v.pipe(v.string('An id is text.'), v.check(isUuid, 'An id is a UUID in lower case.'));
const instant = (what: string) => wholeNumber(0, LAST_INSTANT_MS, what);

const runSchema = v.pipe(
  v.strictObject({
    key: v.pipe(boundedText('The key of a run', 300), v.nonEmpty('A run has a key.')),
    status: v.picklist(['succeeded', 'failed', 'interrupted'], 'A run succeeded, failed or was interrupted.'),
    cause: v.picklist(['schedule', 'manual'], 'A cause is schedule or manual.'),
    startedAt: instant('The start'),
    settledAt: instant('The end'),
    message: v.nullable(boundedText('The message', 2_000)),
  }),
  v.check(({ startedAt, settledAt }) => startedAt <= settledAt, 'A run ends after it has started.'),
);

const base = {
  id,
  definition: v.unknown(),
  source: v.picklist(IMPORT_SOURCES, `A source is one of ${IMPORT_SOURCES.join(', ')}.`),
  runs: v.array(runSchema, 'Runs are a list.'),
};

const stepsSchema = v.pipe(
  v.array(
    v.variant(
      'kind',
      [
        v.strictObject({ kind: v.literal('add'), ...base }),
        v.strictObject({
          kind: v.literal('replace'),
          expectedRevision: v.number('A revision is a number.'),
          ...base,
        }),
        v.strictObject({ kind: v.literal('history'), ...base }),
      ],
      'A step is one of add, replace and history.',
    ),
  ),
  v.maxLength(IMPORT_STEPS_MOST, `At most ${IMPORT_STEPS_MOST} steps in one call.`),
  v.check(
    (steps) => steps.reduce((sum, { runs }) => sum + runs.length, 0) <= IMPORT_STEP_RUNS_MOST,
    `At most ${IMPORT_STEP_RUNS_MOST} runs in one call.`,
  ),
);

/** Answers `importEntries`. */
export async function importEntries(
  ledger: Ledger,
  command: Command,
  host: HostRef,
  given: unknown,
): Promise<Answer<'importEntries'>> {
  const shape = parseWith(stepsSchema, given, ['steps']);
  if (shape.kind === 'invalid') return shape;
  const steps: LedgerImportStep[] = [];
  const problems: Problem[] = [];
  for (const [index, step] of shape.value.entries()) {
    const checked = await checkPaused(step.definition, ['steps', index, 'definition']);
    if (checked.kind === 'invalid') {
      problems.push(...checked.problems);
      continue;
    }
    const definition = checked.value;
    const automationId = step.id as AutomationId;
    const from = { automationId, definition, source: step.source, host, now: command.now };
    const rows = step.runs.map((run) => importedRow(run, from));
    if (step.kind === 'history') steps.push({ kind: 'history', id: automationId, rows });
    else if (step.kind === 'add') steps.push({ kind: 'add', id: automationId, definition, rows });
    else {
      const { expectedRevision } = step;
      steps.push({ kind: 'replace', id: automationId, definition, expectedRevision, rows });
    }
  }
  return problems.length > 0
    ? { kind: 'invalid', problems }
    : await ledger.importSteps({ ...command, steps });
}

async function checkPaused(
  value: unknown,
  at: readonly (string | number)[],
): Promise<
  | { readonly kind: 'ok'; readonly value: Definition }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
> {
  const parsed = parseWith(definitionSchema, value, at);
  if (parsed.kind === 'invalid') return parsed;
  const definition = { ...parsed.value, enabled: false };
  const problems = [
    ...problemsOf(definition.schedule, [...at, 'schedule']),
    ...(await checkAction(definition, at)),
  ];
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'ok', value: definition };
}

/** Answers `missingRuns`. */
export async function missingRuns(
  ledger: Ledger,
  ids: Parameters<HostCalls['missingRuns']>[0]['ids'],
): Promise<Answer<'missingRuns'>> {
  return { ids: await ledger.missingRuns(ids) };
}
