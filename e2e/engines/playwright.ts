/** Chromium and Firefox, driven by Playwright. */
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, firefox } from '@playwright/test';
import { findChromium, findFirefox, launchOptions } from '../../scripts/browsers.mjs';
import { browserProcess, killFamily } from '../processes.ts';
import { ChromiumDevTools } from './dev-tools.ts';
import {
  type DevTools,
  type Engine,
  type EngineBrowser,
  type EngineName,
  TELL_VIOLATIONS,
} from './engine.ts';
import { PlaywrightPage } from './playwright-page.ts';

/** Starts Firefox so that it outlives its tabs. */
const FIREFOX_SCRIPT = fileURLToPath(new URL('firefox.sh', import.meta.url));

type Options = Parameters<typeof chromium.launchPersistentContext>[1];

/** A browser that Playwright has started, with all that Playwright can do to it in `context`. */
export class PlaywrightBrowser implements EngineBrowser {
  readonly followsReloads = true;
  readonly isStuck = false;

  constructor(
    readonly context: BrowserContext,
    readonly pid: number,
    readonly devTools: DevTools | null,
    readonly takesRequestsBack: boolean,
  ) {}

  async newPage(look?: 'hidden'): Promise<PlaywrightPage> {
    const page = await this.context.newPage();
    if (look === 'hidden') {
      await page.addInitScript(() => {
        Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
        Object.defineProperty(document, 'hidden', { get: () => true });
      });
    }
    return new PlaywrightPage(page);
  }

  quit(): Promise<void> {
    return this.context.close();
  }

  async kill(): Promise<void> {
    await killFamily(this.pid);
    // There is nobody left to close it; only Playwright's own side of it is.
    await this.context.close().catch(() => undefined);
  }
}

/** Chromium, started with more options than every start has. */
export function chromiumWith(options: Options = {}): Engine<PlaywrightBrowser> {
  return engine('chromium', (profile) => {
    const executablePath = findChromium();
    if (executablePath === null) throw new Error('There is no Chromium here. `npm test` installs one.');
    const { args, ...others } = launchOptions(executablePath);
    return chromium.launchPersistentContext(profile, {
      ...others,
      ...options,
      args: [...args, ...(options.args ?? [])],
    });
  });
}

/** Chromium as it is. */
export const CHROMIUM = chromiumWith();

/** Firefox as people have it, where it is there. */
export const FIREFOX = engine(
  'firefox',
  (profile) => {
    const found = findFirefox();
    if (found === null) throw new Error('There is no Firefox here. `npm test` installs one.');
    const { executablePath, ...others } = found;
    return firefox.launchPersistentContext(profile, {
      ...others,
      executablePath: FIREFOX_SCRIPT,
      env: { ...env, FIREFOX: executablePath },
    });
  },
  TELL_VIOLATIONS,
);

/** `always` is a script that runs in each page before any other. */
function engine(
  name: EngineName,
  start: (profile: string) => Promise<BrowserContext>,
  always = '',
): Engine<PlaywrightBrowser> {
  return {
    name,
    launch: async ({ profile, before, complain }) => {
      const context = await start(profile);
      context.on('console', (message) => {
        if (message.type() === 'error' || /Content.Security.Policy|Trusted ?Type/i.test(message.text())) {
          complain(`${message.type()}: ${message.text()}`);
        }
      });
      context.on('weberror', (error) => complain(`uncaught: ${error.error().message}`));
      await context.addInitScript(`${always}\n${before}`);
      const devTools = name === 'chromium' ? new ChromiumDevTools(context) : null;
      // Firefox aborts nothing that a worker with a service worker before it has asked for: the promise is rejected, and the
      // request goes on.
      return new PlaywrightBrowser(context, browserProcess(profile), devTools, name === 'chromium');
    },
  };
}
