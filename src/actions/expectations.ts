/**
 * Whether what a server answered is what a person expects of it, beyond its status: texts and values of its JSON. Load it
 * when it is first used (`loadPart`): it brings the libraries for patterns and JSONPath with it.
 */
import type { Failure, HttpAction, JsonCheck, ReceivedResponse } from '../domain/index.ts';
import { shortened, sizeText } from './amounts.ts';
import { findInJson, findPathProblem } from './json-path.ts';
import { LimitReached } from './limit-reached.ts';
import { type Pattern, PatternBudget, readPattern } from './pattern.ts';

type Expect = NonNullable<HttpAction['expect']>;

/** What is wrong with an expectation as such, and the keys that lead to it below `expect`. */
export interface ExpectationProblem {
  readonly field: readonly (string | number)[];
  readonly failure: Failure;
}

/** What could not be used of `expect` whatever is answered: patterns and paths that do not parse. Never rejects. */
export async function findExpectationProblems(
  expect: Expect | undefined,
): Promise<readonly ExpectationProblem[]> {
  const problems: ExpectationProblem[] = [];
  for (const key of ['contains', 'lacks'] as const) {
    const source = expect?.text?.[key];
    const read = source === undefined ? null : readPattern(source);
    if (read?.kind === 'failed') problems.push({ field: ['text', key], failure: read.failure });
  }
  for (const [index, { path }] of (expect?.json ?? []).entries()) {
    const failure = await findPathProblem(path);
    if (failure !== null) problems.push({ field: ['json', index, 'path'], failure });
  }
  return problems;
}

/** The first thing in `received` that is not as `expect` says; `null` when all is. Never rejects. */
export async function findUnexpected(
  expect: Expect | undefined,
  host: string,
  received: ReceivedResponse,
): Promise<Failure | null> {
  return unexpectedText(expect?.text, host, received) ?? (await unexpectedJson(expect?.json, host, received));
}

function unexpectedText(expected: Expect['text'], host: string, received: ReceivedResponse): Failure | null {
  if (expected?.contains === undefined && expected?.lacks === undefined) return null;
  const { text } = received;
  if (text === null) return unreadable(host, 'is not text, so no text can be looked for in it', received);
  const budget = new PatternBudget();
  try {
    if (expected.contains !== undefined) {
      const wanted = patternOf(expected.contains);
      if (!wanted.isIn(text, budget)) {
        return unexpected(
          'text-missing',
          `The answer of ${host} does not contain ${quoted(expected.contains)}`,
          received,
        );
      }
    }
    if (expected.lacks !== undefined && patternOf(expected.lacks).isIn(text, budget)) {
      return {
        class: 'action',
        code: 'text-found',
        message: `The answer of ${host} contains ${quoted(expected.lacks)}, which it should not.`,
      };
    }
  } catch (error) {
    if (error instanceof LimitReached) return error.failure;
    throw error;
  }
  // What was cut away may hold it: nothing is claimed about what was not read.
  return expected.lacks !== undefined && received.truncated
    ? unreadable(
        host,
        `is larger than what is kept of it, so ${quoted(expected.lacks)} may stand in the rest`,
        received,
      )
    : null;
}

/** Reads what was saved, and so was read before; one of a newer version may still fail. */
function patternOf(source: string): Pattern {
  const read = readPattern(source);
  if (read.kind === 'failed') throw new LimitReached(read.failure);
  return read.pattern;
}

async function unexpectedJson(
  checks: Expect['json'],
  host: string,
  received: ReceivedResponse,
): Promise<Failure | null> {
  if (checks === undefined || checks.length === 0) return null;
  if (received.truncated) {
    return unreadable(host, 'is larger than what is kept of it, so its JSON cannot be checked', received);
  }
  let json: unknown;
  try {
    json = JSON.parse(received.text ?? '');
  } catch {
    return unreadable(host, `is not JSON${received.text === '' ? ' but empty' : ''}`, received);
  }
  for (const check of checks) {
    const found = await findInJson(check.path, json);
    if (found.kind === 'failed') return found.failure;
    const why = whyNot(check, found.values);
    if (why !== null) {
      return { class: 'action', code: 'unexpected-value', message: `In the answer of ${host}, ${why}.` };
    }
  }
  return null;
}

/** Why `values`, found at the path of `check`, are not as it says. Every one of them must be. */
function whyNot(
  { path, equals, above, below, absent }: JsonCheck,
  values: readonly unknown[],
): string | null {
  const at = shortened(path, 60);
  if (absent === true)
    return values.length === 0 ? null : `${at} is there, which it should not be: ${shown(values[0])}`;
  if (values.length === 0) return `there is nothing at ${at}`;
  for (const value of values) {
    if (equals !== undefined && value !== equals) return `${at} is ${shown(value)} and not ${shown(equals)}`;
    if (above === undefined && below === undefined) continue;
    if (typeof value !== 'number') return `${at} is ${shown(value)} and not a number`;
    if (above !== undefined && !(value > above)) return `${at} is ${value}, which is not above ${above}`;
    if (below !== undefined && !(value < below)) return `${at} is ${value}, which is not below ${below}`;
  }
  return null;
}

function shown(value: unknown): string {
  return shortened(JSON.stringify(value), 60);
}

function quoted(text: string): string {
  return text.startsWith('/') ? shortened(text, 60) : `“${shortened(text, 60)}”`;
}

function unexpected(code: string, what: string, { truncated, text }: ReceivedResponse): Failure {
  const cut = truncated ? ` in its first ${sizeText(text?.length ?? 0)}, which is all that is kept` : '';
  return { class: 'action', code, message: `${what}${cut}.` };
}

function unreadable(host: string, why: string, { contentType }: ReceivedResponse): Failure {
  return {
    class: 'action',
    code: 'answer-not-checkable',
    message: `The answer of ${host} ${why}.`,
    ...(contentType === '' ? {} : { advice: `The server says that it is ${shortened(contentType, 60)}.` }),
  };
}
