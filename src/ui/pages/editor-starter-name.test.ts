import { expect, test } from 'vitest';
import { findStarter, starters, templates } from '../starters.ts';
import { type GivenName, givenBy, nameAfter } from './editor-starter-name.ts';

function given(id: string): GivenName {
  const starter = findStarter(id);
  const found = starter === null ? null : givenBy(starter);
  if (found === null) throw new Error(`${id} gives no name that follows`);
  return found;
}

/** The name after each of `typed` was put into the address, one after the other. */
function names(from: GivenName, typed: readonly string[]): readonly string[] {
  let form = { name: from.name, url: from.url };
  return typed.map((url) => {
    form = { name: nameAfter(from, form, url) ?? form.name, url };
    return form.name;
  });
}

test('the name of a starter follows its address, also while that is typed letter by letter', () => {
  expect(
    names(given('check'), ['', 'https:', 'https://ex', 'https://example.org', 'https://example.org/up']),
  ).toEqual(['GitHub answers', 'GitHub answers', 'ex answers', 'example.org answers', 'example.org answers']);
});

test('the address of the starter brings its name back', () => {
  const from = given('watch');
  expect(names(from, ['https://www.example.org/news', from.url])).toEqual([
    'What is new at example.org',
    'New releases of Node.js',
  ]);
});

test('a name that a person typed stays, whatever becomes of the address', () => {
  const from = given('fetch');
  expect(nameAfter(from, { name: 'Mine', url: from.url }, 'https://example.org')).toBeNull();
  expect(nameAfter(from, { name: '', url: from.url }, 'https://example.org')).toBeNull();
  expect(nameAfter(from, { name: 'Mine', url: 'https://example.org' }, from.url)).toBeNull();
});

test('a server whose name is no name leaves the one of the starter', () => {
  const long = `https://${'a'.repeat(60)}.${'b'.repeat(60)}.test/`;
  expect(names(given('check'), [long, 'file:///tmp/x'])).toEqual(['GitHub answers', 'GitHub answers']);
});

test('every starter with an address has a name that follows it, and no other has', () => {
  for (const starter of [...starters, ...templates]) {
    expect(givenBy(starter) !== null, starter.id).toBe('url' in starter.definition.action);
  }
});
