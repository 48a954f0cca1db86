/** The words of the app: what a person does in Rota, and what the tests look at. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BrowserContext,
  type CDPSession,
  type Page,
  test as base,
  chromium,
  expect,
} from '@playwright/test';
import { findChromium, launchOptions } from '../scripts/browsers.mjs';
import { type Served, serve } from '../scripts/serve.mjs';
import type { AutomationId, DefinitionInput, Run, RunId } from './contract.ts';
import type { HostApi } from './contract.ts';
import { HttpServer, REMOTE_HOST } from './http-server.ts';
import { browserProcess } from './processes.ts';

/** The call of the console API by name, made in a tab. */
type Rota = {
  readonly [Name in keyof HostApi]: (...args: Parameters<HostApi[Name]>) => ReturnType<HostApi[Name]>;
};

/** One open tab. */
export class Tab {
  constructor(
    readonly page: Page,
    readonly url: string,
  ) {}

  /** The console API, as a person uses it in the developer tools. */
  readonly rota: Rota = new Proxy({} as Rota, {
    get:
      (_, name: string) =>
      (...args: unknown[]) =>
        this.page.evaluate(
          ([call, values]) => {
            const rota = Reflect.get(globalThis, 'rota') as Record<
              string,
              (...args: unknown[]) => Promise<unknown>
            >;
            const method = rota[call];
            if (method === undefined) throw new Error(`There is no rota.${call}`);
            return method(...values);
          },
          [name, args] as const,
        ),
  });

  /** Opens the page and waits until its engine answers. */
  async open(hash = ''): Promise<this> {
    await this.page.goto(`${this.url}${hash}`);
    await this.rota.version();
    return this;
  }

  /** Imports `automations` to run from now on, and answers with their ids. */
  async add(...automations: readonly DefinitionInput[]): Promise<readonly AutomationId[]> {
    const text = JSON.stringify({ format: 'rota', version: 1, automations });
    const result = await this.rota.importFile({ text, enable: true });
    if (result.kind !== 'imported') throw new Error(`Not imported: ${JSON.stringify(result.problems)}`);
    return result.ids;
  }

  /** All rows of the ledger, newest first. */
  async runs(automationId?: AutomationId): Promise<readonly Run[]> {
    const runs: Run[] = [];
    for (let before: RunId | undefined; ;) {
      const page = await this.rota.listRuns({
        limit: 1_000,
        ...(automationId === undefined ? {} : { automationId }),
        ...(before === undefined ? {} : { before }),
      });
      runs.push(...page.items);
      if (page.next === undefined) return runs;
      before = page.next;
    }
  }

  /** Waits until every row has settled and there are `count` of them. */
  async expectSettled(count: number): Promise<readonly Run[]> {
    await expect
      .poll(async () => (await this.runs()).filter((run) => run.status !== 'running').length, {
        timeout: 30_000,
      })
      .toBe(count);
    return this.runs();
  }
}

/** A browser with a disk profile, and Rota served to it on one origin. */
export class App {
  /** What pages said on their consoles that no page of Rota should say. */
  readonly complaints: string[] = [];
  #context: BrowserContext | null = null;
  #devTools: CDPSession | null = null;
  readonly #sessions = new Map<string, string>();
  #lastCommand = 0;

  constructor(
    readonly site: Served,
    readonly profile: string,
  ) {}

