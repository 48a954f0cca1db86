/** Chance that can be repeated: the same seed gives the same plan, though not the same race. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32, a generator of 32 bits of state. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Whether something of this probability comes about. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of `items`; `null` when there is none. */
  one<Item>(items: readonly Item[]): Item | null {
    return items[Math.floor(this.next() * items.length)] ?? null;
  }

  /** One of `items`, each as often as its weight says. There must be one. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new RangeError('there is nothing to choose from');
  }
}
