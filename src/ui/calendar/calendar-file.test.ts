/** What is exported to a calendar, judged by another reader of iCalendar that expands it. */
import ICAL from 'ical.js';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EpochMs, type Schedule, prepareTime, previewSchedule, problemsOf } from '../../domain/index.ts';
import { type CalendarEntry, SINGLE_MOST, calendarFile } from './calendar-file.ts';

const NOW: EpochMs = Date.UTC(2026, 1, 10, 12, 34);
beforeAll(() => prepareTime());

const ID = '6f1c0c1e-2b6d-4f0e-9d0a-5a1f3f0e7b11';

function entryOf(schedule: Schedule, more: Partial<CalendarEntry> = {}): CalendarEntry {
  expect(problemsOf(schedule)).toEqual([]);
  const next = previewSchedule(schedule, NOW, SINGLE_MOST, 'UTC').map(({ at }) => at);
  const texts = { name: 'Stand up', description: 'Now.' };
  return { id: ID, ...texts, revision: 3, schedule, runsLeft: Infinity, next, ...more };
}

function fileOf(
  schedule: Schedule,
  more: Partial<CalendarEntry> = {},
): { text: string; notes: readonly string[] } {
  const file = calendarFile(entryOf(schedule, more), NOW);
  if (file === null) throw new Error('there is no time to tell');
  return file;
}

const read = (text: string): ICAL.Component => new ICAL.Component(ICAL.parse(text) as unknown[]);

/** The first `count` instants that the file says, as the reader expands it with the zones that are in the file. */
function expanded(text: string, count: number): readonly EpochMs[] {
  const calendar = read(text);
  for (const zone of calendar.getAllSubcomponents('vtimezone')) {
    ICAL.TimezoneService.remove(String(zone.getFirstPropertyValue('tzid')));
    ICAL.TimezoneService.register(zone);
  }
  const instants = calendar.getAllSubcomponents('vevent').flatMap((component) => {
    const iterator = new ICAL.Event(component).iterator();
    const found: EpochMs[] = [];
    while (found.length < count) {
      const time = iterator.next() as ICAL.Time | null | undefined;
      if (time === null || time === undefined) break;
      found.push(time.toUnixTime() * 1_000);
    }
    return found;
  });
  return instants.sort((a, b) => a - b).slice(0, count);
}

