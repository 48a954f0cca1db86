import {
  type Range,
  type VirtualItem,
  type Virtualizer,
  WindowVirtualizerController,
  defaultRangeExtractor,
  windowScroll,
} from '@tanstack/lit-virtual';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { isHeld } from '../arrival.ts';

/** Up to so many rows are all in the page, so that the browser's own search and printing find them. */
const WHOLE_MOST = 100;
/** Rows beyond the view on either side, and while the first of them are made. */
const BEYOND = 8;
const BEYOND_FIRST = 1;
/** How long those that are seen have for themselves before the others are made. */
const FIRST_MS = 150;

/** A row that is to be in the page. */
export interface Placed<Id> {
  readonly id: Id;
  readonly index: number;
}

/** What rows of a list were measured as, for the way back to it. */
export interface MeasuredRows {
  /** What one was thought to be high, which says in which width they were measured. */
  readonly estimate: number;
  /** In CSS pixels, by id. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** What a list of rows in the page's own scroll needs to know. */
export interface WindowRowsOptions<Id> {
  /** All ids, in order. Another array when anything in it changed. */
  readonly ids: () => readonly Id[];
  /** What a row is high in a list of `width`, before it was measured, in CSS pixels. */
  readonly estimate: (width: number) => number;
}

/**
 * Keeps of a long list only the rows in the page that can be seen, in the scroll of the page itself. The element renders
 * {@link placed} into a container of its own, each with `data-index`, and calls {@link place} after each update. TanStack
 * Virtual computes; what it knows goes into styles one by one, which the policy allows, and never into an attribute.
 */
export class WindowRows<Id extends string> implements ReactiveController {
  readonly #element: ReactiveControllerHost & Element;
  readonly #options: WindowRowsOptions<Id>;
  readonly #controller: WindowVirtualizerController<HTMLElement>;
  readonly #resized: ResizeObserver;
  #ids: readonly Id[] = [];
  #keyOf: (index: number) => Id;
  #estimate: number;
  #pinned: Id | null = null;
  /** What a list that was left was measured as, until its width is known. */
  #known: MeasuredRows | null = null;
  #margin = 0;
  /** How far to scroll after the next update, so that what is looked at stays where it is. */
  #move: { readonly id: Id; readonly start: number } | 'top' | null = null;
  #list: HTMLElement | null = null;
  /** Whether what is seen was made, so that the rest may follow. */
  #isBegun = false;
  #begins: ReturnType<typeof setTimeout> | null = null;

  constructor(element: ReactiveControllerHost & Element, options: WindowRowsOptions<Id>) {
    this.#element = element;
    this.#options = options;
    this.#estimate = options.estimate(innerWidth);
    this.#keyOf = keysOf(this.#ids);
    this.#controller = new WindowVirtualizerController<HTMLElement>(element, {
      count: 0,
      estimateSize: () => this.#estimate,
      getItemKey: (index) => index,
      // Neither is asked of the page before it has a list: that would lay out what is still being made.
      initialOffset: 0,
      scrollToFn: (...args) => {
        if (this.#list !== null) windowScroll(...args);
      },
      // Rows are elements that render after the list has: only the observer sees what they come to.
      measureElement: (row, entry, virtualizer) =>
        entry?.borderBoxSize[0]?.blockSize ??
        virtualizer.itemSizeCache.get(this.#keyOf(virtualizer.indexFromElement(row))) ??
        this.#estimate,
    });
    this.#resized = new ResizeObserver(() => this.#measure());
    element.addController(this);
  }

  /** The row that stays in the page wherever the view is: the one with the focus. */
  get pinned(): Id | null {
    return this.#pinned;
  }

  /** Keeps `id` in the page, and lets go of the one before. */
  pin(id: Id | null): void {
    this.#pinned = id;
  }

