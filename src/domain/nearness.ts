/** How near a host is to this device, which browsers guard the way to. */
/** How near a host is, as far as its name tells; browsers guard the way from a farther page to a nearer host. */
export type Nearness = 'loopback' | 'local' | 'public';

/** How near `hostname` is, written as in `URL.hostname`. */
export function nearnessOf(hostname: string): Nearness {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost') || name === '[::1]') return 'loopback';
  const ipv4 = /^(\d{1,3})\.(\d{1,3})\.\d{1,3}\.\d{1,3}$/.exec(name);
  if (ipv4 !== null) {
    const [first, second] = [Number(ipv4[1]), Number(ipv4[2])];
    if (first === 127) return 'loopback';
    const isLocal =
      first === 0 ||
      first === 10 ||
      (first === 100 && second >= 64 && second < 128) ||
      (first === 169 && second === 254) ||
      (first === 172 && second >= 16 && second < 32) ||
      (first === 192 && second === 168);
    return isLocal ? 'local' : 'public';
  }
  if (name.startsWith('[')) return /^\[f(?:[cd]|e[89ab])/.test(name) ? 'local' : 'public';
  return !name.includes('.') || /\.(?:local|lan|internal|home\.arpa)$/.test(name) ? 'local' : 'public';
}

/** What stands for a guarded network in a browser's permissions (Local Network Access) and in Rota. */
export type NearNetwork = Exclude<Nearness, 'public'>;

/**
 * The network of `hostname` that a browser may guard from a page of `appHostname`: one that is nearer than the page.
 * `null`: there is nothing to ask for.
 */
export function guardedNetwork(hostname: string, appHostname: string): NearNetwork | null {
  const nearness = nearnessOf(hostname);
  return nearness !== 'public' && RANK[nearness] > RANK[nearnessOf(appHostname)] ? nearness : null;
}

const RANK: Readonly<Record<Nearness, number>> = { public: 0, local: 1, loopback: 2 };

/** Whether the browser lets Rota reach a guarded network; `unknown` where it has no such permission. */
export type LocalNetworkPermission = 'granted' | 'denied' | 'prompt' | 'unknown';

/** The names of the permission, the newest first; what splits it in two came in Chromium 145. */
export function permissionNames(network: NearNetwork): readonly string[] {
  return [network === 'loopback' ? 'loopback-network' : 'local-network', 'local-network-access'];
}

/** What a network is called in a sentence. */
export function networkName(network: NearNetwork): string {
  return network === 'loopback' ? 'this device' : 'the local network';
}
