import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { guardRoute, isOtherScreen, parseRoute } from '../router.ts';

/**
 * Asks before a screen with unsaved work is left: by a link, by Back, by closing the tab. It puts the
 * old address back, and goes on only when the person says so.
 */
export class LeaveGuard implements ReactiveController {
  readonly #unsaved: () => boolean;
  readonly #ask: () => Promise<boolean>;
  #here = '';
  /** Where the screen is in the history of the tab; `null` where the browser does not say. */
  #entry: number | null = null;
  #asking = false;
  #stop: (() => void) | null = null;

  /**
   * @param unsaved whether there is something to lose.
   * @param ask resolves to whether to leave all the same.
   */
  constructor(element: ReactiveControllerHost, unsaved: () => boolean, ask: () => Promise<boolean>) {
    this.#unsaved = unsaved;
    this.#ask = ask;
    element.addController(this);
  }

  hostConnected(): void {
    this.#here = location.hash;
    this.#entry = entryIndex();
    this.#stop = guardRoute(() => this.#holds());
    addEventListener('beforeunload', this.#unloading);
  }

  hostDisconnected(): void {
    this.#stop?.();
    this.#stop = null;
    removeEventListener('beforeunload', this.#unloading);
  }

  #holds(): boolean {
    const there = location.hash;
    const entry = entryIndex();
    if (!this.#unsaved() || !isOtherScreen(parseRoute(this.#here), parseRoute(there))) {
      this.#here = there;
      this.#entry = entry;
      return false;
    }
    const steps = entry === null || this.#entry === null ? 0 : entry - this.#entry;
    // Back to the entry that was left, so that Back and Forward lead where they did before. Where the browser does not
    // say which one that is, the old address is put into the new entry, silently.
    if (steps !== 0) history.go(-steps);
    else history.replaceState(history.state, '', this.#here);
    if (!this.#asking) void this.#askToGo(there, steps);
    return true;
  }

  async #askToGo(there: string, steps: number): Promise<void> {
    this.#asking = true;
    const leave = await this.#ask();
    this.#asking = false;
    if (!leave) return;
    this.#stop?.();
    if (steps !== 0) history.go(steps);
    else location.hash = there === '' ? '#/' : there;
  }

  readonly #unloading = (event: BeforeUnloadEvent): void => {
    if (this.#unsaved()) event.preventDefault();
  };
}

function entryIndex(): number | null {
  return 'navigation' in globalThis ? (globalThis.navigation.currentEntry?.index ?? null) : null;
}
