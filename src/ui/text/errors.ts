import type { RemoteErrorCode } from '../../rpc/index.ts';
import type { MissingPart } from '../remote-host.ts';

/** What went wrong in one sentence, and the one thing that helps in another. */
export interface ErrorText {
  readonly what: string;
  readonly help: string;
}

const REMOTE: Readonly<Record<RemoteErrorCode, ErrorText>> = {
  'host-lost': {
    what: 'The engine stopped before it could answer.',
    help: 'Another one is starting. Try again in a moment; a repeated command is answered, never done twice.',
  },
  deadline: {
    what: 'The engine did not answer within ten seconds.',
    help: 'Try again. If it goes on, restart the engine in Settings.',
  },
  'bad-call': {
    what: 'Rota asked the engine for something it does not understand.',
    help: 'Reload this tab, so that it and the engine are the same version.',
  },
  'newer-data': {
    what: 'This was written by a newer version of Rota, which this tab can read and not change.',
    help: 'Reload this tab to get the newer version.',
  },
  storage: {
    what: 'The browser could not read or write its storage.',
    help: 'Free some disk space, or close other tabs of this site, then try again.',
  },
  retired: {
    what: 'The engine was just giving way to another one.',
    help: 'Try again in a moment; a repeated command is answered, never done twice.',
  },
  internal: {
    what: 'Rota made a mistake.',
    help: 'Try again. If it comes back, reload this tab; nothing that was stored is lost.',
  },
};

const MISSING: Readonly<Record<MissingPart, ErrorText>> = {
  'secure-context': {
    what: 'Rota needs a secure address.',
    help: 'Open it over https, or on http://localhost. Browsers keep storage and locks from other addresses.',
  },
  indexeddb: {
    what: 'This browser gives Rota no database.',
    help: 'Allow cookies and site data for this site, or leave the private window, and reload.',
  },
  storage: {
    what: 'The browser refused to open Rota’s storage.',
    help: 'Leave the private window, or allow site data for this site, and reload.',
  },
  'storage-blocked': {
    what: 'An older version of Rota still has the storage open.',
    help: 'It finishes what it runs, for ten seconds at most, and lets go; this tab then goes on by itself. If it does not, close the other tabs of Rota.',
  },
  'newer-storage': {
    what: 'A newer version of Rota has changed the storage.',
    help: 'Reload this tab to get that version. Your automations are all there, and it runs them.',
  },
  locks: {
    what: 'This browser has no locks that tabs can share, so Rota could run things twice. It does not start.',
    help: 'Update the browser: Chrome or Edge 69, Firefox 96, Safari 15.4 and later have them.',
  },
  'shared-worker': {
    what: 'This browser lets Rota start no worker, so there is nothing to run automations in.',
    help: 'Reload. If it stays so, check whether an extension or a policy blocks workers on this site.',
  },
};

/** All that Rota cannot do without. */
export const MISSING_PARTS = Object.keys(MISSING) as readonly MissingPart[];

/** What to say when a call failed. */
export function errorText(code: RemoteErrorCode): ErrorText {
  return code in REMOTE ? REMOTE[code] : REMOTE.internal;
}

/** Whether what helps is a reload of the tab, which is then of the engine's version, and not another try. */
export function isMendedByReload(code: RemoteErrorCode): boolean {
  return code === 'bad-call' || code === 'newer-data';
}

/** The same in one line, for a toast. */
export function errorSentence(code: RemoteErrorCode): string {
  const { what, help } = errorText(code);
  return `${what} ${help}`;
}

/** What to say when the platform lacks what Rota cannot do without. */
export function missingText(part: MissingPart): ErrorText {
  return MISSING[part];
}
