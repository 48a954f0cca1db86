/**
 * What a person changes: saving, pausing and removing automations. Each keeps the agenda true: an enabled automation
 * has exactly the row of its next instant, and nothing earlier than now is ever dispatched by an edit (time.md).
 */
import { type Automation, definitionOf, runsLeft, withRecent, withoutFailures } from './automation.ts';
import { type Definition, definitionSchema } from './definition.ts';
import { SCHEMA } from './schema.ts';
import { dayFullUntil, nextRow, recentUnrun, unrunRow, unrunStretches } from './due.ts';
import { parentOf, whyNotFollow, withFollower } from './follow.ts';
import type { AutomationId, RunId } from './ids.ts';
import { carryUnknown } from './loose.ts';
import { type AgendaRow, isAskedFor, resumeRow } from './occurrence.ts';
import type { Problem } from './problem.ts';
import type { Covers, MissedReason } from './run.ts';
import { nextAfter } from './instants.ts';
import { isComputable, problemsOf } from './schedule-problems.ts';
import { type Schedule, isRepeating } from './schedule.ts';
import { type DurationMs, type EpochMs, HOUR_MS } from './time.ts';
import type { Decision, Write } from './writes.ts';

export interface EditContext {
  readonly now: EpochMs;
  readonly newId: () => RunId;
}

/** What an edit of an automation looks at besides the automation. */
export interface Pending {
  /** All agenda rows of the automation. */
  readonly agenda: readonly AgendaRow[];
  /** The scheduled instants, from {@link unaccountedFrom} to now, that the ledger has a row of by their own key. */
  readonly decided: ReadonlySet<EpochMs>;
}

export interface SaveState extends Pending {
  readonly stored: Automation | null;
  /** The automation that it is to run after, the one that this one runs after, and so on; may end in a circle. */
  readonly chain?: readonly Automation[];
}

export interface SaveRequest extends EditContext {
  readonly id: AutomationId;
  readonly definition: Definition;
  /** Refuses the save when the stored revision is another; absent: no check. */
  readonly expectedRevision?: number;
}

export type SaveDecision =
  | { readonly kind: 'saved'; readonly automation: Automation }
  | { readonly kind: 'conflict'; readonly current: Automation }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** The first scheduled instant that no row accounts for yet, by the schedule as stored; `null` when there is none. */
export function unaccountedFrom(stored: Automation, agenda: readonly AgendaRow[]): EpochMs | null {
  const from = stored.enabled
    ? agenda.find((row) => row.cause === 'schedule')?.scheduledFor
    : stored.pausedFrom;
  return from ?? null;
}

/** Decides a save: creates when nothing is stored, else changes what a person edits and nothing else. */
export function decideSave(state: SaveState, request: SaveRequest): Decision<SaveDecision> {
  const { stored } = state;
  const { definition, now, expectedRevision } = request;
  if (expectedRevision !== undefined) {
    if (stored === null) return { result: { kind: 'not-found' }, writes: [] };
    if (stored.revision !== expectedRevision)
      return { result: { kind: 'conflict', current: stored }, writes: [] };
  }
  const problems = problemsOf(definition.schedule, ['schedule']);
  if (problems.length > 0) return { result: { kind: 'invalid', problems }, writes: [] };
  const edited = stored === null ? null : editedBy(stored, definition, now);
  const sameTimes = stored !== null && edited !== null && sameSchedule(stored, edited);
  const restarts =
    stored === null ||
    edited === null ||
    !sameTimes ||
    stored.enabled !== edited.enabled ||
    (dayFullUntil(stored) > now && dayFullUntil(edited) <= now);
  const problem = restarts
    ? whyNotNow(request, stored, sameTimes ? [] : (state.chain ?? []), sameTimes)
    : null;
  if (problem !== null) return { result: { kind: 'invalid', problems: [problem] }, writes: [] };
  const followed = sameTimes ? [] : followedWrites(request, state.chain ?? []);

  if (stored === null || edited === null) {
    const created: Automation = {
      ...definition,
      id: request.id,
      schema: SCHEMA,
      revision: 1,
      fence: 0,
      epoch: 0,
      createdAt: now,
      updatedAt: now,
      failuresInARow: 0,
      recent: [],
    };
    const next = definition.enabled ? nextAfter(definition.schedule, now) : null;
    return {
      result: { kind: 'saved', automation: created },
      writes: [...storeWith(created, state.agenda, next, now), ...followed],
    };
  }
  if (!restarts) {
    return {
      result: { kind: 'saved', automation: edited },
      writes: [{ op: 'put', store: 'automations', row: edited }],
    };
  }
  const { automation, writes } = reschedule(stored, edited, state, request);
  return { result: { kind: 'saved', automation }, writes: [...writes, ...followed] };
}

