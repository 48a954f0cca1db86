/** Bringing in automations and history from files. No claim needs it, so it is loaded with the first. */
import {
  type Automation,
  type AutomationId,
  type Definition,
  type ImportStepsResult,
  type Problem,
  type RunId,
  type Schedule,
  type SettledRun,
  RECENT_RUNS_MOST,
  type Write,
  decideSave,
  parentOf,
  recentOf,
  withFollower,
} from '../domain/index.ts';
import { once } from './command.ts';
import { STORES, chainOf, find } from './edit.ts';
import type { Command, LedgerImportStep } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { healing, sortRows, useRow } from './quarantine.ts';
import { type RotaTransaction, transact, view } from './transact.ts';
import { write } from './write.ts';

type ImportTransaction = RotaTransaction<typeof STORES, 'readwrite'>;

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
          writes.push(...(await followersBack(tx, made)));
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

/** Some that are there may have followed one that was removed, and is among `made` now: those are told of them. */
async function followersBack(
  tx: Pick<ImportTransaction, 'objectStore'>,
  made: Map<AutomationId, Automation>,
): Promise<readonly Write[]> {
  const writes: Write[] = [];
  const present = sortRows('automations', await tx.objectStore('automations').getAll(), 'id').rows;
  for (const { id, schedule } of present) {
    const parent = made.get(parentOf(schedule) ?? id);
    if (parent === undefined || parentOf(schedule) === null) continue;
    const row = withFollower(parent, id);
    made.set(row.id, row);
    writes.push({ op: 'put', store: 'automations', row });
  }
  return writes;
}

/** Takes all of these steps, in their order, or none: see `Ledger.importSteps`. */
export async function importSteps(
  db: RotaDb,
  command: Command & { readonly steps: readonly LedgerImportStep[] },
): Promise<ImportStepsResult> {
  return healing(db, command.now, () =>
    transact(db, STORES, (tx) =>
      once(
        tx,
        command,
        async (): Promise<ImportStepsResult> => {
          const made = new Map<AutomationId, Automation>();
          const writes: Write[] = [];
          const problems: Problem[] = [];
          const count = { added: 0, replaced: 0, runs: 0 };
          let addsAny = false;
          for (const [index, step] of command.steps.entries()) {
            const { id } = step;
            const store = tx.objectStore('automations');
            if (step.kind === 'history') {
              const stored = made.get(id) ?? useRow('automations', id, await store.get(id));
              if (stored === null) return { kind: 'changed', id };
              made.set(id, stored);
            } else {
              const isAdded = step.kind === 'add';
              // A row that this code cannot read holds its id all the same.
              if (isAdded && (made.has(id) || (await store.count(id)) > 0)) return { kind: 'changed', id };
              const chain = await chainOf(tx, id, step.definition.schedule, made);
              const state = isAdded
                ? { stored: null, agenda: [], decided: new Set<number>() }
                : await find(tx, id, command.now);
              const { result, writes: saved } = decideSave(
                { ...state, chain },
                {
                  id,
                  definition: { ...step.definition, enabled: false },
                  now: command.now,
                  newId: command.newId,
                  ...(isAdded ? {} : { expectedRevision: step.expectedRevision }),
                },
              );
              if (result.kind === 'conflict' || result.kind === 'not-found') return { kind: 'changed', id };
              if (result.kind === 'invalid') {
                for (const { path, message } of result.problems)
                  problems.push({ path: `steps[${index}].definition.${path}`, message });
                continue;
              }
              addsAny ||= isAdded;
              count[isAdded ? 'added' : 'replaced'] += 1;
              for (const item of saved)
                if (item.op === 'put' && item.store === 'automations') made.set(item.row.id, item.row);
              writes.push(...saved);
            }
            const rows = await newRows(tx, step.rows);
            const of = made.get(id);
            if (rows.length === 0 || of === undefined) continue;
            count.runs += rows.length;
            const row = withHistory(of, rows);
            made.set(id, row);
            writes.push({ op: 'put', store: 'automations', row });
            writes.push(...rows.map((run): Write => ({ op: 'add', store: 'runs', row: run })));
          }
          if (problems.length > 0) return { kind: 'invalid', problems };
          if (addsAny) writes.push(...(await followersBack(tx, made)));
          write(tx, writes);
          return { kind: 'imported', ids: command.steps.map(({ id }) => id), ...count };
        },
        (result) => result.kind === 'imported',
      ),
    ),
  );
}

/** Those of `rows` whose ids the ledger does not have. */
async function newRows(
  tx: Pick<ImportTransaction, 'objectStore'>,
  rows: readonly SettledRun[],
): Promise<readonly SettledRun[]> {
  const counts = await Promise.all(rows.map(({ id }) => tx.objectStore('runs').count(id)));
  const seen = new Set<RunId>();
  return rows.filter(({ id }, index) => {
    const isNew = counts[index] === 0 && !seen.has(id);
    seen.add(id);
    return isNew;
  });
}

/** `automation` with `rows` among its recent runs, in the order of time. */
function withHistory(automation: Automation, rows: readonly SettledRun[]): Automation {
  const recent = [...automation.recent, ...rows.map(recentOf)].sort((a, b) => a.at - b.at);
  return { ...automation, recent: recent.slice(-RECENT_RUNS_MOST) };
}

/** Which of `ids` the ledger has no row of. */
export async function missingRuns(db: RotaDb, ids: readonly RunId[]): Promise<readonly RunId[]> {
  return view(db, ['runs'] as const, async (tx) => {
    const counts = await Promise.all(ids.map((id) => tx.objectStore('runs').count(id)));
    return ids.filter((_, index) => counts[index] === 0);
  });
}
