import {
  type ActiveRun,
  type AgendaRow,
  type Automation,
  type AutomationId,
  type ClaimRequest,
  type ClaimResult,
  type ClaimState,
  decideClaim,
  instantOf,
  isActive,
  partsOfKey,
  planDue,
  targetKey,
  targetRow,
} from '../domain/index.ts';
import { once } from './command.ts';
import { decidedInstants } from './decided.ts';
import type { RotaDb } from './open.ts';
import { getPresenceIn } from './presence.ts';
import { healing, sortRows, useRow } from './quarantine.ts';
import { getSettingsIn } from './settings.ts';
import { type RotaTransaction, transact } from './transact.ts';
import { write } from './write.ts';

/** The outbox: what a claim sweeps may have to be told. */
const STORES = ['automations', 'agenda', 'runs', 'settings', 'commands', 'outbox'] as const;
type Stores = typeof STORES;

/**
 * Claims an occurrence: one transaction that reads, asks `decideClaim`, and writes what it says. The only way in the
 * whole program in which a run is created.
 */
export async function tryClaim(db: RotaDb, request: ClaimRequest): Promise<ClaimResult> {
  return healing(db, request.now, () =>
    transact(db, STORES, (tx) => {
      const { target } = request;
      if (target.kind === 'row') return claimIn(tx, request);
      return once(tx, { commandId: target.commandId, now: request.now }, () => claimIn(tx, request), isFinal);
    }),
  );
}

/** A transient answer is not stored: the same command asks again a moment later. */
function isFinal(result: ClaimResult): boolean {
  return result.kind !== 'stale-lease' && result.kind !== 'lease-busy';
}

// From here to its end the transaction is open: only its own requests may be awaited.
async function claimIn(
  tx: RotaTransaction<Stores, 'readwrite'>,
  request: ClaimRequest,
): Promise<ClaimResult> {
  const { target, now } = request;
  const key = targetKey(target);
  const { automationId, occurrence, attempt } = partsOfKey(key);
  const scheduledFor = attempt === 1 ? instantOf(occurrence) : null;
  const byOccurrence = tx.objectStore('runs').index('by-occurrence');
  // All at once: each answer that is waited for on its own costs a claim a third of its time.
  const [rowValue, automationValue, activeValues, agendaValues, settings, decided, had] = await Promise.all([
    tx.objectStore('agenda').get(key),
    tx.objectStore('automations').get(automationId),
    tx.objectStore('runs').index('active').getAll(1),
    tx.objectStore('agenda').index('by-automation').getAll(automationId),
    getSettingsIn(tx),
    scheduledFor === null ? undefined : decidedInstants(byOccurrence, automationId, scheduledFor, now),
    // What a scheduled row runs is planned without what the ledger has.
    scheduledFor === null ? byOccurrence.count([occurrence, attempt]) : 0,
  ]);
  const row = targetRow(target, useRow('agenda', key, rowValue), now);
  const automation = useRow('automations', automationId, automationValue);
  const { pauses = [] } = settings;
  const plan =
    row === null || automation === null ? null : planDue(row, automation, now, decided, undefined, pauses);
  const active = sortActive(activeValues, automationId);
  const agenda = sortRows('agenda', agendaValues, 'key').rows;
  // Read only where they are needed, which is rare: what a pause left out, what follows a run that is
  // recovered, and who was there when what is late fell due.
  const resumes = row?.cause === 'resume' && automation?.pausedFrom !== undefined;
  const recovers = active.active.some((run) => run.lease === request.lease);
  const isLate = plan?.missed.some(({ why }) => why === 'late') ?? false;
  const [passed, followers, presence] = await Promise.all([
    resumes
      ? decidedInstants(byOccurrence, automationId, automation.pausedFrom, row.scheduledFor)
      : undefined,
    recovers ? followersOf(tx, automation) : [],
    isLate ? getPresenceIn(tx) : undefined,
  ]);
  const { result, writes } = decideClaim(
    {
      row,
      automation,
      plan,
      ledgerHas: had > 0,
      ...active,
      maxConcurrent: settings.maxConcurrent,
      nextScheduledAt: nextScheduledAt(agenda),
      agenda,
      pauses,
      followers,
      ...(presence === undefined ? {} : { presence }),
      ...(passed === undefined ? {} : { decided: passed }),
    },
    request,
  );
  write(tx, writes);
  return result;
}

/** Active rows that this code can read, and how many it cannot: those count against the limits and are never swept. */
function sortActive(
  values: readonly unknown[],
  id: AutomationId,
): Pick<ClaimState, 'active' | 'unverifiable'> {
  const { rows, newer, broken } = sortRows('runs', values, 'id');
  const active = rows.filter((run): run is ActiveRun => isActive(run));
  const unread = values.length - active.length;
  if (unread === 0) return { active, unverifiable: { ofThis: 0, ofOthers: 0 } };
  const unreadable = [
    ...newer,
    ...values.filter((value) => broken.includes(Reflect.get(value as object, 'id') as string)),
  ];
  const ofThis = unreadable.filter((value) => Reflect.get(value as object, 'automationId') === id).length;
  return { active, unverifiable: { ofThis, ofOthers: unread - ofThis } };
}

/** Those that may run after `automation`, as stored; what this build cannot read is left out. */
export async function followersOf(
  tx: { objectStore(name: 'automations'): { get(id: AutomationId): Promise<unknown> } },
  automation: Automation | null,
): Promise<readonly Automation[]> {
  const ids = automation?.followers ?? [];
  const values = await Promise.all(ids.map((id) => tx.objectStore('automations').get(id)));
  return sortRows(
    'automations',
    values.filter((value) => value !== undefined),
    'id',
  ).rows;
}

/** When the scheduled row among an automation's agenda rows is due; `null` without one. */
export function nextScheduledAt(rows: readonly AgendaRow[]): number | null {
  return rows.find((row) => row.cause === 'schedule')?.dueAt ?? null;
}
