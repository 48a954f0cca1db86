/**
 * Finds what is wrong with JSON text and where. `JSON.parse` decides what JSON is, but each engine words its errors
 * differently and WebKit names no place; it also takes the last of two equal names in silence.
 */

/** Where JSON text goes wrong: a 1-based line and column, the path of the value it lies in, and why, as a clause. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly keys: readonly (string | number)[];
  readonly reason: string;
}

/** Nesting beyond this is refused: nothing that Rota reads goes half as deep. */
const DEPTH_MOST = 64;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class Fault extends Error {
  constructor(
    readonly offset: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/**
 * The first thing wrong with `text` as strict JSON, or `null` when `JSON.parse` takes it. Beyond JSON it refuses a
 * name given twice in one object, a name that every JavaScript object has of itself, such as `__proto__`, and nesting
 * deeper than 64.
 */
export function findJsonFault(text: string): JsonFault | null {
  const keys: (string | number)[] = [];
  let at = 0;

  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) return null;
    at += match[0].length;
    return match[0];
  };
  const found = (): string => {
    const point = text.codePointAt(at);
    return point === undefined
      ? 'the file ends here'
      : `found ${JSON.stringify(String.fromCodePoint(point))}`;
  };
  const takeString = (): string => {
    const start = at;
    for (at += 1; at < text.length; at += 1) {
      const character = text[at];
      if (character === '"') {
        at += 1;
        return JSON.parse(text.slice(start, at)) as string;
      }
      if (character === '\\') {
        if (take(ESCAPE) === null)
          throw new Fault(at, 'a backslash may stand only before " \\ / b f n r t or u and four hex digits');
        at -= 1;
      } else if (text.charCodeAt(at) < 0x20) {
        throw new Fault(
          at,
          'a control character or line break in a text is written with a backslash, such as \\n',
        );
      }
    }
    throw new Fault(start, 'this text has no closing quote');
  };

  const value = (depth: number): void => {
    if (depth > DEPTH_MOST) throw new Fault(at, 'the nesting is too deep');
    take(SPACE);
    if (text[at] === '{') members(depth);
    else if (text[at] === '[') elements(depth);
    else if (text[at] === '"') takeString();
    else if (take(WORD) === null && take(NUMBER) === null)
      throw new Fault(at, `expected a value, ${found()}`);
    take(SPACE);
  };
  const members = (depth: number): void => {
    at += 1;
    take(SPACE);
    if (text[at] === '}') {
      at += 1;
      return;
    }
    const names = new Set<string>();
    for (;;) {
      take(SPACE);
      const start = at;
      if (text[at] !== '"') throw new Fault(at, `expected a name in double quotes, ${found()}`);
      const name = takeString();
      keys.push(name);
      if (names.has(name)) throw new Fault(start, 'this name is given twice');
      if (name in Object.prototype) throw new Fault(start, 'Rota takes no field of this name');
      names.add(name);
      take(SPACE);
      if (text[at] !== ':') throw new Fault(at, `expected a colon, ${found()}`);
      at += 1;
      value(depth + 1);
      if (text[at] !== ',' && text[at] !== '}') throw new Fault(at, `expected a comma or "}", ${found()}`);
      keys.pop();
      at += 1;
      if (text[at - 1] === '}') return;
    }
  };
  const elements = (depth: number): void => {
    at += 1;
    take(SPACE);
    if (text[at] === ']') {
      at += 1;
      return;
    }
    for (let index = 0; ; index += 1) {
      keys.push(index);
      value(depth + 1);
      if (text[at] !== ',' && text[at] !== ']') throw new Fault(at, `expected a comma or "]", ${found()}`);
      keys.pop();
      at += 1;
      if (text[at - 1] === ']') return;
    }
  };

  try {
    value(0);
    if (at < text.length) throw new Fault(at, `expected the end of the file, ${found()}`);
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const before = text.slice(0, error.offset).split(/\r\n|\r|\n/);
    const last = before.at(-1) ?? '';
    return { line: before.length, column: last.length + 1, keys, reason: error.reason };
  }
}