/** What keeps a schedule from beginning now: its only time is past, its runs are used up, what it follows is not there. */
function whyNotNow(
  { id, definition, now }: SaveRequest,
  stored: Automation | null,
  chain: readonly Automation[],
  isKept: boolean,
): Problem | null {
  const { schedule, enabled } = definition;
  const circle = isKept ? null : whyNotFollow(id, schedule, chain);
  if (circle !== null) return { path: 'schedule.automation', message: circle };
  if (!enabled) return null;
  if ((schedule.kind === 'once' || schedule.kind === 'date') && nextAfter(schedule, now) === null) {
    const path = schedule.kind === 'once' ? 'schedule.at' : 'schedule.local';
    return { path, message: 'This time has passed. Choose a time to come.' };
  }
  if (!isRepeating(schedule)) return null;
  const { dispatched = 0 } = stored ?? {};
  if (runsLeft({ schedule, dispatched }) === 0) {
    return {
      path: 'schedule.maxRuns',
      message: `It has had ${dispatched} runs already. Use more than ${dispatched}, or leave the number out.`,
    };
  }
  if (schedule.end !== undefined && nextAfter(schedule, now) === null) {
    return {
      path: 'schedule.end',
      message: 'This rule has no time from now until its end. Use a later end.',
    };
  }
  return null;
}

/** The automation that it runs after is told who follows it, so that an end need not look through all. */
function followedWrites({ id, definition }: SaveRequest, [parent]: readonly Automation[]): readonly Write[] {
  if (parent === undefined || parentOf(definition.schedule) !== parent.id) return [];
  const row = withFollower(parent, id);
  return row === parent ? [] : [{ op: 'put', store: 'automations', row }];
}

/** `stored` with what a person edits as in `definition`, and with what only a newer build knows as it was. */
function editedBy(stored: Automation, definition: Definition, now: EpochMs): Automation {
  return switched(
    {
      ...stored,
      ...carryUnknown(definitionSchema, definitionOf(stored), definition),
      schema: SCHEMA,
      revision: stored.revision + 1,
      updatedAt: now,
    },
    definition.enabled,
  );
}

/** `automation` paused or not; one that is resumed forgets why it was paused, and the failures that were the reason. */
function switched(automation: Automation, enabled: boolean): Automation {
  if (!enabled) return { ...automation, enabled };
  const { pausedUntil: _until, pausedBecause, ...rest } = automation;
  const resumed = { ...rest, enabled };
  return pausedBecause?.kind === 'failures' ? withoutFailures(resumed) : resumed;
}

/**
 * Decides pausing or resuming; a pause may end by itself at `until`. An automation that is in that state already is left
 * as it is. One whose schedule cannot be computed here stays paused: `unreadable`.
 */
export function decideSetEnabled(
  state: Pending & { readonly stored: Automation },
  enabled: boolean,
  context: EditContext & { readonly until?: EpochMs },
): Decision<{ readonly kind: 'done' | 'unreadable' }> {
  const { stored } = state;
  const { now, until } = context;
  if (stored.enabled === enabled && (enabled || stored.pausedUntil === until)) {
    return { result: { kind: 'done' }, writes: [] };
  }
  if (enabled && !isComputable(stored.schedule)) return { result: { kind: 'unreadable' }, writes: [] };
  const { pausedUntil: _, ...rest } = stored;
  const edited: Automation = {
    ...switched(rest, enabled),
    ...(enabled || until === undefined ? {} : { pausedUntil: until }),
    schema: SCHEMA,
    revision: stored.revision + 1,
    updatedAt: now,
  };
  return { result: { kind: 'done' }, writes: reschedule(stored, edited, state, context).writes };
}

