/** Stops a host dead at a point (src/scheduler/pause-points.ts), and kills it there. */
import { expect } from '@playwright/test';
import type { EngineBrowser } from './engines/index.ts';
import type { RotaTab } from './installation.ts';
import { killNow, spinningProcess } from './processes.ts';

type Point = 'now' | 'claim-commit' | 'claimed' | 'settle-commit' | 'settled' | 'outbox';

/** Where the build with pause points is served. */
export const PATH = '/test/';

/** Arms a point; the promise resolves when the host has come to it. */
export async function arm(tab: RotaTab, point: Point): Promise<{ readonly reached: Promise<unknown> }> {
  await tab.view.evaluate((at) => {
    const channel = new BroadcastChannel('rota-test');
    const reached = new Promise((resolve) => {
      channel.onmessage = ({ data }) => {
        if (Reflect.get(data as object, 'reached') === at) resolve(null);
      };
    });
    Object.assign(globalThis, { channel, reached });
    channel.postMessage({ arm: at });
  }, point);
  return { reached: tab.view.evaluate(() => Reflect.get(globalThis, 'reached') as Promise<null>, null) };
}

/**
 * Kills the host's process where it spins, waits until the witness has another host, and answers with when it was killed.
 * What has to happen in a bounded time after something that waits for the kill is asked for in `before`: to find the process
 * takes as long as a busy machine makes it.
 */
export async function killHost(
  { browser }: { readonly browser: EngineBrowser },
  witness: RotaTab,
  before: () => void = () => undefined,
): Promise<number> {
  const pid = await spinningProcess(browser.pid);
  before();
  const killedAt = Date.now();
  killNow(pid);
  // Reads that were pending reject, as they must; the first that is answered is answered by the next host.
  await expect.poll(() => witness.rota.version().catch(() => null)).not.toBeNull();
  return killedAt;
}
