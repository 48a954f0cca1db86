/**
 * Runs what was claimed and settles it (protocol, section 5). It is called inside the lease and resolves only after
 * the settlement is durable, so the lease is held for the run and for its settlement.
 */
import { Interrupted, RunSecrets, perform } from '../actions/index.ts';
import {
  type Action,
  type ActiveRun,
  type AutomationId,
  type Brought,
  type CancelledBy,
  type DurationMs,
  type Ending,
  type Failure,
  type RunId,
  type RunOutput,
  type Spending,
  DAY_MS,
  assert,
  spendingOn,
} from '../domain/index.ts';
import type { Ledger } from '../store/index.ts';
import type { RunProgress } from '../rpc/index.ts';
import type { Executors } from './executors.ts';
import { reasonOf } from './reason.ts';
import { Telling } from './telling.ts';
import type { World } from './world.ts';

/** Why a run was stopped from outside. */
type Stop =
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'cancelled'; readonly by: CancelledBy }
  /** Someone else ended it, or may at any time: whatever comes of it is not ours to write. */
  | { readonly kind: 'lease-lost' }
  /** This host goes, and the next one recovers the run. */
  | { readonly kind: 'retired' };

/** What an action's signal aborts with. */
class Stopped extends Error {
  override readonly name = 'AbortError';
  constructor(readonly stop: Stop) {
    super(`stopped: ${stop.kind}`);
  }
}

/** That the effect was about to leave could not be stored, so it did not leave. */
class Unmarked extends Error {
  override readonly name = 'Unmarked';
}

interface Running {
  readonly run: ActiveRun;
  readonly controller: AbortController;
  /** What is to be kept of it should it be stopped now. */
  soFar: () => Brought;
  telling: Telling | null;
}

/** A settlement that fails is tried again after this long, doubling up to {@link SETTLE_RETRY_MOST_MS}. */
const SETTLE_RETRY_FIRST_MS: DurationMs = 25;
const SETTLE_RETRY_MOST_MS: DurationMs = 5_000;
/** After this long the row is left to recovery, loudly. */
const SETTLE_GIVE_UP_MS: DurationMs = 120_000;

export class Runner {
  readonly #world: World;
  readonly #ledger: Ledger;
  readonly #running = new Map<RunId, Running>();
  readonly #onIdle = new Set<() => void>();
  readonly #executors: () => Promise<Executors>;
  readonly #onTrouble: () => void;
  /** What could not be stored yet, and why. */
  readonly #unstored = new Map<RunId, unknown>();
  #isAbandoned = false;

  /**
   * @param executors the workers that tabs lend; rejects when that part of Rota cannot be loaded.
   * @param onTrouble called when {@link trouble} has changed.
   */
  constructor(world: World, ledger: Ledger, executors: () => Promise<Executors>, onTrouble: () => void) {
    this.#world = world;
    this.#ledger = ledger;
    this.#executors = executors;
    this.#onTrouble = onTrouble;
  }

  /** That results cannot be stored, in words; `null` when all are. */
  get trouble(): string | null {
    const [error] = this.#unstored.values();
    if (error === undefined) return null;
    const count = this.#unstored.size;
    const what = count === 1 ? 'The result of a run' : `The results of ${count} runs`;
    return `${what} cannot be stored yet, and it is tried again. ${reasonOf(error)}`;
  }

  /** Whether this host runs, or settles, the run right now. */
  has(run: RunId): boolean {
    return this.#running.has(run);
  }

