import { FIRST_OF_MONTH } from './editor-month.ts';
import { describe, expect, test } from 'vitest';
import { type FieldId, fieldOf, place, problemAt } from './editor-fields.ts';
import { type EditorForm, emptyForm } from './editor-form.ts';

const empty = emptyForm({ now: 0, zone: 'UTC' });

describe('a problem is shown at the field that can mend it:', () => {
  test.each<[string, Partial<EditorForm>, FieldId | null]>([
    ['name', {}, 'name'],
    ['automation.name', {}, 'name'],
    ['tags[2]', {}, 'tags'],
    ['action.url', {}, 'url'],
    ['action.expect.status[1]', {}, 'status'],
    [
      'action.headers["x key"]',
      {
        headers: [
          { name: 'a', value: '' },
          { name: 'x key', value: '' },
        ],
      },
      'headers.1',
    ],
    ['action.headers.accept', { headers: [{ name: ' accept ', value: '' }] }, 'headers.0'],
    ['action.headers', {}, 'headers'],
    ['action.body', { method: 'POST' }, 'body'],
    ['action.body', { method: 'GET' }, null],
    ['action.url', { actionKind: 'remind' }, null],
    ['action.message', { actionKind: 'remind' }, 'message'],
    ['schedule.at', { scheduleKind: 'once' }, 'once'],
    ['schedule', { scheduleKind: 'cron' }, 'expression'],
    ['schedule.expression', { scheduleKind: 'cron' }, 'expression'],
    ['schedule.expression', { scheduleKind: 'days' }, 'days'],
    ['schedule.timeZone', { scheduleKind: 'days' }, 'zone'],
    ['schedule.everyMs', { scheduleKind: 'every' }, 'every'],
    ['schedule.anchor', { scheduleKind: 'every' }, 'anchor'],
    ['rules.missed.limit', { missed: 'all' }, 'missedLimit'],
    ['rules.missed.limit', { missed: 'once' }, null],
    ['rules.retry.maxDelayMs', { retry: 'own' }, 'retryMaxDelay'],
    ['rules.retry.maxDelayMs', { retry: 'default' }, null],
    ['rules.jitter', {}, null],
    ['schedule.expression', { scheduleKind: 'days', days: { days: [1], time: '' } }, 'time'],
    ['schedule.expression', { scheduleKind: 'days', days: { days: [], time: '' } }, 'days'],
    [
      'schedule.expression',
      { scheduleKind: 'month', month: { ...FIRST_OF_MONTH, date: '32', time: '' } },
      'month',
    ],
    ['schedule.expression', { scheduleKind: 'month', month: { ...FIRST_OF_MONTH, time: '' } }, 'time'],
    ['schedule.expression', { scheduleKind: 'month', month: { ...FIRST_OF_MONTH, on: 'last-day' } }, 'time'],
    ['schedule.hours.until', { scheduleKind: 'every', isActiveOnly: true }, 'activeUntil'],
    ['', {}, null],
  ])('%s with %j is at %s', (path, change, field) => {
    expect(fieldOf(path, { ...empty, ...change })).toBe(field);
  });
});

test('problems come in the order of the form, those without a field last', () => {
  const placed = place(
    ['rules.timeoutMs', 'rules.jitter', 'schedule.expression', 'name'].map((path) => ({
      path,
      message: path,
    })),
    empty,
  );
  expect(placed.map(({ field }) => field)).toEqual(['name', 'days', 'timeout', null]);
  expect(problemAt(placed, 'days')).toBe('schedule.expression');
  expect(problemAt(placed, 'url')).toBeNull();
});
