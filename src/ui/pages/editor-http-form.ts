/** A request as the editor holds it. */
import { type HttpAction, type HttpMethod, type Problem, pathText } from '../../domain/index.ts';
import { type ExpectForm, emptyExpect, expectOf, readExpect } from './editor-expect-form.ts';

/** A header as it is typed. Rows that are blank on both sides are left out. */
export interface HeaderRow {
  readonly name: string;
  readonly value: string;
}

export interface HttpForm extends ExpectForm {
  readonly method: HttpMethod;
  readonly url: string;
  readonly headers: readonly HeaderRow[];
  readonly body: string;
  readonly idempotencyKey: boolean;
  readonly repeatable: boolean;
  /** It only asks whether something answers; what such a check cannot send or read is kept, and left out of it. */
  readonly reachability: boolean;
}

/** Whether a request with `method` may carry a body; browsers refuse one with GET and HEAD. */
export function takesBody(method: HttpMethod): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** A GET of nothing yet. */
export function emptyHttp(): HttpForm {
  return {
    method: 'GET',
    url: '',
    headers: [],
    body: '',
    ...emptyExpect(),
    idempotencyKey: false,
    repeatable: false,
    reachability: false,
  };
}

/** The fields for `action`. */
export function httpOf(action: HttpAction): HttpForm {
  return {
    method: action.method,
    url: action.url,
    headers: Object.entries(action.headers).map(([name, value]) => ({ name, value })),
    body: action.body ?? '',
    ...expectOf(action.expect),
    idempotencyKey: action.idempotencyKey,
    repeatable: action.repeatable,
    reachability: action.reachability === true,
  };
}

/** The request that `form` says; what the form does not show is as in `kept`. */
export function readHttp(form: HttpForm, kept: HttpAction | undefined, problems: Problem[]): HttpAction {
  const { body: keptBody, expect: keptExpect, reachability: _, ...rest } = kept ?? {};
  if (form.reachability) return readReachability(form, keptExpect, rest, problems);
  const body = bodyFrom(form, keptBody);
  const expect = readExpect(form, keptExpect, problems);
  return {
    ...rest,
    kind: 'http',
    method: form.method,
    url: form.url,
    headers: readHeaders(form.headers, problems),
    idempotencyKey: form.idempotencyKey,
    repeatable: form.repeatable,
    ...(body === undefined ? {} : { body }),
    ...(expect === undefined ? {} : { expect }),
  };
}

/** Only the address and the time count; what else is in the form is for when it is switched off again. */
function readReachability(
  form: HttpForm,
  keptExpect: HttpAction['expect'],
  kept: Partial<HttpAction>,
  problems: Problem[],
): HttpAction {
  const { within } = form;
  const expect = readExpect({ ...emptyExpect(), within }, keptExpect, problems);
  return {
    ...kept,
    kind: 'http',
    method: 'GET',
    url: form.url,
    headers: {},
    idempotencyKey: false,
    repeatable: false,
    reachability: true,
    ...(expect === undefined ? {} : { expect }),
  };
}

/** An empty body is none, unless it was there. */
function bodyFrom(form: HttpForm, kept: string | undefined): string | undefined {
  if (!takesBody(form.method)) return undefined;
  return form.body === '' ? (kept === '' ? '' : undefined) : form.body;
}

/** The headers that `rows` say. */
export function readHeaders(rows: readonly HeaderRow[], problems: Problem[]): Record<string, string> {
  const seen = new Set<string>();
  const entries: [string, string][] = [];
  for (const { name, value } of rows) {
    const key = name.trim();
    if (key === '' && value.trim() === '') continue;
    if (key === '') {
      problems.push({ path: 'action.headers', message: `The value “${value}” has no header name.` });
    } else if (seen.has(key)) {
      const path = pathText(['action', 'headers', key]);
      problems.push({
        path,
        message: `${key} is there twice. Put both values in one row, with a comma between them.`,
      });
    }
    seen.add(key);
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}
