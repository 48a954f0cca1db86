import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseCron } from './cron.ts';
import { previewSchedule } from './preview.ts';
import { dueInstants, nextAfter } from './instants.ts';
import { problemsOf } from './schedule-problems.ts';
import { GAP_CHOICES, OVERLAP_CHOICES, type Schedule } from './schedule.ts';
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, LAST_INSTANT_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import { spanAt } from './zone.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

/** A date in a week of each change of the clocks that the walk looks at. */
const CHANGES: readonly (readonly [zone: string, around: string])[] = [
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2025-10-30'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Africa/Casablanca', '2026-03-22'],
  ['America/Havana', '2025-11-02'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['America/Nuuk', '2025-03-29'],
  ['America/Nuuk', '2025-10-26'],
  ['America/Santiago', '2026-09-06'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/St_Johns', '2026-03-08'],
  ['Antarctica/Troll', '2026-03-29'],
  ['Asia/Beirut', '2026-03-29'],
  ['Asia/Kathmandu', '2026-03-29'],
  ['Asia/Pyongyang', '2015-08-14'],
  ['Asia/Pyongyang', '2018-05-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Dublin', '2026-10-25'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Chatham', '2026-09-27'],
  ['UTC', '2026-03-29'],
];

interface Minute {
  readonly at: number;
  /** Its wall clock, as epoch milliseconds in UTC. */
  readonly local: number;
}

/** Every minute from five days before until ten days after `around`, with the wall clock that the browser shows. */
function minutesAround(zone: string, around: string): readonly Minute[] {
  const shown = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const middle = Date.parse(`${around}T00:00:00Z`);
  const minutes: Minute[] = [];
  // Clocks change on a quarter of an hour: one look at each is enough.
  for (let quarter = middle - 5 * DAY_MS; quarter < middle + 10 * DAY_MS; quarter += 15 * MINUTE_MS) {
    const part = Object.fromEntries(
      shown.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = part as Record<string, number>;
    const local = Date.UTC(year, month - 1, day, hour, minute);
    for (let n = 0; n < 15; n++) minutes.push({ at: quarter + n * MINUTE_MS, local: local + n * MINUTE_MS });
  }
  return minutes;
}

/** A field of a rule with what it means said a second time. */
interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

function fieldArbitrary(least: number, most: number, steps: readonly number[]): fc.Arbitrary<Field> {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom<Field>({ text: '*', has: () => true }) },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...steps)
        .map((step) => ({ text: `*/${step}`, has: (n: number) => (n - least) % step === 0 })),
    },
    {
      weight: 4,
      arbitrary: fc
        .uniqueArray(value, { minLength: 1, maxLength: 3 })
        .map((values) => ({ text: values.join(','), has: (n: number) => values.includes(n) })),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(value, value)
        .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
        .map(([low, high]) => ({ text: `${low}-${high}`, has: (n: number) => n >= low && n <= high })),
    },
  );
}

interface Rule {
  readonly expression: string;
  readonly fixedTime: boolean;
  readonly names: (local: number) => boolean;
  /** The same in parts, for whoever walks through a year: of the minute, the hour and the start of the day. */
  readonly hasMinute: (minute: number) => boolean;
  readonly hasHour: (hour: number) => boolean;
  readonly hasDay: (start: number) => boolean;
}

/** Rules whose hours favour the small ones, where clocks change. */
const rules: fc.Arbitrary<Rule> = fc
  .record({
    minute: fieldArbitrary(0, 59, [5, 7, 20, 30]),
    hour: fc.oneof(fieldArbitrary(0, 4, [2]), fieldArbitrary(0, 23, [2, 3, 6]), fieldArbitrary(22, 23, [1])),
    day: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Field>({ text: '*', has: () => true }) },
      fieldArbitrary(1, 31, [2, 5]),
    ),
    weekday: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Field>({ text: '*', has: () => true }) },
      fieldArbitrary(0, 6, [2]),
    ),
  })
  .filter(({ hour }) => !hour.text.startsWith('*/') || hour.has(0))
  .map(({ minute, hour, day, weekday }) => {
    const hasDay = (start: number): boolean => {
      const date = new Date(start);
      const onDay = day.has(date.getUTCDate());
      const onWeekday = weekday.has(date.getUTCDay());
      return day.text === '*' || weekday.text === '*' ? onDay && onWeekday : onDay || onWeekday;
    };
    return {
      expression: `${minute.text} ${hour.text} ${day.text} * ${weekday.text}`,
      fixedTime: !/[*/]/.test(minute.text + hour.text),
      names: (local) => {
        const date = new Date(local);
        return minute.has(date.getUTCMinutes()) && hour.has(date.getUTCHours()) && hasDay(local);
      },
      hasMinute: minute.has,
      hasHour: hour.has,
      hasDay,
    };
  });

