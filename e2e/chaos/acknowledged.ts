/**
 * Invariant 8: what was acknowledged is there, whatever died since. Edits: carried out in order, each counted, in force
 * for every claim from the acknowledgement on, and the newest of them stored. Claims: the run is in the ledger, under its
 * command. What was promised to run later is in the ledger or still in the agenda. What was once read is there.
 */
import { type Edition, editionsIn, saysAllOf } from './editions.ts';
import type { TimedHistory } from './clock.ts';
import type { Operation, RunRow, Violation } from './record.ts';
import { type ClaimedRow, byAutomation } from './runs.ts';
import { at, the } from './words.ts';

export function judgeAcknowledged(
  history: TimedHistory,
  claimed: readonly ClaimedRow[],
): readonly Violation[] {
  const { of, removedAt } = editionsIn(history);
  const runsOf = byAutomation(claimed);
  return [
    ...history.operations.flatMap((operation) => judgeOperation(operation, history)),
    ...[...of].flatMap(([id, editions]) => [
      ...judgeUse(editions, runsOf.get(id) ?? []),
      ...(removedAt.has(id) ? [] : judgeStored(id, editions, history)),
    ]),
    ...judgeSettings(history),
    ...judgeSightings(history),
  ];
}

/** Answers that say that something was stored. */
function promises(operation: Operation): boolean {
  switch (operation.kind) {
    case 'import':
      return operation.answer?.kind === 'imported';
    case 'save':
    case 'save-settings':
      return operation.answer?.kind === 'saved';
    case 'set-enabled':
    case 'remove':
      return operation.answer?.kind === 'done';
    case 'run-now':
      return operation.answer?.kind === 'claimed';
    case 'answer':
      return operation.answer?.kind === 'answered';
  }
}

function judgeOperation(operation: Operation, { ledger, kills }: TimedHistory): readonly Violation[] {
  const { answeredAt, commandId } = operation;
  if (answeredAt === null) return [];
  const told = `The ${operation.kind} ${commandId} was acknowledged at ${at(answeredAt)}`;
  const since = kills.find((kill) => kill.doneBy >= answeredAt);
  const death = since === undefined ? '' : ` (the next death, of a ${since.what}, was at ${at(since.at)})`;
  const violations: Violation[] = [];
  if (promises(operation) && !ledger.commands.some(({ id }) => id === commandId)) {
    violations.push(violation(`${told}${death}, and there is no trace of it.`));
  }
  if (operation.kind === 'answer' && promises(operation)) {
    const row = ledger.runs.find((one) => one.id === operation.runId);
    if (row?.answer?.said !== operation.said) {
      const said = row?.answer === undefined ? 'nothing' : `"${row.answer.said}"`;
      const what = `"${operation.said}" of run ${operation.runId}`;
      violations.push(violation(`${told}${death} as ${what}, which says ${said}.`));
    }
  }
  if (operation.kind === 'run-now' && operation.answer !== null) {
    const { kind, run, queued } = operation.answer;
    const occurrence = `${operation.automationId}!${commandId}`;
    const row = ledger.runs.find((one) => one.occurrence === occurrence && one.attempt === 1);
    if (kind === 'claimed') {
      if (row === undefined)
        violations.push(violation(`${told} as run ${run?.id ?? '?'}${death}, which is not there.`));
      else if (row.id !== run?.id || row.fence !== run.fence) {
        const answered = `run ${run?.id ?? '?'} with fence ${run?.fence ?? '?'}`;
        violations.push(
          violation(`${told} as ${answered}, but it is ${the(row)} with fence ${row.fence ?? '?'}.`),
        );
      }
    } else if (
      kind === 'at-capacity' ||
      kind === 'waiting' ||
      (kind === 'already-active' && queued === true)
    ) {
      const pending = ledger.agenda.some((one) => one.occurrence === occurrence);
      const exists = ledger.automations.some(({ id }) => id === operation.automationId);
      if (row === undefined && !pending && exists) {
        violations.push(
          violation(
            `${told} as ${kind}, to run later${death}, and it is neither in the ledger nor in the agenda.`,
          ),
        );
      }
    }
  }
  return violations;
}

