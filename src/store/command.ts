import { type CommandId, type EpochMs, SCHEMA } from '../domain/index.ts';
import type { RotaTransaction } from './transact.ts';

/**
 * Does `work` once for `commandId`: its result is stored in the transaction of its effect, and a repeat of the command
 * is answered with the stored result. `keep` says whether a result is worth storing; one that changed nothing is not.
 */
export async function once<Result>(
  tx: Pick<RotaTransaction<readonly ['commands'], 'readwrite'>, 'objectStore'>,
  { commandId, now }: { readonly commandId: CommandId; readonly now: EpochMs },
  work: () => Promise<Result>,
  keep: (result: Result) => boolean = () => true,
): Promise<Result> {
  const commands = tx.objectStore('commands');
  const before = await commands.get(commandId);
  // The row was written by this very call of some build, so its result has this call's form.
  if (before !== undefined) return before.result as Result;
  const result = await work();
  if (keep(result)) await commands.put({ id: commandId, schema: SCHEMA, at: now, result });
  return result;
}
