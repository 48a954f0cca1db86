import { expect, test } from 'vitest';
import { outlineOf } from './settings-import.ts';

const file = (...automations: unknown[]): string =>
  JSON.stringify({ format: 'rota', version: 1, automations });
const good = {
  id: '0190a5d2-7c1e-7b3a-9f00-2c5d8e4b1a66',
  name: 'Check the API',
  schedule: { kind: 'manual' },
  action: { kind: 'http', url: 'https://example.test/' },
};

test('a file is told by its automations before it is imported', () => {
  const outline = outlineOf(`\uFEFF${file(good)}`);
  expect(outline).toMatchObject({
    kind: 'file',
    automations: [{ name: 'Check the API', what: 'GET https://example.test/' }],
    problems: [],
  });
});

test('what is wrong in it is named with its path, beside what is right', () => {
  const outline = outlineOf(file(good, { ...good, name: 'Broken', schedule: { kind: 'sometimes' } }, 7));
  expect(outline).toMatchObject({
    automations: [
      { definition: { name: 'Check the API' } },
      { name: 'Broken', definition: null },
      { name: 'automations[2]' },
    ],
  });
  const paths = outline.kind === 'file' ? outline.problems.map(({ path }) => path) : [];
  expect(paths[0]).toBe('automations[1].schedule.kind');
  expect(paths).toContain('automations[2].name');
});

test.each(['', '{', '[]', '7', '{"format":"other"}', '{"format":"rota"}'])(
  '%j is no file of Rota',
  (text) => {
    expect(outlineOf(text)).toEqual({ kind: 'unreadable' });
  },
);
