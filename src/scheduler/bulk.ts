/** What is done to many automations at once. Loaded with the first: no claim needs it. */
import * as v from 'valibot';
import { type AutomationId, type CommandId, boundedText, derivedUuid, parseWith } from '../domain/index.ts';
import type { BulkRun, HostCalls, RunNowResult } from '../rpc/index.ts';
import { type Command, type Ledger, NewerData } from '../store/index.ts';

/** A tag as a definition may have it, so that what is added here can be saved in the editor. */
const tagSchema = v.pipe(boundedText('A tag', 50), v.trim(), v.nonEmpty('A tag must not be empty.'));

/** Answers `changeAutomations`. */
export async function changeAutomations(
  ledger: Ledger,
  command: Command,
  { ids, change }: Pick<Parameters<HostCalls['changeAutomations']>[0], 'ids' | 'change'>,
): ReturnType<HostCalls['changeAutomations']> {
  if (change.kind !== 'add-tag') return await ledger.changeMany({ ...command, ids, change });
  const tag = parseWith(tagSchema, change.tag, ['change', 'tag']);
  if (tag.kind === 'invalid') return tag;
  return await ledger.changeMany({ ...command, ids, change: { ...change, tag: tag.value } });
}

/** Answers `runAutomations`. Each run is a command of its own, the same one whenever the whole is repeated. */
export async function runAutomations(
  runNow: HostCalls['runNow'],
  commandId: CommandId,
  ids: readonly AutomationId[],
): ReturnType<HostCalls['runAutomations']> {
  const items: BulkRun<RunNowResult>[] = [];
  for (const id of new Set(ids)) {
    const own = derivedUuid(`${commandId} ${id}`) as CommandId;
    try {
      items.push({ id, result: await runNow({ commandId: own, id }) });
    } catch (error) {
      if (!(error instanceof NewerData)) throw error;
      items.push({ id, result: { kind: 'newer-data' } });
    }
  }
  return { items };
}
