/** How long a person may take to answer the browser's question. */
const ANSWER_MOST_MS = 60_000;

/** What this device calls itself. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$|\.localhost$/;

/** The names under which Chromium knows the permission, newest first. */
const PERMISSIONS = ['loopback-network', 'local-network', 'local-network-access'];

/**
 * Has the browser ask, where it would, whether Rota may reach this device or its network, when `address` is there. Called
 * from a click: a window's request waits for the answer, where a worker's fails at once (measured in Chromium). Resolves
 * when there is nothing to ask any more; never rejects.
 */
export async function askForLocalNetwork(address: string): Promise<void> {
  if (!URL.canParse(address)) return;
  const { hostname, origin } = new URL(address);
  // From this very device nothing is nearer, so the browser has nothing to ask.
  if (LOOPBACK.test(location.hostname) || !isNear(hostname) || !(await isToBeAsked())) return;
  try {
    await fetch(origin, {
      method: 'HEAD',
      mode: 'no-cors',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_MOST_MS),
    });
  } catch {
    // Whoever asks next finds out why, and says it.
  }
}

function isNear(hostname: string): boolean {
  return /^(?:localhost|127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.|\[)|\.(?:localhost|local|lan|internal)$|^[^.]+$/.test(
    hostname,
  );
}

async function isToBeAsked(): Promise<boolean> {
  for (const name of PERMISSIONS) {
    try {
      const { state } = await navigator.permissions.query({ name: name as PermissionName });
      if (state === 'prompt') return true;
    } catch {
      // A browser without this permission asks nothing.
    }
  }
  return false;
}
