import {
  MAX_CONCURRENT_MOST,
  type Problem,
  keepSchema,
  parseWith,
  quietHoursSchema,
  quietProblems,
} from '../domain/index.ts';
import type { Settings } from '../rpc/index.ts';
import type { SettingsChange } from '../store/index.ts';

/** What is to be stored of `settings` from a person, or what is wrong with them. Loaded with the first change. */
export function checkSettings({
  maxConcurrent,
  quiet,
  keep,
}: Partial<Settings>):
  | { readonly kind: 'ok'; readonly value: SettingsChange }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] } {
  const isCount =
    maxConcurrent === undefined ||
    (Number.isInteger(maxConcurrent) && maxConcurrent >= 1 && maxConcurrent <= MAX_CONCURRENT_MOST);
  const problems: Problem[] = isCount
    ? []
    : [
        {
          path: 'maxConcurrent',
          message: `Runs at once must be a whole number from 1 to ${MAX_CONCURRENT_MOST}.`,
        },
      ];
  const hours = quiet === undefined || quiet === null ? null : parseWith(quietHoursSchema, quiet, ['quiet']);
  if (hours?.kind === 'invalid') problems.push(...hours.problems);
  if (hours?.kind === 'ok') problems.push(...quietProblems(hours.value));
  const kept = keep === undefined ? null : parseWith(keepSchema, keep, ['keep']);
  if (kept?.kind === 'invalid') problems.push(...kept.problems);
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'ok',
    value: {
      ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
      ...(hours?.kind === 'ok' ? { quiet: hours.value } : quiet === null ? { quiet } : {}),
      ...(kept?.kind === 'ok' ? { keep: kept.value } : {}),
    },
  };
}
