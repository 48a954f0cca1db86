/**
 * Time as the machine had it: where it was slow, as it was measured beside Rota, time counts for as much as was done in it.
 * Bounds that a protocol promises hold for that time, as they do for a process that is stopped and goes on.
 */
import type { EpochMs, Slow } from './record.ts';

/** Where the pace changes, with the time that had counted by then. */
interface Step {
  readonly at: EpochMs;
  readonly counted: number;
  readonly pace: number;
}

export class Pace {
  readonly #steps: readonly Step[];

  constructor(slow: readonly Slow[]) {
    const changes = [
      ...slow.map((span) => ({ at: span.from, span, begins: true })),
      ...slow.map((span) => ({ at: span.until, span, begins: false })),
    ].sort((a, b) => a.at - b.at);
    const open = new Set<Slow>();
    let last = { at: changes[0]?.at ?? 0, counted: 0, pace: 1 };
    const steps = [last];
    for (const { at, span, begins } of changes) {
      const counted = last.counted + (at - last.at) * last.pace;
      if (begins) open.add(span);
      else open.delete(span);
      // Where it was measured in two ways, the slower one was in the way of the other.
      last = { at, counted, pace: Math.min(1, ...[...open].map(({ pace }) => pace)) };
      steps.push(last);
    }
    this.#steps = steps;
  }

  /** How much time counts from `from` to `until`; none where that is earlier. */
  between(from: EpochMs, until: EpochMs): number {
    if (until <= from) return 0;
    if (from === -Infinity || until === Infinity) return Infinity;
    return this.#countedBy(until) - this.#countedBy(from);
  }

  /** The first moment by which `long` counts since `from`. */
  after(from: EpochMs, long: number): EpochMs {
    const wanted = this.#countedBy(from) + long;
    // A step that does not count at all reaches nothing: the next one begins with as much.
    const step = this.#lastStep(({ counted }) => counted < wanted);
    return wanted <= step.counted ? from + long : step.at + (wanted - step.counted) / step.pace;
  }

  #countedBy(at: EpochMs): number {
    const step = this.#lastStep((one) => one.at <= at);
    return at < step.at ? step.counted - (step.at - at) : step.counted + (at - step.at) * step.pace;
  }

  /** The last of those steps, which come first, that `isEarly` says; the very first where there is none. */
  #lastStep(isEarly: (step: Step) => boolean): Step {
    let [low, high] = [0, this.#steps.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const step = this.#steps[middle];
      if (step !== undefined && isEarly(step)) low = middle;
      else high = middle - 1;
    }
    return this.#steps[low] ?? { at: 0, counted: 0, pace: 1 };
  }
}