/**
 * Ends a pause that was to last until now, or until some time ago while no host lived: what was due in it has one missed
 * row, and what was due since is for the missed-run rule.
 */
export function decideResume(
  state: Pending & { readonly stored: Automation },
  row: AgendaRow,
  { now, newId }: EditContext,
): readonly Write[] {
  const { stored, agenda, decided } = state;
  const until = row.scheduledFor;
  if (stored.enabled || stored.pausedUntil !== until || !isComputable(stored.schedule))
    return [removeRow(row)];
  const { pausedFrom, ...rest } = switched(stored, true);
  let automation: Automation = { ...rest, updatedAt: now };
  const writes: Write[] = [];
  for (const covers of pausedFrom === undefined
    ? []
    : unrunStretches(stored.schedule, pausedFrom, until - 1, decided)) {
    const missed = unrunRow(automation, newId(), { status: 'missed', reason: 'paused' }, covers, now);
    writes.push({ op: 'add', store: 'runs', row: missed });
    automation = withRecent(automation, recentUnrun(missed));
  }
  const from = Math.max(until, pausedFrom ?? until) - 1;
  return [...writes, ...storeWith(automation, agenda, nextAfter(automation.schedule, from), from)];
}

/** Decides a removal. History stays; what is pending goes. */
export function decideRemove(
  stored: Automation,
  agenda: readonly AgendaRow[],
): Decision<{ readonly kind: 'done' }> {
  return {
    result: { kind: 'done' },
    writes: [{ op: 'delete', store: 'automations', key: stored.id }, ...agenda.map(removeRow)],
  };
}

/** A clock that went back by no more than this changes nothing that was decided before (protocol, section 7). */
export const REWIND_KEPT_MS: DurationMs = 3 * HOUR_MS;

/**
 * Gives an enabled automation the scheduled row that it lacks. A row that was planned by a clock which has gone back
 * since by more than {@link REWIND_KEPT_MS} is planned anew, or it would wait until the wrong time comes round; and so is
 * the time from which a paused one owes, or what passes now would never be accounted for. And a row that is not the next
 * instant of the schedule any more, because this browser has another zone database than the one that planned it, gives way
 * to the first instant that it names since the last that was accounted for, earlier or later; it may be past. So does the time
 * from which a paused one owes. Keys in the ledger stay. Nothing to write otherwise.
 *
 * @param agenda the agenda rows of the automation.
 */
export function decideRepair(
  automation: Automation,
  agenda: readonly AgendaRow[],
  now: EpochMs,
): readonly Write[] {
  const ahead = now + REWIND_KEPT_MS;
  const writes = agenda.flatMap((row): readonly Write[] => {
    const dueAt = row.dueAt > ahead ? promisedAnew(row, automation, now) : null;
    return dueAt === null ? [] : [{ op: 'put', store: 'agenda', row: { ...row, dueAt } }];
  });
  if (!automation.enabled) {
    const repaired = repairPaused(automation, agenda);
    return [...writes, ...(repaired.length > 0 ? repaired : owedAnew(automation, now))];
  }
  if (runsLeft(automation) === 0) return writes;
  const row = agenda.find(({ cause }) => cause === 'schedule');
  let from = now;
  if (row !== undefined) {
    const { plannedFrom } = row;
    const isAhead = (plannedFrom ?? Infinity) > ahead && passesOver(automation.schedule, row, ahead);
    if (!isAhead && !isDated(automation.schedule, row, now)) return writes;
    writes.push(removeRow(row));
    if (!isAhead) from = plannedFrom ?? accountedUntil(automation);
  }
  const next = nextAfter(automation.schedule, from);
  if (next !== null) writes.push({ op: 'put', store: 'agenda', row: nextRow(automation, next, from) });
  return writes;
}

