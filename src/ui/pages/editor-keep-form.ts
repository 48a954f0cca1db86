/** The limits of history of one automation, as a person types them: nothing is as for all, `all` is without that limit. */
import type { Definition, Problem } from '../../domain/index.ts';

type Keep = NonNullable<Definition['rules']['keep']>;
type Limit = NonNullable<Keep['runs']>;

/** The word for a limit that there is none. */
const KEEP_ALL_WORD = 'all';

export interface KeepForm {
  readonly keepRunsDays: string;
  readonly keepRunsMost: string;
  readonly keepOutputsDays: string;
  readonly keepOutputsMost: string;
}

/** The form for `keep`. */
export function keepOf(keep: Keep | undefined): KeepForm {
  const text = (limit: number | null | undefined): string =>
    limit === undefined ? '' : limit === null ? KEEP_ALL_WORD : String(limit);
  return {
    keepRunsDays: text(keep?.runs?.days),
    keepRunsMost: text(keep?.runs?.most),
    keepOutputsDays: text(keep?.outputs?.days),
    keepOutputsMost: text(keep?.outputs?.most),
  };
}

/** The limits that `form` says; what is wrong goes to `problems`. What says the same as `kept` stays as it was written. */
export function readKeep(form: KeepForm, kept: Keep | undefined, problems: Problem[]): Keep | undefined {
  const before = keepOf(kept);
  if ((Object.keys(before) as (keyof KeepForm)[]).every((field) => before[field] === form[field].trim()))
    return kept;
  const runs = limitFrom(form.keepRunsDays, form.keepRunsMost, 'rules.keep.runs', problems);
  const outputs = limitFrom(form.keepOutputsDays, form.keepOutputsMost, 'rules.keep.outputs', problems);
  if (runs === undefined && outputs === undefined) return undefined;
  return {
    ...(runs === undefined ? {} : { runs }),
    ...(outputs === undefined ? {} : { outputs }),
  };
}

function limitFrom(days: string, most: string, path: string, problems: Problem[]): Limit | undefined {
  const read = (text: string, name: 'days' | 'most'): Limit => {
    const typed = text.trim().toLowerCase();
    if (typed === '') return {};
    if (typed === KEEP_ALL_WORD) return { [name]: null };
    if (/^\d{1,9}$/.test(typed)) return { [name]: Number(typed) };
    problems.push({
      path: `${path}.${name}`,
      message: `“${text}” is not a whole number. Use digits alone, “${KEEP_ALL_WORD}”, or nothing.`,
    });
    return {};
  };
  const limit = { ...read(days, 'days'), ...read(most, 'most') };
  return Object.keys(limit).length === 0 ? undefined : limit;
}
