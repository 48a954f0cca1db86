import { type LeaseName, assert } from '../domain/index.ts';
import type { Locks } from './world.ts';

/** What came of an attempt under a lease, and when the lease is released. */
export interface UnderLease<Result> {
  readonly result: Result;
  /** Resolves when the lease has been let go. */
  readonly released: Promise<void>;
}

/**
 * Calls `decide` with the first of `names` that is free, held, or with `null` when someone has them all. What `decide`
 * answers is the result at once; the lease stays held until its `work`, if it gives one, has ended.
 *
 * There is no way to release a lease early: the platform frees it when `work` ends or this host dies.
 */
export async function underLease<Result>(
  locks: Locks,
  names: readonly LeaseName[],
  decide: (
    lease: LeaseName | null,
  ) => Promise<{ readonly result: Result; readonly work?: () => Promise<void> }>,
): Promise<UnderLease<Result>> {
  for (const name of names) {
    const attempt = await tryOne(locks, name, decide);
    if (attempt !== null) return attempt;
  }
  const { result, work } = await decide(null);
  assert(work === undefined, 'there is no work without a lease');
  return { result, released: Promise.resolve() };
}

function tryOne<Result>(
  locks: Locks,
  name: LeaseName,
  decide: (lease: LeaseName) => Promise<{ readonly result: Result; readonly work?: () => Promise<void> }>,
): Promise<UnderLease<Result> | null> {
  return new Promise((resolve, reject) => {
    const released: Promise<void> = locks
      .tryWith(name, async (lock) => {
        if (lock === null) {
          resolve(null);
          return;
        }
        const { result, work } = await decide(name);
        resolve({ result, released });
        await work?.();
      })
      // After `resolve` a rejection has nobody left to tell: `work` does not reject.
      .catch(reject);
  });
}
