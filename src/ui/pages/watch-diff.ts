/** Two snapshots of a watch as rows that show what differs: by whole lines, or by the words within them. */
import { diffArrays, diffWordsWithSpace } from 'diff';

/** What stands in a row; a part that is `new` or `old` is what makes it differ. */
export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'new' | 'old';
}

export type DiffRow =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'added' | 'removed'; readonly text: string }
  /** Lines of both, with the words that came and went. */
  | { readonly kind: 'mixed'; readonly parts: readonly DiffPart[] }
  /** So many lines that are the same in both and are not shown. */
  | { readonly kind: 'gap'; readonly count: number };

/** Two snapshots compared. */
export interface Diff {
  /** Empty when both are the same. */
  readonly rows: readonly DiffRow[];
  readonly added: number;
  readonly removed: number;
}

/** How many lines that are the same are shown around what differs. */
const AROUND = 3;
/** How long looking for the shortest way from one text to the other may take; after that, any way will do. */
const LINES_MOST_MS = 800;
const WORDS_MOST_MS = 150;
/** Longest piece that is compared by words. */
const WORDS_MOST = 20_000;

/** Compares two texts. Never takes much longer than a second. */
export function diffOf(before: string, after: string, by: 'lines' | 'words'): Diff {
  const blocks = blocksOf(linesOf(before), linesOf(after));
  const added = blocks.reduce((sum, block) => sum + block.added.length, 0);
  const removed = blocks.reduce((sum, block) => sum + block.removed.length, 0);
  if (added === 0 && removed === 0) return { rows: [], added, removed };
  // All pieces together have as long as one.
  const until = performance.now() + WORDS_MOST_MS;
  const rows = blocks.flatMap((block, index): readonly DiffRow[] => {
    if (block.same.length > 0) return sameRows(block.same, index === 0, index === blocks.length - 1);
    if (by === 'words' && block.added.length > 0 && block.removed.length > 0) {
      const mixed = mixedRow(block, until - performance.now());
      if (mixed !== null) return [mixed];
    }
    return [
      ...block.removed.map((text): DiffRow => ({ kind: 'removed', text })),
      ...block.added.map((text): DiffRow => ({ kind: 'added', text })),
    ];
  });
  return { rows, added, removed };
}

function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split('\n');
}

/** Lines that are the same, or lines that went and those that came in their place. */
interface Block {
  readonly same: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function blocksOf(before: readonly string[], after: readonly string[]): readonly Block[] {
  const changes = diffArrays([...before], [...after], { timeout: LINES_MOST_MS });
  // Not found in time: all of the one went, and all of the other came.
  if (changes === undefined) return [{ same: [], removed: before, added: after }];
  const blocks: Block[] = [];
  for (const { value, added, removed } of changes) {
    const last = blocks.at(-1);
    const change = { same: [], removed: removed ? value : [], added: added ? value : [] };
    if (!added && !removed) blocks.push({ same: value, removed: [], added: [] });
    else if (last !== undefined && last.same.length === 0)
      blocks.splice(-1, 1, {
        same: [],
        removed: [...last.removed, ...change.removed],
        added: [...last.added, ...change.added],
      });
    else blocks.push(change);
  }
  return blocks;
}

function sameRows(lines: readonly string[], isFirst: boolean, isLast: boolean): readonly DiffRow[] {
  const head = isFirst ? 0 : AROUND;
  const tail = isLast ? 0 : AROUND;
  const row = (text: string): DiffRow => ({ kind: 'same', text });
  const left = lines.length - head - tail;
  // A gap of one line takes as much place as the line.
  if (left <= 1) return lines.map(row);
  return [
    ...lines.slice(0, head).map(row),
    { kind: 'gap', count: left },
    ...lines.slice(lines.length - tail).map(row),
  ];
}

function mixedRow({ removed, added }: Block, timeout: number): DiffRow | null {
  const [one, other] = [removed.join('\n'), added.join('\n')];
  if (timeout <= 0 || one.length + other.length > WORDS_MOST) return null;
  const changes = diffWordsWithSpace(one, other, { timeout });
  if (changes === undefined) return null;
  const parts = changes.map((change): DiffPart => ({
    text: change.value,
    kind: change.added ? 'new' : change.removed ? 'old' : 'same',
  }));
  return { kind: 'mixed', parts };
}
