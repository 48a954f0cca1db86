/** The browser engines that Rota is shown to work in. */
import type { Engine, EngineName } from './engine.ts';
import { CHROMIUM, FIREFOX } from './playwright.ts';
import { WEBKIT } from './webkit.ts';

export type { DevTools, Engine, EngineBrowser, EngineName, EnginePage } from './engine.ts';

/** Each engine by its name. */
export const ENGINES: Readonly<Record<EngineName, Engine>> = {
  chromium: CHROMIUM,
  firefox: FIREFOX,
  webkit: WEBKIT,
};

/** What the configuration says of a test: the engine that it runs in. */
export interface EngineOptions {
  readonly engine: EngineName;
}
