/**
 * A browser with a disk profile and many tabs of Rota, and the ways in which it can be made to suffer. It is the means
 * only: what is done when is the nemesis's business.
 */
import type { DevTools, Engine, EngineBrowser, EnginePage } from '../engines/index.ts';
import { hostProcesses, isRunning, killNow } from '../processes.ts';
import { sleep, within } from '../within.ts';

/** The longest that a page may take to open; the machine may be very busy. */
const OPEN_MOST_MS = 30_000;
const ANSWER_MOST_MS = 5_000;
/** How long a browser may take to start, and to end when it is asked to. */
const LAUNCH_MOST_MS = 60_000;
const QUIT_MOST_MS = 15_000;

/** One tab of Rota. */
export class ChaosTab {
  frozen = false;
  /** How many calls are under way in it. */
  busy = 0;
  gone = false;

  constructor(
    readonly page: EnginePage,
    readonly path: string,
    readonly seen: boolean,
  ) {
    page.onGone(() => {
      this.gone = true;
    });
  }

  /** Calls the console API. Rejects when the tab dies or nothing is answered in `most` ms. */
  async call(name: string, argument: object | undefined, most: number): Promise<unknown> {
    this.busy += 1;
    try {
      return await within(
        most,
        this.page.evaluate(
          ([method, values]) => {
            const rota = Reflect.get(globalThis, 'rota') as Record<string, (...values: unknown[]) => unknown>;
            return rota[method]?.(...values);
          },
          [name, argument === undefined ? [] : [argument]] as const,
        ),
      );
    } finally {
      this.busy -= 1;
    }
  }
}

export class Rack {
  readonly tabs: ChaosTab[] = [];
  readonly #engine: Engine;
  readonly #origin: string;
  readonly #profile: string;
  #browser: EngineBrowser | null = null;
  #watcher: Promise<EnginePage> | null = null;
  #opening: Promise<EnginePage> | null = null;

  constructor(engine: Engine, origin: string, profile: string) {
    this.#engine = engine;
    this.#origin = origin;
    this.#profile = profile;
  }

  /** The tabs that can be asked something. */
  get awake(): readonly ChaosTab[] {
    return this.tabs.filter((tab) => !tab.gone && !tab.frozen);
  }

  /** What the engine's developer tools do; `null` where they do not. */
  get devTools(): DevTools | null {
    return this.#living.devTools;
  }

  get takesRequestsBack(): boolean {
    return this.#living.takesRequestsBack;
  }

  get followsReloads(): boolean {
    return this.#living.followsReloads;
  }

  /** Whether there is a browser, be it one that answers or not. */
  get isThere(): boolean {
    return this.#browser !== null;
  }

  /** Whether there is no browser, or none that can be asked anything. */
  get isLost(): boolean {
    return this.#browser === null || this.#browser.isStuck;
  }

  async launch(): Promise<void> {
    const start = { profile: this.#profile, before: '', complain: () => undefined };
    const launching = this.#engine.launch(start);
    try {
      this.#browser = await within(LAUNCH_MOST_MS, launching);
    } catch (error) {
      // One that comes after all would be in the way of the next, on the same profile.
      void launching.then((late) => late.kill()).catch(() => undefined);
      throw error;
    }
  }

  /** Ends the browser, and kills it when it does not end. */
  async quit(): Promise<void> {
    const browser = this.#browser;
    this.#forget();
    if (browser === null) return;
    await within(QUIT_MOST_MS, browser.quit()).catch(() => within(QUIT_MOST_MS, browser.kill()));
  }

  /**
   * Opens a tab at `path`, where a build is served, and waits until its engine answers. All but `seen` ones are hidden, as
   * all but one tab of a window are: a driven browser shows every tab, and each would draw each change.
   */
  async openTab(path: string, seen: boolean): Promise<ChaosTab> {
    const page = await within(OPEN_MOST_MS, this.#living.newPage(seen ? undefined : 'hidden'));
    const tab = new ChaosTab(page, path, seen);
    this.tabs.push(tab);
    await within(OPEN_MOST_MS, tab.page.goto(`${this.#origin}${path}`));
    try {
      await tab.call('version', undefined, OPEN_MOST_MS);
    } catch (error) {
      if (tab.gone) throw error;
      const shown = await within(
        ANSWER_MOST_MS,
        tab.page.evaluate(() => `${document.body.innerText.slice(0, 500)} (${document.readyState})`, null),
      ).catch(String);
      throw new Error(`${error instanceof Error ? error.message : String(error)}; it shows: ${shown}`);
    }
    return tab;
  }

  async closeTab(tab: ChaosTab): Promise<void> {
    this.#drop(tab);
    await within(OPEN_MOST_MS, tab.page.close()).catch(() => undefined);
  }

  /** Forgets the tabs that have died. */
  sweep(): void {
    for (const tab of this.tabs.filter(({ gone }) => gone)) this.#drop(tab);
  }

  /** A page of Rota's origin without Rota in it, to look at locks and storage from. */
  async watcher(): Promise<EnginePage> {
    const known = await this.#watcher?.catch(() => null);
    if (known !== undefined && known !== null) return known;
    this.#opening ??= this.#openWatcher().finally(() => {
      this.#opening = null;
    });
    this.#watcher = this.#opening;
    return this.#opening;
  }

