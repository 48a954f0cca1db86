import { beforeAll, describe, expect, test } from 'vitest';
import { definitionSchema, parseWith, prepareTime, problemsOf } from '../domain/index.ts';
import { findStarter, starters, templates } from './starters.ts';

beforeAll(() => prepareTime());

describe('a starter can be saved as it is', () => {
  test.each([...starters, ...templates].map((starter) => [starter.id, starter] as const))(
    '%s',
    (id, starter) => {
      const parsed = parseWith(definitionSchema, starter.definition);
      expect(parsed).toMatchObject({ kind: 'ok' });
      expect(problemsOf(starter.definition.schedule)).toEqual([]);
      expect(findStarter(id)).toBe(starter);
    },
  );

  test('a template begins paused, and what is offered first begins at once', () => {
    expect(templates.map(({ definition }) => definition.enabled)).toEqual([false, false, false]);
    expect(starters.map(({ definition }) => definition.enabled ?? true)).toEqual([true, true, true]);
  });

  test('none needs a key, and none sends a header that would ask for a preflight', () => {
    for (const { definition } of [...starters, ...templates]) {
      expect(JSON.stringify(definition)).not.toMatch(/secrets\.|authorization/i);
      if (definition.action.kind === 'http') expect(definition.action.headers).toBeUndefined();
    }
  });
});
