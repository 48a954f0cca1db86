import type { DurationMs, EpochMs } from '../domain/index.ts';
import type { Undo, World } from './world.ts';

/** The longest an alarm sleeps: clock jumps, sleep and lost hints are noticed at the latest after it. */
export const ALARM_MOST_MS: DurationMs = 30_000;

/** The shorter of two waits; `null` is none. */
export function soonest(a: DurationMs | null, b: DurationMs | null): DurationMs | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Wakes the host when the next row of the agenda is due. What is due is decided by the wall clock, never by it. */
export class Alarm {
  readonly #world: Pick<World, 'now' | 'setTimer'>;
  readonly #ring: () => void;
  #undo: Undo | null = null;

  constructor(world: Pick<World, 'now' | 'setTimer'>, ring: () => void) {
    this.#world = world;
    this.#ring = ring;
  }

  /** Rings at `dueAt`, or after {@link ALARM_MOST_MS} if that is sooner or nothing is due. Replaces what was set. */
  set(dueAt: EpochMs | null): void {
    this.stop();
    const wait = dueAt === null ? ALARM_MOST_MS : dueAt - this.#world.now();
    this.#undo = this.#world.setTimer(Math.min(ALARM_MOST_MS, Math.max(0, wait)), () => {
      this.#undo = null;
      this.#ring();
    });
  }

  stop(): void {
    this.#undo?.();
    this.#undo = null;
  }
}
