import { afterEach, beforeEach, expect, test } from 'vitest';
import { env } from 'node:process';
import type { AutomationId, RunId } from '../../domain/index.ts';
import type { Timeline } from '../../rpc/index.ts';
import {
  countsTally,
  dayAt,
  dayLook,
  dayOf,
  gapsText,
  hoursOf,
  lanesTally,
  markText,
  percentile,
} from './timeline.ts';

const HOUR = 3_600_000;
const zone = env['TZ'];

beforeEach(() => {
  env['TZ'] = 'Europe/Paris';
});

afterEach(() => {
  if (zone === undefined) delete env['TZ'];
  else env['TZ'] = zone;
});

test('a day lasts from midnight to midnight by the wall clock, whatever the clocks do in it', () => {
  for (const [date, hours] of [
    ['2026-03-28', 24],
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ] as const) {
    const day = dayOf(date);
    expect(day?.date).toBe(date);
    expect(((day?.until ?? 0) - (day?.from ?? 0)) / HOUR).toBe(hours);
  }
});

test('days follow each other without a gap over a year with both changes of the clocks', () => {
  let day = dayAt(Date.UTC(2026, 0, 1, 12));
  for (let n = 0; n < 366; n++) {
    const next = dayAt(day.from, 1);
    expect(next.from).toBe(day.until);
    expect(dayAt(next.from, -1)).toEqual(day);
    day = next;
  }
  expect(day.date).toBe('2027-01-02');
});

test('a day without its midnight begins at its first instant', () => {
  env['TZ'] = 'America/Santiago';
  const day = dayOf('2026-09-06');
  expect(new Date(day?.from ?? 0).toISOString()).toBe('2026-09-06T04:00:00.000Z');
  expect(day?.date).toBe('2026-09-06');
});

test('what names no day is none', () => {
  for (const text of ['', '2026-02-30', '2026-13-01', '26-1-1', 'today', '1969-12-31', '2200-01-01']) {
    expect(dayOf(text), text).toBeNull();
  }
});

test('hours stand where the wall clock has them, and one that the clocks leave out has no place', () => {
  const spring = dayOf('2026-03-29');
  if (spring === null) throw new Error('there is no such day');
  const places = hoursOf(spring).map(({ label, at }) => [label, Math.round(at * 23)]);
  expect(places).toEqual([
    ['00', 0],
    ['03', 2],
    ['06', 5],
    ['09', 8],
    ['12', 11],
    ['15', 14],
    ['18', 17],
    ['21', 20],
  ]);
});

const lane = (more: Partial<Timeline['lanes'][number]> = {}): Timeline['lanes'][number] => ({
  automationId: 'a' as AutomationId,
  automationName: 'A',
  isGone: false,
  marks: [],
  next: [],
  nextIsCut: false,
  ...more,
});
const mark = { from: 0, until: 0, count: 1, runId: 'r' as RunId };

test('lanes are told in one tally, what is to come last', () => {
  expect(lanesTally([])).toBe('');
  expect(
    lanesTally([
      lane({ marks: [{ ...mark, status: 'succeeded', count: 1_200 }], next: [1, 2] }),
      lane({
        marks: [
          { ...mark, status: 'failed' },
          { ...mark, status: 'missed', count: 7, reason: 'closed' },
          { ...mark, status: 'failed', reason: 'limit' },
          { ...mark, status: 'interrupted', mayHaveHappened: true },
        ],
      }),
    ]),
  ).toBe('1,200 ok, 1 failed, 1 stopped at a limit, 1 may have happened, 7 missed, 2 to come');
  expect(lanesTally([lane({ next: [1], nextIsCut: true })])).toBe('more than 1 to come');
});

test('when nobody was there is said by its reason, at midnight by that word, and counted when it was often', () => {
  const day = dayOf('2026-11-30');
  if (day === null) throw new Error('there is no such day');
  const at = (hour: number): number => day.from + hour * HOUR;
  const text = (gaps: Timeline['gaps']): string => gapsText({ ...day, gaps });
  expect(text([])).toBe('');
  expect(text([{ from: at(0.5), until: at(7), why: 'closed' }])).toBe('browser closed 00:30 to 07:00');
  expect(
    text([
      { from: at(1), until: at(2), why: 'closed' },
      { from: at(3), until: at(4), why: 'asleep' },
      { from: at(22), until: at(24), why: 'closed' },
    ]),
  ).toBe('browser closed 01:00 to 02:00 and 22:00 to midnight; machine asleep 03:00 to 04:00');
  expect(text([{ from: day.from, until: day.until, why: 'closed' }])).toBe('browser closed all day');
  expect(
    text([1, 3, 5, 7].map((hour) => ({ from: at(hour), until: at(hour + 1), why: 'asleep' as const }))),
  ).toBe('machine asleep 4 times');
});

test('a day of the year looks as its worst', () => {
  expect(dayLook({})).toBe('none');
  expect(dayLook({ skipped: 3 })).toBe('low');
  expect(dayLook({ succeeded: 1, skipped: 3 })).toBe('ok');
  expect(dayLook({ succeeded: 900, missed: 1 })).toBe('missed');
  expect(dayLook({ succeeded: 900, missed: 1, 'timed-out': 1 })).toBe('bad');
  expect(countsTally({ missed: 2, succeeded: 1_000 })).toBe('1,000 ok, 2 missed');
});

test('a mark says how many of what, and from when to when', () => {
  const from = dayOf('2026-11-30')?.from ?? 0;
  expect(markText({ ...mark, from, until: from + 900, status: 'succeeded' })).toBe('1 ok, 00:00');
  expect(markText({ ...mark, from, until: from + 4 * 60_000, count: 3, status: 'failed' })).toBe(
    '3 failed, 00:00 to 00:04',
  );
});

test('percentiles are values that were measured', () => {
  expect(percentile([5], 0.5)).toBe(5);
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.95)).toBe(4);
  expect(percentile([4, 1, 3, 2], 1)).toBe(4);
});
