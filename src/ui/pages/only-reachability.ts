/** From a request whose answer may not be read to one that only asks whether anything answers. */
import { type Definition, type HttpAction, definitionOf } from '../../domain/index.ts';
import type { AutomationView } from '../../rpc/index.ts';
import { showToast } from '../parts/toast.ts';
import type { RemoteHost } from '../remote-host.ts';
import { saying } from '../saying.ts';
import { listText } from '../text/counts.ts';

/** `definition` as a reachability check, and what of it that leaves out; `null` where it cannot be one. */
export function onlyReachability(
  definition: Definition,
): { readonly definition: Definition; readonly leftOut: readonly string[] } | null {
  const { action } = definition;
  if (action.kind !== 'http' || action.method !== 'GET' || action.reachability === true) return null;
  const { withinMs, status, text, json } = action.expect ?? {};
  const checked: HttpAction = {
    kind: 'http',
    method: 'GET',
    url: action.url,
    headers: {},
    idempotencyKey: false,
    repeatable: false,
    reachability: true,
    ...(withinMs === undefined ? {} : { expect: { withinMs } }),
  };
  const leftOut = [
    ...(Object.keys(action.headers).length > 0 || action.idempotencyKey ? ['its headers'] : []),
    ...(status === undefined ? [] : ['the expected status']),
    ...(text === undefined && json === undefined ? [] : ['what the answer must hold']),
  ];
  return { definition: { ...definition, action: checked }, leftOut };
}

/** Saves `automation` as a reachability check, with a way back. */
export async function saveAsReachability(host: RemoteHost, automation: AutomationView): Promise<void> {
  const before = definitionOf(automation);
  const changed = onlyReachability(before);
  if (changed === null) return;
  await saying(async () => {
    const result = await host.saveAutomation({
      id: automation.id,
      expectedRevision: automation.revision,
      automation: changed.definition,
    });
    if (result.kind !== 'saved') {
      showToast({ text: 'It was changed meanwhile, so it was left as it is.', tone: 'bad' });
      return;
    }
    const left = changed.leftOut.length === 0 ? '' : ` Left out: ${listText(changed.leftOut)}.`;
    const { revision } = result.automation;
    showToast({
      text: `From now on it only checks that something answers.${left}`,
      action: {
        label: 'Undo',
        run: () =>
          void saying(async () => {
            await host.saveAutomation({ id: automation.id, expectedRevision: revision, automation: before });
          }),
      },
    });
  });
}