/**
 * When `row`, which is far ahead, is due by a clock that has gone back since it was promised; `null` where it was not, or is
 * the schedule's. A run by hand and one that follows another are due when they are asked for. A repeat may well be due in a
 * day, if a server asked for that: only a claim that lies ahead too tells that the clock went back, and the repeat then
 * keeps its distance to it.
 */
function promisedAnew(row: AgendaRow, { lastClaim }: Automation, now: EpochMs): EpochMs | null {
  switch (row.cause) {
    case 'manual':
    case 'follow-up':
      return now;
    case 'retry':
      return lastClaim === undefined || lastClaim.at <= now + REWIND_KEPT_MS
        ? null
        : now + Math.max(0, row.dueAt - lastClaim.at);
    case 'schedule':
    case 'resume':
      return null;
  }
}

/** Whether `schedule` names an instant before `row` that is still far ahead: it was past when the row was planned. */
function passesOver(schedule: Schedule, { scheduledFor }: AgendaRow, ahead: EpochMs): boolean {
  const passedOver = nextAfter(schedule, ahead);
  return passedOver !== null && passedOver < scheduledFor;
}

/**
 * Whether `row` is not what `schedule` has next here, by what the row tells of that: it is to come and not named any more,
 * or the schedule names an earlier instant now. What is due already was promised, and gives way to none that takes its place.
 */
function isDated(schedule: Schedule, { scheduledFor, plannedFrom }: AgendaRow, now: EpochMs): boolean {
  const isNamed = nextAfter(schedule, scheduledFor - 1) === scheduledFor;
  if (!isNamed) return scheduledFor > now;
  return plannedFrom !== undefined && nextAfter(schedule, plannedFrom) !== scheduledFor;
}

/** Up to when the instants of `automation` have their rows, as far as it can tell by itself. */
function accountedUntil({ updatedAt, lastClaim, recent }: Automation): EpochMs {
  return Math.max(updatedAt, lastClaim?.at ?? 0, ...recent.map(({ at }) => at));
}

/**
 * A paused automation owes from what the clock shows now, where it owed from a time that the clock went back over; and from the
 * first instant that was not accounted for, where its schedule does not name the one any more from which it owed.
 */
function owedAnew(automation: Automation, now: EpochMs): readonly Write[] {
  const { pausedFrom, schedule } = automation;
  if (pausedFrom === undefined) return [];
  const passedOver = nextAfter(schedule, now + REWIND_KEPT_MS);
  const isAhead = passedOver !== null && passedOver < pausedFrom;
  if (!isAhead && nextAfter(schedule, pausedFrom - 1) === pausedFrom) return [];
  // What was edited since tells nothing of what was due before.
  const from = isAhead ? now : Math.min(accountedUntil(automation), pausedFrom - 1);
  const next = nextAfter(schedule, from);
  return next === null ? [] : [{ op: 'put', store: 'automations', row: { ...automation, pausedFrom: next } }];
}

/** A pause that ends by itself keeps its row, and one that an unreadable schedule made is written down. */
function repairPaused(automation: Automation, agenda: readonly AgendaRow[]): readonly Write[] {
  const { id, pausedUntil, pausedBecause } = automation;
  if (pausedUntil !== undefined && !agenda.some(({ cause }) => cause === 'resume')) {
    return [{ op: 'put', store: 'agenda', row: resumeRow(id, pausedUntil) }];
  }
  const row = agenda.find(({ cause }) => cause === 'schedule');
  if (row === undefined || pausedBecause?.kind !== 'unreadable') return [];
  return [
    { op: 'put', store: 'automations', row: { ...automation, pausedFrom: row.scheduledFor } },
    removeRow(row),
  ];
}

/**
 * Starts the agenda anew from now after `stored` became `edited`. What was due and unclaimed gets a missed row, as does
 * the time that passed while it was paused.
 */
