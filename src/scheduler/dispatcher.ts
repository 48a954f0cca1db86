/**
 * Claims what is due. Every host does this on its own; nothing here knows or cares whether another one is faster,
 * because the claim decides (protocol, sections 4 and 7).
 */
import { needsOf } from '../actions/index.ts';
import {
  type AgendaKey,
  type AgendaRow,
  type Automation,
  type AutomationId,
  type ClaimResult,
  type ClaimTarget,
  type DurationMs,
  type EpochMs,
  type MissedReason,
  type Need,
  type Pause,
  type RunId,
  type SkippedReason,
  assertNever,
  isAskedFor,
  leasesOf,
  nearServersOf,
  pausedUntil,
  secretsOf,
} from '../domain/index.ts';
import type { WaitingFor } from '../rpc/index.ts';
import { type Ledger, NewerData } from '../store/index.ts';
import { soonest } from './alarm.ts';
import { newRunId } from './new-id.ts';
import { liveHosts, underLease } from './leases.ts';
import { LocalNetwork } from './local-network.ts';
import type { Runner } from './runner.ts';
import type { World } from './world.ts';

/** How many due rows one round looks at. */
const DUE_MOST = 1_000;
/** How soon a claim is tried again that met a lease whose run it could not see. */
const LEASE_BUSY_RETRY_MS: DurationMs = 100;
/** How often a host looks whether it has what a due row waits for: the `online` event does not reach every worker. */
const NEED_RETRY_MS: DurationMs = 1_000;
/** How often a claim starts over at once because the automation changed under it. */
const STALE_LEASE_MOST = 5;

/** This host is on its way out and claims nothing any more. */
export class Retired extends Error {
  override readonly name = 'Retired';
}

export interface DispatcherEvents {
  /** Something was written: rows or automations changed. */
  readonly onChange: () => void;
  /** What waits, or what for, has changed; nothing was written. */
  readonly onWaiting: () => void;
  /** A lease was let go: what waited for room or for its turn may try again. */
  readonly onReleased: () => void;
  /** Asked whether a tab of this host can ask the model of its browser. */
  readonly hasModel: () => boolean;
}

/** What one look at all that is due came to. */
interface Drained {
  /** When to look again although nothing may happen until then; `null` for no sooner than the agenda says. */
  readonly again: DurationMs | null;
  /** Why rows could not be claimed that should have been. Their neighbours were claimed all the same. */
  readonly errors: readonly unknown[];
}

/** What a host lacks to run something; of a secret also its name. */
interface Lack {
  readonly for: Need;
  readonly secret?: string;
}

/** A due row that waits. `behind` is the run that it waits for, as far as that has been told. */
interface Waiting {
  readonly row: AgendaRow;
  readonly for: WaitingFor;
  /** The name of the secret that it waits for. */
  readonly secret?: string;
  readonly behind: RunId | null;
}

export class Dispatcher {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #runner: Runner;
  readonly #events: DispatcherEvents;
  readonly #startedAt: EpochMs;
  readonly #localNetwork: LocalNetwork;
  /** Why rows that are due were not claimed yet, so that a missed row later says so. */
  readonly #waiting = new Map<AgendaKey, Waiting>();
  /** Since when, by the clock that does not jump, an automation's lease was always held without a run to show for it. */
  readonly #busySince = new Map<AutomationId, number>();
  /** Claims under way. */
  readonly #claiming = new Set<Promise<unknown>>();
  #stopped = false;

  constructor(world: World, ledger: Ledger, runner: Runner, events: DispatcherEvents) {
    this.#world = world;
    this.#ledger = ledger;
    this.#runner = runner;
    this.#events = events;
    this.#startedAt = world.now();
    this.#localNetwork = new LocalNetwork(world);
  }