/**
 * What a daemon does that wakes every minute and looks at the clock on the wall. A rule with a wildcard is due whenever
 * the clock shows one of its times. A fixed time is due when the clock first shows it or has jumped over it, and never
 * again; a jump of more than three hours is a date that was left out.
 */
function walk(rule: Rule, minutes: readonly Minute[]): number[] {
  const due: number[] = [];
  let highest = (minutes[0]?.local ?? 0) - MINUTE_MS;
  for (const { at, local } of minutes) {
    if (!rule.fixedTime) {
      if (rule.names(local)) due.push(at);
      continue;
    }
    let shown = local - highest > 3 * HOUR_MS ? local : highest + MINUTE_MS;
    let named = false;
    for (; shown <= local; shown += MINUTE_MS) named ||= rule.names(shown);
    if (named) due.push(at);
    highest = Math.max(highest, local);
  }
  return due;
}

describe('the instants of a cron rule', () => {
  test.each(CHANGES)('in %s around %s are those of a walk minute by minute', (zone, around) => {
    const minutes = minutesAround(zone, around);
    const [first] = minutes;
    const last = minutes.at(-1);
    fc.assert(
      fc.property(rules, (rule) => {
        if (parseCron(rule.expression).kind === 'invalid') return;
        const schedule: Schedule = { kind: 'cron', expression: rule.expression, timeZone: zone };
        const found = dueInstants(schedule, first?.at ?? 0, last?.at ?? 0, Infinity);
        expect(found.instants).toEqual(walk(rule, minutes));
      }),
      { numRuns: 15 },
    );
  });
});

/** A stretch of time in which the clocks of a zone are not changed. `offset` is the wall clock minus UTC. */
interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
}

/** The year 2026 of `zone`, as the clocks that the browser shows have it: found without Temporal, to the minute. */
function yearOf(zone: string): readonly Stretch[] {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (at: number): number => Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - at;
  const end = Date.UTC(2027, 0);
  const stretches: Stretch[] = [];
  let from = Date.UTC(2026, 0);
  let seen = from;
  while (seen < end) {
    const offset = offsetAt(from);
    let later = Math.min(end, seen + 12 * HOUR_MS);
    if (later < end && offsetAt(later) === offset) {
      seen = later;
      continue;
    }
    if (offsetAt(later) === offset) {
      stretches.push({ from, until: end, offset });
      break;
    }
    while (later - seen > MINUTE_MS) {
      const middle = seen + Math.floor((later - seen) / 2 / MINUTE_MS) * MINUTE_MS;
      if (offsetAt(middle) === offset) seen = middle;
      else later = middle;
    }
    stretches.push({ from, until: later, offset });
    [from, seen] = [later, later];
  }
  return stretches;
}

/** As {@link walk}, for a whole year: through every minute of each day that the rule names. */
function walkYear(rule: Rule, stretches: readonly Stretch[]): number[] {
  const due: number[] = [];
  const days = new Map<number, boolean>();
  const isNamed = (start: number): boolean => {
    const known = days.get(start) ?? rule.hasDay(start);
    days.set(start, known);
    return known;
  };
  const hours = Array.from({ length: 24 }, (_, hour) => rule.hasHour(hour));
  const minutes = Array.from({ length: 60 }, (_, minute) => rule.hasMinute(minute));
  /** Every minute of the wall clock from `from` to before `until` that the rule names. */
  const through = (from: number, until: number, found: (local: number) => void): void => {
    for (let local = from; local < until; local += MINUTE_MS) {
      const start = local - (local % DAY_MS);
      if (!isNamed(start)) local = start + DAY_MS - MINUTE_MS;
      else if (
        hours[((local - start) / HOUR_MS) | 0] === true &&
        minutes[((local - start) / MINUTE_MS) % 60] === true
      )
        found(local);
    }
  };
  /** The latest minute that the clock has shown. */
  let highest = -Infinity;
  for (const { from, until, offset } of stretches) {
    const [opens, closes] = [from + offset, until + offset];
    let begin = opens;
    if (rule.fixedTime && highest !== -Infinity) {
      const jumped = opens - highest - MINUTE_MS;
      if (jumped > 0 && jumped <= 3 * HOUR_MS) {
        const passed: number[] = [];
        through(highest + MINUTE_MS, opens + MINUTE_MS, (local) => passed.push(local));
        if (passed.length > 0) due.push(from);
        begin = opens + MINUTE_MS;
      } else if (jumped <= 0) begin = highest + MINUTE_MS;
    }
    through(begin, closes, (local) => due.push(local - offset));
    highest = Math.max(highest, closes - MINUTE_MS);
  }
  return due;
}

