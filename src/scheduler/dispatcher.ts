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
  type HostId,
  type MissedReason,
  type Need,
  type SkippedReason,
  assertNever,
  hostOfLock,
  leasesOf,
} from '../domain/index.ts';
import type { WaitingFor } from '../rpc/index.ts';
import { type Ledger, NewerData } from '../store/index.ts';
import { newRunId } from './new-id.ts';
import { underLease } from './leases.ts';
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

export interface DispatcherEvents {
  /** Something was written: rows or automations changed. */
  readonly onChange: () => void;
  /** A lease was let go: what waited for room or for its turn may try again. */
  readonly onReleased: () => void;
}

export class Dispatcher {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #runner: Runner;
  readonly #events: DispatcherEvents;
  readonly #startedAt: EpochMs;
  /** Why rows that are due were not claimed yet, so that a missed row later says so. */
  readonly #waiting = new Map<AgendaKey, { readonly row: AgendaRow; readonly for: WaitingFor }>();

  constructor(world: World, ledger: Ledger, runner: Runner, events: DispatcherEvents) {
    this.#world = world;
    this.#ledger = ledger;
    this.#runner = runner;
    this.#events = events;
    this.#startedAt = world.now();
  }

  /** The due occurrences that wait, and for what. */
  get waiting(): readonly { readonly row: AgendaRow; readonly for: WaitingFor }[] {
    return [...this.#waiting.values()];
  }

  /**
   * Claims all that is due and can run. Answers when to look again although nothing may happen until then; `null` for
   * no sooner than the agenda says.
   */
  async drain(): Promise<DurationMs | null> {
    let again: DurationMs | null = null;
    const seen = new Set<AgendaKey>();
    for (;;) {
      const due = await this.#ledger.listDue(this.#world.now(), DUE_MOST);
      const rows = due.filter((row) => !seen.has(row.key));
      for (const key of this.#waiting.keys()) {
        if (!due.some((row) => row.key === key)) this.#waiting.delete(key);
      }
      if (rows.length === 0) return again;
      for (const row of rows) {
        seen.add(row.key);
        const result = await this.#claimRow(row);
        if (result.kind === 'at-capacity') {
          // No other row would find room either; each is told what it waits for.
          for (const other of rows) {
            if (!this.#waiting.has(other.key)) this.#waiting.set(other.key, { row: other, for: 'capacity' });
          }
          return again;
        }
        again = soonest(again, retryAfter(result));
      }
    }
  }

  /** Asks for a run by hand: the same claim as any other. */
  async runNow(target: Extract<ClaimTarget, { kind: 'manual' }>): Promise<ClaimResult> {
    return this.#claim(target, target.automationId);
  }

  async #claimRow(row: AgendaRow): Promise<ClaimResult> {
    const result = await this.#claim({ kind: 'row', key: row.key }, row.automationId, row);
    const waitsFor = waitingFor(result);
    if (waitsFor === null) this.#waiting.delete(row.key);
    else this.#waiting.set(row.key, { row, for: waitsFor });
    return result;
  }

  async #claim(target: ClaimTarget, automationId: AutomationId, row?: AgendaRow): Promise<ClaimResult> {
    for (let attempt = 1; ; attempt++) {
      const result = await this.#claimOnce(target, automationId, row);
      const transient =
        result.kind === 'stale-lease' || (result.kind === 'lease-busy' && target.kind === 'manual');
      if (!transient || attempt >= STALE_LEASE_MOST) return result;
      // A person is waiting for the answer: the run that holds the lease shows itself, or is recovered, in a moment.
      if (result.kind === 'lease-busy') await this.#pause(LEASE_BUSY_RETRY_MS);
    }
  }

  async #claimOnce(target: ClaimTarget, automationId: AutomationId, row?: AgendaRow): Promise<ClaimResult> {
    let stored: Automation | null;
    try {
      const found = await this.#ledger.findAutomation(automationId);
      if (found?.readOnly !== undefined) return { kind: 'unverifiable-owner' };
      stored = found?.automation ?? null;
    } catch (error) {
      if (error instanceof NewerData) return { kind: 'unverifiable-owner' };
      throw error;
    }
    const missing = stored === null ? null : this.#missingFor(stored);
    // A scheduled row waits as it is: what cannot run is not claimed, and nothing is written.
    if (missing !== null && target.kind === 'row') return { kind: 'waiting', for: missing };
    const { result, released } = await underLease<ClaimResult>(
      this.#world.locks,
      stored === null ? [] : leasesOf(stored),
      async (lease) => {
        const claimed = await this.#ledger.tryClaim({
          target,
          host: this.#world.host,
          now: this.#world.now(),
          lease,
          liveHosts: await this.#liveHosts(),
          missing,
          absence: this.#absence(row),
          newId: () => newRunId(this.#world),
          chance: this.#world.chance(),
        });
        return claimed.kind === 'claimed'
          ? { result: claimed, work: () => this.#runner.run(claimed.run) }
          : { result: claimed };
      },
    );
    if (result.kind === 'claimed' || result.kind === 'missed' || result.kind === 'already-active') {
      this.#events.onChange();
    }
    if (result.kind === 'claimed') void released.then(this.#events.onReleased);
    return result;
  }

  #missingFor(automation: Automation): Need | null {
    for (const need of needsOf(automation.action)) {
      if (need === 'network' && !this.#world.online()) return need;
      if (need === 'notification-permission' && !this.#world.mayNotify()) return need;
    }
    return null;
  }

  /** Why earlier instants of `row` got no run, as far as this host knows. */
  #absence(row: AgendaRow | undefined): MissedReason | SkippedReason {
    const waited = row === undefined ? undefined : this.#waiting.get(row.key);
    switch (waited?.for) {
      case 'network':
        return 'offline';
      case 'notification-permission':
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

  async #liveHosts(): Promise<ReadonlySet<HostId>> {
    const live = new Set<HostId>([this.#world.host.id]);
    for (const { name, mode } of await this.#world.locks.held()) {
      const host = mode === 'exclusive' ? hostOfLock(name) : null;
      if (host !== null) live.add(host);
    }
    return live;
  }

  #pause(length: DurationMs): Promise<void> {
    return new Promise((resolve) => {
      this.#world.setTimer(length, resolve);
    });
  }
}

/** When a claim that did not come off should be tried again, if nothing happens before; `null`: nothing to try. */
function retryAfter(result: ClaimResult): DurationMs | null {
  if (result.kind === 'lease-busy' || result.kind === 'stale-lease') return LEASE_BUSY_RETRY_MS;
  return result.kind === 'waiting' ? NEED_RETRY_MS : null;
}

function soonest(a: DurationMs | null, b: DurationMs | null): DurationMs | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** What a row that was not claimed waits for; `null` when it does not wait. */
function waitingFor(result: ClaimResult): WaitingFor | null {
  switch (result.kind) {
    case 'waiting':
      return result.for;
    case 'at-capacity':
      return 'capacity';
    case 'already-active':
      return result.queued ? 'previous-run' : null;
    case 'lease-busy':
    case 'stale-lease':
    case 'claimed':
    case 'taken':
    case 'not-due':
    case 'not-found':
    case 'paused':
    case 'missed':
    case 'unverifiable-owner':
      return null;
    default:
      return assertNever(result);
  }
}
