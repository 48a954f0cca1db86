import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DAY_MS,
  type Definition,
  type DefinitionInput,
  HOUR_MS,
  MINUTE_MS,
  RETRY_CLASSES,
  definitionSchema,
  parseWith,
} from '../../domain/index.ts';
import { type EditorForm, emptyForm, formOf, readForm, readSchedule } from './editor-form.ts';
import { amountMs, amountOf } from './editor-amount.ts';

const context = { now: Date.parse('2026-11-29T14:52:10Z'), zone: 'Europe/Paris' };

function definition(input: Partial<DefinitionInput> = {}): Definition {
  const parsed = parseWith(definitionSchema, {
    name: 'Check the API',
    schedule: { kind: 'cron', expression: '*/5 9-17 * * mon-fri', timeZone: 'Europe/Paris' },
    action: { kind: 'http', url: 'https://example.test/health' },
    ...input,
  });
  if (parsed.kind !== 'ok') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function written(change: Partial<EditorForm>, from: EditorForm = formOf(definition(), context)) {
  return readForm({ ...from, ...change }, context);
}

function problemsOf(change: Partial<EditorForm>): Record<string, string> {
  const read = written(change);
  if (read.kind === 'ok') return {};
  return Object.fromEntries(read.problems.map(({ path, message }) => [path, message]));
}

const inOrder = (days: readonly number[]): readonly number[] => [...days].sort();
const text = fc.stringMatching(/^[a-zA-Z0-9éß{}%"' .-]{1,20}$/).filter((value) => value.trim() === value);
const wholeMs = (least: number, most: number) =>
  fc.oneof(fc.integer({ min: least, max: most }), fc.constantFrom(MINUTE_MS, 90_000, HOUR_MS, DAY_MS));
const instant = fc.oneof(
  fc.integer({ min: 0, max: 7_258_118_399_999 }),
  // Both passes of an overlap in the context's zone.
  fc.constantFrom(Date.parse('2026-10-25T00:30:00Z'), Date.parse('2026-10-25T01:30:00Z')),
);
const optional = <T>(key: string, value: fc.Arbitrary<T>) =>
  fc.option(value, { nil: undefined }).map((some) => (some === undefined ? {} : { [key]: some }));
const all = (...parts: fc.Arbitrary<object>[]) =>
  fc.tuple(...parts).map((some) => Object.assign({}, ...some) as object);

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0);
const check = all(
  fc.record({ path: fc.constantFrom('$', '$.status', '$..age') }),
  fc.oneof(
    fc.record({
      equals: fc.oneof(
        text,
        fc.constantFrom('', '1', 'null', '"x"', '{"a":1}'),
        finite,
        fc.constant(null),
        fc.boolean(),
      ),
    }),
    fc.record({ absent: fc.constant(true) }),
    all(optional('above', finite), optional('below', finite)),
  ),
);
const action = fc.oneof(
  all(
    fc.record({
      kind: fc.constant('http'),
      url: fc.constantFrom('https://example.test/a?b={{ run.scheduledFor }}', 'http://localhost:8080/'),
      headers: fc.dictionary(fc.stringMatching(/^X-[a-z]{1,6}$/), text, { maxKeys: 3 }),
      idempotencyKey: fc.boolean(),
      repeatable: fc.boolean(),
    }),
    fc.oneof(
      fc.constantFrom('GET', 'HEAD').map((method) => ({ method })),
      all(
        fc.constantFrom('POST', 'DELETE', 'OPTIONS').map((method) => ({ method })),
        optional('body', fc.oneof(text, fc.constant(''))),
      ),
    ),
    optional(
      'expect',
      all(
        optional('status', fc.array(fc.integer({ min: 100, max: 599 }), { minLength: 1, maxLength: 4 })),
        optional(
          'text',
          all(optional('contains', text.filter(Boolean)), optional('lacks', text.filter(Boolean))),
        ),
        optional('json', fc.array(check, { maxLength: 4 })),
        optional('withinMs', fc.integer({ min: 1, max: 86_400_000 })),
      ),
    ),
  ),
  fc.record({
    kind: fc.constant('watch'),
    url: fc.constant('https://example.test/{{ run.scheduledFor }}'),
    headers: fc.dictionary(fc.stringMatching(/^X-[a-z]{1,6}$/), text, { maxKeys: 2 }),
    part: fc.oneof(
      all(
        fc.record({ kind: fc.constant('page'), select: text, without: fc.array(text, { maxLength: 2 }) }),
        optional('attribute', fc.constantFrom('href', 'content')),
      ),
      fc.record({ kind: fc.constant('json'), select: fc.constantFrom('$', '$..name') }),
      fc.record({ kind: fc.constantFrom('feed', 'text') }),
    ),
    filter: fc.record({
      erase: fc.array(text, { maxLength: 2 }),
      keep: fc.array(text, { maxLength: 2 }),
      drop: fc.array(text, { maxLength: 2 }),
      numbers: fc.boolean(),
      space: fc.boolean(),
      unique: fc.boolean(),
      sort: fc.boolean(),
    }),
    minimumLines: fc.integer({ min: 1, max: 10_000 }),
    notify: all(
      fc.record({ change: fc.boolean(), gone: fc.boolean() }),
      optional('unchangedDays', fc.integer({ min: 1, max: 365 })),
    ),
  }),
  fc.record({ kind: fc.constant('remind'), message: text }),
);
const timeZone = fc.constantFrom('Europe/Paris', 'America/New_York', 'UTC');
const local = fc.constantFrom('2026-12-24T09:00', '2027-03-28T02:30', '2199-12-31T23:59');
const date = fc.constantFrom('2026-12-24', '2027-02-28', '2027-03-28T02:30');
const jitter = optional('jitterMs', fc.constantFrom(0, MINUTE_MS, 90_000));
const dst = optional(
  'dst',
  all(
    optional('gap', fc.constantFrom('next-valid', 'shift', 'skip')),
    optional('overlap', fc.constantFrom('first', 'second', 'both')),
  ),
);
const bounds = all(
  optional('start', date),
  optional('end', date),
  optional('maxRuns', fc.integer({ min: 1, max: 1_000_000 })),
  optional('excluded', fc.uniqueArray(fc.constantFrom('2026-12-24', '2027-01-01'), { minLength: 1 })),
  jitter,
);
const schedule = fc.oneof(
  fc.constant({ kind: 'manual' }),
  all(fc.record({ kind: fc.constant('once'), at: instant }), jitter),
  all(fc.record({ kind: fc.constant('date'), local, timeZone }), dst, jitter),
  fc.record({ kind: fc.constant('every'), everyMs: wholeMs(1_000, 366 * DAY_MS), anchor: instant }),
  all(
    fc.record({ kind: fc.constant('every'), everyMs: wholeMs(1_000, DAY_MS), anchor: instant, timeZone }),
    optional('hours', fc.constantFrom({ from: '09:00', until: '17:30' }, { from: '22:00', until: '06:00' })),
    optional(
      'days',
      fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 6 }).map(inOrder),
    ),
    bounds,
  ),
  all(
    fc.record({
      kind: fc.constant('calendar'),
      every: fc.integer({ min: 1, max: 1_000 }),
      unit: fc.constantFrom('days', 'weeks', 'months', 'years'),
      first: local,
      timeZone,
    }),
    optional('overflow', fc.constantFrom('clamp', 'skip')),
    dst,
    bounds,
  ),
  fc.record({
    kind: fc.constant('after'),
    automation: fc.constant('a0000000-0000-4000-8000-000000000001'),
    on: fc.constantFrom('success', 'failure', 'any'),
  }),
  all(
    fc.record({
      kind: fc.constant('cron'),
      expression: fc.constantFrom(
        '0 9 * * mon-fri',
        '05 9 * * 1-5',
        '30 2 * * *',
        '0 9 * * 7',
        '0 0 L * *',
        '0 9 * * SAT,SUN',
        '15 8 31 * *',
        '0 9 LW * *',
        '0 16 * * 5L',
        '0 9 * * MON#2',
      ),
      timeZone,
    }),
    dst,
    bounds,
  ),
);
const maxAge = optional('maxAgeMs', wholeMs(1_000, 366 * DAY_MS));
const keptLimit = (name: string, least: number) =>
  optional(name, fc.option(fc.integer({ min: least, max: 3_000 })));
