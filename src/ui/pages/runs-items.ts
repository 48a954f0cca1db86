/** What stands in a list of runs, from its top to its end. */
import type { EpochMs, RunLine } from '../../domain/index.ts';
import type { Run } from '../../rpc/index.ts';
import { daysBetween } from '../text/dates.ts';
import type { OpenFold } from './run-folds.ts';

/**
 * One entry: a line, a run of the open line above it, or what is left of that. `day`: a new day begins with it. Its id
 * stays the same while the line grows.
 */
export type RunsItem = { readonly id: string; readonly day: EpochMs | null } & (
  | { readonly kind: 'line'; readonly line: RunLine<Run> }
  | { readonly kind: 'run'; readonly run: Run; readonly of: string }
  | { readonly kind: 'rest'; readonly line: RunLine<Run>; readonly fold: OpenFold; readonly of: string }
);

/** Gives lines ids that stay while runs join them at either end. */
export class LineIds {
  #known: ReadonlyMap<string, string> = new Map();

  /** The ids of `lines`, in their order. */
  of(lines: readonly RunLine<Run>[]): readonly string[] {
    const known = new Map<string, string>();
    const taken = new Set<string>();
    const ids = lines.map(({ run, oldest }) => {
      const before = this.#known.get(run.id) ?? this.#known.get(oldest.id);
      const id = before === undefined || taken.has(before) ? run.id : before;
      taken.add(id);
      known.set(run.id, id).set(oldest.id, id);
      return id;
    });
    this.#known = known;
    return ids;
  }
}

/** The entries of `lines`, whose ids are `ids`, with what is in those that are `open`. */
export function itemsOf(
  lines: readonly RunLine<Run>[],
  ids: readonly string[],
  open: ReadonlyMap<string, OpenFold>,
): readonly RunsItem[] {
  let before: EpochMs | null = null;
  return lines.flatMap((line, index): readonly RunsItem[] => {
    const id = ids[index] ?? line.run.id;
    const at = line.run.claimedAt;
    const day = before === null || daysBetween(before, at) !== 0 ? at : null;
    before = at;
    const fold = line.count > 1 ? open.get(id) : undefined;
    const item: RunsItem = { kind: 'line', id, day, line };
    if (fold === undefined) return [item];
    const runs = fold.runs.map((run): RunsItem => ({
      kind: 'run',
      id: `${id}/${run.id}`,
      day: null,
      run,
      of: id,
    }));
    const isWhole = fold.state === 'read' && fold.runs.length >= line.count;
    return [
      item,
      ...runs,
      ...(isWhole ? [] : [{ kind: 'rest', id: `${id}/rest`, day: null, line, fold, of: id } as const]),
    ];
  });
}
