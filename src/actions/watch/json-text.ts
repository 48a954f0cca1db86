/** What of a JSON document is watched, as lines of text. */
import { LimitReached } from '../limit-reached.ts';

/** How deep a value may nest that is written as lines. */
const DEPTH_MOST = 500;

/**
 * `values` as lines: a text, number or other plain value on its own, lists and objects indented. The order of an object's
 * members means nothing (RFC 8259), so they are sorted. Throws {@link LimitReached} on what nests too deeply.
 */
export function jsonLines(values: readonly unknown[]): readonly string[] {
  return values.flatMap((value) => {
    if (typeof value === 'string') return value.split(/\r\n|\n|\r/);
    return typeof value === 'object' && value !== null ? indented(value) : [JSON.stringify(value)];
  });
}

function indented(value: object): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const write = (part: unknown, depth: number): void => {
    if (depth > DEPTH_MOST) {
      throw new LimitReached({
        class: 'limit',
        code: 'nests-too-deep',
        message: `What was found in the JSON nests deeper than ${DEPTH_MOST} levels.`,
        advice: 'Choose a smaller part by a longer path.',
      });
    }
    if (typeof part !== 'object' || part === null) {
      line += JSON.stringify(part);
      return;
    }
    const isList = Array.isArray(part);
    // Never assigned to an object: a key may be called __proto__.
    const members = isList
      ? part.map((item: unknown) => ['', item] as const)
      : Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1));
    line += isList ? '[' : '{';
    for (const [index, [key, member]] of members.entries()) {
      lines.push(line);
      line = '  '.repeat(depth + 1) + (isList ? '' : `${JSON.stringify(key)}: `);
      write(member, depth + 1);
      if (index < members.length - 1) line += ',';
    }
    if (members.length > 0) {
      lines.push(line);
      line = '  '.repeat(depth);
    }
    line += isList ? ']' : '}';
  };
  write(value, 0);
  return [...lines, line];
}
