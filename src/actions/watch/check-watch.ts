/** What only libraries can see of a watch before it is saved: selectors, paths and patterns that cannot be read. */
import type { Failure, WatchAction } from '../../domain/index.ts';
import { loadPart } from '../load-part.ts';
import type { TemplateScope } from '../template-scope.ts';
import { prepareWatch } from './watch.ts';

/** A failure that every run would have, and the field that is to blame. */
export interface WatchProblem {
  readonly field: readonly (string | number)[];
  readonly failure: Failure;
}

/** What is wrong with `action`; a part of Rota that cannot be loaded now is left to the run. Never rejects. */
export async function checkWatch(
  action: WatchAction,
  scope: TemplateScope,
): Promise<readonly WatchProblem[]> {
  const problems: WatchProblem[] = [];
  const prepared = await prepareWatch(action, scope, scope.values.run.occurrence);
  if (prepared.kind === 'refused') problems.push(prepared);
  const { part, filter } = action;
  switch (part.kind) {
    case 'page': {
      const pages = await loadPart(() => import('./page-text.ts'), 'reads pages');
      if (pages.kind === 'failed') break;
      const { findSelectorProblem } = pages.part;
      const select = findSelectorProblem(part.select);
      if (select !== null) problems.push({ field: ['part', 'select'], failure: select });
      for (const [index, selector] of part.without.entries()) {
        const failure = findSelectorProblem(selector);
        if (failure !== null) problems.push({ field: ['part', 'without', index], failure });
      }
      break;
    }
    case 'json': {
      const paths = await loadPart(() => import('../json-path.ts'), 'reads JSON by a path');
      if (paths.kind === 'failed') break;
      const failure = await paths.part.findPathProblem(part.select);
      if (failure !== null) problems.push({ field: ['part', 'select'], failure });
      break;
    }
    case 'feed':
    case 'text':
      break;
  }
  return [...problems, ...(await patternProblems(filter))];
}

async function patternProblems(filter: WatchAction['filter']): Promise<readonly WatchProblem[]> {
  const kinds = ['erase', 'keep', 'drop'] as const;
  if (kinds.every((kind) => filter[kind].length === 0)) return [];
  const patterns = await loadPart(() => import('../pattern.ts'), 'reads patterns');
  if (patterns.kind === 'failed') return [];
  const { readPattern } = patterns.part;
  return kinds.flatMap((kind) =>
    filter[kind].flatMap((source, index) => {
      const read = readPattern(source);
      return read.kind === 'failed' ? [{ field: ['filter', kind, index], failure: read.failure }] : [];
    }),
  );
}
