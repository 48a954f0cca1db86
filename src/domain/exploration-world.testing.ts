/**
 * A world in the small, in which the decisions that ship are driven step by step: a few hosts, a few automations, locks, a
 * ledger, a clock. A step is one thing that a host does between two awaits (asks for a lease, looks who is alive, runs a
 * transaction, sends, lets go), or one thing that happens to it (time passes, it crashes, hangs, wakes). A transaction is
 * one step, because the database makes it one. States are plain values, so that every order of steps can be tried.
 *
 * What hosts do between the decisions is what the scheduler's dispatcher, recoverer and runner do, with as little order as
 * they promise: here a host may take up anything at any time. `without` takes a guard away, to see what it prevents.
 */
import * as v from 'valibot';
import { isRepeatable } from './action.ts';
import { assertNever } from './assert.ts';
import type { Automation } from './automation.ts';
import { type ClaimTarget, decideClaim, leasesOf, parallelLimit, targetKey, targetRow } from './claim.ts';
import { type Definition, definitionSchema } from './definition.ts';
import { SCHEMA } from './schema.ts';
import { planDue, scheduledRow } from './due.ts';
import { REWIND_KEPT_MS, decideRepair } from './edit.ts';
import { type Ending, endRun } from './ending.ts';
import type { AutomationId, CommandId, HostId, RunId } from './ids.ts';
import type { LeaseName } from './lease.ts';
import { type AgendaRow, instantOf, partsOfKey } from './occurrence.ts';
import { decideRecovery } from './recover.ts';
import type { MissedRule, OverlapRule } from './rules.ts';
import { type ActiveRun, LEASE_GRACE_MS, type RunRow, isActive } from './run.ts';
import { decideCancel, decideMark, decideSettle, holds } from './settle.ts';
import { type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS } from './time.ts';
import type { Write } from './writes.ts';

/** The time from one occurrence to the next. Longer than what a clock may go back without consequence. */
export const PERIOD_MS = REWIND_KEPT_MS + HOUR_MS;
/** A run may last from its occurrence to the next one, and not to the one after. */
const TIMEOUT_MS = 1.5 * PERIOD_MS - LEASE_GRACE_MS;
const RETRY_DELAY_MS = MINUTE_MS;

/** What keeps a promise of the protocol. Each can be taken away. */
export type Guard =
  /** A host claims only with the lease in hand. */
  | 'lease'
  /** The lease is let go only after the settlement is durable. */
  | 'lease-until-settled'
  /** A settlement checks that the run is still active and its host's. */
  | 'fence-in-settle'
  /** An effect that must not be repeated does not leave when its mark is refused. */
  | 'fence-in-mark'
  /** An effect that must not be repeated leaves after its mark is durable. */
  | 'mark-before-effect'
  /** A claim under the lease of an earlier epoch starts over. */
  | 'stale-lease'
  /** A claim counts active runs under other leases against the overlap rule. */
  | 'overlap-count'
  /** Who hung is shut out by a new epoch, and keeps a lock that nobody wants. Without it: its lock is stolen. */
  | 'no-steal'
  /** The epoch grows when a hung host is shut out. Without it the lease keeps its name. */
  | 'new-epoch'
  /** A lease that someone holds for long without a run gets another name. */
  | 'patience'
  /** A host is shut out only past the deadline of its lease. Without it: when it is found to live. */
  | 'deadline'
  /** A claim ends the dead run whose lease it got. Without it: it claims beside that run. */
  | 'recovery-in-claim'
  /** The same. Without it: it leaves the run to the recoverer. */
  | 'recovery-at-once'
  /** Hosts look for dead runs, and not only when they claim. */
  | 'recoverer'
  /** A run is ended for its host's death only by who was granted its lease. Without it: any run that is not one's own. */
  | 'recovery-by-lease'
  /** A recovery ends the run as it is stored by then, not as it was seen. */
  | 'recovery-reads-again'
  /** The ledger is asked whether it has the occurrence already. */
  | 'ledger'
  /** The runs of all automations are counted inside the claim. Without it: when the host looked around. */
  | 'capacity-in-claim'
  /** Nobody is skipped because of a run whose host is dead. */
  | 'live-hosts';

/** An automation of the world. */
export interface Plan {
  readonly overlap: OverlapRule;
  readonly missed?: MissedRule;
  /** 1 unless said. */
  readonly attempts?: number;
  /** What it does can be repeated safely (a GET, unless said) or not (a POST). */
  readonly action?: 'GET' | 'POST';
}

