/**
 * The protocol in the small, for properties: a ledger of maps that makes all writes of a decision or none, hosts that
 * plan, take a lease, claim, act, settle and release in steps that can be anywhere apart, locks that a death frees, and a
 * clock that jumps. After each step the invariants of the protocol (section 9) are checked: see {@link Violation}.
 *
 * Guards can be taken out one by one, to see what each is for.
 */
import { decideAnswer, isOpen } from './answer.ts';
import { type Automation, runsLeft } from './automation.ts';
import {
  type ClaimTarget,
  type ClaimState,
  decideClaim,
  leasesOf,
  parallelLimit,
  targetKey,
  targetRow,
} from './claim.ts';
import type { Definition } from './definition.ts';
import { planDue } from './due.ts';
import { decideRemove, decideRepair, decideSave, decideSetEnabled, type SaveState } from './edit.ts';
import type { EndState, Ending } from './ending.ts';
import type { AutomationId, HostId, RunId } from './ids.ts';
import type { LeaseName } from './lease.ts';
import { type AgendaKey, type AgendaRow, agendaKey, isAskedFor } from './occurrence.ts';
import { type Pause, pausedUntil, withPause } from './pause.ts';
import { type Presence, extendPresence } from './presence.ts';
import { decideRecovery } from './recover.ts';
import type { MissedRule, OverlapRule, RetryRule } from './rules.ts';
import { type ActiveRun, type RunRow, isActive, mayBecome } from './run.ts';
import { MONDAY, automationId, commandId, definition, hostId, runId } from './samples.testing.ts';
import { dueInstants, nextAfter } from './instants.ts';
import { type Schedule } from './schedule.ts';
import { decideCancel, decideMark, decideSettle } from './settle.ts';
import { type DurationMs, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from './time.ts';
import type { Write } from './writes.ts';

/** An invariant of the protocol is broken; `invariant` is its number there. */
export class Violation extends Error {
  override readonly name = 'Violation';
  constructor(
    readonly invariant: number,
    what: string,
  ) {
    super(`invariant ${invariant}: ${what}`);
  }
}

/** What the model can do without, to show the harm. */
export type Guard =
  /** A claim takes the lease that it asks for, also when someone else holds it. */
  | 'lease'
  /** Runs under another lease of the automation count against its overlap rule. */
  | 'overlap count'
  /** The lease in hand must be of the automation's epoch. */
  | 'epoch check'
  /** A hung host that is fenced out keeps a lease that nobody wants any more. */
  | 'epoch raise'
  /** A lease that is held for long without a run gets another name. */
  | 'busy lease'
  /** A settlement is refused to who does not hold the run any more. */
  | 'fence'
  /** What the ledger has a row of is not claimed again. */
  | 'ledger keys'
  /** Active runs are counted inside the transaction, and not when the claim was planned. */
  | 'capacity inside'
  /** The lease is held until the settlement is stored. */
  | 'late release'
  /** Only a granted lease proves that a run's host is gone. */
  | 'lease proof'
  /** All writes of a claim are made, or none. */
  | 'one transaction';

/** What a property draws: a world, and what happens in it. */
export interface Plan {
  readonly hosts: number;
  readonly maxConcurrent: number;
  readonly automations: readonly {
    readonly everyMs: number;
    readonly overlap: OverlapRule;
    readonly missed: MissedRule;
    readonly retry: RetryRule | null;
    /** Whether its effect must not be repeated. */
    readonly posts: boolean;
    readonly jitterMs: DurationMs;
    readonly runsPerDay: number | null;
    readonly maxRuns: number | null;
  }[];
  readonly steps: readonly number[];
}

/** A run in the hands of a host, or on the way there. */
type Task =
  | { kind: 'claim'; phase: 'planned'; target: ClaimTarget; names: readonly LeaseName[]; activeSeen: number }
  | {
      kind: 'claim';
      phase: 'leased';
      target: ClaimTarget;
      lease: LeaseName | null;
      live: ReadonlySet<HostId>;
      activeSeen: number;
    }
  | { kind: 'claim'; phase: 'running' | 'settled'; run: ActiveRun; fencedOut: boolean; stopped: boolean }
  | { kind: 'recover'; phase: 'planned'; run: ActiveRun }
  | { kind: 'recover'; phase: 'leased'; run: ActiveRun };

interface Host {
  id: HostId;
  life: 'alive' | 'hung' | 'dead';
  tasks: Task[];
}

/** How often each thing may happen, relative to the others. */
const WEIGHTS = {
  'time passes': 24,
  'claims at once': 30,
  plans: 12,
  'goes on': 26,
  'runs by hand': 3,
  'looks for the dead': 4,
  crashes: 1.5,
  starts: 8,
  hangs: 0.7,
  wakes: 4,
  'jumps ahead': 0.7,
  'jumps back': 0.7,
  edits: 1,
  pauses: 0.3,
  'pauses for a while': 0.3,
  'pauses all': 0.3,
  resumes: 2,
  cancels: 0.5,
  answers: 0.5,
  removes: 0.1,
  'sets the limit': 0.3,
} as const;
type Happening = keyof typeof WEIGHTS;
const TABLE: readonly Happening[] = Object.entries(WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight * 10 }, () => name as Happening),
);

