/** Texts that look like keys typed by hand, where a secret would keep them out of files, history and screens. */

/** Beginnings that issuers give their keys so that they are found, each with enough after it. */
const KNOWN: readonly RegExp[] = [
  /\bsk-[A-Za-z0-9_-]{16,}/,
  /\b(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/,
  /\bglpat-[A-Za-z0-9_-]{16,}/,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/,
  /\bAIza[A-Za-z0-9_-]{30,}/,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/,
  /\bhf_[A-Za-z0-9]{20,}/,
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/,
  /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----/,
];

/** A field, a header or a parameter that is called so holds a key. */
const KEY_NAME =
  /^(?:(?:proxy-)?authorization|(?:x-)?(?:api|access|auth|secret|private|client)[-_]?(?:key|token|secret)|(?:x-)?(?:token|secret|password|passwd|apikey))$/i;

/** The scheme before a key in a header. */
const SCHEME = /^(?:bearer|basic|token|apikey|key)\s+/i;

/** A value of such a name: eight characters or more without a space, and not filled in by a template. */
const OPAQUE = /^[^\s{}]{8,}$/;

/** Query parameters, and what is called so in a form or in JSON. */
const NAMED = /(?:[?&]|^|["'])([A-Za-z_-]{3,30})(?:=|["']\s*:\s*["'])([^\s&"'{}#]{8,})/gm;

/** A text that looks like a key, by the keys and indices that lead to it. */
export interface KeyLike {
  readonly path: readonly (string | number)[];
}

/**
 * Where in `value` (an action, or anything of texts) something looks like a key that a person typed: by how issuers write
 * theirs, and by the name of the field, header or parameter that it stands in. It errs to either side.
 */
export function findKeys(value: unknown, path: readonly (string | number)[] = []): readonly KeyLike[] {
  if (typeof value === 'string') return looksLikeKey(value, path.at(-1)) ? [{ path }] : [];
  if (Array.isArray(value)) return value.flatMap((one, index) => findKeys(one, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => findKeys(one, [...path, key]));
}

function looksLikeKey(text: string, name: string | number | undefined): boolean {
  if (KNOWN.some((pattern) => pattern.test(text))) return true;
  if (typeof name === 'string' && KEY_NAME.test(name) && OPAQUE.test(text.trim().replace(SCHEME, '')))
    return true;
  return [...text.matchAll(NAMED)].some(([, called = '']) => KEY_NAME.test(called));
}
