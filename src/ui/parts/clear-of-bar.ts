import type { LitElement, ReactiveController } from 'lit';

/** Room between a field that gets the focus and what sticks to an edge of the screen. */
const GAP = 12;

/**
 * Keeps what gets the focus clear of a bar that sticks to the bottom, and of the strip at the top: while `element` is in
 * the document, the page scrolls as if it ended above the bar. Elements inside others heed it, too, which a margin of their
 * own would have to reach.
 */
export class ClearOfBar implements ReactiveController {
  readonly #element: LitElement;
  readonly #selector: string;
  readonly #size = new ResizeObserver(([entry]) => {
    if (entry !== undefined) this.#make(entry.target, entry.borderBoxSize[0]?.blockSize ?? 0);
  });
  #bar: Element | null = null;

  /** `selector` finds the bar in what `element` renders. */
  constructor(element: LitElement, selector: string) {
    this.#element = element;
    this.#selector = selector;
    element.addController(this);
  }

  hostUpdated(): void {
    const bar = this.#element.renderRoot.querySelector(this.#selector);
    if (bar === this.#bar) return;
    this.#leave();
    this.#bar = bar;
    if (bar !== null) this.#size.observe(bar);
  }

  hostConnected(): void {
    // Moved in the document: the next update finds the bar again.
    if (this.#element.hasUpdated) this.#element.requestUpdate();
  }

  hostDisconnected(): void {
    this.#leave();
  }

  #make(bar: Element, height: number): void {
    // On a phone it sticks above the navigation. Turning the phone changes its height as well, as it wraps or does not.
    const below = parseFloat(getComputedStyle(bar).bottom) || 0;
    const { style } = document.documentElement;
    style.setProperty(
      'scroll-padding-block',
      `calc(var(--strip, 52px) + ${GAP}px) ${height + below + GAP}px`,
    );
  }

  #leave(): void {
    this.#size.disconnect();
    this.#bar = null;
    document.documentElement.style.removeProperty('scroll-padding-block');
  }
}
