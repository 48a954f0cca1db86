/**
 * The version 1 file: one JSON format for import, export and backup (design, "Files"). Reading is strict, because a
 * field that is dropped in silence is a promise that is broken later; every problem names its place in the file.
 */
import * as v from 'valibot';
import { type Definition, definitionSchema } from './definition.ts';
import { type AutomationId, isUuid } from './ids.ts';
import { findJsonFault } from './json-fault.ts';
import { type Parsed, parseWith, pathText, type Problem } from './problem.ts';
import { problemsOf } from './schedule-problems.ts';

/** The `format` that a Rota file names. */
const FILE_FORMAT = 'rota';
/** The `version` that is written, and the only one that is read. */
const FILE_VERSION = 1;
/** Most automations in one file. */
export const FILE_AUTOMATIONS_MOST = 1_000;
/** Longest file, in characters. */
export const FILE_TEXT_MOST = 20_000_000;
/** Most problems that are told of one file; a person mends the first ones first. */
export const FILE_PROBLEMS_MOST = 100;

/** An automation as a file holds it. A stored automation is one, too. */
export type FiledAutomation = Definition & { readonly id?: AutomationId };

const idSchema = v.pipe(
  v.string('The id must be text.'),
  v.toLowerCase(),
  v.check(isUuid, 'The id must be a UUID, such as 0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66.'),
  v.transform((id) => id as AutomationId),
);

const filedSchema = v.strictObject({ id: v.exactOptional(idSchema), ...definitionSchema.entries });

/**
 * Reads a version 1 file. Refuses it as a whole, with at most {@link FILE_PROBLEMS_MOST} problems, or not at all, and
 * never throws. Wants {@link prepareTime}, because a cron rule is asked whether it can ever run. Templates are not
 * looked at: that needs a library, and is the actions room's to say.
 */
export function parseFile(text: string): Parsed<readonly FiledAutomation[]> {
  if (text.length > FILE_TEXT_MOST)
    return invalid([{ path: '', message: `The file is longer than ${FILE_TEXT_MOST} characters.` }]);
  const json = parseJson(text);
  if (json.kind === 'invalid') return invalid(json.problems);
  const { problems: ofFile, items } = readDocument(json.value, FILE_AUTOMATIONS_MOST);
  const problems = [...ofFile, ...items.flatMap((item) => (item.kind === 'bad' ? item.problems : []))];
  const filed = items.flatMap((item) => (item.kind === 'good' ? [item.filed] : []));
  return problems.length === 0 ? { kind: 'ok', value: filed } : invalid(problems);
}

/** Reads strict JSON, and says where it goes wrong; see {@link findJsonFault} for what is refused beyond that. */
export function parseJson(text: string): Parsed<unknown> {
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text;
  if (json.trim() === '') return invalid([{ path: '', message: 'The file is empty.' }]);
  const fault = findJsonFault(json);
  if (fault === null) return { kind: 'ok', value: JSON.parse(json) as unknown };
  const message = `Line ${fault.line}, column ${fault.column}: ${fault.reason}.`;
  return invalid([{ path: pathText(fault.keys), message }]);
}

/** One automation of a file, or what is wrong with it; paths begin at the file. */
export type FileItem =
  | { readonly kind: 'good'; readonly index: number; readonly filed: FiledAutomation }
  | {
      readonly kind: 'bad';
      readonly index: number;
      /** As far as it has one. */
      readonly name: string | null;
      readonly problems: readonly Problem[];
    };

/** Whether `document` says of itself that it is a file of Rota. */
export function isFileDocument(document: unknown): boolean {
  return isObject(document) && document['format'] === FILE_FORMAT;
}

