/**
 * The secrets that one run uses: opened when a template names one, sent only to the origins that each is bound to, and
 * taken out again of all that the run brings back, however a server echoes it.
 */
import { type Failure, type OpenSecret, SecretsLocked } from '../domain/index.ts';
import { shortened } from './amounts.ts';

/** Values that templates may name below `secrets`, and what stands for each where a person sees it. */
export type OpenedSecrets =
  | {
      readonly kind: 'opened';
      readonly values: Readonly<Record<string, string>>;
      readonly masks: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Longest filled-in text that is looked for as a whole in what comes back, such as `Basic dXNlcjpwYXNz`. */
const WHOLE_MOST = 2_000;
/** An end of a text that is the beginning of a secret, and at least this long, is taken out too: the rest was cut off. */
const CUT_LEAST = 4;

export class RunSecrets {
  readonly #open: (name: string) => Promise<OpenSecret | null>;
  readonly #used = new Map<string, OpenSecret>();
  /** What is taken out of what comes back, and what stands there instead. */
  readonly #masks: Map<string, string>;

  /**
   * @param open the stored secret of that name, `null` when there is none.
   * @param masks what is taken out already, where others use secrets in the same run.
   */
  constructor(
    open: (name: string) => Promise<OpenSecret | null>,
    masks: Map<string, string> = new Map<string, string>(),
  ) {
    this.#open = open;
    this.#masks = masks;
  }

  /**
   * The same secrets for requests of this run to somewhere else: which are used there is known apart, so that each must be
   * bound to its own target alone, and all are taken out of all that the run brings back.
   */
  apart(): RunSecrets {
    return new RunSecrets(this.#open, this.#masks);
  }

  /** Whether a template has named any. */
  get areUsed(): boolean {
    return this.#used.size > 0;
  }

  /** Opens the secrets called `names`; `what` begins the sentence of a failure, such as `The URL`. Never rejects. */
  async open(names: readonly string[], what: string): Promise<OpenedSecrets> {
    const values: Record<string, string> = {};
    const masks: Record<string, string> = {};
    for (const name of names) {
      let secret: OpenSecret | null;
      try {
        secret = this.#used.get(name) ?? (await this.#open(name));
      } catch (error) {
        return { kind: 'failed', failure: unopened(name, error) };
      }
      if (secret === null) return { kind: 'failed', failure: missing(name, what) };
      this.#used.set(name, secret);
      const mask = `[secret ${name}]`;
      values[name] = secret.value;
      masks[name] = mask;
      for (const form of formsOf(secret.value)) this.#masks.set(form, mask);
    }
    return { kind: 'opened', values, masks };
  }

  /** Has `filled`, which a template with secrets became, taken out as a whole too: filters may have changed them. */
  hide(filled: string, shown: string): void {
    if (filled === shown || filled.length > WHOLE_MOST || filled.length < CUT_LEAST) return;
    for (const form of formsOf(filled)) if (!this.#masks.has(form)) this.#masks.set(form, shown);
    // `Basic dXNlcjpwYXNz` may come back without its first word.
    const rest = filled.slice(filled.indexOf(' ') + 1);
    const shownRest = shown.slice(shown.indexOf(' ') + 1);
    if (rest !== filled && rest.length > CUT_LEAST && rest !== shownRest && !this.#masks.has(rest)) {
      this.#masks.set(rest, shownRest);
    }
  }

  /** Why what has been used may not go to `target`; `null` when it may. */
  whyNotTo(target: URL): Failure | null {
    for (const [name, { origins }] of this.#used) {
      if (origins === 'any' || origins.includes(target.origin)) continue;
      return {
        class: 'denied',
        code: 'secret-not-bound',
        message: `The secret ${name} may not be sent to ${shortened(target.origin, 80)}.`,
        advice: 'Add that origin to the secret in Settings if it is meant to go there.',
      };
    }
    return null;
  }

  /** `value` with every secret in its texts replaced by its name. What holds none is given back as it is. */
  redact<Value>(value: Value): Value {
    if (this.#masks.size === 0) return value;
    // The longest first: one may be a part of another.
    const masks = [...this.#masks].sort(([a], [b]) => b.length - a.length);
    return redacted(value, masks) as Value;
  }
}

/** How servers write `value`: as it is, in a URL, in a form, in JSON, in HTML, and in Base64. */
function formsOf(value: string): ReadonlySet<string> {
  const bytes = new TextEncoder().encode(value);
  const base64 = btoa(String.fromCharCode(...bytes.subarray(0, 20_000)));
  return new Set([
    value,
    // A filter may have cut a character in two, which has no such form.
    encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd')),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    base64,
    base64.replace(/=+$/, ''),
    base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  ]);
}

function redacted(value: unknown, masks: readonly (readonly [string, string])[]): unknown {
  if (typeof value === 'string') return redactedText(value, masks);
  if (Array.isArray(value)) return value.map((item) => redacted(item, masks));
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
    const entries = Object.entries(value).map(([key, one]) => [
      redactedText(key, masks),
      redacted(one, masks),
    ]);
    return Object.fromEntries(entries) as unknown;
  }
  return value;
}

function redactedText(text: string, masks: readonly (readonly [string, string])[]): string {
  let result = text;
  for (const [secret, mask] of masks) result = result.replaceAll(secret, () => mask);
  for (const [secret, mask] of masks) {
    // What it has in common with its mask is no secret, such as the address before a key.
    const least = CUT_LEAST + commonLength(secret, mask);
    for (let length = Math.min(secret.length - 1, result.length); length >= least; length--) {
      if (!result.endsWith(secret.slice(0, length))) continue;
      return result.slice(0, -length) + mask;
    }
  }
  return result;
}

/** How many characters `a` and `b` begin with alike. */
function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

function missing(name: string, what: string): Failure {
  return {
    class: 'invalid',
    code: 'secret-missing',
    message: `${what} names the secret ${shortened(name, 70)}, and there is none of that name.`,
    advice: 'Add it in Settings, under Secrets.',
  };
}

function unopened(name: string, error: unknown): Failure {
  if (error instanceof SecretsLocked) {
    return {
      class: 'storage',
      code: 'secrets-locked',
      message: `The secrets were locked before ${name} was read, so nothing was sent.`,
      advice: 'Unlock them by their passphrase, in Settings.',
    };
  }
  return {
    class: 'storage',
    code: 'secret-unreadable',
    message: `The secret ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    advice: 'Enter its value again in Settings, under Secrets.',
  };
}
