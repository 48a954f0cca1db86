import {
  type Action,
  actionsOf,
  type Need,
  nearnessOf,
  type PlainAction,
  serverOf,
} from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';
import { loadPart } from './load-part.ts';
import { remind } from './remind.ts';

const sendsRequests = () => import('./http.ts');

/**
 * Loads what most automations do, so that the first request that is due does not wait for it. A host calls it when it has
 * started: what it is made of is not what a claim waits for. Never rejects.
 */
export async function prepareActions(): Promise<void> {
  await loadPart(sendsRequests, 'sends requests');
}

/**
 * Does what the run's action says and resolves with how it ended. The world's failures are endings; it rejects with
 * `signal.reason` on an abort, with what `markEffect` rejected with, and otherwise only when Rota is wrong.
 * No value of a secret is in what it resolves with or tells.
 */
export async function perform(context: ActionContext): Promise<ActionEnding> {
  context.signal.throwIfAborted();
  const { secrets, tell } = context;
  if (secrets === undefined) return await performAction(context);
  const ending = await performAction({
    ...context,
    ...(tell === undefined
      ? {}
      : {
          tell: (progress, brought) => {
            tell(secrets.redact(progress), () => secrets.redact(brought()));
          },
        }),
  });
  return secrets.redact(ending);
}

async function performAction(context: ActionContext): Promise<ActionEnding> {
  const { action } = context.run.definition;
  if (action.kind !== 'steps') return await performPlain(action, context);
  const loaded = await loadPart(() => import('./steps/steps.ts'), 'runs steps');
  return loaded.kind === 'failed' ? loaded : await loaded.part.performSteps(action, context, performPlain);
}

async function performPlain(action: PlainAction, context: ActionContext): Promise<ActionEnding> {
  switch (action.kind) {
    case 'http': {
      const loaded = await loadPart(sendsRequests, 'sends requests');
      return loaded.kind === 'failed' ? loaded : await loaded.part.request(action, context);
    }
    case 'prompt': {
      const loaded = await loadPart(() => import('./prompt.ts'), 'asks models');
      return loaded.kind === 'failed' ? loaded : await loaded.part.askModel(action, context);
    }
    case 'watch': {
      const part = await loadPart(() => import('./watch/watch.ts'), 'watches for changes');
      return part.kind === 'failed' ? part : await part.part.watch(action, context);
    }
    case 'remind':
      return await remind(action, context);
    case 'script': {
      const loaded = await loadPart(() => import('./script/script.ts'), 'runs scripts');
      return loaded.kind === 'failed' ? loaded : await loaded.part.runScript(action, context);
    }
  }
}

/**
 * What a host must have to run `action`; without it the occurrence stays due and unclaimed. A server on this device,
 * such as a local model's, is reached without any network.
 */
export function needsOf(action: Action): readonly Need[] {
  return [...new Set(actionsOf(action).flatMap(needsOfPlain))];
}

function needsOfPlain(action: PlainAction): readonly Need[] {
  switch (action.kind) {
    case 'http':
    case 'watch':
      return isOnThisDevice(action.url) ? [] : ['network'];
    case 'prompt':
      if (action.endpoint.protocol === 'built-in') return ['built-in-model'];
      return [action.endpoint.baseUrl, ...(action.tools?.servers ?? []).map(({ url }) => url)].every(
        isOnThisDevice,
      )
        ? []
        : ['network'];
    case 'remind':
      return ['notification-permission'];
    case 'script':
      return [
        ...(action.allow.includes('fetch') && !action.origins.every(isOnThisDevice)
          ? (['network'] as const)
          : []),
        ...(action.allow.includes('notify') ? (['notification-permission'] as const) : []),
      ];
  }
}

/** Whether `url`, which may be a template, surely names a server on this device. */
function isOnThisDevice(url: string): boolean {
  const server = serverOf(url);
  return server !== null && nearnessOf(server.hostname) === 'loopback';
}
