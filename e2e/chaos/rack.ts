/**
 * A browser with a disk profile and many tabs of Rota, and the ways in which it can be made to suffer. It is the means
 * only: what is done when is the nemesis's business.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { type BrowserContext, type CDPSession, type Page, chromium } from '@playwright/test';
import { findChromium, launchOptions } from '../../scripts/browsers.mjs';
import { sleep, within } from './within.ts';

/** The longest that a page may take to open; the machine may be very busy. */
const OPEN_MOST_MS = 30_000;
const ANSWER_MOST_MS = 5_000;
const TRACE_MOST_MS = 15_000;

/** One tab of Rota. */
export class ChaosTab {
  frozen = false;
  /** How many calls are under way in it. */
  busy = 0;
  gone = false;

  constructor(
    readonly page: Page,
    readonly path: string,
    readonly seen: boolean,
  ) {
    page.on('crash', () => {
      this.gone = true;
      void page.close().catch(() => undefined);
    });
    page.on('close', () => {
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
          ([method, value]) => {
            const rota = Reflect.get(globalThis, 'rota') as Record<string, (value?: unknown) => unknown>;
            return value === undefined ? rota[method]?.() : rota[method]?.(value);
          },
          [name, argument] as const,
        ),
      );
    } finally {
      this.busy -= 1;
    }
  }
}

export class Rack {
  readonly tabs: ChaosTab[] = [];
  readonly #origin: string;
  readonly #profile: string;
  #context: BrowserContext | null = null;
  #devTools: CDPSession | null = null;
  #watcher: Promise<Page> | null = null;
  #opening: Promise<Page> | null = null;

  constructor(origin: string, profile: string) {
    this.#origin = origin;
    this.#profile = profile;
  }

  /** The tabs that can be asked something. */
  get awake(): readonly ChaosTab[] {
    return this.tabs.filter((tab) => !tab.gone && !tab.frozen);
  }

  async launch(): Promise<void> {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error('There is no Chromium here. `npm test` installs one.');
    this.#context = await chromium.launchPersistentContext(this.#profile, launchOptions(executablePath));
    this.#devTools = (await this.#context.browser()?.newBrowserCDPSession()) ?? null;
  }

  async quit(): Promise<void> {
    await this.#context?.close().catch(() => undefined);
    this.#forget();
  }

