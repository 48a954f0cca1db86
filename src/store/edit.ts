import {
  type Automation,
  type AutomationId,
  type Definition,
  type EpochMs,
  type Pending,
  type Schedule,
  type SaveDecision,
  type Write,
  decideRemove,
  decideSave,
  decideSetEnabled,
  isActive,
  parentOf,
  unaccountedFrom,
} from '../domain/index.ts';
import { once } from './command.ts';
import { decidedInstants } from './decided.ts';
import type { Command } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { healing, sortRows, useRow } from './quarantine.ts';
import { type RotaTransaction, transact } from './transact.ts';
import { write } from './write.ts';

/** The stores that an edit reads and writes. */
export const STORES = ['automations', 'agenda', 'runs', 'commands'] as const;
type EditTransaction = RotaTransaction<typeof STORES, 'readwrite'>;

interface Found extends Pending {
  readonly stored: Automation | null;
}

// Only requests of `tx` are awaited in what follows: each function works inside its caller's transaction.
/** An automation, its pending rows, and the scheduled instants that are accounted for. */
export async function find(
  tx: Pick<EditTransaction, 'objectStore'>,
  id: AutomationId,
  now: EpochMs,
): Promise<Found> {
  const [value, agendaValues] = await Promise.all([
    tx.objectStore('automations').get(id),
    tx.objectStore('agenda').index('by-automation').getAll(id),
  ]);
  const stored = useRow('automations', id, value);
  // An edit replaces pending rows, so none may be a newer build's.
  const agenda = agendaValues.flatMap((row) => useRow('agenda', row.key, row) ?? []);
  const from = stored === null ? null : unaccountedFrom(stored, agenda);
  const byOccurrence = tx.objectStore('runs').index('by-occurrence');
  const decided = await decidedInstants(byOccurrence, id, from ?? Infinity, now);
  return { stored, agenda, decided };
}

/** The automation that `schedule` follows, the one that that follows, and so on, until one follows none or `id`. */
export async function chainOf(
  tx: Pick<EditTransaction, 'objectStore'>,
  id: AutomationId,
  schedule: Schedule,
  known: ReadonlyMap<AutomationId, Automation> = new Map(),
): Promise<readonly Automation[]> {
  const chain: Automation[] = [];
  let parent = parentOf(schedule);
  while (parent !== null && parent !== id && !chain.some((one) => one.id === parent)) {
    const found: Automation | null =
      known.get(parent) ?? useRow('automations', parent, await tx.objectStore('automations').get(parent));
    if (found === null) break;
    chain.push(found);
    parent = parentOf(found.schedule);
  }
  return chain;
}

/** Creates or changes an automation. */
export async function save(
  db: RotaDb,
  command: Command & {
    readonly id: AutomationId;
    readonly definition: Definition;
    readonly expectedRevision?: number;
  },
): Promise<SaveDecision> {
  return healing(db, command.now, () =>
    transact(db, STORES, (tx) =>
      once(
        tx,
        command,
        async () => {
          const found = await find(tx, command.id, command.now);
          const chain = await chainOf(tx, command.id, command.definition.schedule);
          const { result, writes } = decideSave({ ...found, chain }, command);
          write(tx, writes);
          return result;
        },
        (result) => result.kind === 'saved',
      ),
    ),
  );
}

/** Pauses or resumes those of `ids` that exist and can be, all in one step; answers with them. */
export async function setEnabled(
  db: RotaDb,
  command: Command & {
    readonly ids: readonly AutomationId[];
    readonly enabled: boolean;
    readonly until?: EpochMs;
  },
): Promise<{ readonly kind: 'done'; readonly ids: readonly AutomationId[] }> {
  return healing(db, command.now, () =>
    transact(db, STORES, (tx) =>
      once(tx, command, async () => {
        const done: AutomationId[] = [];
        for (const id of new Set(command.ids)) {
          const { stored, ...pending } = await find(tx, id, command.now);
          if (stored === null) continue;
          const { result, writes } = decideSetEnabled({ stored, ...pending }, command.enabled, command);
          write(tx, writes);
          if (result.kind === 'done') done.push(id);
        }
        return { kind: 'done' as const, ids: done };
      }),
    ),
  );
}

/** Removes an automation and what is pending of it; a run in flight is asked to end. History stays. */
export async function remove(
  db: RotaDb,
  command: Command & { readonly id: AutomationId },
): Promise<{ readonly kind: 'done'; readonly id: AutomationId } | { readonly kind: 'not-found' }> {
  const { id, now } = command;
  return healing(db, now, () =>
    transact(db, [...STORES, 'values'] as const, (tx) =>
      once(tx, command, async () => {
        const { stored, agenda } = await find(tx, id, now);
        if (stored === null) return { kind: 'not-found' as const };
        const active = sortRows('runs', await tx.objectStore('runs').index('active').getAll(1), 'id').rows;
        // What it remembered goes with it. Names are texts, and an array sorts after all of them.
        await tx.objectStore('values').delete(IDBKeyRange.bound([id], [id, []]));
        const cancels = active.flatMap((run): Write[] =>
          isActive(run) && run.automationId === id && run.cancelRequested === undefined
            ? [{ op: 'put', store: 'runs', row: { ...run, cancelRequested: { at: now, by: 'person' } } }]
            : [],
        );
        write(tx, [...cancels, ...decideRemove(stored, agenda).writes]);
        return { kind: 'done' as const, id };
      }),
    ),
  );
}
