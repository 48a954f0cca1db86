/** What a field of the editor can name: what earlier steps brought back, the run itself, and secrets. */
import { type StepTrace, stepValues } from '../../domain/index.ts';
import type { RunDetail } from '../../rpc/index.ts';
import { TEMPLATE_VALUES } from '../text/help-actions.ts';
import { stepSentence } from './editor-step-words.ts';
import type { StepForm } from './editor-steps-form.ts';

/** One value that can be inserted. */
export interface Insertable {
  /** What it belongs to, where it is the first of its kind. */
  readonly heading?: string;
  readonly label: string;
  /** What it was in the last run, in a line; or what it is, where that is not known or not shown. */
  readonly detail: string;
  /** What is inserted. */
  readonly text: string;
}

/** What the offer is made of. */
export interface InsertableFrom {
  readonly name: string;
  /** The steps before the field's own. */
  readonly before: readonly StepForm[];
  /** Newest first, with what they brought back. */
  readonly runs: readonly RunDetail[];
  /** Names of secrets, and where they may go; empty where none may stand. */
  readonly secrets: readonly { readonly name: string; readonly origins: readonly string[] }[];
  /** A template is written into a text; a script reads its values itself. */
  readonly into: 'template' | 'script';
}

/** Most characters of a value; the menu cuts what is too long for it. */
const DETAIL_MOST = 80;
/** Most values in the JSON of one step, and how deep they are looked for. */
const JSON_MOST = 12;
const JSON_DEEP = 3;

/** Everything that can be inserted, in groups. */
export function insertable(from: InsertableFrom): readonly Insertable[] {
  const steps = from.before.flatMap((step, index) =>
    grouped(`Step ${index + 1}: ${stepSentence(step)}`, ofStep(step, index + 1, from)),
  );
  if (from.into === 'script') return steps;
  return [...steps, ...grouped('This run', ofRun(from)), ...grouped('Secrets', ofSecrets(from))];
}

function grouped(heading: string, items: readonly Insertable[]): readonly Insertable[] {
  return items.map((item, index) => (index === 0 ? { heading: inLine(heading), ...item } : item));
}

function ofStep(step: StepForm, place: number, { runs, into }: InsertableFrom): readonly Insertable[] {
  const trace = runs.map((run) => traceOf(run, step)).find((one) => one !== null) ?? null;
  const values = trace === null ? null : stepValues(trace, { json: true });
  const kind = step.action.actionKind;
  const why = values !== null ? null : runs.length === 0 ? 'not run yet' : 'nothing in the last run';
  const text = (path: string): string =>
    into === 'script' ? `steps[${place}]${path}` : `{{ steps.${place}${path} }}`;
  const one = (label: string, value: unknown): Insertable => ({
    label,
    detail: why ?? (value === undefined ? 'nothing in the last run' : shown(value)),
    text: text(`.${label}`),
  });
  return [
    one('output', values?.output),
    ...(values?.json === undefined
      ? []
      : leaves(values.json).map(({ path, value }) => ({
          label: `json${path}`,
          detail: shown(value),
          text: text(`.json${path}`),
        }))),
    ...(kind === 'http' ? [one('status', values?.status)] : []),
    ...(kind === 'watch' ? [one('changed', values?.changed)] : []),
  ];
}

/** What `step` did in `run`, also where it was an action alone then. */
function traceOf({ output, status }: RunDetail, step: StepForm): StepTrace | null {
  if (output === null) return null;
  const kind = step.action.actionKind;
  if (output.kind !== 'steps') {
    if (step.id !== 1 || output.kind !== kind || status !== 'succeeded') return null;
    return { step: 1, id: 1, kind, status: 'succeeded', startedAt: 0, totalMs: 0, summary: '', output };
  }
  const trace = output.steps.find((one) => one.id === step.id && one.kind === kind);
  return trace !== undefined && stepValues(trace, { json: false }) !== null ? trace : null;
}

/** The single values in `json`, of a list those of its first. */
function leaves(json: unknown): readonly { readonly path: string; readonly value: unknown }[] {
  const found: { readonly path: string; readonly value: unknown }[] = [];
  const look = (value: unknown, path: string, deep: number): void => {
    if (found.length >= JSON_MOST) return;
    if (typeof value !== 'object' || value === null) {
      if (path !== '') found.push({ path, value });
      return;
    }
    const inside = Object.entries(value).slice(0, Array.isArray(value) ? 1 : JSON_MOST);
    if (deep >= JSON_DEEP || inside.length === 0) {
      if (path !== '') found.push({ path, value });
      return;
    }
    for (const [key, one] of inside) look(one, `${path}${segment(key, Array.isArray(value))}`, deep + 1);
  };
  look(json, '', 0);
  return found;
}

function segment(key: string, isIndex: boolean): string {
  if (isIndex) return `[${key}]`;
  return /^[A-Za-z_]\w*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}

function ofRun({ name, runs: [last] }: InsertableFrom): readonly Insertable[] {
  const was = valuesOf(last);
  return TEMPLATE_VALUES.map(({ text, what }) => {
    const inside = text.replace(/^\{\{ | \}\}$/g, '');
    const hasFilter = inside.includes('|');
    const value = inside === 'automation.name' ? name : was[inside];
    return {
      label: hasFilter ? what : inside,
      detail: inLine(value ?? (hasFilter ? '' : what)),
      text,
    };
  });
}

/** What stood in `run` for what can be named of it; nothing where none has run. */
function valuesOf(run: RunDetail | undefined): Readonly<Record<string, string>> {
  if (run === undefined) return {};
  const { scheduledFor, attempt, cause, id } = run;
  const due = new Date(scheduledFor);
  const two = (n: number): string => String(n).padStart(2, '0');
  return {
    'run.scheduledFor': String(scheduledFor),
    'run.scheduledFor | date: "%Y-%m-%d"': `${due.getFullYear()}-${two(due.getMonth() + 1)}-${two(due.getDate())}`,
    'run.scheduledFor | date: "%H:%M"': `${two(due.getHours())}:${two(due.getMinutes())}`,
    'run.attempt': String(attempt),
    'run.cause': cause,
    'run.id': id,
  };
}

function ofSecrets({ secrets }: InsertableFrom): readonly Insertable[] {
  return secrets.map(({ name, origins }) => ({
    label: name,
    detail: inLine(origins.length === 0 ? 'goes nowhere yet' : `only to ${origins.join(', ')}`),
    text: `{{ secrets.${name} }}`,
  }));
}

function shown(value: unknown): string {
  if (value === '') return 'empty';
  return inLine(typeof value === 'string' ? value : JSON.stringify(value));
}

function inLine(text: string): string {
  const line = text
    .slice(0, 4 * DETAIL_MOST)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return line.length > DETAIL_MOST ? `${line.slice(0, DETAIL_MOST - 1)}…` : line;
}
