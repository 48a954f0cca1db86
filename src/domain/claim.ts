/**
 * The claim (protocol, section 4): how an occurrence becomes a run, and the only way in which one does. The store
 * reads {@link ClaimState}, asks {@link decideClaim}, and writes what it says, all in one transaction.
 *
 * Two guards make it exact: the Web Lock named by the lease proves that whoever held it before is dead or done, and the
 * transaction makes the decision one step that no other host can be in the middle of.
 */
import type { StepStart } from './steps.ts';
import { assert, assertNever } from './assert.ts';
import { type Automation, definitionOf, runsLeft, withRecent } from './automation.ts';
import { SCHEMA } from './schema.ts';
import { type DuePlan, dayFullUntil, nextRow, recentUnrun, splitUnrun, unrunRow } from './due.ts';
import { decideResume } from './edit.ts';
import { endRun } from './ending.ts';
import type { AutomationId, CommandId, HostId, RunId } from './ids.ts';
import { dueAtOf } from './jitter.ts';
import { type LeaseName, leaseName } from './lease.ts';
import { endOfDay } from './local-time.ts';
import { type AgendaKey, type AgendaRow, agendaKey, isAskedFor, manualOccurrence } from './occurrence.ts';
import { type Pause, pausedUntil } from './pause.ts';
import { type Attendance, type Presence, attendanceAt, extendPresence, isOneStretch } from './presence.ts';
import type { OverlapRule } from './rules.ts';
import {
  type ActiveRun,
  type Covers,
  type HostRef,
  LEASE_GRACE_MS,
  type MissedReason,
  type SkippedReason,
  type UnrunRow,
} from './run.ts';
import { zoneOf } from './schedule.ts';
import { DAY_MS, type DurationMs, type EpochMs } from './time.ts';
import type { Decision, Write } from './writes.ts';

/** What to claim: a row of the agenda, or what a person asks for by hand, which needs no row beforehand. */
export type ClaimTarget =
  | { readonly kind: 'row'; readonly key: AgendaKey }
  | {
      readonly kind: 'manual';
      readonly automationId: AutomationId;
      readonly commandId: CommandId;
      /** Where it is to continue an earlier run. */
      readonly from?: StepStart;
    };

/** What a due occurrence can wait for without being claimed, besides its turn. */
export type Need =
  | 'network'
  | 'notification-permission'
  /** An open tab that can ask the model of its browser. */
  | 'built-in-model'
  | 'secret'
  | 'unlock'
  /** The browser's permission to reach the local network. */
  | 'local-network'
  /** The browser's permission to reach this very device. */
  | 'loopback-network';

export interface ClaimRequest {
  readonly target: ClaimTarget;
  readonly host: HostRef;
  readonly now: EpochMs;
  /** The lease that the host holds now; `null` when someone else has it, and then the claim can only decline. */
  readonly lease: LeaseName | null;
  /** Hosts whose life-long lock was held when the host looked, itself among them. */
  readonly liveHosts: ReadonlySet<HostId>;
  /** What the host lacks to run the action; then a run asked for by hand waits in the agenda. */
  readonly missing: Need | null;
  /**
   * For how long the host has found the lease held by someone who has no run to show for it, by a clock that does not
   * jump; absent: for no time.
   */
  readonly leaseBusyMs?: DurationMs;
  /**
   * Why earlier instants got no run, as far as the host knows by itself: what the row has waited for here, or else
   * `closed` or `asleep`. Where the trace of hosts knows better, it is asked: see {@link ClaimState.presence}.
   */
  readonly absence: MissedReason | SkippedReason;
  /** Makes the id of a row. */
  readonly newId: () => RunId;
  /** In [0, 1), for the jitter of a retry. */
  readonly chance: number;
  /** The host's time zone, for the day of an automation whose schedule has none; absent: UTC. */
  readonly timeZone?: string;
}

