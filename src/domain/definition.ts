import * as v from 'valibot';
import { actionSchema } from './action.ts';
import { boundedText } from './problem.ts';
import { DEFAULT_RULES, rulesSchema } from './rules.ts';
import { scheduleSchema } from './schedule.ts';

/** What a person writes: what to do, when, and the rules for when it goes wrong. */
export const definitionSchema = v.strictObject({
  name: v.pipe(boundedText('The name', 200), v.trim(), v.nonEmpty('Give the automation a name.')),
  enabled: v.exactOptional(v.boolean('enabled is true or false.'), true),
  tags: v.exactOptional(
    v.pipe(
      v.array(
        v.pipe(boundedText('A tag', 50), v.trim(), v.nonEmpty('A tag must not be empty.')),
        'Tags are a list of texts.',
      ),
      v.maxLength(20, 'At most 20 tags.'),
    ),
    [],
  ),
  schedule: scheduleSchema,
  action: actionSchema,
  rules: v.exactOptional(rulesSchema, DEFAULT_RULES),
});

/** A definition with its defaults filled in. */
export type Definition = v.InferOutput<typeof definitionSchema>;
/** A definition as a person, a file or the console gives it; defaults may be left out. */
export type DefinitionInput = v.InferInput<typeof definitionSchema>;
