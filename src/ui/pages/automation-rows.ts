import type { AutomationId } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';

/** Rows that are kept beyond those in view, so that scrolling back a little shows them at once. */
const KEPT_MOST = 400;

/** A row as it was read, and its text, by which a change is told. */
interface Kept {
  readonly automation: AutomationView;
  readonly text: string;
  /** The news before which it was asked for, see {@link KeptRows.refresh}. */
  readonly news: number;
}

/** What became of {@link KeptRows.fill}: nothing was missing, all has come, or the host does not have some of it. */
export type Filled = 'whole' | 'filled' | 'lacking';

/**
 * The rows of a long list that a tab has read. A row that did not change stays the very object that it was: every row
 * crosses from the worker anew, and only those that differ are to be rendered again. One that is gone keeps what it was,
 * for as long as the list shows it.
 */
export class KeptRows {
  readonly #ask: (ids: readonly AutomationId[]) => Promise<{ readonly items: readonly AutomationView[] }>;
  readonly #rows = new Map<AutomationId, Kept>();
  readonly #asked = new Map<AutomationId, Promise<void>>();
  /** Those that the host did not have when it was asked. They are asked for again with the next news of the list. */
  readonly #absent = new Set<AutomationId>();
  /** How often anything may have changed. */
  #news = 0;

  constructor(ask: (ids: readonly AutomationId[]) => Promise<{ readonly items: readonly AutomationView[] }>) {
    this.#ask = ask;
  }

  /** The row, or `null` while it is not read. */
  get(id: AutomationId): AutomationView | null {
    return this.#rows.get(id)?.automation ?? null;
  }

  /**
   * Anything may have changed: reads these anew, and of all others what is kept is read anew as {@link fill} asks for it.
   * Rejects when the host does.
   */
  async refresh(ids: readonly AutomationId[]): Promise<void> {
    this.#news += 1;
    this.#absent.clear();
    await this.#begin(ids);
  }

  /** Reads those of `ids` that are missing or old, and waits for those that are on their way. Rejects when the host does. */
  async fill(ids: readonly AutomationId[]): Promise<Filled> {
    for (const id of ids) this.#hold(id);
    const missing = ids.filter((id) => !this.#isFresh(id) && !this.#asked.has(id) && !this.#absent.has(id));
    if (missing.length > 0) void this.#begin(missing);
    const readings = new Set(ids.flatMap((id) => this.#asked.get(id) ?? []));
    if (readings.size === 0) return 'whole';
    await Promise.all(readings);
    return missing.some((id) => this.#absent.has(id)) ? 'lacking' : 'filled';
  }

  #begin(ids: readonly AutomationId[]): Promise<void> {
    const reading = this.#read(ids);
    for (const id of ids) this.#asked.set(id, reading);
    const over = (): void => {
      for (const id of ids) if (this.#asked.get(id) === reading) this.#asked.delete(id);
    };
    reading.then(over, over);
    return reading;
  }

  async #read(ids: readonly AutomationId[]): Promise<void> {
    if (ids.length === 0) return;
    const news = this.#news;
    const { items } = await this.#ask(ids);
    const absent = new Set(ids);
    for (const automation of items) {
      const { id } = automation;
      absent.delete(id);
      this.#absent.delete(id);
      const before = this.#rows.get(id);
      // Answers can overtake each other.
      if (before !== undefined && before.news > news) continue;
      const text = JSON.stringify(automation);
      const kept = before?.text === text ? before.automation : automation;
      this.#rows.delete(id);
      this.#rows.set(id, { automation: kept, text, news });
    }
    for (const id of absent) this.#absent.add(id);
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= KEPT_MOST) break;
      if (!ids.includes(id)) this.#rows.delete(id);
    }
  }

  #isFresh(id: AutomationId): boolean {
    return this.#rows.get(id)?.news === this.#news;
  }

  /** Puts it last, so that those that nobody looks at go first. */
  #hold(id: AutomationId): void {
    const kept = this.#rows.get(id);
    if (kept === undefined) return;
    this.#rows.delete(id);
    this.#rows.set(id, kept);
  }
}