export interface ClaimState {
  /** The target's agenda row; `null` when it is gone, or was never there for a run by hand. */
  readonly row: AgendaRow | null;
  readonly automation: Automation | null;
  /** What is due, without what the ledger has a row of, and what becomes of it; `null` without row or automation. */
  readonly plan: DuePlan | null;
  /** Whether the ledger already has the occurrence and attempt that would run. */
  readonly ledgerHas: boolean;
  /** The active runs of all automations. */
  readonly active: readonly ActiveRun[];
  /** Active rows that this code cannot read, because they are broken or newer; they count, and are never swept. */
  readonly unverifiable: { readonly ofThis: number; readonly ofOthers: number };
  readonly maxConcurrent: number;
  /** All agenda rows of the automation; needed where it is resumed, or pauses itself. */
  readonly agenda: readonly AgendaRow[];
  /** Its instants of the pause that ends, and the ledger has a row of; none unless a clock went back. */
  readonly decided?: ReadonlySet<EpochMs>;
  /** Pauses of everything; absent: there were none. */
  readonly pauses?: readonly Pause[];
  /** When hosts were there; needed where the plan has missed what was late. Absent: nothing is known. */
  readonly presence?: Presence;
  /** What runs after the automation. */
  readonly followers?: readonly Automation[];
  /** When the automation's scheduled row is due, for the retry of a run that is recovered here. */
  readonly nextScheduledAt: EpochMs | null;
}

/** What became of asking for an occurrence. Only `claimed` gives the right to run it. */
export type ClaimResult =
  | { readonly kind: 'claimed'; readonly run: ActiveRun; readonly automation: Automation }
  /** Another run is active and the overlap rule was applied; `queued` when the occurrence still waits. */
  | { readonly kind: 'already-active'; readonly runId: RunId; readonly queued: boolean }
  /** `secret` is the name of the one that it waits for. */
  | { readonly kind: 'waiting'; readonly for: Need; readonly secret?: string }
  | {
      readonly kind:
        | 'taken'
        | 'not-due'
        | 'not-found'
        | 'paused'
        /** It has had all the runs of this day; what is left of the day is skipped in one row when it is over. */
        | 'day-full'
        /** No run: a pause was to last until now, and is over. */
        | 'resumed'
        | 'at-capacity'
        /** All that was due has its missed row; nothing runs. */
        | 'missed'
        /** An active row of this automation cannot be read: a person must look. Nothing is written. */
        | 'unverifiable-owner'
        /** The automation's epoch or overlap rule has changed since the lease was asked for, or just now because its
         * holder hangs: release it, start over. */
        | 'stale-lease'
        /** Someone holds the lease without a live active run: about to claim, just settled, or dead and about to be
         * recovered. Nothing is written; try again on the next hint or after 100 ms. */
        | 'lease-busy';
    };

/** The agenda row that a claim of `target` works on: the stored one, or the one that a run by hand implies. */
export function targetRow(target: ClaimTarget, stored: AgendaRow | null, now: EpochMs): AgendaRow | null {
  if (stored !== null || target.kind === 'row') return stored;
  const occurrence = manualOccurrence(target.automationId, target.commandId);
  return {
    key: agendaKey(occurrence, 1),
    schema: SCHEMA,
    occurrence,
    automationId: target.automationId,
    scheduledFor: now,
    attempt: 1,
    dueAt: now,
    cause: 'manual',
    ...(target.from === undefined ? {} : { from: target.from }),
  };
}

/** The key of the agenda row that `target` names. */
export function targetKey(target: ClaimTarget): AgendaKey {
  return target.kind === 'row'
    ? target.key
    : agendaKey(manualOccurrence(target.automationId, target.commandId), 1);
}

/** How many runs of one automation may be active at once. */
export function parallelLimit(overlap: OverlapRule): number {
  return overlap.kind === 'parallel' ? overlap.limit : 1;
}

/** The leases under which a run of `automation` may be claimed now; any one of them will do. */
export function leasesOf(automation: Pick<Automation, 'id' | 'epoch' | 'rules'>): readonly LeaseName[] {
  const { id, epoch, rules } = automation;
  if (rules.overlap.kind !== 'parallel') return [leaseName(id, epoch)];
  return Array.from({ length: rules.overlap.limit }, (_, slot) => leaseName(id, epoch, slot));
}

