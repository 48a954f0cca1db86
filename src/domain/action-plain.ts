import type * as v from 'valibot';
import { httpSchema, isRepeatableRequest } from './action-http.ts';
import { isRepeatablePrompt, promptSchema } from './action-prompt.ts';
import { remindSchema } from './action-remind.ts';
import { isRepeatableScript, scriptSchema } from './action-script.ts';
import { watchSchema } from './action-watch.ts';

/** The actions that do one thing. */
export const PLAIN_ACTIONS = [httpSchema, watchSchema, promptSchema, remindSchema, scriptSchema] as const;

/** One thing that a run does. */
export type PlainAction = v.InferOutput<(typeof PLAIN_ACTIONS)[number]>;

/** Whether doing `action` twice does no more than doing it once. A watch is a GET; a reminder repeats under the same
 * tag, which replaces. */
export function isRepeatablePlain(action: PlainAction): boolean {
  switch (action.kind) {
    case 'http':
      return isRepeatableRequest(action);
    case 'prompt':
      return isRepeatablePrompt(action);
    case 'watch':
    case 'remind':
      return true;
    case 'script':
      return isRepeatableScript(action);
  }
}
