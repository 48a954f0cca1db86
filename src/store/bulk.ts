/** One change of many automations, and undoing it. No claim needs it, so it is loaded with the first. */
import {
  type Automation,
  type AutomationId,
  type BulkChange,
  type BulkRefusal,
  type BulkResult,
  type BulkUndoResult,
  type CommandId,
  type Pending,
  type RunId,
  SCHEMA,
  type SettledRun,
  type UndoStep,
  type ValueRow,
  type Write,
  decideBulk,
  decideUndo,
  isActive,
} from '../domain/index.ts';
import { once } from './command.ts';
import { STORES, find } from './edit.ts';
import type { Command } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { healing, sortRows } from './quarantine.ts';
import { NewerData, checkRow } from './rows.ts';
import { type RotaTransaction, transact } from './transact.ts';
import { write } from './write.ts';

const BULK_STORES = [...STORES, 'values'] as const;
type BulkTransaction = RotaTransaction<typeof BULK_STORES, 'readwrite'>;

/** What the row of the command keeps besides its answer: how each is undone. */
interface Kept extends Omit<BulkResult, 'undo'> {
  readonly steps: readonly UndoStep[];
}

/** One of many as it was read, or why it is left alone. */
type Read<Found> =
  | { readonly kind: 'found'; readonly found: Found }
  | { readonly kind: 'refused'; readonly refusal: BulkRefusal };

// Only requests of `tx` are awaited in what follows: each function works inside its caller's transaction.
/** Rows of a newer build are left alone, and the others go on. */
async function reading<Found>(
  tx: Pick<BulkTransaction, 'objectStore'>,
  id: AutomationId,
  read: () => Promise<Found>,
): Promise<Read<Found>> {
  try {
    return { kind: 'found', found: await read() };
  } catch (error) {
    if (!(error instanceof NewerData)) throw error;
    const value: unknown = await tx.objectStore('automations').get(id);
    const name: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'name') : null;
    return { kind: 'refused', refusal: refusal({ id, name }, 'newer-data') };
  }
}

/** Does `change` to those of `ids` to which it can be done, in one step; the answer names the others. */
export async function changeMany(
  db: RotaDb,
  command: Command & { readonly ids: readonly AutomationId[]; readonly change: BulkChange },
): Promise<BulkResult> {
  const { change, now } = command;
  const removes = change.kind === 'remove';
  const kept = await healing(db, now, () =>
    transact(db, BULK_STORES, (tx) =>
      once(
        tx,
        command,
        async (): Promise<Kept> => {
          const ids = [...new Set(command.ids)];
          // All requests are on their way before the first is answered: one after the other takes three times as long.
          const [reads, active] = await Promise.all([
            Promise.all(ids.map((id) => reading(tx, id, () => readOne(tx, id, now, removes)))),
            removes ? readActive(tx) : [],
          ]);
          const steps: UndoStep[] = [];
          const left: BulkRefusal[] = [];
          let same = 0;
          for (const [index, read] of reads.entries()) {
            if (read.kind === 'refused') {
              left.push(read.refusal);
              continue;
            }
            const { stored, ...state } = read.found;
            if (stored === null) {
              left.push(...ids.slice(index, index + 1).map((id) => refusal({ id }, 'not-found')));
              continue;
            }
            const running = active.filter(({ automationId }) => automationId === stored.id);
            const { result, writes } = decideBulk(
              { stored, ...state, active: running.map((run) => run.id) },
              change,
              command,
            );
            if (result.kind === 'refused') left.push(refusal(stored, result.why));
            else if (result.kind === 'same') same += 1;
            else {
              steps.push(result.undo);
              write(tx, [...(removes ? leaving(running, state.values, now) : []), ...writes]);
            }
          }
          return { kind: 'changed', ids: steps.map(({ id }) => id), same, refused: left, steps };
        },
        ({ steps }) => steps.length > 0,
      ),
    ),
  );
  const { steps: _steps, ...result } = kept;
  return { ...result, undo: command.commandId };
}

async function readOne(
  tx: Pick<BulkTransaction, 'objectStore'>,
  id: AutomationId,
  now: number,
  withValues: boolean,
): Promise<Pending & { readonly stored: Automation | null; readonly values: readonly ValueRow[] }> {
  // Names are texts, and an array sorts after all of them.
  const range = IDBKeyRange.bound([id], [id, []]);
  const [found, values] = await Promise.all([
    find(tx, id, now),
    withValues ? tx.objectStore('values').getAll(range) : [],
  ]);
  return { ...found, values };
}

