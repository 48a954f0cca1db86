/**
 * What an import would change, before anything is written: each entry of the files beside what is here, field by field, and
 * then the steps that a person's choices come to. The same file again, after it was brought in, comes to no step at all.
 */
import type { Automation } from './automation.ts';
import { type Definition, definitionSchema } from './definition.ts';
import { parentOf } from './follow.ts';
import type { AutomationId } from './ids.ts';
import type { ImportEntry, ImportReading, ImportSource, ImportedRun } from './import-entry.ts';
import { withoutUnknown } from './loose.ts';
import { type Problem, parseWith, pathText } from './problem.ts';
import type { Schedule } from './schedule.ts';

/** What an import compares with: an automation that is here. */
export type PresentAutomation = Definition & Pick<Automation, 'id' | 'revision'>;

/** A field that is not the same in a file and here. `undefined`: it is not there. */
export interface Difference {
  readonly path: string;
  readonly here: unknown;
  readonly there: unknown;
}

interface InFile {
  readonly file: string;
  readonly place: string;
  readonly name: string;
}

/** An entry beside what is here. */
export type PreviewedEntry = InFile &
  (
    | { readonly kind: 'bad'; readonly problems: readonly Problem[] }
    | ({
        readonly kind: 'new';
        /** It was here when the backup was made that it is in, and somebody deleted it since. */
        readonly isDeleted?: true;
      } & Offered)
    /** It is here as it is in the file. What of its history is not, only the ledger can tell. */
    | ({ readonly kind: 'same'; readonly current: PresentAutomation } & Offered)
    | ({
        readonly kind: 'different';
        readonly current: PresentAutomation;
        /** What the one that is here would become: paused, and as before where the file says nothing. */
        readonly replaced: Definition;
        readonly differences: readonly Difference[];
      } & Offered)
  );

interface Offered {
  readonly entry: ImportEntry;
  readonly source: ImportSource;
}

/** What becomes of an entry: a new one comes in (`add`) or not; one that is here otherwise comes in beside it, or replaces it. */
export type ImportChoice = 'add' | 'keep-both' | 'replace' | 'skip';

/** What may become of `entry`, the first of them unless a person says otherwise: nothing that is here is changed unasked. */
export function choicesFor(entry: PreviewedEntry): readonly ImportChoice[] {
  switch (entry.kind) {
    case 'new':
      return entry.isDeleted === true ? ['skip', 'add'] : ['add', 'skip'];
    case 'different':
      return ['skip', 'keep-both', 'replace'];
    case 'same':
    case 'bad':
      return [];
  }
}

/**
 * Compares what was read with what is here. Wants `prepareTime`.
 *
 * @param ledger the database that is here; `null`: that cannot be known.
 */
export function previewImport(
  readings: readonly ImportReading[],
  present: readonly PresentAutomation[],
  ledger: string | null = null,
): readonly PreviewedEntry[] {
  const here = new Map(present.map((one) => [one.id, one]));
  const copies = copiesOf(readings, present);
  const taken = new Map<AutomationId, string>();
  const previewed: PreviewedEntry[] = [];
  for (const { file, source, entries, backup } of readings) {
    const isOwn = backup !== undefined && backup.ledger === ledger;
    for (const read of entries) {
      if (read.kind === 'bad' || source === null) {
        if (read.kind === 'bad') previewed.push({ ...read, file });
        continue;
      }
      const { entry } = read;
      const inFile = { file, place: entry.place, name: entry.definition.name };
      const twin = taken.get(entry.id);
      if (twin !== undefined) {
        const message = `${twin} has the same id. Give one of them another id, or leave it out.`;
        previewed.push({ ...inFile, kind: 'bad', problems: [{ path: `${entry.place}.id`, message }] });
        continue;
      }
      taken.set(entry.id, readings.length > 1 ? `${entry.place} of ${file}` : entry.place);
      const found = compared(entry, source, here.get(entry.id), copies);
      previewed.push({
        ...inFile,
        ...(found.kind === 'new' && isOwn ? { ...found, isDeleted: true } : found),
      });
    }
  }
  return withoutLost(previewed, here);
}