/** How large the world is, and how much may go wrong in it. */
export interface Scope {
  readonly hosts: number;
  readonly automations: readonly Plan[];
  /** How many times each automation falls due. */
  readonly occurrences: number;
  readonly maxConcurrent: number;
  readonly crashes: number;
  readonly hangs: number;
  /** Whether hosts hang only while all the leases that they hold are of active runs. */
  readonly hangsOnlyInRuns?: boolean;
  /** Whether an action may be refused, or happen and not be answered. */
  readonly failures?: boolean;
  /** How often a host may find that it cannot store a result, and leave the run to recovery. */
  readonly giveUps?: number;
  /** How often the clock may go back by one period. */
  readonly rewinds?: number;
  /** How often a person may ask for the end of a run. */
  readonly cancels?: number;
  /** To how many hosts the one command is brought with which a person asks for a run. */
  readonly deliveries?: number;
  /** How often a host may take a lease for held too long although its holder does not hang. */
  readonly impatience?: number;
  /**
   * Whether to look at an agenda row, ask for the lease and look who lives are three steps, and to look at a run and ask for
   * its lease are two. As one they give the same but for histories in which what was looked at is gone when it is used:
   * those end in a transaction that finds it gone, or in one more wait.
   */
  readonly finely?: boolean;
  readonly without?: readonly Guard[];
}

/** What must never be, by the invariants of the protocol. */
export type FaultKind =
  | 'two-runs-of-one-attempt'
  | 'counted-twice'
  | 'left-out'
  | 'overlap'
  | 'over-capacity'
  | 'terminal-row-changed'
  | 'live-run-ended'
  | 'success-without-its-effect'
  | 'effect-sent-twice'
  | 'effect-unsaid'
  /** Fewer living runs were active than the overlap rule allows. */
  | 'skipped-without-need'
  | 'retried-without-need'
  /** Not of one state: from here the world cannot come to rest, although a host lives. */
  | 'never-at-rest';

export interface Fault {
  readonly kind: FaultKind;
  readonly detail: string;
}

/** What a host has under way besides its runs: it claims, or recovers, one thing at a time. */
export type Control =
  | { readonly at: 'idle' }
  /** Has read the automation and asks for the first of `names` that is free. */
  | { readonly at: 'asking'; readonly target: ClaimTarget; readonly names: readonly LeaseName[] }
  | { readonly at: 'looking'; readonly target: ClaimTarget; readonly lease: LeaseName | null }
  | Claiming
  | { readonly at: 'asking-to-recover' | 'recovering' | 'fencing'; readonly run: ActiveRun }
  | { readonly at: 'stealing' | 'releasing'; readonly lease: LeaseName };

interface Claiming {
  readonly at: 'claiming';
  readonly target: ClaimTarget;
  readonly lease: LeaseName | null;
  readonly live: readonly HostId[];
  /** Whether there was room for one more run then. */
  readonly hadRoom: boolean;
}

/** A run in a host's hand. */
export type Thread =
  | {
      /** Claimed; with its mark `sending` durable; or with its effect done and the answer here. */
      readonly at: 'claimed' | 'sending' | 'answered';
      readonly run: ActiveRun;
    }
  /** Over, and not settled yet. */
  | { readonly at: 'ended'; readonly run: ActiveRun; readonly ending: Ending }
  /** Settled, or not this host's to settle; the lease is still held. */
  | { readonly at: 'settled'; readonly run: ActiveRun };

export type HostState =
  | { readonly kind: 'dead' }
  | {
      readonly kind: 'alive';
      readonly id: HostId;
      readonly hung: boolean;
      readonly control: Control;
      readonly threads: readonly Thread[];
    };
type AliveHost = Extract<HostState, { kind: 'alive' }>;

/** How much may still go wrong. */
type Allowance = Required<
  Pick<Scope, 'crashes' | 'hangs' | 'giveUps' | 'rewinds' | 'cancels' | 'deliveries' | 'impatience'>
>;

export interface State {
  readonly now: EpochMs;
  readonly automations: readonly Automation[];
  readonly agenda: readonly AgendaRow[];
  readonly ledger: readonly RunRow[];
  /** Who holds each lease, by place in `hosts`. */
  readonly leases: ReadonlyMap<LeaseName, number>;
  readonly hosts: readonly HostState[];
  readonly left: Allowance;
  /** How often the effect of each run has happened. */
  readonly effects: ReadonlyMap<RunId, number>;
  /** How many ids have been made. */
  readonly made: number;
  /** What the last step did that no step may do. */
  readonly fault: Fault | null;
}

export interface Step {
  readonly label: string;
  readonly to: State;
  /**
   * `work` is done and `time` passes by themselves. `trouble` need not happen, and the world must come to rest without it.
   * A host will `start` when no other is left.
   */
  readonly kind: 'work' | 'time' | 'trouble' | 'start';
}

const COMMAND = 'c0000000-0000-4000-8000-000000000001' as CommandId;

