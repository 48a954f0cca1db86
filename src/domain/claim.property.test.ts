/**
 * Invariants 1 to 5 and 7 of the protocol, and that all comes to rest, under whatever happens in whatever order: see
 * model.testing.ts. `ROTA_CLAIMS=1000000` makes it a million claims, `ROTA_SEED` repeats a run.
 */
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Guard, ModelWorld, type Plan, Violation } from './model.testing.ts';
import { prepareTime } from './temporal.ts';
import { MINUTE_MS, SECOND_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const CLAIMS = Number(process.env['ROTA_CLAIMS'] ?? 100_000);
const SEED = Number(process.env['ROTA_SEED'] ?? Date.now() % 2 ** 31);

const automations = fc.array(
  fc.record({
    everyMs: fc.constantFrom(MINUTE_MS, 90 * SECOND_MS, 5 * MINUTE_MS),
    overlap: fc.constantFrom<Plan['automations'][number]['overlap'][]>(
      { kind: 'skip' },
      { kind: 'queue' },
      { kind: 'replace' },
      { kind: 'parallel', limit: 2 },
      { kind: 'parallel', limit: 3 },
    ),
    missed: fc.constantFrom<Plan['automations'][number]['missed'][]>(
      { kind: 'once' },
      { kind: 'once', maxAgeMs: 3 * MINUTE_MS },
      { kind: 'skip' },
      { kind: 'all', limit: 3 },
      { kind: 'all', limit: 100, maxAgeMs: 20 * MINUTE_MS },
    ),
    retry: fc.constantFrom(null, { attempts: 3, firstDelayMs: 1_000, factor: 2, maxDelayMs: 60_000 }),
    posts: fc.boolean(),
    jitterMs: fc.constantFrom(0, 0, 20 * SECOND_MS, 50 * SECOND_MS),
    runsPerDay: fc.constantFrom(null, null, 2, 30),
    maxRuns: fc.constantFrom(null, null, null, 3, 20),
  }),
  { minLength: 1, maxLength: 3 },
);
const plans = (most: number): fc.Arbitrary<Plan> =>
  fc.record({
    hosts: fc.integer({ min: 1, max: 4 }),
    maxConcurrent: fc.integer({ min: 1, max: 3 }),
    automations,
    steps: fc.array(fc.nat(2 ** 31 - 1), { maxLength: most, size: 'max' }),
  });

/** Lets `plan` happen without `guards`. A violation says what led to it. */
function live(plan: Plan, guards: readonly Guard[] = [], unedited = false): ModelWorld {
  const world = new ModelWorld(plan, guards, unedited);
  try {
    world.run(plan.steps);
  } catch (error) {
    if (error instanceof Violation) error.message += `\n${world.trace.join('\n')}`;
    throw error;
  }
  return world;
}

/** What a long run must have seen: a property that never gets there shows nothing. */
const SEEN = [
  ...[
    'claimed',
    'taken',
    'not-due',
    'not-found',
    'at-capacity',
    'missed',
    'already-active',
    'stale-lease',
    'lease-busy',
    'paused',
    'day-full',
    'resumed',
  ],
  ...['succeeded', 'failed', 'timed-out', 'cancelled', 'lease-lost'],
  ...['closed', 'asleep', 'offline', 'waiting', 'paused', 'edited', 'too-old'].map(
    (reason) => `missed (${reason})`,
  ),
  ...['overlap', 'limit'].map((reason) => `skipped (${reason})`),
  ...[
    'lease-granted: recovered',
    'lease-granted: not-active',
    'past-deadline: recovered',
    'past-deadline: not-active',
  ],
];

test(
  `${CLAIMS} claims keep the invariants, whoever crashes, hangs, edits or sets the clock meanwhile (seed ${SEED})`,
  () => {
    let claims = 0;
    const results = new Map<string, number>();
    for (let round = 0; claims < CLAIMS; round++) {
      fc.assert(
        fc.property(plans(300), (plan) => {
          const world = live(plan);
          claims += world.claims;
          for (const [what, count] of world.results) results.set(what, (results.get(what) ?? 0) + count);
        }),
        { seed: SEED + round, numRuns: 100 },
      );
    }
    if (CLAIMS >= 100_000) expect(SEEN.filter((what) => !results.has(what))).toEqual([]);
  },
  60_000 + CLAIMS,
);

/** The first harm that comes of going without `guards`, in the same worlds each time; `null` when none was found. */
function harm(
  guards: readonly Guard[],
  where: 'anywhere' | 'alone and unedited' = 'anywhere',
): Violation | null {
  const isSimple = where !== 'anywhere';
  const worlds = plans(300).map((plan) =>
    isSimple
      ? {
          ...plan,
          automations: plan.automations.map((one) => ({ ...one, overlap: { kind: 'skip' } as const })),
        }
      : plan,
  );
  const found = fc.check(
    fc.property(worlds, (plan) => void live(plan, guards, isSimple)),
    { seed: 1, numRuns: isSimple ? 250 : 500, endOnFailure: true },
  );
  if (!found.failed) return null;
  if (found.errorInstance instanceof Violation) return found.errorInstance;
  throw found.errorInstance;
}

describe('without', () => {
  test.each<[string, readonly Guard[], number, RegExp]>([
    ['the lease, a claim calls a live run dead', ['lease'], 2, /a live run was called interrupted/],
    [
      'the count of runs under other leases, two act where one may',
      ['overlap count'],
      2,
      /hosts act on|interrupted/,
    ],
    ['the fence, a run that was ended is ended again', ['fence'], 5, /became/],
    [
      'the keys of the ledger, what was decided before the clock went back is decided again',
      ['ledger keys'],
      4,
      /two rows/,
    ],
    ['counting inside the transaction, too many run', ['capacity inside'], 3, /runs are active/],
    [
      'holding the lease until all is stored, a run is called dead that is about to settle',
      ['late release'],
      2,
      /a live run/,
    ],
    ['the proof of a granted lease, a run is called dead for its age', ['lease proof'], 2, /a live run/],
    [
      'one transaction, what a dying host leaves half written loses an instant',
      ['one transaction'],
      4,
      /has no row|lost its row|two rows/,
    ],
  ])('%s', (_, guards, invariant, what) => {
    const found = harm(guards);
    expect(found?.message).toMatch(what);
    expect(found?.invariant).toBe(invariant);
  });
});

describe('where nothing runs in parallel and nobody edits a rule', () => {
  const where = 'alone and unedited';

  test('the epoch in the lease and the count of runs under other leases stand in for each other', () => {
    expect(harm(['epoch check'], where)).toBeNull();
    expect(harm(['overlap count'], where)).toBeNull();
    expect(harm(['epoch check', 'overlap count'], where)).toMatchObject({ invariant: 2 });
  });

  test('an automation whose host hangs never runs again while it does, but for a new epoch', () => {
    expect(harm(['epoch raise', 'busy lease'], where)?.message).toMatch(/comes to no rest: 0 active, \d due/);
  });

  test('nor does one whose host hangs with the lease in hand and no run, but for that too', () => {
    expect(harm(['busy lease'], where)?.message).toMatch(/comes to no rest: 0 active, \d due/);
  });
});
