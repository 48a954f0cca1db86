import { describe, expect, test } from 'vitest';
import { DEFAULT_RULES, type Definition, HOUR_MS } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import type { ConflictPath } from './editor-conflict.ts';
import { savedText } from './editor-saved.ts';
import { definitionWords, partLabel, partText } from './editor-words.ts';

const NOW = new Date('2026-11-29T14:52:10').getTime();

test.each<[ConflictPath, unknown, string]>([
  ['enabled', false, 'Paused'],
  ['tags', ['ops', 'api'], 'ops and api'],
  ['tags', [], 'none'],
  [
    'schedule',
    { kind: 'cron', expression: '0 9 * * mon-fri', timeZone: 'Europe/Paris' },
    'Every weekday at 09:00, Europe/Paris',
  ],
  ['action', { kind: 'remind', message: 'Look' }, 'Reminder: Look'],
  ['action.headers', { a: '1', b: '2' }, 'a: 1\nb: 2'],
  ['action.headers', {}, 'none'],
  ['action.body', undefined, 'none'],
  ['action.expect', { status: [200, 204] }, '200 and 204'],
  ['action.expect', undefined, 'any 2xx'],
  ['action.repeatable', true, 'yes'],
  [
    'rules.missed',
    { kind: 'all', limit: 5, maxAgeMs: HOUR_MS },
    'Run every missed one, at most 5, if less than 1 h late',
  ],
  ['rules.overlap', { kind: 'parallel', limit: 3 }, 'Run side by side, at most 3'],
  ['rules.timeoutMs', 90_000, '1 min 30 s'],
  ['rules.retry', undefined, 'Default'],
  ['rules.retry', { attempts: 1, firstDelayMs: 1, factor: 1, maxDelayMs: 1 }, 'Do not try again'],
])('%s %j reads as %j', (path, value, text) => {
  expect(partText(path, value, NOW)).toBe(text);
});

test('a definition is told in the order of the editor, without what it does not have', () => {
  const definition: Definition = {
    name: 'x',
    enabled: true,
    tags: [],
    schedule: { kind: 'manual' },
    action: {
      kind: 'http',
      method: 'GET',
      url: 'https://a.test/',
      headers: {},
      idempotencyKey: false,
      repeatable: false,
    },
    rules: DEFAULT_RULES,
  };
  expect(definitionWords(definition, NOW).map(({ label }) => label)).toEqual([
    'When',
    'What',
    'Expected answer',
    'When missed',
    'When still running',
    'Timeout',
    'After a failure',
  ]);
  expect(partLabel('rules.jitter')).toBe('rules.jitter');
});

describe('after saving, the message says', () => {
  const view = (change: Partial<AutomationView>): AutomationView =>
    ({
      enabled: true,
      nextDueAt: null,
      schedule: { kind: 'manual' },
      action: { kind: 'http' },
      ...change,
    }) as AutomationView;

  test.each<[string, Partial<AutomationView>, NotificationPermission, string]>([
    [
      'when it runs next',
      { nextDueAt: new Date('2026-11-30T23:00:00').getTime() },
      'default',
      'Saved. Next run tomorrow 23:00.',
    ],
    [
      'that it is paused',
      { enabled: false, nextDueAt: null },
      'default',
      'Saved, and paused: it does not run before you resume it.',
    ],
    ['that it runs by hand', {}, 'default', 'Saved. It runs when you press Run now.'],
    [
      'that nothing is to come',
      { schedule: { kind: 'once', at: 0 } },
      'default',
      'Saved. It has no run to come.',
    ],
    [
      'that a reminder waits for permission',
      { nextDueAt: NOW + 1, action: { kind: 'remind', message: 'x' } },
      'denied',
      'Saved. Next run today 14:52. It waits until notifications are allowed.',
    ],
  ])('%s', (_what, change, permission, text) => {
    expect(savedText(view(change), NOW, permission)).toBe(text);
  });
});
