/** The tab: connects to a host and shows the app. Only wiring; `trusted-types.ts` must stay the first import. */
import './trusted-types.ts';
import './theme.ts';
import './tokens.css';
import './base.css';
import './offered-address.ts';
import './app.ts';
import { connect, findMissing, type ConnectedTab } from './connect.ts';
import { showNotifications } from './notifier.ts';
import { persistAfterFirstSuccess } from './persistence.ts';
import { startUpdates } from './updates.ts';
import { startWakeUps } from './wake-ups.ts';

/** How long after its start a page looks whether a backup is to be made. */
const BACKUPS_AFTER_MS = 60_000;

declare global {
  /** The console API, docs/console.md. */
  var rota: ConnectedTab['console'];
}

const app = document.querySelector('rota-app');
const missing = findMissing();
if (missing === null) {
  const { host, console: calls, internal } = connect();
  globalThis.rota = calls;
  // In a task of its own: what the browser has to do meanwhile need not wait for the code and the first screen together.
  setTimeout(() => {
    if (app !== null) app.host = host;
  });
  showNotifications(host, internal);
  persistAfterFirstSuccess(host);
  // What is due comes first, and what is shown.
  setTimeout(() => {
    // What could not be loaded is loaded by the next page.
    import('./backups/index.ts').then(
      (part) => part.keepBackingUp(host),
      () => undefined,
    );
  }, BACKUPS_AFTER_MS);
} else {
  app?.remove();
  void import('./pages/unavailable.ts').then(() => {
    const page = document.createElement('rota-unavailable-page');
    page.missing = missing.missing;
    page.detail = missing.detail;
    document.body.prepend(page);
  });
}
void startUpdates();
void startWakeUps();
