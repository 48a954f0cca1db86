import { expect, test } from 'vitest';
import type { ActionForm } from './editor-action-form.ts';
import { emptyAction } from './editor-action-form.ts';
import { fieldsWithKeys } from './editor-keys.ts';

const KEY = 'sk-abcdefghijklmnop1234';
const inForm = (more: Partial<ActionForm>): readonly string[] =>
  fieldsWithKeys({ ...emptyAction(), ...more });
const headers = [
  { name: 'Accept', value: 'application/json' },
  { name: 'Authorization', value: `Bearer ${KEY}` },
];

test.each<[string, Partial<ActionForm>, readonly string[]]>([
  ['an address', { url: `https://a.test/?api_key=${KEY}` }, ['URL']],
  ['a header', { headers }, ['Header Authorization']],
  ['a body that is sent', { method: 'POST', body: `{"token": "${KEY}"}` }, ['Body']],
  [
    'what is watched',
    { actionKind: 'watch', url: `https://a.test/?token=${KEY}`, headers },
    ['URL', 'Header Authorization'],
  ],
  [
    'a prompt',
    { actionKind: 'prompt', promptKey: 'opensesame', promptText: `Use ${KEY}` },
    ['Key', 'Prompt'],
  ],
])('a key typed into %s is said of its field', (_, more, fields) => {
  expect(inForm(more)).toEqual(fields);
});

test('a field is named once, whatever stands in it', () => {
  expect(inForm({ url: `https://a.test/${KEY}?token=${KEY}` })).toEqual(['URL']);
});

test.each<[string, Partial<ActionForm>]>([
  ['an empty action', {}],
  ['a secret', { headers: [{ name: 'Authorization', value: 'Bearer {{ secrets.API_KEY }}' }] }],
  ['a body that is not sent', { method: 'GET', body: KEY }],
  ['what belongs to another action', { actionKind: 'prompt', url: `https://a.test/?api_key=${KEY}` }],
  ['a reminder, which stays here', { actionKind: 'remind', message: KEY }],
  ['a script, which takes no secret', { actionKind: 'script', scriptSource: `log('${KEY}')` }],
])('nothing is said of %s', (_, more) => {
  expect(inForm(more)).toEqual([]);
});
