import { expect, test } from 'vitest';
import { originsOf, secretsOf } from './action-secrets.ts';
import type { Action } from './action.ts';
import { secretNamesIn } from './secret.ts';

test.each([
  ['{{ secrets.A }} {{secrets.B|upcase}} {{ secrets.A }}', ['A', 'B']],
  ['{% if secrets["A"] %}{% endif %}{{ secrets[ \'B\' ] }}', ['A', 'B']],
  ['secret.A {{ my_secrets_of.B }}', []],
  ['Write of secrets.A and {{ run.id }} and of secrets.B', []],
  ['{"key": "{{ secrets.A }}", "note": "}} secrets.B"}', ['A']],
  ['{{ "}}" | append: secrets.A }}', ['A']],
  ["don't {{ secrets.A }} won't {{ secrets.B", ['A', 'B']],
])('the secrets that a template names are found in its tags: %s', (text, names) => {
  expect(secretNamesIn(text)).toEqual(names);
});

// With a look at the whole rest for each beginning this would take hours.
test('a text of nothing but the beginnings of tags is read in one go', () => {
  expect(secretNamesIn('{{'.repeat(1_000_000) + '"'.repeat(1_000_001))).toEqual([]);
});

const http = { kind: 'http', method: 'POST', headers: {}, idempotencyKey: false, repeatable: false } as const;
const prompt = { kind: 'prompt', model: 'm', repeatable: true } as const;

test.each<[Action, readonly string[], readonly string[]]>([
  [
    {
      ...http,
      url: 'https://API.example.test:443/{{ secrets.A }}',
      headers: { 'X-Key': '{{ secrets.B }}' },
      body: '{{ secrets.A }}{{ secrets.C }}',
    },
    ['A', 'B', 'C'],
    ['https://api.example.test'],
  ],
  [{ ...http, url: 'https://{{ secrets.HOST }}.example.test/' }, ['HOST'], []],
  [
    {
      ...prompt,
      endpoint: { protocol: 'openai', baseUrl: 'http://localhost:11434/v1', apiKey: '{{ secrets.KEY }}' },
      prompt: 'Say {{ secrets.WORD }}',
    },
    ['KEY', 'WORD'],
    ['http://localhost:11434'],
  ],
  [{ kind: 'remind', message: '{{ secrets.A }}' }, [], []],
])(
  'what an action sends names the secrets that it waits for, and where they go: %j',
  (action, names, origins) => {
    expect(secretsOf(action)).toEqual(names);
    expect(originsOf(action)).toEqual(origins);
  },
);
