import { expect, test } from 'vitest';
import { emptyForm, readSchedule } from './editor-form.ts';
import { fillIn } from './editor-when-words.ts';

const context = { now: Date.parse('2026-11-29T14:52:10Z'), zone: 'Europe/Paris' };

test.each([
  [
    'every other week on monday at 8',
    { kind: 'calendar', every: 2, unit: 'weeks', first: '2026-11-30T08:00', timeZone: 'Asia/Tokyo' },
    'Filled in: Every 2 weeks from Mon 30 Nov at 08:00.',
  ],
  [
    'every 3 months on the 31st, Europe/Paris',
    { kind: 'calendar', every: 3, unit: 'months', first: '2026-12-31T09:00', timeZone: 'Europe/Paris' },
    'Filled in: Every 3 months from Thu 31 Dec at 09:00, in months that have that day. You gave no time, so 09:00 is there.',
  ],
  [
    'every year on march 3 at noon',
    { kind: 'cron', expression: '0 12 3 3 *', timeZone: 'Asia/Tokyo' },
    'Filled in: On the 3rd of March at 12:00.',
  ],
])('%s fills the form with that schedule, in the zone of the form', async (text, schedule, said) => {
  const form = { ...emptyForm(context), zone: 'Asia/Tokyo' };
  const read = await fillIn(text, form.zone, context, 'en-GB');
  if (read.kind !== 'filled') throw new Error(read.message);
  expect(read.said).toBe(said);
  expect(readSchedule({ ...form, ...read.change }, context)).toEqual({ kind: 'ok', value: schedule });
});

test.each([
  ['every 2 weeks in Mars/Phobos', 'no time zone “Mars/Phobos”'],
  ['every year from 30 February', 'no such date'],
])('%s fills in nothing and says why', async (text, why) => {
  expect(await fillIn(text, 'UTC', context, 'en-GB')).toMatchObject({
    kind: 'unread',
    message: expect.stringContaining(why) as unknown,
  });
});
