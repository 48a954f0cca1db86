/** Chance that can be repeated: the same seed gives the same plan, though not the same race. */
export declare class Random {
  #private;
  constructor(seed: number);
  /** In [0, 1): mulberry32, a generator of 32 bits of state. */
  next(): number;
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number;
  /** Whether something of this probability comes about. */
  chance(probability: number): boolean;
  /** One of `items`; `null` when there is none. */
  one<Item>(items: readonly Item[]): Item | null;
  /** One of `items`, each as often as its weight says. There must be one. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
}