const rules = all(
  all(
    fc.constantFrom('once', 'skip').map((kind) => ({ kind })),
    maxAge,
  ).map((missed) => ({ missed })),
  fc
    .option(
      all(
        fc.constant({ kind: 'all' }),
        maxAge,
        fc.integer({ min: 1, max: 100 }).map((limit) => ({ limit })),
      ),
      { nil: undefined },
    )
    .map((missed) => (missed === undefined ? {} : { missed })),
  fc.oneof(
    fc.constantFrom('skip', 'queue', 'replace').map((kind) => ({ overlap: { kind } })),
    fc.integer({ min: 2, max: 20 }).map((limit) => ({ overlap: { kind: 'parallel', limit } })),
  ),
  wholeMs(1_000, DAY_MS).map((timeoutMs) => ({ timeoutMs })),
  optional(
    'retry',
    fc
      .record({
        attempts: fc.integer({ min: 1, max: 10 }),
        firstDelayMs: wholeMs(100, DAY_MS),
        factor: fc.integer({ min: 4, max: 40 }).map((quarters) => quarters / 4),
        maxDelayMs: wholeMs(100, DAY_MS),
      })
      .chain((base) =>
        all(
          fc.constant(base),
          optional('jitter', fc.constantFrom('full', 'none')),
          optional('on', fc.uniqueArray(fc.constantFrom(...RETRY_CLASSES), { minLength: 1 })),
        ),
      ),
  ),
  optional('interrupted', fc.constantFrom('ask', 'retry')),
  optional(
    'autoPause',
    fc.oneof(
      fc.constant({ kind: 'never' }),
      fc.record({ kind: fc.constant('after'), failures: fc.constantFrom(1, 10, 1_000) }),
    ),
  ),
  optional('runsPerDay', fc.integer({ min: 1, max: 100_000 })),
  optional(
    'keep',
    all(
      optional('runs', all(keptLimit('days', 1), keptLimit('most', 30))),
      optional('outputs', all(keptLimit('days', 1), keptLimit('most', 1))),
    ),
  ),
  optional(
    'notify',
    all(
      optional(
        'failure',
        fc.oneof(
          fc.constantFrom('always', 'never').map((kind) => ({ kind })),
          fc.record({ kind: fc.constant('after'), failures: fc.constantFrom(1, 3, 1_000) }),
        ),
      ),
      optional('recovery', fc.constantFrom('once', 'never')),
      optional('result', fc.constantFrom('always', 'change', 'never')),
      optional('urgent', fc.boolean()),
    ),
  ),
);

