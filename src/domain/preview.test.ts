import { beforeAll, describe, expect, test } from 'vitest';
import { previewSchedule } from './preview.ts';
import { type Schedule } from './schedule.ts';
import vectors from './schedule.vectors.json' with { type: 'json' };
import { prepareTime } from './temporal.ts';
import { MINUTE_MS } from './time.ts';

beforeAll(() => prepareTime({ polyfill: 'always' }));

const instant = (text: string): number => Date.parse(text);
const cron = (expression: string, timeZone: string): Schedule => ({ kind: 'cron', expression, timeZone });

/** What a person reads: the wall clock and, where there is one, the remark. */
function lines(schedule: Schedule, from: string, count: number, timeZone = 'UTC'): string[] {
  return previewSchedule(schedule, instant(from), count, timeZone).map(
    ({ local, remark }) => local.slice(0, 16).replace('T', ' ') + (remark === undefined ? '' : `: ${remark}`),
  );
}

describe('a preview', () => {
  test('shows the wall clock of the zone with its offset, for every vector', () => {
    for (const { expr, tz, from, n, expectLocal } of vectors.cron) {
      if (expectLocal.length === 0) continue;
      const shown = previewSchedule(cron(expr, tz), instant(from), n, 'UTC').map(({ local }) => local);
      expect(shown).toEqual(expectLocal.map((local) => `${local.replace('Z', '+00:00')}[${tz}]`));
    }
  });

  test('names the zone as it was typed', () => {
    const [first] = previewSchedule(
      cron('0 9 * * *', 'asia/calcutta'),
      instant('2026-01-01T00:00:00Z'),
      1,
      'UTC',
    );
    expect(first).toEqual({
      at: instant('2026-01-01T03:30:00Z'),
      local: '2026-01-01T09:00:00+05:30[asia/calcutta]',
    });
  });

  test('shows a schedule without a zone in the one that it is asked for', () => {
    expect(
      previewSchedule({ kind: 'once', at: instant('2026-06-01T12:00:00.250Z') }, 0, 10, 'Asia/Tokyo'),
    ).toEqual([
      { at: instant('2026-06-01T12:00:00.250Z'), local: '2026-06-01T21:00:00.25+09:00[Asia/Tokyo]' },
    ]);
  });

  test('is empty for what runs by hand and for what is over, and as long as wanted for the rest', () => {
    expect(previewSchedule({ kind: 'manual' }, 0, 10, 'UTC')).toEqual([]);
    expect(previewSchedule({ kind: 'once', at: 5 }, 5, 10, 'UTC')).toEqual([]);
    expect(previewSchedule(cron('* * * * *', 'UTC'), 0, 10, 'UTC')).toHaveLength(10);
    expect(previewSchedule(cron('* * * * *', 'UTC'), 0, 0, 'UTC')).toEqual([]);
    expect(previewSchedule(cron('0 0 0 1 1 * 2026-2028', 'UTC'), 0, 10, 'UTC')).toHaveLength(3);
  });
});

describe('the remark of a fixed time', () => {
  test('says that it moved out of a gap, and from where', () => {
    expect(lines(cron('30 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', 2)).toEqual([
      '2026-03-29 03:00: moved from 02:30, clocks go forward',
      '2026-03-30 02:30',
    ]);
  });

  test.each([
    ['0,30 2 * * *', 'moved from 02:00 and 02:30, clocks go forward'],
    ['0,20,40 2 * * *', 'moved from 02:00, 02:20 and 02:40, clocks go forward'],
    ['0-59 2 * * *', 'moved from 02:00, 02:01 and others, clocks go forward'],
    ['15 30 2 * * *', 'moved from 02:30:15, clocks go forward'],
    ['0 2,3 * * *', 'moved from 02:00, clocks go forward'],
  ])('names the times of %s that became one', (expression, remark) => {
    expect(lines(cron(expression, 'Europe/Berlin'), '2026-03-28T12:00:00Z', 1)).toEqual([
      `2026-03-29 03:00: ${remark}`,
    ]);
  });

  test('is not made of a time that ends a gap by itself', () => {
    expect(lines(cron('0 3 * * *', 'Europe/Berlin'), '2026-03-28T12:00:00Z', 1)).toEqual([
      '2026-03-29 03:00',
    ]);
  });

  test('says so when the gap moved it to the next day', () => {
    expect(lines(cron('30 23 * * *', 'America/Nuuk'), '2025-03-29T12:00:00Z', 1)).toEqual([
      '2025-03-30 00:00: moved from 23:30 the day before, clocks go forward',
    ]);
  });

  test('says that it is the first of two, and the second is not there', () => {
    expect(lines(cron('30 1 * * *', 'America/New_York'), '2026-10-31T12:00:00Z', 2)).toEqual([
      '2026-11-01 01:30: clocks go back, first 01:30',
      '2026-11-02 01:30',
    ]);
  });

  test('says that the calendar left a day out', () => {
    expect(lines(cron('0 12 * * *', 'Pacific/Apia'), '2011-12-29T12:00:00Z', 2)).toEqual([
      '2011-12-29 12:00',
      '2011-12-31 12:00: 12:00 the day before left out, the calendar skips that day',
    ]);
  });
});

describe('the remark of a repeating time', () => {
  test('tells the two passes of an overlap apart', () => {
    expect(lines(cron('*/30 1 * * *', 'America/New_York'), '2026-11-01T04:00:00Z', 5)).toEqual([
      '2026-11-01 01:00: clocks go back, first 01:00',
      '2026-11-01 01:30: clocks go back, first 01:30',
      '2026-11-01 01:00: clocks go back, second 01:00',
      '2026-11-01 01:30: clocks go back, second 01:30',
      '2026-11-02 01:00',
    ]);
    const every: Schedule = { kind: 'every', everyMs: 60 * MINUTE_MS, anchor: 0 };
    expect(lines(every, '2026-11-01T04:00:00Z', 3, 'America/New_York')).toEqual([
      '2026-11-01 01:00: clocks go back, first 01:00',
      '2026-11-01 01:00: clocks go back, second 01:00',
      '2026-11-01 02:00',
    ]);
  });

  test('says on the next one what a gap left out', () => {
    expect(lines(cron('30 * * * *', 'America/New_York'), '2026-03-08T06:00:00Z', 3)).toEqual([
      '2026-03-08 01:30',
      '2026-03-08 03:30: 02:30 left out, clocks go forward',
      '2026-03-08 04:30',
    ]);
    expect(lines(cron('*/30 2 * * *', 'America/New_York'), '2026-03-08T06:00:00Z', 2)).toEqual([
      '2026-03-09 02:00: 02:00 and 02:30 the day before left out, clocks go forward',
      '2026-03-09 02:30',
    ]);
    expect(lines(cron('*/30 2 * * SUN', 'America/New_York'), '2026-03-08T06:00:00Z', 1)).toEqual([
      '2026-03-15 02:00: 02:00 and 02:30 on 2026-03-08 left out, clocks go forward',
    ]);
  });
});
