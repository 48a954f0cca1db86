import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const root = new URL('../', import.meta.url);

/**
 * The tests of a file by their titles as they are written, each also with the titles of what it is in before it, joined by ` › `.
 * A title that is put together names its parts as in the source: `%s`, `${name}`.
 */
function titlesOf(source: string): ReadonlySet<string> {
  const found = new Set<string>();
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true);
  const walk = (node: ts.Node, within: readonly string[]): void => {
    let inside = within;
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const name = rootName(node.expression);
      if (title !== undefined && ts.isStringLiteralLike(title)) {
        if (name === 'describe') inside = [...within, title.text];
        else if (name === 'test' || name === 'it') {
          found.add(title.text);
          for (const [at] of within.entries()) found.add([...within.slice(at), title.text].join(' › '));
        }
      }
    }
    ts.forEachChild(node, (child) => walk(child, inside));
  };
  walk(file, []);
  return found;
}

/** `test` of `test`, `test.each(rows)` and `test.describe`, where the last is `describe`. */
function rootName(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isPropertyAccessExpression(expression))
    return expression.name.text === 'describe' ? 'describe' : rootName(expression.expression);
  return ts.isCallExpression(expression) || ts.isTaggedTemplateExpression(expression)
    ? rootName(ts.isCallExpression(expression) ? expression.expression : expression.tag)
    : '';
}

/** An attack of docs/security.md, with the tests that it names. */
interface Attack {
  readonly what: string;
  readonly tests: { readonly file: string; readonly title: string }[];
}

function attacksOf(text: string): readonly Attack[] {
  const attacks: Attack[] = [];
  for (const line of text.split('\n')) {
    const attack = /^- \*\*(.+?)\*\*/.exec(line)?.[1];
    if (attack !== undefined) attacks.push({ what: attack, tests: [] });
    const shown = /^ {2}- `(.+?)`: (.+)$/.exec(line);
    if (shown?.[1] !== undefined && shown[2] !== undefined)
      attacks.at(-1)?.tests.push({ file: shown[1], title: shown[2] });
  }
  return attacks;
}

const attacks = attacksOf(readFileSync(new URL('docs/security.md', root), 'utf8'));
const known = new Map<string, ReadonlySet<string>>();

describe('each attack of docs/security.md', () => {
  test('is there, with a test at least', () => {
    expect(attacks.length).toBeGreaterThan(25);
    expect(attacks.filter(({ tests }) => tests.length === 0)).toEqual([]);
  });

  test.each(attacks)('$what names tests that exist', ({ tests }) => {
    for (const { file, title } of tests) {
      const address = new URL(file, root);
      if (!known.has(file))
        known.set(file, existsSync(address) ? titlesOf(readFileSync(address, 'utf8')) : new Set());
      expect(known.get(file), `${file} has no test “${title}”`).toContain(title);
    }
  });
});

test('titles are found wherever they are, and one in a comment or of something else is none', () => {
  const source = `// test('in a comment', …)
    describe('a', () => { test.each([1])('of %d', () => {}); describe('b', () => test('c', run)); });
    test.describe('d', () => { base('e'); test('f', run); });`;
  expect([...titlesOf(source)]).toEqual(['of %d', 'a › of %d', 'c', 'a › b › c', 'b › c', 'f', 'd › f']);
});