/** Reads a file item by item, so that the good ones are had beside the bad ones. `problems` are of the file as a whole. */
export function readDocument(
  document: unknown,
  most: number,
): { readonly problems: readonly Problem[]; readonly items: readonly FileItem[] } {
  const refused = (...problems: readonly Problem[]) => ({ problems, items: [] });
  if (!isObject(document))
    return refused({ path: '', message: 'This is not a Rota file: a Rota file is a JSON object.' });
  // What a backup says of itself is backup.ts's to read.
  const { format, version, automations, backup: _, ...others } = document;
  if (format !== FILE_FORMAT)
    return refused({
      path: 'format',
      message: `This is not a Rota file: its format is not "${FILE_FORMAT}".`,
    });
  if (version !== FILE_VERSION) return refused({ path: 'version', message: versionRefusal(version) });
  const problems: Problem[] = Object.keys(others).map((key) => ({
    path: pathText([key]),
    message: 'Rota does not know this field.',
  }));
  if (!Array.isArray(automations))
    return refused(...problems, { path: 'automations', message: 'The automations must be a list.' });
  if (automations.length > most) {
    const message = `A file holds at most ${most} automations; this one has ${automations.length}.`;
    return refused(...problems, { path: 'automations', message });
  }
  const placeOfId = new Map<AutomationId, number>();
  const items = automations.map((value: unknown, index) => readItem(value, index, placeOfId));
  return { problems, items };
}

function readItem(value: unknown, index: number, placeOfId: Map<AutomationId, number>): FileItem {
  const at = ['automations', index];
  const parsed = parseWith(filedSchema, value, at);
  if (parsed.kind === 'invalid') {
    const name = isObject(value) && typeof value['name'] === 'string' ? value['name'].trim() : '';
    return { kind: 'bad', index, name: name === '' ? null : name, problems: parsed.problems };
  }
  const filed = parsed.value;
  const problems = [...problemsOf(filed.schedule, [...at, 'schedule'])];
  const twin = filed.id === undefined ? undefined : placeOfId.get(filed.id);
  if (twin !== undefined)
    problems.push({ path: pathText([...at, 'id']), message: `automations[${twin}] has the same id.` });
  else if (filed.id !== undefined) placeOfId.set(filed.id, index);
  return problems.length === 0
    ? { kind: 'good', index, filed }
    : { kind: 'bad', index, name: filed.name, problems };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function versionRefusal(version: unknown): string {
  if (typeof version === 'number' && Number.isInteger(version) && version > FILE_VERSION)
    return `The file is of version ${version}, which a newer Rota wrote; this one reads version ${FILE_VERSION}. Update Rota first.`;
  return `The version of the file must be ${FILE_VERSION}.`;
}

function invalid(problems: readonly Problem[]): Parsed<never> {
  if (problems.length <= FILE_PROBLEMS_MOST) return { kind: 'invalid', problems };
  const told = problems.slice(0, FILE_PROBLEMS_MOST - 1);
  const more = { path: '', message: `There are ${problems.length - told.length} more problems.` };
  return { kind: 'invalid', problems: [...told, more] };
}

/** Writes `automations` as a version 1 file that {@link parseFile} reads back as the same definitions and ids. */
export function formatFile(automations: readonly FiledAutomation[]): string {
  const document = { format: FILE_FORMAT, version: FILE_VERSION, automations: automations.map(filedForm) };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function filedForm({ id, name, enabled, tags, schedule, action, rules }: FiledAutomation): unknown {
  const known = { ...(id === undefined ? {} : { id }), name, enabled, tags, schedule, action, rules };
  return withoutUnknown(JSON.parse(JSON.stringify(known)) as unknown);
}

/**
 * Removes from `value` the fields that a version 1 file does not have. A row may carry fields of a newer build; a file
 * with them would be one that nobody can read, not even that build.
 */
function withoutUnknown(value: unknown): unknown {
  for (;;) {
    const { issues = [] } = v.safeParse(filedSchema, value);
    const unknown = issues.filter((issue) => issue.type === 'strict_object' && issue.expected === 'never');
    if (unknown.length === 0) return value;
    for (const issue of unknown) {
      const item = issue.path?.at(-1);
      if (item !== undefined) Reflect.deleteProperty(item.input as object, item.key as PropertyKey);
    }
  }
}
