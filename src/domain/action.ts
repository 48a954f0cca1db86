import * as v from 'valibot';
import { httpSchema, isRepeatableRequest } from './action-http.ts';
import { isRepeatablePrompt, promptSchema } from './action-prompt.ts';
import { remindSchema } from './action-remind.ts';
import { watchSchema } from './action-watch.ts';
import { isRepeatableScript, scriptSchema } from './action-script.ts';

/** What an automation does when it runs. */
export const actionSchema = v.variant(
  'kind',
  [httpSchema, watchSchema, promptSchema, remindSchema, scriptSchema],
  'The action is one of "http", "watch", "prompt", "remind" and "script".',
);

export type Action = v.InferOutput<typeof actionSchema>;

/** Whether running `action` twice does no more than running it once. A watch is
 * a GET; a reminder repeats under the same tag, which replaces. */
export function isRepeatable(action: Action): boolean {
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
