/**
 * Whether the browser may throw Rota's data away when the disk is full. It is asked once not to, after the first run
 * that succeeded: before that there is little to lose, and Chromium grants without a question to sites that are used.
 * Settings can ask again at any time.
 */
import type { RemoteHost } from './remote-host.ts';

/** What is known of the storage of this site. `null` where the browser does not say. */
export interface StorageState {
  readonly usageBytes: number | null;
  readonly quotaBytes: number | null;
  readonly persisted: boolean | null;
}

const ASKED_KEY = 'rota:persistence-asked';

/** Reads the state of the storage. Never rejects. */
export async function readStorage(): Promise<StorageState> {
  const unknown: StorageState = { usageBytes: null, quotaBytes: null, persisted: null };
  if (!('storage' in navigator)) return unknown;
  const [estimate, persisted] = await Promise.all([
    navigator.storage.estimate().catch(() => null),
    navigator.storage.persisted().catch(() => null),
  ]);
  return {
    usageBytes: estimate?.usage ?? null,
    quotaBytes: estimate?.quota ?? null,
    persisted,
  };
}

/** Asks the browser to keep the data; resolves to whether it does. Some browsers ask the person. */
export async function askToPersist(): Promise<boolean> {
  try {
    return await navigator.storage.persist();
  } catch {
    return false;
  }
}

/** Asks once, after the first success of any automation, in whichever tab hears of it first. */
export function persistAfterFirstSuccess(host: RemoteHost): void {
  if (wasAsked() || !('storage' in navigator)) return;
  let looking = false;
  const stop = host.onHint(({ topic }) => {
    if (topic === 'runs' && !looking) void look();
  });

  async function look(): Promise<void> {
    looking = true;
    try {
      if (wasAsked() || (await navigator.storage.persisted())) {
        stop();
        return;
      }
      const { items } = await host.listRuns({ status: 'succeeded', limit: 1 });
      if (items.length === 0) return;
      stop();
      rememberAsked();
      await askToPersist();
    } catch {
      // The next success is as good.
    } finally {
      looking = false;
    }
  }
}

function wasAsked(): boolean {
  try {
    return localStorage.getItem(ASKED_KEY) !== null;
  } catch {
    return true; // Where site data is blocked there is nothing to keep.
  }
}

function rememberAsked(): void {
  try {
    localStorage.setItem(ASKED_KEY, 'yes');
  } catch {
    // Asking twice does no harm.
  }
}
