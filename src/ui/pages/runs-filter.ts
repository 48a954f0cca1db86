/** Which runs the list shows, as it stands in the address. */
import { type AutomationId, RUN_STATUSES, type RunStatus, isUuid } from '../../domain/index.ts';
import type { RunListFilter } from '../../rpc/index.ts';

/** A filter of the list of runs. No statuses are all statuses. */
export interface RunsFilter {
  readonly automationId: AutomationId | null;
  readonly statuses: readonly RunStatus[];
  /** Each run is a line of its own: nothing is folded. */
  readonly each: boolean;
  /** The date that the list begins at, as `2026-03-03`; `null`: now. */
  readonly date: string | null;
  /** What is looked for; empty: nothing. */
  readonly text: string;
}

/** All runs, the newest first, folded. */
export const ALL_RUNS: RunsFilter = { automationId: null, statuses: [], each: false, date: null, text: '' };

/** A view that has a name. */
export interface RunsView {
  readonly label: string;
  readonly statuses: readonly RunStatus[];
}

/** The views, each of which can be told apart by what a person would do about it. */
export const RUNS_VIEWS: readonly RunsView[] = [
  { label: 'All', statuses: [] },
  { label: 'Running', statuses: ['running'] },
  { label: 'Succeeded', statuses: ['succeeded'] },
  { label: 'Went wrong', statuses: ['failed', 'timed-out', 'interrupted'] },
  { label: 'Did not run', statuses: ['missed', 'skipped'] },
  { label: 'Cancelled', statuses: ['cancelled'] },
];

/** The filter in `query`; what is not understood in it is left out. */
export function filterOf(query: URLSearchParams): RunsFilter {
  const automation = query.get('automation');
  const wanted = (query.get('status') ?? '').split(',');
  return {
    automationId: automation !== null && isUuid(automation) ? (automation as AutomationId) : null,
    statuses: RUN_STATUSES.filter((status) => wanted.includes(status)),
    each: query.get('each') === '1',
    date: isDate(query.get('date')),
    text: query.get('q') ?? '',
  };
}

function isDate(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}

/** `filter` as the query of an address. */
export function queryOf({
  automationId,
  statuses,
  each,
  date,
  text,
}: RunsFilter): Readonly<Record<string, string>> {
  return {
    ...(automationId === null ? {} : { automation: automationId }),
    ...(statuses.length === 0 ? {} : { status: statuses.join(',') }),
    ...(each ? { each: '1' } : {}),
    ...(date === null ? {} : { date }),
    ...(text === '' ? {} : { q: text }),
  };
}

/** Whether `view` is what `filter` shows. */
export function isView({ statuses }: RunsFilter, view: RunsView): boolean {
  return (
    statuses.length === view.statuses.length && view.statuses.every((status) => statuses.includes(status))
  );
}

/** Names what `filter` shows: two filters with one key show the same list. */
export function keyOf(filter: RunsFilter): string {
  return new URLSearchParams(queryOf(filter)).toString();
}

/** `filter` as the host is asked. */
export function listFilterOf({ automationId, statuses }: RunsFilter): RunListFilter {
  return {
    ...(automationId === null ? {} : { automationId }),
    ...(statuses.length === 0 ? {} : { status: statuses }),
  };
}
