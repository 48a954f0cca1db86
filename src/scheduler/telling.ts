import type { DurationMs, RunId } from '../domain/index.ts';
import { PROGRESS_MOST, type RunProgress } from '../rpc/index.ts';
import type { Undo, World } from './world.ts';

/** Time between two tellings of a run, at least: a word comes every few milliseconds, and eyes are slower. */
const TELL_GAP_MS: DurationMs = 120;

/** Tells all tabs how far one run has come: at once, and then no more often than each {@link TELL_GAP_MS}. */
export class Telling {
  readonly #world: Pick<World, 'hints' | 'setTimer'>;
  readonly #runId: RunId;
  #last: RunProgress | null = null;
  #wait: Undo | null = null;
  #isStale = false;

  constructor(world: Pick<World, 'hints' | 'setTimer'>, runId: RunId) {
    this.#world = world;
    this.#runId = runId;
  }

  /** What was told last, or is about to be. */
  get last(): RunProgress | null {
    return this.#last;
  }

  /** Tells `progress`, now or with what comes next. */
  tell({ text, thought, step }: Omit<RunProgress, 'isCut'>): void {
    const isCut = text.length > PROGRESS_MOST;
    this.#last = {
      text: isCut ? text.slice(-PROGRESS_MOST) : text,
      isCut,
      thought,
      ...(step === undefined ? {} : { step }),
    };
    if (this.#wait === null) this.#post();
    else this.#isStale = true;
  }

  /** Says nothing more. */
  stop(): void {
    this.#wait?.();
    this.#wait = null;
    this.#isStale = false;
  }

  #post(): void {
    if (this.#last === null) return;
    this.#isStale = false;
    this.#world.hints.post({ topic: 'progress', runId: this.#runId, progress: this.#last });
    this.#wait = this.#world.setTimer(TELL_GAP_MS, () => {
      this.#wait = null;
      if (this.#isStale) this.#post();
    });
  }
}
