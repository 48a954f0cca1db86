/**
 * The words of the app: what a person does in Rota, and what the tests look at. In Chromium, and in Firefox where a story says
 * so by its tag; others in engines.spec.ts.
 */
import { type BrowserContext, type CDPSession, type Page, test as base, expect } from '@playwright/test';
import type { Served } from '../scripts/serve.mjs';
import type { DefinitionInput } from './contract.ts';
import type { EngineOptions } from './engines/index.ts';
import { PlaywrightPage } from './engines/playwright-page.ts';
import { FIREFOX, type PlaywrightBrowser, chromiumWith } from './engines/playwright.ts';
import { HttpServer, REMOTE_HOST } from './http-server.ts';
import { Installation, RotaTab, withInstallation } from './installation.ts';

/** One open tab, with its screen in `page`. */
export class Tab extends RotaTab {
  constructor(
    readonly page: Page,
    url: string,
  ) {
    super(new PlaywrightPage(page), url);
  }
}

const ENGINE = chromiumWith({ args: [`--host-resolver-rules=MAP ${REMOTE_HOST} 127.0.0.1`] });

/** A tag of stories that are told in Firefox too: those that a screen stands for. */
export const IN_FIREFOX = '@firefox';

/** Chromium, or Firefox, with a disk profile, and Rota served to it on one origin. */
export class App extends Installation<PlaywrightBrowser, Tab> {
  #devTools: CDPSession | null = null;
  readonly #sessions = new Map<string, string>();
  #lastCommand = 0;

  constructor(site: Served, profile: string, engine = ENGINE) {
    super(site, profile, engine, async ({ context }, url) => new Tab(await context.newPage(), url));
  }

  get context(): BrowserContext {
    return this.browser.context;
  }

  override async launch(before?: string): Promise<void> {
    this.#devTools = null;
    this.#sessions.clear();
    await super.launch(before);
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
}

interface Fixtures {
  readonly app: App;
  readonly server: HttpServer;
}

/** A test with a browser of its own, Rota built and served at `/`, the next build at `/next/` and one with pause points
 * at `/test/`, and a server to call. */
export const test = base.extend<Fixtures & EngineOptions>({
  engine: ['chromium', { option: true }],
  server: async ({}, use) => {
    const server = await HttpServer.start();
    await use(server);
    await server.close();
  },
  app: ({ engine }, use) =>
    withInstallation((site, profile) => new App(site, profile, engine === 'firefox' ? FIREFOX : ENGINE), use),
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
