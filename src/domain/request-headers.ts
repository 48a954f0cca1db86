/** The header that lets a server drop a repeat (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/**
 * Header names that a page may not set (Fetch standard, "forbidden request-header"). A browser drops them without a
 * word, so a request that needs one would run differently from how it reads.
 */
const KEPT_BY_THE_BROWSER: ReadonlySet<string> = new Set([
  'accept-charset',
  'accept-encoding',
  'access-control-request-headers',
  'access-control-request-method',
  'connection',
  'content-length',
  'cookie',
  'cookie2',
  'date',
  'dnt',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'referer',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // Not on the standard's list, and Firefox sends it; Chromium 156 drops it without a word (measured).
  'user-agent',
]);

const METHOD_OVERRIDES: ReadonlySet<string> = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]);

/**
 * Why a browser would not send the header `name` with `value`, as a sentence, or `null` when it would. The value
 * matters only to headers that override the method (Fetch standard, "forbidden request-header").
 */
export function whyHeaderIsKept(name: string, value: string): string | null {
  const key = name.toLowerCase();
  if (KEPT_BY_THE_BROWSER.has(key) || key.startsWith('proxy-') || key.startsWith('sec-'))
    return `Browsers do not let a page set the header ${name}.`;
  if (
    METHOD_OVERRIDES.has(key) &&
    value.split(',').some((method) => /^(connect|trace|track)$/i.test(method.trim()))
  )
    return `Browsers do not let the header ${name} ask for CONNECT, TRACE or TRACK.`;
  return null;
}
