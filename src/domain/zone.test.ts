import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill/implementation';
import { beforeAll, describe, expect, test } from 'vitest';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { prepareTime } from './temporal.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import { isTimeZone, resolveLocal, spanAt } from './zone.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const instant = (text: string): number => Date.parse(text);
const local = (text: string): number => Date.parse(`${text}Z`);

describe('a wall-clock time in a zone', () => {
  test.each(vectors.oneOff)('$id: $note', (vector) => {
    const resolved = resolveLocal(vector.tz, local(vector.local));
    if (vector.kind === 'exact') {
      expect(resolved).toEqual({ kind: 'exact', at: instant(vector.first ?? '') });
      return;
    }
    const jumpMs = (vector.gapMinutes ?? 0) * MINUTE_MS;
    const kind = jumpMs > 3 * HOUR_MS ? 'missing' : 'gap';
    expect(resolved).toEqual({ kind, at: instant(vector.firstValid ?? ''), jumpMs });
  });

  test('comes twice when the clocks go back over it, the first pass first', () => {
    expect(resolveLocal('America/New_York', local('2026-11-01T01:30:00'))).toEqual({
      kind: 'overlap',
      at: instant('2026-11-01T05:30:00Z'),
      second: instant('2026-11-01T06:30:00Z'),
    });
  });

  test('comes once at each end of an overlap and of a gap', () => {
    const at = (text: string): unknown => resolveLocal('Europe/Berlin', local(text));
    expect(at('2026-10-25T01:59:59')).toEqual({ kind: 'exact', at: instant('2026-10-24T23:59:59Z') });
    expect(at('2026-10-25T02:00:00')).toMatchObject({ kind: 'overlap' });
    expect(at('2026-10-25T02:59:59')).toMatchObject({ kind: 'overlap' });
    expect(at('2026-10-25T03:00:00')).toEqual({ kind: 'exact', at: instant('2026-10-25T02:00:00Z') });
    expect(at('2026-03-29T01:59:59')).toEqual({ kind: 'exact', at: instant('2026-03-29T00:59:59Z') });
    expect(at('2026-03-29T02:59:59')).toMatchObject({ kind: 'gap', at: instant('2026-03-29T01:00:00Z') });
    expect(at('2026-03-29T03:00:00')).toEqual({ kind: 'exact', at: instant('2026-03-29T01:00:00Z') });
  });

  const ZONES = [
    'Africa/Cairo',
    'Africa/Casablanca',
    'America/Havana',
    'America/New_York',
    'America/Nuuk',
    'America/St_Johns',
    'America/Sao_Paulo',
    'Asia/Beirut',
    'Asia/Gaza',
    'Asia/Kathmandu',
    'Asia/Pyongyang',
    'Australia/Lord_Howe',
    'Europe/Dublin',
    'Europe/London',
    'Pacific/Apia',
    'Pacific/Chatham',
    'UTC',
  ];

  test('agrees with what Temporal calls earlier and later, around changes of the clocks and far from them', () => {
    const where = fc.record({
      zone: fc.constantFrom(...ZONES),
      near: fc.integer({ min: Date.UTC(1975) / SECOND_MS, max: Date.UTC(2150) / SECOND_MS }),
      off: fc.option(fc.integer({ min: -5 * 3600, max: 5 * 3600 })),
    });
    fc.assert(
      fc.property(where, ({ zone, near, off }) => {
        const span = spanAt(zone, near * SECOND_MS);
        const wall =
          off === null || span.until === Infinity
            ? near * SECOND_MS
            : span.until + span.offsetMs + off * SECOND_MS;
        const plain = Temporal.PlainDateTime.from(new Date(wall).toISOString().slice(0, -1));
        const earlier = plain.toZonedDateTime(zone, { disambiguation: 'earlier' });
        const later = plain.toZonedDateTime(zone, { disambiguation: 'later' });
        const resolved = resolveLocal(zone, wall);
        if (earlier.epochMilliseconds === later.epochMilliseconds) {
          expect(resolved).toEqual({ kind: 'exact', at: earlier.epochMilliseconds });
        } else if (earlier.toPlainDateTime().equals(plain)) {
          expect(resolved).toEqual({
            kind: 'overlap',
            at: earlier.epochMilliseconds,
            second: later.epochMilliseconds,
          });
        } else {
          const jumpMs = later.epochMilliseconds - earlier.epochMilliseconds;
          expect(resolved).toEqual({
            kind: jumpMs > 3 * HOUR_MS ? 'missing' : 'gap',
            at: earlier.getTimeZoneTransition('next')?.epochMilliseconds,
            jumpMs,
          });
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('spans of one offset', () => {
  test('meet without a hole and change the offset where they meet', () => {
    let span = spanAt('Africa/Casablanca', instant('2026-01-01T00:00:00Z'));
    for (let changes = 0; changes < 30; changes++) {
      const next = spanAt('Africa/Casablanca', span.until);
      expect(next.from).toBe(span.until);
      expect(next.offsetMs).not.toBe(span.offsetMs);
      expect(spanAt('Africa/Casablanca', span.until - 1)).toBe(span);
      span = next;
    }
  });

  test('have no end in a zone that keeps its clocks', () => {
    expect(spanAt('UTC', 0)).toEqual({ from: -Infinity, until: Infinity, offsetMs: 0 });
    expect(spanAt('Asia/Kolkata', instant('2026-01-01T00:00:00Z'))).toMatchObject({ until: Infinity });
  });

  test('agree with how the browser shows dates', () => {
    const shown = new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Beirut', timeZoneName: 'longOffset' });
    for (let at = instant('2026-01-01T00:00:00Z'); at < instant('2028-01-01T00:00:00Z'); at += DAY_MS) {
      const hours = spanAt('Asia/Beirut', at).offsetMs / HOUR_MS;
      expect(shown.format(at)).toContain(`GMT+0${hours}:00`);
    }
  });
});

describe('a time zone name', () => {
  test.each([
    'Europe/Berlin',
    'europe/berlin',
    'Asia/Calcutta',
    'Asia/Kolkata',
    'Europe/Kyiv',
    'Europe/Kiev',
  ])('%s is one', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  test.each(['UTC', 'Etc/GMT+5', 'America/Argentina/ComodRivadavia', 'America/Port-au-Prince'])(
    '%s is one',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  test.each(['', ' ', 'Berlin', 'Europe/Atlantis', '+01:00', '-0500', 'UTC+1', 'Local', 'Europe/Berlin '])(
    '%j is none, and nothing else is put in its place',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  test('every zone that the browser lists is one', () => {
    expect(Intl.supportedValuesOf('timeZone').filter((name) => !isTimeZone(name))).toEqual([]);
  });
});
