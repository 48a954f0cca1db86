import type { AutomationId } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';

/** Rows that are kept beyond those in view, so that scrolling back a little asks nothing. */
const KEPT_MOST = 400;

/** A row as it was read, and its text, by which a change is told. */
interface Kept {
  readonly automation: AutomationView;
  readonly text: string;
}

/**
 * The rows of a long list that a tab has read. A row that did not change stays the very object that it was: every row
 * crosses from the worker anew, and only those that differ are to be rendered again. One that is gone keeps what it was,
 * for as long as the list shows it.
 */
export class KeptRows {
  readonly #ask: (ids: readonly AutomationId[]) => Promise<{ readonly items: readonly AutomationView[] }>;
  #rows = new Map<AutomationId, Kept>();
  readonly #asked = new Set<AutomationId>();

  constructor(ask: (ids: readonly AutomationId[]) => Promise<{ readonly items: readonly AutomationView[] }>) {
    this.#ask = ask;
  }

  /** The row, or `null` while it is not read. */
  get(id: AutomationId): AutomationView | null {
    return this.#rows.get(id)?.automation ?? null;
  }

  /** Reads these anew. Rejects when the host does. */
  async read(ids: readonly AutomationId[]): Promise<void> {
    if (ids.length === 0) return;
    const { items } = await this.#ask(ids);
    for (const automation of items) {
      const text = JSON.stringify(automation);
      const before = this.#rows.get(automation.id);
      // The newest last, so that the oldest go first.
      this.#rows.delete(automation.id);
      this.#rows.set(automation.id, before?.text === text ? before : { automation, text });
    }
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= KEPT_MOST) break;
      if (!ids.includes(id)) this.#rows.delete(id);
    }
  }

  /** Reads those of `ids` that are not there and not on their way; says whether any was. */
  async fill(ids: readonly AutomationId[]): Promise<boolean> {
    const missing = ids.filter((id) => !this.#rows.has(id) && !this.#asked.has(id));
    if (missing.length === 0) return false;
    for (const id of missing) this.#asked.add(id);
    try {
      await this.read(missing);
      return true;
    } finally {
      for (const id of missing) this.#asked.delete(id);
    }
  }
}
