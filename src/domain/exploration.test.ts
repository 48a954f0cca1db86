/**
 * Every order of the steps of a few hosts, with deaths, hangs and restarts in between: see exploration-world.testing.ts. Each
 * test says how many states there are. `ROTA_EXPLORE=large npx vitest run src/domain/exploration.test.ts` goes further, for
 * minutes.
 */
import { performance } from 'node:perf_hooks';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { FaultKind, Guard, Plan, Scope } from './exploration-world.testing.ts';
import { type Report, explore, findFalseTwins } from './exploration.testing.ts';
import { prepareTime } from './temporal.ts';

const IS_LARGE = process.env['ROTA_EXPLORE'] === 'large';
const LARGE_MS = 3_600_000;

const SKIP: Plan = { overlap: { kind: 'skip' } };
const QUEUE: Plan = { overlap: { kind: 'queue' } };
const REPLACE: Plan = { overlap: { kind: 'replace' } };
const PARALLEL: Plan = { overlap: { kind: 'parallel', limit: 2 } };
const RETRY: Plan = { ...SKIP, attempts: 2 };
const POST: Plan = { ...RETRY, action: 'POST' };

/** Two hosts, one automation that falls due twice, one crash and one hang, but for what `scope` says. */
function world(scope: Partial<Scope>): Scope {
  return { hosts: 2, automations: [SKIP], occurrences: 2, maxConcurrent: 2, crashes: 1, hangs: 1, ...scope };
}

type World = readonly [string, Partial<Scope>];

const SMALL: readonly World[] = [
  ['an overlap that is skipped', {}],
  ['an overlap that is skipped, and every step apart', { finely: true }],
  ['an overlap that waits', { automations: [QUEUE] }],
  [
    'an overlap that waits, where every missed run is wanted',
    { automations: [{ ...QUEUE, missed: { kind: 'all', limit: 100 } }] },
  ],
  ['an overlap that replaces, and a person who cancels', { automations: [REPLACE], cancels: 1 }],
  ['two runs in parallel, and two crashes', { automations: [PARALLEL], crashes: 2, hangs: 0 }],
  ['two runs in parallel, and three occurrences', { automations: [PARALLEL], occurrences: 3, hangs: 0 }],
  [
    'two runs in parallel, of which one at a time may be active',
    { automations: [PARALLEL], occurrences: 1, maxConcurrent: 1 },
  ],
  [
    'two attempts, after failures and two crashes',
    { automations: [RETRY], crashes: 2, hangs: 0, failures: true },
  ],
  ['two attempts at what must not be repeated', { automations: [POST], occurrences: 1, failures: true }],
  ['two automations, and two crashes', { automations: [SKIP, SKIP], crashes: 2, hangs: 0 }],
  [
    'two automations, one at a time, and two crashes',
    { automations: [SKIP, SKIP], maxConcurrent: 1, crashes: 2, hangs: 0 },
  ],
  [
    'two automations, one at a time, and a host that hangs',
    { automations: [SKIP, SKIP], occurrences: 1, maxConcurrent: 1, crashes: 0 },
  ],
  ['three hosts', { hosts: 3 }],
  [
    'three hosts, two automations and one run at a time',
    { hosts: 3, automations: [SKIP, SKIP], occurrences: 1, maxConcurrent: 1, hangs: 0 },
  ],
  ['a host that cannot store its result', { giveUps: 1 }],
  ['a clock that goes back', { crashes: 2, hangs: 0, rewinds: 1 }],
  [
    'a person who asks for a run, twice with one command',
    { automations: [QUEUE], occurrences: 1, hangs: 0, deliveries: 2 },
  ],
  ['a host that takes a lease for held too long', { impatience: 1 }],
];

