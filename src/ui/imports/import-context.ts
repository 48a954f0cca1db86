import type { EpochMs } from '../../domain/index.ts';

/** What a reader is told of where it reads: the rest it has from the file. */
export interface ImportContext {
  /** The zone of this browser, which files mean by local time. */
  readonly timeZone: string;
  readonly now: EpochMs;
}

/** `text` as Rota's templates leave it alone, and whether anything had to be done for that. */
export function asPlainText(text: string): { readonly text: string; readonly isMarked: boolean } {
  if (!/\{[{%]/.test(text)) return { text, isMarked: false };
  // A text that ends the marking itself is put together of the pieces around its braces.
  const marked = /\{%-?\s*endraw/.test(text)
    ? text.replace(/\{(?=[{%])/g, "{{ '{' }}")
    : `{% raw %}${text}{% endraw %}`;
  return { text: marked, isMarked: true };
}

/** What is said of a text that {@link asPlainText} marked. */
export const MARKED_NOTE =
  'Its {{ or {% are marked as plain text, because Rota would read them as templates.';
