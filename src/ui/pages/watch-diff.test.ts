import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiffRow, diffOf } from './watch-diff.ts';

const shown = (rows: readonly DiffRow[]): readonly string[] =>
  rows.map((row) => {
    switch (row.kind) {
      case 'same':
        return `  ${row.text}`;
      case 'added':
        return `+ ${row.text}`;
      case 'removed':
        return `- ${row.text}`;
      case 'gap':
        return `… ${row.count}`;
      case 'mixed':
        return row.parts
          .map(({ kind, text }) => (kind === 'new' ? `{+${text}+}` : kind === 'old' ? `[-${text}-]` : text))
          .join('');
    }
  });

describe('two snapshots', () => {
  test('differ by the lines that went and those that came, with some around them', () => {
    const before = ['1', '2', '3', '4', '5', '6', '7', 'old', '8', '9'].join('\n');
    const after = ['1', '2', '3', '4', '5', '6', '7', 'new', 'more', '8', '9'].join('\n');
    const { rows, added, removed } = diffOf(before, after, 'lines');
    expect(shown(rows)).toEqual(['… 4', '  5', '  6', '  7', '- old', '+ new', '+ more', '  8', '  9']);
    expect({ added, removed }).toEqual({ added: 2, removed: 1 });
  });

  test('differ by words within the lines that changed', () => {
    const { rows } = diffOf('a\nThe price is 12 euros\nb', 'a\nThe price is 10 euros\nb\nc', 'words');
    expect(shown(rows)).toEqual(['  a', 'The price is [-12-]{+10+} euros', '  b', '+ c']);
  });

  test('differ from nothing by every line', () => {
    expect(shown(diffOf('', 'a\nb', 'lines').rows)).toEqual(['+ a', '+ b']);
    expect(shown(diffOf('a', '', 'words').rows)).toEqual(['- a']);
  });

  test.each(['lines', 'words'] as const)(
    'that are the same have no rows, and all others have some (%s)',
    (by) => {
      const text = fc
        .array(fc.constantFrom('a', 'b b', 'c', ''), { maxLength: 8 })
        .map((lines) => lines.join('\n'));
      fc.assert(
        fc.property(text, text, (before, after) => {
          expect(diffOf(before, after, by).rows.length === 0).toBe(before === after);
        }),
      );
    },
  );

  test('that have nothing in common are compared within a second or so', () => {
    const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, n) => `${prefix}${n}`).join('\n');
    const { added, removed } = diffOf(lines('a'), lines('b'), 'words');
    expect({ added, removed }).toEqual({ added: 20_000, removed: 20_000 });
  });
});