/** Decides a claim. Pure: the same state and request always give the same decision. */
export function decideClaim(state: ClaimState, request: ClaimRequest): Decision<ClaimResult> {
  const { now, host, lease } = request;
  const nothing = (
    kind: Exclude<ClaimResult['kind'], 'claimed' | 'already-active' | 'waiting'>,
  ): Decision<ClaimResult> => ({
    result: { kind },
    writes: [],
  });

  // 1. Is it still there, and due?
  const { row, plan } = state;
  if (row === null) return nothing('taken');
  if (row.dueAt > now) return nothing('not-due');

  // 2. Whose is it, and may it run?
  let { automation } = state;
  if (automation === null) {
    return { result: { kind: 'not-found' }, writes: [{ op: 'delete', store: 'agenda', key: row.key }] };
  }
  if (row.cause === 'resume') {
    const pending = {
      stored: automation,
      agenda: state.agenda,
      decided: state.decided ?? new Set(),
    };
    return { result: { kind: 'resumed' }, writes: decideResume(pending, row, request) };
  }
  assert(plan !== null, 'a claim with a row and an automation has a plan');
  const isSettled = state.ledgerHas || (plan.run === null && plan.missed.length === 0);
  if (isSettled || givesWay(row, automation, state, now)) {
    return { result: { kind: 'taken' }, writes: moveOn(row, automation, plan, now) };
  }
  if (!isAskedFor(row)) {
    if (!automation.enabled || pausedUntil(state.pauses ?? [], now) !== null) return nothing('paused');
    if (isCounted(row) && dayFullUntil(automation) > now) {
      return { result: { kind: 'day-full' }, writes: putOff(row, automation, plan, state, request) };
    }
  }
  if (request.missing !== null) {
    return { result: { kind: 'waiting', for: request.missing }, writes: waitInAgenda(row) };
  }
  if (lease !== null && !leasesOf(automation).includes(lease)) return nothing('stale-lease');

  if (state.unverifiable.ofThis > 0) return nothing('unverifiable-owner');
  // What does not run needs no lease and no room, and replaces nothing.
  if (plan.run === null) {
    return { result: { kind: 'missed' }, writes: account(row, automation, plan, null, state, request) };
  }

  // 3. Who else runs it? A run that names the lease we hold is a dead host's: the lease could not be ours otherwise.
  const writes: Write[] = [];
  const recovered = lease === null ? [] : state.active.filter((run) => run.lease === lease);
  for (const run of recovered) {
    const end = endRun(
      run,
      { kind: 'interrupted' },
      {
        automation,
        nextScheduledAt: nextRun(row, state),
        agenda: state.agenda,
        followers: state.followers ?? [],
      },
      now,
      request.chance,
    );
    automation = end.automation ?? automation;
    writes.push(...end.writes);
  }
  // That was one failure too many.
  if (!automation.enabled && !isAskedFor(row)) return { result: { kind: 'paused' }, writes };
  const others = state.active.filter(
    (run) => run.automationId === row.automationId && !recovered.includes(run),
  );
  const alive = others.filter((run) => request.liveHosts.has(run.host.id));
  const isFull = others.length >= parallelLimit(automation.rules.overlap);
  if (lease === null || isFull) {
    const [oldest] = alive;
    // Who holds a lease for so long without a run hangs, before its claim or after its settlement. The lease gets another
    // name, which is safe at any time: should the holder wake, its claim is refused for its epoch.
    if (!isFull && (request.leaseBusyMs ?? 0) > LEASE_GRACE_MS) {
      const row: Automation = { ...automation, epoch: automation.epoch + 1 };
      return { result: { kind: 'stale-lease' }, writes: [{ op: 'put', store: 'automations', row }] };
    }
    // Nobody is skipped because of a dead run, nor because of one that does not exist yet.
    if (!isFull || oldest === undefined || alive.length < others.length) {
      return { result: { kind: 'lease-busy' }, writes };
    }
    const declined = decline(row, automation, plan, alive, oldest, state, request);
    return { result: declined.result, writes: [...writes, ...declined.writes] };
  }

  // 4. Is there room? `maxConcurrent` counts all tabs, builds and hosts, because it is counted here.
  if (state.active.length - recovered.length + state.unverifiable.ofOthers >= state.maxConcurrent) {
    return { result: { kind: 'at-capacity' }, writes: [...writes, ...waitInAgenda(row)] };
  }

  // 5. What of all that is due runs, by the missed-run rule?
  const missed = missedRows(row, automation, plan, state, request);
  writes.push(...missed.map(addRow));
  automation = withRecent(automation, ...missed.map(recentUnrun));

  // 6. Claim it.
  const runId = request.newId();
  const claimed: Automation = {
    ...(isCounted(row) ? counted(automation, row, request) : automation),
    fence: automation.fence + 1,
    lastClaim: { runId, at: now },
  };
  const run: ActiveRun = {
    id: runId,
    schema: SCHEMA,
    automationId: claimed.id,
    automationName: claimed.name,
    occurrence: plan.run.occurrence,
    scheduledFor: plan.run.scheduledFor,
    cause: row.cause,
    attempt: row.attempt,
    claimedAt: now,
    startedAt: now,
    latenessMs: Math.max(0, now - (row.attempt > 1 ? row.dueAt : dueAtOf(automation, plan.run.scheduledFor))),
    host,
    fence: claimed.fence,
    revision: claimed.revision,
    definition: definitionOf(claimed),
    status: 'running',
    active: 1,
    lease,
    leaseDeadline: now + claimed.rules.timeoutMs + LEASE_GRACE_MS,
    ...(row.from === undefined ? {} : { from: row.from }),
  };
  writes.push(
    { op: 'add', store: 'runs', row: run },
    { op: 'put', store: 'automations', row: claimed },
    ...moveOn(row, claimed, plan, now),
  );
  return { result: { kind: 'claimed', run, automation: claimed }, writes };
}