test('a definition that is opened and saved untouched is the same, whatever it holds', () => {
  const input = fc.record({
    name: text.filter((name) => name !== ''),
    enabled: fc.boolean(),
    tags: fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { maxLength: 3 }),
    action,
    schedule,
    rules,
  });
  fc.assert(
    fc.property(input, (value) => {
      const before = definition(value as unknown as DefinitionInput);
      expect(readForm(formOf(before, context), context)).toEqual({ kind: 'ok', value: before });
      const restored = JSON.parse(JSON.stringify(formOf(before, context))) as EditorForm;
      expect(readForm(restored, context)).toEqual({ kind: 'ok', value: before });
    }),
    { numRuns: 500 },
  );
});

describe('the form keeps', () => {
  test('what each kind of schedule held while another is tried', () => {
    const before = formOf(definition(), context);
    const there = { ...before, scheduleKind: 'manual' as const };
    expect(written({}, { ...there, scheduleKind: 'cron' })).toEqual({ kind: 'ok', value: definition() });
  });

  test('the body of a request that is turned into a GET and back, and sends none with the GET', () => {
    const post = definition({
      action: { kind: 'http', method: 'POST', url: 'https://example.test/', body: 'hello' },
    });
    const form = { ...formOf(post, context), method: 'GET' as const };
    const got = readForm(form, context);
    expect(got).toMatchObject({ kind: 'ok', value: { action: { method: 'GET' } } });
    expect(got.kind === 'ok' && 'body' in got.value.action).toBe(false);
    expect(readForm({ ...form, method: 'POST' }, context)).toEqual({ kind: 'ok', value: post });
  });

  test('out what a newer build wrote beside, which the store carries itself', () => {
    const plain = definition({ rules: { missed: { kind: 'skip' } } });
    const newer = {
      ...plain,
      color: 'red',
      action: { ...plain.action, expect: { bodyContains: 'ok' } },
      rules: { ...plain.rules, jitterMs: 5, missed: { ...plain.rules.missed, tell: true } },
    };
    // A newer build's definition, as it comes over the wire: this build's types do not know it.
    const read = readForm(formOf(newer as unknown as Definition, context), context);
    expect(read).toEqual({ kind: 'ok', value: { ...plain, action: { ...plain.action, expect: {} } } });
  });

  test('the words in which the same weekdays and time were written', () => {
    const sunday = definition({ schedule: { kind: 'cron', expression: '00 09 * * 7', timeZone: 'UTC' } });
    const form = formOf(sunday, context);
    expect(form).toMatchObject({ scheduleKind: 'days', days: { days: [0], time: '09:00' } });
    expect(readSchedule({ ...form, days: { days: [0, 6], time: '09:00' } }, context)).toMatchObject({
      value: { expression: '0 9 * * sun,sat' },
    });
    expect(readSchedule({ ...form, days: { days: [0], time: '09:00' } }, context)).toMatchObject({
      value: { expression: '00 09 * * 7' },
    });
  });
});

