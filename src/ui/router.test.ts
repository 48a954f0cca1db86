import { describe, expect, test } from 'vitest';
import type { AutomationId, RunId } from '../domain/index.ts';
import { href, isOtherScreen, parseRoute } from './router.ts';

const ID = '0b8f7c4e-5a31-4f0e-9c55-0a9d1f1f2a10' as AutomationId;
const RUN = '01900000-0000-7000-8000-000000000001' as RunId;

describe('an address names a screen', () => {
  test.each([
    ['', { kind: 'automations' }],
    ['#', { kind: 'automations' }],
    ['#/', { kind: 'automations' }],
    ['#/?view=paused', { kind: 'automations' }],
    ['#/new', { kind: 'new', starter: null, copyOf: null }],
    ['#/new?starter=check', { kind: 'new', starter: 'check', copyOf: null }],
    [`#/new?copy=${ID}`, { kind: 'new', starter: null, copyOf: ID }],
    ['#/new?copy=..%2Fetc', { kind: 'new', starter: null, copyOf: null }],
    [`#/automations/${ID}`, { kind: 'automation', id: ID }],
    [`#/automations/${ID}/edit`, { kind: 'edit', id: ID }],
    ['#/runs', { kind: 'runs' }],
    [`#/runs/${RUN}`, { kind: 'run', id: RUN }],
    ['#/timeline?view=year', { kind: 'timeline' }],
    ['#/notifications', { kind: 'notifications' }],
    ['#/engine', { kind: 'engine' }],
    ['#/settings', { kind: 'settings', secret: null }],
    ['#/settings?secret=API_KEY', { kind: 'settings', secret: 'API_KEY' }],
  ])('%s', (hash, route) => {
    expect(parseRoute(hash)).toMatchObject(route);
  });

  test.each([
    '#/automations',
    '#/automations/not-an-id',
    `#/automations/${ID}/delete`,
    `#/automations/${ID}/edit/more`,
    '#/runs/7',
    '#/new/thing',
    '#/settings/x',
    '#/engine/x',
    '#/timeline/2026-11-30',
    '#/%E0%A4%A',
    '#main',
  ])('%s names none, and that is said', (hash) => {
    expect(parseRoute(hash).kind).toBe('not-found');
  });
});

test('every address that is made is read back as its screen, with its query', () => {
  expect(parseRoute(href.automation(ID))).toEqual({ kind: 'automation', id: ID });
  expect(parseRoute(href.edit(ID))).toEqual({ kind: 'edit', id: ID });
  expect(parseRoute(href.run(RUN))).toEqual({ kind: 'run', id: RUN });
  expect(parseRoute(href.new({ starter: 'a b&c' }))).toMatchObject({ starter: 'a b&c' });
  const list = parseRoute(href.automations({ view: 'paused', q: 'é?#&=', tag: '' }));
  expect(list.kind === 'automations' && [...list.query]).toEqual([
    ['view', 'paused'],
    ['q', 'é?#&='],
  ]);
});

test('a filter is the same screen; another row, or another kind, is another', () => {
  const at = parseRoute;
  expect(isOtherScreen(at('#/?q=a'), at('#/?q=ab'))).toBe(false);
  expect(isOtherScreen(at('#/runs'), at('#/runs?status=failed'))).toBe(false);
  expect(isOtherScreen(at('#/'), at('#/settings'))).toBe(true);
  expect(isOtherScreen(at(`#/automations/${ID}`), at(`#/automations/${ID}/edit`))).toBe(true);
  expect(isOtherScreen(at(`#/runs/${RUN}`), at(`#/runs/${RUN.replace(/1$/, '2')}`))).toBe(true);
  expect(isOtherScreen(at('#/new?starter=a'), at('#/new?starter=b'))).toBe(true);
  expect(isOtherScreen(at('#/x'), at('#/y'))).toBe(true);
});
