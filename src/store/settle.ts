import {
  type Answer,
  type AnswerResult,
  type Automation,
  type CancelDecision,
  type CancelledBy,
  type HostId,
  type RecoverRequest,
  type RecoverResult,
  type RunId,
  type SettleRequest,
  type SettleResult,
  type SettleState,
  type Spending,
  decideAnswer,
  decideCancel,
  decideMark,
  decideRecovery,
  decideSettle,
} from '../domain/index.ts';
import { followersOf, nextScheduledAt } from './claim.ts';
import { once } from './command.ts';
import type { Command } from './ledger.ts';
import type { RotaDb } from './open.ts';
import { healing, sortRows, useRow } from './quarantine.ts';
import { NewerData, checkRow } from './rows.ts';
import { type RotaTransaction, transact } from './transact.ts';
import { write } from './write.ts';

const ENDING = ['runs', 'automations', 'agenda', 'outputs', 'outbox', 'values'] as const;

/** Records how a run ended, if it is still the asking host's. */
export async function settle(db: RotaDb, request: SettleRequest): Promise<SettleResult> {
  return healing(db, request.now, () =>
    transact(db, ENDING, async (tx) => {
      const { automation, ...state } = await endState(tx, request.runId);
      // A result is not given up for an automation that only a newer build can write: that one is left as it is.
      const known = automation === 'newer' ? null : automation;
      const { result, writes } = decideSettle({ ...state, automation: known }, request);
      write(tx, writes);
      return result;
    }),
  );
}

/** Ends the run of a host that died or hung, if it is still active with the fence that was seen. */
export async function recover(db: RotaDb, request: RecoverRequest): Promise<RecoverResult> {
  return healing(db, request.now, () =>
    transact(db, ENDING, async (tx) => {
      const { automation, ...state } = await endState(tx, request.runId);
      // Its epoch may have to grow and its run to be repeated: that is for a host that can write it.
      if (automation === 'newer') throw new NewerData('A newer version of Rota wrote this automation.');
      const { result, writes } = decideRecovery({ ...state, automation }, request);
      write(tx, writes);
      return result;
    }),
  );
}

// Only requests of `tx` are awaited here: the caller's transaction is open.
async function endState(
  tx: RotaTransaction<typeof ENDING, 'readwrite'>,
  runId: RunId,
): Promise<Omit<SettleState, 'automation'> & { readonly automation: Automation | null | 'newer' }> {
  const run = useRow('runs', runId, await tx.objectStore('runs').get(runId));
  if (run === null) return { run, automation: null, nextScheduledAt: null, agenda: [] };
  const [value, agenda] = await Promise.all([
    tx.objectStore('automations').get(run.automationId),
    tx.objectStore('agenda').index('by-automation').getAll(run.automationId),
  ]);
  const isNewer = value !== undefined && checkRow('automations', value).kind === 'newer';
  const automation = isNewer ? null : useRow('automations', run.automationId, value);
  const { rows } = sortRows('agenda', agenda, 'key');
  return {
    run,
    automation: isNewer ? 'newer' : automation,
    nextScheduledAt: nextScheduledAt(rows),
    agenda: rows,
    followers: await followersOf(tx, isNewer ? null : automation),
  };
}

/** Marks how far an unrepeatable effect got. Durable when it resolves, so the effect may leave after it. */
export async function markEffect(
  db: RotaDb,
  request: {
    readonly runId: RunId;
    readonly hostId: HostId;
    readonly fence: number;
    readonly effect?: 'sending' | 'sent';
    readonly step?: number;
    readonly mayUse?: Spending;
  },
): Promise<{ readonly kind: 'marked' } | { readonly kind: 'lease-lost' }> {
  return transact(db, ['runs'] as const, async (tx) => {
    const run = useRow('runs', request.runId, await tx.store.get(request.runId));
    const { result, writes } = decideMark(run, request, request.effect, request.step, request.mayUse);
    write(tx, writes);
    return result;
  });
}

/** Asks for the end of an active run; whoever runs it sees the mark. */
export async function requestCancel(
  db: RotaDb,
  command: Command & { readonly runId: RunId; readonly by: CancelledBy },
): Promise<CancelDecision> {
  return healing(db, command.now, () =>
    transact(db, ['runs', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const run = useRow('runs', command.runId, await tx.objectStore('runs').get(command.runId));
        const { result, writes } = decideCancel(run, command.by, command.now);
        write(tx, writes);
        return result;
      }),
    ),
  );
}

/** Records what a person says of a run that may have happened. */
export async function answer(
  db: RotaDb,
  command: Command & { readonly runId: RunId; readonly answer: Answer },
): Promise<AnswerResult> {
  return healing(db, command.now, () =>
    transact(db, ['runs', 'automations', 'agenda', 'commands'] as const, (tx) =>
      once(tx, command, async () => {
        const run = useRow('runs', command.runId, await tx.objectStore('runs').get(command.runId));
        const id = run?.automationId;
        const automation =
          id === undefined ? null : useRow('automations', id, await tx.objectStore('automations').get(id));
        const followers = await followersOf(tx, automation);
        const { result, writes } = decideAnswer(run, automation, command.answer, command.now, followers);
        write(tx, writes);
        return result;
      }),
    ),
  );
}