  /**
   * Performs `run` and settles it. Never rejects: what cannot be settled is left to recovery, and so is all of it once
   * `lost` aborts, because the lease is gone that says that the run is ours.
   */
  async run(run: ActiveRun, lost: AbortSignal): Promise<void> {
    // Claimed while this host went: it is found dead, and nothing of it has left.
    if (this.#isAbandoned) return;
    const controller = new AbortController();
    const running: Running = { run, controller, soFar: () => ({}), telling: null };
    this.#running.set(run.id, running);
    lost.addEventListener('abort', () => controller.abort(new Stopped({ kind: 'lease-lost' })));
    // The deadline belongs to this run: it can end no other.
    const undo = this.#world.setTimer(run.definition.rules.timeoutMs, () =>
      controller.abort(new Stopped({ kind: 'timed-out' })),
    );
    try {
      const ending = await this.#perform(running);
      undo();
      running.telling?.stop();
      if (ending !== null) await this.#settle(run, await marked(run, ending));
    } finally {
      undo();
      running.telling?.stop();
      this.#running.delete(run.id);
      if (this.#running.size === 0) {
        for (const resolve of this.#onIdle) resolve();
        this.#onIdle.clear();
      }
    }
  }

  /** Stops those of this host's runs that were asked to end, or were ended by someone else. */
  async check(): Promise<void> {
    // Those before the look: one that is claimed while it is under way is not in the rows, and lives.
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    const rows = new Map((await this.#ledger.listActive()).map((row) => [row.id, row]));
    for (const { run, controller } of running) {
      const row = rows.get(run.id);
      if (row === undefined || row.fence !== run.fence) {
        // Between its settlement and here it may just have ended by itself; aborting then changes nothing.
        controller.abort(new Stopped({ kind: 'lease-lost' }));
      } else if (row.cancelRequested !== undefined) {
        controller.abort(new Stopped({ kind: 'cancelled', by: row.cancelRequested.by }));
      }
    }
  }

  /** Whether this host runs, and settles, nothing. */
  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when no run of this host is left. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.add(resolve));
  }

  /** Stops all that runs, for good, and writes nothing about it: it is recovered, and ended as interrupted. */
  abandon(): void {
    this.#isAbandoned = true;
    for (const { controller } of this.#running.values()) controller.abort(new Stopped({ kind: 'retired' }));
  }

  /** How the run ended; `null` when it is not ours to say. */
  async #perform(running: Running): Promise<Ending | null> {
    const { run } = running;
    const { signal } = running.controller;
    const stopped = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    const { localNetworkPermission } = this.#world;
    const performing = perform({
      run,
      signal,
      now: this.#world.now,
      fetch: this.#world.fetch,
      online: this.#world.online,
      origin: this.#world.origin,
      ...(localNetworkPermission === undefined ? {} : { localNetworkPermission }),
      markEffect: (effect, step) => this.#mark(run, { effect, ...(step === undefined ? {} : { step }) }),
      mayUse: (mayUse) => this.#mark(run, { mayUse }),
      secrets: new RunSecrets((name) => this.#ledger.openSecret(name)),
      recall: (key) => this.#ledger.recall(run.automationId, key),
      tell: (progress, brought) => {
        if (signal.aborted) return;
        running.soFar = brought;
        running.telling ??= new Telling(this.#world, run.id);
        running.telling.tell(progress);
      },
      borrow: async (what, signal) => {
        // Without it there is nobody who lends.
        const executors = await this.#executors().catch(() => null);
        return executors === null ? null : await executors.borrow(what, signal);
      },
      findRun: (id) => this.findRun(run.automationId, id),
      spentToday: () => this.#spentToday(run.automationId),
    });
    try {
      // An action that ignores its signal must not hold the lease past its deadline.
      return await Promise.race([performing, stopped]);
    } catch (error) {
      performing.catch(() => undefined);
      const stop =
        error instanceof Stopped ? error.stop : signal.reason instanceof Stopped ? signal.reason.stop : null;
      switch (stop?.kind) {
        case 'timed-out':
          return { kind: 'timed-out', ...running.soFar() };
        case 'cancelled':
          return { kind: 'cancelled', by: stop.by, ...running.soFar() };
        case 'lease-lost':
        case 'retired':
          return null;
        case undefined:
          // The lease is free in a moment, and then the run is recovered by its rules, as that of a dead host would be.
          if (error instanceof Interrupted) return null;
          if (error instanceof Unmarked) return { kind: 'failed', failure: unstored(error) };
          this.#world.complain('An action failed in a way that it should have caught.', error);
          return {
            kind: 'failed',
            failure: {
              class: 'invalid',
              code: 'internal',
              message: `Rota failed to run this action: ${error instanceof Error ? error.message : String(error)}`,
              advice: 'This is a fault in Rota. Please report it with the copied report.',
            },
          };
      }
    } finally {
      stopped.catch(() => undefined);
    }
  }

  /** What the run tells now, if it runs here and tells anything. */
  progressOf(run: RunId): RunProgress | null {
    return this.#running.get(run)?.telling?.last ?? null;
  }

  /** What the run `id` of `automation` did and brought back. */
  async findRun(
    automation: AutomationId,
    id: RunId,
  ): Promise<{ readonly action: Action; readonly output: RunOutput | null } | null> {
    const found = await this.#ledger.findRun(id);
    if (found === null || found.run.automationId !== automation || !('definition' in found.run)) return null;
    return { action: found.run.definition.action, output: found.output?.output ?? null };
  }

  async #spentToday(id: AutomationId): Promise<Spending> {
    const found = await this.#ledger.findAutomation(id);
    const now = this.#world.now();
    const zone = this.#world.timeZone();
    // One that was removed while it runs has no limits to keep any more.
    return found === null
      ? { until: now + DAY_MS, tokens: 0, cost: 0 }
      : spendingOn(found.automation, now, zone);
  }

  /** Marks how far the effect of `run` got. Rejects when the run is not this host's any more, or the effect must stay. */
  async #mark(
    run: ActiveRun,
    mark: Pick<Parameters<Ledger['markEffect']>[0], 'effect' | 'step' | 'mayUse'>,
  ): Promise<void> {
    const { id: runId, host, fence } = run;
    let marked: { readonly kind: 'marked' | 'lease-lost' };
    try {
      marked = await this.#ledger.markEffect({
        runId,
        hostId: host.id,
        fence,
        ...mark,
      });
    } catch (error) {
      // What has arrived is told by its settlement too, which is tried again for longer than this.
      if (mark.effect === 'sent') return;
      throw new Unmarked(reasonOf(error));
    }
    if (marked.kind === 'lease-lost') throw new Stopped({ kind: 'lease-lost' });
  }

  async #settle(run: ActiveRun, ending: Ending): Promise<void> {
    try {
      await this.#settleAtLast(run, ending);
    } finally {
      if (this.#unstored.delete(run.id)) this.#onTrouble();
    }
  }

  async #settleAtLast(run: ActiveRun, ending: Ending): Promise<void> {
    const until = this.#world.monotonic() + SETTLE_GIVE_UP_MS;
    for (let delay = SETTLE_RETRY_FIRST_MS; ; delay = Math.min(SETTLE_RETRY_MOST_MS, delay * 2)) {
      try {
        await this.#ledger.settle({
          runId: run.id,
          hostId: run.host.id,
          fence: run.fence,
          ending,
          now: this.#world.now(),
          chance: this.#world.chance(),
          offline: !this.#world.online(),
        });
        return;
      } catch (error) {
        if (this.#world.monotonic() >= until) {
          this.#world.complain('A run could not be settled; it is left to recovery.', error);
          return;
        }
        assert(delay > 0, 'a settlement is retried after a delay');
        if (!this.#unstored.has(run.id)) {
          this.#unstored.set(run.id, error);
          this.#onTrouble();
        }
        await new Promise<void>((resolve) => {
          this.#world.setTimer(delay, resolve);
        });
      }
    }
  }
}

function unstored({ message }: Unmarked): Failure {
  return {
    class: 'storage',
    code: 'storage-failed',
    message: `Nothing was sent, because the browser could not store that it was about to be: ${message}`,
    advice: 'Free some disk space, or allow this site to store more.',
  };
}

/** `ending` with a mark of its result, where the rule of its automation compares it with the last. */
async function marked({ definition }: ActiveRun, ending: Ending): Promise<Ending> {
  const isCompared = definition.rules.notify?.result === 'change';
  if (!isCompared || ending.kind !== 'succeeded' || ending.output === undefined) return ending;
  try {
    const { resultMark } = await import('./result-mark.ts');
    return { ...ending, mark: resultMark(ending.output) };
  } catch {
    // It cannot be loaded now: this result is compared with none, and is stored all the same.
    return ending;
  }
}
