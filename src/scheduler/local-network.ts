/**
 * Whether the browser lets this host reach servers on the local network or on this device. A worker cannot ask for the
 * permission, and its request without it fails at once, so what needs it waits until a window has asked.
 */
import {
  type DurationMs,
  type NearNetwork,
  type Need,
  type Server,
  guardedNetwork,
} from '../domain/index.ts';
import type { World } from './world.ts';

/** A refusal takes a few milliseconds once the host is connected (measured in Chromium 156); what takes longer is none. */
const REFUSAL_MOST_MS: DurationMs = 1_000;
/** How long a refusal is believed before it is tried again. */
const REFUSAL_KEPT_MS: DurationMs = 30_000;

/** What a claim waits for where the permission for a network is missing. */
const NEEDS: Readonly<Record<NearNetwork, Need>> = {
  local: 'local-network',
  loopback: 'loopback-network',
};

export class LocalNetwork {
  readonly #world: World;
  /** When servers were last refused, by origin; `null`: one answered, so a page of this address needs no permission. */
  readonly #refusedAt = new Map<string, number | null>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * What must be allowed before all of `servers` can be reached; `null` for nothing. The permission alone does not tell:
   * a page that itself comes from the local network under a public name needs none. So what is not granted is tried, with
   * a request for the root of the server that does nothing there.
   */
  async missingFor(servers: readonly Server[]): Promise<Need | null> {
    const { localNetworkPermission, origin } = this.#world;
    if (localNetworkPermission === undefined) return null;
    const app = new URL(origin).hostname;
    for (const { hostname, origin: server } of servers) {
      const network = guardedNetwork(hostname, app);
      if (network === null) continue;
      const permission = await localNetworkPermission(network);
      const isMissing = permission === 'prompt' || permission === 'denied';
      if (isMissing && (await this.#isRefused(server))) return NEEDS[network];
    }
    return null;
  }

  async #isRefused(server: string): Promise<boolean> {
    const at = this.#refusedAt.get(server);
    if (at === null) return false;
    const now = this.#world.monotonic();
    if (at !== undefined && now - at < REFUSAL_KEPT_MS) return true;
    const answer = await this.#ask(`${server}/`);
    if (answer === 'late') return false;
    this.#refusedAt.set(server, answer === 'refused' ? now : null);
    return answer === 'refused';
  }

  /** A server that is not there fails as fast, and cannot be told from one that may not be reached. */
  async #ask(url: string): Promise<'answered' | 'refused' | 'late'> {
    const stop = new AbortController();
    let undo = (): void => undefined;
    const late = new Promise<'late'>((resolve) => {
      undo = this.#world.setTimer(REFUSAL_MOST_MS, () => resolve('late'));
    });
    const { fetch } = this.#world; // called bare, as a browser's fetch wants it
    const asked = fetch(url, {
      method: 'HEAD',
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: stop.signal,
    }).then(
      () => 'answered' as const,
      () => 'refused' as const,
    );
    const answer = await Promise.race([asked, late]);
    undo();
    stop.abort();
    return answer;
  }
}
