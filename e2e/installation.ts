/** Rota in one browser, in the words of those who use it, whichever engine that is. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { type Served, serve } from '../scripts/serve.mjs';
import type { AutomationId, DefinitionInput, HostApi, Run, RunId } from './contract.ts';
import type { Engine, EngineBrowser, EnginePage } from './engines/index.ts';

/** The call of the console API by name, made in a tab. */
type Rota = {
  readonly [Name in keyof HostApi]: (...args: Parameters<HostApi[Name]>) => ReturnType<HostApi[Name]>;
};

/** What `call` answers, or `null` when its host went meanwhile: who asks again and again while hosts go meets that. */
export async function unlessLost<Value>(call: Promise<Value>): Promise<Value | null> {
  try {
    return await call;
  } catch (error) {
    if (/engine (?:ended|has stopped|is stopping)/.test(String(error))) return null;
    throw error;
  }
}

/** One open tab, in any engine. */
export class RotaTab {
  constructor(
    readonly view: EnginePage,
    readonly url: string,
  ) {}

  /** The console API, as a person uses it in the developer tools. */
  readonly rota: Rota = new Proxy({} as Rota, {
    get:
      (_, name: string) =>
      (...args: unknown[]) =>
        this.view.evaluate(
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
    await this.view.goto(`${this.url}${hash}`);
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

  /** Imports one automation, and answers with its id. */
  async addOne(automation: DefinitionInput): Promise<AutomationId> {
    const [id] = await this.add(automation);
    if (id === undefined) throw new Error('nothing was imported');
    return id;
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
      .poll(async () => (await unlessLost(this.runs()))?.filter((run) => run.status !== 'running').length, {
        timeout: 30_000,
      })
      .toBe(count);
    return this.runs();
  }

  /** All text on the screen, in the order of the page; what its parts keep in shadow trees is among it. */
  shown(): Promise<string> {
    return this.view.evaluate(() => {
      const texts: string[] = [];
      const walk = (node: Node): void => {
        if (node instanceof Text) texts.push(node.data);
        if (node instanceof HTMLStyleElement || node instanceof HTMLScriptElement) return;
        if (node instanceof HTMLSlotElement && node.assignedNodes().length > 0) {
          for (const child of node.assignedNodes()) walk(child);
          return;
        }
        const inside = node instanceof Element ? node.shadowRoot : null;
        for (const child of (inside ?? node).childNodes) walk(child);
      };
      walk(document.body);
      return texts.join(' ').replaceAll(/\s+/g, ' ');
    }, null);
  }
}

/** A browser with a disk profile, and Rota served to it on one origin. */
export class Installation<Browser extends EngineBrowser = EngineBrowser, Tab extends RotaTab = RotaTab> {
  /** What pages said on their consoles that no page of Rota should say. */
  readonly complaints: string[] = [];
  readonly #engine: Engine<Browser>;
  readonly #tabOf: (browser: Browser, url: string) => Promise<Tab>;
  #browser: Browser | null = null;

  constructor(
    readonly site: Served,
    readonly profile: string,
    engine: Engine<Browser>,
    tabOf: (browser: Browser, url: string) => Promise<Tab>,
  ) {
    this.#engine = engine;
    this.#tabOf = tabOf;
  }

  get browser(): Browser {
    if (this.#browser === null) throw new Error('The browser is closed.');
    return this.#browser;
  }

  /** Starts the browser on the same profile as before. `before` is a script that runs in each page before its own. */
  async launch(before = ''): Promise<void> {
    const { profile } = this;
    const complain = (what: string): void => void this.complaints.push(what);
    this.#browser = await this.#engine.launch({ profile, before, complain });
  }

  /** Ends the browser as a person does; with it every tab, worker and host. */
  async quit(): Promise<void> {
    const browser = this.#browser;
    this.#browser = null;
    await browser?.quit();
  }

  /** Kills the browser with everything in it: nothing is told first. What was acknowledged is on the disk. */
  async kill(): Promise<void> {
    const { browser } = this;
    this.#browser = null;
    await browser.kill();
  }

  /** A new tab that has not loaded anything yet. `path` is where a build is served. */
  newTab(path = '/'): Promise<Tab> {
    return this.#tabOf(this.browser, `${this.site.origin}${path}`);
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

/**
 * Serves Rota built at `/`, the next build at `/next/` and one with pause points at `/test/`, and has `work` done with the
 * browser of an installation on a new profile. Nothing of it is left.
 */
export async function withInstallation<Place extends Pick<Installation, 'launch' | 'quit'>>(
  make: (site: Served, profile: string) => Place,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const site = await serve({ mounts: { '/': 'dist', '/next/': 'dist-next', '/test/': 'dist-test' } });
  const profile = await mkdtemp(join(tmpdir(), 'rota-e2e-'));
  const place = make(site, profile);
  try {
    await place.launch();
    await work(place);
  } finally {
    await place.quit();
    await site.close();
    await rm(profile, { recursive: true, force: true });
  }
}
