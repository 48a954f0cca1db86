import {
  type AutomationId,
  type DefinitionInput,
  type ImportedRun,
  type Problem,
  type ReadEntry,
  definitionSchema,
  derivedUuid,
  isUuid,
  parseWith,
  problemsOf,
} from '../../domain/index.ts';

/**
 * Checks what a reader made of an entry as any definition is checked; it comes in paused.
 *
 * @param of `id`: a UUID of the file's own, else any text that names the entry each time.
 */
export function readEntry(of: {
  readonly place: string;
  readonly id: string;
  readonly definition: DefinitionInput;
  readonly said: readonly string[] | null;
  readonly notes: readonly string[];
  readonly runs?: readonly ImportedRun[];
}): ReadEntry {
  const { place, definition, said, notes, runs = [] } = of;
  const parsed = parseWith(definitionSchema, { ...definition, enabled: false }, []);
  const problems: readonly Problem[] =
    parsed.kind === 'invalid' ? parsed.problems : problemsOf(parsed.value.schedule);
  if (parsed.kind === 'invalid' || problems.length > 0) {
    return { kind: 'bad', place, name: definition.name, problems: under(place, problems) };
  }
  const id = (isUuid(of.id) ? of.id : derivedUuid(of.id)) as AutomationId;
  return { kind: 'good', entry: { place, id, definition: parsed.value, said, notes, runs } };
}

/** `problems` with paths that begin at `place`. */
function under(place: string, problems: readonly Problem[]): readonly Problem[] {
  return problems.map(({ path, message }) => ({ path: path === '' ? place : `${place}: ${path}`, message }));
}
