import type { AutomationId } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import type { RemoteHost } from '../remote-host.ts';

/** An automation and what it is called; of one that was deleted, what it was called in its history, if it has one. */
export interface NamedAutomation {
  readonly automation: AutomationView | null;
  readonly name: string | null;
}

/** Reads what `id` is, or was. Rejects as calls of the host do. */
export async function namedAutomation(
  host: Pick<RemoteHost, 'getAutomation' | 'listRuns'>,
  id: AutomationId,
): Promise<NamedAutomation> {
  const automation = await host.getAutomation(id);
  if (automation !== null) return { automation, name: automation.name };
  const { items } = await host.listRuns({ automationId: id, limit: 1 });
  return { automation, name: items[0]?.automationName ?? null };
}
