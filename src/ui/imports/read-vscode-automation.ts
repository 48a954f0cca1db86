/**
 * VS Code's file of one automation, `.automation.md`: a head of YAML between two lines of three hyphens, then the prompt. It is
 * as strict as VS Code itself: each field that is not known is named, and the only zone is `local`.
 */
import { type Document, LineCounter, type Node, isMap, isScalar, parseDocument } from 'yaml';
import {
  type DefinitionInput,
  HOUR_MS,
  type ImportReading,
  type Problem,
  type ReadEntry,
} from '../../domain/index.ts';
import type { ImportContext } from './import-context.ts';
import { PROMPT_SAID, outsidePrompt } from './outside-prompt.ts';
import { readEntry } from './read-entry.ts';

/** Longest head that is read: five fields. */
const HEAD_MOST = 20_000;
const FIELDS = ['version', 'id', 'name', 'description', 'schedule'];
const ACCEPTED = `It begins with --- and has the fields ${FIELDS.slice(0, -1).join(', ')} and ${FIELDS.at(-1) ?? ''}, then --- and the prompt.`;
/** The form of an id: small letters, digits, and single dots and hyphens between them. */
const ID = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;

/** Reads such a file. Never throws. */
export function readVsCodeAutomation(file: string, text: string, context: ImportContext): ImportReading {
  const base = { file, source: 'vscode-automation', notes: [] } as const;
  const refused = (problem: Problem): ImportReading => ({ ...base, entries: [], problems: [problem] });
  const end = /^---[ \t]*$/m.exec(text.slice(4));
  if (end === null)
    return refused({ path: 'line 1', message: `The head of the file has no end. ${ACCEPTED}` });
  const head = text.slice(0, 4 + end.index).replace(/^---/, '');
  if (head.length > HEAD_MOST)
    return refused({
      path: 'line 1',
      message: `The head is longer than ${HEAD_MOST} characters. ${ACCEPTED}`,
    });
  const prompt = text.slice(4 + end.index + end[0].length).trim();
  const lines = new LineCounter();
  // No types, merges or tags: every value is a text, as VS Code reads it.
  const document = parseDocument(head, {
    schema: 'failsafe',
    lineCounter: lines,
    uniqueKeys: true,
    logLevel: 'silent',
  });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault !== undefined) {
    const [{ line, col } = { line: 1, col: 1 }] = fault.linePos ?? [];
    const [reason = ''] = fault.message.split(/ at line \d| in flow|\n/);
    return refused({
      path: `line ${line}, column ${col}`,
      message: `The head is no plain YAML: ${reason}. ${ACCEPTED}`,
    });
  }
  return { ...base, entries: [readHead(document, lines, prompt, context)], problems: [] };
}

function readHead(
  document: Document.Parsed,
  lines: LineCounter,
  prompt: string,
  context: ImportContext,
): ReadEntry {
  const problems: Problem[] = [];
  const fields = fieldsOf(document.contents, FIELDS, '', lines, problems);
  const refuse = (path: string, message: string): void => {
    problems.push({ path: fields.get(path.split('.')[0] ?? '')?.at ?? path, message: `${path}: ${message}` });
  };
  const required = (name: string): string => {
    const value = textOf(fields.get(name)?.node);
    if (value === null || value === '')
      refuse(name, fields.has(name) ? 'It must be a text.' : 'It is missing.');
    return value ?? '';
  };
  const version = required('version');
  if (version !== '' && version !== '1')
    refuse('version', `It is ${version.slice(0, 20)}, and only 1 is read.`);
  const id = required('id');
  if (id !== '' && !ID.test(id))
    refuse('id', 'It is up to 64 small letters and digits, with single dots or hyphens between them.');
  const name = required('name');
  const description = fields.has('description') ? required('description') : '';
  const schedule = readSchedule(fields.get('schedule'), lines, problems, context);
  if (prompt === '')
    problems.push({
      path: 'after the head',
      message: 'The prompt is missing: it is all that follows the head.',
    });
  if (problems.length > 0 || schedule === null)
    return { kind: 'bad', place: 'the file', name: name === '' ? 'A VS Code automation' : name, problems };
  const { action, notes } = outsidePrompt(prompt);
  return readEntry({
    place: 'the file',
    id: `vscode-automation:${id}`,
    definition: { name, schedule, action },
    said: PROMPT_SAID,
    notes: [
      ...notes,
      ...(description === '' ? [] : [`Rota keeps no description. It was: ${description}`]),
      ...(schedule.kind === 'every'
        ? ['It runs on the hour; VS Code counts hours from when it is turned on.']
        : []),
    ],
  });
}

interface Field {
  readonly node: Node | null;
  /** `line 4`. */
  readonly at: string;
}

/** The fields of a map; each that is not among `known` is a problem of its own. */
function fieldsOf(
  node: unknown,
  known: readonly string[],
  prefix: string,
  lines: LineCounter,
  problems: Problem[],
): ReadonlyMap<string, Field> {
  const fields = new Map<string, Field>();
  if (!isMap(node)) {
    problems.push({
      path: prefix === '' ? 'line 1' : prefix,
      message: `This must be fields with values. ${ACCEPTED}`,
    });
    return fields;
  }
  for (const { key, value } of node.items) {
    const name = textOf(key) ?? '';
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0;
    const at = `line ${lines.linePos(offset).line}`;
    if (known.includes(name)) fields.set(name, { node: (value as Node | null) ?? null, at });
    else {
      const accepted = known.join(', ');
      problems.push({
        path: at,
        message: `${prefix}${name.slice(0, 100)}: This field is not known; known here are ${accepted}.`,
      });
    }
  }
  return fields;
}

function textOf(node: unknown): string | null {
  return isScalar(node) && typeof node.value === 'string' ? node.value.trim() : null;
}

function readSchedule(
  field: Field | undefined,
  lines: LineCounter,
  problems: Problem[],
  { timeZone }: ImportContext,
): DefinitionInput['schedule'] | null {
  if (field === undefined) {
    problems.push({
      path: 'schedule',
      message: 'It is missing: it has a kind, which is manual, hourly or cron.',
    });
    return null;
  }
  const kind = isMap(field.node) ? textOf(field.node.get('kind', true)) : null;
  const isCron = kind === 'cron';
  const known = isCron ? ['kind', 'expression', 'timeZone'] : ['kind'];
  const fields = fieldsOf(field.node, known, 'schedule.', lines, problems);
  if (kind === 'manual') return { kind: 'manual' };
  if (kind === 'hourly') return { kind: 'every', everyMs: HOUR_MS, anchor: 0 };
  if (!isCron) {
    problems.push({ path: field.at, message: 'schedule.kind: It is one of manual, hourly and cron.' });
    return null;
  }
  const zone = textOf(fields.get('timeZone')?.node);
  if (zone !== 'local')
    problems.push({
      path: fields.get('timeZone')?.at ?? field.at,
      message: 'schedule.timeZone: It must be local, the only one that VS Code has.',
    });
  const expression = textOf(fields.get('expression')?.node);
  if (expression === null || expression === '') {
    problems.push({
      path: fields.get('expression')?.at ?? field.at,
      message: 'schedule.expression: A cron rule is missing, such as "0 9 * * 1".',
    });
    return null;
  }
  return { kind: 'cron', expression, timeZone };
}
