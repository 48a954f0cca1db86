/**
 * Invariant 4: each scheduled instant, from enabling to now, lies in exactly one run or exactly one missed or skipped row.
 *
 * An edit made at an instant divides: what was due up to it is owed by the definition before, later instants by the new
 * one. Time while paused is owed too (one missed row says so); time before the first enabling is not. The reckoning ends
 * where the agenda says that the future begins, at its next scheduled row or, while paused, at the first instant that is
 * not accounted for. A claim that was under way while an edit was may still decide by the old definition, and so cover an
 * instant after the edit; not once the edit had been acknowledged.
 *
 * All of it is by the hosts' clock. Where that was set back, what had been decided stays decided, and an edit starts the
 * agenda anew from what the clock shows; set back by hours, the agenda starts anew without an edit (protocol, section 7).
 * Instants then come up again: what had a row of its own gets no second one, what was inside a stretch may.
 */
import { type HostClock, RESTART_MS, type TimedHistory, type TimedRow } from './clock.ts';
import { type Edition, type Editions, editionsIn, saysAllOf } from './editions.ts';
import { hasInstantAfter, instantsOf, isInstantOf, isReckoned } from './instants.ts';
import type { Pace } from './pace.ts';
import type { AgendaRow, AutomationRow, EpochMs, Jump, Violation } from './record.ts';
import { byAutomation, endedBy, isClaimed } from './runs.ts';
import { at, the } from './words.ts';

/** What came of it, and how much there was to judge. */
export interface Coverage {
  readonly violations: readonly Violation[];
  /** How many instants were owed. */
  readonly instants: number;
  /** Why some automations were not judged. */
  readonly unjudged: readonly string[];
}

/** A stretch of time in which one definition says what is owed: after `after` and up to `until`. */
interface Stretch {
  readonly edition: Edition;
  readonly after: EpochMs;
  readonly until: EpochMs;
}

/** Of longer stretches an edit counts only so many instants. */
const COUNTED_MOST = 10_000;

export function judgeCoverage(history: TimedHistory, overdueMs: number): Coverage {
  const { ledger } = history;
  const editions = editionsIn(history);
  const rowsOf = byAutomation(ledger.runs);
  const agendaOf = byAutomation(ledger.agenda);
  const automations = new Map(ledger.automations.map((row) => [row.id, row]));
  const violations: Violation[] = [];
  const unjudged: string[] = [];
  const limit =
    ledger.settings.find(({ name }) => name === 'settings')?.maxConcurrent ?? history.maxConcurrentAtFirst;
  const roomSince = Math.max(roomSinceIn(ledger.runs, limit), hostSinceIn(history), storableSinceIn(history));
  let instants = 0;
  for (const id of new Set([...automations.keys(), ...rowsOf.keys(), ...editions.of.keys()])) {
    const ofOne = editions.of.get(id);
    if (ofOne === undefined) {
      unjudged.push(
        `Automation ${id} was made by nobody that the record knows of; its instants were not judged.`,
      );
    } else if (ofOne.some(({ definition }) => !isReckoned(definition.schedule))) {
      unjudged.push(
        `Automation ${id} has a cron rule in another zone than UTC; its instants were not judged.`,
      );
    } else {
      const rows = rowsOf.get(id) ?? [];
      const pending = agendaOf.get(id) ?? [];
      const one = new Account(id, ofOne, rows, history);
      violations.push(
        ...one.judge(automations.get(id) ?? null, pending, removal(editions, id), roomSince, overdueMs),
      );
      instants += one.owed;
    }
  }
  return { violations, instants, unjudged };
}

/** Since when fewer than `limit` runs have been active: now, where that many are. */
function roomSinceIn(rows: readonly TimedRow[], limit: number): EpochMs {
  const changes = rows
    .filter((row) => isClaimed(row))
    .flatMap((row) => [
      { at: row.madeAt, by: 1 },
      { at: endedBy(row), by: -1 },
    ])
    // Of what happens in one millisecond, what takes room comes first.
    .sort((a, b) => a.at - b.at || b.by - a.by);
  let active = 0;
  let since = -Infinity;
  for (const { at: when, by } of changes) {
    if (active >= limit) since = when;
    active += by;
  }
  return active >= limit ? Infinity : since;
}