const OVERLAPS: readonly OverlapRule[] = [
  { kind: 'skip' },
  { kind: 'queue' },
  { kind: 'replace' },
  { kind: 'parallel', limit: 2 },
];

export class ModelWorld {
  /** How often {@link decideClaim} was asked, before all came to rest. */
  claims = 0;
  /** How often each thing came of a claim, a settlement or a recovery. */
  readonly results = new Map<string, number>();
  /** What happened, for the words of a failure. */
  readonly trace: string[] = [];

  readonly #without: ReadonlySet<Guard>;
  /** Whether nobody edits anything. */
  readonly #isUnedited: boolean;
  #now: EpochMs = MONDAY;
  #maxConcurrent: number;
  #count = 0;
  #salt = 0;
  #isResting = false;

  // The ledger.
  readonly #automations = new Map<AutomationId, Automation>();
  readonly #agenda = new Map<AgendaKey, AgendaRow>();
  readonly #runs = new Map<RunId, RunRow>();
  readonly #active = new Set<RunId>();
  readonly #keys = new Set<AgendaKey>();
  #pauses: readonly Pause[] = [];
  #presence: Presence = [];

  // The world outside.
  readonly #hosts: Host[];
  readonly #locks = new Map<string, Host>();
  /** Effects that reached the server. */
  readonly #happened = new Set<RunId>();
  readonly #accounts = new Map<AutomationId, Account>();