  get context(): BrowserContext {
    if (this.#context === null) throw new Error('The browser is closed.');
    return this.#context;
  }

  /** Starts the browser on the same profile as before. */
  async launch(options: Parameters<typeof chromium.launchPersistentContext>[1] = {}): Promise<void> {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error('There is no Chromium here. `npm test` installs one.');
    const { args, ...others } = launchOptions(executablePath);
    this.#context = await chromium.launchPersistentContext(this.profile, {
      ...others,
      args: [...args, `--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1`],
      ...options,
    });
    this.#context.on('console', (message) => {
      if (message.type() === 'error' || /Content.Security.Policy|Trusted ?Type/i.test(message.text())) {
        this.complaints.push(`${message.type()}: ${message.text()}`);
      }
    });
    this.#context.on('weberror', (error) => this.complaints.push(`uncaught: ${error.error().message}`));
  }

  /** Ends the browser as a person does; with it every tab, worker and host. */
  async quit(): Promise<void> {
    await this.#context?.close();
    this.#context = null;
    this.#devTools = null;
    this.#sessions.clear();
  }

  /** Kills the browser with everything in it: nothing is told first. What was acknowledged is on the disk. */
  async kill(): Promise<void> {
    process.kill(browserProcess(this.profile), 'SIGKILL');
    await this.buried();
  }

  /** The browser was killed: waits until nothing of it is left to be closed. */
  async buried(): Promise<void> {
    const context = this.context;
    this.#context = null;
    this.#devTools = null;
    this.#sessions.clear();
    await context.close().catch(() => undefined);
  }

  /** Cuts the network, or brings it back, for every page and every SharedWorker that is there now. */
  async setOffline(offline: boolean): Promise<void> {
    await this.context.setOffline(offline);
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.#tellWorkers([
      { method: 'Network.enable', params: {} },
      // The first cuts requests, the second is what navigator.onLine and its event say.
      { method: 'Network.emulateNetworkConditions', params: conditions },
      { method: 'Network.overrideNetworkState', params: conditions },
    ]);
  }

  /** Sends DevTools commands to each SharedWorker, which no page's session reaches, and waits for the answers. */
  async #tellWorkers(
    commands: readonly { readonly method: string; readonly params: object }[],
  ): Promise<void> {
    const browser = this.context.browser();
    if (browser === null) throw new Error('The browser cannot be reached.');
    this.#devTools ??= await browser.newBrowserCDPSession();
    const devTools = this.#devTools;
    const { targetInfos } = await devTools.send('Target.getTargets');
    for (const { targetId } of targetInfos.filter((target) => target.type === 'shared_worker')) {
      // One session a worker, for as long as the browser lives: what one overrides, only it can take back.
      const attached = this.#sessions.get(targetId);
      const sessionId =
        attached ?? (await devTools.send('Target.attachToTarget', { targetId, flatten: false })).sessionId;
      this.#sessions.set(targetId, sessionId);
      for (const command of commands) {
        const id = ++this.#lastCommand;
        const answered = new Promise<void>((resolve) => {
          const hear = (event: { sessionId?: string; message: string }): void => {
            if (event.sessionId !== sessionId || (JSON.parse(event.message) as { id?: number }).id !== id)
              return;
            devTools.off('Target.receivedMessageFromTarget', hear);
            resolve();
          };
          devTools.on('Target.receivedMessageFromTarget', hear);
        });
        await devTools.send('Target.sendMessageToTarget', {
          sessionId,
          message: JSON.stringify({ id, ...command }),
        });
        await answered;
      }
    }
  }

  /** A new tab that has not loaded anything yet. `path` is where a build is served. */
  async newTab(path = '/'): Promise<Tab> {
    return new Tab(await this.context.newPage(), `${this.site.origin}${path}`);
  }

  /** Opens `count` tabs at the same instant. */
  async openTabs(count: number, path = '/'): Promise<readonly Tab[]> {
    const tabs = await Promise.all(Array.from({ length: count }, () => this.newTab(path)));
    await Promise.all(tabs.map((tab) => tab.open()));
    return tabs;
  }

  async openTab(path = '/'): Promise<Tab> {
    return (await this.newTab(path)).open();
  }
}

interface Fixtures {
  readonly app: App;
  readonly server: HttpServer;
}

/** A test with a browser of its own, Rota built and served at `/`, the next build at `/next/` and one with pause points
 * at `/test/`, and a server to call. */
export const test = base.extend<Fixtures>({
  server: async ({}, use) => {
    const server = await HttpServer.start();
    await use(server);
    await server.close();
  },
  app: async ({}, use) => {
    const site = await serve({ mounts: { '/': 'dist', '/next/': 'dist-next', '/test/': 'dist-test' } });
    const folder = await mkdtemp(join(tmpdir(), 'rota-e2e-'));
    const app = new App(site, folder);
    await app.launch();
    await use(app);
    await app.quit();
    await site.close();
    await rm(folder, { recursive: true, force: true });
  },
});

export { expect };

/** The first instant that is a whole number of seconds at least `ms` from now. */
export function soon(ms: number): number {
  return Math.ceil((Date.now() + ms) / 1_000) * 1_000;
}

/** An automation that requests `url` once at `at`. */
export function onceAt(
  name: string,
  at: number,
  url: string,
  more: Partial<DefinitionInput> = {},
): DefinitionInput {
  return { name, schedule: { kind: 'once', at }, action: { kind: 'http', url }, ...more };
}

/** An automation that requests `url` every `everyMs`, aligned to the clock. */
export function every(
  name: string,
  everyMs: number,
  url: string,
  more: Partial<DefinitionInput> = {},
): DefinitionInput {
  return { name, schedule: { kind: 'every', everyMs, anchor: 0 }, action: { kind: 'http', url }, ...more };
}

/** An automation that requests `url` when asked by hand. */
export function byHand(name: string, url: string, more: Partial<DefinitionInput> = {}): DefinitionInput {
  return { name, schedule: { kind: 'manual' }, action: { kind: 'http', url }, ...more };
}
