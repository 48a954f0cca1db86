/**
 * VS Code's ledger of automations, as it lies in its storage: JSON with a `schemaVersion` from 1 to 4, the automations, and the
 * runs of each. Fields that are not known are reported, and change nothing else.
 */
import {
  type DefinitionInput,
  type EpochMs,
  HOUR_MS,
  DAY_MS,
  IMPORT_ENTRIES_MOST,
  IMPORT_RUNS_MOST,
  type ImportReading,
  type ImportedRun,
  type Problem,
  type ReadEntry,
} from '../../domain/index.ts';
import type { ImportContext } from './import-context.ts';
import { PROMPT_SAID, outsidePrompt } from './outside-prompt.ts';
import { readEntry } from './read-entry.ts';

/** The newest schema that is read. */
const SCHEMA_MOST = 4;
/** Longest message of a run that is kept. */
const MESSAGE_MOST = 1_000;

const LEDGER_FIELDS = new Set(['schemaVersion', 'revision', 'automations', 'runs']);
/** What Rota takes, or has of its own, so that nothing is lost that a person would miss. */
const TAKEN = new Set([
  'id',
  'name',
  'prompt',
  'schedule',
  'enabled',
  'createdAt',
  'updatedAt',
  'lastRunAt',
  'nextRunAt',
]);
/** Known, and of no use without VS Code's agent: said in one sentence, with their values where they are short. */
const AGENT = new Set([
  'target',
  'modelId',
  'mode',
  'permissionLevel',
  'isQuickChat',
  'folderUri',
  'providerId',
  'sessionTypeId',
  'isolationMode',
  'branch',
]);
const SCHEDULE_FIELDS = new Set(['interval', 'scheduleHour', 'scheduleMinute', 'scheduleDay']);
const RUN_FIELDS = new Set([
  'id',
  'automationId',
  'status',
  'trigger',
  'sessionResource',
  'startedAt',
  'completedAt',
  'errorMessage',
  'leaderWindowId',
  'scheduledFor',
]);

type Fields = Readonly<Record<string, unknown>>;

/** Whether `document` looks like such a ledger. */
export function isVsCodeLedger(document: unknown): document is Fields {
  return (
    isObject(document) && 'schemaVersion' in document && ('automations' in document || 'runs' in document)
  );
}

/** Reads a ledger. Never throws. */
export function readVsCodeLedger(file: string, document: Fields, context: ImportContext): ImportReading {
  const base = { file, source: 'vscode-ledger' } as const;
  const refused = (path: string, message: string): ImportReading => ({
    ...base,
    entries: [],
    problems: [{ path, message }],
    notes: [],
  });
  const { schemaVersion, automations = [], runs = [] } = document;
  if (
    typeof schemaVersion !== 'number' ||
    !Number.isInteger(schemaVersion) ||
    schemaVersion < 1 ||
    schemaVersion > SCHEMA_MOST
  )
    return refused(
      'schemaVersion',
      `It must be a whole number from 1 to ${SCHEMA_MOST}: those are the ledgers of VS Code that are read.`,
    );
  if (!Array.isArray(automations)) return refused('automations', 'The automations must be a list.');
  if (!Array.isArray(runs)) return refused('runs', 'The runs must be a list.');
  if (automations.length > IMPORT_ENTRIES_MOST)
    return refused(
      'automations',
      `At most ${IMPORT_ENTRIES_MOST} automations can come in at once; this ledger has ${automations.length}.`,
    );
  if (runs.length > IMPORT_RUNS_MOST)
    return refused(
      'runs',
      `At most ${IMPORT_RUNS_MOST} runs can come in at once; this ledger has ${runs.length}.`,
    );
  const notes: string[] = [];
  noteUnknown(document, LEDGER_FIELDS, 'of the ledger', notes);
  const history = readRuns(runs, new Set(automations.map(idOf)), context.now, notes);
  const entries = automations.map((value: unknown, index) => readAutomation(value, index, history, context));
  return { ...base, entries, problems: [], notes };
}

function readAutomation(
  value: unknown,
  index: number,
  history: ReadonlyMap<unknown, readonly ImportedRun[]>,
  context: ImportContext,
): ReadEntry {
  const place = `automations[${index}]`;
  const bad = (name: unknown, ...problems: readonly Problem[]): ReadEntry => ({
    kind: 'bad',
    place,
    name: typeof name === 'string' && name.trim() !== '' ? name.trim().slice(0, 200) : place,
    problems,
  });
  if (!isObject(value)) return bad(null, { path: place, message: 'An automation must be an object.' });
  const { id, name, prompt, enabled } = value;
  const problems: Problem[] = [];
  const text = (key: string, given: unknown): void => {
    if (typeof given !== 'string' || given.trim() === '')
      problems.push({ path: `${place}.${key}`, message: `The ${key} must be a text.` });
  };
  text('id', id);
  text('name', name);
  text('prompt', prompt);
  const notes: string[] = [];
  const schedule = readSchedule(value['schedule'], `${place}.schedule`, problems, notes, context);
  if (schedule === null || problems.length > 0 || typeof id !== 'string') return bad(name, ...problems);
  const { action, notes: ofPrompt } = outsidePrompt(String(prompt));
  const agent = Object.entries(value).filter(
    ([key, one]) => AGENT.has(key) && one !== undefined && one !== null,
  );
  if (agent.length > 0) {
    const said = agent.map(([key, one]) => (typeof one === 'string' ? `${key} (${one.slice(0, 80)})` : key));
    notes.push(`Only VS Code has a use for ${said.join(', ')}.`);
  }
  if (enabled === true) notes.push('It was on in VS Code, and comes in paused.');
  noteUnknown(value, new Set([...TAKEN, ...AGENT]), 'of it', notes);
  return readEntry({
    place,
    // The ids of VS Code are UUIDs; any other text serves as well.
    id: id.toLowerCase(),
    definition: { name: String(name), schedule, action },
    said: PROMPT_SAID,
    notes: [...ofPrompt, ...notes],
    runs: history.get(id) ?? [],
  });
}