/** Since when a host has been there that is there at the end; where there is none, since when the last one is gone. */
function hostSinceIn({ hosts, kills, ledger }: TimedHistory): EpochMs {
  const dead = new Set(kills.flatMap((kill) => kill.hosts));
  const there = hosts.filter(
    ({ id, lastSeenAt, retiredAt }) => lastSeenAt >= ledger.at && retiredAt === null && !dead.has(id),
  );
  return there.length === 0
    ? Math.max(-Infinity, ...hosts.map(({ lastSeenAt }) => lastSeenAt))
    : Math.min(...there.map(({ startedAt }) => startedAt));
}

/** Since when things could be stored. */
function storableSinceIn({ fullSpans }: TimedHistory): EpochMs {
  return Math.max(-Infinity, ...fullSpans.map(({ until }) => until));
}

function removal({ removedAt }: Editions, id: string): EpochMs | null {
  return removedAt.get(id) ?? null;
}

/** The account of one automation. */
class Account {
  owed = 0;
  /** What the hosts' clock showed at the end. */
  readonly now: EpochMs;
  readonly editions: readonly Edition[];
  readonly #violations: Violation[] = [];
  /** Which rows stand for an instant. */
  readonly #covered = new Map<EpochMs, TimedRow[]>();
  #decided: readonly { readonly instant: EpochMs; readonly madeAt: EpochMs }[] | null = null;
  readonly #clock: HostClock;
  readonly #pace: Pace;
  readonly #exportedAt: EpochMs;
  readonly #lastJump: Jump | undefined;
  readonly #setBacks: readonly Jump[];
  readonly #restarts: readonly Jump[];