  /** The rows that are to be in the page, by their place. */
  get placed(): readonly Placed<Id>[] {
    return this.#items.flatMap(({ index }) => {
      const id = this.#ids[index];
      return id === undefined ? [] : [{ id, index }];
    });
  }

  /** Their ids. */
  get ids(): readonly Id[] {
    return this.placed.map(({ id }) => id);
  }

  hostConnected(): void {
    this.#resized.observe(this.#element);
  }

  hostDisconnected(): void {
    this.#resized.disconnect();
    this.#list = null;
    if (this.#begins !== null) clearTimeout(this.#begins);
    this.#begins = null;
  }

  hostUpdate(): void {
    const ids = this.#options.ids();
    if (ids !== this.#ids) {
      this.#ids = ids;
      this.#keyOf = keysOf(ids);
    }
    const virtualizer = this.#controller.getVirtualizer();
    virtualizer.setOptions({
      ...virtualizer.options,
      count: ids.length,
      overscan: this.#isBegun ? BEYOND : BEYOND_FIRST,
      getItemKey: this.#keyOf,
      scrollMargin: this.#margin,
      rangeExtractor: (range) => this.#indexes(range),
    });
  }

  /** What rows were measured as. */
  get measured(): MeasuredRows {
    const { itemSizeCache } = this.#controller.getVirtualizer();
    return {
      estimate: this.#estimate,
      sizes: new Map([...itemSizeCache].map(([id, size]) => [String(id), size])),
    };
  }

  /** Takes what a list was {@link measured} as when it was left, so that it is as high as it was: before it is shown. */
  restore(measured: MeasuredRows): void {
    const isNew = this.#list === null;
    this.#known = isNew ? measured : null;
    if (isNew || measured.estimate === this.#estimate)
      this.#controller.getVirtualizer().itemSizeCache = new Map(measured.sizes);
  }

  /** To be called before another order of the same rows is shown: what is looked at stays where it is. */
  keepPlace(): void {
    const items = this.#items;
    const top = scrollY;
    if (top <= this.#margin) return;
    const isSeen = ({ start, end }: VirtualItem): boolean => end > top && start < top + innerHeight;
    const pinned = items.find((item) => item.key === this.#pinned && isSeen(item));
    const anchor = pinned ?? items.find(isSeen);
    if (anchor !== undefined) this.#move = { id: anchor.key as Id, start: anchor.start };
  }

  /** To be called before another list is shown. On the way back to one it stays where that was left. */
  goToTop(): void {
    if (scrollY > this.#margin) this.#move = 'top';
  }

  /** Puts the rows of `list` where they belong, after each update of the element. */
  place(list: HTMLElement | null): void {
    if (list === null) {
      this.#list = null;
      return;
    }
    const isNew = list !== this.#list;
    this.#list = list;
    const virtualizer = this.#controller.getVirtualizer();
    list.style.height = `${virtualizer.getTotalSize()}px`;
    const starts = new Map(this.#items.map(({ index, start }) => [index, start]));
    for (const row of list.children) {
      if (!(row instanceof HTMLElement)) continue;
      row.style.top = `${(starts.get(Number(row.dataset['index'])) ?? 0) - this.#margin}px`;
      virtualizer.measureElement(row);
    }
    virtualizer.measureElement(null);
    if (isNew) {
      this.#measure();
      this.#meet(virtualizer);
    }
    this.#settle();
    if (this.#isBegun || this.#ids.length === 0) return;
    this.#begins ??= setTimeout(() => {
      this.#isBegun = true;
      this.#element.requestUpdate();
    }, FIRST_MS);
  }

  /** A list that appears in a page that is scrolled begins with what is seen there. */
  #meet(virtualizer: Virtualizer<Window, HTMLElement>): void {
    if (virtualizer.scrollOffset === scrollY) return;
    virtualizer.scrollOffset = scrollY;
    this.#element.requestUpdate();
  }

  #settle(): void {
    const move = this.#move;
    this.#move = null;
    if (move === null) return;
    if (move === 'top') {
      if (isHeld()) return;
      scrollTo({ top: this.#margin > innerHeight ? this.#margin : 0, behavior: 'instant' });
      return;
    }
    const index = this.#ids.indexOf(move.id);
    if (index === -1) return;
    const start = this.#controller.getVirtualizer().measurementsCache[index]?.start;
    if (start !== undefined && start !== move.start)
      scrollBy({ top: start - move.start, behavior: 'instant' });
  }

  get #items(): readonly VirtualItem[] {
    return this.#controller.getVirtualizer().getVirtualItems();
  }

  #indexes(range: Range): number[] {
    if (range.count <= WHOLE_MOST && this.#isBegun)
      return Array.from({ length: range.count }, (_, index) => index);
    const indexes = defaultRangeExtractor(range);
    const pinned = this.#pinned === null ? -1 : this.#ids.indexOf(this.#pinned);
    if (pinned === -1 || indexes.includes(pinned)) return indexes;
    return [...indexes, pinned].sort((a, b) => a - b);
  }

  /** Looks where the list begins, and how wide it is: what stands above it comes and goes. */
  #measure(): void {
    if (this.#list === null) return;
    const { top, width } = this.#list.getBoundingClientRect();
    const margin = Math.round(top + scrollY);
    const estimate = this.#options.estimate(width);
    const known = this.#known;
    this.#known = null;
    if (estimate !== this.#estimate || (known !== null && estimate !== known.estimate)) {
      this.#estimate = estimate;
      const virtualizer = this.#controller.getVirtualizer();
      // What was measured in the other width is worth nothing.
      virtualizer.measure();
      if (estimate === known?.estimate) virtualizer.itemSizeCache = new Map(known.sizes);
    }
    if (margin === this.#margin) return;
    this.#margin = margin;
    this.#element.requestUpdate();
  }
}

function keysOf<Id>(ids: readonly Id[]): (index: number) => Id {
  return (index) => ids[index] as Id;
}
