/**
 * Ends the runs of hosts that died or hung (protocol, section 6). A lease that is granted proves death, whatever any
 * clock says; a lease that is not granted proves life, and only the deadline then makes a run hung.
 */
import { type ActiveRun, type HostId, type RecoverResult, hostLock } from '../domain/index.ts';
import type { Ledger } from '../store/index.ts';
import type { World } from './world.ts';

export class Recoverer {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #onDeath: () => void;
  readonly #watched = new Set<HostId>();

  /** `onDeath` is called when a watched host has died: its runs can be recovered now. */
  constructor(world: World, ledger: Ledger, onDeath: () => void) {
    this.#world = world;
    this.#ledger = ledger;
    this.#onDeath = onDeath;
  }

  /** Looks at every active run that is not this host's, and ends those whose host is gone. Answers how many it ended. */
  async recover(): Promise<number> {
    let recovered = 0;
    for (const run of await this.#ledger.listActive()) {
      if (run.host.id === this.#world.host.id) continue;
      this.watch(run.host.id);
      const result = await this.#tryRecover(run);
      if (result?.kind === 'recovered') recovered += 1;
    }
    return recovered;
  }

  /** Queues on the life-long lock of another host, once; its grant is the news of its death. */
  watch(host: HostId): void {
    if (host === this.#world.host.id || this.#watched.has(host)) return;
    this.#watched.add(host);
    this.#world.locks
      .whenFree(hostLock(host))
      .then(() => {
        this.#watched.delete(host);
        this.#onDeath();
      })
      .catch((error: unknown) => this.#world.complain('A host could not be watched.', error));
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
