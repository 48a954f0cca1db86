import type { Definition } from '../domain/index.ts';
import type { RunFacts } from './action-context.ts';

/** An instant like any other, so that a template that formats a time has one to format. */
export const SAMPLE_INSTANT = 1_767_225_600_000;
const SAMPLE_ID = '00000000-0000-7000-8000-000000000000';

/** A run that never was, for filling the templates of `definition` in before there is one. */
export function sampleRun(definition: Definition): RunFacts {
  return {
    id: SAMPLE_ID,
    automationId: SAMPLE_ID,
    automationName: definition.name,
    occurrence: `${SAMPLE_ID}@${SAMPLE_INSTANT}`,
    scheduledFor: SAMPLE_INSTANT,
    cause: 'schedule',
    attempt: 1,
    definition,
  } as RunFacts;
}
