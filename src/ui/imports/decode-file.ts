/** A file's bytes as text: UTF-8, or UTF-16 that says so by its first bytes. Nothing is guessed, and nothing is replaced in silence. */

/** Largest file that is read. */
export const FILE_BYTES_MOST = 20_000_000;

/** The text of a file, or why it has none, as sentences. */
export type Decoded =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'refused'; readonly message: string };

/** Refuses a file by its size alone, before any of it is read. */
export function whyTooLarge(bytes: number): string | null {
  if (bytes <= FILE_BYTES_MOST) return null;
  return `It is larger than ${FILE_BYTES_MOST / 1_000_000} MB, which no file of automations is. Choose a smaller one, or split it.`;
}

/** Reads `bytes`. Never throws. */
export function decodeFile(bytes: Uint8Array): Decoded {
  const large = whyTooLarge(bytes.length);
  if (large !== null) return { kind: 'refused', message: large };
  const [first, second] = bytes;
  const wide =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : null;
  try {
    const text = new TextDecoder(wide ?? 'utf-8', { fatal: true }).decode(bytes);
    // Without a mark at its start, UTF-16 of plain letters reads as UTF-8 full of zeros.
    if (text.includes('\0')) return { kind: 'refused', message: NO_TEXT };
    return { kind: 'text', text };
  } catch {
    return { kind: 'refused', message: wide === null ? NOT_UTF_8 : BROKEN_UTF_16 };
  }
}

const NOT_UTF_8 = 'It is not UTF-8. Save it as UTF-8 in the editor that wrote it, and choose it again.';
const BROKEN_UTF_16 =
  'It says that it is UTF-16, and breaks off or is damaged. Save it as UTF-8, and choose it again.';
const NO_TEXT =
  'It is no text, or is UTF-16 without a mark that says so. Save it as UTF-8, and choose it again.';
