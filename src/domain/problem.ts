import * as v from 'valibot';

/** One thing wrong with a value from outside: where, as a path such as `automations[0].schedule.at`, and why. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}

/** What parsing a value from outside gives: the value, or every problem found in it. */
export type Parsed<Value> =
  | { readonly kind: 'ok'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Writes a path as people read it in JSON: `automations[0].action.headers["x-key"]`. */
export function pathText(keys: readonly (string | number)[]): string {
  let text = '';
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) text += text === '' ? key : `.${key}`;
    else text += `[${JSON.stringify(key)}]`;
  }
  return text;
}

/** Parses `value` against `schema` and turns what valibot reports into {@link Problem}s below `at`. */
export function parseWith<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  at: readonly (string | number)[] = [],
): Parsed<v.InferOutput<Schema>> {
  // One problem for each field: a text that is too long need not also be told that it is no URL.
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  if (result.success) {
    const list = findListForObject(value, result.output);
    if (list === null) return { kind: 'ok', value: result.output };
    return {
      kind: 'invalid',
      problems: [{ path: pathText([...at, ...list]), message: 'This must be an object.' }],
    };
  }
  return {
    kind: 'invalid',
    problems: result.issues.map((issue) => {
      const keys = keysOf(issue);
      return { path: pathText([...at, ...keys]), message: inStep(keys, messageOf(issue)) };
    }),
  };
}

/** The keys of a list in `input` that was taken for an object, or `null`. Valibot takes one for an object without fields. */
function findListForObject(input: unknown, output: unknown): readonly (string | number)[] | null {
  // The same value was taken as it is, whatever it is: it may even go in circles.
  if (input === output) return null;
  if (typeof input !== 'object' || input === null || typeof output !== 'object' || output === null)
    return null;
  if (Array.isArray(input) && !Array.isArray(output)) return [];
  for (const [key, value] of Object.entries(output)) {
    const within = findListForObject((input as Partial<Record<string, unknown>>)[key], value);
    if (within !== null) return [Array.isArray(output) ? Number(key) : key, ...within];
  }
  return null;
}

/** `message`, which begins with the step that it is about. */
function inStep(keys: readonly (string | number)[], message: string): string {
  const index = keys[keys.indexOf('steps') + 1];
  if (typeof index !== 'number' || keys[keys.indexOf('steps') - 1] !== 'action') return message;
  const step = `Step ${index + 1}: `;
  return message.startsWith(step) ? message : step + message;
}

/** What is wrong, in words. An object's own complaints have no words of ours: each schema says only what a value is. */
function messageOf(issue: v.BaseIssue<unknown>): string {
  if (issue.type !== 'strict_object') return issue.message;
  if (issue.expected === 'never') return 'Rota does not know this field.';
  return issue.expected === 'Object' ? 'This must be an object.' : 'This field is missing.';
}

function keysOf(issue: v.BaseIssue<unknown>): (string | number)[] {
  return (issue.path ?? []).flatMap((item) =>
    typeof item.key === 'string' || typeof item.key === 'number' ? [item.key] : [],
  );
}

/** A whole number from `least` to `most`; `what` begins the sentence of a refusal. */
export const wholeNumber = (least: number, most: number, what: string) =>
  v.pipe(
    v.number(`${what} must be a number.`),
    v.integer(`${what} must be a whole number.`),
    v.minValue(least, `${what} must be at least ${least}.`),
    v.maxValue(most, `${what} must be at most ${most}.`),
  );

/** Text of at most `most` characters; `what` begins the sentence of a refusal. */
export const boundedText = (what: string, most: number) =>
  v.pipe(v.string(`${what} must be text.`), v.maxLength(most, `${what} must be at most ${most} characters.`));
