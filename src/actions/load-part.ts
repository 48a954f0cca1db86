import type { Failure } from '../domain/index.ts';

/** A part of Rota that is loaded when it is first used, or why it could not be. */
export type LoadedPart<Part> =
  { readonly kind: 'loaded'; readonly part: Part } | { readonly kind: 'failed'; readonly failure: Failure };

/**
 * Loads a part of Rota by its `import`; `what` ends the sentence of a failure, such as `runs scripts`. Never rejects: a
 * deploy can take the file away under an old build, and being offline the first time it is used, too.
 */
export async function loadPart<Part>(load: () => Promise<Part>, what: string): Promise<LoadedPart<Part>> {
  try {
    return { kind: 'loaded', part: await load() };
  } catch {
    return {
      kind: 'failed',
      failure: {
        class: 'network',
        code: 'part-not-loaded',
        message: `The part of Rota that ${what} could not be loaded.`,
        advice: 'Check the connection and reload the page.',
      },
    };
  }
}
