/**
 * One change of many automations, and its way back. A change keeps what it takes away, so that undoing it puts back exactly
 * that; it puts back nothing where somebody has changed the same automation since.
 */
import { type Automation, withRecent } from './automation.ts';
import { type EditContext, type Pending, decideRemove, decideSetEnabled } from './edit.ts';
import { recentOf } from './ending.ts';
import type { AutomationId, CommandId, RunId } from './ids.ts';
import { type AgendaRow, isAskedFor } from './occurrence.ts';
import type { SettledRun } from './run.ts';
import { SCHEMA } from './schema.ts';
import type { EpochMs } from './time.ts';
import type { Decision, ValueRow, Write } from './writes.ts';

/** What is done to each of many automations. `until`: when a pause ends by itself; absent: when somebody says so. */
export type BulkChange =
  | { readonly kind: 'pause'; readonly until?: EpochMs }
  | { readonly kind: 'resume' }
  | { readonly kind: 'add-tag'; readonly tag: string }
  | { readonly kind: 'remove-tag'; readonly tag: string }
  | { readonly kind: 'remove' };

/**
 * Why one of many stays as it is. `unreadable`: this browser cannot compute its schedule, so it stays paused. `changed`,
 * `there-again`: what was done to it is not undone, because somebody has changed it since, or brought it back.
 */
export type BulkWhy = 'not-found' | 'newer-data' | 'unreadable' | 'too-many-tags' | 'changed' | 'there-again';

/** One that was left as it is. `name` is absent where nothing is there to have one. */
export interface BulkRefusal {
  readonly id: AutomationId;
  readonly name?: string;
  readonly why: BulkWhy;
}

/** What became of a change of many: `ids` were changed, `same` were so already, and `undo` is what undoes it. */
export interface BulkResult {
  readonly kind: 'changed';
  readonly ids: readonly AutomationId[];
  readonly same: number;
  readonly refused: readonly BulkRefusal[];
  readonly undo: CommandId;
}

/** What became of undoing one. `not-found`: what would undo it is not kept any more. */
export type BulkUndoResult =
  | {
      readonly kind: 'undone';
      readonly ids: readonly AutomationId[];
      readonly refused: readonly BulkRefusal[];
    }
  | { readonly kind: 'not-found' };

/** Whether it is on and what is said of that: all that pausing and resuming change. */
type Switch = Pick<
  Automation,
  'enabled' | 'pausedUntil' | 'pausedBecause' | 'failuresInARow' | 'outage' | 'lastClaim'
>;

/** What undoes a change of one automation. `revision` is what the change left behind. */
export type UndoStep =
  | {
      readonly kind: 'tags';
      readonly id: AutomationId;
      readonly revision: number;
      readonly tags: readonly string[];
    }
  | {
      readonly kind: 'switch';
      readonly id: AutomationId;
      readonly revision: number;
      readonly was: Switch;
      /** Whether it was on afterwards. */
      readonly left: boolean;
      /** What was pending. */
      readonly agenda: readonly AgendaRow[];
    }
  | {
      readonly kind: 'removed';
      readonly id: AutomationId;
      readonly automation: Automation;
      readonly agenda: readonly AgendaRow[];
      readonly values: readonly ValueRow[];
      /** What ran, and was asked to end. */
      readonly active: readonly RunId[];
    };

/** What became of one of many. `same`: it was so already, and nothing is written. */
export type BulkOneResult =
  | { readonly kind: 'changed'; readonly undo: UndoStep }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly why: BulkWhy };

/** Most tags of one automation, as in `definitionSchema`. */
const TAGS_MOST = 20;

/** Decides `change` of one automation. What `remove` takes away besides is given with it. */
export function decideBulk(
  state: Pending & {
    readonly stored: Automation;
    readonly values: readonly ValueRow[];
    readonly active: readonly RunId[];
  },
  change: BulkChange,
  context: EditContext,
): Decision<BulkOneResult> {
  const { stored, agenda } = state;
  const { id } = stored;
  switch (change.kind) {
    case 'pause':
    case 'resume': {
      const until = change.kind === 'pause' ? change.until : undefined;
      const { result, writes } = decideSetEnabled(state, change.kind === 'resume', {
        ...context,
        ...(until === undefined ? {} : { until }),
      });
      if (result.kind === 'unreadable') return refused('unreadable');
      if (writes.length === 0) return SAME;
      const left = change.kind === 'resume';
      const was = switchOf(stored);
      const undo = { kind: 'switch', id, revision: stored.revision + 1, was, left, agenda } as const;
      return { result: { kind: 'changed', undo }, writes };
    }
    case 'add-tag':
    case 'remove-tag': {
      const has = stored.tags.includes(change.tag);
      if (has === (change.kind === 'add-tag')) return SAME;
      if (!has && stored.tags.length >= TAGS_MOST) return refused('too-many-tags');
      const tags = has ? stored.tags.filter((tag) => tag !== change.tag) : [...stored.tags, change.tag];
      const row = edited(stored, { tags }, context.now);
      const undo = { kind: 'tags', id, revision: row.revision, tags: stored.tags } as const;
      return {
        result: { kind: 'changed', undo },
        writes: [{ op: 'put', store: 'automations', row }],
      };
    }
    case 'remove': {
      const { values, active } = state;
      const undo = { kind: 'removed', id, automation: stored, agenda, values, active } as const;
      return { result: { kind: 'changed', undo }, writes: decideRemove(stored, agenda).writes };
    }
  }
}

