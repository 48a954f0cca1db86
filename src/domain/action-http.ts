import * as v from 'valibot';
import { boundedText } from './problem.ts';
import { IDEMPOTENCY_KEY, whyHeaderIsKept } from './request-headers.ts';

/** Methods an HTTP request may use. Browsers refuse CONNECT, TRACE and TRACK. */
export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** Longest text a definition may hold in one field. */
const TEXT_MOST = 100_000;

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** A URL that can be requested: absolute http or https, or a template that may become one. */
function isRequestUrl(url: string): boolean {
  if (/\{[{%]/.test(url)) return /^(https?:\/\/|\{[{%])/i.test(url);
  return /^https?:\/\/[^\s/?#@]+(?::\d+)?([/?#]\S*)?$/i.test(url);
}

const headersSchema = v.record(
  v.pipe(v.string(), v.regex(HEADER_NAME, 'A header name holds letters, digits and hyphens only.')),
  v.pipe(
    boundedText('A header value', 10_000),
    v.regex(/^[^\r\n\0]*$/, 'A header value must be a single line.'),
  ),
  'Headers are an object of names and values.',
);

const expectedText = v.pipe(
  boundedText('A text to look for', 1_000),
  v.nonEmpty('Enter the text to look for, or leave it out.'),
);

/** What a value in the answer's JSON must be; with no condition it must only be there. */
const jsonCheckSchema = v.pipe(
  v.strictObject({
    /** JSONPath (RFC 9535). */
    path: v.pipe(boundedText('A JSONPath', 1_000), v.trim(), v.startsWith('$', 'A JSONPath begins with $.')),
    equals: v.exactOptional(
      v.union(
        [boundedText('A value', 10_000), v.pipe(v.number(), v.finite()), v.boolean(), v.null()],
        'equals is a text, a number, true, false or null.',
      ),
    ),
    above: v.exactOptional(v.pipe(v.number('above is a number.'), v.finite('above is a number.'))),
    below: v.exactOptional(v.pipe(v.number('below is a number.'), v.finite('below is a number.'))),
    /** It must not be there. */
    absent: v.exactOptional(v.literal(true, 'absent is true, or left out.')),
  }),
  v.check(
    ({ equals, above, below, absent }) =>
      [equals, absent, above ?? below].filter((condition) => condition !== undefined).length <= 1,
    'A check has one condition: equals, or above and below, or absent.',
  ),
);
export type JsonCheck = v.InferOutput<typeof jsonCheckSchema>;

/** Most checks of an answer's JSON in one automation. */
const JSON_CHECKS_MOST = 20;

/** The schema of a URL, or of a template that may become one. */
export const urlSchema = v.pipe(
  boundedText('The URL', 10_000),
  v.trim(),
  v.nonEmpty('Enter the URL to request.'),
  v.check(isRequestUrl, 'The URL must start with http:// or https:// and name a host.'),
);

const httpFields = v.strictObject({
  kind: v.literal('http'),
  method: v.exactOptional(
    v.picklist(HTTP_METHODS, `The method is one of ${HTTP_METHODS.join(', ')}.`),
    'GET',
  ),
  url: urlSchema,
  headers: v.exactOptional(headersSchema, {}),
  body: v.exactOptional(boundedText('The body', TEXT_MOST)),
  expect: v.exactOptional(
    v.strictObject({
      status: v.exactOptional(
        v.pipe(
          v.array(
            v.pipe(
              v.number('A status is a number.'),
              v.integer('A status is a whole number.'),
              v.minValue(100, 'A status is between 100 and 599.'),
              v.maxValue(599, 'A status is between 100 and 599.'),
            ),
            'Expected statuses are a list of numbers.',
          ),
          v.minLength(1, 'List at least one status, or leave it out for any 2xx.'),
        ),
      ),
      /** Literal and in any case, or a pattern between slashes, such as `/total: \d+/i`. */
      text: v.exactOptional(
        v.strictObject({ contains: v.exactOptional(expectedText), lacks: v.exactOptional(expectedText) }),
      ),
      json: v.exactOptional(
        v.pipe(
          v.array(jsonCheckSchema, 'Checks of the JSON are a list.'),
          v.maxLength(JSON_CHECKS_MOST, `At most ${JSON_CHECKS_MOST} checks of the JSON.`),
        ),
      ),
      /** Longest time from sending to the end of the answer. */
      withinMs: v.exactOptional(
        v.pipe(
          v.number('withinMs is a number of milliseconds.'),
          v.integer('withinMs is a whole number of milliseconds.'),
          v.minValue(1, 'An answer takes at least a millisecond.'),
          v.maxValue(86_400_000, 'At most a day.'),
        ),
      ),
    }),
  ),
  /** Send `Idempotency-Key: <occurrence>` so that the server drops a repeat; the request then counts as repeatable. */
  idempotencyKey: v.exactOptional(v.boolean('idempotencyKey is true or false.'), false),
  /**
   * Only whether something answers, and how soon: sent without asking for leave to read the answer (`no-cors`), so it works
   * with any server, and nothing of what that says can be read, not even its status.
   */
  reachability: v.exactOptional(v.literal(true, 'reachability is true, or left out.')),
  /** The person says that repeating this request does no harm. */
  repeatable: v.exactOptional(v.boolean('repeatable is true or false.'), false),
});

interface FieldProblem {
  readonly path: readonly [keyof HttpFields, ...string[]];
  readonly message: string;
}
type HttpFields = v.InferOutput<typeof httpFields>;

/** What is wrong with the fields of a request together, though each is well-formed. */
function problemsOfRequest(request: HttpFields): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (request.body !== undefined && (request.method === 'GET' || request.method === 'HEAD'))
    problems.push({ path: ['body'], message: `A ${request.method} request has no body.` });
  if (request.reachability === true) return [...problems, ...problemsOfReachability(request)];
  for (const { name, message } of problemsOfHeaders(request.headers))
    problems.push({ path: ['headers', name], message });
  if (!request.idempotencyKey) return problems;
  for (const name of Object.keys(request.headers)) {
    if (name.toLowerCase() === IDEMPOTENCY_KEY.toLowerCase())
      problems.push({
        path: ['headers', name],
        message: `Rota sets ${name} itself; remove it or switch the key off.`,
      });
  }
  return problems;
}

/** What a reachability check cannot send, or cannot find out. */
function problemsOfReachability({ method, headers, idempotencyKey, expect }: HttpFields): FieldProblem[] {
  const problems: FieldProblem[] = [];
  if (method !== 'GET') problems.push({ path: ['method'], message: 'A reachability check is a GET.' });
  for (const name of Object.keys(headers))
    problems.push({
      path: ['headers', name],
      message: `A reachability check sends no headers; remove ${name}.`,
    });
  if (idempotencyKey)
    problems.push({
      path: ['idempotencyKey'],
      message: 'A reachability check sends no headers; switch the key off.',
    });
  for (const [key, what] of UNREADABLE)
    if (expect?.[key] !== undefined)
      problems.push({
        path: ['expect', key],
        message: `A reachability check cannot read ${what}; of what is expected it can only hold withinMs.`,
      });
  return problems;
}

const UNREADABLE = [
  ['status', 'the status of the answer'],
  ['text', 'the text of the answer'],
  ['json', 'the JSON of the answer'],
] as const;

/** Which headers no page may set, and which are there twice. */
function problemsOfHeaders(
  headers: Readonly<Record<string, string>>,
): readonly { readonly name: string; readonly message: string }[] {
  const problems: { readonly name: string; readonly message: string }[] = [];
  const seen = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const kept = whyHeaderIsKept(name, value);
    if (kept !== null) problems.push({ name, message: kept });
    const key = name.toLowerCase();
    const twin = seen.get(key);
    if (twin !== undefined) problems.push({ name, message: `${name} and ${twin} are the same header.` });
    seen.set(key, name);
  }
  return problems;
}

/** The schema of the headers of a request that has nothing else to say about them. */
export const plainHeadersSchema = v.pipe(
  headersSchema,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    for (const { name, message } of problemsOfHeaders(value))
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: value, key: name, value: value[name] }],
      });
  }),
);

/** The schema of one HTTP request. */
export const httpSchema = v.pipe(
  httpFields,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    for (const { path, message } of problemsOfRequest(value)) {
      const [field, ...keys] = path;
      const items: v.IssuePathItem[] = [
        { type: 'object', origin: 'value', input: value, key: field, value: value[field] },
      ];
      const inside: Readonly<Record<string, unknown>> =
        field === 'headers' ? value.headers : (value.expect ?? {});
      for (const key of keys)
        items.push({ type: 'object', origin: 'value', input: inside, key, value: inside[key] });
      addIssue({ message, path: items as [v.IssuePathItem, ...v.IssuePathItem[]] });
    }
  }),
);

export type HttpAction = v.InferOutput<typeof httpSchema>;

/**
 * Whether sending it twice does no more than sending it once: a safe method (RFC 9110, section 9.2.1), or the receiver
 * drops the repeat, or the person said so.
 */
export function isRepeatableRequest({ method, idempotencyKey, repeatable }: HttpAction): boolean {
  return method === 'GET' || method === 'HEAD' || idempotencyKey || repeatable;
}
