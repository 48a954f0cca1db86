/** Secrets: values that automations may send and nobody can read again. Here is what is known of one without its value. */
import * as v from 'valibot';
import { boundedText } from './problem.ts';
import type { EpochMs } from './time.ts';

/** Fewer characters than this cannot be told from ordinary text, so they could not be kept out of what is stored. */
const VALUE_LEAST = 6;

/** An origin as browsers write it: `https://api.example.com`, `http://localhost:11434`, and no default port. */
function isOrigin(text: string): boolean {
  const parts = /^(https?):\/\/(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:.]+\])(?::([1-9]\d{0,4}))?$/.exec(
    text,
  );
  if (parts === null) return false;
  const [, scheme, port] = parts;
  return port === undefined || (Number(port) <= 65_535 && port !== (scheme === 'https' ? '443' : '80'));
}

/** What a person says of a secret. Without `value` the stored one is kept. */
export const secretSchema = v.strictObject({
  name: v.pipe(
    v.string('The name must be text.'),
    v.regex(
      /^[A-Z][A-Z0-9_]{0,63}$/,
      'A name is capital letters, digits and underscores, such as OPENAI_KEY, and begins with a letter.',
    ),
  ),
  value: v.exactOptional(
    v.pipe(
      boundedText('The value', 20_000),
      v.minLength(VALUE_LEAST, `A secret has at least ${VALUE_LEAST} characters.`),
    ),
  ),
  origins: v.pipe(
    v.array(
      v.pipe(
        v.string('An origin must be text.'),
        v.check(isOrigin, 'An origin is https:// or http:// and a host, such as https://api.example.com.'),
      ),
      'Origins are a list.',
    ),
    v.minLength(1, 'Name at least one origin that it may be sent to.'),
    v.maxLength(20, 'At most 20 origins.'),
  ),
});

/** See {@link secretSchema}. */
export type SecretInput = v.InferOutput<typeof secretSchema>;

/** What begins a tag of a template, and what ends one or is a text within. */
const TAG_BEGINS = /\{\{|\{%/g;
const TAG_GOES_ON = /\}\}|%\}|"[^"]*"|'[^']*'/g;

/** What stands in the tags of `text`: nothing else of a template names anything. Takes time linear in its length. */
function tagsIn(text: string): string {
  const parts: string[] = [];
  for (let at = 0; ;) {
    TAG_BEGINS.lastIndex = at;
    const begin = TAG_BEGINS.exec(text);
    if (begin === null) return parts.join('\n');
    const end = begin[0] === '{{' ? '}}' : '%}';
    at = text.length;
    TAG_GOES_ON.lastIndex = begin.index + 2;
    for (let found = TAG_GOES_ON.exec(text); found !== null; found = TAG_GOES_ON.exec(text)) {
      if (found[0] !== end) continue;
      at = TAG_GOES_ON.lastIndex;
      break;
    }
    parts.push(text.slice(begin.index, at));
  }
}

/** The secrets that the template `text` names, each once: `secrets.NAME`, or `secrets["NAME"]`. */
export function secretNamesIn(text: string): readonly string[] {
  const names = [...tagsIn(text).matchAll(/\bsecrets\s*(?:\.\s*|\[\s*["'])([A-Za-z_][A-Za-z0-9_]*)/g)];
  return [...new Set(names.map(([, name = '']) => name))];
}

/** What keeps an occurrence waiting: the first secret that is not there, or that all are locked. */
export type SecretLack =
  { readonly for: 'secret'; readonly secret: string } | { readonly for: 'unlock'; readonly secret?: never };

/** Whether secrets can be used: `none` when no passphrase protects them. */
export type SecretsLock = 'none' | 'locked' | 'unlocked';

/** They are locked, so nothing that needs a value can be done. */
export class SecretsLocked extends Error {
  override readonly name = 'SecretsLocked';
  constructor() {
    super('They are locked by a passphrase.');
  }
}

/** The schema of a new passphrase. */
export const passphraseSchema = v.pipe(
  boundedText('The passphrase', 1_000),
  v.minLength(12, 'A passphrase has at least 12 characters. Four or five words do well.'),
);

/** The channel on which tabs and hosts give each other the unlocked key. Constant for ever. */
export const KEY_CHANNEL = 'rota/keys';

/** What travels on it. `Key` cannot be read by anyone, only used. */
export type KeyMessage<Key> =
  /** A host has none and asks who does. */
  | { readonly kind: 'wanted' }
  /** Who hears it may keep it in memory; `seal` says what it is good for. */
  | { readonly kind: 'key'; readonly seal: string; readonly key: Key }
  /** They are locked: nobody keeps it. */
  | { readonly kind: 'forget' };

/** A stored secret without its value. */
export interface SecretInfo {
  readonly name: string;
  /** The origins that it may be sent to, and no other. */
  readonly origins: readonly string[];
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** A secret with its value, for the run that sends it. It never leaves the host otherwise. */
export interface OpenSecret {
  readonly value: string;
  /** `any` only for a sample that is sent nowhere. */
  readonly origins: readonly string[] | 'any';
}
