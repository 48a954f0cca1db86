/**
 * Which rows of a list are selected, as a list box has it: one at a time, by ranges from the last one that was taken, or
 * all. What is selected is always in the list: what leaves the list leaves the selection.
 */
export interface Selection<Id> {
  readonly ids: ReadonlySet<Id>;
  /** Where a range begins: the row that was selected or let go last. */
  readonly anchor: Id | null;
  /** What was selected before the range that grows and shrinks now. */
  readonly base: ReadonlySet<Id>;
}

/** Nothing is selected. */
export const NONE: Selection<never> = { ids: new Set(), anchor: null, base: new Set() };

/** Selects `id`, or lets go of it. */
export function toggled<Id>({ ids }: Selection<Id>, id: Id): Selection<Id> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id, base: next };
}

/** Selects from the anchor to `to`, both included, in place of the range before; without an anchor `to` alone. */
export function extended<Id>(selection: Selection<Id>, order: readonly Id[], to: Id): Selection<Id> {
  const { anchor, base } = selection;
  const from = anchor === null ? -1 : order.indexOf(anchor);
  const end = order.indexOf(to);
  if (end === -1) return selection;
  if (from === -1) return { ids: new Set([...base, to]), anchor: to, base };
  const range = order.slice(Math.min(from, end), Math.max(from, end) + 1);
  return { ids: new Set([...base, ...range]), anchor, base };
}

/** Selects all of `order`. */
export function allOf<Id>({ anchor }: Selection<Id>, order: readonly Id[]): Selection<Id> {
  const ids = new Set(order);
  return { ids, anchor, base: ids };
}

/** What is left of it in a list of `order`. The very same one when that is all of it. */
export function kept<Id>(selection: Selection<Id>, order: readonly Id[]): Selection<Id> {
  if (selection.ids.size === 0) return selection;
  const there = new Set(order);
  const left = [...selection.ids].filter((id) => there.has(id));
  if (left.length === selection.ids.size) return selection;
  const ids = new Set(left);
  const { anchor } = selection;
  return { ids, anchor: anchor !== null && there.has(anchor) ? anchor : null, base: ids };
}