/** The world before its first occurrence: every host is there and idle. */
export function start(scope: Scope): State {
  const automations = scope.automations.map((plan, index): Automation => ({
    ...definitionOfPlan(plan),
    id: `a0000000-0000-4000-8000-00000000000${index}` as AutomationId,
    schema: SCHEMA,
    revision: 1,
    fence: 0,
    epoch: 0,
    createdAt: 0,
    updatedAt: 0,
    failuresInARow: 0,
    recent: [],
  }));
  return {
    now: 0,
    automations,
    agenda: automations.map(({ id }) => scheduledRow(id, PERIOD_MS)),
    ledger: [],
    leases: new Map(),
    hosts: Array.from({ length: scope.hosts }, (_, slot) => newHost(slot)),
    left: {
      crashes: scope.crashes,
      hangs: scope.hangs,
      giveUps: scope.giveUps ?? 0,
      rewinds: scope.rewinds ?? 0,
      cancels: scope.cancels ?? 0,
      deliveries: scope.deliveries ?? 0,
      impatience: scope.impatience ?? 0,
    },
    effects: new Map(),
    made: scope.hosts,
    fault: null,
  };
}

function definitionOfPlan({ overlap, missed, attempts, action }: Plan): Definition {
  return v.parse(definitionSchema, {
    name: 'A',
    schedule: { kind: 'every', everyMs: PERIOD_MS, anchor: 0 },
    action: { kind: 'http', method: action ?? 'GET', url: 'https://example.test/' },
    rules: {
      overlap,
      missed: missed ?? { kind: 'once' },
      timeoutMs: TIMEOUT_MS,
      retry: { attempts: attempts ?? 1, firstDelayMs: RETRY_DELAY_MS, factor: 1 },
    },
  });
}

function newHost(made: number): AliveHost {
  return { kind: 'alive', id: `host-${made}` as HostId, hung: false, control: { at: 'idle' }, threads: [] };
}

/** Everything that can happen next. */
export function stepsFrom(state: State, scope: Scope): readonly Step[] {
  const steps: Step[] = [];
  const trouble = (label: string, of: keyof Allowance, to: State): void => {
    if (state.left[of] < 1) return;
    const left = { ...state.left, [of]: state.left[of] - 1 };
    steps.push({ label, kind: 'trouble', to: { ...to, left } });
  };
  const later = nextInstant(state, scope);
  if (later !== null)
    steps.push({ label: `it is ${instantText(later)}`, kind: 'time', to: { ...state, now: later } });
  if (state.now >= 2 * PERIOD_MS) {
    const now = state.now - PERIOD_MS;
    trouble(`the clock goes back to ${instantText(now)}`, 'rewinds', { ...state, now });
  }
  if (state.left.cancels > 0) {
    for (const run of active(state)) {
      const { writes } = decideCancel(run, 'person', state.now);
      if (writes.length > 0) trouble(`a person cancels ${runText(run)}`, 'cancels', commit(state, writes));
    }
  }
  for (const [slot, host] of state.hosts.entries()) {
    if (host.kind === 'dead') {
      steps.push({ label: `host ${slot} starts`, kind: 'start', to: startHost(state, slot) });
      continue;
    }
    // An idle host that dies or hangs leaves nothing that another one would have to deal with.
    const isBusy = host.control.at !== 'idle' || host.threads.length > 0;
    if (isBusy) trouble(`host ${slot} crashes`, 'crashes', crash(state, slot));
    if (host.hung) {
      steps.push({ label: `host ${slot} wakes`, kind: 'trouble', to: put(state, slot, { hung: false }) });
      continue;
    }
    const mayHang = isBusy && (scope.hangsOnlyInRuns !== true || holdsOnlyForRuns(state, slot));
    if (mayHang) trouble(`host ${slot} hangs`, 'hangs', put(state, slot, { hung: true }));
    const acting = new Acting(state, scope, slot, host);
    acting.addSteps();
    for (const step of acting.steps) steps.push(step);
    for (const { label, of, to } of acting.troubles) trouble(label, of, to);
  }
  return steps;
}

/** The next instant at which time alone changes something, as far as the world goes; `null` for none. */
function nextInstant(state: State, scope: Scope): EpochMs | null {
  const { now } = state;
  const due = (Math.floor(now / PERIOD_MS) + 1) * PERIOD_MS;
  let next = due <= scope.occurrences * PERIOD_MS ? due : Infinity;
  const consider = (at: EpochMs): void => {
    if (at > now && at < next) next = at;
  };
  for (const row of state.agenda) if (row.cause !== 'schedule') consider(row.dueAt);
  const runs = active(state);
  for (const run of runs) {
    const holder = state.hosts[state.leases.get(run.lease) ?? -1];
    if (holder?.kind === 'alive' && holder.hung) consider(run.leaseDeadline + 1);
  }
  if (next === Infinity) return null;
  // A host that does not hang ends each of its runs by its timeout, before the deadline of its lease.
  const waits = state.hosts.some(
    (host) =>
      host.kind === 'alive' &&
      !host.hung &&
      host.threads.some(
        ({ run, at }) => at !== 'settled' && run.leaseDeadline < next && runs.some(({ id }) => id === run.id),
      ),
  );
  return waits ? null : next;
}

