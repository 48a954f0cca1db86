import {
  type Automation,
  type AutomationId,
  type Definition,
  type EpochMs,
  type Pending,
  type Problem,
  type Schedule,
  type SaveDecision,
  type Write,
  decideRemove,
  decideSave,
  decideSetEnabled,
  isActive,
  parentOf,
  unaccountedFrom,
  withFollower,
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
async function find(
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
async function chainOf(
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

/** What a file is told that names an automation which is not there, besides what a form says of it. */
const NOT_HERE =
  'There is no automation with this id, neither here nor in the file. Put it into the file too, or use the id of one that is here.';

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
          const problems: Problem[] = [];
          const taken = new Map<AutomationId, AutomationId>();
          const ids: AutomationId[] = [];
          for (const { id: wanted } of command.automations) {
            // A row that this code cannot read holds its id all the same.
            const isTaken = ids.includes(wanted) || (await tx.objectStore('automations').count(wanted)) > 0;
            const id = isTaken ? command.freshId() : wanted;
            if (isTaken && !taken.has(wanted) && !ids.includes(wanted)) taken.set(wanted, id);
            ids.push(id);
          }
          // What follows another one of the file follows it under its new id, and comes after it.
          const imported = command.automations.map(({ definition }, index) => ({
            index,
            id: ids[index] ?? command.freshId(),
            definition: { ...definition, schedule: renamed(definition.schedule, taken) },
          }));
          const made = new Map<AutomationId, Automation>();
          const writes: Write[] = [];
          for (const { index, id, definition } of parentsFirst(imported)) {
            const chain = await chainOf(tx, id, definition.schedule, made);
            const isNowhere = chain.length === 0 && parentOf(definition.schedule) !== id;
            const decision = decideSave(
              { stored: null, agenda: [], decided: new Set(), chain },
              { id, definition, now: command.now, newId: command.newId },
            );
            if (decision.result.kind === 'invalid') {
              problems.push(
                ...decision.result.problems.map(({ path, message }) => ({
                  path: `automations[${index}].${path}`,
                  message: path === 'schedule.automation' && isNowhere ? NOT_HERE : message,
                })),
              );
            }
            for (const item of decision.writes) {
              if (item.op === 'put' && item.store === 'automations') made.set(item.row.id, item.row);
            }
            writes.push(...decision.writes);
          }
          if (problems.length > 0) return { kind: 'invalid' as const, problems };
          // Some that are there may have followed one that was removed, and is back now.
          const present = sortRows('automations', await tx.objectStore('automations').getAll(), 'id').rows;
          for (const { id, schedule } of present) {
            const parent = made.get(parentOf(schedule) ?? id);
            if (parent === undefined || parentOf(schedule) === null) continue;
            const row = withFollower(parent, id);
            made.set(row.id, row);
            writes.push({ op: 'put', store: 'automations', row });
          }
          write(tx, writes);
          return { kind: 'imported' as const, ids };
        },
        (result) => result.kind === 'imported',
      ),
    ),
  );
}

function renamed(schedule: Schedule, names: ReadonlyMap<AutomationId, AutomationId>): Schedule {
  if (schedule.kind !== 'after') return schedule;
  return { ...schedule, automation: names.get(schedule.automation) ?? schedule.automation };
}

/** `automations` with each one behind the one that it follows, if that is among them; those in a circle come last. */
function parentsFirst<Item extends { readonly id: AutomationId; readonly definition: Definition }>(
  automations: readonly Item[],
): readonly Item[] {
  const sorted: Item[] = [];
  let rest = automations;
  for (;;) {
    const waiting = new Set(rest.map(({ id }) => id));
    const isFree = ({ id, definition: { schedule } }: Item): boolean => {
      const parent = parentOf(schedule);
      return parent === null || parent === id || !waiting.has(parent);
    };
    const free = rest.filter(isFree);
    if (free.length === 0) return [...sorted, ...rest];
    sorted.push(...free);
    rest = rest.filter((item) => !free.includes(item));
  }
}
