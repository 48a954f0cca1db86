/**
 * What a preview and the refusal of a rule cost, in a page on its own; scripts/bench.mjs asks for it. The rules are those that are dear to compute: rare ones above all, which a search must look for far ahead.
 */
import { DAY_MS, type Schedule, prepareTime, previewSchedule, problemsOf } from '../../src/domain/index.ts';
import { offer } from './offer.ts';

/** Milliseconds of each measured step, unsorted. */
export interface ScheduleSamples {
  /** The next ten of a rule and a zone that were never asked for before. */
  readonly first: readonly number[];
  /** The next ten of those again, from other days. */
  readonly again: readonly number[];
  /** Refusing a rule that can never run, the first time. */
  readonly never: readonly number[];
}

/** 2026-11-30, 08:00 UTC. */
const FROM = 1_795_939_200_000;

const CRON = [
  '* * * * *',
  '*/5 * * * *',
  '*/20 * * * * *',
  '0 9 * * mon-fri',
  '0 0 1 * *',
  '30 2 31 * *',
  '30 2 29 2 *',
  '0 0 13 * fri',
  '0 0 13 * +fri',
  '30 2 29 2 +mon',
  '*/10 * 29 2 +sat',
  '0 0 31 12 +sun',
  '*/15 1-3 1 1 +sat',
  '0 0 L-2 * *',
  '0 0 L-29 * *',
  '0 3 L-3 2 +mon',
  '0 0 LW * *',
  '0 0 15W * *',
  '0 0 * * fri#5',
  '0 0 * 2 mon#5',
  '0 0 0 29 2 +mon 2028-2199',
  '*/7 2 * 3 sun#L',
];

const dates = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => new Date(FROM + n * DAY_MS).toISOString().slice(0, 10));

/** Every rule, to be computed in a zone of the caller's choice. */
const RULES: readonly ((timeZone: string) => Schedule)[] = [
  ...CRON.map((expression) => (timeZone: string): Schedule => ({ kind: 'cron', expression, timeZone })),
  (timeZone) => ({ kind: 'cron', expression: '0 9 * * *', timeZone, excluded: dates(400) }),
  (timeZone) => ({
    kind: 'every',
    everyMs: 900_000,
    anchor: 0,
    timeZone,
    hours: { from: '22:00', until: '02:00' },
    days: [6],
  }),
  (timeZone) => ({ kind: 'calendar', every: 1, unit: 'months', first: '2026-01-31T02:30', timeZone }),
  (timeZone) => ({ kind: 'calendar', every: 7, unit: 'years', first: '2024-02-29T02:30', timeZone }),
];

/** Rules that no calendar, no zone or none of their bounds ever lets run. */
const NEVER: readonly ((timeZone: string) => Schedule)[] = [
  ...['0 0 30 2 *', '0 0 31 4,6,9,11 +mon', '0 0 L-30 2 *', '0 0 1 1 +mon#2', '0 0 0 29 2 * 2029-2031'].map(
    (expression) =>
      (timeZone: string): Schedule => ({ kind: 'cron', expression, timeZone }),
  ),
  (timeZone) => ({
    kind: 'cron',
    expression: '* * * * *',
    timeZone,
    start: dates(1)[0] ?? '',
    end: dates(400).at(-1) ?? '',
    excluded: dates(400),
  }),
  // Wholly in gaps of the clocks, of which each until 2200 has to be looked at.
  () => ({ kind: 'cron', expression: '*/10 2 * 3 +sun#L', timeZone: 'Europe/Berlin' }),
  () => ({ kind: 'cron', expression: '* 2 * 3 +sun#2', timeZone: 'America/New_York' }),
  () => ({ kind: 'cron', expression: '*/20 2 * 10 +sun#1', timeZone: 'Australia/Sydney' }),
  () => ({ kind: 'cron', expression: '30 1 * 3 +sun#L', timeZone: 'Europe/London', dst: { gap: 'skip' } }),
];

/** Measures `rounds` of each rule. With `polyfill`, by the polyfill also where the browser has Temporal. */
async function measureSchedules({
  rounds,
  polyfill,
}: {
  readonly rounds: number;
  readonly polyfill: boolean;
}): Promise<ScheduleSamples> {
  await prepareTime({ polyfill: polyfill ? 'always' : 'where-missing' });
  // A host does not wait for it at its start; whoever saves comes long after it.
  await import('../../src/domain/quick-zone.ts');
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  const samples = { first: [] as number[], again: [] as number[], never: [] as number[] };
  const took = (into: number[], work: () => unknown): void => {
    const t0 = performance.now();
    work();
    into.push(performance.now() - t0);
  };
  const ten = (schedule: Schedule, from: number): unknown => previewSchedule(schedule, from, 10, 'UTC');
  // What no rule pays for: the first use of the code.
  problemsOf({ kind: 'cron', expression: '0 12 * * *', timeZone: 'UTC' });
  ten({ kind: 'cron', expression: '0 12 * * *', timeZone: 'UTC' }, FROM);

  const every = Math.max(1, Math.floor(zones.length / RULES.length));
  const schedules = RULES.map((rule, n) => rule(zones[n * every] ?? 'UTC'));
  for (const schedule of schedules) took(samples.first, () => ten(schedule, FROM));
  for (let round = 1; round <= rounds; round++) {
    for (const schedule of schedules) took(samples.again, () => ten(schedule, FROM + round * DAY_MS));
  }
  for (const [n, rule] of NEVER.entries()) {
    const schedule = rule(zones[n * every + 1] ?? 'UTC');
    took(samples.never, () => {
      if (problemsOf(schedule).length === 0) throw new Error(`it can run: ${JSON.stringify(schedule)}`);
    });
  }
  return samples;
}

offer({ measureSchedules });
