import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { isOtherScreen, parseRoute } from '../router.ts';

/**
 * Asks before a screen with unsaved work is left: by a link, by Back, by closing the tab. It hears of the address before
 * the router does, puts the old one back, and goes on only when the person says so.
 */
export class LeaveGuard implements ReactiveController {
  readonly #unsaved: () => boolean;
  readonly #ask: () => Promise<boolean>;
  #here = '';
  #asking = false;

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
    // In the capturing phase, which comes before the router's listener whatever the order in which they were added.
    addEventListener('hashchange', this.#changed, { capture: true });
    addEventListener('beforeunload', this.#unloading);
  }

  hostDisconnected(): void {
    removeEventListener('hashchange', this.#changed, { capture: true });
    removeEventListener('beforeunload', this.#unloading);
  }

  readonly #changed = (event: Event): void => {
    const there = location.hash;
    if (!this.#unsaved() || !isOtherScreen(parseRoute(this.#here), parseRoute(there))) {
      this.#here = there;
      return;
    }
    event.stopImmediatePropagation();
    // Silent: no event follows, and the screen stays.
    history.replaceState(history.state, '', this.#here);
    if (this.#asking) return;
    this.#asking = true;
    void this.#ask().then((leave) => {
      this.#asking = false;
      if (!leave) return;
      removeEventListener('hashchange', this.#changed, { capture: true });
      location.hash = there === '' ? '#/' : there;
    });
  };

  readonly #unloading = (event: BeforeUnloadEvent): void => {
    if (this.#unsaved()) event.preventDefault();
  };
}
