import {
  type Automation,
  type AutomationId,
  type Definition,
  type EpochMs,
  type Pending,
  type Problem,
  type SaveDecision,
  type Write,
  decideRemove,
  decideSave,
  decideSetEnabled,
  isActive,
  unaccountedFrom,
} from '../domain/index.ts';
import { once } from './command.ts';
import { decidedInstants } from './decided.ts';
import type { Command } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { healing, sortRows, useRow } from './quarantine.ts';
import { type RotaTransaction, transact } from './transact.ts';
import { write } from './write.ts';

const STORES = ['automations', 'agenda', 'runs', 'commands'] as const;
type EditTransaction = RotaTransaction<typeof STORES, 'readwrite'>;

interface Found extends Pending {
  readonly stored: Automation | null;
}

// Only requests of `tx` are awaited in what follows: each function works inside its caller's transaction.
async function find(tx: EditTransaction, id: AutomationId, now: EpochMs): Promise<Found> {
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
          const { result, writes } = decideSave(await find(tx, command.id, command.now), command);
          write(tx, writes);
          return result;
        },
        (result) => result.kind === 'saved',
      ),
    ),
  );
}

/** Pauses or resumes those of `ids` that exist, all in one step; answers with them. */
export async function setEnabled(
  db: RotaDb,
  command: Command & { readonly ids: readonly AutomationId[]; readonly enabled: boolean },
): Promise<{ readonly kind: 'done'; readonly ids: readonly AutomationId[] }> {
  return healing(db, command.now, () =>
    transact(db, STORES, (tx) =>
      once(tx, command, async () => {
        const done: AutomationId[] = [];
        for (const id of new Set(command.ids)) {
          const { stored, ...pending } = await find(tx, id, command.now);
          if (stored === null) continue;
          write(tx, decideSetEnabled({ stored, ...pending }, command.enabled, command).writes);
          done.push(id);
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
    transact(db, STORES, (tx) =>
      once(tx, command, async () => {
        const { stored, agenda } = await find(tx, id, now);
        if (stored === null) return { kind: 'not-found' as const };
        const active = sortRows('runs', await tx.objectStore('runs').index('active').getAll(1), 'id').rows;
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

/** Adds all of these automations or none. One whose id is taken comes in under a fresh one: nothing is overwritten. */
export async function importAll(
  db: RotaDb,
  command: Command & {
    readonly automations: readonly { readonly id: AutomationId; readonly definition: Definition }[];
    readonly freshId: () => AutomationId;
  },
): Promise<
  | { readonly kind: 'imported'; readonly ids: readonly AutomationId[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }
> {
  return healing(db, command.now, () =>
    transact(db, STORES, (tx) =>
      once(
        tx,
        command,
        async () => {
          const ids: AutomationId[] = [];
          const problems: Problem[] = [];
          const writes: Write[] = [];
          for (const [index, { id: wanted, definition }] of command.automations.entries()) {
            // A row that this code cannot read holds its id all the same.
            const taken = ids.includes(wanted) || (await tx.objectStore('automations').count(wanted)) > 0;
            const id = taken ? command.freshId() : wanted;
            const decision = decideSave(
              { stored: null, agenda: [], decided: new Set() },
              { id, definition, now: command.now, newId: command.newId },
            );
            if (decision.result.kind === 'invalid') {
              problems.push(
                ...decision.result.problems.map((problem) => ({
                  ...problem,
                  path: `automations[${index}].${problem.path}`,
                })),
              );
            }
            writes.push(...decision.writes);
            ids.push(id);
          }
          if (problems.length > 0) return { kind: 'invalid' as const, problems };
          write(tx, writes);
          return { kind: 'imported' as const, ids };
        },
        (result) => result.kind === 'imported',
      ),
    ),
  );
}
