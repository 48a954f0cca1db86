/** A restore: a file beside what is here, and then what was chosen of it, in one step. Loaded with the first backup. */
import { checkAction } from '../actions/index.ts';
import {
  FILE_TEXT_MOST,
  type ImportReading,
  type PresentAutomation,
  type PreviewedEntry,
  type Problem,
  type ReadEntry,
  definitionOf,
  parseJson,
  planImport,
  previewImport,
  readRotaFile,
} from '../domain/index.ts';
import {
  RESTORE_CHOICES_MOST,
  type RestoreChoice,
  type RestorePlan,
  type RestoreResult,
  type RestoreState,
} from '../rpc/index.ts';
import type { Command, Ledger } from '../store/index.ts';

export { formatBackup } from '../domain/index.ts';

/** How often a restore begins anew because what it found was changed meanwhile. */
const TRIES_MOST = 3;

type Invalid = Extract<RestoreResult, { kind: 'invalid' }>;

interface Found {
  readonly kind: 'found';
  readonly reading: ImportReading;
  /** In the order of the file. */
  readonly previewed: readonly PreviewedEntry[];
  readonly present: readonly PresentAutomation[];
}

/** Answers `previewRestore`. `ledgerId` names the database that is here. */
export async function previewRestore(
  ledger: Ledger,
  ledgerId: string,
  text: string,
): Promise<RestorePlan | Invalid> {
  const found = await look(ledger, ledgerId, text);
  if (found.kind === 'invalid') return found;
  const { backup } = found.reading;
  const items = found.previewed.map((one, index) => ({
    index,
    id: one.kind === 'bad' ? null : one.entry.id,
    name: one.name,
    state: stateOf(one),
    ...('current' in one ? { nameHere: one.current.name } : {}),
    ...(one.kind === 'bad' ? { problems: one.problems } : {}),
  }));
  return { kind: 'plan', at: backup?.at ?? null, isOwn: backup?.ledger === ledgerId, items };
}

/** Answers `restore`. */
export async function restore(
  ledger: Ledger,
  ledgerId: string,
  request: Command & { readonly text: string; readonly choices: readonly RestoreChoice[] },
): Promise<RestoreResult> {
  const { text, choices, ...command } = request;
  if (choices.length > RESTORE_CHOICES_MOST)
    return refused('choices', `At most ${RESTORE_CHOICES_MOST} automations in one restore.`);
  for (let tries = 1; ; tries++) {
    const found = await look(ledger, ledgerId, text);
    if (found.kind === 'invalid') return found;
    const { previewed, present } = found;
    const wanted = new Map<PreviewedEntry, RestoreChoice['how']>();
    const problems: Problem[] = [];
    for (const { index, how } of choices) {
      const one = previewed[index];
      if (one === undefined)
        problems.push({ path: `choices.${index}`, message: 'The file has no automation there.' });
      else if (one.kind === 'bad') problems.push(...one.problems);
      else wanted.set(one, how);
    }
    const { steps, leftOut } = planImport(
      previewed,
      (one) => {
        const how = wanted.get(one);
        const isFitting =
          (one.kind === 'new' && how === 'add') || (one.kind === 'different' && how === 'replace');
        return isFitting ? how : 'skip';
      },
      () => [],
      present,
      () => {
        // A second one of what is here is what a restore never makes.
        throw new Error('A restore keeps none beside another.');
      },
    );
    for (const name of leftOut)
      problems.push({ path: 'choices', message: `What ${name} runs after is neither here nor chosen.` });
    if (problems.length > 0) return { kind: 'invalid', problems };
    // Also without a step: only so is a repeated command answered as it was.
    const result = await ledger.importSteps({
      ...command,
      steps: steps.flatMap(({ runs: _, source: __, ...step }) =>
        step.kind === 'history' ? [] : [{ ...step, rows: [] }],
      ),
    });
    if (result.kind === 'invalid') return result;
    if (result.kind === 'imported') {
      const { ids, added, replaced } = result;
      return { kind: 'restored', ids, added, replaced };
    }
    if (tries >= TRIES_MOST) return result;
  }
}

async function look(ledger: Ledger, ledgerId: string, text: string): Promise<Found | Invalid> {
  if (text.length > FILE_TEXT_MOST)
    return refused('', `The file is longer than ${FILE_TEXT_MOST} characters.`);
  const json = parseJson(text);
  if (json.kind === 'invalid') return json;
  const read = readRotaFile('The backup', json.value);
  if (read.problems.length > 0) return { kind: 'invalid', problems: read.problems };
  const entries = await Promise.all(read.entries.map(checked));
  const reading = { ...read, entries };
  const present = (await ledger.listAutomations()).map(({ automation }): PresentAutomation => ({
    ...definitionOf(automation),
    id: automation.id,
    revision: automation.revision,
  }));
  return { kind: 'found', reading, previewed: previewImport([reading], present, ledgerId), present };
}

/** Templates are the actions' to read. */
async function checked(read: ReadEntry): Promise<ReadEntry> {
  if (read.kind === 'bad') return read;
  const { place, definition } = read.entry;
  const problems = await checkAction(definition, [place]);
  return problems.length === 0 ? read : { kind: 'bad', place, name: definition.name, problems };
}

function stateOf(one: PreviewedEntry): RestoreState {
  switch (one.kind) {
    case 'new':
      return one.isDeleted === true ? 'deleted' : 'new';
    case 'different':
      return 'changed';
    case 'same':
    case 'bad':
      return one.kind;
  }
}

function refused(path: string, message: string): Invalid {
  return { kind: 'invalid', problems: [{ path, message }] };
}
