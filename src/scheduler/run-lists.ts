/** The calls that list runs. Loaded with the first of them: no claim needs them. */
import {
  type DurationMs,
  type EpochMs,
  RUN_STATUSES,
  type RunId,
  type RunLine,
  type RunRow,
  daysIn,
  joinLines,
  lineOf,
  matcherOf,
  repeatOf,
} from '../domain/index.ts';
import type { FoundRun, Run, RunListCalls, RunListFilter } from '../rpc/index.ts';
import type { Ledger, RunQuery } from '../store/index.ts';
import { runView } from './views.ts';

const PAGE_DEFAULT = 50;
/** Most rows in one answer. */
const PAGE_MOST = 1_000;
/** An answer with so many lines is enough. */
const LINES_ENOUGH = 50;
/** Most rows that one answer in folded lines looks at. */
const LOOKED_MOST = 1_000;
/** Rows that are read at once: between two slices claims go on. */
const SLICE = 200;

/** How long one answer of a search takes, about; rows that it reads at once, and looks at, and finds, at most or about. */
const SEARCH_FOR_MS: DurationMs = 200;
const SEARCH_SLICE = 100;
const SEARCHED_MOST = 5_000;
const FOUND_ENOUGH = 100;

/** Builds the calls. */
export function runListCalls(ledger: Ledger, monotonic: () => DurationMs): RunListCalls {
  return {
    async listRuns({ limit = PAGE_DEFAULT, before, ...filter } = {}) {
      const most = Math.min(limit, PAGE_MOST);
      const rows = await ledger.listRuns({
        ...queryOf(filter),
        limit: most + 1,
        ...(before === undefined ? {} : { before }),
      });
      const items = rows.slice(0, most).map(listedRun);
      const last = items.at(-1);
      return { items, ...(rows.length > most && last !== undefined ? { next: last.id } : {}) };
    },

    async listRunLines({ before, after, fold, ...filter }) {
      const dayOf = fold?.zone === undefined ? undefined : daysIn(fold.zone);
      let lines: readonly RunLine<Run>[] = [];
      let at: RunId | undefined = before ?? after;
      for (let looked = 0; looked < LOOKED_MOST; looked += SLICE) {
        const place =
          at === undefined
            ? {}
            : before === undefined && after !== undefined
              ? { after: at }
              : { before: at };
        const rows = await ledger.listRuns({ ...queryOf(filter), limit: SLICE, ...place });
        const each = rows.map((row) => lineOf(listedRun(row)));
        const found = fold === undefined ? each : joinLines([], each, dayOf);
        const [newer, older] = 'after' in place ? [found, lines] : [lines, found];
        lines = fold === undefined ? [...newer, ...older] : joinLines(newer, older, dayOf);
        at = rows.at('after' in place ? 0 : -1)?.id;
        if (rows.length < SLICE) return { lines };
        if (lines.length >= LINES_ENOUGH) break;
      }
      return { lines, ...(at === undefined ? {} : { next: at }) };
    },
    async searchRuns({ text, before, ...filter }) {
      const match = matcherOf(text);
      const total = before === undefined ? { total: await totalOf(ledger, filter) } : {};
      if (match === null) return { items: [], looked: 0, ...total };
      const items: FoundRun[] = [];
      const until = monotonic() + SEARCH_FOR_MS;
      let at = before;
      let to: EpochMs | undefined;
      let looked = 0;
      do {
        const slice = await ledger.scanRuns(
          { ...queryOf(filter), limit: SEARCH_SLICE, ...(at === undefined ? {} : { before: at }) },
          (row, output): FoundRun | null => {
            const found = match(row, output?.output ?? null);
            return found === null ? null : { run: runView(row), match: found };
          },
        );
        items.push(...slice.found);
        looked += slice.looked;
        at = slice.last?.id ?? at;
        to = slice.last?.claimedAt ?? to;
        if (slice.looked < SEARCH_SLICE)
          return { items, looked, ...(to === undefined ? {} : { to }), ...total };
      } while (monotonic() < until && items.length < FOUND_ENOUGH && looked < SEARCHED_MOST);
      return {
        items,
        looked,
        ...(to === undefined ? {} : { to }),
        ...(at === undefined ? {} : { next: at }),
        ...total,
      };
    },
  };
}

/** How many rows there are at most; a filter that no index counts may let fewer through. */
async function totalOf(ledger: Ledger, { automationId, status }: RunListFilter): Promise<number> {
  if (automationId !== undefined) return await ledger.countRunsOf(automationId);
  const [counts = {}] = await ledger.countRuns([0, Infinity]);
  const wanted = status === undefined ? RUN_STATUSES : typeof status === 'string' ? [status] : status;
  return wanted.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
}

function queryOf({ automationId, status }: RunListFilter): Omit<RunQuery, 'limit'> {
  return {
    ...(automationId === undefined ? {} : { automationId }),
    ...(status === undefined ? {} : { statuses: typeof status === 'string' ? [status] : status }),
  };
}

function listedRun(row: RunRow): Run {
  const repeats = repeatOf(row);
  return { ...runView(row), ...(repeats === null ? {} : { repeats }) };
}
