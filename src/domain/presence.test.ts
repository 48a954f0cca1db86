import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  PRESENCE_GAP_MS,
  PRESENCE_KEPT_MS,
  PRESENCE_WRITE_MS,
  type Presence,
  absenceAt,
  attendanceAt,
  extendPresence,
  gapsBetween,
  isUsuallyAbsent,
} from './presence.ts';
import { MONDAY, hostId } from './samples.testing.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';

const [FIRST, SECOND] = [hostId(1), hostId(2)];

/** One host that is there from `from` to `until`, as its rounds write it down. */
function there(presence: Presence, from: number, until: number, host = FIRST): Presence {
  let result = presence;
  for (let now = from; now <= until; now += 30 * SECOND_MS) result = extendPresence(result, now, [host]);
  return extendPresence(result, until, [host]);
}

describe('the trace of hosts', () => {
  test('begins unknown, and one stretch of rounds is one span', () => {
    expect(there([], MONDAY, MONDAY + HOUR_MS)).toEqual([
      { from: MONDAY, until: MONDAY + HOUR_MS, before: 'unknown', hosts: [FIRST] },
    ]);
  });

  test('a gap after which the same host is there was sleep; after which only others are, the browser was closed', () => {
    const evening = there([], MONDAY, MONDAY + HOUR_MS);
    const slept = extendPresence(evening, MONDAY + 9 * HOUR_MS, [SECOND, FIRST]);
    expect(slept.at(-1)).toMatchObject({ from: MONDAY + 9 * HOUR_MS, before: 'asleep' });
    const restarted = extendPresence(evening, MONDAY + 9 * HOUR_MS, [SECOND]);
    expect(restarted.at(-1)).toMatchObject({ before: 'closed', hosts: [SECOND] });
  });

  test('a new host within a minute and a half of the last trace is no gap', () => {
    const first = there([], MONDAY, MONDAY + HOUR_MS);
    expect(extendPresence(first, MONDAY + HOUR_MS + PRESENCE_GAP_MS, [SECOND])).toHaveLength(1);
    expect(extendPresence(first, MONDAY + HOUR_MS + PRESENCE_GAP_MS + 1, [SECOND])).toHaveLength(2);
  });

  test('is not written again for what is nearly the same', () => {
    const first = extendPresence([], MONDAY, [FIRST]);
    expect(extendPresence(first, MONDAY + PRESENCE_WRITE_MS - 1, [FIRST])).toBe(first);
    expect(extendPresence(first, MONDAY + PRESENCE_WRITE_MS, [FIRST])).not.toBe(first);
    expect(extendPresence(first, MONDAY + 1, [FIRST, SECOND])).not.toBe(first);
  });

  test('a clock that went back takes back what it said of the future', () => {
    const ahead = there(there([], MONDAY, MONDAY + HOUR_MS), MONDAY + DAY_MS, MONDAY + DAY_MS + HOUR_MS);
    expect(extendPresence(ahead, MONDAY + 30 * MINUTE_MS, [FIRST])).toEqual([
      { from: MONDAY, until: MONDAY + 30 * MINUTE_MS, before: 'unknown', hosts: [FIRST] },
    ]);
  });

  test('forgets what is older than forty days', () => {
    const old = there([], MONDAY, MONDAY + HOUR_MS);
    const now = MONDAY + HOUR_MS + PRESENCE_KEPT_MS + 1;
    expect(extendPresence(old, now, [SECOND])).toEqual([
      { from: now, until: now, before: 'closed', hosts: [SECOND] },
    ]);
  });

  test('whatever the rounds and jumps, the spans are in order, apart, bounded, and the last one holds now', () => {
    const step = fc.record({
      by: fc.integer({ min: -2 * DAY_MS, max: 3 * DAY_MS }),
      hosts: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 30 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let presence: Presence = [];
        let now = MONDAY;
        for (const { by, hosts } of steps) {
          now += by;
          presence = extendPresence(presence, now, hosts.map(hostId));
          const last = presence.at(-1);
          expect(last !== undefined && last.from <= now && now - last.until < PRESENCE_WRITE_MS).toBe(true);
          for (const [index, span] of presence.entries()) {
            const previous = presence[index - 1];
            expect(span.from <= span.until).toBe(true);
            if (previous !== undefined) expect(span.from - previous.until).toBeGreaterThan(PRESENCE_GAP_MS);
            expect(span.hosts.length).toBeLessThanOrEqual(20);
            expect(span.before === 'unknown').toBe(index === 0 && span.before === 'unknown');
          }
        }
      }),
    );
  });
});