/** What the host at `slot` can do next. */
class Acting {
  readonly steps: Step[] = [];
  /** What it does only if something else than itself lets it. */
  readonly troubles: { readonly label: string; readonly of: keyof Allowance; readonly to: State }[] = [];
  readonly #state: State;
  readonly #scope: Scope;
  readonly #slot: number;
  readonly #host: AliveHost;

  constructor(state: State, scope: Scope, slot: number, host: AliveHost) {
    this.#state = state;
    this.#scope = scope;
    this.#slot = slot;
    this.#host = host;
  }

  addSteps(): void {
    this.#addControl();
    for (const [index, thread] of this.#host.threads.entries()) this.#addThread(thread, index);
  }

  #lacks(guard: Guard): boolean {
    return this.#scope.without?.includes(guard) === true;
  }

  #add(label: string, to: State): void {
    this.steps.push({ label: `host ${this.#slot} ${label}`, to, kind: 'work' });
  }

  /** The state with what this host has under way replaced. */
  #with(control: Control, state = this.#state): State {
    return put(state, this.#slot, { control });
  }

  #holding(lease: LeaseName): State {
    return { ...this.#state, leases: new Map(this.#state.leases).set(lease, this.#slot) };
  }

  #addControl(): void {
    const { control } = this.#host;
    switch (control.at) {
      case 'idle':
        this.#takeUp();
        return;
      case 'asking':
        this.#ask(control.target, control.names);
        return;
      case 'looking':
        this.#add('looks around', this.#looked(control.target, control.lease, this.#state));
        return;
      case 'claiming':
        this.#claim(control, 0);
        if (control.lease === null) this.#claimImpatiently(control);
        return;
      case 'asking-to-recover':
        this.#askToRecover(control.run);
        return;
      case 'recovering':
        this.#recover(control.run, { at: 'releasing', lease: control.run.lease }, 'lease-granted');
        return;
      case 'fencing':
        this.#recover(control.run, { at: 'idle' }, 'past-deadline');
        return;
      case 'stealing': {
        const stolen = { ...this.#state, leases: omit(this.#state.leases, control.lease) };
        this.#add(`steals ${leaseText(control.lease)}`, this.#with({ at: 'idle' }, stolen));
        return;
      }
      case 'releasing': {
        const released = release(this.#state, control.lease, this.#slot);
        this.#add(`lets ${leaseText(control.lease)} go`, this.#with({ at: 'idle' }, released));
        return;
      }
    }
  }

  #takeUp(): void {
    const { automations, agenda, now } = this.#state;
    for (const { key, dueAt, automationId } of agenda) {
      const automation = automations.find(({ id }) => id === automationId);
      if (dueAt > now || automation === undefined) continue;
      const target = { kind: 'row', key } as const;
      const names = leasesOf(automation);
      this.#add(
        `takes up ${keyText(key)}`,
        this.#scope.finely === true
          ? this.#with({ at: 'asking', target, names })
          : this.#lookedAfterAsking(target, names),
      );
    }
    const [first] = automations;
    if (first !== undefined && now > 0) {
      const target = { kind: 'manual', automationId: first.id, commandId: COMMAND } as const;
      const to = this.#lookedAfterAsking(target, leasesOf(first));
      this.troubles.push({ label: `host ${this.#slot} is asked for a run`, of: 'deliveries', to });
    }
    if (this.#lacks('recoverer')) return;
    for (const run of active(this.#state)) {
      if (this.#host.threads.some((thread) => thread.run.id === run.id)) continue;
      if (this.#lacks('recovery-by-lease')) this.#recover(run, { at: 'idle' }, 'lease-granted');
      else if (this.#scope.finely !== true) this.#askToRecover(run);
      else this.#add(`sees ${runText(run)}`, this.#with({ at: 'asking-to-recover', run }));
    }
  }

  #isFree(lease: LeaseName): boolean {
    return !this.#state.leases.has(lease) || this.#lacks('lease');
  }

  #ask(target: ClaimTarget, [name, ...others]: readonly LeaseName[]): void {
    if (name === undefined) throw new RangeError('a claim asks for some lease');
    if (this.#isFree(name)) {
      const looking: Control = { at: 'looking', target, lease: name };
      this.#add(`gets ${leaseText(name)}`, this.#with(looking, this.#holding(name)));
      return;
    }
    const next: Control =
      others.length > 0 ? { at: 'asking', target, names: others } : { at: 'looking', target, lease: null };
    this.#add(`does not get ${leaseText(name)}`, this.#with(next));
  }

  #lookedAfterAsking(target: ClaimTarget, names: readonly LeaseName[]): State {
    const lease = names.find((name) => this.#isFree(name)) ?? null;
    return this.#looked(target, lease, lease === null ? this.#state : this.#holding(lease));
  }

  #looked(target: ClaimTarget, lease: LeaseName | null, state: State): State {
    const live = livingHosts(state);
    const hadRoom = active(state).length < this.#scope.maxConcurrent;
    return this.#with({ at: 'claiming', target, lease, live, hadRoom }, state);
  }

  /** The claim of a host that has not got the lease for so long that its holder must hang. */
  #claimImpatiently(control: Claiming): void {
    const { automationId } = partsOfKey(targetKey(control.target));
    const automation = this.#state.automations.find(({ id }) => id === automationId);
    if (automation === undefined) return;
    const holders = leasesOf(automation).map((name) => this.#state.hosts[this.#state.leases.get(name) ?? -1]);
    if (holders.some((holder) => holder?.kind === 'alive' && holder.hung)) {
      this.#claim(control, LEASE_GRACE_MS + 1);
    } else if (this.#state.left.impatience > 0) {
      const before = this.steps.length;
      this.#claim(control, LEASE_GRACE_MS + 1);
      const [step] = this.steps.splice(before);
      if (step !== undefined)
        this.troubles.push({ label: `${step.label}, out of patience`, of: 'impatience', to: step.to });
    }
  }

  /** The transaction of a claim, as the store does it. */
  #claim(control: Claiming, leaseBusyMs: DurationMs): void {
    const { target, lease } = control;
    const state = this.#state;
    const key = targetKey(target);
    const { automationId, occurrence, attempt } = partsOfKey(key);
    const stored = state.automations.find(({ id }) => id === automationId) ?? null;
    const row = targetRow(target, state.agenda.find((one) => one.key === key) ?? null, state.now);
    const isScheduled = attempt === 1 && instantOf(occurrence) !== null;
    const had = state.ledger.some((run) => run.occurrence === occurrence && run.attempt === attempt);
    const asksLedger = !this.#lacks('ledger');
    const decided = asksLedger ? decidedInstants(state, automationId) : undefined;
    const automation = stored === null || lease === null ? stored : this.#inEpochOf(lease, stored);
    const hadRoom = control.hadRoom ? Infinity : 0;
    let { made } = state;
    const { result, writes } = decideClaim(
      {
        row,
        automation,
        plan: row === null || automation === null ? null : planDue(row, automation, state.now, decided),
        ledgerHas: asksLedger && !isScheduled && had,
        active: this.#runsSeen(automationId, lease),
        unverifiable: { ofThis: 0, ofOthers: 0 },
        maxConcurrent: this.#lacks('capacity-in-claim') ? hadRoom : this.#scope.maxConcurrent,
        nextScheduledAt: nextScheduledAt(state, automationId),
        agenda: agendaOf(state, automationId),
      },
      {
        target,
        host: { id: this.#host.id, kind: 'shared-worker', build: 'test' },
        now: state.now,
        lease,
        liveHosts: new Set(
          this.#lacks('live-hosts') ? active(state).map((run) => run.host.id) : control.live,
        ),
        missing: null,
        leaseBusyMs: this.#lacks('patience') ? 0 : leaseBusyMs,
        absence: 'closed',
        newId: () => `run-${made++}` as RunId,
        chance: 0,
      },
    );
    const isInEpoch = automation?.epoch === stored?.epoch;
    let to = commit({ ...state, made }, isInEpoch ? writes : keepEpoch(writes, stored?.epoch ?? 0));
    if (result.kind === 'claimed') {
      const threads: readonly Thread[] = [...this.#host.threads, { at: 'claimed', run: result.run }];
      to = put(to, this.#slot, { control: { at: 'idle' }, threads });
      this.#add(`claims ${runText(result.run)}`, to);
      return;
    }
    if (result.kind === 'already-active' && !result.queued && stored !== null) {
      const living = new Set([...control.live, ...livingHosts(state)]);
      const others = active(state).filter((run) => run.automationId === automationId && run.lease !== lease);
      if (others.filter((run) => living.has(run.host.id)).length < parallelLimit(stored.rules.overlap))
        to = withFault(
          to,
          'skipped-without-need',
          `${keyText(key)} for ${others.map(runText).join() || 'no run'}`,
        );
    }
    const next: Control = lease === null ? { at: 'idle' } : { at: 'releasing', lease };
    const queued = result.kind === 'already-active' && result.queued ? ', and waits' : '';
    this.#add(`asks for ${keyText(key)}: ${result.kind}${queued}`, this.#with(next, to));
  }

  /** The active runs, as a claim under `lease` sees them. */
  #runsSeen(of: AutomationId, lease: LeaseName | null): readonly ActiveRun[] {
    let runs = active(this.#state);
    if (lease === null || this.#scope.without === undefined) return runs;
    if (this.#lacks('recovery-in-claim')) runs = runs.filter((run) => run.lease !== lease);
    if (this.#lacks('recovery-at-once'))
      runs = runs.map((run) => (run.lease === lease ? { ...run, lease: `${lease}?` as LeaseName } : run));
    if (this.#lacks('overlap-count'))
      runs = runs.filter((run) => run.automationId !== of || run.lease === lease);
    return runs;
  }

  /** Without the check for stale leases: the automation as if its epoch were that of `lease`. */
  #inEpochOf(lease: LeaseName, automation: Automation): Automation {
    return this.#lacks('stale-lease') ? { ...automation, epoch: Number(lease.split('/')[3]) } : automation;
  }

  #askToRecover(run: ActiveRun): void {
    const lease = leaseText(run.lease);
    if (!this.#state.leases.has(run.lease)) {
      const recovering = this.#with({ at: 'recovering', run }, this.#holding(run.lease));
      this.#add(`gets ${lease} to recover ${runText(run)}`, recovering);
    } else if (
      this.#state.now > run.leaseDeadline ||
      this.#lacks('deadline') ||
      this.#scope.finely === true
    ) {
      // Finely, the decision is asked also where the host can tell that the deadline has not passed.
      this.#add(`does not get ${lease} of ${runText(run)}`, this.#with({ at: 'fencing', run }));
    }
  }

  /** The transaction of a recovery. */
  #recover(run: ActiveRun, next: Control, proof: 'lease-granted' | 'past-deadline'): void {
    const state = this.#state;
    const automation = state.automations.find(({ id }) => id === run.automationId) ?? null;
    const now = this.#lacks('deadline') ? run.leaseDeadline + 1 : state.now;
    const { result, writes } = decideRecovery(
      {
        run: this.#lacks('recovery-reads-again') ? run : rowOf(state, run.id),
        automation,
        nextScheduledAt: nextScheduledAt(state, run.automationId),
        agenda: agendaOf(state, run.automationId),
      },
      { runId: run.id, fence: run.fence, proof, now, chance: 0 },
    );
    const keeps = automation !== null && (this.#lacks('no-steal') || this.#lacks('new-epoch'));
    const to = commit(state, keeps ? keepEpoch(writes, automation.epoch) : writes);
    const what = result.kind === 'recovered' ? result.run.status : result.kind;
    const steals = this.#lacks('no-steal') && proof === 'past-deadline' && result.kind === 'recovered';
    const after: Control = steals ? { at: 'stealing', lease: run.lease } : next;
    this.#add(`recovers ${runText(run)}: ${what}`, this.#with(after, to));
  }

  #addThread(thread: Thread, index: number): void {
    const { run } = thread;
    const state = this.#state;
    const name = runText(run);
    const to = (next: Thread | null, from = state): State => this.#withThread(index, next, from);
    if (thread.at === 'settled') {
      this.#add(
        `lets ${leaseText(run.lease)} of ${name} go`,
        to(null, release(state, run.lease, this.#slot)),
      );
      return;
    }
    if (thread.at === 'ended') {
      this.#settle(run, thread.ending, index);
      const label = `host ${this.#slot} cannot store the end of ${name}`;
      this.troubles.push({ label, of: 'giveUps', to: to({ at: 'settled', run }) });
      if (this.#lacks('lease-until-settled') && state.leases.get(run.lease) === this.#slot)
        this.#add(`lets ${leaseText(run.lease)} go early`, release(state, run.lease, this.#slot));
      return;
    }
    const row = rowOf(state, run.id);
    if (!holds(row, { hostId: this.#host.id, fence: run.fence })) {
      this.#add(`notices that ${name} was ended`, to({ at: 'settled', run }));
    } else if (row.cancelRequested !== undefined) {
      const ending: Ending = { kind: 'cancelled', by: row.cancelRequested.by };
      this.#add(`stops ${name}`, to({ at: 'ended', run, ending }));
    }
    const marks = isPost(run) && !this.#lacks('mark-before-effect');
    if (thread.at === 'answered') this.#mark(run, 'sent', index);
    else if (marks && thread.at === 'claimed') this.#mark(run, 'sending', index);
    else this.#perform(run, index);
  }

  /** The action itself. */
  #perform(run: ActiveRun, index: number): void {
    const name = runText(run);
    const done = (this.#state.effects.get(run.id) ?? 0) + 1;
    const happened: State = { ...this.#state, effects: new Map(this.#state.effects).set(run.id, done) };
    const success: Thread = isPost(run) ? { at: 'answered', run } : ended(run, SUCCESS);
    this.#add(`does ${name}`, this.#withThread(index, success, happened));
    if (this.#scope.failures !== true) return;
    this.#add(`is refused ${name}`, this.#withThread(index, ended(run, REFUSED)));
    const unheard = this.#withThread(index, ended(run, UNHEARD), happened);
    this.#add(`does ${name} and hears no answer`, unheard);
  }

  #mark(run: ActiveRun, effect: 'sending' | 'sent', index: number): void {
    const by = { hostId: this.#host.id, fence: run.fence };
    const { result, writes } = decideMark(rowOf(this.#state, run.id), by, effect);
    const goesOn = result.kind === 'marked' || this.#lacks('fence-in-mark');
    const next: Thread = !goesOn
      ? { at: 'settled', run }
      : effect === 'sending'
        ? { at: 'sending', run }
        : ended(run, SUCCESS);
    const to = this.#withThread(index, next, commit(this.#state, writes));
    this.#add(`marks ${runText(run)} ${effect}: ${result.kind}`, to);
  }

  /** The transaction of a settlement. */
  #settle(run: ActiveRun, ending: Ending, index: number): void {
    const state = this.#state;
    const end = {
      automation: state.automations.find(({ id }) => id === run.automationId) ?? null,
      nextScheduledAt: nextScheduledAt(state, run.automationId),
      agenda: agendaOf(state, run.automationId),
    };
    const { result, writes } = this.#lacks('fence-in-settle')
      ? { result: { kind: 'settled' }, writes: endRun(run, ending, end, state.now, 0).writes }
      : decideSettle(
          { run: rowOf(state, run.id), ...end },
          { runId: run.id, hostId: this.#host.id, fence: run.fence, ending, now: state.now, chance: 0 },
        );
    const to = this.#withThread(index, { at: 'settled', run }, commit(state, writes));
    this.#add(`settles ${runText(run)} as ${ending.kind}: ${result.kind}`, to);
  }

  #withThread(index: number, thread: Thread | null, state = this.#state): State {
    const { threads } = this.#host;
    const next = thread === null ? threads.toSpliced(index, 1) : threads.with(index, thread);
    return put(state, this.#slot, { threads: next });
  }
}

const SUCCESS: Ending = { kind: 'succeeded', summary: '' };
const REFUSED: Ending = {
  kind: 'failed',
  failure: { class: 'action', code: 'unexpected-status', message: 'The answer was no.' },
};
const UNHEARD: Ending = {
  kind: 'failed',
  failure: { class: 'network', code: 'unreachable', message: 'There was no answer.' },
};

function ended(run: ActiveRun, ending: Ending): Thread {
  return { at: 'ended', run, ending };
}

/** Whether what `run` does must not be repeated. */
export function isPost({ definition }: Pick<ActiveRun, 'definition'>): boolean {
  return !isRepeatable(definition.action);
}

/** The active runs. */
export function active(state: State): ActiveRun[] {
  return state.ledger.filter((row): row is ActiveRun => isActive(row));
}

/** The row of the run `id` as it is stored. */
export function rowOf(state: State, id: RunId): RunRow | null {
  return state.ledger.find((row) => row.id === id) ?? null;
}

function livingHosts(state: State): readonly HostId[] {
  return state.hosts.flatMap((host) => (host.kind === 'alive' ? [host.id] : []));
}

function agendaOf(state: State, of: AutomationId): readonly AgendaRow[] {
  return state.agenda.filter((row) => row.automationId === of);
}

function nextScheduledAt(state: State, of: AutomationId): EpochMs | null {
  return state.agenda.find((row) => row.automationId === of && row.cause === 'schedule')?.dueAt ?? null;
}

/** The scheduled instants that the ledger has a row of by their own key. */
function decidedInstants(state: State, of: AutomationId): ReadonlySet<EpochMs> {
  const rows = state.ledger.filter((row) => row.automationId === of);
  return new Set(rows.flatMap((row) => instantOf(row.occurrence) ?? []));
}

/** `writes`, but for the automation's epoch. */
function keepEpoch(writes: readonly Write[], epoch: number): readonly Write[] {
  return writes.map((write) =>
    write.store === 'automations' && write.op === 'put' ? { ...write, row: { ...write.row, epoch } } : write,
  );
}

function put(state: State, slot: number, change: Partial<AliveHost>): State {
  const hosts = state.hosts.map((host, at) =>
    at === slot && host.kind === 'alive' ? { ...host, ...change } : host,
  );
  return { ...state, hosts };
}

function holdsOnlyForRuns(state: State, slot: number): boolean {
  const ofRuns = new Set(active(state).map((run) => run.lease));
  return [...state.leases].every(([lease, holder]) => holder !== slot || ofRuns.has(lease));
}

function omit(leases: State['leases'], name: LeaseName): State['leases'] {
  const kept = new Map(leases);
  kept.delete(name);
  return kept;
}

/** Lets a lease go, if it is still this host's. */
function release(state: State, lease: LeaseName, slot: number): State {
  return state.leases.get(lease) === slot ? { ...state, leases: omit(state.leases, lease) } : state;
}

/** A host dies, and the browser frees its locks. */
function crash(state: State, slot: number): State {
  return {
    ...state,
    leases: new Map([...state.leases].filter(([, holder]) => holder !== slot)),
    hosts: state.hosts.with(slot, { kind: 'dead' }),
  };
}

/** A host starts in the place of a dead one, under an id of its own, and repairs the agenda. */
function startHost(state: State, slot: number): State {
  const { made, automations, agenda, now } = state;
  const writes = automations.flatMap((automation) =>
    decideRepair(
      automation,
      agenda.filter((row) => row.automationId === automation.id),
      now,
    ),
  );
  return commit({ ...state, hosts: state.hosts.with(slot, newHost(made)), made: made + 1 }, writes);
}

function withFault(state: State, kind: FaultKind, detail: string): State {
  return state.fault === null ? { ...state, fault: { kind, detail } } : state;
}

/** Makes the writes of a decision, all at once. */
function commit(state: State, writes: readonly Write[]): State {
  return writes.reduce(commitOne, state);
}

function commitOne(state: State, write: Write): State {
  switch (write.store) {
    case 'automations': {
      if (write.op === 'delete') throw new RangeError('nobody removes an automation here');
      const { row } = write;
      return { ...state, automations: state.automations.map((one) => (one.id === row.id ? row : one)) };
    }
    case 'agenda': {
      const key = write.op === 'delete' ? write.key : write.row.key;
      const others = state.agenda.filter((one) => one.key !== key);
      return { ...state, agenda: write.op === 'delete' ? others : [...others, write.row] };
    }
    case 'runs': {
      const { row } = write;
      if (write.op === 'add') {
        const isTwin = (one: RunRow) => one.occurrence === row.occurrence && one.attempt === row.attempt;
        const after = { ...state, ledger: [...state.ledger, row] };
        return state.ledger.some(isTwin)
          ? withFault(after, 'two-runs-of-one-attempt', `a second ${runText(row)}`)
          : after;
      }
      const before = rowOf(state, row.id);
      const after = { ...state, ledger: state.ledger.map((one) => (one.id === row.id ? row : one)) };
      return before === null || isActive(before)
        ? after
        : withFault(after, 'terminal-row-changed', `${runText(row)}: ${before.status} to ${row.status}`);
    }
    case 'outputs':
    case 'outbox':
    case 'values':
      return state;
    default:
      return assertNever(write);
  }
}

const LETTERS = 'ABC';

/** `A@1` for the first occurrence of the first automation, `A@1#2` for its second attempt, `A!` for a run by hand. */
export function runText(run: Pick<RunRow, 'occurrence' | 'attempt'>): string {
  return keyText(`${run.occurrence}#${run.attempt}`);
}

/** The same, of a key. */
function keyText(key: string): string {
  const mark = key.lastIndexOf('#');
  const letter = LETTERS[Number(key.slice(35, 36))] ?? '?';
  const at = key.slice(36, mark);
  const occurrence = at.startsWith('!') ? '!' : `@${Number(at.slice(1)) / PERIOD_MS}`;
  const attempt = key.slice(mark + 1);
  return attempt === '1' ? `${letter}${occurrence}` : `${letter}${occurrence}#${attempt}`;
}

/** `lease A/0`, or with its slot `lease A/0/1`. */
function leaseText(lease: LeaseName): string {
  const [, , id, ...rest] = lease.split('/');
  return `lease ${[LETTERS[Number(id?.slice(-1))], ...rest].join('/')}`;
}

/** In periods and minutes: `1`, `2+1`. */
function instantText(at: EpochMs): string {
  const periods = Math.floor(at / PERIOD_MS);
  const minutes = Math.ceil((at - periods * PERIOD_MS) / MINUTE_MS);
  return minutes === 0 ? String(periods) : `${periods}+${minutes}`;
}
