import type { DurationMs } from '../domain/index.ts';

/** What keeps a message from going: the pointer is on it, or the focus is in it. */
export type Hold = 'pointer' | 'focus';

/** How long something stays that goes by itself, and not while it is held. */
export class Lingering {
  readonly #end: () => void;
  readonly #holds = new Set<Hold>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** How long it stays from when it is shown or nothing holds it any more; `null`: nothing is shown. */
  #staysMs: DurationMs | null = null;

  /** `end` is called, once, when its time is over. */
  constructor(end: () => void) {
    this.#end = end;
  }

  /** It is shown, in place of what was there; what holds that one holds this one. */
  begin(staysMs: DurationMs): void {
    this.#staysMs = staysMs;
    this.#wait();
  }

  /** It is gone: nothing is to end, and nothing can hold it. */
  stop(): void {
    this.#staysMs = null;
    this.#holds.clear();
    this.#wait();
  }

  /** It stays at least until {@link release} of the same. */
  hold(by: Hold): void {
    this.#holds.add(by);
    this.#wait();
  }

  /** This does not hold it any more. Where nothing does, its time begins anew. */
  release(by: Hold): void {
    if (this.#holds.delete(by)) this.#wait();
  }

  #wait(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#staysMs === null || this.#holds.size > 0) return;
    this.#timer = setTimeout(() => {
      this.stop();
      this.#end();
    }, this.#staysMs);
  }
}
