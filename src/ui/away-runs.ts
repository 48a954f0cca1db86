/**
 * The runs of a stretch of time, read once and then only where they can have changed: what begins after the stretch is
 * none of its runs, and a row that has ended for good never changes. So a hint costs nothing once the stretch is over and
 * nothing of it is open, however much runs since.
 */
import type { DurationMs, EpochMs, RunId } from '../domain/index.ts';
import type { HostApi, Run } from '../rpc/index.ts';

/** Rows of one page, and most rows that are ever looked through for one stretch: the newest. */
const PAGE = 200;
const LOOKED_THROUGH_MOST = 3_000;
/** Rows are listed by their ids, which hosts make a moment before they claim: neighbours may be the other way round. */
const DISORDER_MS: DurationMs = 10_000;

/** What is known of one stretch. */
interface Known {
  readonly since: EpochMs;
  readonly until: EpochMs;
  readonly rows: readonly Run[];
  /** When the rows were read last; `null` before the first reading. */
  readonly readAt: EpochMs | null;
  /** A row that began after the stretch: listing goes on before it. */
  readonly anchor: RunId | null;
}

/** Reads the runs of one stretch after another. The same rows are the same array. */
export class AwayRuns {
  readonly #list: HostApi['listRuns'];
  #known: Known = { since: 0, until: 0, rows: [], readAt: null, anchor: null };

  constructor(list: HostApi['listRuns']) {
    this.#list = list;
  }

  /** Those that began from `since` to `until`, as they are at `now`. Rejects as `listRuns` does. */
  async read(since: EpochMs, until: EpochMs, now: EpochMs): Promise<readonly Run[]> {
    const isOther = this.#known.since !== since || this.#known.until !== until;
    const known: Known = isOther ? { since, until, rows: [], readAt: null, anchor: null } : this.#known;
    const floor = floorOf(known);
    if (floor === null) return known.rows;
    const { rows, anchor } = await this.#listFrom(floor, known);
    const kept = known.rows.filter(({ claimedAt }) => claimedAt < floor);
    this.#known = { ...known, rows: [...rows, ...kept], readAt: now, anchor };
    return this.#known.rows;
  }

  /** The rows of the stretch from `floor` on, newest first, and the row to begin before the next time. */
  async #listFrom(floor: EpochMs, { until, anchor: before }: Known): Promise<Pick<Known, 'rows' | 'anchor'>> {
    const rows: Run[] = [];
    let anchor = before;
    let from = before;
    for (let seen = 0; seen < LOOKED_THROUGH_MOST; seen += PAGE) {
      const page = await this.#list({ limit: PAGE, ...(from === null ? {} : { before: from }) });
      for (const run of page.items) {
        if (run.claimedAt > until + DISORDER_MS) anchor = run.id;
        else if (run.claimedAt >= floor && run.claimedAt <= until) rows.push(run);
      }
      const last = page.items.at(-1);
      if (page.next === undefined || last === undefined || last.claimedAt < floor - DISORDER_MS) break;
      from = page.next;
    }
    return { rows, anchor };
  }
}

/** From where on rows can be new or other than they were; `null` when none can. */
function floorOf({ since, until, rows, readAt }: Known): EpochMs | null {
  if (readAt === null) return since;
  const open = rows.filter(isOpen).map(({ claimedAt }) => claimedAt);
  if (readAt > until + DISORDER_MS && open.length === 0) return null;
  return Math.max(since, Math.min(readAt - DISORDER_MS, ...open));
}

/** Whether it runs, or waits for an answer of a person. */
function isOpen({ status, mayHaveHappened, asks, answer }: Run): boolean {
  if (status === 'running') return true;
  return status === 'interrupted' && (mayHaveHappened ?? asks) === true && answer === undefined;
}