function reschedule(
  stored: Automation,
  edited: Automation,
  { agenda, decided }: Pending,
  { now, newId }: EditContext,
): { readonly automation: Automation; readonly writes: readonly Write[] } {
  const writes: Write[] = [];
  const { pausedFrom: _, ...rest } = edited;
  let automation: Automation = rest;
  const from = unaccountedFrom(stored, agenda);
  if (!edited.enabled && sameSchedule(stored, edited)) {
    if (from !== null) automation = { ...automation, pausedFrom: from };
  } else {
    const why = whyUnrun(stored, now);
    for (const covers of from === null ? [] : stretchesFrom(stored, from, now, decided)) {
      const row = unrunRow(automation, newId(), why, covers, now);
      writes.push({ op: 'add', store: 'runs', row });
      automation = withRecent(automation, recentUnrun(row));
    }
    // One that never was enabled has nothing to account for, however often it is edited before; one that has had all its
    // runs was enabled.
    const wasEnabled = stored.enabled || stored.pausedFrom !== undefined || runsLeft(stored) === 0;
    const counts = !edited.enabled && wasEnabled;
    const resumesAt = counts && runsLeft(edited) > 0 ? nextAfter(edited.schedule, now) : null;
    if (resumesAt !== null) automation = { ...automation, pausedFrom: resumesAt };
  }
  for (const pending of agenda.filter(({ cause }) => cause === 'follow-up')) {
    const covers = { from: pending.scheduledFor, to: pending.scheduledFor, count: 1 };
    const reason: MissedReason = edited.enabled ? 'edited' : 'paused';
    const row = unrunRow(automation, newId(), { status: 'missed', reason }, covers, now, pending);
    writes.push({ op: 'add', store: 'runs', row });
    automation = withRecent(automation, recentUnrun(row));
  }
  const next = edited.enabled ? nextAfter(edited.schedule, now) : null;
  return { automation, writes: [...writes, ...storeWith(automation, agenda, next, now)] };
}

/** Why what was due and unclaimed of `stored` gets no run once it is edited or resumed. */
function whyUnrun(
  stored: Automation,
  now: EpochMs,
): { status: 'missed'; reason: MissedReason } | { status: 'skipped'; reason: 'limit' } {
  if (!stored.enabled) return { status: 'missed', reason: 'paused' };
  return dayFullUntil(stored) > now
    ? { status: 'skipped', reason: 'limit' }
    : { status: 'missed', reason: 'edited' };
}

/** The stretches that got no run; of a schedule that cannot be computed here, the one instant that is known. */
function stretchesFrom(
  stored: Automation,
  from: EpochMs,
  now: EpochMs,
  decided: ReadonlySet<EpochMs>,
): readonly Covers[] {
  if (isComputable(stored.schedule)) return unrunStretches(stored.schedule, from, now, decided);
  return from <= now && !decided.has(from) ? [{ from, to: from, count: 1 }] : [];
}

/**
 * Stores `automation` with `next`, the first instant after `plannedFrom`, as its only scheduled row. What was asked for by hand stays, and so do its retries;
 * those of scheduled occurrences go.
 */
function storeWith(
  automation: Automation,
  agenda: readonly AgendaRow[],
  next: EpochMs | null,
  plannedFrom: EpochMs,
): readonly Write[] {
  const writes: Write[] = agenda.filter((row) => !isAskedFor(row)).map(removeRow);
  writes.push({ op: 'put', store: 'automations', row: automation });
  if (next !== null && runsLeft(automation) > 0) {
    writes.push({ op: 'put', store: 'agenda', row: nextRow(automation, next, plannedFrom) });
  }
  if (!automation.enabled && automation.pausedUntil !== undefined) {
    writes.push({ op: 'put', store: 'agenda', row: resumeRow(automation.id, automation.pausedUntil) });
  }
  return writes;
}

function removeRow(row: AgendaRow): Write {
  return { op: 'delete', store: 'agenda', key: row.key };
}

function sameSchedule(a: Pick<Definition, 'schedule'>, b: Pick<Definition, 'schedule'>): boolean {
  return JSON.stringify(sorted(a.schedule)) === JSON.stringify(sorted(b.schedule));
}

/** The fields of `value` in one order, at every depth. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one)]);
}
