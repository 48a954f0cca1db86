/**
 * Ends the runs of hosts that died or hung (protocol, section 6). A lease that is granted proves death, whatever any
 * clock says; a lease that is not granted proves life, and only the deadline then makes a run hung.
 */
import {
  type ActiveRun,
  type DurationMs,
  type HostId,
  type LeaseName,
  type RecoverResult,
  type RunId,
  hostLock,
} from '../domain/index.ts';
import type { Ledger } from '../store/index.ts';
import type { World } from './world.ts';

/** How soon a dead host's run is looked at again whose lease was not free yet: locks are freed one after the other. */
const LEASE_BUSY_RETRY_MS: DurationMs = 100;

/** What one look at the active runs came to. */
export interface Recovery {
  /** How many runs were ended. */
  readonly ended: number;
  /** When to look again although nothing may happen until then; `null` for no sooner than usual. */
  readonly again: DurationMs | null;
  /** Why runs that should have been ended could not be. Their neighbours were looked at all the same. */
  readonly errors: readonly unknown[];
}

export class Recoverer {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #isInHand: (run: RunId) => boolean;
  readonly #onDeath: () => void;
  /** Each host's lock is waited for once in this host's life: a host id is never used again. */
  readonly #watched = new Set<HostId>();
  readonly #dead = new Set<HostId>();
  /** The runs of other hosts as they were found last. */
  #known: readonly ActiveRun[] = [];
  /** Leases of this host's own runs that foreign code took and has not let go of yet. */
  readonly #awaited = new Set<LeaseName>();

  /**
   * @param isInHand whether this host runs, or settles, the run right now.
   * @param onDeath called when a watched host has died, or a stolen lease is free: runs can be recovered now.
   */
  constructor(world: World, ledger: Ledger, isInHand: (run: RunId) => boolean, onDeath: () => void) {
    this.#world = world;
    this.#ledger = ledger;
    this.#isInHand = isInHand;
    this.#onDeath = onDeath;
  }

  /** Looks at every active run that this host does not have in hand, and ends those whose host is gone. */
  async recover(): Promise<Recovery> {
    let ended = 0;
    let again: DurationMs | null = null;
    const errors: unknown[] = [];
    const done = new Set<RunId>();
    const look = async (run: ActiveRun): Promise<void> => {
      this.watch(run.host.id);
      try {
        const result = await this.#tryRecover(run);
        if (result?.kind === 'recovered') ended += 1;
        if (result !== null) {
          done.add(run.id);
          return;
        }
        if (this.#dead.has(run.host.id)) again = LEASE_BUSY_RETRY_MS;
        // This host does not have it in hand, so who holds the lease stole it, and whoever that is tells nobody when it ends.
        if (run.host.id === this.#world.host.id) this.#await(run.lease);
      } catch (error) {
        errors.push(error);
      }
    };
    // One of its own that it could not settle is as any other: its lease is free, and it must not stay active for ever.
    // Those of the dead that are known need not be found first. One that has ended meanwhile is left as it is.
    const known = this.#known.filter(({ host }) => this.#dead.has(host.id));
    const [active] = await Promise.all([this.#ledger.listActive(), ...known.map(look)]);
    const others = active.filter((run) => !this.#isInHand(run.id) && !done.has(run.id));
    this.#known = others.filter(({ host }) => host.id !== this.#world.host.id);
    // All at once: the last of many must not wait for the locks and transactions of those before it.
    await Promise.all(others.map(look));
    return { ended, again, errors };
  }

  /** Queues on the life-long lock of another host, once; its grant is the news of its death. */
  watch(host: HostId): void {
    if (host === this.#world.host.id || this.#watched.has(host)) return;
    this.#watched.add(host);
    this.#world.locks
      .whenFree(hostLock(host))
      .then(() => {
        this.#dead.add(host);
        this.#onDeath();
      })
      .catch((error: unknown) => {
        this.#watched.delete(host);
        this.#world.complain('A host could not be watched.', error);
      });
  }

  /** Queues on a lease that was stolen from this host, once at a time. */
  #await(lease: LeaseName): void {
    if (this.#awaited.has(lease)) return;
    this.#awaited.add(lease);
    this.#world.locks
      .whenFree(lease)
      .finally(() => this.#awaited.delete(lease))
      .then(this.#onDeath)
      .catch((error: unknown) => this.#world.complain('A stolen lease could not be awaited.', error));
  }

  async #tryRecover(run: ActiveRun): Promise<RecoverResult | null> {
    const request = { runId: run.id, fence: run.fence };
    const underLease = await this.#world.locks.tryWith(run.lease, async (lock) =>
      // The lease is held over the transaction, so nobody can claim under it in between.
      lock === null ? null : this.#ledger.recover({ ...request, ...this.#moment(), proof: 'lease-granted' }),
    );
    if (underLease !== null || this.#world.now() <= run.leaseDeadline) return underLease;
    return this.#ledger.recover({ ...request, ...this.#moment(), proof: 'past-deadline' });
  }

  #moment(): { readonly now: number; readonly chance: number } {
    return { now: this.#world.now(), chance: this.#world.chance() };
  }
}