  /**
   * Opens a tab at `path`, where a build is served, and waits until its engine answers. All but `seen` ones are hidden, as
   * all but one tab of a window are: a driven browser shows every tab, and each would draw each change.
   */
  async openTab(path: string, seen: boolean): Promise<ChaosTab> {
    const tab = new ChaosTab(await within(OPEN_MOST_MS, this.#living.newPage()), path, seen);
    this.tabs.push(tab);
    if (!seen) {
      await tab.page.addInitScript(() => {
        Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
        Object.defineProperty(document, 'hidden', { get: () => true });
      });
    }
    await within(OPEN_MOST_MS, tab.page.goto(`${this.#origin}${path}`));
    try {
      await tab.call('version', undefined, OPEN_MOST_MS);
    } catch (error) {
      if (tab.gone) throw error;
      const shown = await within(
        ANSWER_MOST_MS,
        tab.page.evaluate(() => `${document.body.innerText.slice(0, 500)} (${document.readyState})`),
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

  /** Stops a tab's tasks, as a browser does to tabs long hidden, or lets them go on. */
  async setFrozen(tab: ChaosTab, frozen: boolean): Promise<void> {
    tab.frozen = frozen;
    const session = await within(ANSWER_MOST_MS, this.#living.newCDPSession(tab.page));
    await within(
      ANSWER_MOST_MS,
      session.send('Page.setWebLifecycleState', { state: frozen ? 'frozen' : 'active' }),
    );
    await session.detach().catch(() => undefined);
  }

  /** A page of Rota's origin without Rota in it, to look at locks and storage from. */
  async watcher(): Promise<Page> {
    const known = await this.#watcher?.catch(() => null);
    if (known !== undefined && known !== null && !known.isClosed()) return known;
    this.#opening ??= this.#openWatcher().finally(() => {
      this.#opening = null;
    });
    this.#watcher = this.#opening;
    return this.#opening;
  }

  async #openWatcher(): Promise<Page> {
    const page = await within(OPEN_MOST_MS, this.#living.newPage());
    page.on('crash', () => void page.close().catch(() => undefined));
    await within(OPEN_MOST_MS, page.goto(`${this.#origin}/favicon.svg`));
    return page;
  }

  /** The renderer processes with a SharedWorker in them: there live the hosts. */
  async hostProcesses(): Promise<readonly { readonly pid: number; readonly hosts: number }[]> {
    const { processInfo } = await within(ANSWER_MOST_MS, this.#tools.send('SystemInfo.getProcessInfo'));
    return processInfo
      .filter(({ type }) => type === 'renderer')
      .map(({ id }) => ({ pid: id, hosts: sharedWorkerThreads(id) }))
      .filter(({ hosts }) => hosts > 0);
  }

  /** The tabs whose page is in the process `pid`. Each page puts a mark into a trace, which says where it came from. */
  async tabsIn(pid: number): Promise<readonly ChaosTab[]> {
    const devTools = this.#tools;
    const marks = new Map(this.awake.map((tab, index) => [`rota-chaos-${index}`, tab]));
    const found = new Set<ChaosTab>();
    const hear = ({ value }: { value: object[] }): void => {
      for (const event of value) {
        const tab = marks.get(Reflect.get(event, 'name') as string);
        if (tab !== undefined && Reflect.get(event, 'pid') === pid) found.add(tab);
      }
    };
    devTools.on('Tracing.dataCollected', hear);
    const complete = new Promise((resolve) => devTools.once('Tracing.tracingComplete', resolve));
    try {
      const traceConfig = { includedCategories: ['blink.user_timing'] };
      await within(
        TRACE_MOST_MS,
        devTools.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig }),
      );
      const put = (name: string): void => {
        performance.mark(name);
        performance.clearMarks(name);
      };
      await Promise.allSettled(
        [...marks].map(([name, tab]) => within(ANSWER_MOST_MS, tab.page.evaluate(put, name))),
      );
    } finally {
      // Whatever happened: while one trace is open there can be no other.
      await within(
        TRACE_MOST_MS,
        devTools.send('Tracing.end').then(() => complete),
      ).catch(() => undefined);
      devTools.off('Tracing.dataCollected', hear);
    }
    return [...found];
  }

  /** Crashes a tab's page, and with it all that is in its process. Resolves when the process is gone. */
  async crash(tab: ChaosTab, pid: number): Promise<void> {
    const session = await within(ANSWER_MOST_MS, this.#living.newCDPSession(tab.page));
    // It never answers: whoever would is gone.
    session.send('Page.crash').catch(() => undefined);
    for (let waited = 0; waited < ANSWER_MOST_MS && isRunning(pid); waited += 5) await sleep(5);
    if (isRunning(pid)) throw new Error(`process ${pid} did not crash`);
  }

  /** Kills the whole browser with SIGKILL, and every process of it with that. Resolves when it is gone. */
  async kill(): Promise<void> {
    const context = this.#living;
    const closed = new Promise((resolve) => context.once('close', resolve));
    const { processInfo } = await within(ANSWER_MOST_MS, this.#tools.send('SystemInfo.getProcessInfo'));
    const pids = [...processInfo].sort((a, b) => Number(b.type === 'browser') - Number(a.type === 'browser'));
    for (const { id } of pids) killNow(id);
    await within(OPEN_MOST_MS, closed);
    this.#forget();
  }

  get #living(): BrowserContext {
    if (this.#context === null) throw new Error('The browser is closed.');
    return this.#context;
  }

  get #tools(): CDPSession {
    if (this.#devTools === null) throw new Error('The browser cannot be reached.');
    return this.#devTools;
  }

  #drop(tab: ChaosTab): void {
    tab.gone = true;
    const index = this.tabs.indexOf(tab);
    if (index >= 0) this.tabs.splice(index, 1);
  }

  #forget(): void {
    for (const tab of this.tabs) tab.gone = true;
    this.tabs.length = 0;
    this.#context = null;
    this.#devTools = null;
    this.#watcher = null;
  }
}

/** SIGKILL, which no process hears of before it is gone. One that has gone already is as well. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether the process is there and is not merely waiting to be buried. */
function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** How many SharedWorkers a process has: Chromium names their threads, and the kernel cuts names to 15 characters. */
function sharedWorkerThreads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).filter((thread) => {
      try {
        return readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').startsWith('SharedWorker');
      } catch {
        return false;
      }
    }).length;
  } catch {
    return 0;
  }
}
