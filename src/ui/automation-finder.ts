/** Finds automations by what they are called, however many there are: what a field offers while somebody types in it. */
import type { AutomationId } from '../domain/index.ts';
import type { AutomationView } from '../rpc/index.ts';
import type { RemoteHost } from './remote-host.ts';
import { errorSentence } from './text/errors.ts';
import { problemOf } from './watched.ts';

/** How many automations are read at a time. */
export const FOUND_AT_A_TIME = 50;
/** So close to the last that was read, what comes after it is wanted. */
const NEAR = 10;

/** How a key moves in a list, or what else it asks for. */
export type ChoiceKey =
  | { readonly kind: 'to'; readonly index: number }
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'choose' };

/**
 * Reads what is called as asked, a page at a time, and calls `changed` when there is something else to show. Of several
 * questions only the latest is answered. Never rejects: {@link problem} says what went wrong.
 */
export class AutomationFinder {
  readonly #host: () => Pick<RemoteHost, 'listAutomations'>;
  readonly #changed: () => void;
  #items: readonly AutomationView[] = [];
  #problem: string | null = null;
  #text = '';
  #next: AutomationId | null = null;
  /** Number of the latest question. */
  #latest = 0;
  #isReadingOn = false;
  #isReading = false;

  constructor(host: () => Pick<RemoteHost, 'listAutomations'>, changed: () => void) {
    this.#host = host;
    this.#changed = changed;
  }

  /** What was found so far, in the order of the list of automations. Stays until the next answer. */
  get items(): readonly AutomationView[] {
    return this.#items;
  }

  /** A sentence on why nothing could be found out; `null` while all is well. */
  get problem(): string | null {
    return this.#problem;
  }

  /** A question is on its way, and {@link items} are of an earlier one. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Asks for what has `text` in its name, its tags or its addresses; all, when it is empty. Resolves when it is known. */
  async find(text: string): Promise<void> {
    const mine = ++this.#latest;
    this.#text = text.trim();
    this.#isReading = true;
    this.#isReadingOn = false;
    try {
      const { items, next = null } = await this.#read();
      if (mine !== this.#latest) return;
      this.#items = items;
      this.#next = next;
      this.#problem = null;
    } catch (error) {
      if (mine !== this.#latest) return;
      this.#items = [];
      this.#next = null;
      this.#problem = errorSentence(problemOf(error).code);
    }
    this.#isReading = false;
    this.#changed();
  }

  /** Says that somebody is at `index` of {@link items}: close to the end of what was read, what comes after it is read, too. */
  async reach(index: number): Promise<void> {
    const after = this.#next;
    if (after === null || this.#isReadingOn || this.#isReading || index < this.#items.length - NEAR) return;
    const mine = this.#latest;
    this.#isReadingOn = true;
    try {
      const { items, next = null } = await this.#read(after);
      if (mine !== this.#latest) return;
      // Where the last one was deleted meanwhile, the answer begins with the first again.
      const known = new Set(this.#items.map(({ id }) => id));
      this.#items = [...this.#items, ...items.filter(({ id }) => !known.has(id))];
      this.#next = next;
    } catch {
      // What is there can still be chosen, and the next move asks again.
    }
    if (mine !== this.#latest) return;
    this.#isReadingOn = false;
    this.#changed();
  }

  #read(after?: AutomationId): ReturnType<RemoteHost['listAutomations']> {
    return this.#host().listAutomations({
      limit: FOUND_AT_A_TIME,
      ...(this.#text === '' ? {} : { text: this.#text }),
      ...(after === undefined ? {} : { after }),
    });
  }
}

/**
 * What a key means in a field with a list of `count` below it, of which `at` is the active one; `at` is `null` while the
 * list is closed. `null`: the key is the field's own. After the combobox of the ARIA Authoring Practices, with a list that
 * has an end on either side, as there may be more than was read.
 */
export function choiceKey(
  { key, altKey }: Pick<KeyboardEvent, 'key' | 'altKey'>,
  at: number | null,
  count: number,
): ChoiceKey | null {
  if (at === null) return key === 'ArrowDown' || key === 'ArrowUp' ? { kind: 'open' } : null;
  const to = (index: number): ChoiceKey => ({
    kind: 'to',
    index: Math.max(0, Math.min(count - 1, index)),
  });
  switch (key) {
    case 'ArrowDown':
      return to(altKey ? at : at + 1);
    case 'ArrowUp':
      return altKey ? { kind: 'close' } : to(at - 1);
    case 'PageDown':
      return to(at + 8);
    case 'PageUp':
      return to(at - 8);
    case 'Enter':
      return { kind: 'choose' };
    case 'Escape':
      return { kind: 'close' };
    default:
      return null;
  }
}
