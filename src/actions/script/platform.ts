/** What the sandbox takes from the worker that it is in. Wiring: nothing else of this folder touches the world. */

/** Time that has passed in this worker, in milliseconds. A real one: what is measured with it is how long others wait. */
export const elapsedMs = (): number => performance.now();

/** Lets whatever else there is to do in this worker have its turn. */
export function others(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/**
 * A file of the build. A service worker's own requests do not pass through it, so what the browser keeps of Rota is looked
 * through first. Rejects when there is no network either.
 */
export async function fileOfBuild(address: string): Promise<Response> {
  const kept = 'caches' in globalThis ? await caches.match(address).catch(() => undefined) : undefined;
  return kept ?? (await fetch(address));
}

/** Calls `fire` once after `delayMs`, unless what it returns is called before. */
export function after(delayMs: number, fire: () => void): () => void {
  const id = setTimeout(fire, delayMs);
  return () => clearTimeout(id);
}
