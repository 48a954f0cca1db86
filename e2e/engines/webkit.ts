/**
 * WebKitGTK, driven by WebKitWebDriver: the engine of Safari as Linux has it, in a small browser of the tests' own
 * (webkit-browser.js) on a display that nobody sees.
 *
 * Its driver does not outlive the crash of a page. The process of a SharedWorker can be killed all the same: a page of Rota is
 * never in it, because `Cross-Origin-Opener-Policy` gives each page a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { findWebKit } from '../../scripts/browsers.mjs';
import { browserProcess, killFamily } from '../processes.ts';
import { type Engine, type EngineBrowser, type EnginePage, TELL_VIOLATIONS } from './engine.ts';
import { WebDriver, ended } from './webdriver.ts';

const BROWSER = fileURLToPath(new URL('webkit-browser.js', import.meta.url));
/** How often a page is asked for a result, at first and at last. */
const ASK_FIRST_MS = 5;
const ASK_MOST_MS = 50;
const LOAD_MOST_MS = 60_000;

/** What this engine itself says of any page with Rota's policy: it does not know the directive. */
const NOT_OURS = /Unrecognized Content-Security-Policy directive 'manifest-src'/;

/** WebKitGTK. */
export const WEBKIT: Engine = {
  name: 'webkit',
  launch: async ({ profile, before, complain }) => {
    const found = findWebKit();
    if (found === null) throw new Error('There is no WebKitGTK here. `npm test` installs one.');
    const { display, screen } = await openScreen(found.xvfb);
    try {
      const driver = await WebDriver.start(
        found.driver,
        {
          pageLoadStrategy: 'none',
          'webkitgtk:browserOptions': {
            binary: found.gjs,
            args: ['-m', BROWSER, profile, `${TELL_VIOLATIONS}\n${before}`],
          },
        },
        { ...env, DISPLAY: display },
        (line) => {
          if (/^CONSOLE (\w+ )?ERROR /.test(line) && !NOT_OURS.test(line)) complain(line);
        },
      );
      const [first] = await driver.windows();
      return new WebKitBrowser(browserProcess(profile), driver, screen, first ?? null);
    } catch (error) {
      await ended(screen);
      throw error;
    }
  },
};

class WebKitBrowser implements EngineBrowser {
  readonly devTools = null;
  readonly #driver: WebDriver;
  readonly #screen: ChildProcess;
  readonly #pages = new Set<WebKitPage>();
  /** The tab that it starts with, until it is taken. It is the one that is seen: the others are behind it. */
  #first: string | null;

  constructor(
    readonly pid: number,
    driver: WebDriver,
    screen: ChildProcess,
    first: string | null,
  ) {
    this.#driver = driver;
    this.#screen = screen;
    this.#first = first;
  }