  constructor(
    readonly id: string,
    editions: readonly Edition[],
    readonly rows: readonly TimedRow[],
    { clock, jumps, ledger, pace }: TimedHistory,
  ) {
    this.#pace = pace;
    this.#exportedAt = ledger.at;
    this.#lastJump = jumps.at(-1);
    this.now = clock.hostAt(ledger.at);
    this.#clock = clock;
    this.#setBacks = jumps.filter(({ aheadMs }, index) => aheadMs < (jumps[index - 1]?.aheadMs ?? 0));
    this.#restarts = restartsOf(editions, restartsIn(this.#setBacks, clock), clock);
    this.editions = withRestarts(editions, this.#restarts);
  }

  judge(
    stored: AutomationRow | null,
    pending: readonly AgendaRow[],
    removedAt: EpochMs | null,
    roomSince: EpochMs,
    overdueMs: number,
  ): readonly Violation[] {
    for (const row of this.rows) this.#enter(row);
    const scheduled = pending.filter(({ cause }) => cause === 'schedule');
    if (stored !== null) {
      this.#judgeAgenda(scheduled);
      if (stored.enabled !== false) this.#judgeWaiting(pending, roomSince, overdueMs);
    }
    this.#judgeOwnPauses();
    const owed = this.#owed(this.#horizon(stored, scheduled, removedAt));
    this.owed = owed.size;
    for (const [instant, { edition }] of owed) {
      if (this.#covered.has(instant)) continue;
      this.#violate(
        `The instant ${at(instant)} of automation ${this.id}, due by revision ${edition.revision}, ` +
          `is in no run and in no missed or skipped row.`,
      );
    }
    for (const [instant, rows] of this.#covered) {
      const [first] = rows;
      if (first === undefined) continue;
      if (this.#isDouble(instant, rows)) {
        this.#violate(
          `The instant ${at(instant)} of automation ${this.id} is in ${rows.length} rows: ${rows.map(the).join(', ')}.`,
        );
      }
      if (!owed.has(instant) && !this.#mayStand(instant, first)) {
        this.#violate(
          `${the(first)} stands for ${at(instant)}, when nothing was due by any definition in force.`,
        );
      }
    }
    return this.#violations;
  }

  #violate(what: string): void {
    this.#violations.push({ invariant: 4, what });
  }

  /** Enters the instants that a row stands for. Repeats stand for none: their first attempt does. */
  #enter(row: TimedRow): void {
    if (!row.occurrence.includes('@')) return;
    const { covers } = row;
    if (covers === undefined) {
      if (row.attempt === 1) this.#cover(row.scheduledFor, row);
      return;
    }
    const { from, to, count } = covers;
    const schedules = this.editions
      .filter((edition, index) => {
        const next = this.#nextEdit(index);
        return (
          edition.from <= row.claimedAt &&
          (next === undefined || this.#clock.latestBy(next.acknowledgedAt) >= from)
        );
      })
      .map(({ definition }) => definition.schedule);
    for (const schedule of schedules) {
      const instants = instantsOf(schedule, from - 1, to);
      // Of very long ones an edit counts only so many, and says that there are at least those.
      const isCounted = instants.length === count || (count >= COUNTED_MOST && instants.length > count);
      if (!isCounted || instants[0] !== from || instants.at(-1) !== to) continue;
      for (const instant of instants) this.#cover(instant, row);
      return;
    }
    this.#violate(
      `${the(row)} says that it stands for ${count} instants from ${at(from)} to ${at(to)}, ` +
        `which no definition in force then had there.`,
    );
  }

  #cover(instant: EpochMs, row: TimedRow): void {
    const rows = this.#covered.get(instant);
    if (rows === undefined) this.#covered.set(instant, [row]);
    else rows.push(row);
  }

  /** An enabled automation has exactly its next instant in the agenda, a paused one none. */
  #judgeAgenda(scheduled: readonly AgendaRow[]): void {
    const last = this.editions.at(-1);
    if (last === undefined) return;
    const [next, ...others] = scheduled;
    if (others.length > 0) {
      const keys = scheduled.map(({ key }) => key).join(', ');
      this.#violate(`The agenda has ${scheduled.length} scheduled rows of automation ${this.id}: ${keys}.`);
    }
    if (next !== undefined && !last.enabled) {
      this.#violate(
        `Automation ${this.id} is paused, and the agenda has ${next.key}, due at ${at(next.dueAt)}.`,
      );
    }
    if (next === undefined && last.enabled && hasInstantAfter(last.definition.schedule, this.now)) {
      this.#violate(
        `Automation ${this.id} is enabled, and at ${at(this.now)} the agenda has no next instant of it.`,
      );
    }
  }

  /** What has paused itself runs nothing by its schedule until a person has resumed it. */
  #judgeOwnPauses(): void {
    for (const [index, pause] of this.editions.entries()) {
      if (!pause.isOwnPause) continue;
      const resumed = this.#nextEdit(index)?.from ?? Infinity;
      for (const run of this.rows) {
        if (!isClaimed(run) || run.cause !== 'schedule') continue;
        if (run.madeAt <= pause.acknowledgedAt || run.madeAt >= resumed) continue;
        this.#violate(
          `${the(run)} was claimed at ${at(run.madeAt)}, after its automation had paused itself at ${at(pause.from)}.`,
        );
      }
    }
  }

  /**
   * Nothing in the agenda waits for ever: scheduled, repeated or asked for by hand. It may wait for room, for a host, or its
   * turn; where each missed instant is wanted, and runs take longer than their period, the next one is late for ever, and its
   * turn comes when the run before it has ended.
   */
  #judgeWaiting(pending: readonly AgendaRow[], roomSince: EpochMs, overdueMs: number): void {
    if (this.rows.some(({ status }) => status === 'running')) return;
    const turnSince = Math.max(
      roomSince,
      this.editions.at(-1)?.from ?? -Infinity,
      ...this.rows.map((row) => Math.max(row.madeAt, isClaimed(row) ? endedBy(row) : -Infinity)),
    );
    for (const { key, dueAt } of pending) {
      if (dueAt > this.now) continue;
      // By the machine's clock; what a jump of the hosts' made due is due since then.
      const { doneBy = -Infinity, aheadMs = 0 } = this.#lastJump ?? {};
      const since = Math.max(turnSince, doneBy, dueAt - aheadMs);
      const waited = this.#pace.between(since, this.#exportedAt);
      if (waited <= overdueMs) continue;
      this.#violate(
        `${key} has been due since ${at(dueAt)}, and could have been claimed since ${at(since)}; ${Math.round(waited)} ms later, ` +
          `at ${at(this.#exportedAt)}, nothing of its automation runs and nobody has claimed it.`,
      );
    }
  }

  /** The first instant that need not be accounted for yet. */
  #horizon(
    stored: AutomationRow | null,
    scheduled: readonly AgendaRow[],
    removedAt: EpochMs | null,
  ): EpochMs {
    if (stored === null) {
      // What was scheduled went with the automation; up to what was decided last there must be no gap all the same.
      const decided = [...this.#covered.keys()].filter((instant) => instant <= (removedAt ?? this.now));
      return Math.max(-Infinity, ...decided);
    }
    const next = this.editions.at(-1)?.enabled === true ? scheduled[0]?.scheduledFor : stored.pausedFrom;
    // A clock that was set back by less than hours has nothing decided anew: what it had shown before stays decided.
    return next === undefined
      ? this.now
      : Math.min(next, this.#clock.latestBy(this.#exportedAt, this.#restarts.at(-1)?.doneBy));
  }

  #owed(horizon: EpochMs): ReadonlyMap<EpochMs, Stretch> {
    const owed = new Map<EpochMs, Stretch>();
    for (const [index, edition] of this.editions.entries()) {
      if (!edition.accounts) continue;
      const next = this.editions[index + 1];
      const decided = this.#decidedBetween(edition, next);
      const after = edition.isRestart
        ? (decided.first ?? Infinity) - 1
        : this.#owedAfter(edition, this.editions[index - 1]);
      const until = next === undefined ? Infinity : Math.max(next.isRestart ? 0 : next.instant, decided.last);
      const stretch = { edition, after, until };
      const end = Math.min(until, horizon - 1);
      for (const instant of after < end ? instantsOf(edition.definition.schedule, after, end) : []) {
        owed.set(instant, stretch);
      }
    }
    return owed;
  }

  /**
   * After which instant an edition owes: the one that the edit reckoned with. A pause, and an edit of something else than the
   * schedule, keep what the agenda promised, and that is later where the clock has been set back since.
   */
  #owedAfter(edition: Edition, before: Edition | undefined): EpochMs {
    const { instant, from, enabled } = edition;
    const isSame = before !== undefined && isSameSchedule(before, edition);
    if (enabled && !(isSame && before.enabled)) return instant;
    const restart = this.#restarts.findLast(({ at }) => at <= from);
    return Math.max(instant, this.#clock.latestBy(from, restart?.doneBy));
  }

  /** The first edition after the one at `index` that an edit made. */
  #nextEdit(index: number): Edition | undefined {
    return this.editions.slice(index + 1).find(({ isRestart }) => !isRestart);
  }

  /** The earliest and the latest instant that rows stand for which were made while `edition` was in force. */
  #decidedBetween(
    edition: Edition,
    next: Edition | undefined,
  ): { readonly first: EpochMs | null; readonly last: EpochMs } {
    this.#decided ??= [...this.#covered]
      .flatMap(([instant, rows]) => rows.map((row) => ({ instant, madeAt: row.madeAt })))
      .sort((a, b) => a.madeAt - b.madeAt);
    let first: EpochMs | null = null;
    let last = -Infinity;
    for (const { instant, madeAt } of this.#decided) {
      if (madeAt < edition.from) continue;
      if (madeAt >= (next?.from ?? Infinity)) break;
      first = Math.min(instant, first ?? Infinity);
      last = Math.max(last, instant);
    }
    return { first, last };
  }

  /** Whether rows stand for an instant together that may not: only what was inside a stretch comes up again. */
  #isDouble(instant: EpochMs, rows: readonly TimedRow[]): boolean {
    const inOrder = [...rows].sort((a, b) => a.madeAt - b.madeAt);
    return inOrder.some((row, index) => {
      const before = inOrder[index - 1];
      if (before === undefined) return false;
      const wasWithin = before.covers !== undefined && before.scheduledFor !== instant;
      const mayRepeat = this.#setBacks.some(({ at, doneBy }) => doneBy >= before.madeAt && at <= row.madeAt);
      return !(wasWithin && mayRepeat);
    });
  }

  /** Whether a row may stand for an instant that is not owed: it was decided while an edit was still under way. */
  #mayStand(instant: EpochMs, row: TimedRow): boolean {
    return this.editions.some((edition, index) => {
      if (!edition.accounts || instant <= edition.instant) return false;
      const next = this.#nextEdit(index);
      // What was due up to an edit is still its predecessor's, however late it is accounted for.
      const inTime = next === undefined || row.claimedAt <= next.acknowledgedAt || instant <= next.instant;
      return inTime && instant <= row.stored.claimedAt && isInstantOf(edition.definition.schedule, instant);
    });
  }
}

