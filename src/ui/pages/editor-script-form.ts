/** A script as the editor holds it. */
import {
  type Problem,
  SCRIPT_COMPUTES_MS,
  type ScriptAction,
  type ScriptCapability,
} from '../../domain/index.ts';

export interface ScriptForm {
  readonly scriptSource: string;
  readonly scriptAllow: readonly ScriptCapability[];
  /** One a line. */
  readonly scriptOrigins: string;
  /** In seconds. */
  readonly scriptComputes: string;
  readonly scriptRepeatable: boolean;
}

/** The fields of a script at which a problem can be shown. */
export type ScriptField = 'scriptSource' | 'scriptAllow' | 'scriptOrigins' | 'scriptComputes';

/** The words of their labels. */
export const SCRIPT_LABELS: Readonly<Record<ScriptField, string>> = {
  scriptSource: 'Script',
  scriptAllow: 'It may use',
  scriptOrigins: 'Origins it may send requests to',
  scriptComputes: 'May compute for',
};

/** Which field shows the problem of a key of the action. */
export const SCRIPT_FIELDS: Readonly<Record<string, ScriptField>> = {
  source: 'scriptSource',
  allow: 'scriptAllow',
  origins: 'scriptOrigins',
  computeMs: 'scriptComputes',
};

/** Nothing yet, and allowed what cannot leave the browser. */
export function emptyScript(): ScriptForm {
  return {
    scriptSource: '',
    scriptAllow: ['log', 'previous', 'remember'],
    scriptOrigins: '',
    scriptComputes: String(SCRIPT_COMPUTES_MS / 1000),
    scriptRepeatable: false,
  };
}

/** The fields for `action`. */
export function scriptOf(action: ScriptAction): ScriptForm {
  return {
    scriptSource: action.source,
    scriptAllow: action.allow,
    scriptOrigins: action.origins.join('\n'),
    scriptComputes: String(action.computeMs / 1000),
    scriptRepeatable: action.repeatable,
  };
}

/** The script that `form` says; what the form does not show is as in `kept`. */
export function readScript(
  form: ScriptForm,
  kept: ScriptAction | undefined,
  problems: Problem[],
): ScriptAction {
  const seconds = Number(form.scriptComputes.trim().replace(',', '.'));
  const isNumber = form.scriptComputes.trim() !== '' && Number.isFinite(seconds);
  if (!isNumber)
    problems.push({ path: 'action.computeMs', message: 'Enter a number of seconds, such as 10.' });
  return {
    ...kept,
    kind: 'script',
    source: form.scriptSource,
    allow: [...form.scriptAllow],
    origins: form.scriptOrigins
      .split(/[\s,]+/)
      .map((origin) => origin.trim())
      .filter((origin) => origin !== ''),
    computeMs: isNumber ? Math.round(seconds * 1000) : SCRIPT_COMPUTES_MS,
    repeatable: form.scriptRepeatable,
  };
}
