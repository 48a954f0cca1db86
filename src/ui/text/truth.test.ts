import { describe, expect, test } from 'vitest';
import type { AutomationId, HostId, RunId } from '../../domain/index.ts';
import type { Run, Status } from '../../rpc/index.ts';
import type { Connection } from '../remote-host.ts';
import type { WatchedState } from '../watched.ts';
import { namedDateTime, shortDate } from './dates.ts';
import { UNTIL_RESUMED, pausedText } from './pauses.ts';
import { truthOf, type Truth } from './truth.ts';

const NOW = Date.UTC(2026, 2, 27, 13, 55);
const ID = '0b8f7c4e-5a31-4f0e-9c55-0a9d1f1f2a10' as AutomationId;
const READY: Extract<Connection, { kind: 'ready' }> = {
  kind: 'ready',
  host: { id: 'h' as HostId, kind: 'shared-worker', build: 'a' },
  newerBuild: null,
};

const status = (change: Partial<Status> = {}): WatchedState<Status> => ({
  kind: 'ready',
  problem: null,
  value: {
    hostId: 'h' as HostId,
    kind: 'shared-worker',
    build: 'a',
    startedAt: NOW,
    now: NOW,
    nextDueAt: null,
    next: null,
    active: [],
    waiting: [],
    hosts: [],
    tabs: 1,
    pausedUntil: null,
    online: true,
    newerBuild: null,
    quarantined: 0,
    trouble: null,
    ...change,
  },
});

const run = (id: string): Run =>
  ({ id: id as RunId, automationName: `Run ${id}`, startedAt: NOW - 4_000, claimedAt: NOW - 4_010 }) as Run;

/** The sentence as it reads. */
function said(truth: Truth): string {
  const parts = truth.parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'next':
        return `Next: ${part.name} at ${part.dueAt - NOW}`;
      case 'run':
        return `Now: ${part.name} since ${NOW - part.startedAt}`;
    }
  });
  return [truth.lead, parts.join(' · ')].filter((part) => part !== '').join(' ');
}

const sentence = (change: Partial<Status>): string => said(truthOf(READY, status(change), false, NOW));

const next = { automationId: ID, automationName: 'Feed', dueAt: NOW + 120_000 };
const waiting = [{ occurrence: 'x' as never, automationId: ID, for: 'network' as const }];

describe('what the engine is doing', () => {
  test.each<[string, Partial<Status>]>([
    ['Running in this browser. Nothing is scheduled', {}],
    ['Running in this browser. Next: Feed at 120000', { next }],
    ['Running in this browser. Next: Feed at 120000 · 4 tabs', { next, tabs: 4 }],
    ['Running in this browser. Now: Run a since 4000 · Next: Feed at 120000', { next, active: [run('a')] }],
    ['Running in this browser. 2 running', { active: [run('a'), run('b')] }],
    ['Offline. 1 waiting · Next: Feed at 120000', { online: false, waiting, next }],
    [
      'Running in this browser. Waiting for the secret API_KEY · 1 more waiting',
      {
        waiting: [
          ...waiting,
          { occurrence: 'y' as never, automationId: ID, for: 'secret', secret: 'API_KEY' },
        ],
      },
    ],
    ['The disk is full. Next: Feed at 120000', { trouble: 'the disk is full', next, online: false }],
    [
      'Running in this browser. Nothing is scheduled · 2 rows could not be read: see Settings',
      { quarantined: 2 },
    ],
  ])('%s', (words, change) => {
    expect(sentence(change)).toBe(words);
  });

  test('while everything is paused, nothing is said to be next', () => {
    expect(sentence({ pausedUntil: NOW + 3_600_000, next })).toMatch(
      /^All paused until (today|tomorrow) \d\d:\d\d\.$/,
    );
    expect(sentence({ pausedUntil: UNTIL_RESUMED, next })).toBe('All paused until you resume.');
  });

  test('what a run waits for that a person can give is asked for', () => {
    const asks = { occurrence: 'y' as never, automationId: ID, for: 'secret' as const, secret: 'API_KEY' };
    expect(truthOf(READY, status({ waiting: [...waiting, asks] }), false, NOW)).toMatchObject({
      tone: 'warn',
      help: { kind: 'add-secret', secret: 'API_KEY' },
    });
    expect(truthOf(READY, status({ waiting }), false, NOW).help).toBeNull();
  });

  test('a pause that has ended since it was read is none', () => {
    expect(sentence({ pausedUntil: NOW, next })).toBe('Running in this browser. Next: Feed at 120000');
  });

  test.each<[string, Partial<Status>, Truth['pause']]>([
    ['while something is to run', { next }, { kind: 'off' }],
    ['offline, with something that waits', { online: false, waiting }, { kind: 'off' }],
    ['as it is on', { pausedUntil: NOW + 1 }, { kind: 'on', until: NOW + 1 }],
    ['never while nothing is there to pause', {}, null],
  ])('the pause of everything is offered %s', (_when, change, pause) => {
    expect(truthOf(READY, status(change), false, NOW).pause).toEqual(pause);
  });
});

describe('the gravest comes first', () => {
  test('a newer version, known from the connection or from the status', () => {
    const truth = truthOf({ ...READY, newerBuild: 'b' }, status({ online: false }), true, NOW);
    expect(truth).toMatchObject({
      lead: 'A newer version of Rota is open in this browser.',
      offer: 'reload',
    });
    expect(truthOf(READY, status({ newerBuild: 'b' }), false, NOW).offer).toBe('reload');
  });

  test('no engine, whatever was last known', () => {
    expect(truthOf({ kind: 'restarting' }, status({ next }), false, NOW).lead).toBe(
      'The engine is restarting.',
    );
    expect(truthOf({ kind: 'connecting' }, { kind: 'loading' }, false, NOW).lead).toBe(
      'Starting the engine…',
    );
  });

  test('an engine that cannot answer says why', () => {
    const read = { kind: 'failed', problem: { code: 'storage', message: '' } } as const;
    expect(truthOf(READY, read, false, NOW)).toMatchObject({
      tone: 'bad',
      lead: 'The browser could not read or write its storage.',
    });
  });

  test('an update that is ready is offered beside the truth', () => {
    expect(truthOf(READY, status({ next }), true, NOW)).toMatchObject({
      lead: 'Running in this browser.',
      offer: 'update',
    });
  });
});

test.each<[string, Parameters<typeof pausedText>[0], string]>([
  [
    'until when',
    { pausedUntil: NOW + 60_000, pausedFrom: NOW - 1 },
    `until ${namedDateTime(NOW + 60_000, NOW)}`,
  ],
  ['since when', { pausedFrom: NOW - 1 }, `since ${shortDate(NOW - 1, NOW)}`],
  ['nothing while nothing was left out', { pausedFrom: NOW + 60_000 }, ''],
  [
    'why, when it paused itself',
    { pausedBecause: { kind: 'failures', count: 10, at: NOW, runId: 'r' as RunId }, pausedFrom: NOW - 1 },
    '10 failures in a row',
  ],
  [
    'that its schedule is the reason',
    { pausedBecause: { kind: 'unreadable', message: 'No such zone.', at: NOW } },
    'schedule not readable',
  ],
])('a paused automation says %s', (_what, automation, text) => {
  expect(pausedText(automation, NOW)).toBe(text);
});
