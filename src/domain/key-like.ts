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

/** A private key with all that belongs to it, up to the end of the text where its own is missing. */
const WHOLE_PRIVATE_KEY =
  /-----BEGIN (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----[^-]*(?:-----END (?:[A-Z]{1,12} ){0,3}PRIVATE KEY-----)?/g;

/**
 * `value` with a reference to a secret in the place of each key that {@link findKeys} finds: `{{ secrets.TAKEN_OUT_1 }}`, the
 * same for the same key. All else stays as it was, the scheme before a key among it.
 */
export function withoutKeys(value: unknown): unknown {
  const names = new Map<string, string>();
  const reference = (key: string): string => {
    const name = names.get(key) ?? `TAKEN_OUT_${names.size + 1}`;
    names.set(key, name);
    return `{{ secrets.${name} }}`;
  };
  const clear = (one: unknown, name?: string): unknown => {
    if (typeof one === 'string') return looksLikeKey(one, name) ? cleared(one, name, reference) : one;
    if (Array.isArray(one)) return one.map((item) => clear(item));
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, item]) => [key, clear(item, key)]));
  };
  return clear(value);
}

function cleared(text: string, name: string | undefined, reference: (key: string) => string): string {
  if (name !== undefined && KEY_NAME.test(name)) {
    const scheme = SCHEME.exec(text.trim())?.[0] ?? '';
    const key = text.trim().slice(scheme.length);
    if (OPAQUE.test(key)) return `${scheme}${reference(key)}`;
  }
  return [WHOLE_PRIVATE_KEY, ...KNOWN]
    .reduce((rest, pattern) => rest.replaceAll(new RegExp(pattern, 'g'), reference), text)
    .replaceAll(NAMED, (all: string, called: string, key: string) =>
      KEY_NAME.test(called) ? `${all.slice(0, -key.length)}${reference(key)}` : all,
    );
}

function looksLikeKey(text: string, name: string | number | undefined): boolean {
  if (KNOWN.some((pattern) => pattern.test(text))) return true;
  if (typeof name === 'string' && KEY_NAME.test(name) && OPAQUE.test(text.trim().replace(SCHEME, '')))
    return true;
  return [...text.matchAll(NAMED)].some(([, called = '']) => KEY_NAME.test(called));
}
