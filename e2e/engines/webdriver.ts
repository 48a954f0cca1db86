/** A client of W3C WebDriver (https://www.w3.org/TR/webdriver2/), as much of it as the stories need. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';

/** How long a driver may take to listen, and how long any command may. */
const START_MOST_MS = 15_000;
const COMMAND_MOST_MS = 30_000;

/** The driver answered with an error of the protocol, such as `no such window`. */
class WebDriverError extends Error {
  override readonly name = 'WebDriverError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** A driver's process, and the one session in it. */
export class WebDriver {
  readonly #process: ChildProcess;
  readonly #origin: string;
  #most = COMMAND_MOST_MS;
  #session = '';
  /** The window that commands go to, as far as is known. */
  #current = '';
  /** Whether a command was not answered in time: then none is any more. */
  #isStuck = false;
  /** What is under way: a command for a window is two, one that goes to the window and one that does it there. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  /**
   * Starts the driver `command` and a browser with it, as `capabilities` say. `hear` is told each line that the driver, or
   * the browser that it started, prints. `most` is how long any command may
   * take once there is a session.
   */
  static async start(
    command: string,
    capabilities: object,
    env: NodeJS.ProcessEnv,
    hear: (line: string) => void,
    most = COMMAND_MOST_MS,
  ): Promise<WebDriver> {
    const port = await freePort();
    const child = spawn(command, [`--port=${port}`], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) createInterface(stream).on('line', hear);
    const driver = new WebDriver(child, port);
    try {
      await driver.#listening();
      const { sessionId } = await driver.#send<{ readonly sessionId: string }>('POST', '/session', {
        capabilities: { alwaysMatch: capabilities },
      });
      driver.#session = sessionId;
      driver.#most = most;
    } catch (error) {
      await driver.stop();
      throw error;
    }
    return driver;
  }

  /** Whether the driver has stopped answering, or has ended: all that can be done is to end its browser. */
  get isStuck(): boolean {
    return this.#isStuck || this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** The windows that are open, each a tab. */
  windows(): Promise<readonly string[]> {
    return this.#inTurn(() => this.#command('GET', '/window/handles'));
  }

  /** Opens a tab. */
  openWindow(): Promise<string> {
    return this.#inTurn(async () => {
      // A window is opened from another, and the one that was in use last may have been closed.
      const [open] = await this.#command<readonly string[]>('GET', '/window/handles');
      if (open !== undefined) await this.#turnTo(open);
      const { handle } = await this.#command<{ readonly handle: string }>('POST', '/window/new', {
        type: 'tab',
      });
      return handle;
    });
  }

  /** Makes a command, such as `POST` `/url`, in a window. */
  in<Result>(window: string, method: 'POST' | 'DELETE', path: string, body: object = {}): Promise<Result> {
    return this.#inTurn(async () => {
      await this.#turnTo(window);
      try {
        return await this.#command<Result>(method, path, body);
      } catch (error) {
        // It may have been closed.
        this.#current = '';
        throw error;
      }
    });
  }

  async #turnTo(window: string): Promise<void> {
    if (this.#current === window) return;
    this.#current = '';
    await this.#command('POST', '/window', { handle: window });
    this.#current = window;
  }

  /** Ends the session, and with it the browser. */
  async quit(): Promise<void> {
    await this.#inTurn(() => this.#command('DELETE', ''));
  }

  /** Ends the driver. */
  async stop(): Promise<void> {
    await ended(this.#process);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(() => {
      // Each of those that wait their turn would wait as long in vain.
      if (this.isStuck) throw new Error('The driver has stopped answering.');
      return work();
    });
    this.#turn = done.catch(() => undefined);
    return done;
  }

  #command<Result>(method: string, path: string, body?: object): Promise<Result> {
    return this.#send(method, `/session/${this.#session}${path}`, body);
  }

  async #send<Result>(method: string, path: string, body?: object): Promise<Result> {
    const answer = await fetch(`${this.#origin}${path}`, {
      method,
      signal: AbortSignal.timeout(this.#most),
      ...(method === 'POST' ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'TimeoutError')
        this.#isStuck = this.#session !== '';
      throw error;
    });
    const { value } = (await answer.json()) as { readonly value: unknown };
    if (answer.ok) return value as Result;
    const { error, message } = value as { readonly error: string; readonly message: string };
    throw new WebDriverError(error, message);
  }

  async #listening(): Promise<void> {
    for (const until = Date.now() + START_MOST_MS; ;) {
      try {
        await this.#send('GET', '/status');
        return;
      } catch (error) {
        if (Date.now() > until || this.#process.exitCode !== null) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Ends a process that was started here, and resolves when it has ended. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exit;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
