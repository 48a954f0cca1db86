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
    if (!this.#unsaved() || !isOtherScreen(parseRoute(this.#here), parseRoute(there))) {
      this.#here = there;
      return false;
    }
    // Silent: no event follows, and the screen stays.
    history.replaceState(history.state, '', this.#here);
    if (!this.#asking) void this.#askToGo(there);
    return true;
  }

  async #askToGo(there: string): Promise<void> {
    this.#asking = true;
    const leave = await this.#ask();
    this.#asking = false;
    if (!leave) return;
    this.#stop?.();
    location.hash = there === '' ? '#/' : there;
  }

  readonly #unloading = (event: BeforeUnloadEvent): void => {
    if (this.#unsaved()) event.preventDefault();
  };
}
