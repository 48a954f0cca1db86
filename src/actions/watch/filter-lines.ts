/** What of the lines that were found is compared: the filters against noise, in the order that the schema names. */
import type { Failure, WatchFilter } from '../../domain/index.ts';
import type { Pattern, PatternBudget } from '../pattern.ts';
import { loadPart } from '../load-part.ts';

/** Lines longer than this are looked at in pieces, so that a page on one line can be compared at all. */
const LINE_MOST = 2_000;
/** Every number becomes this when numbers do not count. */
const ANY_NUMBER = '#';

/** Filters that are ready to be used, or why they are not. */
export type ReadFilter =
  | { readonly kind: 'filter'; readonly filter: LineFilter }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Reads the patterns of `filter`; the library for them is loaded when there are any. Never rejects. */
export async function readFilter(filter: WatchFilter): Promise<ReadFilter> {
  const { erase, keep, drop } = filter;
  if (erase.length + keep.length + drop.length === 0)
    return { kind: 'filter', filter: new LineFilter(filter, NO_PATTERNS, null) };
  const loaded = await loadPart(() => import('../pattern.ts'), 'reads patterns');
  if (loaded.kind === 'failed') return loaded;
  const patterns: Record<keyof Patterns, Pattern[]> = { erase: [], keep: [], drop: [] };
  for (const kind of ['erase', 'keep', 'drop'] as const) {
    for (const source of filter[kind]) {
      const read = loaded.part.readPattern(source);
      if (read.kind === 'failed') return read;
      patterns[kind].push(read.pattern);
    }
  }
  return { kind: 'filter', filter: new LineFilter(filter, patterns, new loaded.part.PatternBudget()) };
}

interface Patterns {
  readonly erase: readonly Pattern[];
  readonly keep: readonly Pattern[];
  readonly drop: readonly Pattern[];
}

const NO_PATTERNS: Patterns = { erase: [], keep: [], drop: [] };

/** Filters of one run. Their methods throw `LimitReached` when patterns have cost too much. */
class LineFilter {
  readonly #filter: WatchFilter;
  readonly #patterns: Patterns;
  readonly #budget: PatternBudget | null;

  constructor(filter: WatchFilter, patterns: Patterns, budget: PatternBudget | null) {
    this.#filter = filter;
    this.#patterns = patterns;
    this.#budget = budget;
  }

  /** The lines to compare. */
  apply(lines: readonly string[]): readonly string[] {
    const { numbers, space, unique, sort } = this.#filter;
    let left = lines.flatMap(inPieces).map((line) => this.#erased(line));
    left = left.filter((line) => this.keeps(line));
    if (numbers) left = left.map((line) => line.replace(/\d+(?:[.,:]\d+)*/g, ANY_NUMBER));
    if (space) left = left.map((line) => line.replace(/\s+/gu, ' ').trim()).filter((line) => line !== '');
    if (unique) left = [...new Set(left)];
    // By code units: the same order on every machine, whatever its language.
    return sort ? left.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) : left;
  }

  /** Whether a line, or the title of an item, is looked at. */
  keeps(line: string): boolean {
    const budget = this.#budget;
    if (budget === null) return true;
    const { keep, drop } = this.#patterns;
    const isKept = keep.length === 0 || keep.some((pattern) => pattern.isIn(line, budget));
    return isKept && !drop.some((pattern) => pattern.isIn(line, budget));
  }

  #erased(line: string): string {
    const budget = this.#budget;
    if (budget === null) return line;
    const left = this.#patterns.erase.reduce((rest, pattern) => pattern.removedFrom(rest, budget), line);
    // What stood around it is no difference either.
    return left === line ? line : left.trim();
  }
}

function inPieces(line: string): readonly string[] {
  if (line.length <= LINE_MOST) return [line];
  const pieces: string[] = [];
  for (let at = 0; at < line.length; at += LINE_MOST) pieces.push(line.slice(at, at + LINE_MOST));
  return pieces;
}
