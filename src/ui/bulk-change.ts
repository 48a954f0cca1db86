/** A change of as many automations as there are, in calls that each hold as many as one may. */
import type { AutomationId, BulkChange, BulkRefusal, CommandId } from '../domain/index.ts';
import { BULK_MOST, type RemoteErrorCode } from '../rpc/index.ts';
import type { RemoteHost } from './remote-host.ts';
import { problemOf } from './watched.ts';

/** Hears how many of all are done, while it goes on. */
export type Progress = (done: number) => void;

/** What came of a change. */
export interface Changed {
  readonly changed: number;
  readonly same: number;
  readonly refused: readonly BulkRefusal[];
  /** What undoes each of the calls, newest first. */
  readonly undos: readonly CommandId[];
  /** Why it did not go on. */
  readonly failed: RemoteErrorCode | null;
}

/** Does `change` to all of `ids`. Never rejects: what was done before a call failed is in the answer. */
export async function changeAll(
  host: Pick<RemoteHost, 'changeAutomations'>,
  ids: readonly AutomationId[],
  change: BulkChange,
  progress: Progress = () => undefined,
): Promise<Changed> {
  const so = { changed: 0, same: 0, refused: [] as BulkRefusal[], undos: [] as CommandId[] };
  for (const slice of slices(ids, BULK_MOST)) {
    try {
      const result = await host.changeAutomations({ ids: slice, change });
      if (result.kind === 'invalid') return { ...so, failed: 'bad-call' };
      so.changed += result.ids.length;
      so.same += result.same;
      so.refused.push(...result.refused);
      if (result.ids.length > 0) so.undos.unshift(result.undo);
      progress(so.changed + so.same + so.refused.length);
    } catch (error) {
      return { ...so, failed: problemOf(error).code };
    }
  }
  return { ...so, failed: null };
}

/** `items` in parts of `size`, the last one shorter. */
export function slices<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
