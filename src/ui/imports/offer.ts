/**
 * An import as a person goes through it: files are read and compared with what is here, choices are made, and then the steps
 * that they come to are taken, in portions, so that no claim waits for them. What was taken when something stops stays, and
 * the same files again go on from there.
 */
import {
  type AutomationId,
  type ImportChoice,
  type ImportReading,
  type ImportedRun,
  type PresentAutomation,
  type PreviewedEntry,
  type Problem,
  type SourcedStep,
  importedRunId,
  planImport,
  prepareTime,
  previewImport,
} from '../../domain/index.ts';
import { IMPORT_STEPS_MOST, IMPORT_STEP_RUNS_MOST, type ImportStepRequest } from '../../rpc/index.ts';
import type { RemoteHost } from '../remote-host.ts';
import { decodeFile, whyTooLarge } from './decode-file.ts';
import { readImport } from './read-import.ts';

/** What a host must answer for an import. */
export type ImportHost = Pick<RemoteHost, 'listAutomations' | 'missingRuns' | 'importEntries' | 'upkeep'>;

/** What was read, beside what is here. */
export interface Offer {
  readonly readings: readonly ImportReading[];
  readonly previewed: readonly PreviewedEntry[];
  readonly present: readonly PresentAutomation[];
  /** History that is not here, of automations that are here as they are in the file. */
  readonly missing: ReadonlyMap<PreviewedEntry, readonly ImportedRun[]>;
  /** The database that is here; `null`: none of the files asks. */
  readonly ledger: string | null;
}

/** A file that was chosen, or a text that was pasted under `name`. */
export type Chosen = File | { readonly name: string; readonly text: string };

/** How many files are read at once. */
const FILES_MOST = 100;
const PAGE = 1_000;
const IDS_AT_ONCE = 5_000;

/** Reads what was chosen. Rejects only where a part of Rota cannot be loaded. */
export async function readChosen(
  chosen: readonly Chosen[],
  timeZone: string,
): Promise<readonly ImportReading[]> {
  await prepareTime();
  const context = { timeZone, now: Date.now() };
  const readings: ImportReading[] = [];
  for (const one of chosen.slice(0, FILES_MOST)) {
    const text = one instanceof File ? await textOf(one) : { kind: 'text' as const, text: one.text };
    if (text.kind === 'text') readings.push(await readImport(one.name, text.text, context));
    else readings.push(refused(one.name, text.message));
  }
  for (const one of chosen.slice(FILES_MOST))
    readings.push(
      refused(one.name, `At most ${FILES_MOST} files are read at once. Choose it again after these.`),
    );
  return readings;
}

async function textOf(file: File): Promise<ReturnType<typeof decodeFile>> {
  const large = whyTooLarge(file.size);
  if (large !== null) return { kind: 'refused', message: large };
  try {
    return decodeFile(new Uint8Array(await file.arrayBuffer()));
  } catch {
    return {
      kind: 'refused',
      message: 'It could not be read: it was moved or changed, or is a folder. Choose it again.',
    };
  }
}

function refused(file: string, message: string): ImportReading {
  return { file, source: null, entries: [], problems: [{ path: '', message }], notes: [] };
}