/**
 * Decides undoing `step`. What was pending is pending again as it was: what fell due meanwhile is for its rule for missed
 * runs, as though nothing had been changed. `ended` are those of its runs that were asked to end and have.
 */
export function decideUndo(
  step: UndoStep,
  state: Pending & { readonly stored: Automation | null; readonly ended: readonly SettledRun[] },
  context: EditContext,
): Decision<{ readonly kind: 'undone' } | { readonly kind: 'refused'; readonly why: BulkWhy }> {
  const { stored } = state;
  if (step.kind === 'removed') {
    if (stored !== null) return refused('there-again');
    const row = withRecent(step.automation, ...state.ended.map(recentOf));
    return {
      result: { kind: 'undone' },
      writes: [
        { op: 'put', store: 'automations', row },
        ...step.agenda.map((pending): Write => ({ op: 'put', store: 'agenda', row: pending })),
        ...step.values.map((value): Write => ({ op: 'put', store: 'values', row: value })),
      ],
    };
  }
  if (stored === null) return refused('not-found');
  if (stored.revision !== step.revision) return refused('changed');
  if (step.kind === 'tags') {
    const row = edited(stored, { tags: [...step.tags] }, context.now);
    return { result: { kind: 'undone' }, writes: [{ op: 'put', store: 'automations', row }] };
  }
  return undoSwitch(step, { ...state, stored }, context);
}

function undoSwitch(
  { was, left, agenda: before }: Extract<UndoStep, { kind: 'switch' }>,
  state: Pending & { readonly stored: Automation },
  context: EditContext,
): Decision<{ readonly kind: 'undone' } | { readonly kind: 'refused'; readonly why: BulkWhy }> {
  const { stored, agenda } = state;
  // No person changed it, but a pause may have ended by itself since, or failures may have paused it.
  if (stored.enabled !== left || (!left && stored.pausedBecause?.at !== was.pausedBecause?.at))
    return refused('changed');
  if (!was.enabled) {
    const { writes } = decideSetEnabled(state, false, {
      ...context,
      ...(was.pausedUntil === undefined ? {} : { until: was.pausedUntil }),
    });
    return {
      result: { kind: 'undone' },
      writes: writes.map((item) =>
        item.op === 'put' && item.store === 'automations'
          ? { ...item, row: pausedAgain(item.row, was) }
          : item,
      ),
    };
  }
  const { pausedUntil: _until, pausedFrom: _from, ...rest } = stored;
  const row = edited({ ...rest, enabled: true }, {}, context.now);
  const byClock = (pending: AgendaRow): boolean => !isAskedFor(pending);
  return {
    result: { kind: 'undone' },
    writes: [
      ...agenda.filter(byClock).map(({ key }): Write => ({ op: 'delete', store: 'agenda', key })),
      { op: 'put', store: 'automations', row },
      // What followed another one was written down as missed by the pause, and that stays.
      ...before
        .filter((pending) => byClock(pending) && pending.cause !== 'follow-up')
        .map((pending): Write => ({ op: 'put', store: 'agenda', row: pending })),
    ],
  };
}

/** `row`, which is paused, with why it was so before; its failures count again unless it has run since. */
function pausedAgain(row: Automation, was: Switch): Automation {
  const { pausedBecause, failuresInARow, outage, lastClaim } = was;
  const paused = pausedBecause === undefined ? row : { ...row, pausedBecause };
  if (row.lastClaim?.runId !== lastClaim?.runId) return paused;
  return { ...paused, failuresInARow, ...(outage === undefined ? {} : { outage }) };
}

function edited(stored: Automation, change: Pick<Partial<Automation>, 'tags'>, now: EpochMs): Automation {
  return { ...stored, ...change, schema: SCHEMA, revision: stored.revision + 1, updatedAt: now };
}

function switchOf(stored: Automation): Switch {
  const { enabled, pausedUntil, pausedBecause, failuresInARow, outage, lastClaim } = stored;
  return {
    enabled,
    failuresInARow,
    ...(pausedUntil === undefined ? {} : { pausedUntil }),
    ...(pausedBecause === undefined ? {} : { pausedBecause }),
    ...(outage === undefined ? {} : { outage }),
    ...(lastClaim === undefined ? {} : { lastClaim }),
  };
}

const SAME: Decision<{ readonly kind: 'same' }> = { result: { kind: 'same' }, writes: [] };

function refused(why: BulkWhy): Decision<{ readonly kind: 'refused'; readonly why: BulkWhy }> {
  return { result: { kind: 'refused', why }, writes: [] };
}
