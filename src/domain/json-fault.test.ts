import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonFault } from './json-fault.ts';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('a fault in JSON', () => {
  test.each([
    ['{"a": 1,}', 1, 9, [], 'expected a name in double quotes, found "}"'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, ['a'], 'expected a comma or "}", found "\\""'],
    ['{"a": [1, 2', 1, 12, ['a', 1], 'expected a comma or "]", the file ends here'],
    ['{"a": [1, , 2]}', 1, 11, ['a', 1], 'expected a value, found ","'],
    ['{a: 1}', 1, 2, [], 'expected a name in double quotes, found "a"'],
    ['{"a" 1}', 1, 6, ['a'], 'expected a colon, found "1"'],
    ["{'a': 1}", 1, 2, [], 'expected a name in double quotes, found "\'"'],
    ['{"a": "b', 1, 7, ['a'], 'this text has no closing quote'],
    [
      '{"a": "b\n"}',
      1,
      9,
      ['a'],
      'a control character or line break in a text is written with a backslash, such as \\n',
    ],
    [
      '{"a": "\\x"}',
      1,
      8,
      ['a'],
      'a backslash may stand only before " \\ / b f n r t or u and four hex digits',
    ],
    ['[1, 2] 3', 1, 8, [], 'expected the end of the file, found "3"'],
    ['// hello\n{}', 1, 1, [], 'expected a value, found "/"'],
    ['\r\n\r\n  😀', 3, 3, [], 'expected a value, found "😀"'],
    ['[01]', 1, 3, [0], 'expected a comma or "]", found "1"'],
    ['[NaN]', 1, 2, [0], 'expected a value, found "N"'],
    ['', 1, 1, [], 'expected a value, the file ends here'],
  ])('of %j is placed and worded', (text, line, column, keys, reason) => {
    expect(findJsonFault(text)).toEqual({ line, column, keys, reason });
    expect(isJson(text)).toBe(false);
  });

  test.each([
    ['{"a": 1, "b": {"c": 2, "c": 3}}', 1, 24, ['b', 'c'], 'this name is given twice'],
    ['{"a": 1, "\\u0061": 2}', 1, 10, ['a'], 'this name is given twice'],
    ['[{"__proto__": {}}]', 1, 3, [0, '__proto__'], 'Rota takes no field of this name'],
    ['{"\\u005f_proto__": 1}', 1, 2, ['__proto__'], 'Rota takes no field of this name'],
    ['{"constructor": 1}', 1, 2, ['constructor'], 'Rota takes no field of this name'],
  ])('is seen in %j, which JSON.parse takes in silence', (text, line, column, keys, reason) => {
    expect(findJsonFault(text)).toEqual({ line, column, keys, reason });
    expect(isJson(text)).toBe(true);
  });

  test('of nesting is found before the stack runs out', () => {
    expect(findJsonFault('['.repeat(1_000_000))?.reason).toBe('the nesting is too deep');
    expect(findJsonFault(`${'['.repeat(60)}${']'.repeat(60)}`)).toBeNull();
  });

  test('is looked for in linear time', () => {
    const text = JSON.stringify({
      a: 'é\\"x\n'.repeat(1_000_000),
      b: Array.from({ length: 100_000 }, (_, i) => i),
    });
    expect(findJsonFault(text)).toBeNull();
    expect(findJsonFault(text.slice(0, -1))?.reason).toBe('expected a comma or "}", the file ends here');
  });

  test('is found exactly where JSON.parse finds one, whatever the text', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '"a"',
        '"b":',
        ' ',
        '\n',
        '\t',
        '0',
        '-',
        '1.5',
        '1e5',
        '.',
        'e',
        '+',
      ],
      ...[
        'true',
        'false',
        'null',
        'nul',
        '\\',
        '\\u0041',
        '\\u00',
        '\u0000',
        '\u2028',
        '\ufeff',
        '\ud800',
        "'",
      ],
    );
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), piece)
      .map(
        ([text, at, cut, more]) =>
          text.slice(0, at % (text.length + 1)) + more + text.slice((at % (text.length + 1)) + cut),
      );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => pieces.join('')),
          broken,
          fc.json(),
          fc.string(),
        ),
        (text) => {
          const fault = findJsonFault(text);
          if (fault === null) expect(isJson(text)).toBe(true);
          else if (!/given twice|of this name|too deep/.test(fault.reason)) expect(isJson(text)).toBe(false);
        },
      ),
      { numRuns: 20_000 },
    );
  });
});
