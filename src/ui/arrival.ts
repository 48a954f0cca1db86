/**
 * Arriving at a screen: the focus goes to its heading, so that a screen reader begins there, and the page to where it
 * was when this step of the history was left, or to its top when it is new. A screen that is still loading gets both
 * again as its content comes, until the person does something.
 */
export class Arrivals {
  readonly #scrolls = storedScrolls();
  #step = currentStep();
  #settling: AbortController | null = null;

  constructor() {
    // The browser would restore the place before there is content to scroll.
    history.scrollRestoration = 'manual';
    addEventListener('pagehide', () => {
      if (this.#step !== null) storeScrolls(this.#scrolls.set(this.#step, scrollY));
    });
  }

  /** To be called when the first screen of a page stands: after a reload it is scrolled to where it was left. */
  resume(screen: Element): void {
    const top = this.#top;
    if (top > 0) this.#hold(screen, () => scrollTo({ top, behavior: 'instant' }), new AbortController());
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
    const top = this.#top;
    const focus = (): void => shadowRoot?.querySelector('h1')?.focus({ preventScroll: true });
    this.#hold(screen, () => scrollTo({ top, behavior: 'instant' }), settling);
    focus();
    const rendered = new MutationObserver(() => {
      // The heading that had the focus has been replaced, and the focus is nowhere.
      if (document.activeElement === document.body) focus();
    });
    if (shadowRoot !== null) rendered.observe(shadowRoot, { childList: true, subtree: true });
    settling.signal.addEventListener('abort', () => rendered.disconnect());
  }

  get #top(): number {
    return (this.#step === null ? undefined : this.#scrolls.get(this.#step)) ?? 0;
  }

  /** Keeps the page where `place` puts it while `screen` grows, until the person does something. */
  #hold(screen: Element, place: () => void, settling: AbortController): void {
    this.#settling = settling;
    for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart']) {
      addEventListener(type, () => this.stop(), { capture: true, passive: true, signal: settling.signal });
    }
    place();
    const grown = new ResizeObserver(place);
    if (this.#top > 0) grown.observe(screen);
    settling.signal.addEventListener('abort', () => grown.disconnect());
  }

  /** Lets go: nothing moves the focus or the page any more. */
  stop(): void {
    this.#settling?.abort();
    this.#settling = null;
  }
}

const KEY = 'rota:scrolls';
/** Steps of the history whose place is kept over a reload. */
const KEPT_MOST = 50;

function storedScrolls(): Map<string, number> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '[]');
    const pairs = Array.isArray(stored)
      ? stored.filter((pair): pair is unknown[] => Array.isArray(pair))
      : [];
    return new Map(pairs.map(([step, top]) => [String(step), Number(top) || 0]));
  } catch {
    // Without storage a reload begins at the top.
    return new Map();
  }
}

function storeScrolls(scrolls: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify([...scrolls].slice(-KEPT_MOST)));
  } catch {
    // The same.
  }
}

/** Names the step of the history that is shown, where the browser says which it is; `null` where it does not. */
export function currentStep(): string | null {
  return 'navigation' in globalThis ? (navigation.currentEntry?.key ?? null) : null;
}
