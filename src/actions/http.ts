import type { HttpAction } from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';

/** Sends the request and resolves with how it ended. */
export async function request(action: HttpAction, context: ActionContext): Promise<ActionEnding> {
  void [action, context];
  return await Promise.reject(new Error('not written yet'));
}
