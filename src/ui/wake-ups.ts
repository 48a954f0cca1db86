/**
 * Wake-ups while every page is closed: the browser starts the service worker now and then, whose host does what is due.
 * Chromium alone has them, for an installed Rota, at most twice a day (https://wicg.github.io/periodic-background-sync/):
 * nothing that must be on time can rest on them, and nothing here says so.
 */

/** Names the registration; constant for ever, so that each start of each build means the same one. */
const WAKE_UP_TAG = 'rota-due';
/** The least time between two wake-ups that is asked for; the browser's own floor is the same. */
const WAKE_UP_EVERY_MS = 12 * 3_600_000;

/** The part of the draft that is used here; TypeScript's own library does not know it. */
interface PeriodicSyncManager {
  register(tag: string, options: { readonly minInterval: number }): Promise<void>;
  getTags(): Promise<readonly string[]>;
}

/** Whether this browser wakes Rota. `unknown` where it says nothing about that. */
export type WakeUps = 'on' | 'off' | 'unknown';

/**
 * Asks for wake-ups where the browser allows them, now and whenever that changes: it does with the installation as an app,
 * and no person is ever asked. To be called once, by `main.ts`. Never rejects.
 */
export async function startWakeUps(): Promise<void> {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  const register = (): void => void askForWakeUps();
  addEventListener('appinstalled', register);
  const permission = await wakeUpPermission();
  permission?.addEventListener('change', register);
  await askForWakeUps();
}

/** Whether wake-ups are registered. Never rejects. */
export async function readWakeUps(): Promise<WakeUps> {
  if (!('serviceWorker' in navigator)) return 'unknown';
  try {
    const registration = await navigator.serviceWorker.getRegistration();
    const manager = managerOf(registration);
    if (manager === null) return 'unknown';
    return (await manager.getTags()).includes(WAKE_UP_TAG) ? 'on' : 'off';
  } catch {
    return 'unknown';
  }
}

async function askForWakeUps(): Promise<void> {
  try {
    if ((await wakeUpPermission())?.state !== 'granted') return;
    // There is nothing to wake before it is installed.
    const manager = managerOf(await navigator.serviceWorker.ready);
    await manager?.register(WAKE_UP_TAG, { minInterval: WAKE_UP_EVERY_MS });
  } catch {
    // Refused after all. Rota works without, and the next start asks again.
  }
}

async function wakeUpPermission(): Promise<PermissionStatus | null> {
  try {
    return await navigator.permissions.query({ name: 'periodic-background-sync' as PermissionName });
  } catch {
    // No such permission here.
    return null;
  }
}

function managerOf(registration: ServiceWorkerRegistration | undefined): PeriodicSyncManager | null {
  if (registration === undefined) return null;
  const manager: unknown = Reflect.get(registration, 'periodicSync');
  return manager === undefined ? null : (manager as PeriodicSyncManager);
}
