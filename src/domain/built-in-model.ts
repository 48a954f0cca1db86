/** The model that a browser itself has (the Prompt API, https://webmachinelearning.github.io/prompt-api/). */

/** What stands for an address where a prompt goes to it. */
export const BUILT_IN_MODEL_URL = 'browser://built-in';
/** What stands for its name: a browser does not say which it is. */
export const BUILT_IN_MODEL = 'built-in';

/** Whether the model can be asked, as the browser says it. */
export type ModelAvailability = 'unavailable' | 'downloadable' | 'downloading' | 'available';

/** What a host asks of the tab that has the model: one question on one port. */
export interface ModelQuestion {
  readonly system: string | null;
  readonly prompt: string;
}

/** What the tab answers, piece by piece. All of it is the model's own, or the browser's: foreign. */
export type ModelWord =
  | { readonly kind: 'piece'; readonly text: string }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly message: string };
