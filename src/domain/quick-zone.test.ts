import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/implementation';
import { type Mock, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { problemsOf } from './schedule-problems.ts';
import { prepareTime } from './temporal.ts';
import type { ZoneSpan } from './zone-span.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));
afterEach(() => {
  vi.restoreAllMocks();
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', FORMAT);
});

const FORMAT = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format') ?? {};

/** Has formatters write what `answer` says, until the end of the test, and counts what they are asked for. */
function watchText(answer: (real: () => string) => string): Mock<(at: number) => string> {
  const asked = vi.fn<(at: number) => string>();
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', {
    ...FORMAT,
    get(this: Intl.DateTimeFormat) {
      const real = FORMAT.get?.call(this) as (at: number) => string;
      return (at: number) => {
        asked(at);
        return answer(() => real(at));
      };
    },
  });
  return asked;
}

const FROM = Date.UTC(2026, 0);
const UNTIL = Date.UTC(2200, 0);

/** A reader that knows no zone yet. */
async function fresh() {
  const { QUICK_FROM_MS, makeQuickReader } = await import('./quick-zone.ts');
  return makeQuickReader(QUICK_FROM_MS);
}

/** What Temporal says. */
function spanByTemporal(timeZone: string, at: number): ZoneSpan {
  const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  const previous = zoned.add({ milliseconds: 1 }).getTimeZoneTransition('previous');
  const next = zoned.getTimeZoneTransition('next');
  return {
    from: previous?.epochMilliseconds ?? -Infinity,
    until: next?.epochMilliseconds ?? Infinity,
    offsetMs: zoned.offsetNanoseconds / 1e6,
  };
}

/** Zones that change their clocks in ways of their own, by half an hour, at odd times, with the moon. */
const CHANGING = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Nuuk',
  'Asia/Gaza',
  'Australia/Lord_Howe',
  'Europe/Dublin',
];

describe('a span that is read quickly', () => {
  test.each(CHANGING)('is each one that Temporal has for %s until 2200', async (timeZone) => {
    const quickSpan = await fresh();
    let at = spanByTemporal(timeZone, FROM).until;
    let read = 0;
    while (at < UNTIL) {
      const span = quickSpan(timeZone, at, read > 0);
      // Where a zone gives its changes up, the polyfill decides.
      if (span === null) break;
      expect(span).toEqual(spanByTemporal(timeZone, at));
      at = span.until;
      read += 1;
    }
    expect(read).toBeGreaterThan(100);
    if (at < UNTIL) expect(spanByTemporal(timeZone, at).until).toBe(Infinity);
  });

  test('is what Temporal has, wherever one begins, at a change and beside it, in every zone', async () => {
    const quickSpan = await fresh();
    const zones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: FROM, max: UNTIL }),
        fc.constantFrom(-1_000, -1, 0, 1, 999),
        (timeZone, instant, beside) => {
          const { until } = spanByTemporal(timeZone, instant);
          const at = Number.isFinite(until) ? until + beside : instant;
          const span = quickSpan(timeZone, at, false);
          if (span !== null) expect(span).toEqual(spanByTemporal(timeZone, at));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is left to Temporal before 2026, in a zone whose clocks are not changed, and where dates are written otherwise', async () => {
    const quickSpan = await fresh();
    expect(quickSpan('Europe/Berlin', Date.UTC(2026, 0, 15), false)).toBeNull();
    expect(quickSpan('Europe/Berlin', Date.UTC(2025, 6), false)).toBeNull();
    expect(quickSpan('Asia/Kolkata', Date.UTC(2030, 0), false)).toBeNull();
    watchText(() => '30.03.2030 um 14 Uhr');
    expect(quickSpan('Europe/Paris', Date.UTC(2030, 6), false)).toBeNull();
  });
});

test('A rule that lies wholly in gaps of the clocks is refused with few questions to the formatter', () => {
  const parts = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  const text = watchText((real) => real());
  const problems = problemsOf({
    kind: 'cron',
    expression: '*/10 2 * 3 +sun#L',
    timeZone: 'Europe/Warsaw',
  });
  expect(problems).toEqual([
    {
      path: 'schedule.expression',
      message:
        'This rule never runs: in Europe/Warsaw the clocks skip every time that it names. Use another hour.',
    },
  ]);
  // By the polyfill alone it is 10,600 questions for parts, and each costs several times what text does.
  expect(parts.mock.calls.length).toBeLessThan(200);
  expect(text.mock.calls.length).toBeGreaterThan(1_000);
  expect(text.mock.calls.length).toBeLessThan(14_000);
});
