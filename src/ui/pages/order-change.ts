/**
 * How many entries of `now` or of `before` a reader would miss or find elsewhere: those that came, those that went, and
 * those that overtook others. 0 exactly when both are the same.
 */
export function changeCount<Id>(before: readonly Id[], now: readonly Id[]): number {
  if (before === now) return 0;
  const [old, current] = [new Set(before), new Set(now)];
  const came = now.filter((id) => !old.has(id)).length;
  const went = before.filter((id) => !current.has(id)).length;
  const stayed = before.filter((id) => current.has(id));
  const moved = now.filter((id) => old.has(id)).filter((id, index) => stayed[index] !== id).length;
  return came + went + moved;
}