const ZONES = ['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'UTC'];
const cron = (expression: string, timeZone = 'Europe/Berlin', more: object = {}): Schedule => ({
  kind: 'cron',
  expression,
  timeZone,
  ...more,
});

describe('a rule of the wall clock repeats in a calendar at the instants at which Rota runs it:', () => {
  test.each([
    '0 9 * * *',
    '30 18 * * mon-fri',
    '0 9,18 * * mon,thu',
    '15 10 1,15 * *',
    '0 9 31 * *',
    '0 9 L * *',
    '0 9 L-2 * *',
    '0 9 LW * *',
    '0 9 * * tue#2',
    '0 9 * * fri#L',
    '0 12 24 dec *',
    '0 8 */10 3-5 *',
    '0 9 13 * +fri',
    '30 0 8 * * 0,6',
    '@weekly',
  ])('%s', (expression) => {
    for (const zone of ZONES) {
      const schedule = cron(expression, zone);
      const { text, notes } = fileOf(schedule);
      expect(notes, zone).toEqual([]);
      expect(text.match(/^BEGIN:VEVENT/gm), zone).toHaveLength(1);
      // The file describes the zone for ten years.
      const wanted = previewSchedule(schedule, NOW, 40, zone)
        .map(({ at }) => at)
        .filter((at) => at < NOW + 9 * 366 * 86_400_000);
      expect(expanded(text, wanted.length), zone).toEqual(wanted);
    }
  });

  test.each([
    ['days', 3, '2026-01-05T09:00', {}],
    ['weeks', 2, '2026-01-05T09:00', {}],
    ['months', 1, '2026-01-31T09:00', {}],
    ['months', 1, '2026-01-31T09:00', { overflow: 'clamp' }],
    ['years', 1, '2024-02-29T09:00', {}],
    ['years', 1, '2024-02-29T09:00', { overflow: 'clamp' }],
    ['years', 2, '2025-07-01T09:00', {}],
  ] as const)('every so many %s, %i, from %s %j', (unit, every, first, more) => {
    for (const timeZone of ['Europe/Berlin', 'America/New_York']) {
      const schedule: Schedule = { kind: 'calendar', unit, every, first, timeZone, ...more };
      const wanted = previewSchedule(schedule, NOW, 5, timeZone).map(({ at }) => at);
      expect(expanded(fileOf(schedule).text, 5)).toEqual(wanted);
    }
  });
});

test.each([5_000, 90_000, 420_000, 5_400_000, 86_400_000, 172_800_000])(
  'every %i ms is told in UTC, where it drifts as Rota does',
  (everyMs) => {
    const schedule: Schedule = { kind: 'every', everyMs, anchor: 7_000 };
    const { text, notes } = fileOf(schedule);
    expect(notes).toEqual([]);
    expect(text).not.toContain('VTIMEZONE');
    const wanted = previewSchedule(schedule, NOW, 30, 'UTC').map(({ at }) => at);
    expect(expanded(text, 30)).toEqual(wanted);
  },
);

test('an end, a number of runs and excluded dates are kept', () => {
  const ended = cron('0 9 * * *', 'Europe/Berlin', {
    end: '2026-03-31',
    excluded: ['2026-02-14', '2026-03-29'],
  });
  const wanted = previewSchedule(ended, NOW, 100, 'UTC').map(({ at }) => at);
  expect(wanted).toHaveLength(47);
  expect(expanded(fileOf(ended).text, 100)).toEqual(wanted);
  const counted = fileOf(cron('0 9 * * *', 'Europe/Berlin', { maxRuns: 9 }), { runsLeft: 4 });
  expect(expanded(counted.text, 100)).toHaveLength(4);
});

test('once is one event, in UTC, under the same id', () => {
  const { text, notes } = fileOf({ kind: 'once', at: NOW + 90_000 });
  expect(notes).toEqual([]);
  expect(text).toContain(`UID:${ID}@rota\r\n`);
  expect(text).toContain('DTSTART:20260210T123530Z\r\n');
});

const thirtieth: Schedule = {
  kind: 'calendar',
  unit: 'months',
  every: 1,
  first: '2026-01-30T09:00',
  timeZone: 'Europe/Berlin',
  overflow: 'clamp',
};
const inHours: Schedule = {
  kind: 'every',
  everyMs: 3_600_000,
  anchor: 0,
  timeZone: 'Europe/Berlin',
  hours: { from: '09:00', until: '17:00' },
};

test.each([
  ['days of the month or weekdays, whichever fits', cron('0 9 13 * fri')],
  ['the weekday nearest to a day', cron('0 9 15W * *')],
  ['both passes of an hour that comes twice', cron('*/15 * * * *')],
  ['active hours', inHours],
  ['the 30th, or the last day of a shorter month', thirtieth],
])('what no calendar rule says becomes single events, and it is said: %s', (_, schedule) => {
  const { text, notes } = fileOf(schedule);
  expect(notes.join()).toMatch(/its next 50 times are single events; export it again later/);
  const wanted = previewSchedule(schedule, NOW, SINGLE_MOST, 'UTC').map(({ at }) => at);
  expect(expanded(text, 100)).toEqual(wanted);
  const ids = text.match(/^UID:.*$/gm) ?? [];
  expect(new Set(ids).size).toBe(SINGLE_MOST);
});

test('where the clocks jump over its time, that is said', () => {
  expect(fileOf(cron('30 2 * * *')).notes.join()).toContain('the clocks jump over one of its times');
  expect(fileOf(cron('30 2 * * *', 'UTC')).notes).toEqual([]);
});

test('a spread is left out, and that is said', () => {
  expect(fileOf(cron('0 9 * * *', 'UTC', { jitterMs: 60_000 })).notes).toEqual([
    'It is told without the time over which it is spread.',
  ]);
});

test('what has no time of its own has no file', () => {
  expect(calendarFile({ ...entryOf({ kind: 'manual' }), next: [] }, NOW)).toBeNull();
});

test('texts are escaped, long lines are folded at 75 octets in no character, and every line ends in CRLF', () => {
  const name = String.raw`Größe; a, b \ „c“ 🕰️`.repeat(8);
  const description = 'one\r\ntwo\u0007\nEND:VEVENT';
  const { text } = fileOf(cron('0 9 * * *'), { name, description });
  const encoder = new TextEncoder();
  const lines = text.split('\r\n');
  expect(lines.pop()).toBe('');
  for (const line of lines) {
    expect(line).not.toMatch(/\p{Cc}|\ufffd/u);
    expect(encoder.encode(line).length).toBeLessThanOrEqual(75);
  }
  const event = read(text).getFirstSubcomponent('vevent');
  expect(event?.getFirstPropertyValue('summary')).toBe(name);
  expect(event?.getFirstPropertyValue('description')).toBe('one\ntwo\nEND:VEVENT');
  expect(event?.getFirstSubcomponent('valarm')?.getFirstPropertyValue('action')).toBe('DISPLAY');
  expect(event?.getFirstPropertyValue('sequence')).toBe(3);
});