const LARGE: readonly World[] = [
  ['two crashes', { crashes: 2 }],
  ['every step apart, and two crashes', { finely: true, crashes: 2 }],
  ['three occurrences', { occurrences: 3, crashes: 2 }],
  ['an overlap that waits, and a run by hand', { automations: [QUEUE], deliveries: 2 }],
  [
    'an overlap that replaces, and two crashes',
    { automations: [{ ...REPLACE, attempts: 2 }], crashes: 2, failures: true },
  ],
  ['two runs in parallel', { automations: [PARALLEL] }],
  [
    'two runs in parallel, three hosts and three occurrences',
    { hosts: 3, automations: [PARALLEL], occurrences: 3, hangs: 0 },
  ],
  [
    'two runs in parallel, three hosts and two crashes',
    { hosts: 3, automations: [PARALLEL], crashes: 2, hangs: 0 },
  ],
  ['two attempts', { automations: [RETRY], crashes: 2, failures: true }],
  ['two attempts at what must not be repeated', { automations: [POST], failures: true }],
  ['two automations', { automations: [SKIP, SKIP] }],
  [
    'two automations, one at a time, with two attempts',
    { automations: [RETRY, RETRY], maxConcurrent: 1, hangs: 0 },
  ],
  ['two automations, one at a time', { automations: [SKIP, SKIP], maxConcurrent: 1 }],
  ['two automations of different rules', { automations: [REPLACE, QUEUE], crashes: 2, hangs: 0 }],
  ['three hosts, and two crashes', { hosts: 3, crashes: 2 }],
  ['three hosts, and every step apart', { hosts: 3, occurrences: 1, finely: true }],
  ['three hosts and two automations', { hosts: 3, automations: [SKIP, SKIP], crashes: 1, hangs: 0 }],
  ['a host that cannot store its result', { automations: [RETRY], giveUps: 1, crashes: 2 }],
  ['a clock that goes back', { crashes: 2, rewinds: 1 }],
];

function explored(name: string, scope: Scope, kind?: FaultKind): Report {
  const from = performance.now();
  const report = explore(scope, kind === undefined ? {} : { fault: kind });
  const seconds = ((performance.now() - from) / 1_000).toFixed(1);
  const depth = report.kind === 'holds' ? `, ${report.depth} deep` : '';
  process.stdout.write(`${report.kind}: ${report.states} states${depth}, ${seconds} s: ${name}\n`);
  return report;
}

beforeAll(() => prepareTime());
// The largest takes two seconds of a processor of its own; there may be dozens of others.
vi.setConfig({ testTimeout: 120_000 });

describe('no order of steps breaks an invariant, and from each state the world comes to rest, with', () => {
  test.each(SMALL)('%s', (name, scope) => {
    expect(explored(name, world(scope))).toMatchObject({ kind: 'holds' });
  });

  test.runIf(IS_LARGE).each(LARGE)('%s (large)', { timeout: LARGE_MS }, (name, scope) => {
    expect(explored(name, world(scope))).toMatchObject({ kind: 'holds' });
  });
});

/** What a guard prevents, in a world as small as shows it. */
type Harm = readonly [string, Guard, FaultKind, Partial<Scope>];

/** Nothing goes wrong but that a guard is missing. */
const PEACE = { crashes: 0, hangs: 0 };

const HARMS: readonly Harm[] = [
  ['a claim without the lease ends a live run as interrupted', 'lease', 'live-run-ended', PEACE],
  ['a claim without the lease lets two runs act at once', 'lease', 'overlap', PEACE],
  [
    'a lease let go before the settlement gives a live run away',
    'lease-until-settled',
    'live-run-ended',
    PEACE,
  ],
  [
    'a settlement that asks for no fence changes a row that has ended',
    'fence-in-settle',
    'terminal-row-changed',
    { crashes: 0 },
  ],
  [
    'an effect that leaves though its mark was refused is sent twice',
    'fence-in-mark',
    'effect-sent-twice',
    { automations: [POST], occurrences: 1, crashes: 0 },
  ],
  [
    'an effect that leaves before its mark is sent twice',
    'mark-before-effect',
    'effect-sent-twice',
    { automations: [POST], occurrences: 1, hangs: 0 },
  ],
  [
    'an effect that leaves before its mark is not owned up to',
    'mark-before-effect',
    'effect-unsaid',
    { automations: [POST], occurrences: 1, hangs: 0 },
  ],
  [
    'stealing the lease of a host that hung takes that of a healthy one',
    'no-steal',
    'live-run-ended',
    { crashes: 0 },
  ],
  ['shutting out before the deadline ends a live run', 'deadline', 'live-run-ended', PEACE],
  [
    'a lease that nobody may rename is held for ever by a host that hangs without a run',
    'patience',
    'never-at-rest',
    { crashes: 0 },
  ],
  [
    'a claim that leaves the dead run of its lease active is one too many',
    'recovery-in-claim',
    'overlap',
    { hangs: 0 },
  ],
  [
    'without a recoverer the last run of a dead host stays active',
    'recoverer',
    'never-at-rest',
    { hangs: 0 },
  ],
  ['ending every run that is not one’s own ends live ones', 'recovery-by-lease', 'live-run-ended', PEACE],
  [
    'recovering a run as it was seen changes a row that has ended',
    'recovery-reads-again',
    'terminal-row-changed',
    { ...PEACE, finely: true },
  ],
  [
    'without asking the ledger an occurrence runs again after the clock went back',
    'ledger',
    'two-runs-of-one-attempt',
    { hangs: 0, rewinds: 1 },
  ],
  [
    'without asking the ledger a command that comes twice runs twice',
    'ledger',
    'two-runs-of-one-attempt',
    { ...PEACE, occurrences: 1, deliveries: 2 },
  ],
  [
    'counting active runs before the claim lets too many run',
    'capacity-in-claim',
    'over-capacity',
    { ...PEACE, automations: [SKIP, SKIP], maxConcurrent: 1 },
  ],
  [
    'declining without a look at who lives skips an occurrence for a dead run',
    'live-hosts',
    'skipped-without-need',
    { hosts: 3, hangs: 0 },
  ],
];

