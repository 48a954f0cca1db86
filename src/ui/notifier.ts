/**
 * Shows what runs asked to be shown, once, however many tabs are open: one tab at a time does it under a lock, shows
 * what is pending and says so to the host. The effect's id is its tag, so that even a repeat replaces.
 */
import type { Showing } from '../domain/index.ts';
import { type InternalApi, NOTIFIER_LOCK } from '../rpc/index.ts';
import type { RemoteHost } from './remote-host.ts';

/** Shows pending notifications on each hint and each new host, for the life of the page. */
export function showNotifications(
  host: RemoteHost,
  internal: Pick<InternalApi, 'listShowings' | 'confirmNotification'>,
): void {
  let showing = false;
  let wanted = false;
  const show = (): void => {
    if (host.connection.kind !== 'ready' || Notification.permission !== 'granted') return;
    wanted = true;
    if (showing) return;
    showing = true;
    void showPending()
      // What was not confirmed is still pending: the next hint, tab or host shows it.
      .catch(() => undefined)
      .then(() => {
        showing = false;
      });
  };
  const showPending = async (): Promise<void> => {
    // What is asked for while this tab shows something else may not have been in its list.
    while (wanted) {
      wanted = false;
      await navigator.locks.request(NOTIFIER_LOCK, { ifAvailable: true }, async (lock) => {
        if (lock === null) return;
        const { items } = await internal.listShowings();
        for (const item of items) {
          await showOne(item);
          await internal.confirmNotification({ id: item.id });
        }
      });
    }
  };
  if (!('Notification' in globalThis)) return;
  host.subscribe(show);
  host.onHint((hint) => {
    if (hint.topic === 'notifications') show();
  });
  show();
}

async function showOne({ id, title, body, hash }: Showing): Promise<void> {
  const url = new URL(hash, document.baseURI).href;
  const options: NotificationOptions = { body, tag: id, icon: './icons/icon-192.png', data: { url } };
  // Through the service worker a click can open Rota when no tab is left; phones allow no other way.
  const registration = await registered();
  if (registration !== undefined && registration.active !== null) {
    await registration.showNotification(title, options);
    return;
  }
  const notification = new Notification(title, options);
  notification.addEventListener('click', () => {
    window.focus();
    location.href = url;
  });
}

/** This page's service worker; private windows of some browsers have none, nor anything to ask for one. */
async function registered(): Promise<ServiceWorkerRegistration | undefined> {
  return 'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration() : undefined;
}
