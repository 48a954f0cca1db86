import type { EpochMs } from '../domain/index.ts';
import { listAgenda, listDue, listNextDue, nextAgendaRow, nextDueAfter } from './agenda.ts';
import { tryClaim } from './claim.ts';
import { remove, save, setEnabled } from './edit.ts';
import type { Ledger, SecretKeys } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { extendPresence, getPresence } from './presence.ts';
import { listQuarantine } from './quarantine.ts';
import { findAutomation, forgetCommands, listActive, listOutbox, recall } from './read.ts';
import { getSettings, pauseAll, saveSettings } from './settings.ts';
import type { Vault } from './secret-key.ts';
import type { Secrets } from './secrets.ts';
import { answer, markEffect, recover, requestCancel, settle } from './settle.ts';
import { onAutomationWritten } from './written.ts';

/** No claim needs them, so they are loaded with the first notification, and the first list. */
const notifications = () => import('./notifications.ts');
const bulk = () => import('./bulk.ts');
const imports = () => import('./import.ts');
const lists = () => import('./lists.ts');

/**
 * The embedded ledger, over one connection. `now` dates what is set aside while reading, `vault` encrypts secrets, and
 * `keys` shares their key with other hosts; absent: it is shared with none.
 */
export function indexedDbLedger(
  db: RotaDb,
  now: () => EpochMs,
  vault: Vault,
  keys: SecretKeys = { connect: () => () => undefined, onUnlocked: () => undefined },
): Ledger {
  let made: Promise<Secrets> | null = null;
  /** Most people have no secrets, so what handles them is loaded with the first. */
  const secrets = (): Promise<Secrets> => {
    made ??= import('./secrets.ts').then((part) => new part.Secrets(db, vault, keys));
    // What could not be loaded is loaded again.
    made.catch(() => (made = null));
    return made;
  };
  return {
    tryClaim: (request) => tryClaim(db, request),
    settle: (request) => settle(db, request),
    recover: (request) => recover(db, request),
    markEffect: (request) => markEffect(db, request),
    requestCancel: (command) => requestCancel(db, command),
    answer: (command) => answer(db, command),
    nextAgendaRow: () => nextAgendaRow(db),
    nextDueAfter: (at) => nextDueAfter(db, at),
    listDue: (at, limit) => listDue(db, at, limit),
    listAgenda: (id) => listAgenda(db, id),
    repairAgenda: async (at) => (await import('./repair.ts')).repairAgenda(db, at),
    save: (command) => save(db, command),
    setEnabled: (command) => setEnabled(db, command),
    remove: (command) => remove(db, command),
    changeMany: async (command) => (await bulk()).changeMany(db, command),
    undoChange: async (command) => (await bulk()).undoChange(db, command),
    importAll: async (command) => (await imports()).importAll(db, command),
    importSteps: async (command) => (await imports()).importSteps(db, command),
    missingRuns: async (ids) => (await imports()).missingRuns(db, ids),
    findAutomation: (id) => findAutomation(db, id, now()),
    listAutomations: async () => (await lists()).listAutomations(db, now()),
    findAutomations: async (ids) => (await lists()).findAutomations(db, ids, now()),
    scanAutomations: async (after, limit) => (await lists()).scanAutomations(db, after, limit, now()),
    listNextDue: (ids) => listNextDue(db, ids),
    onAutomationWritten: (listener) => onAutomationWritten(db, listener),
    listActive: () => listActive(db),
    listRuns: async (query) => (await lists()).listRuns(db, query, now()),
    scanRuns: async (query, look) => (await lists()).scanRuns(db, query, look, now()),
    countRunsOf: async (id) => (await lists()).countRunsOf(db, id),
    listRunsBetween: async (query) => (await lists()).listRunsBetween(db, query),
    countRuns: async (bounds) => (await lists()).countRuns(db, bounds),
    findRun: async (id) => (await lists()).findRun(db, id, now()),
    recall: (automationId, key) => recall(db, automationId, key),
    listOutbox: (limit) => listOutbox(db, limit, now()),
    listShowings: async (request) => (await notifications()).listShowings(db, request),
    markShown: async (id, at) => (await notifications()).markShown(db, id, at),
    listNotifications: async (limit) => (await notifications()).listNotifications(db, limit, now()),
    markRead: async (request) => (await notifications()).markRead(db, request),
    listSecrets: async () => (await secrets()).list(),
    saveSecret: async (command) => (await secrets()).save(command),
    removeSecret: async (command) => (await secrets()).remove(command),
    removeSecrets: async (command) => (await secrets()).removeAll(command),
    openSecret: async (name) => (await secrets()).open(name),
    lackingSecret: async (names) => (await secrets()).lacking(names),
    unlockSecrets: async (passphrase) => (await secrets()).unlock(passphrase),
    lockSecrets: async (command) => (await secrets()).lock(command),
    setPassphrase: async (command) => (await secrets()).setPassphrase(command),
    getSettings: () => getSettings(db),
    saveSettings: (command) => saveSettings(db, command),
    pauseAll: (command) => pauseAll(db, command),
    getPresence: () => getPresence(db),
    extendPresence: (at, hosts) => extendPresence(db, at, hosts),
    countRows: async () => (await lists()).countRows(db),
    listQuarantine: (limit) => listQuarantine(db, limit),
    forgetCommands: (before, limit) => forgetCommands(db, before, limit),
    upkeep: async () => (await import('./upkeep.ts')).upkeepOf(db),
    close: () => db.close(),
  };
}