  /** The due occurrences that wait, and for what. */
  get waiting(): readonly Omit<Waiting, 'behind'>[] {
    return [...this.#waiting.values()];
  }

  /** A claim is under way. */
  get isClaiming(): boolean {
    return this.#claiming.size > 0;
  }

  /** Claims all that has been due for at least `lateness` and can run. */
  async drain(lateness: DurationMs = 0): Promise<Drained> {
    const before = this.#waitsFor();
    try {
      return await this.#drainAll(lateness);
    } finally {
      // Once for all: at the first look, everything that is due may begin to wait.
      if (this.#waitsFor() !== before) this.#events.onWaiting();
    }
  }

  async #drainAll(lateness: DurationMs): Promise<Drained> {
    let again: DurationMs | null = null;
    const errors: unknown[] = [];
    const seen = new Set<AgendaKey>();
    let pauses: readonly Pause[] | null = null;
    // What falls due meanwhile is the next round's: where each claim takes as long as it takes the next row to fall due, this
    // one would never end, and with it nothing that a round does besides.
    const by = this.#world.now() - lateness;
    while (!this.#stopped) {
      const due = await this.#ledger.listDue(by, DUE_MOST);
      if (due.length > 0) pauses ??= (await this.#ledger.getSettings()).pauses ?? [];
      const until = pausedUntil(pauses ?? [], this.#world.now());
      // While all is paused, only what a person asked for is claimed; the rest is looked at when the pause is over.
      const rows = due.filter((row) => !seen.has(row.key) && (until === null || mayRunInPause(row)));
      if (until !== null) again = soonest(again, until - this.#world.now());
      this.#keepWaiting(new Set(due.map((row) => row.key)));
      if (rows.length === 0) break;
      for (const row of this.#inOrder(rows, lateness)) {
        if (this.#isStopped()) break;
        seen.add(row.key);
        try {
          const result = await this.#claimRow(row);
          if (result.kind === 'at-capacity') {
            // No other row would find room either; each is told what it waits for.
            for (const other of rows) {
              if (!this.#waiting.has(other.key))
                this.#waiting.set(other.key, { row: other, for: 'capacity', behind: null });
            }
            return { again, errors };
          }
          again = soonest(again, retryAfter(result));
          // Another host works on the same rows: what it has had meanwhile is not asked for one by one.
          if (result.kind === 'taken') break;
        } catch (error) {
          errors.push(error);
        }
      }
    }
    return { again, errors };
  }

  /**
   * The oldest first, for a host that acts at once. One that stands by begins anywhere: whoever acts at once, and others that
   * stand by, would be at the same row at the same time as it is, and each time but one of them lose.
   */
  #inOrder(rows: readonly AgendaRow[], lateness: DurationMs): readonly AgendaRow[] {
    if (lateness === 0) return rows;
    const first = Math.floor(this.#world.chance() * rows.length);
    return [...rows.slice(first), ...rows.slice(0, first)];
  }

  /** Asks for a run by hand: the same claim as any other. Rejects with {@link Retired} on the way out. */
  async runNow(target: Extract<ClaimTarget, { kind: 'manual' }>): Promise<ClaimResult> {
    const result = await this.#claim(target, target.automationId);
    // It is in the agenda now, for any host to take.
    if (result.kind === 'at-capacity' || result.kind === 'waiting') this.#events.onChange();
    return result;
  }

  /** Claims nothing more; resolves when no claim is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled(this.#claiming);
  }

  async #claimRow(row: AgendaRow): Promise<ClaimResult> {
    const result = await this.#claim({ kind: 'row', key: row.key }, row.automationId, row);
    switch (result.kind) {
      case 'waiting':
        this.#waiting.set(row.key, { row, ...lackIn(result), behind: null });
        break;
      case 'at-capacity':
        this.#waiting.set(row.key, { row, for: 'capacity', behind: null });
        break;
      case 'already-active':
        if (result.queued) this.#waiting.set(row.key, { row, for: 'previous-run', behind: result.runId });
        break;
      case 'lease-busy':
      case 'stale-lease':
        // Tried again in a moment; what it waited for before is still why it is late.
        break;
      case 'claimed':
      case 'taken':
      case 'not-due':
      case 'not-found':
      case 'paused':
      case 'day-full':
      case 'resumed':
      case 'missed':
      case 'unverifiable-owner':
        this.#waiting.delete(row.key);
        break;
      default:
        return assertNever(result);
    }
    return result;
  }

  /** What waits for what, as one text that can be compared. */
  #waitsFor(): string {
    return [...this.#waiting].map(([key, { for: what, secret = '' }]) => `${key} ${what} ${secret}`).join();
  }

  /** Forgets what waited and is not in the agenda any more. */
  #keepWaiting(due: ReadonlySet<AgendaKey>): void {
    for (const key of this.#waiting.keys()) if (!due.has(key)) this.#waiting.delete(key);
  }

  /** Asked after an await, where a plain look at the field would be taken for unchanged. */
  #isStopped(): boolean {
    return this.#stopped;
  }

  async #claim(target: ClaimTarget, automationId: AutomationId, row?: AgendaRow): Promise<ClaimResult> {
    for (let attempt = 1; ; attempt++) {
      const claiming = this.#claimOnce(target, automationId, row);
      this.#claiming.add(claiming);
      const result = await claiming.finally(() => this.#claiming.delete(claiming));
      const transient =
        result.kind === 'stale-lease' || (result.kind === 'lease-busy' && target.kind === 'manual');
      if (!transient || attempt >= STALE_LEASE_MOST) return result;
      // A person is waiting for the answer: the run that holds the lease shows itself, or is recovered, in a moment.
      if (result.kind === 'lease-busy') await this.#pause(LEASE_BUSY_RETRY_MS);
    }
  }

  async #claimOnce(target: ClaimTarget, automationId: AutomationId, row?: AgendaRow): Promise<ClaimResult> {
    if (this.#stopped) throw new Retired('This engine is stopping. Ask the next one.');
    let stored: Automation | null;
    try {
      const found = await this.#ledger.findAutomation(automationId);
      if (found?.readOnly !== undefined) return { kind: 'unverifiable-owner' };
      stored = found?.automation ?? null;
    } catch (error) {
      if (error instanceof NewerData) return { kind: 'unverifiable-owner' };
      throw error;
    }
    const lack = stored === null ? null : await this.#lackOf(stored);
    // A scheduled row waits as it is: what cannot run is not claimed, and nothing is written.
    if (lack !== null && target.kind === 'row') return { kind: 'waiting', ...lack };
    // A command that is repeated is answered with the run that it started the first time, and that one is not run again.
    const made = new Set<RunId>();
    const isNew = (claimed: ClaimResult): claimed is Extract<ClaimResult, { kind: 'claimed' }> =>
      claimed.kind === 'claimed' && made.has(claimed.run.id);
    const { result, released } = await underLease<ClaimResult>(
      this.#world.locks,
      stored === null ? [] : leasesOf(stored),
      async (lease) => {
        const claimed = await this.#ledger.tryClaim({
          target,
          host: this.#world.host,
          now: this.#world.now(),
          lease,
          liveHosts: await liveHosts(this.#world),
          missing: lack?.for ?? null,
          leaseBusyMs: this.#busyFor(automationId),
          absence: this.#absence(row),
          newId: () => {
            const id = newRunId(this.#world);
            made.add(id);
            return id;
          },
          chance: this.#world.chance(),
          timeZone: this.#world.timeZone(),
        });
        return isNew(claimed)
          ? { result: claimed, work: (lost) => this.#runner.run(claimed.run, lost) }
          : { result: claimed };
      },
    );
    if (result.kind !== 'lease-busy') this.#busySince.delete(automationId);
    else if (!this.#busySince.has(automationId)) this.#busySince.set(automationId, this.#world.monotonic());
    if (isNew(result)) {
      this.#events.onChange();
      void released.then(this.#events.onReleased);
    } else if (result.kind === 'missed' || result.kind === 'resumed' || result.kind === 'day-full') {
      this.#events.onChange();
    } else if (result.kind === 'already-active') {
      // The same answer a second time has written nothing: hosts that told each other so would never come to rest.
      const told = row !== undefined && this.#waiting.get(row.key)?.behind === result.runId;
      if (!told) this.#events.onChange();
      // The run that is to be replaced may be this host's own, which does not hear its own hints.
      await this.#runner.check();
    }
    return result.kind === 'waiting' ? { ...result, ...lack } : result;
  }

  #busyFor(automation: AutomationId): DurationMs {
    const since = this.#busySince.get(automation);
    return since === undefined ? 0 : this.#world.monotonic() - since;
  }

  async #lackOf({ action }: Automation): Promise<Lack | null> {
    for (const need of needsOf(action)) {
      if (need === 'network' && !this.#world.online()) return { for: need };
      if (need === 'notification-permission' && !this.#world.mayNotify()) return { for: need };
      if (need === 'built-in-model' && !this.#events.hasModel()) return { for: need };
    }
    const secrets = secretsOf(action);
    const lack = secrets.length === 0 ? null : await this.#ledger.lackingSecret(secrets);
    if (lack !== null) return lack;
    const guarded = await this.#localNetwork.missingFor(nearServersOf(action));
    return guarded === null ? null : { for: guarded };
  }

  /** Why earlier instants of `row` got no run, as far as this host knows. */
  #absence(row: AgendaRow | undefined): MissedReason | SkippedReason {
    const waited = row === undefined ? undefined : this.#waiting.get(row.key);
    switch (waited?.for) {
      case 'network':
        return 'offline';
      case 'notification-permission':
      case 'built-in-model':
      case 'secret':
      case 'local-network':
      case 'loopback-network':
      case 'unlock':
        return 'waiting';
      case 'capacity':
        return 'limit';
      case 'previous-run':
        return 'overlap';
      case undefined:
        return row !== undefined && row.scheduledFor < this.#startedAt ? 'closed' : 'asleep';
      default:
        return assertNever(waited as never);
    }
  }

  #pause(length: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      this.#world.setTimer(length, resolve);
    });
  }
}

/** What is claimed while all is paused: what a person asked for, and pauses of single automations that end. */
function mayRunInPause(row: AgendaRow): boolean {
  return isAskedFor(row) || row.cause === 'resume';
}

/** When a claim that did not come off should be tried again, if nothing happens before; `null`: nothing to try. */
function retryAfter(result: ClaimResult): DurationMs | null {
  if (result.kind === 'lease-busy' || result.kind === 'stale-lease') return LEASE_BUSY_RETRY_MS;
  if (result.kind !== 'waiting') return null;
  // That a person has stored a secret, or unlocked them all, is told.
  return result.for === 'secret' || result.for === 'unlock' ? null : NEED_RETRY_MS;
}

function lackIn({
  for: need,
  secret,
}: Extract<ClaimResult, { kind: 'waiting' }>): Pick<Waiting, 'for' | 'secret'> {
  return secret === undefined ? { for: need } : { for: need, secret };
}
