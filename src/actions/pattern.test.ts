import { describe, expect, test } from 'vitest';
import { LimitReached } from './limit-reached.ts';
import { PatternBudget, readIRegexp, readPattern } from './pattern.ts';

function pattern(source: string) {
  const read = readPattern(source);
  if (read.kind === 'failed') throw new Error(read.failure.message);
  return read.pattern;
}

const isIn = (source: string, text: string) => pattern(source).isIn(text, new PatternBudget());

describe('a pattern', () => {
  test.each([
    ['views', '1,204 Views today', true],
    ['a.c', 'abc', false],
    ['a.c', 'A.C', true],
    ['/a.c/', 'xabcx', true],
    ['/^\\d+ views$/', '12 views', true],
    ['/VIEWS/', '12 views', false],
    ['/VIEWS/i', '12 views', true],
    ['/[äÄ]pfel/', 'drei Äpfel', true],
    ['/', 'a/b', true],
    ['//', '//', true],
  ])('%s in %j is found: %s', (source, text, is) => {
    expect(isIn(source, text)).toBe(is);
  });

  test('takes away what it matches, everywhere', () => {
    expect(pattern('/\\d+ (views|likes)/').removedFrom('a 12 views, 3 likes.', new PatternBudget())).toBe(
      'a , .',
    );
    expect(pattern('$1').removedFrom('costs $1 more', new PatternBudget())).toBe('costs  more');
  });

  test.each([
    ['/(/', /cannot be read: missing closing \)/],
    ['/a/y', /has no flag y/],
    ['/(?=x)y/', /looks ahead/],
    ['/(?<=x)y/', /looks ahead or behind/],
    ['/(a)\\1/', /refers back/],
    ['/(a{1000}){1000}/', /repeat count/],
    ['/a{900}/', /too large/],
  ])('%s is refused with the reason', (source, reason) => {
    const read = readPattern(source);
    expect(read).toMatchObject({ kind: 'failed', failure: { class: 'invalid', code: 'bad-pattern' } });
    expect(read.kind === 'failed' && read.failure.message).toMatch(reason);
  });

  test.each(['/(a+)+$/', '/(a|a)*b/', '/(a|aa)+$/', '/(.*a){10}/', '/^(([a-z])+.)+[A-Z]([a-z])+$/'])(
    '%s, which hangs an engine that backtracks, is answered',
    (source) => {
      expect(isIn(source, `${'a'.repeat(5_000)}!`)).toBe(source === '/(.*a){10}/');
    },
  );

  test('that costs too much ends at the limit of what it shares with others', () => {
    const budget = new PatternBudget();
    const costly = pattern('/(a?){60}b/');
    const text = 'a'.repeat(10_000);
    expect(() => {
      for (let n = 0; n < 1_000; n += 1) costly.isIn(text, budget);
    }).toThrow(LimitReached);
    expect(() => pattern('b').isIn(text, budget)).toThrow(LimitReached);
  });
});

test('a dot of an I-Regexp is no line end, and a class or an escaped dot stays what it is', () => {
  const all = (source: string, text: string) => readIRegexp(source)?.isAllOf(text, new PatternBudget());
  expect(all('a.c', 'a\rc')).toBe(false);
  expect(all('a.c', 'abc')).toBe(true);
  expect(all('a[.]c', 'abc')).toBe(false);
  expect(all('a\\.c', 'a.c')).toBe(true);
  expect(readIRegexp('(')).toBeNull();
});