/** The jumps by which the clock was set back by hours, from the latest that it had shown since the one before. */
function restartsIn(setBacks: readonly Jump[], clock: HostClock): readonly Jump[] {
  const restarts: Jump[] = [];
  for (const jump of setBacks) {
    const shown = clock.latestBy(jump.at, restarts.at(-1)?.doneBy);
    if (shown - (jump.at + jump.aheadMs) >= RESTART_MS) restarts.push(jump);
  }
  return restarts;
}

/**
 * Those of `restarts` that are one for the automation of these editions. While it is paused nothing is decided, so what it
 * still owes from is where the pause, or an edit of its schedule since, has left it; what was up to there stays decided
 * where the clock did not go back from that by hours.
 */
function restartsOf(
  editions: readonly Edition[],
  restarts: readonly Jump[],
  clock: HostClock,
): readonly Jump[] {
  const own: Jump[] = [];
  for (const jump of restarts) {
    let index = editions.findLastIndex(({ from }) => from <= jump.at);
    const last = editions[index];
    if (last === undefined || last.enabled) {
      own.push(jump);
      continue;
    }
    for (; index > 0; index--) {
      const before = editions[index - 1];
      if (before === undefined || before.enabled || !isSameSchedule(before, last)) break;
    }
    const before = own.at(-1);
    const owesFrom = Math.max(
      clock.latestBy(editions[index]?.from ?? jump.at, before?.doneBy),
      before === undefined ? -Infinity : before.at + before.aheadMs,
    );
    if (owesFrom - (jump.at + jump.aheadMs) >= RESTART_MS) own.push(jump);
  }
  return own;
}

function isSameSchedule({ definition: one }: Edition, { definition: other }: Edition): boolean {
  return saysAllOf(one.schedule, other.schedule) && saysAllOf(other.schedule, one.schedule);
}

/**
 * `editions`, with one more for each restart: the same definition, reckoning from what the clock then showed. Until hosts
 * have noticed, they go by the one before, which says the same.
 */
function withRestarts(editions: readonly Edition[], restarts: readonly Jump[]): readonly Edition[] {
  const again = restarts.flatMap(({ at, aheadMs }): Edition[] => {
    const before = editions.findLast(({ from }) => from <= at);
    if (before === undefined) return [];
    return [{ ...before, from: at, instant: at + aheadMs, acknowledgedAt: Infinity, isRestart: true }];
  });
  return [...editions, ...again].sort((a, b) => a.from - b.from);
}