describe('without its guard', () => {
  test.each(HARMS)('%s', (name, guard, kind, scope) => {
    const small = world(scope);
    expect(explored(`with its guard, ${name}`, small, kind).kind).toBe('holds');
    const report = explored(name, { ...small, without: [guard] }, kind);
    expect(report).toMatchObject({ kind: 'broken', fault: { kind } });
    expect(report.kind === 'broken' && report.history.length).toBeGreaterThan(2);
  });
});

describe('of two guards against the same harm', () => {
  /** Which of the sets of guards the world can do without. */
  const holdsWithout = (scope: Partial<Scope>, ...sets: readonly (readonly Guard[])[]): boolean[] =>
    sets.map(
      (without) =>
        explored(`without ${without.join(' and ')}`, { ...world(scope), without }).kind === 'holds',
    );

  test('either keeps a host that wakes under the lease of an earlier epoch from an overlap: its epoch, or the count of active runs', () => {
    const sets = [['stale-lease'], ['overlap-count'], ['stale-lease', 'overlap-count']] as const;
    expect(holdsWithout({}, ...sets)).toEqual([true, true, false]);
  });

  test('either frees the lease of a host that hung in its run: the epoch that it is shut out by, or the one that patience gives', () => {
    const sets = [['new-epoch'], ['patience'], ['new-epoch', 'patience']] as const;
    expect(holdsWithout({ crashes: 0, hangsOnlyInRuns: true }, ...sets)).toEqual([true, true, false]);
  });

  test('a claim that recovers at once only saves waiting for the recoverer', () => {
    expect(holdsWithout({}, ['recovery-at-once'])).toEqual([true]);
  });

  test('the agenda keeps an occurrence from running twice as long as it only goes forwards; the ledger is for the rest', () => {
    expect(holdsWithout({}, ['ledger'])).toEqual([true]);
  });
});

describe('two states that count as one have the same future, with', () => {
  const worlds: readonly World[] = [
    ['an overlap that is skipped', { occurrences: 1, automations: [RETRY] }],
    ['every step apart', { occurrences: 1, crashes: 0, finely: true }],
    ['an overlap that replaces', { automations: [REPLACE], hangs: 0, cancels: 1 }],
    ['two runs in parallel', { automations: [PARALLEL], occurrences: 1, crashes: 0 }],
    ['what must not be repeated', { automations: [POST], occurrences: 1, hangs: 0, failures: true }],
    ['two automations', { automations: [SKIP, SKIP], occurrences: 1, maxConcurrent: 1, hangs: 0 }],
    ['three hosts', { hosts: 3, hangs: 0 }],
    ['a host that cannot store its result', { occurrences: 1, hangs: 0, giveUps: 1 }],
    ['a clock that goes back', { hangs: 0, rewinds: 1 }],
    [
      'a person who asks for a run',
      { automations: [QUEUE], occurrences: 1, crashes: 0, hangs: 0, deliveries: 2 },
    ],
    ['no lease', { crashes: 0, hangs: 0, without: ['lease'] }],
  ];

  test.each(worlds)('%s', (_, scope) => {
    expect(findFalseTwins(world(scope))).toBeNull();
  });
});
