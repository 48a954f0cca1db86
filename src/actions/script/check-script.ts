import type { ScriptAction } from '../../domain/index.ts';
import type { StepFacts } from '../action-context.ts';
import { loadQuickJs } from './quickjs.ts';
import { findSyntaxError } from './sandbox.ts';

/** One thing wrong with a script, at a field of its action. */
export interface ScriptProblem {
  readonly field: readonly (string | number)[];
  readonly message: string;
}

/** What is wrong with `action` that can be told without running it. Never rejects; what cannot be read now fails when it runs. */
export async function checkScript(
  { source, origins }: ScriptAction,
  step?: StepFacts,
): Promise<readonly ScriptProblem[]> {
  const problems: ScriptProblem[] = origins.flatMap((origin, index) =>
    URL.canParse(origin)
      ? []
      : [{ field: ['origins', index], message: `"${origin}" is not an origin that can be asked.` }],
  );
  const never = step === undefined ? null : whyNeverThere(source, step);
  if (never !== null) problems.push({ field: ['source'], message: never });
  try {
    const found = await findSyntaxError(await loadQuickJs(), source);
    if (found !== null) {
      const { message, line, column } = found;
      const at =
        line === undefined ? '' : ` in line ${line}${column === undefined ? '' : `, column ${column}`}`;
      problems.push({ field: ['source'], message: `The script does not parse${at}: ${message}.` });
    }
  } catch {
    // QuickJS could not be loaded.
  }
  return problems;
}

/** Which step `source` names that cannot have brought anything back when it runs; `null` when all can, as far as is written. */
function whyNeverThere(source: string, { place }: StepFacts): string | null {
  // A variable of its own is none of ours.
  if (/\b(?:const|let|var|function|class)\s+steps\b/.test(source)) return null;
  if (/\bsteps\.removed\b/.test(source)) return 'The script names a step that was removed.';
  for (const [found, number] of source.matchAll(/\bsteps\s*\[\s*(\d+)\s*\]/g)) {
    const named = Number(number);
    if (named >= 1 && named < place) continue;
    if (named === place) return `The script names ${found}, but that is this step.`;
    if (named > place) return `The script names ${found}, but that step comes later.`;
    return `The script names ${found}, but steps are numbered from 1.`;
  }
  return null;
}
