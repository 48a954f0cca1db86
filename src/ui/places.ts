/** Where each step of the history was scrolled to. A step is named as in `currentStep`; `null`: the browser does not say. */
export class Places {
  readonly #tops: Map<string, number>;
  #step: string | null;

  /** @param tops what was stored, in CSS pixels by step. */
  constructor(tops: ReadonlyMap<string, number>, step: string | null) {
    this.#tops = new Map(tops);
    this.#step = step;
  }

  /** All of them, those that were left last at the end. */
  get all(): ReadonlyMap<string, number> {
    return this.#tops;
  }

  /** Where the step that is shown was left; `null` when it was not left before. */
  get here(): number | null {
    return (this.#step === null ? undefined : this.#tops.get(this.#step)) ?? null;
  }

  /** Notes where the step that is shown is scrolled to. */
  note(top: number): void {
    if (this.#step === null) return;
    this.#tops.delete(this.#step);
    this.#tops.set(this.#step, top);
  }

  /** Goes to `step` from the one that is shown, which is scrolled to `top`. Returns whether that is another one. */
  go(step: string | null, top: number): boolean {
    if (step !== null && step === this.#step) return false;
    this.note(top);
    this.#step = step;
    return true;
  }
}
