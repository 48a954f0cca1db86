import type { ScriptAction } from '../../domain/index.ts';
import { loadQuickJs } from './quickjs.ts';
import { findSyntaxError } from './sandbox.ts';

/** One thing wrong with a script, at a field of its action. */
export interface ScriptProblem {
  readonly field: readonly (string | number)[];
  readonly message: string;
}

/** What is wrong with `action` that can be told without running it. Never rejects; what cannot be read now fails when it runs. */
export async function checkScript({ source, origins }: ScriptAction): Promise<readonly ScriptProblem[]> {
  const problems: ScriptProblem[] = origins.flatMap((origin, index) =>
    URL.canParse(origin)
      ? []
      : [{ field: ['origins', index], message: `"${origin}" is not an origin that can be asked.` }],
  );
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