describe('an interval is counted', () => {
  const every = { scheduleKind: 'every', every: { n: '15', unit: 'minutes' } } as const;

  test('from the last midnight here when it is aligned to the clock', () => {
    expect(readSchedule({ ...emptyForm(context), ...every, anchor: 'clock' }, context)).toEqual({
      kind: 'ok',
      value: { kind: 'every', everyMs: 15 * MINUTE_MS, anchor: Date.parse('2026-11-29T00:00:00+01:00') },
    });
  });

  test('as it was when it already falls on the clock, until its length changes', () => {
    const fromStarter = formOf(
      definition({ schedule: { kind: 'every', everyMs: 5 * MINUTE_MS, anchor: 0 } }),
      context,
    );
    expect(fromStarter.anchor).toBe('clock');
    expect(readSchedule(fromStarter, context)).toMatchObject({ value: { anchor: 0 } });
    expect(readSchedule({ ...fromStarter, every: { n: '7', unit: 'minutes' } }, context)).toMatchObject({
      value: { anchor: Date.parse('2026-11-29T00:00:00+01:00') },
    });
  });

  test('from now when it starts as it is saved', () => {
    expect(readSchedule({ ...emptyForm(context), ...every, anchor: 'now' }, context)).toMatchObject({
      value: { anchor: context.now },
    });
  });

  test('from the time that is entered', () => {
    const form = { ...emptyForm(context), ...every, anchor: 'at', anchorText: '2026-12-01T09:03' } as const;
    expect(readSchedule(form, context)).toMatchObject({
      value: { anchor: Date.parse('2026-12-01T09:03:00+01:00') },
    });
  });
});

describe('what cannot be saved is named with its path:', () => {
  test.each<[string, Partial<EditorForm>, string, RegExp]>([
    ['no name', { name: '  ' }, 'name', /name/],
    ['no URL', { url: '' }, 'action.url', /URL/],
    ['an address without a scheme', { url: 'example.test' }, 'action.url', /http/],
    ['a status in words', { status: '200, ok' }, 'action.expect.status', /numbers/],
    ['a status out of range', { status: '42' }, 'action.expect.status[0]', /100/],
    ['a header without a name', { headers: [{ name: '', value: 'x' }] }, 'action.headers', /no header name/],
    [
      'a header twice',
      {
        headers: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
      'action.headers.A',
      /twice/,
    ],
    [
      'a header name with a space',
      { headers: [{ name: 'a b', value: '1' }] },
      'action.headers["a b"]',
      /letters/,
    ],
    ['no date', { scheduleKind: 'once', onceText: '' }, 'schedule.local', /date/],
    [
      'an interval that is no number',
      { scheduleKind: 'every', every: { n: 'x', unit: 'hours' } },
      'schedule.everyMs',
      /number of hours/,
    ],
    [
      'an interval of nothing',
      { scheduleKind: 'every', every: { n: '0', unit: 'hours' } },
      'schedule.everyMs',
      /at least/,
    ],
    ['no day', { scheduleKind: 'days', days: { days: [], time: '09:00' } }, 'schedule.expression', /day/],
    [
      'no time of day',
      { scheduleKind: 'days', days: { days: [1], time: '' } },
      'schedule.expression',
      /time of day/,
    ],
    ['an unknown zone', { zone: 'Europe/Pariss' }, 'schedule.timeZone', /no time zone/],
    ['half a number of attempts', { retry: 'own', retryAttempts: '2.5' }, 'rules.retry.attempts', /whole/],
    [
      'too many side by side',
      { overlap: 'parallel', overlapLimit: '21' },
      'rules.overlap.limit',
      /at most 20/,
    ],
    ['no timeout', { timeout: { n: '', unit: 'minutes' } }, 'rules.timeoutMs', /number/],
    ['an empty reminder', { actionKind: 'remind', message: '' }, 'action.message', /reminded/],
  ])('%s', (_what, change, path, message) => {
    expect(problemsOf(change)[path]).toMatch(message);
  });

  test('several at once are all named', () => {
    expect(Object.keys(problemsOf({ name: '', url: '', timeout: { n: 'soon', unit: 'hours' } }))).toEqual([
      'rules.timeoutMs',
      'name',
      'action.url',
    ]);
  });
});

describe('a length of time', () => {
  test.each([
    [90_000, { n: '90', unit: 'seconds' }],
    [DAY_MS, { n: '1', unit: 'days' }],
    [1_500, { n: '1.5', unit: 'seconds' }],
    [1, { n: '0.001', unit: 'seconds' }],
  ] as const)('of %i ms is %j and back', (ms, amount) => {
    expect(amountOf(ms)).toEqual(amount);
    expect(amountMs(amount)).toBe(ms);
  });

  test.each(['', ' ', '-1', '1e3', '1.2.3', 'ten', '0x10'])('is not read from %j', (n) => {
    expect(amountMs({ n, unit: 'minutes' })).toBeNull();
  });

  test('may be written with a decimal comma', () => {
    expect(amountMs({ n: '1,5', unit: 'hours' })).toBe(90 * MINUTE_MS);
  });
});
