/** What fills templates in, loaded with its library when the first text needs it. */
import { type FilterImplOptions, Liquid } from 'liquidjs';
import type { EpochMs, Failure } from '../domain/index.ts';
import { shortened } from './amounts.ts';
import { formatInstant, type InstantStyle } from './format-instant.ts';
import { SAMPLE_URL, valuesOfSteps, whyNeverThere, whyStepMissing } from './steps/step-values.ts';
import type { Filled, TemplateScope, TemplateValues } from './template-scope.ts';

/** Longest text a template may become, in characters. */
const RENDERED_MOST = 1_000_000;
/** How long one template may take. It blocks its host's other work, so a loop that runs away must end soon. */
const RENDER_MOST_MS = 500;
/** How much one template may allocate, as liquidjs counts it: roughly characters and list items. */
const MEMORY_MOST = 4_000_000;

/** Longest format of a time, in characters. */
const FORMAT_MOST = 500;

/** Fills `text` in; `what` begins the sentence of a failure, `more` are values besides those of `scope`. Never throws. */
export function render(
  text: string,
  what: string,
  scope: TemplateScope,
  more: { readonly secrets?: Readonly<Record<string, string>> },
): Filled {
  const engine = createEngine(text.length, scope);
  const { step } = scope;
  const steps = step !== undefined && /\bsteps\b/.test(text) ? step : null;
  const isSample = steps?.before === 'unknown';
  try {
    const template = engine.parse(text);
    const never = isSample ? whyNeverThere(engine, text, what, steps) : null;
    if (never !== null) return { kind: 'failed', failure: never };
    const rendered: unknown = engine.renderSync(template, {
      // `increment` writes into the values it is given, so each template gets its own.
      ...structuredClone({ ...scope.values, ...more }),
      ...(steps === null ? {} : { steps: valuesOfSteps(steps, text) }),
    });
    const filled = String(rendered);
    // Up to here a long text is a tree of shared parts; looking at more than its length would build it.
    if (filled.length > RENDERED_MOST) return { kind: 'failed', failure: limitFailure(what) };
    return { kind: 'filled', text: filled, shown: filled };
  } catch (error) {
    const failure = failureOf(error, what, scope.values);
    if (steps === null) return { kind: 'failed', failure };
    // What a filter makes of a sample says nothing of what it will be given.
    if (isSample && failure.code === 'template-failed')
      return { kind: 'filled', text: SAMPLE_URL, shown: SAMPLE_URL };
    const name = (error as Partial<LiquidErrorLike>).originalError?.variableName ?? '';
    const isOfStep = /^steps\b/.test(name);
    return { kind: 'failed', failure: isOfStep ? whyStepMissing(name, what, steps) : failure };
  }
}

function createEngine(parseLimit: number, { now, style }: TemplateScope): Liquid {
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    // `default` and `if` are how a template says that a value may be missing.
    lenientIf: true,
    templates: {},
    outputEscape: refuseGroups,
    parseLimit,
    renderLimit: RENDER_MOST_MS,
    memoryLimit: MEMORY_MOST,
  });
  // There are no files to take in, so the tags that would are unknown, which is what a person should read.
  for (const tag of ['include', 'render', 'layout', 'block']) Reflect.deleteProperty(engine.tags, tag);
  for (const name of ['date_to_string', 'date_to_long_string']) engine.unregisterFilter(name);
  for (const [name, filter] of Object.entries(timeFilters(now, style))) engine.registerFilter(name, filter);
  return engine;
}

function timeFilters(now: () => EpochMs, style: InstantStyle): Readonly<Record<string, FilterImplOptions>> {
  return {
    date: (value: unknown, format: unknown = '%Y-%m-%d %H:%M', timeZone?: unknown): string => {
      if (typeof format !== 'string') throw new TypeError('the format of a time must be text');
      // Each directive asks Intl, so a format as long as a template may be would block its host for seconds.
      if (format.length > FORMAT_MOST) throw new RangeError('the format of a time is too long');
      if (timeZone === undefined) return formatInstant(instantOf(value, now), format, style);
      if (typeof timeZone !== 'string')
        throw new TypeError('a time zone must be text, such as "Europe/Paris"');
      return formatInstant(instantOf(value, now), format, { ...style, timeZone });
    },
    date_to_xmlschema: (value: unknown): string =>
      formatInstant(instantOf(value, now), '%Y-%m-%dT%H:%M:%S%:z', style),
    date_to_rfc822: (value: unknown): string =>
      formatInstant(instantOf(value, now), '%a, %d %b %Y %H:%M:%S %z', { ...style, locale: 'en-US' }),
  };
}

/** Reads epoch milliseconds, `now`, or a date that JavaScript reads. Throws on anything else. */
function instantOf(value: unknown, now: () => EpochMs): EpochMs {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string') {
    if (value === 'now' || value === 'today') return now();
    const at = /^-?\d{5,}$/.test(value) ? Number(value) : Date.parse(value);
    if (Number.isFinite(at)) return at;
  }
  const shown = typeof value === 'object' ? 'this' : JSON.stringify(value);
  throw new RangeError(`${shortened(shown, 60)} is not a time`);
}

/** Without this a group of values would become `[object Object]` in silence. */
function refuseGroups(value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const [first] = Object.keys(value);
    if (first !== undefined && Object.getPrototypeOf(value) === Object.prototype)
      throw new TypeError(`a group of values has no text; name one of them, such as its ${first}`);
  }
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null))
    throw new TypeError('a list of groups has no text; name one of them, or use the filter json');
  // liquidjs turns what is left into text itself; its types ask for text already.
  return value as string;
}

const PLACE = /, line:(\d+), col:\d+$/;

/** How engines say that they ran out of stack, of string length or of array length, and liquidjs of its limits. */
const EXHAUSTED = /limit exceeded|call stack|too much recursion|(?:string|array) length|out of memory/i;

function failureOf(error: unknown, what: string, values: TemplateValues): Failure {
  const { name = '', message = String(error), originalError } = error as Partial<LiquidErrorLike>;
  if (originalError?.variableName !== undefined) {
    return {
      class: 'invalid',
      code: 'template-missing',
      message: `${what} names {{ ${shortened(originalError.variableName, 60)} }}, which does not exist.`,
      advice: `A template can name ${namesOf(values).join(', ')}.`,
    };
  }
  if (EXHAUSTED.test(message)) return limitFailure(what);
  const place = PLACE.exec(message);
  const line = place === null ? '' : `, line ${place[1]}`;
  const reason = shortened(message.replace(PLACE, ''), 200);
  const isUnreadable = name === 'TokenizationError' || name === 'ParseError';
  return {
    class: 'invalid',
    code: isUnreadable ? 'template-syntax' : 'template-failed',
    message: isUnreadable
      ? `${what} has a template that cannot be read${line}: ${reason}.`
      : `${what} cannot be filled in${line}: ${reason}.`,
  };
}

interface LiquidErrorLike {
  readonly name: string;
  readonly message: string;
  readonly originalError?: Error & { readonly variableName?: string };
}

function limitFailure(what: string): Failure {
  return {
    class: 'invalid',
    code: 'template-limit',
    message: `${what} has a template that takes too long or grows too large.`,
    advice: `A template has ${RENDER_MOST_MS} ms and becomes at most ${RENDERED_MOST} characters.`,
  };
}

function namesOf(values: TemplateValues): string[] {
  return Object.entries(values).flatMap(([group, members]) =>
    Object.keys(members as object).map((member) => `${group}.${member}`),
  );
}
