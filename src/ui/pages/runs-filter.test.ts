import { expect, test } from 'vitest';
import type { AutomationId } from '../../domain/index.ts';
import { ALL_RUNS, RUNS_VIEWS, filterOf, isView, queryOf } from './runs-filter.ts';

const id = '0b0f3f4e-5a43-4bb0-9d4b-0f2f5f3b7a11' as AutomationId;
const read = (text: string) => filterOf(new URLSearchParams(text));

test.each([
  ['', { automationId: null, statuses: [] }],
  [`automation=${id}&status=failed`, { automationId: id, statuses: ['failed'] }],
  [
    'status=interrupted,failed,timed-out',
    { automationId: null, statuses: ['failed', 'timed-out', 'interrupted'] },
  ],
  ['automation=../../x&status=burnt,failed', { automationId: null, statuses: ['failed'] }],
  ['each=1&date=2026-03-03', { each: true, date: '2026-03-03' }],
  ['each=yes&date=2026-13-03', {}],
])('%j is read as %j', (text, filter) => {
  expect(read(text)).toEqual({ ...ALL_RUNS, ...filter });
});

test('each view is found again in the address that it writes', () => {
  for (const view of RUNS_VIEWS) {
    const query = new URLSearchParams(queryOf({ ...ALL_RUNS, automationId: id, statuses: view.statuses }));
    expect(RUNS_VIEWS.filter((one) => isView(filterOf(query), one))).toEqual([view]);
    expect(filterOf(query).automationId).toBe(id);
  }
});

test('a single status of a view is no view', () => {
  expect(RUNS_VIEWS.some((view) => isView(read('status=failed'), view))).toBe(false);
});