  async #openWatcher(): Promise<EnginePage> {
    const page = await within(OPEN_MOST_MS, this.#living.newPage('hidden'));
    page.onGone(() => {
      this.#watcher = null;
    });
    await within(OPEN_MOST_MS, page.goto(`${this.#origin}/favicon.svg`));
    return page;
  }

  /** The processes with a SharedWorker in them: there live the hosts. */
  hostProcesses(): readonly { readonly pid: number; readonly hosts: number }[] {
    return hostProcesses(this.#living.pid);
  }

  /** The tabs whose page is in the process `pid`, as far as the engine tells. */
  async tabsIn(pid: number): Promise<readonly ChaosTab[]> {
    const { awake, devTools } = this;
    const pages = awake.map(({ page }) => page);
    const found = new Set(await devTools?.pagesIn(pid, pages));
    return awake.filter(({ page }) => found.has(page));
  }

  /** Stops a tab's tasks, as a browser does to tabs long hidden, or lets them go on. */
  async setFrozen(tab: ChaosTab, frozen: boolean): Promise<void> {
    tab.frozen = frozen;
    await this.devTools?.setFrozen(tab.page, frozen);
  }

  /** Crashes a tab's page, and with it all that is in its process. Resolves when the process is gone. */
  async crash(tab: ChaosTab, pid: number): Promise<void> {
    await this.devTools?.crash(tab.page);
    if (!(await isGone(pid))) throw new Error(`process ${pid} did not crash`);
  }

  /** Kills a process with SIGKILL. Resolves when it is gone. */
  async killProcess(pid: number): Promise<void> {
    killNow(pid);
    if (!(await isGone(pid))) throw new Error(`process ${pid} is still there after SIGKILL`);
  }

  /**
   * Closes the pages that have died. Not every driver notices: Firefox's has whoever asks one wait for ever. Resolves when
   * it is known whether the watcher is among them.
   */
  async bury(): Promise<void> {
    for (const tab of this.awake) {
      void isAlive(tab.page).then(async (is) => {
        if (!is) await this.closeTab(tab);
      });
    }
    const watcher = await this.#watcher?.catch(() => null);
    if (watcher === undefined || watcher === null || (await isAlive(watcher))) return;
    this.#watcher = null;
    await within(OPEN_MOST_MS, watcher.close()).catch(() => undefined);
  }

  /** Kills the whole browser with SIGKILL, and every process of it with that. Resolves when it is gone. */
  async kill(): Promise<void> {
    const browser = this.#living;
    try {
      await within(OPEN_MOST_MS, browser.kill());
    } finally {
      this.#forget();
    }
  }

  get #living(): EngineBrowser {
    if (this.#browser === null) throw new Error('The browser is closed.');
    return this.#browser;
  }

  #drop(tab: ChaosTab): void {
    tab.gone = true;
    const index = this.tabs.indexOf(tab);
    if (index >= 0) this.tabs.splice(index, 1);
  }

  #forget(): void {
    for (const tab of this.tabs) tab.gone = true;
    this.tabs.length = 0;
    this.#browser = null;
    this.#watcher = null;
  }
}

/** Whether a process that is dying is gone soon. */
async function isGone(pid: number): Promise<boolean> {
  for (const until = Date.now() + ANSWER_MOST_MS; Date.now() < until;) {
    if (!isRunning(pid)) return true;
    await sleep(5);
  }
  return false;
}

/** Whether a page answers. */
async function isAlive(page: EnginePage): Promise<boolean> {
  return within(
    ANSWER_MOST_MS,
    page.evaluate(() => true, null),
  ).catch(() => false);
}