/** Those that are here under ids of their own, by what they do: what came in as a copy, or was made by hand. */
function copiesOf(
  readings: readonly ImportReading[],
  present: readonly PresentAutomation[],
): ReadonlyMap<string, PresentAutomation[]> {
  const ids = new Set(
    readings.flatMap(({ entries }) =>
      entries.flatMap((read) => (read.kind === 'good' ? [read.entry.id] : [])),
    ),
  );
  const copies = new Map<string, PresentAutomation[]>();
  for (const one of present) {
    if (ids.has(one.id)) continue;
    const content = contentOf(one);
    const alike = copies.get(content);
    if (alike === undefined) copies.set(content, [one]);
    else alike.push(one);
  }
  return copies;
}

type Compared =
  | Extract<PreviewedEntry, { kind: 'new' }>
  | Extract<PreviewedEntry, { kind: 'same' }>
  | Extract<PreviewedEntry, { kind: 'different' }>;

function compared(
  entry: ImportEntry,
  source: ImportSource,
  current: PresentAutomation | undefined,
  copies: ReadonlyMap<string, PresentAutomation[]>,
): DistributiveOmit<Compared, keyof InFile> {
  const offered = { entry, source };
  // Each stands for one entry: a file may well hold two that are alike.
  const takeCopy = (): PresentAutomation | undefined => copies.get(contentOf(entry.definition))?.pop();
  if (current === undefined) {
    const copy = takeCopy();
    return copy === undefined ? { ...offered, kind: 'new' } : { ...offered, kind: 'same', current: copy };
  }
  const replaced = saidOver(known(current), entry);
  const differences = differencesOf(known(current), replaced);
  if (differences.length === 0) return { ...offered, kind: 'same', current };
  const copy = takeCopy();
  // It came in beside the other one before.
  if (copy !== undefined) return { ...offered, kind: 'same', current: copy };
  return { ...offered, kind: 'different', current, replaced, differences };
}

type DistributiveOmit<Type, Key extends PropertyKey> = Type extends unknown ? Omit<Type, Key> : never;

/** The definition in `present`, with today's defaults, and without what only a newer build knows. */
function known(present: Definition): Definition {
  const { name, enabled, tags, schedule, action, rules } = present;
  const plain = withoutUnknown(definitionSchema, { name, enabled, tags, schedule, action, rules });
  const parsed = parseWith(definitionSchema, plain);
  return parsed.kind === 'ok' ? parsed.value : plain;
}

/** `current` with what the file says, and paused. */
function saidOver(current: Definition, { definition, said }: ImportEntry): Definition {
  if (said === null) return { ...definition, enabled: false };
  const has = (path: string): boolean => said.includes(path);
  return {
    ...current,
    ...(has('name') ? { name: definition.name } : {}),
    ...(has('schedule') ? { schedule: definition.schedule } : {}),
    action: saidAction(current.action, definition.action, said),
    enabled: false,
  };
}

function saidAction(
  current: Definition['action'],
  action: Definition['action'],
  said: readonly string[],
): Definition['action'] {
  const fields = said
    .filter((path) => path.startsWith('action.'))
    .map((path) => path.slice('action.'.length));
  if (said.includes('action') || (fields.length > 0 && current.kind !== action.kind)) return action;
  const taken = Object.entries(action).filter(([key]) => fields.includes(key));
  const kept = Object.entries(current).filter(([key]) => !fields.includes(key));
  return fields.length === 0 ? current : (Object.fromEntries([...kept, ...taken]) as Definition['action']);
}

/** Text that is the same for two definitions that do the same under the same name, whether or not they are paused. */
function contentOf({ name, tags, schedule, action, rules }: Definition): string {
  const plainName = name.replace(COPY_NUMBER, '');
  return JSON.stringify([plainName, tags, schedule, action, rules].map(inOrder));
}

/** What {@link copyName} puts behind a name. */
const COPY_NUMBER = / \(\d{1,4}\)$/;

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, inOrder(one)]);
}

