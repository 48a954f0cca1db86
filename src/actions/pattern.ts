/**
 * Regular expressions that a person types. They run on RE2JS, an automaton that looks at each character once for each
 * state: there is no backtracking, so no text, however hostile, makes one take exponential time (ReDoS). What is left is
 * length times states, and that is counted and bounded here.
 */
import { RE2JS } from 're2js';
import type { Failure } from '../domain/index.ts';
import { shortened } from './amounts.ts';
import { LimitReached } from './limit-reached.ts';

/** How large a pattern may become, in states; `a{300}` has some three hundred. */
const STATES_MOST = 300;
/** How much matching one {@link PatternBudget} allows, in characters times states. Measured as under two seconds. */
const WORK_MOST = 20_000_000;

/** A pattern ready to be used, or why it is none. */
export type ReadPattern =
  | { readonly kind: 'pattern'; readonly pattern: Pattern }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What matching has cost so far; share one among all that one run matches. */
export class PatternBudget {
  #left = WORK_MOST;

  /** Throws {@link LimitReached} when `work`, in characters times states, is more than is left. */
  spend(work: number, source: string): void {
    this.#left -= work;
    if (this.#left >= 0) return;
    throw new LimitReached({
      class: 'limit',
      code: 'pattern-limit',
      message: `The pattern ${shown(source)} takes too long on this much text.`,
      advice: 'Make the pattern simpler, or watch a smaller part.',
    });
  }
}

/** A pattern that was read. Its methods throw {@link LimitReached}. */
export class Pattern {
  readonly #regexp: RE2JS;
  readonly #source: string;

  constructor(regexp: RE2JS, source: string) {
    this.#regexp = regexp;
    this.#source = source;
  }

  /** Whether it is found anywhere in `text`. */
  isIn(text: string, budget: PatternBudget): boolean {
    this.#spend(text, budget);
    return this.#regexp.matcher(text).find();
  }

  /** Whether it is all of `text`. */
  isAllOf(text: string, budget: PatternBudget): boolean {
    this.#spend(text, budget);
    return this.#regexp.matcher(text).matches();
  }

  /** `text` without what it matches. */
  removedFrom(text: string, budget: PatternBudget): string {
    return this.isIn(text, budget) ? this.#regexp.matcher(text).replaceAll('') : text;
  }

  #spend(text: string, budget: PatternBudget): void {
    budget.spend((text.length + 1) * this.#regexp.programSize(), this.#source);
  }
}

/**
 * Reads `source`. Between slashes it is a regular expression in the syntax of RE2, with the flags `i`, `m` and `s` after
 * them; anything else is taken literally, in any case. Never throws.
 */
export function readPattern(source: string): ReadPattern {
  const slashed = /^\/(.+)\/([a-z]*)$/s.exec(source);
  if (slashed === null) return compile(RE2JS.quote(source), RE2JS.CASE_INSENSITIVE, source);
  const [, body = '', letters = ''] = slashed;
  let flags = 0;
  for (const letter of letters) {
    const flag = FLAGS[letter];
    if (flag === undefined) return refused(source, `it has no flag ${letter}; there are i, m and s`);
    flags |= flag;
  }
  return compile(body, flags, source);
}

/** Reads an I-Regexp (RFC 9485), as JSONPath's `match` and `search` take them; `null` when it is none. */
export function readIRegexp(source: string): Pattern | null {
  const read = compile(withIRegexpDots(source), 0, source);
  return read.kind === 'pattern' ? read.pattern : null;
}

const FLAGS: Readonly<Partial<Record<string, number>>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
};

function compile(body: string, flags: number, source: string): ReadPattern {
  let regexp: RE2JS;
  try {
    regexp = RE2JS.compile(body, flags);
  } catch (error) {
    return refused(source, reasonOf(error));
  }
  if (regexp.programSize() > STATES_MOST) return refused(source, 'it is too large');
  return { kind: 'pattern', pattern: new Pattern(regexp, source) };
}

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (/\(\?[=!<]/.test(text)) return 'it looks ahead or behind, which patterns here cannot';
  if (/invalid escape sequence: `\\[1-9]/.test(text))
    return 'it refers back to a group, which patterns here cannot';
  return text.replace(/^error parsing regexp: /, '');
}

function refused(source: string, why: string): ReadPattern {
  return {
    kind: 'failed',
    failure: {
      class: 'invalid',
      code: 'bad-pattern',
      message: `The pattern ${shown(source)} cannot be read: ${why}.`,
    },
  };
}

function shown(source: string): string {
  return `“${shortened(source, 60)}”`;
}

/** A dot is no line end in an I-Regexp, where RE2 means `\n` alone. */
function withIRegexpDots(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\\\]])*\]|\./gsu, (part) => (part === '.' ? '[^\\n\\r]' : part));
}