async function readActive(tx: Pick<BulkTransaction, 'objectStore'>) {
  const { rows } = sortRows('runs', await tx.objectStore('runs').index('active').getAll(1), 'id');
  return rows.filter(isActive);
}

/** What goes with an automation that is removed: its runs are asked to end, and what it remembered goes. */
function leaving(
  active: Awaited<ReturnType<typeof readActive>>,
  values: readonly ValueRow[],
  now: number,
): readonly Write[] {
  return [
    ...active
      .filter(({ cancelRequested }) => cancelRequested === undefined)
      .map((run): Write => ({
        op: 'put',
        store: 'runs',
        row: { ...run, cancelRequested: { at: now, by: 'person' } },
      })),
    ...values.map(({ automationId, key }): Write => ({
      op: 'delete',
      store: 'values',
      key: [automationId, key],
    })),
  ];
}

/** Undoes what the command `of` has changed, where nobody has changed it since; the answer names the others. */
export async function undoChange(
  db: RotaDb,
  command: Command & { readonly of: CommandId },
): Promise<BulkUndoResult> {
  const { now } = command;
  return healing(db, now, () =>
    transact(db, BULK_STORES, (tx) =>
      once(
        tx,
        command,
        async (): Promise<BulkUndoResult> => {
          const steps = stepsOf(await tx.objectStore('commands').get(command.of));
          if (steps === null) return { kind: 'not-found' };
          const reads = await Promise.all(
            steps.map((step) =>
              reading(tx, step.id, async () => {
                const [found, ended] = await Promise.all([
                  find(tx, step.id, now),
                  step.kind === 'removed' ? readEnded(tx, step.active) : [],
                ]);
                return { ...found, ended };
              }),
            ),
          );
          const ids: AutomationId[] = [];
          const left: BulkRefusal[] = [];
          for (const [index, step] of steps.entries()) {
            const read = reads[index];
            if (read === undefined) continue;
            if (read.kind === 'refused' || !isUsable(step)) {
              left.push(read.kind === 'refused' ? read.refusal : refusal(step, 'newer-data'));
              continue;
            }
            const { result, writes } = decideUndo(step, read.found, command);
            write(tx, writes);
            if (result.kind === 'undone') ids.push(step.id);
            else {
              const { id } = step;
              const name = read.found.stored?.name;
              left.push(refusal({ id, name }, result.why));
            }
          }
          return { kind: 'undone', ids, refused: left };
        },
        (result) => result.kind === 'undone' && result.ids.length > 0,
      ),
    ),
  );
}

/** Those of `ids` that have ended, in their order. */
async function readEnded(
  tx: Pick<BulkTransaction, 'objectStore'>,
  ids: readonly RunId[],
): Promise<readonly SettledRun[]> {
  const values = await Promise.all(ids.map((id) => tx.objectStore('runs').get(id)));
  const { rows } = sortRows(
    'runs',
    values.filter((value) => value !== undefined),
    'id',
  );
  return rows.flatMap((run) =>
    run.status === 'running' || run.status === 'missed' || run.status === 'skipped' ? [] : [run],
  );
}

/** What undoes the command of which `row` is; `null` when it is not kept, or cannot be read here. */
function stepsOf(
  row: { readonly schema: number; readonly result: unknown } | undefined,
): readonly UndoStep[] | null {
  if (row === undefined) return null;
  if (row.schema > SCHEMA) throw new NewerData('A newer version of Rota wrote this command.');
  const steps: unknown =
    typeof row.result === 'object' && row.result !== null ? Reflect.get(row.result, 'steps') : null;
  if (!Array.isArray(steps)) return null;
  // Written by `changeMany` of some build.
  return steps as readonly UndoStep[];
}

/** Whether what becomes a row again is one that this build can read. */
function isUsable(step: UndoStep): boolean {
  return step.kind !== 'removed' || checkRow('automations', step.automation).kind === 'row';
}

function refusal(
  { id, name }: { readonly id: AutomationId; readonly name?: unknown },
  why: BulkRefusal['why'],
): BulkRefusal {
  return { id, why, ...(typeof name === 'string' ? { name } : {}) };
}