/** Where `there` is not as `here`, but for whether it is paused. */
export function differencesOf(here: Definition, there: Definition): readonly Difference[] {
  const [left, right] = [flat(here), flat(there)];
  const paths = [...new Set([...left.keys(), ...right.keys()])];
  return paths.flatMap((path): Difference[] => {
    const [a, b] = [left.get(path), right.get(path)];
    return path === 'enabled' || JSON.stringify(a) === JSON.stringify(b) ? [] : [{ path, here: a, there: b }];
  });
}

/** The fields of `value` that are no objects, by their paths, in order. A list of plain values is one field. */
function flat(
  value: unknown,
  keys: readonly (string | number)[] = [],
  into = new Map<string, unknown>(),
): ReadonlyMap<string, unknown> {
  if (typeof value !== 'object' || value === null) {
    if (value !== undefined) into.set(pathText(keys), value);
  } else if (Array.isArray(value) && !value.some((one) => typeof one === 'object' && one !== null)) {
    into.set(pathText(keys), value);
  } else {
    const entries = Array.isArray(value)
      ? value.map((one: unknown, index) => [index, one] as const)
      : Object.entries(value);
    for (const [key, one] of entries) flat(one, [...keys, key], into);
  }
  return into;
}

/** `previewed` without those that would run after nothing, or after themselves in a circle. */
function withoutLost(
  previewed: readonly PreviewedEntry[],
  here: ReadonlyMap<AutomationId, PresentAutomation>,
): readonly PreviewedEntry[] {
  const offered = new Map<AutomationId, Schedule>();
  for (const one of previewed)
    if (one.kind !== 'bad') offered.set(one.entry.id, one.entry.definition.schedule);
  const lost = new Map<AutomationId, string>();
  const found = new Set<AutomationId>();
  for (const id of offered.keys()) {
    // Up to one that is known: each is looked at once, however long the chain.
    const chain: AutomationId[] = [];
    const isIn = new Set<AutomationId>();
    let at: AutomationId | null = id;
    while (at !== null && offered.has(at) && !isIn.has(at) && !lost.has(at) && !found.has(at)) {
      chain.push(at);
      isIn.add(at);
      at = parentOf(offered.get(at) ?? { kind: 'manual' });
    }
    if (at === null || found.has(at) || (!offered.has(at) && here.has(at))) {
      for (const one of chain) found.add(one);
      continue;
    }
    const circle = isIn.has(at) ? chain.indexOf(at) : chain.length;
    for (const [index, one] of chain.entries()) lost.set(one, index >= circle ? IN_A_CIRCLE : AFTER_NOTHING);
  }
  return previewed.map((one) => {
    if (one.kind === 'bad') return one;
    const message = lost.get(one.entry.id);
    if (message === undefined) return one;
    const { file, place, name } = one;
    return { file, place, name, kind: 'bad', problems: [{ path: `${place}.schedule.automation`, message }] };
  });
}

const IN_A_CIRCLE =
  'It would run after itself, by way of those that it runs after. Give one of the circle another schedule.';
const AFTER_NOTHING =
  'What it runs after is neither here nor, readable, in the files. Bring that in too, or use the id of one that is here.';

/** One thing that an import does. Steps are taken in their order: what is followed comes before what follows it. */
export type ImportStep =
  | {
      readonly kind: 'add';
      readonly id: AutomationId;
      readonly definition: Definition;
      readonly runs: readonly ImportedRun[];
    }
  | {
      readonly kind: 'replace';
      readonly id: AutomationId;
      readonly expectedRevision: number;
      readonly definition: Definition;
      readonly runs: readonly ImportedRun[];
    }
  /** Only history: what it is of is here already. */
  | {
      readonly kind: 'history';
      readonly id: AutomationId;
      readonly definition: Definition;
      readonly runs: readonly ImportedRun[];
    };

/** A step with where its history is from. */
export type SourcedStep = ImportStep & { readonly source: ImportSource };

