import { type CommandId, type EpochMs, SCHEMA } from '../domain/index.ts';
import type { CommandRow } from './schema.ts';

/** A readwrite transaction that has the store of commands among its stores. */
interface WithCommands {
  objectStore(name: 'commands'): {
    get(id: CommandId): Promise<CommandRow | undefined>;
    put(row: CommandRow): Promise<unknown>;
  };
}

/**
 * Does `work` once for `commandId`: its result is stored in the transaction of its effect, and a repeat of the command
 * is answered with the stored result. `keep` says whether a result is worth storing; one that changed nothing is not.
 */
export async function once<Result>(
  tx: WithCommands,
  { commandId, now }: { readonly commandId: CommandId; readonly now: EpochMs },
  work: () => Promise<Result>,
  keep: (result: Result) => boolean = () => true,
): Promise<Result> {
  const commands = tx.objectStore('commands');
  const before = await commands.get(commandId);
  // The row was written by this very call of some build, so its result has this call's form.
  if (before !== undefined) return before.result as Result;
  const result = await work();
  // Not awaited: if it fails, the transaction does, and that is heard.
  if (keep(result)) commands.put({ id: commandId, schema: SCHEMA, at: now, result }).catch(() => undefined);
  return result;
}
