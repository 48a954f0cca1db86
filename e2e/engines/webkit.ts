/**
 * WebKitGTK, driven by WebKitWebDriver: the engine of Safari as Linux has it, in a small browser of the tests' own
 * (webkit-browser.js) on a display that nobody sees.
 *
 * Its driver does not outlive the crash of a page, and waits for ever for one that loads itself anew, as all do when a new build
 * takes over. The process of a SharedWorker can be killed all the same: a page of Rota is
 * never in it, because `Cross-Origin-Opener-Policy` gives each page a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { findWebKit } from '../../scripts/browsers.mjs';
import { browserProcess, killFamily } from '../processes.ts';
import { type Engine, type EngineBrowser, type EnginePage, TELL_VIOLATIONS } from './engine.ts';
import { WebDriver, ended } from './webdriver.ts';

const BROWSER = fileURLToPath(new URL('webkit-browser.js', import.meta.url));
/** How often a page is asked whether it is loaded, at first and at last. */
const ASK_FIRST_MS = 5;
const ASK_MOST_MS = 200;
/** How often a page that owes a result is asked whether it still knows of it. */
const STILL_THERE_MS = 1_000;
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
    const results = await Results.listen();
    try {
      const driver = await WebDriver.start(
        found.driver,
        {
          pageLoadStrategy: 'none',
          'webkitgtk:browserOptions': {
            binary: found.gjs,
            args: ['-m', BROWSER, profile, `${TELL_VIOLATIONS}\n${before}`, String(results.port)],
          },
        },
        { ...env, DISPLAY: display },
        (line) => {
          if (/^CONSOLE (\w+ )?ERROR /.test(line) && !NOT_OURS.test(line)) complain(line);
        },
      );
      const [first] = await driver.windows();
      return new WebKitBrowser(browserProcess(profile), driver, screen, results, first ?? null);
    } catch (error) {
      await ended(screen);
      results.close();
      await killAnyWith(profile);
      throw error;
    }
  },
};

/** Ends the browser that uses the folder `profile`, if there is one: its driver has gone and left it there. */
async function killAnyWith(profile: string): Promise<void> {
  let pid: number;
  try {
    pid = browserProcess(profile);
  } catch {
    return;
  }
  await killFamily(pid);
}

class WebKitBrowser implements EngineBrowser {
  readonly devTools = null;
  readonly followsReloads = false;
  readonly takesRequestsBack = true;
  readonly #driver: WebDriver;
  readonly #screen: ChildProcess;
  readonly #results: Results;
  readonly #pages = new Set<WebKitPage>();
  /** The tab that it starts with, until it is taken. It is the one that is seen: the others are behind it. */
  #first: string | null;

  constructor(
    readonly pid: number,
    driver: WebDriver,
    screen: ChildProcess,
    results: Results,
    first: string | null,
  ) {
    this.#driver = driver;
    this.#screen = screen;
    this.#results = results;
    this.#first = first;
  }

  /** All but the tab in front are hidden in truth, whatever is asked for. */
  async newPage(): Promise<EnginePage> {
    const first = this.#first;
    this.#first = null;
    const window = first ?? (await this.#driver.openWindow());
    const page = new WebKitPage(this.#driver, this.#results, window);
    this.#pages.add(page);
    page.onGone(() => this.#pages.delete(page));
    return page;
  }

  get isStuck(): boolean {
    return this.#driver.isStuck;
  }

  async quit(): Promise<void> {
    await this.#driver.quit().catch(() => undefined);
    await this.kill();
  }

  async kill(): Promise<void> {
    await killFamily(this.pid);
    await this.#driver.stop();
    await ended(this.#screen);
    this.#results.close();
    for (const page of [...this.#pages]) page.leave();
  }
}

/** What came of a call in a page. */
type Result =
  { readonly kind: 'value'; readonly value?: unknown } | { readonly kind: 'error'; readonly message: string };

/** Where the pages of a browser send their results, each with the number of its call. */
class Results {
  readonly #server;
  readonly #waiting = new Map<number, (result: Result) => void>();
  #calls = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      socket.on('error', () => undefined);
      createInterface(socket).on('line', (line) => {
        const { call, result } = JSON.parse(line) as { readonly call: number; readonly result: Result };
        this.#waiting.get(call)?.(result);
        this.#waiting.delete(call);
      });
    });
  }

  /** Begins to listen on a port of this machine. */
  static async listen(): Promise<Results> {
    const results = new Results();
    await new Promise<void>((resolve) => results.#server.listen(0, '127.0.0.1', resolve));
    return results;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A number for a call, and what will come of it. */
  expect(): { readonly call: number; readonly result: Promise<Result> } {
    const call = ++this.#calls;
    return { call, result: new Promise((resolve) => this.#waiting.set(call, resolve)) };
  }

  close(): void {
    this.#server.close();
  }
}

class WebKitPage implements EnginePage {
  readonly #driver: WebDriver;
  readonly #results: Results;
  readonly #window: string;
  readonly #left = new AbortController();

  constructor(driver: WebDriver, results: Results, window: string) {
    this.#driver = driver;
    this.#results = results;
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
   * The driver runs one script at a time, whichever tab it is for. So none waits: the script begins the work, and the page
   * sends what comes of it.
   */
  async evaluate<Argument, Value>(
    work: (argument: Argument) => Value | Promise<Value>,
    argument: Argument,
  ): Promise<Value> {
    const { call, result } = this.#results.expect();
    await this.#run(`${BEGIN}(arguments[0], () => (${String(work)})(arguments[1]))`, [call, argument]);
    let came: Result | null = null;
    for (let isThere = true; came === null && isThere;) {
      came = await Promise.race([result, pause(STILL_THERE_MS)]);
      isThere = came !== null || (await this.#run<boolean>(`return ${OWES}(arguments[0])`, [call]));
    }
    // It may have been on its way when the page was asked.
    came ??= await Promise.race([result, pause(STILL_THERE_MS)]);
    if (came === null) throw new Error('The page was left before it answered.');
    if (came.kind === 'error') throw new Error(came.message);
    return came.value as Value;
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
    let wait = ASK_FIRST_MS;
    for (
      const until = Date.now() + LOAD_MOST_MS;
      Date.now() < until;
      wait = Math.min(ASK_MOST_MS, wait * 2)
    ) {
      const isThere = await this.#run<boolean>(
        `return (arguments[0] || !('isBeforeLoad' in globalThis)) && document.readyState === 'complete' && location.href !== 'about:blank'`,
        [stays],
      ).catch(() => false);
      if (isThere) return;
      if (this.#driver.isStuck) break;
      await pause(wait);
    }
    throw new Error(`${url ?? 'the page'} was not loaded in ${LOAD_MOST_MS} ms`);
  }
}

/** Nothing, after so long. */
function pause(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}

/** In the page: begins `work`, and sends what comes of it under `call`. */
const BEGIN = `((call, work) => {
  const owed = (globalThis.owedToTheTest ??= new Set());
  const say = (result) => {
    webkit.messageHandlers.test.postMessage(JSON.stringify({ call, result }));
    owed.delete(call);
  };
  owed.add(call);
  new Promise((resolve) => resolve(work())).then(
    (value) => say({ kind: 'value', value }),
    (error) => say({ kind: 'error', message: error instanceof Error ? error.message : String(error) }),
  );
})`;

/** In the page: whether it owes the result of \`call\`. */
const OWES = `((call) => globalThis.owedToTheTest?.has(call) ?? false)`;

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
