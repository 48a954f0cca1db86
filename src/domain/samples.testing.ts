/** Rows and requests for the tests of domain and store: each is whole and plain, and a test names what it is about. */
import * as v from 'valibot';
import type { Automation } from './automation.ts';
import type { ClaimRequest, ClaimState, ClaimTarget } from './claim.ts';
import { type Definition, type DefinitionInput, definitionSchema } from './definition.ts';
import { SCHEMA } from './schema.ts';
import { scheduledRow } from './due.ts';
import type { AutomationId, CommandId, HostId, RunId } from './ids.ts';
import { type LeaseName, leaseName } from './lease.ts';
import {
  type AgendaRow,
  type Occurrence,
  agendaKey,
  manualOccurrence,
  scheduledOccurrence,
} from './occurrence.ts';
import { type ActiveRun, type HostRef, LEASE_GRACE_MS } from './run.ts';
import { type EpochMs, MINUTE_MS } from './time.ts';
import type { Write } from './writes.ts';

/** Monday, 2026-01-05, 00:00 UTC: a whole hour, and long after the anchor of every sample. */
export const MONDAY: EpochMs = 1_767_571_200_000;

/** The UUID whose last digits are `n`; `kind` keeps automations, hosts, runs and commands apart. */
function uuid(kind: string, n: number): string {
  return `${kind.padEnd(8, '0')}-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}
export const automationId = (n: number): AutomationId => uuid('a', n) as AutomationId;
export const hostId = (n: number): HostId => uuid('b', n) as HostId;
export const commandId = (n: number): CommandId => uuid('c', n) as CommandId;
export const runId = (n: number): RunId => uuid('d', n) as RunId;

/** Gives run ids that grow, from `first` on. */
export function runIds(first = 1): () => RunId {
  let n = first;
  return () => runId(n++);
}

export const host = (n: number): HostRef => ({ id: hostId(n), kind: 'shared-worker', build: 'test' });

/** A definition: every minute, a GET, and the default rules, but for what `input` says. */
export function definition(input: Partial<DefinitionInput> = {}): Definition {
  return v.parse(definitionSchema, {
    name: 'Check the API',
    schedule: { kind: 'every', everyMs: MINUTE_MS, anchor: MONDAY },
    action: { kind: 'http', url: 'https://example.test/health' },
    ...input,
  });
}

/** A stored automation with the definition of `input`; `row` is what Rota keeps beside it. */
export function automation(
  input: Partial<DefinitionInput> = {},
  row: Partial<Omit<Automation, keyof Definition>> = {},
): Automation {
  return {
    ...definition(input),
    id: automationId(1),
    schema: SCHEMA,
    revision: 1,
    fence: 0,
    epoch: 0,
    createdAt: MONDAY,
    updatedAt: MONDAY,
    failuresInARow: 0,
    recent: [],
    ...row,
  };
}

/** The agenda row of automation 1 that its schedule puts at `at`. */
export const dueRow = (at: EpochMs): AgendaRow => scheduledRow(automationId(1), at);

/** The agenda row of a run of automation 1 that was asked for by hand at `at`. */
export function manualRow(at: EpochMs, command = commandId(1)): AgendaRow {
  return rowOf(manualOccurrence(automationId(1), command), 1, at, 'manual');
}

/** The agenda row of attempt 2 at the scheduled occurrence of `scheduledFor`, due at `dueAt`. */
export function retryRow(scheduledFor: EpochMs, dueAt: EpochMs): AgendaRow {
  return { ...rowOf(scheduledOccurrence(automationId(1), scheduledFor), 2, dueAt, 'retry'), scheduledFor };
}

function rowOf(occurrence: Occurrence, attempt: number, at: EpochMs, cause: AgendaRow['cause']): AgendaRow {
  return {
    key: agendaKey(occurrence, attempt),
    schema: SCHEMA,
    occurrence,
    automationId: automationId(1),
    scheduledFor: at,
    attempt,
    dueAt: at,
    cause,
  };
}

/** An active run of `of` by host 2, claimed at `at`; `row` is what differs. */
export function activeRun(of: Automation, at: EpochMs, row: Partial<ActiveRun> = {}): ActiveRun {
  const { name, enabled, tags, schedule, action, rules } = of;
  return {
    id: runId(900),
    schema: SCHEMA,
    automationId: of.id,
    automationName: of.name,
    occurrence: scheduledOccurrence(of.id, at),
    scheduledFor: at,
    cause: 'schedule',
    attempt: 1,
    claimedAt: at,
    startedAt: at,
    latenessMs: 0,
    host: host(2),
    fence: of.fence,
    revision: of.revision,
    definition: { name, enabled, tags, schedule, action, rules },
    status: 'running',
    active: 1,
    lease: leaseName(of.id, of.epoch),
    leaseDeadline: at + of.rules.timeoutMs + LEASE_GRACE_MS,
    ...row,
  };
}

/** Host 1 asks for `target` at `now` with automation 1's lease in hand; hosts 1 to 3 are alive. */
export function claimRequest(
  target: ClaimTarget,
  now: EpochMs,
  request: Partial<ClaimRequest> = {},
): ClaimRequest {
  return {
    target,
    host: host(1),
    now,
    lease: leaseName(automationId(1), 0),
    liveHosts: new Set([hostId(1), hostId(2), hostId(3)]),
    missing: null,
    absence: 'closed',
    newId: runIds(),
    chance: 0,
    ...request,
  };
}

/** The lease of automation 1 in `epoch`. */
export const lease = (epoch = 0, slot?: number): LeaseName => leaseName(automationId(1), epoch, slot);

/** A state in which nothing else is pending or active, and eight runs may be. */
export function claimState(
  row: AgendaRow | null,
  of: Automation | null,
  plan: ClaimState['plan'],
  state: Partial<ClaimState> = {},
): ClaimState {
  return {
    row,
    automation: of,
    plan,
    ledgerHas: false,
    active: [],
    unverifiable: { ofThis: 0, ofOthers: 0 },
    maxConcurrent: 8,
    agenda: row === null ? [] : [row],
    nextScheduledAt: row?.cause === 'schedule' ? row.dueAt : null,
    ...state,
  };
}

/** What `writes` do, in a word each: `agenda -key`, `runs +skipped (overlap)`, `runs =cancelled`, `automations =`. */
export function told(writes: readonly Write[]): string[] {
  return writes.map((write) => {
    if (write.op === 'delete') return `${write.store} -${short(String(write.key))}`;
    switch (write.store) {
      case 'agenda':
        return `agenda +${short(write.row.key)} ${write.row.cause}`;
      case 'runs': {
        const { row } = write;
        const reason = 'reason' in row ? ` (${row.reason})` : '';
        const covers = 'covers' in row ? ` x${row.covers.count}` : '';
        return `runs ${write.op === 'add' ? '+' : '='}${row.status}${reason}${covers}`;
      }
      case 'automations':
        return 'automations =';
      case 'outputs':
      case 'outbox':
      case 'values':
        return `${write.store} +`;
    }
  });
}

/** A key without its UUIDs, and with instants in minutes since {@link MONDAY}. */
function short(key: string): string {
  return key
    .replace(/^[0-9a-f-]{36}/, '')
    .replace(/@(\d+)/, (_, at: string) => `@${(Number(at) - MONDAY) / MINUTE_MS}`)
    .replace(/![0-9a-f-]{36}/, '!');
}

/** The rows of the ledger among `writes`. */
export function runRows(writes: readonly Write[]): Extract<Write, { store: 'runs' }>['row'][] {
  return writes.flatMap((write) => (write.store === 'runs' ? [write.row] : []));
}

/** The agenda rows that `writes` put. */
export function agendaRows(writes: readonly Write[]): AgendaRow[] {
  return writes.flatMap((write) => (write.store === 'agenda' && write.op === 'put' ? [write.row] : []));
}

/** The automation as `writes` leave it: the last one put. */
export function automationAfter(writes: readonly Write[]): Automation | undefined {
  return writes
    .flatMap((write) => (write.store === 'automations' && write.op === 'put' ? [write.row] : []))
    .at(-1);
}
