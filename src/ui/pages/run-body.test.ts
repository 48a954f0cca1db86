import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headOf, shownBody } from './run-body.ts';

describe('a body that is JSON', () => {
  test('is indented as JSON.stringify would', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(shownBody(JSON.stringify(value), 'application/json').text).toBe(
          JSON.stringify(value, null, 2),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('keeps the digits of its numbers and the keys that are there twice', () => {
    expect(shownBody('{"id":12345678901234567890,"a":1.0,"a":2}', 'text/plain').text).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": 1.0,\n  "a": 2\n}',
    );
  });
});

test.each([
  ['broken JSON', '{"a":', 'application/json'],
  ['markup', '<b onclick="x()">bold</b>', 'text/html'],
  ['text', 'a,b\n1,2', 'text/csv'],
])('%s is left as it is', (_what, body, type) => {
  expect(shownBody(body, type)).toEqual({ text: body, indented: false });
});

describe('the head of a long text', () => {
  test('ends at the end of a line', () => expect(headOf('a\nb\nc', 2, 100)).toBe('a\nb'));
  test('is all of a short one', () => expect(headOf('a\nb', 2, 100)).toBe('a\nb'));
  test('has at most so many characters', () => expect(headOf('abcdef', 2, 3)).toBe('abc'));
  test('never ends in half of a character', () => expect(headOf('ab😀', 2, 3)).toBe('ab'));
});
