/** What is expected of a server's answer, as the editor holds it. */
import { type HttpAction, type JsonCheck, type Problem, SECOND_MS } from '../../domain/index.ts';

type Expect = NonNullable<HttpAction['expect']>;

/** What a value in the answer's JSON must be. */
export const JSON_CONDITIONS = ['there', 'absent', 'equals', 'above', 'below', 'between'] as const;
export type JsonCondition = (typeof JSON_CONDITIONS)[number];

/** A check as it is typed. A row whose path is blank and that has no value is left out. */
export interface JsonCheckRow {
  readonly path: string;
  readonly is: JsonCondition;
  /** For `equals`: JSON, or a text without quotes. For `above`, `below` and the lower end of `between`: a number. */
  readonly value: string;
  /** The upper end of `between`. */
  readonly most: string;
}

export interface ExpectForm {
  /** Separated by commas or spaces; empty for any 2xx. */
  readonly status: string;
  readonly textContains: string;
  readonly textLacks: string;
  readonly jsonChecks: readonly JsonCheckRow[];
  /** In seconds; empty for no limit. */
  readonly within: string;
}

/** Any 2xx, whatever it holds. */
export function emptyExpect(): ExpectForm {
  return { status: '', textContains: '', textLacks: '', jsonChecks: [], within: '' };
}

/** A check of nothing yet. */
export function emptyCheck(): JsonCheckRow {
  return { path: '', is: 'equals', value: '', most: '' };
}

/** The fields for `expect`. */
export function expectOf(expect: HttpAction['expect']): ExpectForm {
  return {
    status: (expect?.status ?? []).join(', '),
    textContains: expect?.text?.contains ?? '',
    textLacks: expect?.text?.lacks ?? '',
    jsonChecks: (expect?.json ?? []).map(rowOf),
    within: expect?.withinMs === undefined ? '' : String(expect.withinMs / SECOND_MS),
  };
}

function rowOf({ path, equals, above, below, absent }: JsonCheck): JsonCheckRow {
  const row = { path, value: '', most: '' };
  if (absent === true) return { ...row, is: 'absent' };
  if (equals !== undefined) return { ...row, is: 'equals', value: literalText(equals) };
  if (above !== undefined && below !== undefined) {
    return { ...row, is: 'between', value: String(above), most: String(below) };
  }
  if (above !== undefined) return { ...row, is: 'above', value: String(above) };
  if (below !== undefined) return { ...row, is: 'below', value: String(below) };
  return { ...row, is: 'there' };
}

/** What `form` expects, `undefined` when nothing; an empty object or list is kept only where `kept` has one. */
export function readExpect(
  form: ExpectForm,
  kept: HttpAction['expect'],
  problems: Problem[],
): HttpAction['expect'] {
  const { status: _status, text: keptText, json: keptJson, withinMs: _within, ...others } = kept ?? {};
  const status = readStatus(form, problems);
  const text = readText(form, keptText);
  const json = readChecks(form, problems);
  const withinMs = readWithin(form, problems);
  const expect = {
    ...others,
    ...(status.length === 0 ? {} : { status }),
    ...(text === undefined ? {} : { text }),
    ...(json.length === 0 && (keptJson === undefined || keptJson.length > 0) ? {} : { json }),
    ...(withinMs === undefined ? {} : { withinMs }),
  };
  const isEmpty = Object.keys(expect).length === 0;
  return isEmpty && (kept === undefined || Object.keys(kept).length > 0) ? undefined : expect;
}

function readStatus(form: ExpectForm, problems: Problem[]): number[] {
  const words = form.status.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.every((word) => /^\d+$/.test(word))) return words.map(Number);
  problems.push({
    path: 'action.expect.status',
    message: 'List statuses as numbers, such as 200, 204. Leave it empty for any 2xx.',
  });
  return [];
}

function readText({ textContains, textLacks }: ExpectForm, kept: Expect['text']): Expect['text'] {
  if (textContains === '' && textLacks === '') {
    return kept !== undefined && Object.keys(kept).length === 0 ? kept : undefined;
  }
  return {
    ...(textContains === '' ? {} : { contains: textContains }),
    ...(textLacks === '' ? {} : { lacks: textLacks }),
  };
}

function readChecks({ jsonChecks }: ExpectForm, problems: Problem[]): JsonCheck[] {
  const checks: JsonCheck[] = [];
  for (const row of jsonChecks) {
    const path = row.path.trim();
    if (path === '' && row.value.trim() === '') continue;
    // Paths name a check by its place in what is sent, from which blank rows are left out.
    checks.push({ path, ...conditionOf(row, `action.expect.json[${checks.length}]`, problems) });
  }
  return checks;
}

/** The row of `form` that is check number `index` of what is sent. */
export function rowOfCheck({ jsonChecks }: ExpectForm, index: number): number {
  let seen = -1;
  return jsonChecks.findIndex(({ path, value }) => {
    if (path.trim() === '' && value.trim() === '') return false;
    seen += 1;
    return seen === index;
  });
}

function conditionOf(
  { is, value, most }: JsonCheckRow,
  at: string,
  problems: Problem[],
): Omit<JsonCheck, 'path'> {
  const number = (text: string, key: string): number => {
    const n = text.trim() === '' ? NaN : Number(text.trim());
    if (Number.isFinite(n)) return n;
    const what = text.trim() === '' ? 'Enter a number to compare with.' : `“${text}” is not a number.`;
    problems.push({ path: `${at}.${key}`, message: what });
    return 0;
  };
  switch (is) {
    case 'there':
      return {};
    case 'absent':
      return { absent: true };
    case 'equals':
      return { equals: literalOf(value) };
    case 'above':
      return { above: number(value, 'above') };
    case 'below':
      return { below: number(value, 'below') };
    case 'between':
      return { above: number(value, 'above'), below: number(most, 'below') };
  }
}

function readWithin({ within }: ExpectForm, problems: Problem[]): number | undefined {
  const text = within.trim().replace(',', '.');
  if (text === '') return undefined;
  const ms = Math.round(Number(text) * SECOND_MS);
  if (Number.isFinite(ms)) return ms;
  problems.push({
    path: 'action.expect.withinMs',
    message: `“${within}” is not a number of seconds. Leave it empty for no limit.`,
  });
  return undefined;
}

type Literal = NonNullable<JsonCheck['equals']> | null;

/** What stands for `value` in a field: a text as it is, unless it would then be taken for another value. */
function literalText(value: Literal): string {
  if (typeof value !== 'string') return JSON.stringify(value);
  return literalOf(value) === value ? value : JSON.stringify(value);
}

/** The value that `text` says: a JSON text, number, `true`, `false` or `null`; anything else is a text as it stands. */
function literalOf(text: string): Literal {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== 'object') return value as Literal;
  } catch {
    // A text without quotes.
  }
  return text;
}
