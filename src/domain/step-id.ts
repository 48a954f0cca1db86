/** The id of a step at `place`, which counts from 1: its own, or else its place. */
export function stepId({ id }: { readonly id?: number }, place: number): number {
  return id ?? place;
}
