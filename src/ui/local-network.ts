/**
 * Local Network Access as a window meets it (https://wicg.github.io/local-network-access/): Chromium lets a page reach
 * servers that are nearer to the device than the page's own only if the person allows it. A window's request waits for the
 * answer; a worker's fails at once, and works as soon as the permission is there (measured in Chromium 156).
 */
import {
  type LocalNetworkPermission,
  type NearNetwork,
  guardedNetwork,
  permissionNames,
  serverOf,
} from '../domain/index.ts';
import type { Unsubscribe } from './remote-host.ts';

/** How long a person may take to answer the browser's question. */
const ANSWER_MOST_MS = 60_000;

/** The network that the browser may guard and that `address` is in; `null` where there is nothing to ask for. */
export function networkOf(address: string): NearNetwork | null {
  const server = serverOf(address);
  return server === null ? null : guardedNetwork(server.hostname, location.hostname);
}

/** What the browser says now. Never rejects. */
export async function readPermission(network: NearNetwork): Promise<LocalNetworkPermission> {
  return (await findStatus(network))?.state ?? 'unknown';
}

/** Calls `changed` whenever the browser says something else. */
export function watchPermission(network: NearNetwork, changed: () => void): Unsubscribe {
  const over = new AbortController();
  void findStatus(network).then((status) => {
    status?.addEventListener('change', changed, { signal: over.signal });
  });
  return () => {
    over.abort();
  };
}

async function findStatus(network: NearNetwork): Promise<PermissionStatus | null> {
  for (const name of permissionNames(network)) {
    try {
      return await navigator.permissions.query({ name: name as PermissionName });
    } catch {
      // A browser without this permission, or that knows it by its older name.
    }
  }
  return null;
}

/**
 * Has the browser ask, where it would, whether Rota may reach this device or its network, when `address` is there. Called
 * from a click. Resolves when there is nothing to ask any more; never rejects. The browser asks only once it is connected,
 * so where no server answers it asks nothing.
 */
export async function askForLocalNetwork(address: string): Promise<void> {
  const network = networkOf(address);
  if (network === null || (await readPermission(network)) !== 'prompt') return;
  const { origin } = new URL(address.trim());
  const isMixed = location.protocol === 'https:' && origin.startsWith('http:') && network === 'local';
  try {
    await fetch(`${origin}/`, {
      method: 'HEAD',
      mode: 'no-cors',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_MOST_MS),
      // Without it http:// is blocked as mixed content before anybody is asked.
      ...((isMixed ? { targetAddressSpace: 'local' } : {}) as RequestInit),
    });
  } catch {
    // Whoever asks next finds out why, and says it.
  }
}