function readSchedule(
  value: unknown,
  path: string,
  problems: Problem[],
  notes: string[],
  { timeZone }: ImportContext,
): DefinitionInput['schedule'] | null {
  if (!isObject(value)) {
    problems.push({ path, message: 'The schedule must be an object with an interval.' });
    return null;
  }
  noteUnknown(value, SCHEDULE_FIELDS, 'of its schedule', notes);
  const within = (key: string, most: number): number => {
    const given = value[key];
    if (typeof given === 'number' && Number.isInteger(given) && given >= 0 && given <= most) return given;
    problems.push({ path: `${path}.${key}`, message: `It must be a whole number from 0 to ${most}.` });
    return 0;
  };
  switch (value['interval']) {
    case 'manual':
      return { kind: 'manual' };
    case 'hourly':
      notes.push('It runs on the hour; VS Code counts hours from when it was turned on.');
      return { kind: 'every', everyMs: HOUR_MS, anchor: 0 };
    case 'daily':
    case 'weekly': {
      const time = `${within('scheduleMinute', 59)} ${within('scheduleHour', 23)}`;
      const day = value['interval'] === 'weekly' ? within('scheduleDay', 6) : '*';
      return { kind: 'cron', expression: `${time} * * ${day}`, timeZone };
    }
    default:
      problems.push({
        path: `${path}.interval`,
        message: 'The interval is one of manual, hourly, daily and weekly.',
      });
      return null;
  }
}

/** The runs of each automation, by its id. What cannot be read is counted in `notes`. */
function readRuns(
  runs: readonly unknown[],
  automations: ReadonlySet<unknown>,
  now: EpochMs,
  notes: string[],
): ReadonlyMap<unknown, readonly ImportedRun[]> {
  const history = new Map<unknown, ImportedRun[]>();
  const left = { unreadable: [] as number[], orphans: 0 };
  const unknown = new Set<string>();
  for (const [index, value] of runs.entries()) {
    const run = readRun(value, now);
    if (run === null || !isObject(value)) {
      left.unreadable.push(index);
      continue;
    }
    for (const key of Object.keys(value)) if (!RUN_FIELDS.has(key)) unknown.add(key);
    const { automationId } = value;
    if (!automations.has(automationId)) {
      left.orphans += 1;
      continue;
    }
    const known = history.get(automationId);
    if (known === undefined) history.set(automationId, [run]);
    else known.push(run);
  }
  const [first] = left.unreadable;
  if (first !== undefined)
    notes.push(
      `${left.unreadable.length} of its runs cannot be read and stay out, the first of them runs[${first}]: a run has an id, a status (pending, running, completed or failed) and times, such as 2026-01-05T09:00:00Z.`,
    );
  if (left.orphans > 0)
    notes.push(`${left.orphans} of its runs are of automations that it does not hold, and stay out.`);
  if (unknown.size > 0) notes.push(`Fields of its runs that are not known, and stay out: ${named(unknown)}.`);
  return history;
}

const STATUSES: Readonly<Record<string, ImportedRun['status']>> = {
  completed: 'succeeded',
  failed: 'failed',
  // Nobody will end them any more: what ran them is not here.
  pending: 'interrupted',
  running: 'interrupted',
};

function readRun(value: unknown, now: EpochMs): ImportedRun | null {
  if (!isObject(value)) return null;
  const { id, status, trigger, startedAt, completedAt, errorMessage } = value;
  const outcome =
    typeof status === 'string' && Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const from = instantOf(startedAt);
  const until = completedAt === undefined || completedAt === null ? from : instantOf(completedAt);
  if (typeof id !== 'string' || id === '' || id.length > 200 || outcome === undefined) return null;
  // One that is still to come could never be told from those of Rota that were made after it.
  if (from === null || until === null || from > now + DAY_MS) return null;
  const message = typeof errorMessage === 'string' ? errorMessage.trim().slice(0, MESSAGE_MOST) : '';
  return {
    key: id,
    status: outcome,
    cause: trigger === 'manual' ? 'manual' : 'schedule',
    startedAt: from,
    settledAt: Math.max(from, until),
    message: message === '' ? null : message,
  };
}

/** A time as ISO 8601 has it, with its zone; `null` when it is none, or lies before 1970. */
function instantOf(value: unknown): EpochMs | null {
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}T[\d:.]{5,12}(?:Z|[+-]\d{2}:?\d{2})$/.test(value))
    return null;
  const at = Date.parse(value);
  return Number.isFinite(at) && at >= 0 ? at : null;
}

function noteUnknown(value: Fields, known: ReadonlySet<string>, ofWhat: string, notes: string[]): void {
  const unknown = Object.keys(value).filter((key) => !known.has(key));
  if (unknown.length > 0) notes.push(`Fields ${ofWhat} that are not known, and stay out: ${named(unknown)}.`);
}

function named(keys: Iterable<string>): string {
  const all = [...keys].map((key) => key.slice(0, 60));
  return `${all.slice(0, 10).join(', ')}${all.length > 10 ? ` and ${all.length - 10} more` : ''}`;
}

function idOf(value: unknown): unknown {
  return isObject(value) ? value['id'] : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