/** How long each zone is walked in, and by how many rules at most: `ROTA_YEARS=200` walks by so many, however long. */
const WALKS = Number(process.env['ROTA_YEARS'] ?? 0);
const WALK_MOST_MS = 150;

describe('a year of a cron rule', () => {
  const zones = [
    ...new Set(CHANGES.map(([zone]) => zone)),
    'America/Los_Angeles',
    'America/Scoresbysund',
    'Asia/Gaza',
    'Asia/Kolkata',
    'Asia/Jerusalem',
    'Europe/Chisinau',
    'Europe/London',
    'Pacific/Easter',
  ].slice(0, 24);

  test('is looked at in 24 zones', () => {
    expect(zones).toHaveLength(24);
  });

  test.each(zones)('in %s is that of a walk through its every minute', (zone) => {
    const stretches = yearOf(zone);
    const [{ from } = { from: 0 }] = stretches;
    const until = stretches.at(-1)?.until ?? 0;
    fc.assert(
      fc.property(rules, (rule) => {
        if (parseCron(rule.expression).kind === 'invalid') return;
        const schedule: Schedule = { kind: 'cron', expression: rule.expression, timeZone: zone };
        const wanted = walkYear(rule, stretches);
        const { instants } = dueInstants(schedule, from, until - 1, Infinity);
        // A year has too many minutes to be compared as a whole for each.
        const place = wanted.findIndex((at, index) => at !== instants[index]);
        const first = place < 0 ? wanted.length : place;
        expect({ rule: rule.expression, count: instants.length, at: instants[first] }).toEqual({
          rule: rule.expression,
          count: wanted.length,
          at: wanted[first],
        });
      }),
      WALKS > 0 ? { numRuns: WALKS } : { numRuns: 20, plugins: [fc.interruptAfterTimeLimit(WALK_MOST_MS)] },
    );
  });
});

const ZONES = [
  ...new Set(CHANGES.map(([zone]) => zone)),
  'Asia/Kolkata',
  'Europe/London',
  'Pacific/Kiritimati',
];
const zones = fc.constantFrom(...ZONES);

/** Dates, and more often one about when clocks change. */
const dates = fc
  .oneof(
    fc.integer({ min: 0, max: 60 * 366 }).map((day) => Date.UTC(2000, 0) + day * DAY_MS),
    fc
      .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -3, max: 3 }))
      .map(([[, around], off]) => Date.parse(`${around}T00:00:00Z`) + off * DAY_MS),
  )
  .map((at) => new Date(at).toISOString().slice(0, 10));
const clockTimes = fc
  .tuple(
    fc.oneof(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 23 })),
    fc.constantFrom(0, 15, 30, 59),
  )
  .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'));
const dateTimes = fc.tuple(dates, clockTimes).map(([date, time]) => `${date}T${time}`);
const dsts = fc.record(
  { gap: fc.constantFrom(...GAP_CHOICES), overlap: fc.constantFrom(...OVERLAP_CHOICES) },
  { requiredKeys: [] },
);
const bounds = fc.record(
  {
    start: fc.oneof(dates, dateTimes),
    end: fc.oneof(dates, dateTimes),
    excluded: fc.array(dates, { maxLength: 12 }),
    maxRuns: fc.integer({ min: 1, max: 5 }),
  },
  { requiredKeys: [] },
);

/** The kinds and the fields that came after cron rules, intervals and instants. */
const newerSchedules: fc.Arbitrary<Schedule> = fc
  .oneof(
    fc.record({ kind: fc.constant('date' as const), local: dateTimes, timeZone: zones, dst: dsts }),
    fc
      .tuple(
        fc.record({
          kind: fc.constant('calendar' as const),
          every: fc.integer({ min: 1, max: 40 }),
          unit: fc.constantFrom('days' as const, 'weeks' as const, 'months' as const, 'years' as const),
          first: dateTimes,
          timeZone: zones,
          overflow: fc.constantFrom('clamp' as const, 'skip' as const),
          dst: dsts,
        }),
        bounds,
      )
      .map(([schedule, more]) => ({ ...schedule, ...more })),
    fc
      .tuple(
        fc.record({
          kind: fc.constant('every' as const),
          everyMs: fc.integer({ min: 60, max: 12 * 3_600 }).map((seconds) => seconds * SECOND_MS),
          anchor: fc.integer({ min: 0, max: Date.UTC(2030, 0) }),
          timeZone: zones,
          days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }),
        }),
        fc.option(fc.record({ from: clockTimes, until: clockTimes }), { nil: null }),
        bounds,
      )
      .map(([schedule, hours, more]) => ({ ...schedule, ...(hours === null ? {} : { hours }), ...more })),
    fc.tuple(rules, zones, dsts, bounds).map(([{ expression }, timeZone, dst, more]) => ({
      kind: 'cron' as const,
      expression,
      timeZone,
      dst,
      ...more,
    })),
  )
  .filter((schedule) => problemsOf(schedule).length === 0);

