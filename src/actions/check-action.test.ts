import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { type DefinitionInput, definitionSchema } from '../domain/index.ts';
import { checkAction } from './check-action.ts';

const check = (action: DefinitionInput['action'], at?: readonly (string | number)[]) =>
  checkAction(v.parse(definitionSchema, { name: 'Check', schedule: { kind: 'manual' }, action }), at);

describe('an action that is saved', () => {
  test.each<DefinitionInput['action']>([
    { kind: 'http', url: 'https://example.test/?at={{ run.scheduledFor | date: "%F" }}' },
    { kind: 'http', url: '{{ "https://example.test" }}/', headers: { 'X-Run': '{{ run.id }}' } },
    { kind: 'http', method: 'POST', url: 'https://example.test/', body: '{"n": "{{ automation.name }}"}' },
    { kind: 'remind', message: 'Attempt {{ run.attempt }} of {{ run.occurrence }}' },
  ])('has no problems when it would run: %j', async (action) => {
    expect(await check(action)).toEqual([]);
  });

  test.each<[DefinitionInput['action'], string, RegExp]>([
    [
      { kind: 'http', url: 'https://example.test/{{ run.scheduledfor }}' },
      'action.url',
      /names \{\{ run\.scheduledfor/,
    ],
    [{ kind: 'http', url: 'https://example.test/{{ run.id' }, 'action.url', /line 1: output .* not closed/],
    [{ kind: 'http', url: '{{ automation.name }}' }, 'action.url', /"Check" is not an address/],
    [{ kind: 'http', url: 'https://example.test:99999/' }, 'action.url', /is not an address/],
    [{ kind: 'http', url: 'http://example.test:22/' }, 'action.url', /port 22/],
    [
      { kind: 'http', url: 'http://example.test/', headers: { 'X-A': '{{ x }}' } },
      'action.headers["X-A"]',
      /names \{\{ x \}\}/,
    ],
    [
      { kind: 'http', url: 'http://example.test/', headers: { 'X-A': '日' } },
      'action.headers["X-A"]',
      /cannot carry/,
    ],
    [
      { kind: 'http', method: 'POST', url: 'http://example.test/', body: '{% if %}' },
      'action.body',
      /line 1/,
    ],
    [
      {
        kind: 'http',
        url: 'http://example.test/',
        expect: { json: [{ path: '$.ok' }, { path: '$.items[' }] },
      },
      'action.expect.json[1].path',
      /JSONPath “\$\.items\[” cannot be read/,
    ],
    [
      { kind: 'http', url: 'http://example.test/', expect: { text: { lacks: '/(a/' } } },
      'action.expect.text.lacks',
      /pattern .* cannot be read/,
    ],
    [{ kind: 'remind', message: '{{ steps.1.output }}' }, 'action.message', /names \{\{ steps \}\}/],
  ])('is refused with the field and the reason: %j', async (action, path, message) => {
    expect(await check(action)).toEqual([{ path, message: expect.stringMatching(message) as string }]);
  });

  test('is named by its place in a file', async () => {
    const [problem] = await check({ kind: 'remind', message: '{{ x }}' }, ['automations', 3]);
    expect(problem?.path).toBe('automations[3].action.message');
  });
});