/** Each run used a definition that was in force at its claim: not one to come, nor one whose successor was acknowledged. */
function judgeUse(editions: readonly Edition[], runs: readonly ClaimedRow[]): readonly Violation[] {
  const edits = editions.filter(({ isOwnPause }) => !isOwnPause);
  const byRevision = new Map(edits.map((edition) => [edition.revision, edition]));
  return runs.flatMap((run): Violation[] => {
    const used = byRevision.get(run.revision);
    if (used === undefined) {
      return [violation(`${the(run)} ran revision ${run.revision}, which no carried-out edit made.`)];
    }
    if (!saysAllOf(run.definition, used.definition)) {
      const edit = `command ${used.commandId} made at ${at(used.from)}`;
      return [violation(`${the(run)} ran another definition than ${edit} as revision ${run.revision}.`)];
    }
    const newer = editions.find(
      (edition) => edition.revision > run.revision && edition.acknowledgedAt < run.claimedAt,
    );
    if (newer === undefined) return [];
    const since = `revision ${newer.revision} had been acknowledged at ${at(newer.acknowledgedAt)}`;
    return [
      violation(`${the(run)} was claimed at ${at(run.claimedAt)} with revision ${run.revision}; ${since}.`),
    ];
  });
}

/** The newest edit is what is stored, and no edit was lost on the way. */
function judgeStored(
  id: string,
  editions: readonly Edition[],
  { ledger }: TimedHistory,
): readonly Violation[] {
  const last = editions.at(-1);
  const stored = ledger.automations.find((row) => row.id === id);
  if (last === undefined) return [];
  if (stored === undefined) {
    return [
      violation(`Automation ${id}, last edited at ${at(last.from)}, is not there and was not removed.`),
    ];
  }
  if (stored.revision !== last.revision) {
    const made = `the carried-out edits made revision ${last.revision}, the last (command ${last.commandId}) at ${at(last.from)}`;
    return [violation(`Automation ${id} is stored with revision ${stored.revision}; ${made}.`)];
  }
  if (saysAllOf(stored, { ...last.definition, enabled: last.enabled })) return [];
  if (last.isOwnPause) {
    return [
      violation(`Automation ${id} had failed too often at ${at(last.from)}, and did not pause itself then.`),
    ];
  }
  return [
    violation(
      `Automation ${id} is not stored as its last edit (command ${last.commandId}) at ${at(last.from)} made it.`,
    ),
  ];
}

/** The newest acknowledged setting is in force, unless another was carried out after it. */
function judgeSettings({ operations, ledger }: TimedHistory): readonly Violation[] {
  const doneAt = new Map(ledger.commands.map((row) => [row.id, row.at]));
  const done = operations
    .flatMap((operation) => {
      const from = doneAt.get(operation.commandId);
      return operation.kind === 'save-settings' && from !== undefined ? [{ operation, from }] : [];
    })
    .sort((a, b) => a.from - b.from);
  const last = done.at(-1);
  const stored = ledger.settings.find(({ name }) => name === 'settings')?.maxConcurrent;
  if (last === undefined || stored === last.operation.maxConcurrent) return [];
  const { maxConcurrent, commandId } = last.operation;
  return [
    violation(
      `maxConcurrent is stored as ${stored ?? 'nothing'}; command ${commandId} set it to ${maxConcurrent} at ${at(last.from)}.`,
    ),
  ];
}

/** A row that was read is durable; Rota drops none that is younger than its history rules allow. */
function judgeSightings({ sightings, ledger }: TimedHistory): readonly Violation[] {
  const ids = new Set(ledger.runs.map(({ id }) => id));
  const lost = new Map<string, { readonly at: number; readonly row: Omit<RunRow, 'definition'> }>();
  for (const sighting of sightings) if (!ids.has(sighting.row.id)) lost.set(sighting.row.id, sighting);
  return [...lost.values()].map(({ at: when, row }) =>
    violation(`${the(row)} was read at ${at(when)}, and is not in the export.`),
  );
}

function violation(what: string): Violation {
  return { invariant: 8, what };
}