/** The row out, the next scheduled one in. */
function moveOn(row: AgendaRow, automation: Automation, plan: DuePlan, now: EpochMs): readonly Write[] {
  const writes: Write[] = [{ op: 'delete', store: 'agenda', key: row.key }];
  if (row.cause === 'schedule' && automation.enabled && plan.next !== null && runsLeft(automation) > 0) {
    // What is due already is next by itself; no database can put anything before it that is not accounted for.
    const plannedFrom = Math.min(now, plan.next - 1);
    writes.push({ op: 'put', store: 'agenda', row: nextRow(automation, plan.next, plannedFrom) });
  }
  return writes;
}

/** Whether a run of `row` counts against the runs of a day: the first attempt that nobody asked for by hand. */
function isCounted(row: AgendaRow): boolean {
  return row.cause === 'schedule' || row.cause === 'follow-up';
}

/** `automation` with one more run on its day, and of its schedule, where they are limited. */
function counted(automation: Automation, row: AgendaRow, request: ClaimRequest): Automation {
  const { rules, schedule, today, dispatched = 0 } = automation;
  const { now, timeZone = 'UTC' } = request;
  let after = automation;
  if (row.cause === 'schedule' && runsLeft(automation) < Infinity) {
    after = { ...after, dispatched: dispatched + 1 };
  }
  if (rules.runsPerDay === undefined) return after;
  // A day that ends too far off was begun by a clock that has gone back since.
  const isOn = today !== undefined && now < today.until && today.until - now <= 2 * DAY_MS;
  const zone = zoneOf(schedule) ?? timeZone;
  return {
    ...after,
    today: isOn ? { until: today.until, count: today.count + 1 } : { until: endOfDay(zone, now), count: 1 },
  };
}

/** A row whose automation has had all runs of its day waits for the next; what follows another one is skipped. */
function putOff(
  row: AgendaRow,
  automation: Automation,
  plan: DuePlan,
  state: ClaimState,
  request: ClaimRequest,
): readonly Write[] {
  if (row.cause === 'follow-up') return account(row, automation, plan, 'limit', state, request);
  return [{ op: 'put', store: 'agenda', row: { ...row, dueAt: dayFullUntil(automation) } }];
}

/**
 * Whether the repeat of a failed attempt gives way to the schedule, which has come round meanwhile: after a sleep, what
 * is due now runs, and not in its stead what failed before. Where every missed occurrence is wanted, both run.
 */
function givesWay(row: AgendaRow, automation: Automation, state: ClaimState, now: EpochMs): boolean {
  if (row.cause !== 'retry' || automation.rules.missed.kind === 'all') return false;
  return state.nextScheduledAt !== null && state.nextScheduledAt <= now;
}

/** A run asked for by hand is an agenda row from when it first has to wait; others are there already. */
function waitInAgenda(row: AgendaRow): readonly Write[] {
  return row.cause === 'manual' ? [{ op: 'put', store: 'agenda', row }] : [];
}

/** When the automation's schedule comes next, seen from a run that is recovered inside this claim. */
function nextRun(row: AgendaRow, state: ClaimState): EpochMs | null {
  return row.cause === 'schedule' ? row.dueAt : state.nextScheduledAt;
}

/** Applies the overlap rule to an occurrence that cannot run beside `alive`. */
function decline(
  row: AgendaRow,
  automation: Automation,
  plan: DuePlan,
  alive: readonly ActiveRun[],
  oldest: ActiveRun,
  state: ClaimState,
  request: ClaimRequest,
): Decision<ClaimResult> {
  const answer = (queued: boolean): ClaimResult => ({ kind: 'already-active', runId: oldest.id, queued });
  if (waitsItsTurn(row, automation, alive, request)) return { result: answer(true), writes: [] };
  const { overlap } = automation.rules;
  switch (overlap.kind) {
    case 'queue':
      return { result: answer(true), writes: waitInAgenda(row) };
    case 'replace': {
      const cancels = alive
        .filter((run) => run.cancelRequested === undefined)
        .map((run): Write => ({
          op: 'put',
          store: 'runs',
          row: { ...run, cancelRequested: { at: request.now, by: 'replaced' } },
        }));
      return { result: answer(true), writes: [...cancels, ...waitInAgenda(row)] };
    }
    case 'skip':
    case 'parallel': {
      if (row.cause === 'manual') {
        return { result: answer(false), writes: [{ op: 'delete', store: 'agenda', key: row.key }] };
      }
      return { result: answer(false), writes: account(row, automation, plan, 'overlap', state, request) };
    }
    default:
      return assertNever(overlap);
  }
}