/** What the choices of a person come to. */
export interface ImportPlan {
  readonly steps: readonly SourcedStep[];
  /** Names of those that stay out because what they run after was not chosen. */
  readonly leftOut: readonly string[];
}

/**
 * Plans what was chosen.
 *
 * @param choiceOf what is to become of an entry; asked of those that have a choice.
 * @param missing runs of those that are here as they are in the file, and that the ledger does not have.
 * @param freshId gives ids that nothing has.
 */
export function planImport(
  previewed: readonly PreviewedEntry[],
  choiceOf: (entry: PreviewedEntry) => ImportChoice,
  missing: (entry: PreviewedEntry) => readonly ImportedRun[],
  present: readonly Pick<PresentAutomation, 'id' | 'name'>[],
  freshId: () => AutomationId,
): ImportPlan {
  const names = new Set(present.map(({ name }) => name));
  const known = new Set(present.map(({ id }) => id));
  const renamed = new Map<AutomationId, AutomationId>();
  const steps: SourcedStep[] = [];
  for (const one of previewed) {
    if (one.kind === 'bad') continue;
    const { source, entry } = one;
    const { id, definition, runs } = entry;
    if (one.kind === 'same') {
      const lacking = missing(one);
      if (one.current.id !== id) renamed.set(id, one.current.id);
      if (lacking.length > 0)
        steps.push({ kind: 'history', id: one.current.id, definition, runs: lacking, source });
      continue;
    }
    const choice = choiceOf(one);
    if (choice === 'add') {
      steps.push({ kind: 'add', id, definition, runs, source });
      names.add(definition.name);
    } else if (choice === 'keep-both') {
      const fresh = freshId();
      renamed.set(id, fresh);
      const name = copyName(definition.name, names);
      names.add(name);
      steps.push({ kind: 'add', id: fresh, definition: { ...definition, name }, runs, source });
    } else if (choice === 'replace' && one.kind === 'different') {
      const { revision: expectedRevision } = one.current;
      steps.push({ kind: 'replace', id, expectedRevision, definition: one.replaced, runs, source });
    }
  }
  return inOrderOfFollowing(
    steps.map((step) => following(step, renamed)),
    known,
  );
}

/** `step` with what it runs after under the id that it comes in by. */
function following(step: SourcedStep, renamed: ReadonlyMap<AutomationId, AutomationId>): SourcedStep {
  const { schedule } = step.definition;
  if (schedule.kind !== 'after') return step;
  const automation = renamed.get(schedule.automation) ?? schedule.automation;
  return { ...step, definition: { ...step.definition, schedule: { ...schedule, automation } } };
}

/** Each step behind the one that it follows; without those that follow nothing that is here by then. */
function inOrderOfFollowing(steps: readonly SourcedStep[], present: ReadonlySet<AutomationId>): ImportPlan {
  const children = new Map<AutomationId, SourcedStep[]>();
  const queue: SourcedStep[] = [];
  const stepIds = new Set(steps.filter(({ kind }) => kind !== 'history').map(({ id }) => id));
  for (const step of steps) {
    const parent = step.kind === 'history' ? null : parentOf(step.definition.schedule);
    if (parent === null || !stepIds.has(parent)) {
      if (parent === null || present.has(parent)) queue.push(step);
      continue;
    }
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [step]);
    else siblings.push(step);
  }
  const ordered: SourcedStep[] = [];
  for (let at = 0; at < queue.length; at++) {
    const step = queue[at];
    if (step === undefined) break;
    ordered.push(step);
    if (step.kind !== 'history') queue.push(...(children.get(step.id) ?? []));
  }
  const done = new Set(ordered);
  return {
    steps: ordered,
    leftOut: steps.filter((step) => !done.has(step)).map(({ definition }) => definition.name),
  };
}

/** `name`, or, where that is taken, with the first number behind it that is not. */
function copyName(name: string, names: ReadonlySet<string>): string {
  if (!names.has(name)) return name;
  const base = name.replace(COPY_NUMBER, '').slice(0, 190);
  for (let number = 2; ; number++) if (!names.has(`${base} (${number})`)) return `${base} (${number})`;
}
