import type { PlainOutput } from './output-plain.ts';
import type { StepsOutput } from './output-steps.ts';

/** What a run brought back; kept apart from its row so that rows stay small. */
export type RunOutput = PlainOutput | StepsOutput;
