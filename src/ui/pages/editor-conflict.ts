/**
 * Two people, or one person in two tabs, changed the same automation. Three definitions decide: what both began with,
 * mine, and theirs. What only one side changed is taken from that side; what both changed is a choice.
 */
import type { Definition } from '../../domain/index.ts';

/** A part of a definition that is taken from one side as a whole. */
export type ConflictPath =
  'name' | 'enabled' | 'tags' | 'schedule' | 'action' | `action.${string}` | `rules.${string}`;

/** A part in which mine and theirs differ. */
export interface Difference {
  readonly path: ConflictPath;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Who changed it since the revision that my edit began with. */
  readonly changedBy: 'me' | 'them' | 'both';
}

export type Side = 'mine' | 'theirs';

/** Where mine and theirs differ, in the order of the editor. `base` is what my edit began with, `null` if unknown. */
export function differences(
  base: Definition | null,
  mine: Definition,
  theirs: Definition,
): readonly Difference[] {
  const paths = new Set([...pathsOf(mine, theirs), ...pathsOf(theirs, mine)]);
  return [...paths].flatMap((path): readonly Difference[] => {
    const [one, other] = [at(mine, path), at(theirs, path)];
    if (same(one, other)) return [];
    const before = base === null ? undefined : at(base, path);
    const iDid = base === null || !same(one, before);
    const theyDid = base === null || !same(other, before);
    return [{ path, mine: one, theirs: other, changedBy: iDid && theyDid ? 'both' : iDid ? 'me' : 'them' }];
  });
}

/** The side that a difference is taken from unless the person says otherwise: whoever changed it, me if both did. */
export function preferredSide({ changedBy }: Difference): Side {
  return changedBy === 'them' ? 'theirs' : 'mine';
}

/** `mine` with the parts at `fromTheirs` as they are in `theirs`. */
export function combine(
  mine: Definition,
  theirs: Definition,
  fromTheirs: ReadonlySet<ConflictPath>,
): Definition {
  let combined = mine;
  for (const path of fromTheirs) combined = withPart(combined, path, at(theirs, path));
  return combined;
}

function pathsOf(one: Definition, other: Definition): readonly ConflictPath[] {
  const action: readonly ConflictPath[] =
    one.action.kind === other.action.kind
      ? Object.keys(one.action).map((key): ConflictPath => `action.${key}`)
      : ['action'];
  const rules = Object.keys(one.rules).map((key): ConflictPath => `rules.${key}`);
  return ['name', ...action, 'schedule', ...rules, 'tags', 'enabled'];
}

function at(definition: Definition, path: ConflictPath): unknown {
  let value: unknown = definition;
  for (const key of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  return value;
}

/** The paths and their values come from definitions, so a definition it stays; the host parses it in any case. */
function withPart(definition: Definition, path: ConflictPath, value: unknown): Definition {
  const [top = '', key] = path.split('.');
  if (key === undefined) return { ...definition, [top]: value };
  const others = Object.entries(at(definition, top as ConflictPath) as object).filter(
    ([name]) => name !== key,
  );
  return {
    ...definition,
    [top]: Object.fromEntries(value === undefined ? others : [...others, [key, value]]),
  };
}

/** Whether two JSON values say the same; the order of keys says nothing. */
function same(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  const [left, right] = [Object.entries(one), new Map<string, unknown>(Object.entries(other))];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && same(value, right.get(key)))
  );
}
