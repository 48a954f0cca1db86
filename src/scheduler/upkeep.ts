/**
 * Upkeep: what a host does for the ledger when nothing else is to be done. It forgets what the rules let go, a slice at a
 * time, and rests after each so that whoever claims meanwhile comes first; one host at a time does it, by a lock like any
 * other. Loaded some time after a host's start, or when somebody asks for it.
 */
import {
  type Checked,
  DAY_MS,
  DEFAULT_KEEP,
  type DurationMs,
  FINDINGS_MOST,
  type Finding,
  HOUR_MS,
  type Swept,
  isTrusted,
  seenNow,
} from '../domain/index.ts';
import type { Ledger, LedgerUpkeep } from '../store/index.ts';
import { liveHosts } from './leases.ts';
import { newUuid } from './new-id.ts';
import { reasonOf } from './reason.ts';
import type { World } from './world.ts';

/** The lock of the host that forgets. Constant for ever. */
export const UPKEEP_LOCK = 'rota/upkeep';
/** How often a host looks whether something is to be forgotten, and how long a sweep is good for. */
const LOOK_MS: DurationMs = 6 * HOUR_MS;
const SWEEP_MS: DurationMs = 20 * HOUR_MS;
/** How long a slice may take. A claim that comes in the middle of one waits for no more than the rest of it. */
const SLICE_MS: DurationMs = 4;
const SLICE_LEAST = 8;
const SLICE_MOST = 400;
/** How much longer than a slice the rest after it is, and how long it is at least. */
const REST_TIMES = 3;
const REST_LEAST_MS: DurationMs = 10;
const REST_MOST_MS: DurationMs = 1_000;
/** Answers to commands are kept this long: far longer than any tab repeats one. */
const COMMANDS_KEPT_MS: DurationMs = 7 * DAY_MS;
const COMMANDS_SLICE = 200;
/** A lease without a run is looked at again after so long: someone may be about to claim, or have just settled. */
const LOOK_AGAIN_MS: DurationMs = 1_000;

/** What upkeep must know of its host. */
export interface Surroundings {
  /** A claim is under way. */
  readonly isClaiming: () => boolean;
  readonly hasLeft: () => boolean;
  /** Something was forgotten or put right. */
  readonly onChange: () => void;
  /** Ends what dead hosts left, and claims what is due. */
  readonly tick: () => Promise<void>;
}

export class Upkeep {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #host: Surroundings;
  #sweeping = false;
  #checking = false;

  constructor(world: World, ledger: Ledger, host: Surroundings) {
    this.#world = world;
    this.#ledger = ledger;
    this.#host = host;
  }

  get isSweeping(): boolean {
    return this.#sweeping;
  }

  get isChecking(): boolean {
    return this.#checking;
  }

  /** What is known of the database. */
  async about(): ReturnType<LedgerUpkeep['about']> {
    const ledger = await this.#ledger.upkeep();
    return await ledger.about(this.#world.now(), () => newUuid(this.#world));
  }

  /** Does it now and then for as long as the host lives. Never rejects. */
  async live(): Promise<void> {
    // Once for each start: what an upgrade or a fault left is put right before it is met.
    await this.#quietly(() => this.check(false));
    await this.#lookNowAndThen();
  }

  async #lookNowAndThen(): Promise<void> {
    await this.#quietly(() => this.#sweepIfDue());
    if (!this.#host.hasLeft()) this.#world.setTimer(LOOK_MS, () => void this.#lookNowAndThen());
  }

  /** What fails is told, unless it failed because the host is going. */
  async #quietly(work: () => Promise<unknown>): Promise<void> {
    if (this.#host.hasLeft()) return;
    try {
      await work();
    } catch (error) {
      if (!this.#host.hasLeft()) this.#world.complain('The upkeep of the database met an error.', error);
    }
  }

  async #sweepIfDue(): Promise<void> {
    const about = await this.about();
    const now = this.#world.now();
    const seen = seenNow(about.seen, now);
    await (await this.#ledger.upkeep()).noteSeen(seen);
    const { swept } = about;
    const away = swept === null ? Infinity : now - swept.at;
    const isFresh = swept?.trouble === undefined && away >= 0 && away < SWEEP_MS;
    if (!isFresh && isTrusted(seen)) await this.sweep();
  }

  /** Forgets what may go, unless a host is at it already. Resolves when it is done; the trouble that it met is written down. */
  async sweep(): Promise<'swept' | 'elsewhere'> {
    return await this.#world.locks.tryWith(UPKEEP_LOCK, async (lock) => {
      if (lock === null) return 'elsewhere';
      this.#sweeping = true;
      try {
        await this.#sweepAll();
      } finally {
        this.#sweeping = false;
      }
      return 'swept';
    });
  }

