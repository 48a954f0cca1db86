/**
 * The key of all secrets. Without a passphrase the browser keeps it, and does not export it. With one it is stored only
 * wrapped by a key that is derived from the passphrase, and who has unlocked it holds it in memory.
 *
 * Encryption takes turns of the event loop, which would end a transaction, so nothing here is called inside one.
 */
import { type EpochMs, SCHEMA } from '../domain/index.ts';
import type { OpenKeyRow, SealedKeyRow, SecretRow } from './schema.ts';

/** The name of the key's row. No secret can have it. */
export const KEY_NAME = '#key';

/** Enough that a guess takes about half a second on a machine of today (OWASP asks for 600,000). It is stored with what it made. */
const ITERATIONS = 600_000;
const CIPHER = 'AES-GCM';
const LENGTH = 256;
const USES: readonly KeyUsage[] = ['encrypt', 'decrypt'];

/** What encrypts: the browser's `crypto`. */
export type Vault = Pick<Crypto, 'subtle' | 'getRandomValues' | 'randomUUID'>;

/** Encrypted bytes and what they were encrypted with. */
export interface Sealed {
  readonly iv: Uint8Array<ArrayBuffer>;
  readonly data: ArrayBuffer;
}

/** A key that can be used here, and the row that it belongs to. Nobody can read it. */
export interface HeldKey {
  readonly seal: string;
  readonly key: CryptoKey;
}

/** A new key that the browser keeps. */
export async function makeOpenKey(vault: Vault, now: EpochMs): Promise<OpenKeyRow> {
  const key = await vault.subtle.generateKey({ name: CIPHER, length: LENGTH }, false, USES);
  return { name: KEY_NAME, schema: SCHEMA, createdAt: now, seal: vault.randomUUID(), key };
}

/** A new key that only `passphrase` opens, and the same key for whoever has just given it. */
export async function makeSealedKey(
  vault: Vault,
  passphrase: string,
  now: EpochMs,
): Promise<{ readonly row: SealedKeyRow; readonly held: HeldKey }> {
  const salt = vault.getRandomValues(new Uint8Array(16));
  const [wrapper, made] = await Promise.all([
    wrapperOf(vault, passphrase, salt, ITERATIONS),
    // The only moment in which it can be read, by this very function.
    vault.subtle.generateKey({ name: CIPHER, length: LENGTH }, true, USES),
  ]);
  const iv = vault.getRandomValues(new Uint8Array(12));
  const data = await vault.subtle.wrapKey('raw', made, wrapper, { name: CIPHER, iv });
  const wrapped = { salt, iterations: ITERATIONS, iv, data };
  const key = await unwrap(vault, wrapper, wrapped);
  const seal = vault.randomUUID();
  const check = await encrypt(vault, key, '', KEY_NAME);
  return {
    row: { name: KEY_NAME, schema: SCHEMA, createdAt: now, seal, wrapped, check },
    held: { seal, key },
  };
}

/** The key of `row`; `null` when the passphrase is another. */
export async function unlockKey(
  vault: Vault,
  row: SealedKeyRow,
  passphrase: string,
): Promise<HeldKey | null> {
  const { salt, iterations } = row.wrapped;
  const wrapper = await wrapperOf(vault, passphrase, salt, iterations);
  try {
    return { seal: row.seal, key: await unwrap(vault, wrapper, row.wrapped) };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'OperationError') return null;
    throw error;
  }
}

/** Whether `key` is the one that `row` has wrapped. */
export async function isKeyOf(vault: Vault, row: SealedKeyRow, key: CryptoKey): Promise<boolean> {
  try {
    return (await decrypt(vault, key, row.check, KEY_NAME)) === '';
  } catch {
    return false;
  }
}

/**
 * Encrypts the value of a secret. Its name and where it may go are authenticated with it, so that no value can be put under
 * another name and sent elsewhere.
 */
export function sealValue(
  vault: Vault,
  key: CryptoKey,
  value: string,
  { name, origins }: Pick<SecretRow, 'name' | 'origins'>,
): Promise<Sealed> {
  return encrypt(vault, key, value, boundTo(name, origins));
}

/** Decrypts it. Rejects when the key or the row is another. */
export function openValue(vault: Vault, key: CryptoKey, row: SecretRow): Promise<string> {
  return decrypt(vault, key, row, boundTo(row.name, row.origins));
}

function boundTo(name: string, origins: readonly string[]): string {
  return JSON.stringify([name, ...origins]);
}

async function encrypt(vault: Vault, key: CryptoKey, text: string, bound: string): Promise<Sealed> {
  const iv = vault.getRandomValues(new Uint8Array(12));
  const data = await vault.subtle.encrypt(parametersOf(iv, bound), key, new TextEncoder().encode(text));
  return { iv, data };
}

async function decrypt(vault: Vault, key: CryptoKey, { iv, data }: Sealed, bound: string): Promise<string> {
  return new TextDecoder().decode(await vault.subtle.decrypt(parametersOf(iv, bound), key, data));
}

function parametersOf(iv: Uint8Array<ArrayBuffer>, bound: string): AesGcmParams {
  return { name: CIPHER, iv, additionalData: new TextEncoder().encode(bound) };
}

async function wrapperOf(
  vault: Vault,
  passphrase: string,
  salt: Uint8Array<ArrayBuffer>,
  iterations: number,
): Promise<CryptoKey> {
  // Keyboards and systems write the same characters in different ways.
  const typed = new TextEncoder().encode(passphrase.normalize('NFKC'));
  const secret = await vault.subtle.importKey('raw', typed, 'PBKDF2', false, ['deriveKey']);
  const parameters: Pbkdf2Params = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return vault.subtle.deriveKey(parameters, secret, { name: CIPHER, length: LENGTH }, false, [
    'wrapKey',
    'unwrapKey',
  ]);
}

function unwrap(vault: Vault, wrapper: CryptoKey, { iv, data }: Sealed): Promise<CryptoKey> {
  return vault.subtle.unwrapKey('raw', data, wrapper, { name: CIPHER, iv }, CIPHER, false, USES);
}
