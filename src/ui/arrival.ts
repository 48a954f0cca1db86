import { Places } from './places.ts';

/**
 * Arriving at a screen: the focus goes to its heading, so that a screen reader begins there, and the page to where it
 * was when this step of the history was left, or to its top when it is new. A screen that is still loading gets both
 * again as its content comes, until the person does something.
 */
export class Arrivals {
  readonly #places = new Places(storedScrolls(), currentStep());
  #settling: AbortController | null = null;

  constructor() {
    // The browser would restore the place before there is content to scroll.
    history.scrollRestoration = 'manual';
    addEventListener('pagehide', () => {
      this.#places.note(scrollY);
      storeScrolls(this.#places.all);
    });
  }

  /** To be called when the first screen of a page stands: after a reload it is scrolled to where it was left. */
  resume(screen: Element): void {
    if ((this.#places.here ?? 0) > 0) this.#hold(screen, new AbortController());
  }

  /**
   * To be called when the address has changed and what was shown still stands, be it another screen or the same one with
   * another filter: each step has a place of its own.
   *
   * @returns whether it is another step.
   */
  leave(): boolean {
    const isOther = this.#places.go(currentStep(), scrollY);
    if (isOther) this.stop();
    return isOther;
  }

  /**
   * To be called when `screen`, which was there before, stands as the step that it has come to shows it: where that was left.
   * A new step leaves the page where it is.
   */
  turn(screen: Element): void {
    if (this.#places.here !== null) this.#hold(screen, new AbortController());
  }

  /** To be called when `screen`, an element with an open shadow root, stands and has rendered once. */
  arrive(screen: Element): void {
    this.stop();
    const { shadowRoot } = screen;
    const settling = new AbortController();
    const focus = (): void => shadowRoot?.querySelector('h1')?.focus({ preventScroll: true });
    this.#hold(screen, settling);
    focus();
    const rendered = new MutationObserver(() => {
      // The heading that had the focus has been replaced, and the focus is nowhere.
      if (document.activeElement === document.body) focus();
    });
    if (shadowRoot !== null) rendered.observe(shadowRoot, { childList: true, subtree: true });
    settling.signal.addEventListener('abort', () => rendered.disconnect());
  }

  /** Keeps the page where this step was left while `screen` grows, until the person does something. */
  #hold(screen: Element, settling: AbortController): void {
    this.#settling = settling;
    held = settling.signal;
    const top = this.#places.here ?? 0;
    const place = (): void => scrollTo({ top, behavior: 'instant' });
    for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart', 'input', 'click']) {
      addEventListener(type, () => this.stop(), { capture: true, passive: true, signal: settling.signal });
    }
    place();
    const grown = new ResizeObserver(place);
    if (top > 0) grown.observe(screen);
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

/** What says that the page is held no longer; the latest one. */
let held: AbortSignal | null = null;

/** Whether the page is kept where it was left: a list does not go to its top then, although it is another. */
export function isHeld(): boolean {
  return held?.aborted === false;
}

/** Names the step of the history that is shown, where the browser says which it is; `null` where it does not. */
export function currentStep(): string | null {
  return 'navigation' in globalThis ? (navigation.currentEntry?.key ?? null) : null;
}