describe('what became of an instant that nothing ran at', () => {
  const morning = there(there([], MONDAY, MONDAY + HOUR_MS), MONDAY + 9 * HOUR_MS, MONDAY + 10 * HOUR_MS);
  const presence = there(morning, MONDAY + 20 * HOUR_MS, MONDAY + 21 * HOUR_MS, SECOND);
  const now = MONDAY + 21 * HOUR_MS;

  test.each([
    ['before anything is known', -1, 'unknown'],
    ['while a host was there and stayed', 0, 'present'],
    ['half a minute and more before it slept', HOUR_MS - 30 * SECOND_MS - 1, 'present'],
    ['as it fell asleep', HOUR_MS - 30 * SECOND_MS, 'asleep'],
    ['while it slept', 9 * HOUR_MS - 1, 'asleep'],
    ['when it was awake again', 9 * HOUR_MS, 'present'],
    ['as it was closed', 10 * HOUR_MS, 'closed'],
    ['while nobody was there', 15 * HOUR_MS, 'closed'],
  ])('%s', (_, after, what) => {
    expect(attendanceAt(presence, MONDAY + after, { since: MONDAY, now })).toBe(what);
  });

  test('is known in the stretch that goes on now once something has waited longer than a gap may be', () => {
    const at = now - MINUTE_MS;
    const what = (since: number): string => attendanceAt(presence, at, { since, now });
    expect(what(now - PRESENCE_GAP_MS)).toBe('unknown');
    expect(what(now - PRESENCE_GAP_MS - 1)).toBe('present');
    // Before this stretch it has waited for a host, and since then for no time at all.
    const woken = extendPresence(presence, now + 5 * HOUR_MS, [SECOND]);
    const after = { since: at, now: now + 5 * HOUR_MS };
    expect(attendanceAt(woken, after.now, after)).toBe('unknown');
    expect(attendanceAt(woken, after.now - 1, after)).toBe('asleep');
  });
});

describe('why nobody was there', () => {
  const day = there(there([], MONDAY, MONDAY + HOUR_MS), MONDAY + 9 * HOUR_MS, MONDAY + 10 * HOUR_MS, SECOND);
  const presence = there(day, MONDAY + 20 * HOUR_MS, MONDAY + 21 * HOUR_MS, SECOND);

  test.each([
    [-1, 'unknown'],
    [0, null],
    [HOUR_MS, null],
    [HOUR_MS + 1, 'closed'],
    [9 * HOUR_MS - 1, 'closed'],
    [9 * HOUR_MS, null],
    [15 * HOUR_MS, 'asleep'],
    [21 * HOUR_MS + 1, null],
  ])('%i ms after the start: %s', (after, why) => {
    expect(absenceAt(presence, MONDAY + after)).toBe(why);
  });

  test('the gaps of a stretch are cut to it', () => {
    expect(gapsBetween(presence, MONDAY + 2 * HOUR_MS, MONDAY + 12 * HOUR_MS)).toEqual([
      { from: MONDAY + 2 * HOUR_MS, until: MONDAY + 9 * HOUR_MS, why: 'closed' },
      { from: MONDAY + 10 * HOUR_MS, until: MONDAY + 12 * HOUR_MS, why: 'asleep' },
    ]);
    expect(gapsBetween(presence, MONDAY, MONDAY + HOUR_MS)).toEqual([]);
  });
});

describe('usually absent', () => {
  /** There on weekdays from 9 to 17 for `days` days. */
  function working(days: number): Presence {
    let presence: Presence = [];
    for (let day = 0; day < days; day += 1) {
      if (day % 7 > 4) continue;
      presence = there(
        presence,
        MONDAY + day * DAY_MS + 9 * HOUR_MS,
        MONDAY + day * DAY_MS + 17 * HOUR_MS,
        hostId(day),
      );
    }
    return presence;
  }

  test('is said of the hours and weekdays at which nobody was there', () => {
    const now = MONDAY + 28 * DAY_MS + 12 * HOUR_MS;
    const presence = there(working(28), MONDAY + 28 * DAY_MS + 9 * HOUR_MS, now, hostId(99));
    const at = (day: number, hour: number): boolean =>
      isUsuallyAbsent(presence, MONDAY + day * DAY_MS + hour * HOUR_MS, now);
    expect([at(29, 10), at(30, 16), at(100 * 7, 12)]).toEqual([false, false, false]);
    expect([at(29, 3), at(29, 20), at(33, 10), at(34, 12), at(100 * 7 + 5, 12)]).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
  });

  test('is not said before enough is known', () => {
    expect(isUsuallyAbsent([], MONDAY, MONDAY)).toBe(false);
    const now = MONDAY + DAY_MS + 12 * HOUR_MS;
    expect(isUsuallyAbsent(working(1), MONDAY + 2 * DAY_MS + 3 * HOUR_MS, now)).toBe(false);
    const later = MONDAY + 4 * DAY_MS + 12 * HOUR_MS;
    const known = there(working(4), MONDAY + 4 * DAY_MS + 9 * HOUR_MS, later, hostId(99));
    expect(isUsuallyAbsent(known, MONDAY + 5 * DAY_MS + 3 * HOUR_MS, later)).toBe(true);
  });
});
