/** A test in the engine that the configuration says: the means are the same in all, and each test has a browser of its own. */
import { test as base } from '@playwright/test';
import { ENGINES, type EngineOptions } from './engines/index.ts';
import { HttpServer } from './http-server.ts';
import { Installation, RotaTab, withInstallation } from './installation.ts';

interface Fixtures {
  readonly place: Installation;
  readonly server: HttpServer;
}

/** A test with a browser of its own, Rota in it as {@link withInstallation} says, and a server to call. */
export const test = base.extend<Fixtures & EngineOptions>({
  engine: ['chromium', { option: true }],
  server: async ({}, use) => {
    const server = await HttpServer.start();
    await use(server);
    await server.close();
  },
  place: ({ engine }, use) =>
    withInstallation(
      (site, profile) =>
        new Installation(
          site,
          profile,
          ENGINES[engine],
          async (browser, url) => new RotaTab(await browser.newPage(), url),
        ),
      use,
    ),
});

/** Opens `count` tabs one by one, so that the host is in the process of the first where engines put it there. */
export async function openInTurn(
  place: Installation,
  count: number,
  path = '/',
): Promise<readonly RotaTab[]> {
  const tabs: RotaTab[] = [];
  for (let n = 0; n < count; n++) tabs.push(await place.openTab(path));
  return tabs;
}