const schedules: fc.Arbitrary<Schedule> = fc.oneof(
  { weight: 5, arbitrary: newerSchedules },
  {
    weight: 5,
    arbitrary: fc
      .tuple(rules, fc.option(fc.constantFrom('0', '*/20', '*', '15,45')), zones)
      .map(([{ expression }, second, timeZone]) => ({
        kind: 'cron' as const,
        expression: second === null ? expression : `${second} ${expression}`,
        timeZone,
      }))
      .filter(({ expression }) => parseCron(expression).kind === 'ok'),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('every' as const),
      everyMs: fc.integer({ min: SECOND_MS, max: 366 * DAY_MS }),
      anchor: fc.integer({ min: 0, max: LAST_INSTANT_MS }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('once' as const),
      at: fc.integer({ min: 0, max: LAST_INSTANT_MS }),
    }),
  },
);

/** Any instant, and more often one near a change of the clocks: within days of it, and within what it repeats. */
const instants = fc.oneof(
  fc.integer({ min: 0, max: LAST_INSTANT_MS }),
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }))
    .map(([[, around], off]) => Date.parse(`${around}T00:00:00Z`) + off),
  fc
    .tuple(fc.constantFrom(...CHANGES), fc.integer({ min: -90 * MINUTE_MS, max: 90 * MINUTE_MS }))
    .map(([[zone, around], off]) => {
      const { until } = spanAt(zone, Date.parse(`${around}T00:00:00Z`) - 2 * DAY_MS);
      return (Number.isFinite(until) ? until : 0) + off;
    }),
);

describe('for every schedule', () => {
  test('the next instant is later than the one before, and none is past the year 2199', () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, from) => {
        let after = from;
        for (let n = 0; n < 12; n++) {
          const next = nextAfter(schedule, after);
          if (next === null) return;
          expect(next).toBeGreaterThan(after);
          expect(next).toBeLessThanOrEqual(LAST_INSTANT_MS);
          after = next;
        }
      }),
      { numRuns: 500 },
    );
  });

  test('there is nothing between an instant and its next, wherever one begins to look', () => {
    fc.assert(
      fc.property(
        schedules,
        instants,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (schedule, from, share) => {
          const next = nextAfter(schedule, from);
          if (next === null) return;
          const between = Math.min(next - 1, from + Math.floor((next - from) * share));
          expect(nextAfter(schedule, between)).toBe(next);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a preview is the end of every earlier one, remarks included', () => {
    fc.assert(
      fc.property(schedules, instants, fc.nat(9), (schedule, from, skipped) => {
        const early = previewSchedule(schedule, from, 15, 'Europe/Berlin');
        const start = early[skipped];
        if (start === undefined) return;
        const late = previewSchedule(schedule, start.at, 14 - skipped, 'Europe/Berlin');
        expect(late).toEqual(early.slice(skipped + 1));
      }),
      { numRuns: 200 },
    );
  });

  test('what is due, taken in parts, is what is due at once', () => {
    fc.assert(
      fc.property(schedules, instants, fc.integer({ min: 1, max: 6 }), (schedule, from, most) => {
        const until = nextTimes(schedule, from, 20).at(-1) ?? from;
        const whole = dueInstants(schedule, from, until, Infinity);
        expect(whole.more).toBe(false);
        const parts: number[] = [];
        for (let start: number | null = from; start !== null;) {
          const part = dueInstants(schedule, start, until, most);
          parts.push(...part.instants);
          start = part.more ? nextAfter(schedule, part.instants.at(-1) ?? start) : null;
        }
        expect(parts).toEqual(whole.instants);
      }),
      { numRuns: 200 },
    );
  });

  function nextTimes(schedule: Schedule, from: number, count: number): number[] {
    return previewSchedule(schedule, from, count, 'UTC').map(({ at }) => at);
  }
});
