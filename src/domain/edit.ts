/**
 * What a person changes: saving, pausing and removing automations. Each keeps the agenda true: an enabled automation
 * has exactly the row of its next instant, and nothing earlier than now is ever dispatched by an edit (time.md).
 */
import { type Automation, type Definition, SCHEMA, definitionOf, definitionSchema, withRecent } from './automation.ts';
import { recentUnrun, scheduledRow, unrunRow } from './due.ts';
import type { AutomationId, RunId } from './ids.ts';
import { carryUnknown } from './loose.ts';
import type { AgendaRow } from './occurrence.ts';
import type { Problem } from './problem.ts';
import type { MissedReason } from './run.ts';
import { dueInstants, nextAfter, problemsOf } from './schedule.ts';
import type { EpochMs } from './time.ts';
import type { Decision, Write } from './writes.ts';

/** Most instants that the missed row of a pause or an edit counts exactly; a longer pause says at least so many. */
const PAUSED_COUNT_MOST = 10_000;

export interface EditContext {
  readonly now: EpochMs;
  readonly newId: () => RunId;
}

export interface SaveState {
  readonly stored: Automation | null;
  /** All agenda rows of the automation. */
  readonly agenda: readonly AgendaRow[];
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
  const restarts =
    stored === null || !sameSchedule(stored, definition) || stored.enabled !== definition.enabled;
  const next = definition.enabled ? nextAfter(definition.schedule, now) : null;
  if (restarts && definition.enabled && definition.schedule.kind === 'once' && next === null) {
    const passed = { path: 'schedule.at', message: 'This time has passed. Choose a time to come.' };
    return { result: { kind: 'invalid', problems: [passed] }, writes: [] };
  }

  if (stored === null) {
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
  const edited: Automation = {
    ...stored,
    ...carryUnknown(definitionSchema, definitionOf(stored), definition),
    revision: stored.revision + 1,
    updatedAt: now,
  };
  if (!restarts) {
    return {
      result: { kind: 'saved', automation: edited },
      writes: [{ op: 'put', store: 'automations', row: edited }],
    };
  }
  const { automation, writes } = reschedule(stored, edited, state.agenda, request);
  return { result: { kind: 'saved', automation }, writes };
}

/** Decides pausing or resuming. An automation that is in that state already is left as it is. */
export function decideSetEnabled(
  state: { readonly stored: Automation; readonly agenda: readonly AgendaRow[] },
  enabled: boolean,
  context: EditContext,
): Decision<{ readonly kind: 'done' }> {
  const { stored } = state;
  if (stored.enabled === enabled) return { result: { kind: 'done' }, writes: [] };
  const edited: Automation = { ...stored, enabled, revision: stored.revision + 1, updatedAt: context.now };
  return { result: { kind: 'done' }, writes: reschedule(stored, edited, state.agenda, context).writes };
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

/**
 * Starts the agenda anew from now after `stored` became `edited`. What was due and unclaimed gets a missed row, as does
 * the time that passed while it was paused.
 */
function reschedule(
  stored: Automation,
  edited: Automation,
  agenda: readonly AgendaRow[],
  { now, newId }: EditContext,
): { readonly automation: Automation; readonly writes: readonly Write[] } {
  const writes: Write[] = [];
  const { pausedFrom: _, ...rest } = edited;
  let automation: Automation = rest;
  // The first instant that no row accounts for yet, by the rule that was in force until now.
  const from = stored.enabled
    ? agenda.find((row) => row.cause === 'schedule')?.scheduledFor
    : stored.pausedFrom;
  if (!edited.enabled && sameSchedule(stored, edited)) {
    if (from !== undefined) automation = { ...automation, pausedFrom: from };
  } else {
    const unrun =
      from === undefined ? [] : dueInstants(stored.schedule, from, now, PAUSED_COUNT_MOST).instants;
    const [first] = unrun;
    const last = unrun.at(-1);
    if (first !== undefined && last !== undefined) {
      const reason: MissedReason = stored.enabled ? 'edited' : 'paused';
      const covers = { from: first, to: last, count: unrun.length };
      const row = unrunRow(automation, newId(), { status: 'missed', reason }, covers, now);
      writes.push({ op: 'add', store: 'runs', row });
      automation = withRecent(automation, recentUnrun(row));
    }
    const resumesAt = edited.enabled ? null : nextAfter(edited.schedule, now);
    if (resumesAt !== null) automation = { ...automation, pausedFrom: resumesAt };
  }
  const next = edited.enabled ? nextAfter(edited.schedule, now) : null;
  return { automation, writes: [...writes, ...storeWith(automation, agenda, next)] };
}

/** Stores `automation` with `next` as its only scheduled row. Rows asked for by hand stay; retries do not. */
function storeWith(
  automation: Automation,
  agenda: readonly AgendaRow[],
  next: EpochMs | null,
): readonly Write[] {
  const writes: Write[] = agenda.filter((row) => row.cause !== 'manual').map(removeRow);
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