/**
 * Whether `row` stays due whatever the overlap rule says of new occurrences: the repeat of an attempt that failed, a run
 * that a person was promised, and, where every missed occurrence is wanted, one that was due before the active run was
 * claimed. Else catching up would run the first of them and skip, or replace, all others because of it.
 */
function waitsItsTurn(
  row: AgendaRow,
  automation: Automation,
  alive: readonly ActiveRun[],
  request: ClaimRequest,
): boolean {
  switch (row.cause) {
    case 'retry':
      return true;
    case 'manual':
      return request.target.kind === 'row' && automation.rules.overlap.kind !== 'replace';
    case 'follow-up':
    case 'resume':
      return false;
    case 'schedule':
      return automation.rules.missed.kind === 'all' && alive.some((run) => row.dueAt <= run.claimedAt);
    default:
      return assertNever(row.cause);
  }
}

/** What is due gets its rows, a skipped one for what would have run, and the agenda moves on, strictly after now. */
function account(
  row: AgendaRow,
  automation: Automation,
  plan: DuePlan,
  skipped: SkippedReason | null,
  state: ClaimState,
  request: ClaimRequest,
): readonly Write[] {
  const rows = [...missedRows(row, automation, plan, state, request)];
  if (skipped !== null && plan.run !== null) {
    const at = plan.run.scheduledFor;
    const covers = { from: at, to: at, count: 1 };
    const why = { status: 'skipped', reason: skipped } as const;
    rows.push(unrunRow(automation, request.newId(), why, covers, request.now, row));
  }
  return [
    ...rows.map(addRow),
    { op: 'put', store: 'automations', row: withRecent(automation, ...rows.map(recentUnrun)) },
    ...moveOn(row, automation, plan, request.now),
  ];
}

type UnrunReason = MissedReason | SkippedReason;

function missedRows(
  row: AgendaRow,
  automation: Automation,
  plan: DuePlan,
  state: ClaimState,
  request: ClaimRequest,
): readonly UnrunRow[] {
  return plan.missed.flatMap(({ why, covers }) => {
    const parts =
      why === 'late' ? whyLate(row, automation, covers, state.presence, request) : [{ reason: why, covers }];
    return parts.map((part) =>
      unrunRow(automation, request.newId(), endingFor(part.reason), part.covers, request.now, row),
    );
  });
}

function addRow(row: UnrunRow): Write {
  return { op: 'add', store: 'runs', row };
}

/**
 * Why what was late got no run, stretch by stretch: while nobody was there, what the trace of hosts says; while somebody
 * was, what the row has waited for, or that it must have waited.
 */
function whyLate(
  row: AgendaRow,
  automation: Automation,
  covers: Covers,
  stored: Presence = [],
  { now, absence, liveHosts }: ClaimRequest,
): readonly { readonly reason: UnrunReason; readonly covers: Covers }[] {
  // Whether the hosts that are there now have left their trace yet does not matter.
  const presence = extendPresence(stored, now, [...liveHosts]);
  const known = { since: row.dueAt, now };
  const reasonAt = (at: EpochMs): UnrunReason => reasonOf(attendanceAt(presence, at, known), absence);
  const reason = reasonAt(covers.from);
  return isOneStretch(presence, covers.from, covers.to) && reason === reasonAt(covers.to)
    ? [{ reason, covers }]
    : splitUnrun(automation.schedule, covers, reasonAt);
}

function reasonOf(attendance: Attendance, absence: UnrunReason): UnrunReason {
  switch (attendance) {
    case 'closed':
    case 'asleep':
      return attendance;
    case 'present':
      return absence === 'closed' || absence === 'asleep' ? 'waiting' : absence;
    case 'unknown':
      return absence;
    default:
      return assertNever(attendance);
  }
}

function endingFor(
  reason: UnrunReason,
): { status: 'missed'; reason: MissedReason } | { status: 'skipped'; reason: SkippedReason } {
  return reason === 'overlap' || reason === 'limit'
    ? { status: 'skipped', reason }
    : { status: 'missed', reason };
}
