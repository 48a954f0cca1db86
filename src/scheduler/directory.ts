/**
 * Which automations there are, in the order of the list, in the memory of a host that was asked for a list. To read and
 * check ten thousand rows takes a second, and every tab asks again after every run; so they are read once, in slices
 * between which the host does its work, and after that only those that were written are read again.
 *
 * What this host writes is known at once. What other hosts write is known by their hints, which can be on their way: who
 * must know exactly, with other hosts alive, has all read anew.
 */
import { type Action, type AutomationId, actionsOf } from '../domain/index.ts';
import type { AutomationListView } from '../rpc/index.ts';
import type { Ledger, StoredAutomation } from '../store/index.ts';
import { needsYou } from './views.ts';

/** Rows in one slice: some ten milliseconds of reading and checking. */
const SLICE = 200;
/** With more than so many written, all are read again. */
const TOUCHED_MOST = 2_000;

interface Entry {
  readonly id: AutomationId;
  readonly name: string;
  readonly tags: readonly string[];
  /** Name, tags and addresses in lower case: what a search looks at. */
  readonly text: string;
  readonly enabled: boolean;
  readonly needsYou: boolean;
}

/** What a list is asked for; absent is all. */
export interface ListQuery {
  readonly view?: AutomationListView;
  readonly tag?: string;
  readonly text?: string;
}

/** A moment of the directory, as one query sees it. */
export interface Ordered {
  /** Those that the query finds, by name. */
  readonly ids: readonly AutomationId[];
  /** How many there are in each view, of all automations. */
  readonly counts: Readonly<Record<AutomationListView, number>>;
  /** All tags, sorted. */
  readonly tags: readonly string[];
  /** Another as soon as `ids`, `counts` or `tags` can be. */
  readonly version: string;
}

export class Directory {
  readonly #ledger: Pick<Ledger, 'scanAutomations' | 'findAutomations'>;
  #entries = new Map<AutomationId, Entry>();
  #touched = new Set<AutomationId>();
  /** Nothing is known, or nothing can be trusted. */
  #isStale = true;
  #reading: Promise<void> | null = null;
  /** By name; `null` when it must be sorted again. */
  #sorted: readonly Entry[] | null = null;
  /** Grows with what a person sees in the order of all, and with what puts one into a view. */
  #order = 0;
  #views = 0;

  constructor(ledger: Pick<Ledger, 'scanAutomations' | 'findAutomations'>) {
    this.#ledger = ledger;
  }

  /** These were written, or removed. `null`: any may have been. */
  touch(ids: readonly AutomationId[] | null): void {
    if (ids === null) this.#isStale = true;
    else if (!this.#isStale || this.#reading !== null) for (const id of ids) this.#touched.add(id);
  }

  /** Whether something was touched that is not read yet. */
  get isBehind(): boolean {
    return this.#isStale || this.#touched.size > 0;
  }

  /** Resolves when all that was touched before the call is read. Rejects when the storage does. */
  async read(): Promise<void> {
    // One that is under way may have read before the caller wrote: the next one has not, whoever of those that wait begins it.
    await this.#reading?.catch(() => undefined);
    if (this.isBehind || this.#reading !== null) await (this.#reading ??= this.#readOnce());
  }

  /** What `query` finds now; `asking` are those that need a person for what their host knows of them. */
  order({ view = 'all', tag, text = '' }: ListQuery, asking: ReadonlySet<AutomationId>): Ordered {
    const sorted = (this.#sorted ??= sortByName([...this.#entries.values()]));
    const wanted = text.trim().toLowerCase();
    const needs = (entry: Entry): boolean => entry.needsYou || asking.has(entry.id);
    const found = sorted.filter(
      (entry) =>
        (view === 'all' || (view === 'paused' ? !entry.enabled : needs(entry))) &&
        (tag === undefined || entry.tags.includes(tag)) &&
        (wanted === '' || entry.text.includes(wanted)),
    );
    return {
      ids: found.map(({ id }) => id),
      counts: {
        all: sorted.length,
        'needs-you': sorted.filter(needs).length,
        paused: sorted.filter(({ enabled }) => !enabled).length,
      },
      tags: [...new Set(sorted.flatMap(({ tags }) => tags))].sort(),
      version: `${this.#order}.${this.#views} ${[...asking].join()}`,
    };
  }

  async #readOnce(): Promise<void> {
    const ids = [...this.#touched];
    const isAll = this.#isStale || ids.length > TOUCHED_MOST;
    // What is touched from here on is read the next time, whether this reading saw it or not.
    this.#touched = new Set();
    this.#isStale = false;
    try {
      if (isAll) await this.#scan();
      else {
        const found = new Map<AutomationId, Entry>();
        for (const one of await this.#ledger.findAutomations(ids)) found.set(one.automation.id, entryOf(one));
        for (const id of ids) this.#put(id, found.get(id) ?? null);
      }
    } catch (error) {
      this.#isStale = true;
      throw error;
    } finally {
      this.#reading = null;
    }
  }

  async #scan(): Promise<void> {
    const entries = new Map<AutomationId, Entry>();
    let after: AutomationId | null = null;
    do {
      const slice: Awaited<ReturnType<Ledger['scanAutomations']>> = await this.#ledger.scanAutomations(
        after,
        SLICE,
      );
      for (const one of slice.items) entries.set(one.automation.id, entryOf(one));
      after = slice.next;
    } while (after !== null);
    this.#entries = entries;
    this.#sorted = null;
    this.#order += 1;
  }

  #put(id: AutomationId, entry: Entry | null): void {
    const before = this.#entries.get(id);
    if (entry === null) this.#entries.delete(id);
    else this.#entries.set(id, entry);
    if (
      before?.text === entry?.text &&
      before?.name === entry?.name &&
      before?.tags.join('\n') === entry?.tags.join('\n')
    ) {
      if (before?.enabled === entry?.enabled && before?.needsYou === entry?.needsYou) return;
      this.#views += 1;
    } else this.#order += 1;
    this.#sorted = null;
  }
}

function entryOf({ automation }: StoredAutomation): Entry {
  const { id, name, tags, enabled, action } = automation;
  return {
    id,
    name,
    tags,
    text: [name, ...tags.map((tag) => `#${tag}`), ...addressesOf(action)].join('\n').toLowerCase(),
    enabled,
    needsYou: needsYou(automation, null),
  };
}

function addressesOf(action: Action): readonly string[] {
  return actionsOf(action).flatMap((one) =>
    one.kind === 'http' || one.kind === 'watch'
      ? [one.url]
      : one.kind === 'prompt'
        ? [one.endpoint.baseUrl]
        : [],
  );
}

function sortByName(entries: readonly Entry[]): readonly Entry[] {
  // One collator for all: `localeCompare` takes ten times as long for ten thousand names.
  const { compare } = new Intl.Collator();
  return entries.toSorted((a, b) => compare(a.name, b.name) || compare(a.id, b.id));
}
