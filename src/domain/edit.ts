/**
 * What a person changes: saving, pausing and removing automations. Each keeps the agenda true: an enabled automation
 * has exactly the row of its next instant, and nothing earlier than now is ever dispatched by an edit (time.md).
 */
import { type Automation, definitionOf, withRecent } from './automation.ts';
import { type Definition, SCHEMA, definitionSchema } from './definition.ts';
import { recentUnrun, scheduledRow, unrunRow, unrunStretches } from './due.ts';
import type { AutomationId, RunId } from './ids.ts';
import { carryUnknown } from './loose.ts';
import { type AgendaRow, isAskedFor } from './occurrence.ts';
import type { Problem } from './problem.ts';
import type { MissedReason } from './run.ts';
import { nextAfter } from './instants.ts';
import { problemsOf } from './schedule-problems.ts';
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
  const restarts =
    stored === null || edited === null || !sameSchedule(stored, edited) || stored.enabled !== edited.enabled;
  const next = definition.enabled ? nextAfter(definition.schedule, now) : null;
  if (restarts && definition.enabled && definition.schedule.kind === 'once' && next === null) {
    const passed = { path: 'schedule.at', message: 'This time has passed. Choose a time to come.' };
    return { result: { kind: 'invalid', problems: [passed] }, writes: [] };
  }

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
    return { result: { kind: 'saved', automation: created }, writes: storeWith(created, state.agenda, next) };
  }
  if (!restarts) {
    return {
      result: { kind: 'saved', automation: edited },
      writes: [{ op: 'put', store: 'automations', row: edited }],
    };
  }
  const { automation, writes } = reschedule(stored, edited, state, request);
  return { result: { kind: 'saved', automation }, writes };
}

/** `stored` with what a person edits as in `definition`, and with what only a newer build knows as it was. */
function editedBy(stored: Automation, definition: Definition, now: EpochMs): Automation {
  return {
    ...stored,
    ...carryUnknown(definitionSchema, definitionOf(stored), definition),
    revision: stored.revision + 1,
    updatedAt: now,
  };
}

/** Decides pausing or resuming. An automation that is in that state already is left as it is. */
export function decideSetEnabled(
  state: Pending & { readonly stored: Automation },
  enabled: boolean,
  context: EditContext,
): Decision<{ readonly kind: 'done' }> {
  const { stored } = state;
  if (stored.enabled === enabled) return { result: { kind: 'done' }, writes: [] };
  const edited: Automation = { ...stored, enabled, revision: stored.revision + 1, updatedAt: context.now };
  return { result: { kind: 'done' }, writes: reschedule(stored, edited, state, context).writes };
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
 * the time from which a paused one owes, or what passes now would never be accounted for. Nothing to write otherwise.
 *
 * @param agenda the agenda rows of the automation.
 */
export function decideRepair(
  automation: Automation,
  agenda: readonly AgendaRow[],
  now: EpochMs,
): readonly Write[] {
  const ahead = now + REWIND_KEPT_MS;
  const writes = agenda
    .filter((row) => row.cause === 'manual' && row.dueAt > ahead)
    .map((row): Write => ({ op: 'put', store: 'agenda', row: { ...row, dueAt: now } }));
  if (!automation.enabled) {
    const { pausedFrom } = automation;
    const passedOver = pausedFrom === undefined ? null : nextAfter(automation.schedule, ahead);
    const next = nextAfter(automation.schedule, now);
    if (pausedFrom === undefined || passedOver === null || passedOver >= pausedFrom || next === null)
      return writes;
    return [...writes, { op: 'put', store: 'automations', row: { ...automation, pausedFrom: next } }];
  }
  const row = agenda.find(({ cause }) => cause === 'schedule');
  if (row !== undefined) {
    // An instant that it has passed over and that is still far ahead was past when it was planned.
    const passedOver = nextAfter(automation.schedule, ahead);
    if (passedOver === null || passedOver >= row.scheduledFor) return writes;
    writes.push(removeRow(row));
  }
  const next = nextAfter(automation.schedule, now);
  if (next !== null) writes.push({ op: 'put', store: 'agenda', row: scheduledRow(automation.id, next) });
  return writes;
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
    const reason: MissedReason = stored.enabled ? 'edited' : 'paused';
    for (const covers of from === null ? [] : unrunStretches(stored.schedule, from, now, decided)) {
      const row = unrunRow(automation, newId(), { status: 'missed', reason }, covers, now);
      writes.push({ op: 'add', store: 'runs', row });
      automation = withRecent(automation, recentUnrun(row));
    }
    // One that never was enabled has nothing to account for, however often it is edited before.
    const counts = !edited.enabled && (stored.enabled || stored.pausedFrom !== undefined);
    const resumesAt = counts ? nextAfter(edited.schedule, now) : null;
    if (resumesAt !== null) automation = { ...automation, pausedFrom: resumesAt };
  }
  const next = edited.enabled ? nextAfter(edited.schedule, now) : null;
  return { automation, writes: [...writes, ...storeWith(automation, agenda, next)] };
}

/**
 * Stores `automation` with `next` as its only scheduled row. What was asked for by hand stays, and so do its retries;
 * those of scheduled occurrences go.
 */
function storeWith(
  automation: Automation,
  agenda: readonly AgendaRow[],
  next: EpochMs | null,
): readonly Write[] {
  const writes: Write[] = agenda.filter((row) => !isAskedFor(row)).map(removeRow);
  writes.push({ op: 'put', store: 'automations', row: automation });
  if (next !== null) writes.push({ op: 'put', store: 'agenda', row: scheduledRow(automation.id, next) });
  return writes;
}

function removeRow(row: AgendaRow): Write {
  return { op: 'delete', store: 'agenda', key: row.key };
}

function sameSchedule(a: Pick<Definition, 'schedule'>, b: Pick<Definition, 'schedule'>): boolean {
  return JSON.stringify(sorted(a.schedule)) === JSON.stringify(sorted(b.schedule));
}

function sorted(value: object): [string, unknown][] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
