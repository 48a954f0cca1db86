import * as v from 'valibot';
import { isRepeatablePlain, PLAIN_ACTIONS } from './action-plain.ts';
import { stepsSchema } from './action-steps.ts';
import { actionsOf } from './steps.ts';

/** What an automation does when it runs. */
export const actionSchema = v.variant(
  'kind',
  [...PLAIN_ACTIONS, stepsSchema],
  'The action is one of "http", "watch", "prompt", "remind", "script" and "steps".',
);

export type Action = v.InferOutput<typeof actionSchema>;

/** Whether running `action` twice does no more than running it once; of several steps, all of them. */
export function isRepeatable(action: Action): boolean {
  return actionsOf(action).every(isRepeatablePlain);
}
