import type { RemindAction } from '../domain/index.ts';
import type { ActionContext, ActionEnding } from './action-context.ts';

/** Ends succeeded with the one notification that the reminder is. */
export async function remind(action: RemindAction, context: ActionContext): Promise<ActionEnding> {
  void [action, context];
  return await Promise.reject(new Error('not written yet'));
}
