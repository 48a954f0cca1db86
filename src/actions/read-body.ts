import { BODY_KEPT_MOST_BYTES } from '../domain/index.ts';

/**
 * How much of a body is read at all. What is past the kept part only counts towards the size, and a server that never
 * stops must not be listened to until the timeout.
 */
export const BODY_READ_MOST_BYTES = 4 * BODY_KEPT_MOST_BYTES;

/** What was read of a body. */
export interface ReadBody {
  /** {@link BODY_KEPT_MOST_BYTES} at most. */
  readonly kept: Uint8Array<ArrayBuffer>;
  /** How many bytes were read, kept or not. */
  readonly bytes: number;
  /** `cut`: there was more than {@link BODY_READ_MOST_BYTES}. `broken`: the connection ended before the body did. */
  readonly end: 'complete' | 'cut' | 'broken';
}

/**
 * Reads the body of `response` to its end or until enough is known of it, and leaves nothing open. Rejects with
 * `signal.reason` on an abort.
 */
export async function readBody(response: Response, signal: AbortSignal): Promise<ReadBody> {
  if (response.body === null) return { kept: new Uint8Array(), bytes: 0, end: 'complete' };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let end: ReadBody['end'] = 'complete';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (bytes < BODY_KEPT_MOST_BYTES) chunks.push(value.subarray(0, BODY_KEPT_MOST_BYTES - bytes));
      bytes += value.byteLength;
      if (bytes > BODY_READ_MOST_BYTES) {
        end = 'cut';
        // Not awaited: it closes the connection, and how that goes is nobody's business any more.
        reader.cancel().catch(() => undefined);
        break;
      }
    }
  } catch {
    signal.throwIfAborted();
    end = 'broken';
  }
  return { kept: joined(chunks), bytes, end };
}

function joined(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((total, chunk) => total + chunk.byteLength, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

const TEXTUAL =
  /^(?:text\/.+|application\/(?:(?:.+\+)?(?:json|xml|yaml)|x-yaml|(?:x-)?(?:nd)?json(?:l|lines)?|json-seq|(?:x-)?javascript|ecmascript|toml|graphql|sql|x-www-form-urlencoded|x-sh)|image\/svg\+xml|multipart\/.+|message\/.+)$/;

/**
 * The text of a body by its content type, decoded by its byte order mark, else its charset, else as UTF-8 with
 * U+FFFD for what is none (Encoding standard, "decode"). `null` when the type is not textual, and without a type when
 * the bytes are not UTF-8.
 *
 * @param isCut whether the body went on, so that a character may be cut in two at its end; that one is left out.
 */
export function textOf(kept: Uint8Array<ArrayBuffer>, contentType: string, isCut: boolean): string | null {
  const essence = contentType.split(';', 1).join('').trim().toLowerCase();
  if (essence === '') {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(kept, { stream: isCut });
      return text.includes('\0') ? null : text;
    } catch {
      return null;
    }
  }
  if (!TEXTUAL.test(essence)) return null;
  return decoderFor(markedEncoding(kept) ?? charsetOf(contentType) ?? 'utf-8').decode(kept, {
    stream: isCut,
  });
}

function markedEncoding([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : null;
}

/** The encoding that a content type names; `null` when it names none. */
export function charsetOf(contentType: string): string | null {
  const match = /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2] ?? null;
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}
