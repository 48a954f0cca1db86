import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { definitionSchema } from './definition.ts';
import { carryUnknown, loosen } from './loose.ts';
import { definition } from './samples.testing.ts';

const loose = loosen(definitionSchema);
const parses = (schema: v.GenericSchema, value: unknown): boolean => v.safeParse(schema, value).success;

/** Every place of a definition that holds fields: what a newer build could add to. */
const PLACES = [
  [],
  ['schedule'],
  ['action'],
  ['action', 'expect'],
  ['action', 'expect', 'json', '0'],
  ['action', 'expect', 'json', '1'],
  ['rules'],
  ['rules', 'missed'],
  ['rules', 'overlap'],
  ['rules', 'retry'],
].map((path) => ({ path, where: path.join('.') || 'itself' }));

const whole = definition({
  tags: ['a'],
  action: {
    kind: 'http',
    url: 'https://example.test/',
    headers: { 'x-key': '1' },
    expect: { status: [200], json: [{ path: '$.a', equals: 1 }, { path: '$.b' }] },
  },
  rules: {
    missed: { kind: 'all', limit: 3 },
    overlap: { kind: 'parallel', limit: 2 },
    retry: { attempts: 2 },
  },
});

function at(value: object, path: readonly string[]): Record<string, unknown> {
  return path.reduce<unknown>((part, key) => Reflect.get(part as object, key), value) as Record<
    string,
    unknown
  >;
}

function withUnknown(path: readonly string[]): typeof whole {
  const copy = structuredClone(whole);
  at(copy, path)['fromTheFuture'] = { deep: ['kept'] };
  return copy;
}

describe('a definition in a stored row', () => {
  test.each(PLACES)('may have a field that this build does not know: $where', ({ path }) => {
    const stored = withUnknown(path);
    expect(parses(definitionSchema, stored)).toBe(false);
    const read = v.parse(loose, stored);
    expect(read).toEqual(stored);
  });

  test('is as wrong as ever in what this build does know', () => {
    for (const wrong of [
      { ...whole, name: 7 },
      { ...whole, schedule: { kind: 'sometimes' } },
      { ...whole, schedule: { kind: 'every', everyMs: 1, anchor: 0 } },
      { ...whole, action: { kind: 'http', url: 'ftp://x' } },
      { ...whole, action: { ...whole.action, method: 'GET', body: 'x' } },
      { ...whole, rules: { ...whole.rules, timeoutMs: 0 } },
      { ...whole, rules: { ...whole.rules, overlap: { kind: 'parallel', limit: 1 } } },
      {},
      null,
    ]) {
      expect(parses(loose, wrong), JSON.stringify(wrong)).toBe(false);
    }
  });

  test('has the defaults of what it leaves out', () => {
    const bare = { name: 'x', schedule: { kind: 'manual' }, action: { kind: 'remind', message: 'y' } };
    expect(v.parse(loose, bare)).toEqual(v.parse(definitionSchema, bare));
  });
});

describe('an edit by a build that does not know a field', () => {
  test.each(PLACES)('keeps it: $where', ({ path }) => {
    const next = { ...structuredClone(whole), name: 'Edited' };
    const carried = carryUnknown(definitionSchema, withUnknown(path), next);
    expect(carried).toEqual({ ...withUnknown(path), name: 'Edited' });
  });

  test('changes what it does know, also beside what it does not', () => {
    const next = definition({ ...whole, rules: { ...whole.rules, missed: { kind: 'all', limit: 9 } } });
    const carried = carryUnknown(definitionSchema, withUnknown(['rules', 'missed']), next);
    expect(at(carried, ['rules', 'missed'])).toEqual({
      kind: 'all',
      limit: 9,
      fromTheFuture: { deep: ['kept'] },
    });
  });

  test.each([
    [['schedule'], { schedule: { kind: 'manual' } }],
    [['action'], { action: { kind: 'remind', message: 'x' } }],
    [['rules', 'overlap'], { rules: { overlap: { kind: 'queue' } } }],
  ] as const)('drops it with the kind of thing that it was a field of: %s', (path, change) => {
    const next = definition({ ...(change as object) });
    const carried = carryUnknown(definitionSchema, withUnknown(path), next);
    expect(at(carried, path)).toEqual(at(next, path));
  });

  test('keeps out what a person took out: a header, a tag, an expectation, a retry rule', () => {
    const { retry: _, ...rules } = whole.rules;
    const next = definition({ action: { kind: 'http', url: 'https://example.test/' }, rules });
    const carried = carryUnknown(definitionSchema, whole, next);
    expect(carried).toEqual(next);
  });

  test('goes with its item of a list, wherever that is moved to', () => {
    const stored = withUnknown(['action', 'expect', 'json', '1']);
    const next = definition({
      action: {
        kind: 'http',
        url: 'https://example.test/',
        expect: { json: [{ path: '$.new' }, { path: '$.b' }] },
      },
    });
    const carried = carryUnknown(definitionSchema, stored, next);
    expect(at(carried, ['action', 'expect'])['json']).toEqual([
      { path: '$.new' },
      { path: '$.b', fromTheFuture: { deep: ['kept'] } },
    ]);
  });

  test('is an edit of nothing else, for any unknown fields anywhere', () => {
    const extras = fc.dictionary(fc.constantFrom('p', 'q', '__r', 'kinds'), fc.jsonValue(), { maxKeys: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...PLACES), extras)), (additions) => {
        const stored = structuredClone(whole);
        for (const [{ path }, extra] of additions) Object.assign(at(stored, path), extra);
        expect(carryUnknown(definitionSchema, v.parse(loose, stored) as typeof whole, whole)).toEqual(stored);
      }),
    );
  });
});

/** The kinds of schema that loosen and carryUnknown look into, or that hold no fields of their own. */
const UNDERSTOOD = new Set([
  ...['strict_object', 'variant', 'exact_optional', 'union', 'null'],
  ...['string', 'number', 'boolean', 'literal', 'picklist', 'record', 'array', 'custom'],
]);

test('a definition is made only of what can be loosened: a choice between objects, say, would have to be added there first', () => {
  const seen = new Set<string>();
  const visit = (schema: unknown, inside: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const part = (name: string): unknown => Reflect.get(schema, name);
    const type = String(part('type'));
    expect(UNDERSTOOD, inside).toContain(type);
    seen.add(type);
    const parts = [
      ...Object.values(part('entries') ?? {}),
      ...((part('options') ?? []) as unknown[]).filter((option) => typeof option === 'object'),
      part('wrapped'),
    ];
    parts.forEach((one) => visit(one, `${inside} > ${type}`));
    if (type === 'array') visit(part('item'), `${inside} > ${type}`);
    // What these hold has no fields that could be unknown.
    const values = type === 'union' ? (part('options') as unknown[]) : [part('value')];
    for (const value of values) {
      if (typeof value === 'object' && value !== null)
        expect(['string', 'number', 'boolean', 'null', 'picklist']).toContain(Reflect.get(value, 'type'));
    }
  };
  visit(definitionSchema, 'definition');
  expect(seen).toContain('variant');
});
