import { type HostId, type LeaseName, assert, hostOfLock } from '../domain/index.ts';
import type { Locks, World } from './world.ts';

/** The hosts that are alive by their locks: this one first, which may not have its own yet. */
export async function liveHosts({
  host,
  locks,
}: Pick<World, 'host' | 'locks'>): Promise<ReadonlySet<HostId>> {
  const live = new Set<HostId>([host.id]);
  for (const { name, mode } of await locks.held()) {
    const holder = mode === 'exclusive' ? hostOfLock(name) : null;
    if (holder !== null) live.add(holder);
  }
  return live;
}

/** What came of an attempt under a lease, and when the lease is released. */
export interface UnderLease<Result> {
  readonly result: Result;
  /** Resolves when the lease has been let go, or was lost. */
  readonly released: Promise<void>;
}

/** What was decided, and what is to be done about it with the lease still held. */
interface Decided<Result> {
  readonly result: Result;
  /** Never rejects. `lost` aborts when foreign code has stolen the lease: it proves nothing any more. */
  readonly work?: (lost: AbortSignal) => Promise<void>;
}

/**
 * Calls `decide` with the first of `names` that is free, held, or with `null` when someone has them all. Where it gives
 * `work`, its result is answered at once and the lease stays held until the work has ended; else the result is answered
 * after the release, so that whoever asks again at once is not turned away by its own lease.
 *
 * There is no way to release a lease early: the platform frees it when `work` ends or this host dies.
 */
export async function underLease<Result>(
  locks: Locks,
  names: readonly LeaseName[],
  decide: (lease: LeaseName | null) => Promise<Decided<Result>>,
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
  decide: (lease: LeaseName) => Promise<Decided<Result>>,
): Promise<UnderLease<Result> | null> {
  return new Promise((resolve, reject) => {
    const lost = new AbortController();
    const held = locks.tryWith(name, async (lock): Promise<UnderLease<Result> | null> => {
      if (lock === null) return null;
      const { result, work } = await decide(name);
      const attempt = { result, released };
      if (work !== undefined) {
        resolve(attempt);
        await work(lost.signal);
      }
      return attempt;
    });
    // A lock that is stolen rejects its request, and what ran under it runs on until it is told.
    const released = held.then(
      () => undefined,
      () => lost.abort(),
    );
    // After the first of these the others change nothing.
    held.then(resolve, reject);
  });
}
