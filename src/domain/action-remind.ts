import * as v from 'valibot';
import { boundedText } from './problem.ts';

/** The schema of a reminder. */
export const remindSchema = v.strictObject({
  kind: v.literal('remind'),
  message: v.pipe(boundedText('The message', 2_000), v.trim(), v.nonEmpty('Enter what to be reminded of.')),
});

export type RemindAction = v.InferOutput<typeof remindSchema>;