  async #sweepAll(): Promise<void> {
    const upkeep = await this.#ledger.upkeep();
    const now = this.#world.now();
    const { keep = DEFAULT_KEEP } = await this.#ledger.getSettings();
    const sweep = upkeep.sweep(now, keep);
    let runs = 0;
    let outputs = 0;
    let trouble: string | null = null;
    try {
      for (let most = SLICE_LEAST; ;) {
        if (this.#host.hasLeft()) return;
        const from = this.#world.monotonic();
        const slice = await sweep.slice(most);
        const took = this.#world.monotonic() - from;
        runs += slice.runs;
        outputs += slice.outputs;
        if (slice.done) break;
        most = nextSize(most, slice.looked, took);
        await this.#rest(took);
      }
      while (
        !this.#host.hasLeft() &&
        (await this.#ledger.forgetCommands(now - COMMANDS_KEPT_MS, COMMANDS_SLICE)) === COMMANDS_SLICE
      )
        await this.#rest(SLICE_MS);
    } catch (error) {
      trouble = reasonOf(error);
    }
    if (this.#host.hasLeft()) return;
    const swept: Swept = { at: now, runs, outputs, ...(trouble === null ? {} : { trouble }) };
    await this.about();
    await upkeep.noteSwept(swept);
    if (runs + outputs > 0) this.#host.onChange();
  }

  /** Lets others go first: a while in any case, and for as long as something is being claimed. */
  async #rest(took: DurationMs): Promise<void> {
    // A machine that slept in the middle of a slice is no reason to rest for as long.
    let wait = Math.min(REST_MOST_MS, Math.max(REST_LEAST_MS, took * REST_TIMES));
    do {
      await this.#pause(wait);
      wait = Math.min(wait * 2, REST_MOST_MS);
    } while (this.#host.isClaiming() && !this.#host.hasLeft());
  }

  #pause(wait: DurationMs): Promise<void> {
    return new Promise((resolve) => void this.#world.setTimer(wait, resolve));
  }

  /**
   * Looks for what does not fit together, and puts right what can be; `wholly`: in history and in the locks too. What it found
   * is written down; `null`: it was not `wholly`, and there is nothing to say.
   */
  async check(wholly: boolean): Promise<Checked | null> {
    this.#checking = true;
    try {
      return await this.#checkAll(wholly);
    } finally {
      this.#checking = false;
    }
  }

  async #checkAll(wholly: boolean): Promise<Checked | null> {
    const upkeep = await this.#ledger.upkeep();
    const at = this.#world.now();
    const found: Finding[] = [...(await upkeep.check(at, wholly, () => this.#rest(SLICE_MS)))];
    if (wholly) found.push(...(await this.#checkLeases()));
    const checked = { at, wholly, findings: found.slice(0, FINDINGS_MOST), count: found.length };
    if (!wholly && found.length === 0) return null;
    await this.about();
    await upkeep.noteChecked(checked);
    if (found.some(({ did }) => did !== undefined)) {
      this.#host.onChange();
      await this.#host.tick();
    }
    return checked;
  }

  /** Active runs whose host is gone, and leases that nobody runs under. */
  async #checkLeases(): Promise<readonly Finding[]> {
    const [before, first] = [await this.#ledger.listActive(), await this.#heldLeases()];
    const live = await liveHosts(this.#world);
    const lost = before.filter(({ lease, host }) => !first.has(lease) && !live.has(host.id));
    const idle = [...first].filter((lease) => !before.some((run) => run.lease === lease));
    if (lost.length > 0) await this.#host.tick();
    if (idle.length > 0) await this.#pause(LOOK_AGAIN_MS);
    const [after, second] = [await this.#ledger.listActive(), await this.#heldLeases()];
    return [
      ...lost.map(({ id, automationId, automationName }): Finding => {
        const isStill = after.some((run) => run.id === id);
        const about = { what: 'active-run-without-lease', key: id, automationId, automationName } as const;
        return isStill ? about : { ...about, did: 'recovered' };
      }),
      ...idle
        .filter((lease) => second.has(lease) && !after.some((run) => run.lease === lease))
        .map((key): Finding => ({ what: 'lease-without-run', key })),
    ];
  }

  async #heldLeases(): Promise<ReadonlySet<string>> {
    const held = await this.#world.locks.held();
    return new Set(
      held.flatMap(({ name, mode }) => (mode === 'exclusive' && isLeaseName(name) ? [name] : [])),
    );
  }
}

/** How many rows the next slice looks at, so that it takes about {@link SLICE_MS}. It grows slowly and shrinks at once. */
function nextSize(size: number, looked: number, took: DurationMs): number {
  const fitting = took <= 0 ? size * 2 : Math.round((Math.max(looked, 1) * SLICE_MS) / took);
  return Math.max(SLICE_LEAST, Math.min(SLICE_MOST, size * 2, fitting));
}

/** Whether the lock `name` is a lease of some automation, as leaseName makes them. */
function isLeaseName(name: string): boolean {
  return name.startsWith('rota/automation/');
}
