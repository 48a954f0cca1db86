/**
 * Who goes first (protocol, section 7): courtesy, not election. Of all hosts one holds the duty and acts when an occurrence
 * falls due; the others act on their own a little later, on what is still there. Nothing waits on the holder, nothing is
 * taken from it, and whether it hangs, dies or is robbed of the lock, the claim decides as ever. All that the duty saves is
 * transactions that are lost.
 *
 * A host that should let others go first altogether, because a newer build is open, does not queue for the duty at all.
 */
import { DUTY_LOCK, type DurationMs } from '../domain/index.ts';
import type { Undo, World } from './world.ts';

/** How late an occurrence is when a host takes it that is not on duty. */
export const STAND_BY_MS: DurationMs = 1_000;
/** How soon a host queues for the duty again that lost it to foreign code, or could not queue. */
const QUEUE_AGAIN_MS: DurationMs = 30_000;

export class Courtesy {
  readonly #world: Pick<World, 'locks' | 'setTimer'>;
  readonly #onDuty: () => void;
  #undo: Undo | null = null;
  #isOnDuty = false;

  /** @param onDuty called when this host has come to be on duty: what is due is its now. */
  constructor(world: Pick<World, 'locks' | 'setTimer'>, onDuty: () => void) {
    this.#world = world;
    this.#onDuty = onDuty;
  }

  /** Whether this host acts at once. */
  get isOnDuty(): boolean {
    return this.#isOnDuty;
  }

  /** Queues for the duty, if it has not. */
  stand(): void {
    if (this.#undo !== null) return;
    this.#undo = this.#world.locks.queue(DUTY_LOCK, {
      onHeld: () => {
        this.#isOnDuty = true;
        this.#onDuty();
      },
      onLost: () => {
        this.#isOnDuty = false;
        this.#undo = this.#world.setTimer(QUEUE_AGAIN_MS, () => {
          this.#undo = null;
          this.stand();
        });
      },
    });
  }

  /** Leaves the duty, and its queue, to others. */
  giveUp(): void {
    this.#undo?.();
    this.#undo = null;
    this.#isOnDuty = false;
  }
}