/** Compares what was read with what is here. Wants `prepareTime`, which {@link readChosen} has seen to. */
export async function offerOf(host: ImportHost, readings: readonly ImportReading[]): Promise<Offer> {
  const present: PresentAutomation[] = [];
  let after: AutomationId | undefined;
  do {
    const page = await host.listAutomations({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    present.push(...page.items);
    after = page.next;
  } while (after !== undefined);
  // Only a backup says of which database it is.
  const isBackup = readings.some(({ backup }) => backup !== undefined);
  const ledger = isBackup ? (await host.upkeep()).ledger : null;
  const previewed = previewImport(readings, present, ledger);
  const runs = previewed.flatMap((one) =>
    one.kind === 'same'
      ? one.entry.runs.map((run) => ({ one, run, id: importedRunId(one.current.id, run) }))
      : [],
  );
  const lacking = new Set<string>();
  for (let from = 0; from < runs.length; from += IDS_AT_ONCE) {
    const { ids } = await host.missingRuns({ ids: runs.slice(from, from + IDS_AT_ONCE).map(({ id }) => id) });
    for (const id of ids) lacking.add(id);
  }
  const missing = new Map<PreviewedEntry, ImportedRun[]>();
  for (const { one, run, id } of runs) {
    if (lacking.has(id)) missing.set(one, [...(missing.get(one) ?? []), run]);
  }
  return { readings, previewed, present, missing, ledger };
}

/** The plan of what was chosen. */
export function planOf(
  { previewed, present, missing }: Offer,
  choiceOf: (entry: PreviewedEntry) => ImportChoice,
): ReturnType<typeof planImport> {
  return planImport(
    previewed,
    choiceOf,
    (entry) => missing.get(entry) ?? [],
    present,
    () => crypto.randomUUID() as string as AutomationId,
  );
}

/** What came of taking the steps. */
export interface TakenIn {
  readonly added: number;
  readonly replaced: number;
  readonly runs: number;
  /** What only the engine could see, by the names of the automations: those stayed out. */
  readonly refused: readonly { readonly name: string; readonly problems: readonly Problem[] }[];
  /** It was edited, removed or made meanwhile: with it, and what came after it, nothing was done. */
  readonly stoppedAt: string | null;
}

/** Takes `steps`. Rejects as a call does that is not answered; what was taken by then stays. */
export async function takeIn(host: ImportHost, steps: readonly SourcedStep[]): Promise<TakenIn> {
  const taken = { added: 0, replaced: 0, runs: 0 };
  const refusedOnes: { name: string; problems: readonly Problem[] }[] = [];
  const queue = portions(steps);
  for (let portion = queue.shift(); portion !== undefined; portion = queue.shift()) {
    const result = await host.importEntries({ steps: portion });
    switch (result.kind) {
      case 'imported':
        taken.added += result.added;
        taken.replaced += result.replaced;
        taken.runs += result.runs;
        break;
      case 'changed': {
        const stopped = portion.find(({ id }) => id === result.id);
        return { ...taken, refused: refusedOnes, stoppedAt: nameOf(stopped) };
      }
      case 'invalid': {
        const problems = bySteps(result.problems);
        // Without a step that it is about, asking again would be refused again.
        if (problems.size === 0)
          return { ...taken, refused: [{ name: 'The import', problems: result.problems }], stoppedAt: null };
        for (const [index, of] of problems) refusedOnes.push({ name: nameOf(portion[index]), problems: of });
        const rest = portion.filter((_, index) => !problems.has(index));
        if (rest.length > 0) queue.unshift(rest);
      }
    }
  }
  return { ...taken, refused: refusedOnes, stoppedAt: null };
}

function nameOf(step: ImportStepRequest | undefined): string {
  const name: unknown = Reflect.get(Object(step?.definition) as object, 'name');
  return typeof name === 'string' ? name : 'An automation';
}

/** Problems by the index of their step, with paths that begin at its definition. */
function bySteps(problems: readonly Problem[]): ReadonlyMap<number, readonly Problem[]> {
  const found = new Map<number, Problem[]>();
  for (const { path, message } of problems) {
    const match = /^steps\[(\d+)\](?:\.definition)?\.?(.*)$/.exec(path);
    if (match === null) continue;
    const index = Number(match[1]);
    found.set(index, [...(found.get(index) ?? []), { path: match[2] ?? '', message }]);
  }
  return found;
}

/** `steps` as calls take them: so many in one, and so much history. What is too much of one automation comes after it. */
function portions(steps: readonly SourcedStep[]): ImportStepRequest[][] {
  const single = steps.flatMap((step): ImportStepRequest[] => {
    const pieces: ImportStepRequest[] = [{ ...step, runs: step.runs.slice(0, IMPORT_STEP_RUNS_MOST) }];
    const { id, definition, source } = step;
    for (let from = IMPORT_STEP_RUNS_MOST; from < step.runs.length; from += IMPORT_STEP_RUNS_MOST) {
      const runs = step.runs.slice(from, from + IMPORT_STEP_RUNS_MOST);
      pieces.push({ kind: 'history', id, definition, source, runs });
    }
    return pieces;
  });
  const calls: ImportStepRequest[][] = [];
  let runs = Infinity;
  for (const step of single) {
    const last = calls.at(-1);
    runs += step.runs.length;
    if (last === undefined || last.length >= IMPORT_STEPS_MOST || runs > IMPORT_STEP_RUNS_MOST) {
      calls.push([step]);
      runs = step.runs.length;
    } else last.push(step);
  }
  return calls;
}
