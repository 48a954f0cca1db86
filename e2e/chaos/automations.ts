/** What runs while the nemesis is at work: every overlap and missed rule, fast and slow, failing and not. */
import type { Definition } from './record.ts';
import type { Random } from './random.ts';

/** How often each automation is due, in seconds; about five occurrences a second in all. */
const PERIODS_S = [
  ...[1, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 10, 10, 12, 13, 15, 15, 17, 20, 20],
  ...[23, 25, 30, 30, 30, 30, 37, 40, 45, 45, 50, 60, 60, 60, 60, 60, 60, 60],
];
/** How many are run by hand alone. */
const BY_HAND = 6;
/** How many fail each time, and pause themselves after a few failures in a row. */
const SELF_PAUSING = 3;
const SELF_PAUSE_AFTER = 3;
/** How many there are in all; those that are left have a cron rule. */
export const AUTOMATIONS = 50;

/** Which of those with a period they are. */
const FIRST_SELF_PAUSING = 3;
/** What each request names. */
const NAMES =
  'run={{ run.id }}&automation={{ automation.id }}&occurrence={{ run.occurrence | url_encode }}&attempt={{ run.attempt }}';

/** The part of a definition's action that the chaos uses. */
export interface ChaosDefinition extends Definition {
  readonly action: Definition['action'] & { readonly url: string };
}

/** The definitions, each with its id. `server` is where they send their effects. */
export function automationsFor(
  random: Random,
  server: string,
  newId: () => string,
): readonly { readonly id: string; readonly definition: ChaosDefinition }[] {
  return Array.from({ length: AUTOMATIONS }, (_, index) => {
    const period = PERIODS_S[index];
    const schedule: Definition['schedule'] =
      period !== undefined
        ? { kind: 'every', everyMs: period * 1_000, anchor: 0 }
        : index >= AUTOMATIONS - BY_HAND
          ? { kind: 'manual' }
          : { kind: 'cron', expression: cronOf(random), timeZone: 'UTC' };
    const periodMs = (period ?? 10) * 1_000;
    // Neither of the fastest nor of the slowest.
    if (index >= FIRST_SELF_PAUSING && index < FIRST_SELF_PAUSING + SELF_PAUSING) {
      return { id: newId(), definition: selfPausing(index, schedule, server) };
    }
    return {
      id: newId(),
      definition: {
        name: `Chaos ${index + 1}`,
        enabled: true,
        schedule,
        action: actionOf(random, server, periodMs),
        rules: rulesOf(random),
      },
    };
  });
}

/** One that fails each time, one run after the other and never twice: it pauses itself, and a person resumes it. */
function selfPausing(index: number, schedule: Definition['schedule'], server: string): ChaosDefinition {
  return {
    name: `Chaos ${index + 1}, which pauses itself`,
    enabled: true,
    schedule,
    action: { kind: 'http', method: 'GET', url: `${server}/effect?${NAMES}&status=500` },
    rules: {
      overlap: { kind: 'skip' },
      missed: { kind: 'once' },
      timeoutMs: 10_000,
      retry: { attempts: 1, firstDelayMs: 100, factor: 2 },
      autoPause: { kind: 'after', failures: SELF_PAUSE_AFTER },
    },
  };
}

/** Whether an automation is one that pauses itself. */
export function pausesItself({ rules }: Definition): boolean {
  return rules?.autoPause?.kind === 'after';
}

function cronOf(random: Random): string {
  return random.weighted([
    [2, `*/${random.whole(2, 20)} * * * * *`],
    [1, `${random.whole(0, 20)},${random.whole(21, 40)},${random.whole(41, 59)} * * * * *`],
    [1, `${random.whole(0, 59)} * * * * *`],
  ]);
}

/** The request of an automation that is due every `periodMs`. The server does as its query says (e2e/http-server.ts). */
export function actionOf(random: Random, server: string, periodMs: number): ChaosDefinition['action'] {
  // Some take longer than their period, so that the overlap rule is called upon.
  const slow = random.weighted([
    [5, 0],
    [3, random.whole(50, 400)],
    [2, Math.min(4_000, Math.round(periodMs * (0.5 + random.next())))],
  ]);
  // What fails or hangs the first time and not again shows repeats.
  const trouble = random.weighted([
    [6, `delay=${slow}`],
    [1, `delay=${slow}&status={% if run.attempt == 1 %}500{% else %}200{% endif %}`],
    [1, 'delay={% if run.attempt == 1 %}3000{% else %}0{% endif %}'],
  ]);
  const url = `${server}/effect?${NAMES}&${trouble}`;
  return random.weighted<ChaosDefinition['action']>([
    [5, { kind: 'http', method: 'GET', url }],
    [3, { kind: 'http', method: 'POST', url }],
    [1, { kind: 'http', method: 'POST', url, repeatable: true }],
    [1, { kind: 'http', method: 'POST', url, idempotencyKey: true }],
  ]);
}

/** Rules of all kinds. */
export function rulesOf(random: Random): NonNullable<Definition['rules']> {
  return {
    overlap: random.weighted<NonNullable<NonNullable<Definition['rules']>['overlap']>>([
      [3, { kind: 'skip' }],
      [2, { kind: 'queue' }],
      [2, { kind: 'replace' }],
      [2, { kind: 'parallel', limit: random.whole(2, 3) }],
    ]),
    missed: random.weighted<NonNullable<NonNullable<Definition['rules']>['missed']>>([
      [3, { kind: 'once' }],
      [1, { kind: 'once', maxAgeMs: random.whole(1, 10) * 1_000 }],
      [2, { kind: 'skip' }],
      [2, { kind: 'all', limit: random.whole(2, 10) }],
    ]),
    timeoutMs: random.whole(2_000, 10_000),
    retry: { attempts: random.whole(1, 3), firstDelayMs: random.whole(100, 1_000), factor: 2 },
    // An edit may make one of these fail each time. What pauses itself is never edited, or what a run of it counted for could
    // not be told afterwards.
    autoPause: { kind: 'never' },
  };
}