  /** All but the tab in front are hidden in truth, whatever is asked for. */
  async newPage(): Promise<EnginePage> {
    const first = this.#first;
    this.#first = null;
    const page = new WebKitPage(this.#driver, first ?? (await this.#driver.openWindow()));
    this.#pages.add(page);
    page.onGone(() => this.#pages.delete(page));
    return page;
  }

  async quit(): Promise<void> {
    await this.#driver.quit().catch(() => undefined);
    await this.kill();
  }

  async kill(): Promise<void> {
    await killFamily(this.pid);
    await this.#driver.stop();
    await ended(this.#screen);
    for (const page of [...this.#pages]) page.leave();
  }
}

class WebKitPage implements EnginePage {
  readonly #driver: WebDriver;
  readonly #window: string;
  readonly #left = new AbortController();
  #calls = 0;

  constructor(driver: WebDriver, window: string) {
    this.#driver = driver;
    this.#window = window;
  }

  goto(url: string): Promise<void> {
    return this.#load(url, () => this.#driver.in(this.#window, 'POST', '/url', { url }));
  }

  reload(): Promise<void> {
    return this.#load(null, () => this.#driver.in(this.#window, 'POST', '/refresh'));
  }

  async close(): Promise<void> {
    await this.#driver.in(this.#window, 'DELETE', '/window');
    this.leave();
  }

  onGone(tell: () => void): void {
    this.#left.signal.addEventListener('abort', () => tell(), { once: true });
  }

  /** Is told that it is gone. */
  leave(): void {
    this.#left.abort();
  }

  /**
   * The driver runs one script at a time, whichever tab it is for. So none waits: the first script begins the work, and
   * others ask if there is a result.
   */
  async evaluate<Argument, Result>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result> {
    const call = ++this.#calls;
    await this.#run(`${BEGIN}(arguments[0], () => (${String(work)})(arguments[1]))`, [call, argument]);
    for (let pause = ASK_FIRST_MS; ; pause = Math.min(ASK_MOST_MS, pause * 2)) {
      const text = await this.#run<string | null>(`return ${TAKE}(arguments[0])`, [call]);
      if (text !== null) {
        const result = JSON.parse(text) as
          | { readonly kind: 'value'; readonly value?: Result }
          | { readonly kind: 'error'; readonly message: string };
        if (result.kind === 'error') throw new Error(result.message);
        return result.value as Result;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  #run<Result>(script: string, args: readonly unknown[]): Promise<Result> {
    return this.#driver.in(this.#window, 'POST', '/execute/sync', { script, args });
  }

  /** Leaves the page by `go` and waits until the next has been loaded. */
  async #load(url: string | null, go: () => Promise<unknown>): Promise<void> {
    const stays = await this.#run<boolean>(
      `globalThis.isBeforeLoad = true;
      const next = arguments[0] === null ? null : new URL(arguments[0]);
      return next !== null && next.hash !== '' && location.href.split('#')[0] === next.href.split('#')[0];`,
      [url],
    );
    await go();
    for (const until = Date.now() + LOAD_MOST_MS; Date.now() < until;) {
      const isThere = await this.#run<boolean>(
        `return (arguments[0] || !('isBeforeLoad' in globalThis)) && document.readyState === 'complete' && location.href !== 'about:blank'`,
        [stays],
      ).catch(() => false);
      if (isThere) return;
      await new Promise((resolve) => setTimeout(resolve, ASK_FIRST_MS));
    }
    throw new Error(`${url ?? 'the page'} was not loaded in ${LOAD_MOST_MS} ms`);
  }
}

/** In the page: begins `work` and keeps its result under `call`. */
const BEGIN = `((call, work) => {
  const results = (globalThis.resultsForTheTest ??= new Map());
  const say = (result) => results.set(call, JSON.stringify(result));
  results.set(call, null);
  new Promise((resolve) => resolve(work())).then(
    (value) => say({ kind: 'value', value }),
    (error) => say({ kind: 'error', message: error instanceof Error ? error.message : String(error) }),
  );
})`;

/** In the page: the result of `call`, \`null\` while there is none. */
const TAKE = `((call) => {
  const results = globalThis.resultsForTheTest;
  if (results === undefined || !results.has(call))
    return JSON.stringify({ kind: 'error', message: 'The page was left before it answered.' });
  const result = results.get(call);
  if (result !== null) results.delete(call);
  return result;
})`;

/** Starts a display with nobody before it. */
async function openScreen(
  xvfb: string,
): Promise<{ readonly display: string; readonly screen: ChildProcess }> {
  const screen = spawn(
    xvfb,
    ['-displayfd', '1', '-screen', '0', '1280x800x24', '-nolisten', 'tcp', '-noreset'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const number = await new Promise<string>((resolve, reject) => {
    createInterface(screen.stdout).once('line', resolve);
    screen.once('error', reject);
    screen.once('exit', () => reject(new Error('Xvfb did not start.')));
  });
  return { display: `:${number.trim()}`, screen };
}
