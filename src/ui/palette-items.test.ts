import { expect, test } from 'vitest';
import type { AutomationId } from '../domain/index.ts';
import type { AutomationView } from '../rpc/index.ts';
import { matches, nameAsked, paletteItems } from './palette-items.ts';
import type { RemoteHost } from './remote-host.ts';

const host = {} as RemoteHost;
const automation = (name: string, more: object = {}): AutomationView =>
  ({ id: name as AutomationId, name, enabled: true, active: [], ...more }) as unknown as AutomationView;
const labels = (
  query: string,
  automations: readonly AutomationView[] = [],
  shortcuts = keys,
): readonly string[] => paletteItems(host, query, automations, shortcuts).map(({ label }) => label);
const keys = [
  { key: 'n', label: 'New automation', run: () => undefined },
  { key: '2', label: 'Runs', run: () => undefined },
];

test('a word means what begins with it, whatever its case and accents', () => {
  expect(matches('Résumé of the week', 'resu WEEK')).toBe(true);
  expect(matches('Check the API', 'ch ap')).toBe(true);
  expect(matches('Check the API', 'heck')).toBe(false);
  expect(matches('anything', '  ')).toBe(true);
});

test('what is asked of the list is the longest word that is no verb', () => {
  expect(nameAsked('')).toBe('');
  expect(nameAsked('run')).toBe('');
  expect(nameAsked('run api')).toBe('api');
  expect(nameAsked('pause until price of milk')).toBe('price');
  expect(nameAsked('digest')).toBe('digest');
});

test('with nothing typed there are the automations, every place to go to, and the keys of the screen', () => {
  const all = labels('', [automation('Check the API'), automation('Digest')]);
  expect(all.slice(0, 2)).toEqual(['Check the API', 'Digest']);
  expect(all).toContain('Timeline of the year');
  expect(all.at(-1)).toBe('New automation');
  expect(all.filter((label) => label === 'Runs')).toHaveLength(1);
});

test('a name leads to the automation, and to what can be done to the first of that name', () => {
  const found = labels('api', [automation('Check the API'), automation('API of another')]);
  expect(found[0]).toBe('Check the API');
  expect(found).toContain('Run now: Check the API');
  expect(found).toContain('API of another');
  expect(found).not.toContain('Run now: API of another');
});

test('a verb with a name means that, for each automation of that name, where it applies', () => {
  const on = automation('Check the API');
  const off = automation('API of another', { enabled: false });
  expect(labels('run api', [on, off])).toEqual([
    'Run now: Check the API',
    'Runs of: Check the API',
    'Run now: API of another',
    'Runs of: API of another',
  ]);
  expect(labels('resume api', [on, off])).toEqual(['Resume: API of another']);
  expect(labels('stop api', [on, off])).toEqual([]);
});

test('a place is found by what it is for, and shows its key', () => {
  expect(labels('heat')).toEqual(['Timeline of the year']);
  expect(paletteItems(host, 'history', [], keys).find(({ label }) => label === 'Runs')?.key).toBe('2');
});

test('each item has an id of its own', () => {
  const ids = paletteItems(host, 'a', [automation('A'), automation('AB')], keys).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
