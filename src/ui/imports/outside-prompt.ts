/** A prompt of another program as one of Rota: what to ask is known, whom to ask is not. */
import type { DefinitionInput } from '../../domain/index.ts';
import { MARKED_NOTE, asPlainText } from './import-context.ts';

/** What a file of VS Code says of an automation; the rest, such as which model is asked, is a person's own. */
export const PROMPT_SAID = ['name', 'schedule', 'action.prompt'] as const;

/** Where it asks until a person chooses: a model on this machine, which costs nothing and sends nothing away. */
const ENDPOINT = { baseUrl: 'http://localhost:11434/v1' };
const MODEL = 'llama3.2';

/** The action that asks `prompt`, and what is to be said of it. */
export function outsidePrompt(prompt: string): {
  readonly action: DefinitionInput['action'];
  readonly notes: readonly string[];
} {
  const { text, isMarked } = asPlainText(prompt);
  return {
    action: { kind: 'prompt', endpoint: ENDPOINT, model: MODEL, prompt: text },
    notes: [
      `Rota asks a model by itself, without VS Code's agent, its tools and your files. Until you choose another, it is ${MODEL} at ${ENDPOINT.baseUrl}.`,
      ...(isMarked ? [MARKED_NOTE] : []),
    ],
  };
}
