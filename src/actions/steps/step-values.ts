/** What templates of a step can name of the steps before it, and what to say of what they cannot. */
import { Drop, type Liquid } from 'liquidjs';
import {
  type Failure,
  type StepTrace,
  type StepValues,
  stepTitle,
  stepValues,
  textOf,
} from '../../domain/index.ts';
import type { StepFacts } from '../action-context.ts';
import { shortened } from '../amounts.ts';

/** What a template can name of a step. */
const FIELDS: readonly string[] = [
  'output',
  'json',
  'status',
  'changed',
  'name',
] satisfies (keyof StepValues)[];

/** The values of the steps before `step`, for a template that says `text`. Freshly made: the template may write to them. */
export function valuesOfSteps({ place, before }: StepFacts, text: string): Readonly<Record<string, object>> {
  const wanted = { json: /\bjson\b/.test(text) };
  if (before !== 'unknown') {
    const given = before.flatMap((trace) => {
      const values = stepValues(trace, wanted);
      return values === null ? [] : [[String(trace.step), values] as const];
    });
    return Object.fromEntries(given);
  }
  // A text that is only what a step will bring back may be anything, such as a whole address.
  const output = /^\s*\{[{%]/.test(text) ? SAMPLE_URL : '1';
  const sample = { output, json: new Anything(output), status: 200, changed: true, name: 'sample' };
  return Object.fromEntries(
    Array.from({ length: place - 1 }, (_, index) => [String(index + 1), { ...sample }]),
  );
}

/** Stands for a text that cannot be known before the steps before it have run. */
export const SAMPLE_URL = 'https://sample.invalid/';

/** A value of which everything can be named, and is another one: a group, a list of one, and a text. */
class Anything extends Drop {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }
  override liquidMethodMissing(): Anything {
    return new Anything(this.#text);
  }
  override valueOf(): this {
    return this;
  }
  override toString(): string {
    return this.#text;
  }
  *[Symbol.iterator](): Generator<Anything> {
    yield new Anything(this.#text);
  }
}

/** Why `text` cannot be filled in whatever the steps before it bring back; `null` when it may. Throws where it does not parse. */
export function whyNeverThere(
  engine: Liquid,
  text: string,
  what: string,
  { place }: StepFacts,
): Failure | null {
  for (const [root, step, field] of engine.globalVariableSegmentsSync(text)) {
    if (root !== 'steps' || step === undefined || typeof step === 'object') continue;
    const name = `steps.${step}`;
    if (!/^[1-9]\d*$/.test(String(step)))
      return missing(what, name, 'because steps are named by their number', 'Such as {{ steps.1.output }}.');
    if (Number(step) === place) return missing(what, name, 'but that is this step', namesAdvice(place));
    if (Number(step) > place) return missing(what, name, 'but that step comes later', namesAdvice(place));
    if (typeof field === 'string' && !FIELDS.includes(field) && field !== 'size')
      return missing(what, `${name}.${shortened(field, 60)}`, 'which no step has', namesAdvice(place));
  }
  return null;
}

/** What to say of `name`, which begins with `steps` and is not there. */
export function whyStepMissing(name: string, what: string, { place, before }: StepFacts): Failure {
  const [, number = '', field = '', ...rest] = name
    .replaceAll(/\[["']?|["']?\]/g, '.')
    .split('.')
    .filter((part) => part !== '');
  const trace = before === 'unknown' ? undefined : before.find(({ step }) => String(step) === number);
  const shown = shortened(name, 60);
  if (trace === undefined) return missing(what, shown, 'which does not exist', namesAdvice(place));
  return missing(what, shown, `but ${whyNot(trace, field, rest.length > 0)}`, namesAdvice(place));
}

function whyNot(trace: StepTrace, field: string, isWithin: boolean): string {
  const title = stepTitle(trace.step, trace.name).replace('Step', 'step');
  switch (trace.status) {
    case 'left-out':
      return `${title} was left out`;
    case 'failed':
    case 'stopped':
    case 'not-reached':
      return `${title} brought nothing back`;
    case 'succeeded':
    case 'taken':
      break;
  }
  const found = textOf(trace.output);
  switch (field) {
    case 'output':
      return `${title} brought no text back`;
    case 'json':
      if (found === null) return `${title} brought no text back`;
      if (found.cut) return `what ${title} brought back was cut, so it is no JSON any more`;
      return isWithin && stepValues(trace, { json: true })?.json !== undefined
        ? `what ${title} brought back does not have it`
        : `what ${title} brought back is not JSON`;
    case 'status':
      return `${title} is no request`;
    case 'changed':
      return `${title} is no watch`;
    case 'name':
      return `${title} has no name`;
    default:
      return 'no step has that';
  }
}

function namesAdvice(place: number): string {
  if (place === 1) return 'There is no step before the first.';
  const steps = place === 2 ? 'step 1' : `steps 1 to ${place - 1}`;
  return `It can name output, json, status, changed and name of ${steps}, such as {{ steps.1.output }}.`;
}

function missing(what: string, name: string, why: string, advice: string): Failure {
  return {
    class: 'invalid',
    code: 'template-missing',
    message: `${what} names {{ ${name} }}, ${why}.`,
    advice,
  };
}