  constructor(plan: Omit<Plan, 'steps'>, without: readonly Guard[] = [], unedited = false) {
    this.#without = new Set(without);
    this.#isUnedited = unedited;
    this.#maxConcurrent = plan.maxConcurrent;
    this.#hosts = Array.from({ length: plan.hosts }, () => ({
      id: this.#newHostId(),
      life: 'alive',
      tasks: [],
    }));
    for (const {
      everyMs,
      overlap,
      missed,
      retry,
      posts,
      jitterMs,
      runsPerDay,
      maxRuns,
    } of plan.automations) {
      this.#create({
        ...definition({
          schedule: {
            kind: 'every',
            everyMs,
            anchor: MONDAY,
            jitterMs,
            ...(maxRuns === null ? {} : { maxRuns }),
          },
          action: { kind: 'http', method: posts ? 'POST' : 'GET', url: 'https://example.test/' },
          rules: {
            overlap,
            missed,
            timeoutMs: 2 * MINUTE_MS,
            ...(retry === null ? {} : { retry }),
            ...(runsPerDay === null ? {} : { runsPerDay }),
          },
        }),
      });
    }
  }

  /** Lets all of `steps` happen, and then everything come to rest. Throws {@link Violation}. */
  run(steps: readonly number[]): void {
    for (const step of steps) this.step(step);
    this.rest();
  }

  /** Lets one thing happen; the number says what, to whom and how much. */
  step(number: number): void {
    const happening = TABLE[number % TABLE.length] ?? 'time passes';
    const rest = Math.floor(number / TABLE.length);
    // Chance that has nothing to do with who does what.
    this.#salt = Math.imul(number, 0x9e3779b1) >>> 7;
    const host = this.#hosts[rest % this.#hosts.length];
    if (host === undefined) return;
    const who = host.id.slice(-2);
    let what: string | null = ', which is one too many';
    try {
      what = this.#happen(happening, host, Math.floor(rest / this.#hosts.length));
      this.#leaveTrace();
      this.#check();
    } finally {
      if (what !== null) this.trace.push(`${who} ${happening}${what}`);
    }
  }

  /**
   * Lets a new host put all in order while those that hang go on hanging, then wakes these. Throws when a run stays
   * active, or something due stays pending, though a healthy host does all that a host does.
   */
  rest(): void {
    this.#isResting = true;
    this.#pauses = withPause(this.#pauses, null, this.#now);
    const healthy: Host = { id: this.#newHostId(), life: 'dead', tasks: [] };
    this.#hosts.push(healthy);
    // Past the lease deadline of whatever runs.
    this.#now += HOUR_MS;
    for (const host of this.#hosts) if (host.life === 'dead') this.#start(host);
    this.#comeToRest(healthy);
    for (const host of this.#hosts) host.life = 'alive';
    this.#comeToRest(healthy);
  }

  #comeToRest(healthy: Host): void {
    for (let round = 0; round < 400; round++) {
      const alive = this.#hosts.filter(({ life }) => life === 'alive');
      for (const host of alive) while (host.tasks.length > 0) this.#goOn(host, 0, 3);
      for (const id of this.#active) this.#planRecovery(healthy, id);
      while (healthy.tasks.length > 0) this.#goOn(healthy, 0, 3);
      const due = this.#due();
      if (due.length === 0 && this.#active.size === 0) return;
      for (const row of due) this.#claimAtOnce(healthy, { kind: 'row', key: row.key });
      this.#check();
    }
    throw new Violation(6, `comes to no rest: ${this.#active.size} active, ${this.#due().length} due`);
  }

  // What can happen

  /** Says what came of it; `null` when nothing did. */
  #happen(happening: Happening, host: Host, amount: number): string | null {
    switch (happening) {
      case 'time passes':
        this.#now += (amount % 90) * SECOND_MS + (amount % 7);
        return ` to ${this.#at()}`;
      case 'jumps ahead':
        this.#now += (amount % 360) * MINUTE_MS;
        return ` to ${this.#at()}`;
      case 'jumps back':
        this.#now -= (amount % 20) * MINUTE_MS;
        return ` to ${this.#at()}`;
      case 'starts':
        if (host.life !== 'dead') return null;
        this.#start(host);
        return '';
      case 'wakes':
        if (host.life !== 'hung') return null;
        host.life = 'alive';
        return '';
      case 'hangs':
        if (host.life !== 'alive') return null;
        host.life = 'hung';
        return '';
      case 'crashes':
        if (host.life === 'dead') return null;
        this.#crash(host);
        return '';
      case 'pauses all':
        this.#pauses = withPause(
          this.#pauses,
          amount % 3 === 0 ? null : this.#now + (amount % 40) * MINUTE_MS,
          this.#now,
        );
        return ` at ${this.#at()}`;
      case 'sets the limit':
        this.#maxConcurrent = 1 + (amount % 3);
        return ` to ${this.#maxConcurrent}`;
      default:
    }
    if (host.life !== 'alive') return null;
    switch (happening) {
      case 'claims at once': {
        const row = pick(this.#due(), amount);
        if (row === undefined) return null;
        const result = this.#claimAtOnce(host, { kind: 'row', key: row.key });
        return ` ${this.#short(row.key)}: ${result}`;
      }
      case 'plans': {
        const row = pick(this.#due(), amount);
        if (row === undefined) return null;
        this.#plan(host, { kind: 'row', key: row.key });
        return ` ${this.#short(row.key)}`;
      }
      case 'runs by hand': {
        const of = pick([...this.#automations.keys()], amount);
        if (of === undefined) return null;
        const target = { kind: 'manual', automationId: of, commandId: commandId(++this.#count) } as const;
        if (amount % 2 === 0) return ` ${of.slice(-1)}: ${this.#claimAtOnce(host, target)}`;
        this.#plan(host, target);
        return ` ${of.slice(-1)}, in a moment`;
      }
      case 'goes on':
        if (host.tasks.length === 0) return null;
        return ` ${this.#goOn(host, amount % host.tasks.length, Math.floor(amount / 8))}`;
      case 'looks for the dead': {
        const id = pick([...this.#active], amount);
        if (id === undefined) return null;
        this.#planRecovery(host, id);
        if (amount % 3 > 0) this.#goOn(host, host.tasks.length - 1, 1);
        return ` at ${id.slice(-3)}`;
      }
      case 'edits':
      case 'pauses':
      case 'pauses for a while':
      case 'resumes':
      case 'removes': {
        const of = pick([...this.#automations.values()], amount);
        if (of === undefined || this.#isUnedited) return null;
        return ` ${of.id.slice(-1)}: ${this.#edit(of, happening, Math.floor(amount / 8))}`;
      }
      case 'cancels': {
        const id = pick([...this.#active], amount);
        if (id === undefined) return null;
        this.#apply(decideCancel(this.#runs.get(id) ?? null, 'person', this.#now).writes);
        return ` ${id.slice(-3)}`;
      }
      case 'answers': {
        const open = [...this.#runs.values()].find(isOpen);
        if (open === undefined) return null;
        const of = this.#automations.get(open.automationId) ?? null;
        this.#apply(
          decideAnswer(open, of, amount % 2 === 0 ? 'happened' : 'run-again', this.#now).writes,
          'answer',
        );
        return ` ${open.id.slice(-3)}`;
      }
      default:
        return null;
    }
  }

  /** Hosts write down that they are there, when they come to it. */
  #leaveTrace(): void {
    const there = this.#hosts.filter(({ life }) => life === 'alive').map(({ id }) => id);
    if (there.length > 0 && this.#salt % 4 > 0)
      this.#presence = extendPresence(this.#presence, this.#now, there);
  }

  #start(host: Host): void {
    host.id = this.#newHostId();
    host.life = 'alive';
    for (const automation of this.#automations.values()) {
      const agenda = this.#pendingOf(automation.id);
      const writes = decideRepair(automation, agenda, this.#now);
      if (writes.length === 0) continue;
      this.#apply(writes);
      this.#account(automation.id).restart(automation.schedule, this.#now, true);
    }
  }

  /** The browser frees all that a dead host held; what it was about to do is not done. */
  #crash(host: Host): void {
    host.life = 'dead';
    host.tasks = [];
    for (const [name, holder] of this.#locks) if (holder === host) this.#locks.delete(name);
  }

  // A claim, step by step

  #plan(host: Host, target: ClaimTarget): Task {
    const of = this.#automations.get(
      target.kind === 'manual'
        ? target.automationId
        : (this.#agenda.get(target.key)?.automationId ?? automationId(0)),
    );
    const task: Task = {
      kind: 'claim',
      phase: 'planned',
      target,
      names: of === undefined ? [] : leasesOf(of),
      activeSeen: this.#active.size,
    };
    host.tasks.push(task);
    return task;
  }

  #claimAtOnce(host: Host, target: ClaimTarget): string {
    const before = host.tasks.length;
    this.#plan(host, target);
    this.#goOn(host, before, 1);
    return host.tasks.length > before ? this.#goOn(host, before, 1) : '';
  }

  /** Takes the task `index` of `host` one step further, and says what came of it. */
  #goOn(host: Host, index: number, amount: number): string {
    const task = host.tasks[index];
    if (task === undefined) return '';
    if (task.kind === 'recover') return this.#recover(host, index, task);
    switch (task.phase) {
      case 'planned': {
        const free = task.names.find((name) => !this.#locks.has(name));
        const wanted = this.#without.has('lease') ? (free ?? task.names[0]) : free;
        if (wanted !== undefined && !this.#locks.has(wanted)) this.#locks.set(wanted, host);
        const live = new Set(this.#hosts.filter(({ life }) => life !== 'dead').map(({ id }) => id));
        const { target, activeSeen } = task;
        host.tasks[index] = {
          kind: 'claim',
          phase: 'leased',
          target,
          lease: wanted ?? null,
          live,
          activeSeen,
        };
        return wanted === undefined ? 'finds the lease busy' : `takes ${wanted.slice(52)}`;
      }
      case 'leased': {
        const result = this.#claim(host, task);
        if (result.run === null) {
          host.tasks.splice(index, 1);
          this.#release(host, task.lease);
        } else {
          host.tasks[index] = {
            kind: 'claim',
            phase: 'running',
            run: result.run,
            fencedOut: false,
            stopped: false,
          };
        }
        return result.kind;
      }
      case 'running':
        return this.#act(host, index, task, amount);
      case 'settled':
        this.#release(host, task.run.lease);
        host.tasks.splice(index, 1);
        return `releases ${task.run.id.slice(-3)}`;
    }
  }

  #release(host: Host, name: LeaseName | null): void {
    if (name !== null && this.#locks.get(name) === host) this.#locks.delete(name);
  }

  #claim(
    host: Host,
    { target, lease, live, activeSeen }: Extract<Task, { phase: 'leased'; kind: 'claim' }>,
  ): { kind: string; run: ActiveRun | null } {
    if (!this.#isResting) this.claims += 1;
    const state = this.#claimState(target, lease, activeSeen);
    const { result, writes } = decideClaim(state, {
      target,
      host: { id: host.id, kind: 'shared-worker', build: 'model' },
      now: this.#now,
      lease,
      liveHosts: live,
      missing: null,
      // Now and then someone takes a holder for hung that is not.
      leaseBusyMs:
        !this.#without.has('busy lease') && (this.#isResting || this.#salt % 16 === 0) ? Infinity : 0,
      absence: (['asleep', 'closed', 'offline', 'overlap'] as const)[this.#salt % 4] ?? 'asleep',
      newId: () => runId(++this.#count),
      chance: this.#chance(),
    });
    if (this.#without.has('one transaction') && this.#salt % 5 === 0) {
      this.#apply(writes.slice(0, 2));
      this.#crash(host);
      return { kind: 'dies in the middle of its writes', run: null };
    }
    const { automation: before, row } = state;
    this.#apply(lease === null ? writes : this.#withEpoch(writes));
    if (
      result.kind === 'resumed' &&
      row !== null &&
      before?.enabled === false &&
      row.scheduledFor === before.pausedUntil
    ) {
      const since = Math.max(row.scheduledFor, before.pausedFrom ?? row.scheduledFor);
      this.#account(before.id).restart(before.schedule, since - 1, true);
    }
    this.#tell(result.kind);
    if (result.kind !== 'claimed') return { kind: result.kind, run: null };

    const { run } = result;
    const limit = parallelLimit(result.automation.rules.overlap);
    const acting = this.#acting(run.automationId).length + 1;
    if (acting > limit)
      throw new Violation(2, `${acting} hosts act on ${run.automationId.slice(-1)}, which allows ${limit}`);
    if (this.#active.size > this.#maxConcurrent) {
      throw new Violation(3, `${this.#active.size} runs are active, ${this.#maxConcurrent} may be`);
    }
    return { kind: `claims ${run.id.slice(-3)}`, run };
  }

  /** What the store reads for a claim, but for the guards that are taken out. */
  #claimState(target: ClaimTarget, lease: LeaseName | null, activeSeen: number): ClaimState {
    const row = targetRow(target, this.#agenda.get(targetKey(target)) ?? null, this.#now);
    let automation = row === null ? null : (this.#automations.get(row.automationId) ?? null);
    if (automation !== null && this.#without.has('epoch check') && lease !== null) {
      automation = { ...automation, epoch: Number(lease.split('/')[3]) };
    }
    const decided =
      automation === null || this.#without.has('ledger keys') ? undefined : this.#decided(automation.id);
    let active = [...this.#active]
      .map((id) => this.#runs.get(id))
      .filter((run) => run !== undefined && isActive(run));
    let hidden = 0;
    if (this.#without.has('overlap count')) {
      const all = active.length;
      active = active.filter(
        (run) => run.automationId !== automation?.id || run.lease === lease || lease === null,
      );
      hidden = all - active.length;
    }
    const pending = automation === null ? [] : this.#pendingOf(automation.id);
    const isFree = this.#without.has('capacity inside') && activeSeen < this.#maxConcurrent;
    return {
      row,
      automation,
      plan:
        row === null || automation === null
          ? null
          : planDue(row, automation, this.#now, decided, undefined, this.#pauses),
      ledgerHas:
        row !== null &&
        row.cause !== 'schedule' &&
        !this.#without.has('ledger keys') &&
        this.#keys.has(agendaKey(row.occurrence, row.attempt)),
      active,
      unverifiable: { ofThis: 0, ofOthers: 0 },
      maxConcurrent: isFree ? Infinity : this.#maxConcurrent - hidden,
      nextScheduledAt: pending.find(({ cause }) => cause === 'schedule')?.dueAt ?? null,
      agenda: pending,
      pauses: this.#pauses,
      presence: this.#presence,
      ...(decided === undefined ? {} : { decided }),
    };
  }

  /** Without the epoch check an automation is shown with another epoch; what is stored keeps its own. */
  #withEpoch(writes: readonly Write[]): readonly Write[] {
    if (!this.#without.has('epoch check')) return writes;
    return writes.map((write) =>
      write.op === 'put' && write.store === 'automations'
        ? { ...write, row: { ...write.row, epoch: this.#automations.get(write.row.id)?.epoch ?? 0 } }
        : write,
    );
  }

  /** Tasks that do what a run does, and have not been shut out of it. */
  #acting(of: AutomationId): Task[] {
    return this.#hosts.flatMap(({ tasks }) =>
      tasks.filter((task) => {
        if (task.kind !== 'claim' || task.phase !== 'running' || task.run.automationId !== of) return false;
        return this.#runs.get(task.run.id)?.status === 'running';
      }),
    );
  }

  #act(
    host: Host,
    index: number,
    task: Extract<Task, { phase: 'running' | 'settled' }>,
    amount: number,
  ): string {
    const { run } = task;
    const by = { hostId: host.id, fence: run.fence };
    const row = this.#runs.get(run.id) ?? null;
    // Before each step a host sees whether its run was ended by someone else.
    if (row?.status !== 'running' && amount % 4 > 0 && !this.#without.has('fence')) {
      this.#release(host, run.lease);
      host.tasks.splice(index, 1);
      return `abandons ${run.id.slice(-3)}`;
    }
    const posts = run.definition.action.kind === 'http' && run.definition.action.method === 'POST';
    if (!this.#happened.has(run.id) && amount % 5 > 0) {
      if (posts) {
        const { result, writes } = decideMark(row, by, 'sending');
        this.#apply(writes);
        if (result.kind === 'lease-lost') {
          // So it abandons the run, as it would have when it looked.
          this.#release(host, run.lease);
          host.tasks.splice(index, 1);
          return `may not act on ${run.id.slice(-3)}`;
        }
      }
      this.#happened.add(run.id);
      return `acts on ${run.id.slice(-3)}`;
    }
    if (this.#without.has('late release') && !task.stopped) {
      this.#release(host, run.lease);
      host.tasks[index] = { ...task, stopped: true };
      return `lets go of ${run.id.slice(-3)} before it is settled`;
    }
    const asked = row !== null && isActive(row) ? row.cancelRequested : undefined;
    const ending =
      asked === undefined ? this.#ending(amount) : ({ kind: 'cancelled', by: asked.by } as const);
    const seen = this.#without.has('fence') && row !== null && row.status !== 'running' ? run : row;
    const { result, writes } = decideSettle(
      { run: seen, ...this.#endState(run) },
      { runId: run.id, ...by, ending, now: this.#now, chance: this.#chance() },
    );
    this.#apply(writes, run.id);
    host.tasks[index] = { ...task, phase: 'settled' };
    this.#tell(result.kind === 'settled' ? result.run.status : result.kind);
    return `settles ${run.id.slice(-3)}: ${result.kind === 'settled' ? result.run.status : result.kind}`;
  }

  #ending(amount: number): Ending {
    switch (amount % 7) {
      case 0:
        return { kind: 'failed', failure: { class: 'network', code: 'down', message: 'Down.' } };
      case 1:
        return { kind: 'failed', failure: { class: 'denied', code: 'no', message: 'No.' } };
      case 2:
        return { kind: 'timed-out' };
      default:
        return { kind: 'succeeded', summary: 'Done.' };
    }
  }

  #endState(run: ActiveRun): EndState {
    const automation = this.#automations.get(run.automationId) ?? null;
    const agenda = this.#pendingOf(run.automationId);
    const scheduled = agenda.find(({ cause }) => cause === 'schedule');
    return { automation, nextScheduledAt: scheduled?.dueAt ?? null, agenda };
  }

  // Recovery

  #planRecovery(host: Host, id: RunId): void {
    const run = this.#runs.get(id);
    if (run === undefined || !isActive(run) || this.#hasInHand(host, id)) return;
    host.tasks.push({ kind: 'recover', phase: 'planned', run });
  }

  #hasInHand(host: Host, id: RunId): boolean {
    return host.tasks.some((task) => task.kind === 'claim' && 'run' in task && task.run.id === id);
  }

  #recover(host: Host, index: number, task: Extract<Task, { kind: 'recover' }>): string {
    const { run } = task;
    const isFree = !this.#locks.has(run.lease);
    if (task.phase === 'planned') {
      if (isFree || this.#without.has('lease proof')) {
        if (isFree) this.#locks.set(run.lease, host);
        host.tasks[index] = { kind: 'recover', phase: 'leased', run };
        return `may recover ${run.id.slice(-3)}`;
      }
      host.tasks.splice(index, 1);
      return this.#now > run.leaseDeadline ? this.#endBy(run, 'past-deadline') : 'finds it alive';
    }
    host.tasks.splice(index, 1);
    const said = this.#endBy(run, 'lease-granted');
    this.#release(host, run.lease);
    return said;
  }

  #endBy(run: ActiveRun, proof: 'lease-granted' | 'past-deadline'): string {
    const row = this.#runs.get(run.id) ?? null;
    const { result, writes } = decideRecovery(
      { run: row, ...this.#endState(run) },
      { runId: run.id, fence: run.fence, proof, now: this.#now, chance: this.#chance() },
    );
    const kept = this.#without.has('epoch raise')
      ? writes.map((write): Write =>
          write.op === 'put' && write.store === 'automations'
            ? { ...write, row: { ...write.row, epoch: this.#automations.get(write.row.id)?.epoch ?? 0 } }
            : write,
        )
      : writes;
    this.#apply(kept);
    this.#tell(`${proof}: ${result.kind}`);
    return `${proof}: ${result.kind}`;
  }

  // What a person does

  #create(input: Definition): void {
    const id = automationId(++this.#count);
    const { writes } = decideSave(
      { stored: null, agenda: [], decided: new Set() },
      { id, definition: input, now: this.#now, newId: () => runId(++this.#count) },
    );
    this.#accounts.set(id, new Account(input.schedule, this.#now, input.enabled));
    this.#apply(writes);
  }

  #edit(
    of: Automation,
    how: 'edits' | 'pauses' | 'pauses for a while' | 'resumes' | 'removes',
    amount: number,
  ): string {
    const context = { now: this.#now, newId: (): RunId => runId(++this.#count) };
    const state: SaveState & { stored: Automation } = {
      stored: of,
      agenda: this.#pendingOf(of.id),
      decided: this.#decided(of.id),
    };
    if (how === 'removes') {
      this.#apply(decideRemove(of, state.agenda).writes);
      this.#accounts.delete(of.id);
      const { name, enabled, tags, schedule, action, rules } = of;
      this.#create({ name, enabled, tags, schedule, action, rules });
      return 'and creates it anew';
    }
    if (how !== 'edits') {
      const enabled = how === 'resumes';
      const until = how === 'pauses for a while' ? { until: this.#now + (amount % 60) * MINUTE_MS } : {};
      const { writes } = decideSetEnabled(state, enabled, { ...context, ...until });
      this.#apply(writes);
      if (enabled && !of.enabled) this.#account(of.id).restart(of.schedule, this.#now, true);
      return this.#at();
    }
    const { enabled, tags, schedule, action, rules } = of;
    const next: Definition = { name: `Edited at ${this.#now}`, enabled, tags, schedule, action, rules };
    const kind = amount % 3;
    const everyMs = [MINUTE_MS, 2 * MINUTE_MS, 7 * MINUTE_MS][Math.floor(amount / 3) % 3] ?? MINUTE_MS;
    const edited: Definition =
      kind === 0
        ? next
        : kind === 1
          ? { ...next, schedule: { kind: 'every', everyMs, anchor: MONDAY } }
          : { ...next, rules: { ...rules, overlap: OVERLAPS[amount % OVERLAPS.length] ?? rules.overlap } };
    const { result, writes } = decideSave(state, { id: of.id, definition: edited, ...context });
    if (result.kind !== 'saved') throw new Error(`not saved but ${result.kind}`);
    this.#apply(writes);
    if (JSON.stringify(edited.schedule) !== JSON.stringify(schedule)) {
      this.#account(of.id).restart(edited.schedule, this.#now, enabled);
    }
    return `${['the name', 'the schedule', 'the rules'][kind] ?? ''} at ${this.#at()}`;
  }

  // The ledger

  #due(): AgendaRow[] {
    return [...this.#agenda.values()]
      .filter((row) => {
        if (row.dueAt > this.#now) return false;
        if (isAskedFor(row) || row.cause === 'resume') return true;
        if (pausedUntil(this.#pauses, this.#now) !== null) return false;
        return this.#automations.get(row.automationId)?.enabled !== false;
      })
      .sort((a, b) => a.dueAt - b.dueAt);
  }

  #pendingOf(id: AutomationId): AgendaRow[] {
    return [...this.#agenda.values()].filter((row) => row.automationId === id);
  }

  #decided(id: AutomationId): ReadonlySet<EpochMs> {
    return this.#account(id).keyed;
  }

  #account(id: AutomationId): Account {
    const account = this.#accounts.get(id);
    if (account === undefined) throw new Error('there is no such account');
    return account;
  }

  /** Makes all of `writes`, as one transaction does. `settler` is the run whose own host settles it, or a person. */
  #apply(writes: readonly Write[], settler?: RunId | 'answer'): void {
    for (const write of writes) {
      switch (write.store) {
        case 'automations':
          if (write.op === 'put') this.#automations.set(write.row.id, write.row);
          else this.#automations.delete(write.key);
          break;
        case 'agenda':
          if (write.op === 'put') this.#agenda.set(write.row.key, write.row);
          else this.#agenda.delete(write.key);
          break;
        case 'runs':
          if (write.op === 'add') this.#add(write.row);
          else this.#change(write.row, settler);
          break;
        case 'outputs':
        case 'outbox':
        case 'values':
      }
    }
  }

  #add(row: RunRow): void {
    const key = agendaKey(row.occurrence, row.attempt);
    if (this.#keys.has(key) || this.#runs.has(row.id))
      throw new Violation(1, `two rows of ${this.#short(key)}`);
    this.#keys.add(key);
    this.#runs.set(row.id, row);
    if (isActive(row)) this.#active.add(row.id);
    if ('covers' in row) this.#tell(`${row.status} (${row.reason})`);
    const account = this.#accounts.get(row.automationId);
    if (account === undefined || row.attempt > 1) return;
    if ('covers' in row) account.take(row.covers.from, row.covers.to, row.covers.count);
    else if (row.cause === 'schedule') account.take(row.scheduledFor, row.scheduledFor, 1);
  }

  #change(row: RunRow, settler: RunId | 'answer' | undefined): void {
    const before = this.#runs.get(row.id);
    if (before === undefined) throw new Violation(5, `a row that was not there: ${row.id}`);
    const isMark = isActive(before) && isActive(row);
    const isAnswer = settler === 'answer' && isOpen(before) && before.status === row.status;
    if (!isMark && !isAnswer && !mayBecome(before.status, row.status)) {
      throw new Violation(5, `${before.status} became ${row.status}`);
    }
    if (row.status === 'interrupted' && settler !== row.id && settler !== 'answer') {
      const holder = this.#hosts.find((host) => host.life !== 'dead' && this.#runsNow(host, row.id));
      if (holder !== undefined)
        throw new Violation(2, `a live run was called interrupted: ${row.id.slice(-3)}`);
      const posts = row.definition.action.kind === 'http' && row.definition.action.method === 'POST';
      if (posts && this.#happened.has(row.id) && row.mayHaveHappened !== true) {
        throw new Violation(7, `${row.id.slice(-3)} happened, and does not say that it may have`);
      }
    }
    this.#runs.set(row.id, row);
    if (!isActive(row)) this.#active.delete(row.id);
  }

  #runsNow(host: Host, id: RunId): boolean {
    return host.tasks.some((task) => task.kind === 'claim' && task.phase === 'running' && task.run.id === id);
  }

  // The invariants that a look at the whole can tell

  #check(): void {
    for (const automation of this.#automations.values()) {
      const scheduled = this.#pendingOf(automation.id).filter(({ cause }) => cause === 'schedule');
      if (scheduled.length > (automation.enabled ? 1 : 0)) {
        throw new Violation(4, `${scheduled.length} scheduled rows of ${automation.id.slice(-1)}`);
      }
      const { dispatched = 0 } = automation;
      const left = runsLeft(automation);
      const most = left + dispatched;
      if (dispatched > most) throw new Violation(4, `${dispatched} runs, and ${most} may be`);
      if (left === 0 && scheduled.length === 0) {
        this.#account(automation.id).end();
        continue;
      }
      const until = automation.enabled ? scheduled[0]?.scheduledFor : automation.pausedFrom;
      if (until === undefined) {
        if (automation.enabled) throw new Violation(4, `${automation.id.slice(-1)} has lost its row`);
        continue;
      }
      this.#account(automation.id).mustReach(until);
    }
  }

  // Small things

  #tell(what: string): void {
    this.results.set(what, (this.results.get(what) ?? 0) + 1);
  }

  #newHostId(): HostId {
    return hostId(++this.#count);
  }

  #chance(): number {
    return (this.#salt % 10) / 10;
  }

  #at(): string {
    return ((this.#now - MONDAY) / MINUTE_MS).toFixed(1);
  }

  #short(key: AgendaKey): string {
    return key.slice(35).replace(/@(\d+)/, (_, at: string) => `@${(Number(at) - MONDAY) / MINUTE_MS}`);
  }
}

/** What one automation's scheduled instants have come to: each in exactly one row, from when it was enabled on. */
class Account {
  /** Instants that have a row by their own key. */
  readonly keyed = new Set<EpochMs>();
  /** Instants that have a row of any kind. */
  readonly #taken = new Set<EpochMs>();
  #schedule: Schedule;
  /** The first instant that was not looked at yet. */
  #next: EpochMs | null;
  #wasEnabled: boolean;

  /** What was never enabled owes nothing, also after an edit. */
  constructor(schedule: Schedule, since: EpochMs, enabled: boolean) {
    this.#schedule = schedule;
    this.#next = enabled ? nextAfter(schedule, since) : null;
    this.#wasEnabled = enabled;
  }

  /** One row for the `count` instants from `from` to `to`. */
  take(from: EpochMs, to: EpochMs, count: number): void {
    const { instants } = dueInstants(this.#schedule, from, to, 100_000);
    if (instants.length !== count || instants[0] !== from || instants.at(-1) !== to) {
      throw new Violation(4, `a row for ${count} instants covers ${instants.length}`);
    }
    for (const at of instants) {
      if (this.#taken.has(at))
        throw new Violation(4, `the instant ${(at - MONDAY) / MINUTE_MS} is in two rows`);
      this.#taken.add(at);
    }
    this.keyed.add(to);
  }

  /** An edit, or the end of a pause: what comes counts from `now`. What a clock that went back had missed may come again. */
  restart(schedule: Schedule, now: EpochMs, enabled: boolean): void {
    this.#reach(now + 1);
    for (const at of this.#taken) if (at > now && !this.keyed.has(at)) this.#taken.delete(at);
    this.#schedule = schedule;
    this.#wasEnabled ||= enabled;
    this.#next = this.#wasEnabled ? nextAfter(schedule, now) : null;
  }

  /** It has had all its runs: nothing is owed any more, until an edit gives it more. */
  end(): void {
    this.#next = null;
  }

  /** All instants before `until` have their row, and `until` is the first that may not. */
  mustReach(until: EpochMs): void {
    this.#reach(until);
    if (this.#next !== until)
      throw new Violation(4, `${(until - MONDAY) / MINUTE_MS} is pending and not due next`);
  }

  #reach(until: EpochMs): void {
    while (this.#next !== null && this.#next < until) {
      if (!this.#taken.has(this.#next)) {
        throw new Violation(4, `the instant ${(this.#next - MONDAY) / MINUTE_MS} has no row`);
      }
      this.#next = nextAfter(this.#schedule, this.#next);
    }
  }
}

function pick<Item>(items: readonly Item[], amount: number): Item | undefined {
  // The first is likelier: a host takes the oldest.
  return amount % 3 > 0 ? items[0] : items[amount % Math.max(1, items.length)];
}
