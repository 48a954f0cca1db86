import { describe, expect, test } from 'vitest';
import { findInJson, findPathProblem } from './json-path.ts';

const store = JSON.parse(`{
  "books": [
    { "title": "Sayings", "price": 8.95, "tags": ["old"] },
    { "title": "Moby Dick", "price": 8.99, "isbn": "0-553-21311-3" },
    { "title": "The Lord of the Rings", "price": 22.99, "isbn": "0-395-19395-8" }
  ],
  "a b": { "☺": null },
  "__proto__": { "polluted": true }
}`) as unknown;

async function found(path: string, value: unknown = store): Promise<readonly unknown[]> {
  const result = await findInJson(path, value);
  if (result.kind === 'failed') throw new Error(result.failure.message);
  return result.values;
}

async function failed(path: string, value: unknown = store) {
  const result = await findInJson(path, value);
  if (result.kind === 'found') throw new Error(`it found ${result.values.length} values`);
  return result.failure;
}

describe('a JSONPath', () => {
  // Examples of the shape of those in RFC 9535, sections 1.5 and 2.
  test.each<[string, readonly unknown[]]>([
    ['$.books[0].title', ['Sayings']],
    ['$.books[-1].price', [22.99]],
    ['$["books"][0,2].price', [8.95, 22.99]],
    ['$.books[::-1].price', [22.99, 8.99, 8.95]],
    ['$.books[1:].title', ['Moby Dick', 'The Lord of the Rings']],
    ['$..isbn', ['0-553-21311-3', '0-395-19395-8']],
    ['$.books[?@.price < 9 && !@.isbn].title', ['Sayings']],
    ['$.books[?count(@.*) == 3 && length(@.title) > 8].title', ['Moby Dick', 'The Lord of the Rings']],
    ['$.books[?match(@.title, "M.*k")].title', ['Moby Dick']],
    ['$.books[?search(@.title, "[Rr]ing|ying")].title', ['Sayings', 'The Lord of the Rings']],
    ['$.books[?match(@.title, "Mob")].title', []],
    ['$.books[?match(@.price, "8.*")].title', []],
    ['$.books[?@.tags == $.books[0].tags].title', ['Sayings']],
    ["$['a b']['☺']", [null]],
    ['$.nothing', []],
    ['$.books.length', []],
  ])('%s finds what the standard says', async (path, values) => {
    expect(await found(path)).toEqual(values);
  });

  test.each(['$', '$.books', '$..*'])('%s never looks at what objects inherit', async (path) => {
    expect(await found(`${path}.constructor`)).toEqual([]);
    expect(await found(`${path}.toString`)).toEqual([]);
  });

  test('finds a key called __proto__ as the plain key that it is', async () => {
    expect(await found('$.__proto__.polluted')).toEqual([true]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('gives a value that is there twice twice', async () => {
    expect(await found('$.books[0,0].price')).toEqual([8.95, 8.95]);
  });

  test.each([
    'books',
    '$.',
    '$[',
    '$.books[?@.price = 9]',
    '$.a[?length(@.*) > 1]',
    '$.a[?nope(@.x)]',
    ' $.a',
    '$.a[01]',
  ])('%s is refused with its reason', async (path) => {
    const problem = await findPathProblem(path);
    expect(problem).toMatchObject({ class: 'invalid', code: 'bad-json-path' });
    expect(problem?.message.length).toBeLessThan(300);
    expect((await failed(path)).code).toBe('bad-json-path');
  });

  test.each(['[?@', '[?(', '[?!'])('that nests %s without end is refused', async (part) => {
    expect(await findPathProblem(`$${part.repeat(20_000)}`)).toMatchObject({ code: 'bad-json-path' });
  });
});

describe('a query that would keep its host busy', () => {
  const wide = Array.from({ length: 100_000 }, (_, index) => ({ index }));

  test.each<[string, string, unknown]>([
    ['searches everything for each value', '$[?count($..*) > 0]', wide],
    ['asks each value whether anything is anywhere', '$..[?$..nope]', wide],
    [
      'searches in what it found again and again',
      '$..*..*..*..*',
      JSON.parse('['.repeat(200) + ']'.repeat(200)),
    ],
    ['lists a large list for each of its values', '$[?count($[*]) > 3]', wide],
    [
      'lists a large object for each of its values',
      '$.a[?count($.a.*) > 3]',
      { a: Object.fromEntries(wide.map(({ index }) => [`k${index}`, index])) },
    ],
  ])('and %s ends at a limit', async (_what, path, value) => {
    expect(await failed(path, value)).toMatchObject({ class: 'limit', code: 'json-path-limit' });
  });

  test('by a pattern that backtracks elsewhere is answered', async () => {
    const value = [{ text: `${'a'.repeat(50_000)}!` }];
    expect(await found('$[?match(@.text, "(a+)+")].text', value)).toEqual([]);
    expect(await found('$[?search(@.text, "^(a|aa)+$")].text', value)).toEqual([]);
  });

  test('by a pattern on too much text ends at a limit', async () => {
    const value = Array.from({ length: 2_000 }, () => 'a'.repeat(1_000));
    expect(await failed('$[?search(@, "(a?){40}b")]', value)).toMatchObject({ code: 'pattern-limit' });
  });

  test('on JSON that nests too deeply for .. says so, and a plain path still reads it', async () => {
    const deep: unknown = JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)},"b":1}`);
    expect((await failed('$..b', deep)).message).toMatch(/nests deeper than 500 levels/);
    expect(await found('$.b', deep)).toEqual([1]);
  });

  test('looks through a megabyte of plain records', async () => {
    const records = Array.from({ length: 15_000 }, (_, id) => ({
      id,
      name: `Record ${id}`,
      tags: ['a', 'b'],
    }));
    expect(await found('$..[?@.id == 14999].name', records)).toEqual(['Record 14999']);
    expect(await found('$..tags[*]', records)).toHaveLength(30_000);
  });
});
