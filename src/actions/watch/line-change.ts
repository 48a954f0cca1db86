import type { LineChange } from '../../domain/index.ts';

/** The lines of a snapshot's text; none when it is empty. */
export function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Which lines came and which went, each as often as it did; in the order of the text that has them. */
export function compareLines(
  before: string,
  after: string,
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const balance = new Map<string, number>();
  for (const line of linesOf(after)) balance.set(line, (balance.get(line) ?? 0) + 1);
  for (const line of linesOf(before)) balance.set(line, (balance.get(line) ?? 0) - 1);
  const take = (lines: readonly string[], sign: 1 | -1): string[] =>
    // Of a line that is there more often the last ones are new.
    [...lines]
      .reverse()
      .filter((line) => {
        const left = (balance.get(line) ?? 0) * sign;
        if (left <= 0) return false;
        balance.set(line, (left - 1) * sign);
        return true;
      })
      .reverse();
  return { added: take(linesOf(after), 1), removed: take(linesOf(before), -1) };
}

/** `2 lines added, 1 removed`. */
export function changeText({ added, removed }: LineChange): string {
  const lines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`);
  if (added === 0 && removed === 0) return 'the same lines in another order';
  if (removed === 0) return `${lines(added)} added`;
  return added === 0 ? `${lines(removed)} removed` : `${lines(added)} added, ${removed} removed`;
}
