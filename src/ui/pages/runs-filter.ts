/** Which runs the list shows, as it stands in the address. */
import { type AutomationId, RUN_STATUSES, type RunStatus, isUuid } from '../../domain/index.ts';

/** A filter of the list of runs. No statuses are all statuses. */
export interface RunsFilter {
  readonly automationId: AutomationId | null;
  readonly statuses: readonly RunStatus[];
}

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
  };
}

/** `filter` as the query of an address. */
export function queryOf({ automationId, statuses }: RunsFilter): Readonly<Record<string, string>> {
  return {
    ...(automationId === null ? {} : { automation: automationId }),
    ...(statuses.length === 0 ? {} : { status: statuses.join(',') }),
  };
}

/** Whether `view` is what `filter` shows. */
export function isView({ statuses }: RunsFilter, view: RunsView): boolean {
  return (
    statuses.length === view.statuses.length && view.statuses.every((status) => statuses.includes(status))
  );
}
