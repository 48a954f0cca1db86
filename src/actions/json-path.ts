/**
 * JSONPath by RFC 9535. The paths are a person's and the JSON is anybody's: what a query visits is counted, so that no
 * pair of them keeps its host busy for long, and `match` and `search` run on patterns that cannot backtrack.
 *
 * Load it when it is first used (`loadPart`): it brings its library with it.
 */
import { FunctionExpressionType, JSONPathEnvironment, type JSONPathQuery, type JSONValue } from 'json-p3';
import type { Failure } from '../domain/index.ts';
import { shortened } from './amounts.ts';
import { LimitReached } from './limit-reached.ts';
import { loadPart } from './load-part.ts';
import type * as Patterns from './pattern.ts';

/** How deep `..` looks; what nests deeper is refused. */
const DEPTH_MOST = 500;
/** How many values one query may visit, again for each filter: seven times what a megabyte of usual records holds. */
const VISITS_MOST = 1_000_000;

/** What a path gives on a value. */
export type FoundJson =
  | {
      readonly kind: 'found';
      /** In document order; empty when nothing matches, which is no error. */
      readonly values: readonly unknown[];
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What is wrong with `path` as such; `null` when it can be used. Never rejects. */
export async function findPathProblem(path: string): Promise<Failure | null> {
  const read = await readPath(path);
  return read.kind === 'failed' ? read.failure : null;
}

/** Finds what `path` says in `value`, which `JSON.parse` gave. Never rejects. */
export async function findInJson(path: string, value: unknown): Promise<FoundJson> {
  const read = await readPath(path);
  if (read.kind === 'failed') return read;
  try {
    const values: unknown[] = [];
    // Step by step: what is found is counted too, and a query that finds too much stops there.
    for (const node of read.query.lazyQuery(value as JSONValue)) {
      read.meter.spend(1);
      values.push(node.value);
    }
    return { kind: 'found', values };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error, path) };
  }
}

type ReadPath =
  | { readonly kind: 'path'; readonly query: JSONPathQuery; readonly meter: Meter }
  | { readonly kind: 'failed'; readonly failure: Failure };

async function readPath(path: string): Promise<ReadPath> {
  const meter = new Meter();
  const environment = new MeteredEnvironment(meter);
  if (/\b(?:match|search)\s*\(/.test(path)) {
    const patterns = await loadPart(() => import('./pattern.ts'), 'reads patterns');
    if (patterns.kind === 'failed') return patterns;
    usePatterns(environment, patterns.part);
  }
  try {
    const query = environment.compile(path);
    for (const segment of query.segments) countVisits(segment, meter, new Set());
    return { kind: 'path', query, meter };
  } catch (error) {
    return {
      kind: 'failed',
      failure: {
        class: 'invalid',
        code: 'bad-json-path',
        message: `The JSONPath “${shortened(path, 60)}” cannot be read: ${reasonOf(error)}.`,
        advice: 'A path begins with $, such as $.items[0].price or $..name.',
      },
    };
  }
}

/** Counts visits, and throws when there are too many. */
class Meter {
  #left = VISITS_MOST;

  spend(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw new TooMuch();
  }
}

class TooMuch extends Error {}

class MeteredEnvironment extends JSONPathEnvironment {
  readonly #meter: Meter;

  constructor(meter: Meter) {
    super({ maxRecursionDepth: DEPTH_MOST });
    this.#meter = meter;
  }

  override entries(value: Record<string, JSONValue>): [string, JSONValue][] {
    const entries = Object.entries(value);
    this.#meter.spend(entries.length);
    return entries;
  }
}

interface Resolving {
  resolve: (input: unknown) => unknown;
  lazyResolve: (input: unknown) => unknown;
}

/**
 * Has each selector below `part`, those of filters among them, count the values that it is given: `..` asks its selectors
 * about all that it passes, and filters ask theirs about each value that they judge.
 */
function countVisits(part: unknown, meter: Meter, seen: Set<unknown>): void {
  if (typeof part !== 'object' || part === null || seen.has(part) || part instanceof JSONPathEnvironment)
    return;
  seen.add(part);
  if (isSelector(part)) {
    const { resolve, lazyResolve } = part;
    part.resolve = (node) => {
      meter.spend(weightOf(node));
      return resolve.call(part, node);
    };
    part.lazyResolve = (node) => {
      meter.spend(weightOf(node));
      return lazyResolve.call(part, node);
    };
  }
  for (const inner of Object.values(part)) countVisits(inner, meter, seen);
}

function isSelector(part: object): part is Resolving {
  return !('selectors' in part) && 'resolve' in part && 'lazyResolve' in part;
}

/**
 * A selector may look at all items of the list that it is given; members of objects are counted as they are listed. Each
 * value carries the way to it, so those far down cost more.
 */
function weightOf(node: unknown): number {
  const { value, location } = node as { readonly value: unknown; readonly location: readonly unknown[] };
  return (Array.isArray(value) ? 1 + value.length : 1) * (1 + location.length / 20);
}

function usePatterns(environment: JSONPathEnvironment, patterns: typeof Patterns): void {
  const budget = new patterns.PatternBudget();
  const read = new Map<string, Patterns.Pattern | null>();
  const ask = (
    matches: (pattern: Patterns.Pattern, text: string, budget: Patterns.PatternBudget) => boolean,
  ) => ({
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(text: unknown, source: unknown): boolean {
      // RFC 9535, 2.4.6 and 2.4.7: what is no text, or no I-Regexp, matches nothing.
      if (typeof text !== 'string' || typeof source !== 'string') return false;
      const known = read.get(source);
      const pattern = known === undefined ? patterns.readIRegexp(source) : known;
      if (known === undefined) read.set(source, pattern);
      return pattern !== null && matches(pattern, text, budget);
    },
  });
  environment.functionRegister.set(
    'match',
    ask((pattern, text, spent) => pattern.isAllOf(text, spent)),
  );
  environment.functionRegister.set(
    'search',
    ask((pattern, text, spent) => pattern.isIn(text, spent)),
  );
}

function failureOf(error: unknown, path: string): Failure {
  if (error instanceof LimitReached) return error.failure;
  const shown = shortened(path, 60);
  const isTooDeep = error instanceof Error && /recursion limit/i.test(error.message);
  return {
    class: 'limit',
    code: 'json-path-limit',
    message: isTooDeep
      ? `The JSON nests deeper than ${DEPTH_MOST} levels, which is more than “${shown}” can look through.`
      : `The JSONPath “${shown}” looks at too many values in this JSON.`,
    advice: 'Name the way to the value from $ on, without .. or nested filters.',
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'it nests too deeply';
  const text = error instanceof Error ? error.message : String(error);
  return shortened(text, 160).replace(/\.$/, '');
}
