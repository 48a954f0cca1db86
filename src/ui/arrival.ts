/**
 * Arriving at a screen: the focus goes to its heading, so that a screen reader begins there, and the page to where it
 * was when this step of the history was left, or to its top when it is new. A screen that is still loading gets both
 * again as its content comes, until the person does something.
 */
export class Arrivals {
  readonly #scrolls = new Map<string, number>();
  #step = currentStep();
  #settling: AbortController | null = null;

  constructor() {
    // The browser would restore the place before there is content to scroll.
    history.scrollRestoration = 'manual';
  }

  /** To be called when the address has changed and the old screen still stands. */
  leave(): void {
    this.stop();
    if (this.#step !== null) this.#scrolls.set(this.#step, scrollY);
    this.#step = currentStep();
  }

  /** To be called when `screen`, an element with an open shadow root, stands and has rendered once. */
  arrive(screen: Element): void {
    this.stop();
    const { shadowRoot } = screen;
    const settling = new AbortController();
    this.#settling = settling;
    for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart']) {
      addEventListener(type, () => this.stop(), { capture: true, passive: true, signal: settling.signal });
    }

    const top = (this.#step === null ? undefined : this.#scrolls.get(this.#step)) ?? 0;
    const place = (): void => scrollTo({ top, behavior: 'instant' });
    const focus = (): void => shadowRoot?.querySelector('h1')?.focus({ preventScroll: true });
    place();
    focus();
    const grown = new ResizeObserver(place);
    if (top > 0) grown.observe(screen);
    const rendered = new MutationObserver(() => {
      // The heading that had the focus has been replaced, and the focus is nowhere.
      if (document.activeElement === document.body) focus();
    });
    if (shadowRoot !== null) rendered.observe(shadowRoot, { childList: true, subtree: true });
    settling.signal.addEventListener('abort', () => {
      grown.disconnect();
      rendered.disconnect();
    });
  }

  /** Lets go: nothing moves the focus or the page any more. */
  stop(): void {
    this.#settling?.abort();
    this.#settling = null;
  }
}

/** Names the step of the history that is shown, where the browser says which it is; `null` where it does not. */
function currentStep(): string | null {
  return 'navigation' in globalThis ? (navigation.currentEntry?.key ?? null) : null;
}
